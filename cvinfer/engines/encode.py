"""A data set as numbers: converted once, and what must be learned, learned from training records.

Numeric features pass through. A categorical feature becomes one 0/1 column for each level that
occurs in the training records, in the place of the feature; a level seen only in test records is
all zeros. Where imputation was asked for, a missing number becomes the training records' median
and a missing level their most frequent one (of equals the first). A feature without one value in
the training records is 0 everywhere. Where it was not asked for, what is missing stays NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cvinfer.data.dataset import Column, Dataset

# Goes into the versions of every fit: change it whenever the numbers made here change.
VERSION = "1"

Matrix = NDArray[np.float64]
Index = NDArray[np.int64]


class Halves(NamedTuple):
    """What a learner is given for one split."""

    train: Matrix
    test: Matrix


class Encoder:
    """One data set, converted once; `halves` makes the two matrices of a split."""

    def __init__(self, dataset: Dataset) -> None:
        columns = dataset.features
        self.n = dataset.n
        self.impute = dataset.impute
        self.categorical = [column.kind == "categorical" for column in columns]
        numbers = [each for each, coded in zip(columns, self.categorical) if not coded]
        self.numeric = np.empty((self.n, len(numbers)), dtype=np.float64)
        for j, column in enumerate(numbers):
            self.numeric[:, j] = column.values
        self.codes = [_codes(each) for each, coded in zip(columns, self.categorical) if coded]
        self.level_counts = [
            len(each.levels) for each, coded in zip(columns, self.categorical) if coded
        ]
        # Which columns have holes at all is bookkeeping: a column without any needs no filling.
        self.holes = np.flatnonzero(np.isnan(self.numeric).any(axis=0)) if self.impute else _NONE
        self.plain = not self.codes and not self.holes.size

    def halves(self, train: Index, test: Index) -> Halves:
        if self.plain:
            return Halves(self.numeric[train], self.numeric[test])
        numbers = self._numbers(train, test)
        if not self.codes:
            return numbers
        levels = [
            self._indicators(codes, count, train, test)
            for codes, count in zip(self.codes, self.level_counts)
        ]
        return Halves(
            self._in_order(numbers.train, [each.train for each in levels]),
            self._in_order(numbers.test, [each.test for each in levels]),
        )

    def _numbers(self, train: Index, test: Index) -> Halves:
        halves = Halves(self.numeric[train], self.numeric[test])
        if not self.holes.size:
            return halves
        learned = halves.train[:, self.holes]
        known = ~np.isnan(learned).all(axis=0)
        medians = np.zeros(self.holes.size)
        medians[known] = np.nanmedian(learned[:, known], axis=0)
        for half in halves:
            part = half[:, self.holes]
            half[:, self.holes] = np.where(np.isnan(part) | ~known, medians, part)
        return halves

    def _indicators(self, codes: Index, count: int, train: Index, test: Index) -> Halves:
        in_train, in_test = codes[train], codes[test]
        frequencies = np.bincount(in_train[in_train >= 0], minlength=count)
        seen = np.flatnonzero(frequencies)
        if self.impute and seen.size:
            most_frequent = int(frequencies.argmax())
            in_train = np.where(in_train < 0, most_frequent, in_train)
            in_test = np.where(in_test < 0, most_frequent, in_test)
        place = np.full(count, -1, dtype=np.int64)
        place[seen] = np.arange(seen.size)
        return Halves(_one_hot(in_train, place, seen.size), _one_hot(in_test, place, seen.size))

    def _in_order(self, numbers: Matrix, levels: list[Matrix]) -> Matrix:
        next_level = iter(levels)
        next_number = iter(range(numbers.shape[1]))
        return np.hstack(
            [
                next(next_level) if coded else numbers[:, [next(next_number)]]
                for coded in self.categorical
            ]
        )


def _codes(column: Column) -> Index:
    return np.asarray(column.values, dtype=np.int64)


def _one_hot(codes: Index, place: Index, width: int) -> Matrix:
    made = np.zeros((codes.size, width))
    missing = codes < 0
    made[missing] = np.nan
    column = np.where(missing, -1, place[codes]) if place.size else np.full(codes.size, -1)
    rows = np.flatnonzero(column >= 0)
    made[rows, column[rows]] = 1.0
    return made


_NONE: NDArray[np.int64] = np.empty(0, dtype=np.int64)
