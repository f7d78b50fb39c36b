"""How the splits of a scheme are made of records that are dealt out at random.

Where nothing depends on which records are trained on, a split is no more than a choice of records,
and what was dealt into one pile is all that matters of it. A scheme says by `dealt` of which deals
its partitions are made; `one_deal` and `deal_each` read that off the splits of any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .split import TEST

if TYPE_CHECKING:
    from .partition import Partition

__all__ = ["Deal", "Dealt", "deal_each", "fixed", "one_deal", "tested_records"]

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Deal:
    """Records dealt into piles of given sizes, `times` times independently.

    sizes: records in each pile; those that are left belong to none. splits: numbers of the splits
    that come of it, one row for each time. tested: which piles each of a row's splits tests,
    (splits, piles). within: how the records of each pile are dealt in turn, each pile by itself;
    `splits` is (times, piles, times within, splits) then, and `tested` says nothing.
    """

    times: int
    sizes: tuple[int, ...]
    splits: Indices
    tested: Flags
    within: Deal | None = None


#: The deals of a partition, independent of each other. None of them where its splits are always
#: the same; None where they are made in another way, which only the scheme knows.
Dealt = Callable[["Partition"], "tuple[Deal, ...] | None"]


def fixed(partition: Partition) -> tuple[Deal, ...]:
    """Nothing is random."""
    return ()


def one_deal(partition: Partition) -> tuple[Deal, ...]:
    """All splits come of one deal: a pile is what the same splits test."""
    return (_deal([tested_records(partition)], [range(len(partition.splits))]),)


def deal_each(partition: Partition) -> tuple[Deal, ...]:
    """Each replication is dealt by itself; one that comes again is the same deal."""
    tested = tested_records(partition)
    each = len(partition.splits) // partition.shape[0]
    same: dict[bytes, list[int]] = {}
    for first in range(0, len(tested), each):
        name = np.packbits(tested[first : first + each]).tobytes()
        same.setdefault(name, []).append(first)
    # Deals into piles of the same sizes are made together.
    alike: dict[bytes, list[list[int]]] = {}
    for firsts in same.values():
        piles, sizes = _piles(tested[firsts[0] : firsts[0] + each])
        name = piles.tobytes() + np.array([*sizes, len(firsts)]).tobytes()
        alike.setdefault(name, []).append(firsts)
    return tuple(
        _deal(
            [tested[_splits(firsts, each)] for firsts in found],
            [_splits(firsts, each) for firsts in found],
        )
        for found in alike.values()
    )


def tested_records(partition: Partition) -> Flags:
    """(splits, n): which records each split tests."""
    return np.stack([partition.compact.roles(at) == TEST for at in range(len(partition.splits))])


def _splits(firsts: Sequence[int], each: int) -> list[int]:
    return [first + at for first in firsts for at in range(each)]


def _deal(tested: Sequence[Flags], splits: Sequence[Sequence[int]]) -> Deal:
    piles, sizes = _piles(tested[0])
    return Deal(len(tested), sizes, np.array([list(each) for each in splits]), piles)


def _piles(tested: Flags) -> tuple[Flags, tuple[int, ...]]:
    """Which piles each split tests, and their sizes; a pile is tested by the same splits.

    The largest comes last, since it is what is left when all others are dealt.
    """
    used = np.flatnonzero(tested.any(axis=0))
    packed = np.ascontiguousarray(np.packbits(tested[:, used], axis=0).T)
    names = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, counts = np.unique(names, return_index=True, return_counts=True)
    order = np.argsort(counts, kind="stable")
    found = np.ascontiguousarray(tested[:, used[first[order]]])
    return found, tuple(int(count) for count in counts[order])
