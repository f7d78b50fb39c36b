"""Which comparisons are corrected together for their number, and by which method.

Specs and results write it as the name of a method, over all comparisons of a test, or as a mapping
with `method` and `over`. There is one way to write each: over all is always the name alone.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.arrays import entries

METHODS = ("none", "holm", "bonferroni", "benjamini-hochberg")
DEFAULT = "holm"
ALL, DATA = "all", "data"

#: As specs and results have it.
Written = Union[str, Mapping[str, str]]


class Correction(NamedTuple):
    """`over`: `all` comparisons of a test, or those of each `data` set as a family of its own."""

    method: str
    over: str = ALL

    @property
    def by_data(self) -> bool:
        return self.over == DATA

    def written(self) -> Written:
        """The one way to write it."""
        if self.over == ALL or self.method == "none":
            return self.method
        return {"method": self.method, "over": self.over}


def read(value: Any) -> Correction:
    """From how it is written, in full or in short."""
    if isinstance(value, Mapping):
        return Correction(str(value.get("method", DEFAULT)), str(value.get("over", ALL)))
    return Correction(str(value))


def corrected_p(p_values: Sequence[Optional[float]], method: str) -> list[Optional[float]]:
    """p-values corrected for their number; None (no result) stays None and is not counted.

    With m values in increasing order p_(1) <= ... <= p_(m):
    bonferroni min(1, m p); holm min(1, max_{j<=i} (m - j + 1) p_(j)) (Holm 1979);
    benjamini-hochberg min(1, min_{j>=i} (m / j) p_(j)) (Benjamini and Hochberg 1995), which
    controls the false discovery rate.
    """
    import numpy as np

    if method not in METHODS:
        raise ValueError(f"there is no correction {method!r}; it is one of {', '.join(METHODS)}")
    known = [at for at, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[at] for at in known], dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p-values lie between 0 and 1, got {p.tolist()}")
    m = len(p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, m + 1)
    adjusted = p.copy()
    if method == "bonferroni":
        adjusted = p * m
    elif method == "holm":
        adjusted[order] = np.maximum.accumulate((m + 1 - rank) * p[order])
    elif method == "benjamini-hochberg":
        scaled = (m / rank) * p[order]
        adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    result: list[Optional[float]] = [None] * len(p_values)
    for at, value in zip(known, entries(np.minimum(adjusted, 1.0))):
        result[at] = value
    return result
