"""Groups packed so that every half of an m×2 comes out near n/2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .errors import PartitionError
from .labels import Labels, pack_groups
from .streams import again, stream

__all__ = ["halve_groups"]

_DRAWS = 10
#: Every pair of groups is tried for an exchange up to here; among more groups there is always one
#: of a size that a single move can use.
_FEW_GROUPS = 200
#: Every packing is tried if there are no more than these: 9 groups in four blocks, 18 in two.
_FEW_PACKINGS = 2**18

Indices = NDArray[np.int64]
Sides = NDArray[np.bool_]
Key = tuple[str | int, ...]


def halve_groups(
    scheme: str, n: int, groups: Labels, sides: Sides, seed: int, key: Key
) -> NDArray[np.int64]:
    """The bin of each record, `sides` telling which bins (rows) make up S_j (columns).

    A half may stray from n/2 by max(1, n/10). The first packing that keeps to that is taken; which
    are tried, and in which order, `_packings` says.
    """
    nearest = n
    for bins in _packings(groups, sides, seed, key):
        in_s = np.bincount(bins, minlength=len(sides)) @ sides.astype(np.int64)
        strays = np.abs(2 * in_s - n)
        if (strays * 5 <= max(10, n)).all():
            return bins
        nearest = min(nearest, int(in_s[np.argmax(strays)]), key=lambda half: abs(2 * half - n))
    raise PartitionError(
        f"groups cannot be halved; the halves of a replication come out at {nearest} "
        f"and {n - nearest} of n = {n} records, more than max(1, n/10) from n/2. The largest of "
        f"{len(groups)} groups has {groups.counts.max()} records; kfold takes groups of any size",
        ("groups",),
        who=scheme,
    )


def _packings(groups: Labels, sides: Sides, seed: int, key: Key) -> Iterator[Indices]:
    """Packings from the most random to the most even.

    Drawn ones first; then one strictly by size, with groups moved where that helps, since even bins
    are not yet even halves; then, of few groups, all of them again with groups and whole bins
    exchanged as well: two large groups can need places that no single move gives them. Of very few
    groups every packing is tried in the end, so that none is refused that can be halved.
    """

    def packed(draw: int) -> Indices:
        bits = stream(seed, *key, *again("groups", draw))
        return pack_groups(bits, groups, len(sides), strict=draw == _DRAWS - 1)

    yield from map(packed, range(_DRAWS - 1))
    yield _evened(packed(_DRAWS - 1), groups, sides, exchange=False)
    if len(groups) <= _FEW_GROUPS:
        for draw in range(_DRAWS):
            yield _evened(packed(draw), groups, sides, exchange=True)
    if len(sides) ** len(groups) <= _FEW_PACKINGS:
        yield _best_of_all(groups, sides, stream(seed, *key, "groups", "all"))


def _evened(bins: Indices, groups: Labels, sides: Sides, exchange: bool) -> Indices:
    """Move one group to another bin while that lowers the worst |S_j| - |T_j|.

    With `exchange` also two groups, or the contents of two bins, change places. Ties go to the
    smaller sum of squares, then to the first; no bin is left empty.
    """
    signs = np.where(sides, 1.0, -1.0)
    of_group: Indices = np.empty(len(groups), dtype=np.int64)
    of_group[groups.codes] = bins
    counts = groups.counts.astype(np.float64)
    differences = counts @ signs[of_group]
    while True:
        own = signs[of_group]
        moves = counts[:, None, None] * (signs[None] - own[:, None])
        alone = np.bincount(of_group, minlength=len(sides))[of_group] == 1
        moves[alone] = np.inf
        kinds = [moves]
        if exchange:
            held = np.bincount(of_group[groups.codes], minlength=len(sides))
            kinds += [_exchanges(counts, own), _exchanges(held.astype(np.float64), signs)]
        ends = np.cumsum([kind.shape[0] * kind.shape[1] for kind in kinds])
        after = differences + np.concatenate([kind.reshape(-1, len(differences)) for kind in kinds])
        worst, squares = np.abs(after).max(axis=-1), (after**2).sum(axis=-1)
        best = int(np.lexsort((squares, worst))[0])
        now = (np.abs(differences).max(), (differences**2).sum())
        if (worst[best], squares[best]) >= now:
            return np.asarray(of_group[groups.codes])
        if best < ends[0]:
            group, target = divmod(best, len(sides))
            of_group[group] = target
        elif best < ends[1]:
            one, other = divmod(best - ends[0], len(groups))
            of_group[[one, other]] = of_group[[other, one]]
        else:
            one, other = divmod(best - ends[1], len(sides))
            renamed = np.arange(len(sides), dtype=np.int64)
            renamed[[one, other]] = other, one
            of_group = renamed[of_group]
        differences = after[best]


def _exchanges(sizes: NDArray[np.float64], signs: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each exchange of two things of these sizes and sides adds to |S_j| - |T_j|."""
    lighter = (sizes[None, :] - sizes[:, None])[..., None]
    return np.asarray(lighter * (signs[:, None] - signs[None, :]))


def _best_of_all(groups: Labels, sides: Sides, bits: np.random.PCG64) -> Indices:
    """The packing with the smallest worst |S_j| - |T_j| of all that leave no bin empty, by lot."""
    h, count = len(sides), len(groups)
    number = np.arange(h**count)
    differences = np.zeros((len(number), sides.shape[1]))
    filled = np.zeros((len(number), h), dtype=bool)
    signs = np.where(sides, 1.0, -1.0)
    for group, size in enumerate(map(int, groups.counts)):
        bins = number // h**group % h
        differences += size * signs[bins]
        filled[number, bins] = True
    worst = np.where(filled.all(axis=1), np.abs(differences).max(axis=1), np.inf)
    best = np.flatnonzero(worst == worst.min())
    chosen = int(best[int(bits.random_raw()) % len(best)])
    return np.array([chosen // h**group % h for group in range(count)])[groups.codes]
