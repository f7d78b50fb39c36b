"""What measures of scores are made of: which records are ranked above which."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.registry import NoValue


def present(truth: NDArray[Any], classes: Sequence[str]) -> NDArray[np.int64]:
    """The codes of the classes that records have, at least two."""
    there = np.flatnonzero(np.bincount(truth, minlength=len(classes)))
    if there.size < 2:
        raise NoValue(f"has records of one class only, {classes[there[0]]!r}")
    return there


def area(above: NDArray[Any], below: NDArray[Any]) -> float:
    """The share of pairs in which the score of `above` is the greater; equal ones count half.

    That is the statistic of Mann and Whitney over the number of pairs, and the area under the ROC
    curve.
    """
    ordered = np.sort(below)
    less = np.searchsorted(ordered, above, "left").sum()
    not_more = np.searchsorted(ordered, above, "right").sum()
    return float(int(less + not_more) / (2 * len(above) * len(below)))
