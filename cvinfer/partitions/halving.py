"""Groups packed so that every half of an m×2 comes out near n/2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .errors import PartitionError
from .labels import Labels, pack_groups
from .streams import again, stream

__all__ = ["halve_groups"]

_DRAWS = 10


def halve_groups(
    scheme: str,
    n: int,
    groups: Labels,
    sides: NDArray[np.bool_],
    seed: int,
    key: tuple[str | int, ...],
) -> NDArray[np.int64]:
    """The bin of each record, `sides` telling which bins (rows) make up S_j (columns).

    A half may stray from n/2 by max(1, n/10). The last draw packs the groups strictly by size,
    which is the most even and the least random of them, and then moves groups where that helps:
    even bins are not yet even halves.
    """
    furthest = n
    for draw in range(_DRAWS):
        bits = stream(seed, *key, *again("groups", draw))
        bins = pack_groups(bits, groups, len(sides), strict=draw == _DRAWS - 1)
        if draw == _DRAWS - 1:
            bins = _evened(bins, groups, sides)
        in_s = np.bincount(bins, minlength=len(sides)) @ sides.astype(np.int64)
        strays = np.abs(2 * in_s - n)
        if (strays * 5 <= max(10, n)).all():
            return bins
        furthest = int(in_s[np.argmax(strays)])
    raise PartitionError(
        f"{scheme}: groups cannot be halved; the halves of a replication come out at {furthest} "
        f"and {n - furthest} of n = {n} records, more than max(1, n/10) from n/2. The largest of "
        f"{len(groups)} groups has {groups.counts.max()} records"
    )


def _evened(bins: NDArray[np.int64], groups: Labels, sides: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Move one group at a time to another bin while that lowers the worst |S_j| - |T_j|.

    Ties go to the smaller sum of squares, then to the first; no bin is left empty.
    """
    signs = np.where(sides, 1.0, -1.0)
    of_group = np.empty(len(groups), dtype=np.int64)
    of_group[groups.codes] = bins
    counts = groups.counts.astype(np.float64)
    differences = counts @ signs[of_group]
    while True:
        moved = differences + counts[:, None, None] * (signs[None] - signs[of_group][:, None])
        alone = np.bincount(of_group, minlength=len(sides))[of_group] == 1
        worst = np.where(alone[:, None], np.inf, np.abs(moved).max(axis=-1))
        order = np.lexsort(((moved**2).sum(axis=-1).ravel(), worst.ravel()))
        group, target = divmod(int(order[0]), len(sides))
        now = (np.abs(differences).max(), (differences**2).sum())
        if (worst[group, target], (moved[group, target] ** 2).sum()) >= now:
            return of_group[groups.codes]
        of_group[group], differences = target, moved[group, target]
