"""One split, and compact sequences of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import integer
from .errors import PartitionError

__all__ = [
    "TEST",
    "TRAIN",
    "Split",
    "Splits",
    "GivenSplits",
    "FoldSplits",
    "HalfSplits",
    "RoleSplits",
    "SizedSplits",
]

Indices = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)
TRAIN, TEST = 1, 2


class Split:
    """Training and test records as sorted, read-only index arrays.

    A split that trains on a record it tests on cannot be made. `Split.complement` keeps the test
    records only and computes `train`, all other records of n, when it is asked for.
    """

    __slots__ = ("_train", "_test", "_n")

    _train: Indices | None
    _test: Indices
    _n: int | None

    def __init__(self, train: ArrayLike, test: ArrayLike) -> None:
        train_, test_ = _indices(train, "train"), _indices(test, "test")
        in_train = np.zeros(max(int(train_[-1]), int(test_[-1])) + 1, dtype=bool)
        in_train[train_] = True
        shared = test_[in_train[test_]]
        if shared.size:
            raise PartitionError(
                f"Split: train and test share {shared.size} record(s), the first is "
                f"{shared[0]}; a record may be trained on or tested on, not both"
            )
        self._set(train_, test_, None)

    @classmethod
    def complement(cls, test: ArrayLike, n: int) -> Split:
        """The split that tests on `test` and trains on all other records of 0..n-1."""
        test_, n = _indices(test, "test"), integer("Split", "n", n)
        if test_[-1] >= n:
            raise PartitionError(f"Split: test holds record {test_[-1]}, but n = {n}")
        if len(test_) >= n:
            raise PartitionError(f"Split: train is empty, test holds all n = {n} records")
        split = cls.__new__(cls)
        split._set(None, test_, n)
        return split

    @classmethod
    def tested(cls, test: ArrayLike) -> Split:
        """The split that tests on `test` and was trained on records that are not at hand."""
        none = np.zeros(0, dtype=np.int64)
        none.setflags(write=False)
        split = cls.__new__(cls)
        split._set(none, _indices(test, "test"), None)
        return split

    def _set(self, train: Indices | None, test: Indices, n: int | None) -> None:
        for name, value in (("_train", train), ("_test", test), ("_n", n)):
            object.__setattr__(self, name, value)

    @property
    def train(self) -> Indices:
        """Sorted indices of the training records."""
        if self._train is not None:
            return self._train
        train = np.flatnonzero(self.roles(self._n or 0) == TRAIN)
        train.setflags(write=False)
        return train

    @property
    def test(self) -> Indices:
        """Sorted indices of the test records."""
        return self._test

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of training records, number of test records."""
        train = (self._n or 0) - len(self._test) if self._train is None else len(self._train)
        return train, len(self._test)

    def roles(self, n: int) -> NDArray[np.uint8]:
        """What each of n records does: 0 unused, 1 train, 2 test."""
        roles = np.zeros(n, dtype=np.uint8)
        roles[slice(self._n) if self._train is None else self._train] = TRAIN
        roles[self._test] = TEST
        return roles

    def top(self) -> int:
        """The largest record number in use."""
        last = [
            int(each[-1]) for each in (self._train, self._test) if each is not None and len(each)
        ]
        return max([*last, (self._n or 0) - 1])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Split cannot be changed ({name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Split cannot be changed ({name})")

    def __reduce__(self) -> tuple[Callable[..., Split], tuple[Any, ...]]:
        if self._train is None:
            return Split.complement, (self._test, self._n)
        if not len(self._train):
            return Split.tested, (self._test,)
        return Split, (self._train, self._test)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Split):
            return NotImplemented
        return np.array_equal(self.test, other.test) and np.array_equal(self.train, other.train)

    def __hash__(self) -> int:
        return hash((self.sizes, self._test.tobytes()))

    def __repr__(self) -> str:
        train, test = self.sizes
        return f"Split({train} train, {test} test)"


def _indices(values: ArrayLike, role: str) -> Indices:
    given = np.asarray(values)
    if given.ndim != 1 or given.size == 0:
        fault = "is empty" if given.size == 0 else f"has {given.ndim} dimensions, not one"
        raise PartitionError(f"Split: {role} {fault}; give at least one record number")
    if given.dtype.kind not in "iu":
        raise PartitionError(f"Split: {role} holds {given.dtype} values; give whole record numbers")
    # A copy of its own, so that nobody can change the split through the array that was given.
    indices = given.astype(np.int64)
    if not (indices[1:] > indices[:-1]).all():
        indices.sort()
        twice = indices[1:][indices[1:] == indices[:-1]]
        if twice.size:
            raise PartitionError(f"Split: {role} holds record {twice[0]} more than once")
    if indices[0] < 0:
        raise PartitionError(f"Split: {role} holds the negative record number {indices[0]}")
    indices.setflags(write=False)
    return indices


class Splits(Sequence[Split]):
    """A read-only sequence of splits that are made when they are asked for."""

    n: int
    _length: int

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Split:
        """One split."""

    @overload
    def __getitem__(self, index: slice) -> Sequence[Split]:
        """Some of them."""

    def __getitem__(self, index: int | slice) -> Split | Sequence[Split]:
        chosen = range(len(self))[index]
        if isinstance(chosen, range):
            return tuple(self.make(at) for at in chosen)
        return self.make(chosen)

    @abstractmethod
    def make(self, at: int) -> Split:
        """The split number `at`, 0 <= at < len."""

    @abstractmethod
    def sizes(self) -> Indices:
        """Training and test sizes, one row per split."""

    def roles(self, at: int) -> NDArray[np.uint8]:
        """Role of each of the n records in split number `at`."""
        return self.make(at).roles(self.n)

    #: Whether it is known which records a split trains on and tests; sizes always are.
    known = True

    def content(self, at: int) -> Any:
        """What the fingerprint of a partition takes of split number `at`, as bytes."""
        return np.ascontiguousarray(self.roles(at)).data

    def training(self) -> NDArray[np.bool_]:
        """Which records each split trains on, one row per split."""
        return np.stack([self.roles(at) == TRAIN for at in range(len(self))])

    def take(self, replications: Sequence[int], per_replication: int) -> Splits:
        """The splits of the chosen replications, each `per_replication` splits long."""
        return GivenSplits(
            [
                self.make(replication * per_replication + at)
                for replication in replications
                for at in range(per_replication)
            ],
            self.n,
        )


class GivenSplits(Splits):
    """Splits that were handed over as they are."""

    def __init__(self, splits: Sequence[Split], n: int) -> None:
        self.n = n
        self._splits = tuple(splits)
        self._length = len(self._splits)
        for at, split in enumerate(self._splits):
            if split.top() >= n:
                raise PartitionError(
                    f"Partition: split {at} holds record {split.top()}, but n = {n}"
                )

    def make(self, at: int) -> Split:
        return self._splits[at]

    def sizes(self) -> Indices:
        return np.array([split.sizes for split in self._splits], dtype=np.int64).reshape(-1, 2)


class FoldSplits(Splits):
    """R times K folds from the (R, n) array of fold numbers; fold f is tested, the rest trains."""

    def __init__(self, folds: Indices, k: int) -> None:
        self.folds = _frozen(folds)
        self.k = k
        self.n = folds.shape[1]
        self._length = len(folds) * k
        # Stable, so that the records of a fold come out in rising order.
        self._order = np.argsort(folds, axis=1, kind="stable")
        counts = (np.arange(len(folds))[:, None] * k + folds).ravel()
        self._counts = np.bincount(counts, minlength=len(folds) * k).reshape(len(folds), k)
        self._ends = np.cumsum(self._counts, axis=1)

    def make(self, at: int) -> Split:
        row, fold = divmod(at, self.k)
        end = self._ends[row, fold]
        return Split.complement(self._order[row, end - self._counts[row, fold] : end], self.n)

    def sizes(self) -> Indices:
        test = self._counts.ravel()
        return np.stack([self.n - test, test], axis=1)

    def take(self, replications: Sequence[int], per_replication: int) -> Splits:
        return FoldSplits(self.folds[list(replications)], self.k)


class HalfSplits(Splits):
    """m×2 splits from the (m, n) array that says which records are in S_j."""

    def __init__(self, in_s: NDArray[np.bool_]) -> None:
        self.in_s = _frozen(in_s)
        self.n = in_s.shape[1]
        self._length = 2 * len(in_s)

    def make(self, at: int) -> Split:
        row, half = divmod(at, 2)
        in_s = self.in_s[row]
        return Split.complement(np.flatnonzero(in_s if half else ~in_s), self.n)

    def sizes(self) -> Indices:
        s = self.in_s.sum(axis=1, dtype=np.int64)
        t = self.n - s
        sizes: Indices = np.stack([s, t, t, s], axis=1).reshape(-1, 2)
        return sizes

    def take(self, replications: Sequence[int], per_replication: int) -> Splits:
        return HalfSplits(self.in_s[list(replications)])


class RoleSplits(Splits):
    """Splits from the (count, n) array of roles: 0 unused, 1 train, 2 test."""

    def __init__(self, roles: NDArray[np.uint8]) -> None:
        self._roles = _frozen(roles)
        self._length, self.n = roles.shape

    def make(self, at: int) -> Split:
        roles = self._roles[at]
        return Split(np.flatnonzero(roles == TRAIN), np.flatnonzero(roles == TEST))

    def sizes(self) -> Indices:
        return np.stack([(self._roles == role).sum(axis=1) for role in (TRAIN, TEST)], axis=1)

    def roles(self, at: int) -> NDArray[np.uint8]:
        return np.asarray(self._roles[at])

    def training(self) -> NDArray[np.bool_]:
        return np.asarray(self._roles == TRAIN)

    def take(self, replications: Sequence[int], per_replication: int) -> Splits:
        chosen = np.asarray(replications)[:, None] * per_replication + np.arange(per_replication)
        return RoleSplits(self._roles[chosen.ravel()])


class SizedSplits(Splits):
    """Splits made elsewhere of which only training and test sizes are known, one row each."""

    known = False

    def __init__(self, sizes: Indices, n: int) -> None:
        self.n = n
        self._sizes = _frozen(np.array(sizes, dtype=np.int64).reshape(-1, 2))
        self._length = len(self._sizes)

    def make(self, at: int) -> Split:
        raise PartitionError(
            "Partition: of these splits only the sizes are known, not which records are where"
        )

    def sizes(self) -> Indices:
        return self._sizes

    def content(self, at: int) -> Any:
        return self._sizes[at].astype("<i8").tobytes()

    def take(self, replications: Sequence[int], per_replication: int) -> Splits:
        chosen = np.asarray(replications)[:, None] * per_replication + np.arange(per_replication)
        return SizedSplits(self._sizes[chosen.ravel()], self.n)


def _frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    array.setflags(write=False)
    return array
