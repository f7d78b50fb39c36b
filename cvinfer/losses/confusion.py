"""What measures of predicted classes are made of: how often each class was taken for each."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.registry import NoValue

Counts = NDArray[np.int64]


def confusion(truth: NDArray[Any], codes: NDArray[Any], classes: int) -> Counts:
    """Records by true class (rows) and predicted class (columns)."""
    both = np.bincount(truth * classes + codes, minlength=classes * classes)
    return both.reshape(classes, classes)


class Hits(NamedTuple):
    """Of each class: records of it that were found, records said to be of it, records of it."""

    found: Counts
    said: Counts
    there: Counts


def hits(truth: NDArray[Any], codes: NDArray[Any], classes: int) -> Hits:
    """The hits of each class against all others."""
    table = confusion(truth, codes, classes)
    return Hits(np.diag(table), table.sum(axis=0), table.sum(axis=1))


def of_classes(
    truth: NDArray[Any],
    codes: NDArray[Any],
    classes: Sequence[str],
    positive: Optional[int],
    score: Callable[[Hits], tuple[NDArray[Any], NDArray[Any]]],
    lacks: str,
) -> float:
    """A score of the positive class; without one, the mean over the classes that occur.

    A class occurs that a record has or is said to have. `score` gives a numerator and a denominator
    for each class; `lacks` says what it means that the latter is zero.
    """
    of_each = hits(truth, codes, len(classes))
    wanted = (
        np.flatnonzero(of_each.said + of_each.there) if positive is None else np.array([positive])
    )
    above, below = score(of_each)
    gone = wanted[below[wanted] == 0]
    if gone.size:
        raise NoValue(lacks.format(repr(classes[gone[0]])))
    return float(np.mean(above[wanted] / below[wanted]))
