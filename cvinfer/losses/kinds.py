"""The kinds of values that a learner may predict, and how they are kept."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

#: One class code for each test record, one probability for each class of each, one score for each.
CODES, PROBABILITIES, SCORES = "codes", "probabilities", "scores"
#: What is left of the replications of a study (`cvinfer.execute.replications`).
REDUCED = "reduced"
#: The numbers that each is made of, in one order of bytes.
NUMBERS: Mapping[str, str] = {CODES: "<i4", PROBABILITIES: "<f8", SCORES: "<f8", REDUCED: "|u1"}

#: How much may be wanted of a prediction: whoever has what comes later has what comes before.
WANTED = (CODES, SCORES, PROBABILITIES)
#: Probabilities of a record are this near to one together.
TOGETHER = 1e-6


def most(kinds: Iterable[str]) -> str:
    """The most that is wanted; class codes are there in any case."""
    return max(kinds, key=WANTED.index, default=CODES)


def has(kind: Optional[str], wants: str) -> bool:
    """Whether what is of that kind serves where `wants` is wanted; None is class codes alone."""
    return WANTED.index(CODES if kind is None else kind) >= WANTED.index(wants)


class BesideError(ValueError):
    """What stands beside class codes is not what it should be; `at` is the first such record."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def refuse_unlike(beside: NDArray[np.float64], kind: str) -> None:
    """Probabilities lie within 0 and 1 and are one together; scores are numbers, -inf too.

    Raises `BesideError` at the first record where that is not so.
    """
    number = np.asarray(~np.isnan(beside).any(axis=1))
    if kind == PROBABILITIES:
        total = beside.sum(axis=1)
        inside = np.asarray(((beside >= 0.0) & (beside <= 1.0)).all(axis=1))
        good = number & inside & (np.abs(total - 1.0) <= TOGETHER)
    else:
        good = number & (beside < np.inf).all(axis=1) & (beside > -np.inf).any(axis=1)
    if good.all():
        return
    at = int(np.argmin(good))
    row = beside[at]
    if not number[at]:
        fault = "not a number"
    elif kind == SCORES:
        fault = f"{_shown(row)}, not finite"
    elif not inside[at]:
        fault = f"{_shown(row)}, not all within 0 and 1"
    else:
        fault = f"{_shown(row)}, {total[at]:.9g} together and not 1"
    raise BesideError(fault, at)


def _shown(row: NDArray[np.float64]) -> str:
    few = ", ".join(f"{each:.6g}" for each in row[:5])
    return few + (", ..." if row.size > 5 else "")


def codes_of(values: NDArray[Any], kind: str) -> NDArray[np.int32]:
    """The values as class codes, which they must be."""
    if kind != CODES:
        raise ValueError(f"these are {kind}, no class codes")
    return values
