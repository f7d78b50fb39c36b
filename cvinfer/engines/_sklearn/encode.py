"""A data set for a learner: converted once; what must be learned, learned from training records.

Numeric features pass through. A categorical feature takes one of three ways (docs/categories.md):

one-hot (`Encoder`): one 0/1 column for each level that occurs in the training records, in the place
of the feature; a level seen only in test records is all zeros. ordinal (`Ordinal`): one column, the
number of the level among those of the training records, in the order of the data's levels; a level
seen only in test records is -1. native (`Frames`): a data frame with the columns as they are.

Where imputation was asked for, `cvinfer.data.imputation` says what stands for a missing value. A
feature without one value in the training records is 0 everywhere, or stays missing in a data frame.
Where imputation was not asked for, what is missing stays so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.imputation import medians, most_frequent

if TYPE_CHECKING:
    from cvinfer.data.dataset import Column, Dataset

# Goes into the versions of every fit: change it whenever the numbers made here change.
VERSION = "1"

Matrix = NDArray[np.float64]
Index = NDArray[np.int64]


class Halves(NamedTuple):
    """What a learner is given for one split; matrices, but for `Frames`."""

    train: Any
    test: Any


class Encoder:
    """One data set, converted once; `halves` makes the two matrices of a split, one-hot."""

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
            self._columns(*self._levels(codes, count, train, test), count)
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
        filling, known = medians(halves.train[:, self.holes])
        for half in halves:
            part = half[:, self.holes]
            half[:, self.holes] = np.where(np.isnan(part) | ~known, filling, part)
        return halves

    def _levels(
        self, codes: Index, count: int, train: Index, test: Index
    ) -> tuple[Index, Index, Index]:
        """Codes of the two halves, filled in if so asked, and the levels of the training half."""
        in_train, in_test = codes[train], codes[test]
        seen = np.flatnonzero(np.bincount(in_train[in_train >= 0], minlength=count))
        if self.impute and seen.size:
            filling = most_frequent(in_train, count)
            in_train = np.where(in_train < 0, filling, in_train)
            in_test = np.where(in_test < 0, filling, in_test)
        return in_train, in_test, seen

    def _columns(self, in_train: Index, in_test: Index, seen: Index, count: int) -> Halves:
        place = _places(seen, count)
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


class Ordinal(Encoder):
    """Categories as numbers."""

    def _columns(self, in_train: Index, in_test: Index, seen: Index, count: int) -> Halves:
        if self.impute and not seen.size:
            return Halves(np.zeros((in_train.size, 1)), np.zeros((in_test.size, 1)))
        place = _places(seen, count)
        return Halves(*(_ordinal(each, place) for each in (in_train, in_test)))


class Frames(Encoder):
    """Columns under their names in a pandas data frame, categorical ones of pandas' kind."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        import pandas

        self.names = [column.name for column in dataset.features]
        self.kinds = [
            pandas.CategoricalDtype(list(column.levels), ordered=column.detail == "ordered")
            for column, coded in zip(dataset.features, self.categorical)
            if coded
        ]

    def halves(self, train: Index, test: Index) -> Halves:
        numbers = self._numbers(train, test)
        levels = [
            self._levels(codes, count, train, test)
            for codes, count in zip(self.codes, self.level_counts)
        ]
        return Halves(
            self._frame(numbers.train, [each[0] for each in levels]),
            self._frame(numbers.test, [each[1] for each in levels]),
        )

    def _frame(self, numbers: Matrix, codes: list[Index]) -> Any:
        import pandas

        made = (
            pandas.Categorical.from_codes(each, dtype=kind) for each, kind in zip(codes, self.kinds)
        )
        next_number = iter(range(numbers.shape[1]))
        columns = [
            next(made) if coded else numbers[:, next(next_number)] for coded in self.categorical
        ]
        return pandas.DataFrame(dict(zip(self.names, columns)))


def _places(seen: Index, count: int) -> Index:
    """The number of each level among those that were seen, -1 for the others."""
    place = np.full(count, -1, dtype=np.int64)
    place[seen] = np.arange(seen.size)
    return place


def _ordinal(codes: Index, place: Index) -> Matrix:
    made = place[codes].astype(np.float64) if place.size else np.zeros(codes.size)
    made[codes < 0] = np.nan
    return made[:, np.newaxis]


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
