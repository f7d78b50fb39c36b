"""What measures of scores are made of: which records are ranked above which."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.registry import Floats, NoValue, Starts


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


def areas(positive: NDArray[np.bool_], scores: NDArray[Any], starts: Starts) -> Floats:
    """`area` of each of many splits; NaN where one has no positive or no negative record.

    Of the ranks r of the P positive records, equal scores sharing theirs, the area is
    (Σ r − P (P + 1)/2)/(P N). Ranks are counted twice over, in whole numbers.
    """
    size = np.diff(np.append(starts, len(scores)))
    split = np.repeat(np.arange(len(starts)), size)
    order = np.lexsort((scores, split))
    ordered, of = scores[order], split[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]) | (of[1:] != of[:-1])
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order)) - 1
    # The places of a group of equal scores, counted from 1 in its split: first + last of them.
    twice = (first + last + 2 - 2 * starts[of[first]])[np.cumsum(new) - 1]
    there = positive[order]
    above = np.add.reduceat(there.astype(np.int64), starts)
    ranks = np.add.reduceat(np.where(there, twice, 0), starts)
    with np.errstate(invalid="ignore"):
        return np.asarray((ranks - above * (above + 1)) / (2 * above * (size - above)))
