"""What measures of predicted classes are made of: how often each class was taken for each."""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.registry import Floats, NoValue, Starts

Counts = NDArray[np.int64]


def confusion(truth: NDArray[Any], codes: NDArray[Any], classes: int) -> Counts:
    """Records by true class (rows) and predicted class (columns)."""
    both = np.bincount(truth * classes + codes, minlength=classes * classes)
    return both.reshape(classes, classes)


class Hits(NamedTuple):
    """Of each class: records of it that were found, records said to be of it, records of it.

    Of many splits (`hits_of_splits`) these are on the first axis.
    """

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


def hits_of_splits(truth: NDArray[Any], codes: NDArray[Any], classes: int, starts: Starts) -> Hits:
    """The hits in each of many splits, whose records stand one after the other."""
    sizes = np.diff(np.append(starts, len(truth)))
    place = np.repeat(np.arange(len(starts)), sizes) * classes

    def count(of: NDArray[Any], some: Any = slice(None)) -> Counts:
        found = np.bincount((place + of)[some], minlength=len(starts) * classes)
        return found.reshape(len(starts), classes)

    return Hits(count(truth, truth == codes), count(codes), count(truth))


Score = Callable[[Hits], tuple[NDArray[Any], NDArray[Any]]]


class OfClasses:
    """A measure of a score that each class has, given as numerator and denominator.

    It is that of the positive class; without one, the mean over the classes that occur: that a
    record has or is said to have. `lacks` says what it means that a denominator is zero.
    """

    def __init__(self, score: Score, lacks: str) -> None:
        self._score, self._lacks = score, lacks
        # Not functools.wraps: who asks for the parameters wants those of the measure.
        for name in functools.WRAPPER_ASSIGNMENTS:
            if name != "__annotations__":
                setattr(self, name, getattr(score, name))

    def __call__(
        self,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        classes: Sequence[str],
        positive: Optional[int] = None,
    ) -> float:
        each = hits(truth, predicted, len(classes))
        occur = np.flatnonzero(each.said + each.there)
        wanted = occur if positive is None else np.array([positive])
        above, below = self._score(each)
        gone = wanted[below[wanted] == 0]
        if gone.size:
            raise NoValue(self._lacks.format(repr(classes[gone[0]])))
        return float(np.mean(above[wanted] / below[wanted]))

    def in_splits(
        self,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        starts: Starts,
        classes: Sequence[str],
        positive: Optional[int] = None,
    ) -> Floats:
        """The same of each of many splits, NaN where it has no value."""
        each = hits_of_splits(truth, predicted, len(classes), starts)
        above, below = self._score(each)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.asarray(above / below)
        if positive is not None:
            return np.asarray(shares[:, positive])
        occur = each.said + each.there > 0
        # Of as many classes as occur in a split, added up in their order as one split's are.
        return np.array([float(np.mean(shares[at, some])) for at, some in enumerate(occur)])


def of_classes(lacks: str) -> Callable[[Score], OfClasses]:
    """Make such a measure of a score; see `OfClasses`."""
    return lambda score: OfClasses(score, lacks)
