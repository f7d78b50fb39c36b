"""Which comparisons are corrected together for their number, and by which method.

Specs and results write it as the name of a method, over all comparisons of a test, or as a mapping
with `method` and `over`. There is one way to write each: over all is always the name alone.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Union

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
