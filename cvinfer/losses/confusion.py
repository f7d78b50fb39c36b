"""What measures of predicted classes are made of: how often each class was taken for each."""

from __future__ import annotations

import functools
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

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.there.sum())

    @property
    def by_chance(self) -> int:
        """n² times the share found if predictions had nothing to do with the records."""
        return int(self.said @ self.there)

    @property
    def beyond_chance(self) -> int:
        """n² times the share found beyond that by chance."""
        return self.n * int(self.found.sum()) - self.by_chance


def hits(truth: NDArray[Any], codes: NDArray[Any], classes: int) -> Hits:
    """The hits of each class against all others."""
    table = confusion(truth, codes, classes)
    return Hits(np.diag(table), table.sum(axis=0), table.sum(axis=1))


Score = Callable[[Hits], tuple[NDArray[Any], NDArray[Any]]]


def of_classes(lacks: str) -> Callable[[Score], Callable[..., float]]:
    """Make a measure of a score that each class has, given as numerator and denominator.

    It is that of the positive class; without one, the mean over the classes that occur: that a
    record has or is said to have. `lacks` says what it means that a denominator is zero.
    """

    def made(score: Score) -> Callable[..., float]:
        def measure(
            truth: NDArray[Any],
            predicted: NDArray[Any],
            classes: Sequence[str],
            positive: Optional[int] = None,
        ) -> float:
            each = hits(truth, predicted, len(classes))
            occur = np.flatnonzero(each.said + each.there)
            wanted = occur if positive is None else np.array([positive])
            above, below = score(each)
            gone = wanted[below[wanted] == 0]
            if gone.size:
                raise NoValue(lacks.format(repr(classes[gone[0]])))
            return float(np.mean(above[wanted] / below[wanted]))

        # Not functools.wraps: who asks for the parameters wants those of the measure.
        for name in functools.WRAPPER_ASSIGNMENTS:
            if name != "__annotations__":
                setattr(measure, name, getattr(score, name))
        return measure

    return made
