"""What stands for a missing value, learned from the training records of a split: the one rule.

A missing number becomes their median, a missing category their most frequent one, of equals the
first. Where they have no value at all it is 0, or the first category.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["medians", "most_frequent"]


def medians(learned: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The median of each column of numbers, and which columns have a number at all."""
    known = np.asarray(~np.isnan(learned).all(axis=0))
    found = np.zeros(learned.shape[1])
    found[known] = np.nanmedian(learned[:, known], axis=0)
    return found, known


def most_frequent(learned: NDArray[Any], levels: int) -> int:
    """The most frequent of category codes from 0 to `levels` - 1; negative ones are missing."""
    return int(np.bincount(learned[learned >= 0], minlength=max(levels, 1)).argmax())
