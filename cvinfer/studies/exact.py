"""Sums without rounding, so that they add up to the same bits in whatever parts they were made.

A sum is a list of floats, largest first: the first is the sum as a float has it, the next what is
missing to it, and so on until nothing is. There is one such list for each number, so that two
halves of a study give the list of the whole.
"""

from __future__ import annotations

import math
from typing import Iterable, Sequence

from cvinfer.errors import UserError

Exact = list[float]


def exact(values: Iterable[float]) -> Exact:
    """The sum of all values, without rounding."""
    rest = list(map(float, values))
    parts: Exact = []
    while True:
        try:
            part = math.fsum(rest)
        except (OverflowError, ValueError):  # what is infinite, or becomes so
            part = math.inf
        if part == 0.0:
            return parts
        if not math.isfinite(part):
            raise UserError("a sum of the study is not finite")
        parts.append(part)
        rest.append(-part)


def plus(*sums: Sequence[float]) -> Exact:
    """The sum of sums."""
    return exact(part for each in sums for part in each)


def value(parts: Sequence[float]) -> float:
    """The sum as a float."""
    return parts[0] if parts else 0.0
