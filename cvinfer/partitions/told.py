"""Splits as a file tells them, and what a scheme can ask of them to be read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .split import TEST, TRAIN

__all__ = ["Misfit", "Told", "one_replication"]

Indices = NDArray[np.int64]
Roles = NDArray[np.uint8]


class Misfit(Exception):
    """Splits that are not what their scheme promises."""


class Told:
    """The splits of one partition.

    n: number of records. keys: (replication, fold) of each split, in order. roles: (splits, n),
    0 unused, 1 train, 2 test; made when they are asked for, since they take room.
    """

    def __init__(
        self, n: int, keys: Sequence[Sequence[str]], make_roles: Callable[[], Roles]
    ) -> None:
        self.n, self.keys, self._make_roles = n, keys, make_roles

    @cached_property
    def roles(self) -> Roles:
        return self._make_roles()

    @property
    def counts(self) -> list[int]:
        """How many splits each replication has."""
        groups = [key[0] for key in self.keys]
        return [groups.count(group) for group in dict.fromkeys(groups)]

    def folds_each(self, scheme: str) -> int:
        """How many folds every replication has, the same number in each."""
        counts = self.counts
        if len(set(counts)) != 1:
            raise Misfit(
                f"the replications have {sorted(set(counts))} folds; all need equally many"
            )
        if counts[0] < 2:
            raise Misfit(f"{scheme} needs at least 2 folds, not {counts[0]}")
        return counts[0]

    def folds(self, scheme: str) -> Indices:
        """(R, n) fold numbers; every record is tested once in a replication."""
        k = self.folds_each(scheme)
        tested = (self.roles == TEST).reshape(-1, k, self.n)
        times = tested.sum(axis=1)
        if (times != 1).any():
            replication, record = np.argwhere(times != 1)[0]
            raise Misfit(
                f"record {record} is tested {times[replication, record]} times in replication "
                f"{replication + 1}; {scheme} tests every record once"
            )
        self.use_every_record(scheme)
        return np.asarray(tested.argmax(axis=1), dtype=np.int64)

    def halves(self, scheme: str) -> NDArray[np.bool_]:
        """(m, n): which records are in S_j."""
        counts = self.counts
        if set(counts) != {2}:
            raise Misfit(f"a replication of {scheme} has 2 folds, not {sorted(set(counts) - {2})}")
        self.use_every_record(scheme)
        pairs = self.roles.reshape(len(counts), 2, -1)
        same = (pairs[:, 0] == pairs[:, 1]).any(axis=1)
        if same.any():
            raise Misfit(
                f"in replication {int(np.argmax(same)) + 1} the second fold does not train on what "
                f"the first one tests; {scheme} turns the halves round"
            )
        return np.asarray(pairs[:, 0] == TRAIN)

    def use_every_record(self, scheme: str) -> None:
        """Refuse a split that neither trains on nor tests some record."""
        unused = np.argwhere(self.roles == 0)
        if len(unused):
            raise Misfit(
                f"record {unused[0][1]} is neither trained on nor tested on in split "
                f"{unused[0][0] + 1}; {scheme} uses every record"
            )


def one_replication(scheme: str, folds: Indices) -> None:
    """Refuse the folds of several replications."""
    if len(folds) != 1:
        raise Misfit(f"{scheme} is one replication, not {len(folds)}; name it repeated_kfold")
