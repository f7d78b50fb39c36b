"""The two-level arrays behind blocked m×2, and which blocks take the left-over records.

Rows of an array are blocks, columns are replications; block i belongs to S_j where entry (i, j)
is +1. Any two columns agree in half of the rows, so with equal blocks two training sets of
different replications share exactly a quarter of the records.

With n = q h + e, e blocks hold one record more. Write v_j for the sum of column j over those
blocks and v_jj' for the sum of the product of columns j and j'. Then |S_j| - |T_j| = v_j, and
4 (|S_j ∩ S_j'| - n/4) = v_j + v_j' + v_jj'; the other three overlaps of the pair turn two of the
three signs, so the worst of the four deviates by (|v_j| + |v_j'| + |v_jj'|) / 4 and their squares
add up to (v_j² + v_j'² + v_jj'²) / 4.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .hadamard import hadamard
from .streams import permutation, stream

__all__ = ["MOST_REPLICATIONS", "blocks_needed", "block_array", "extra_blocks", "imbalance"]

MOST_REPLICATIONS = 87

# Columns of the normalised Hadamard matrix, where not simply 1..m. m = 3 and m = 5 are the printed
# tables (S0 table 1, S1 table 3). The four columns for m = 4 have complementary rows in pairs,
# which lets every even n have equal halves.
_COLUMNS = {3: (2, 1, 3), 4: (1, 2, 4, 7), 5: (4, 1, 2, 3, 5)}

_EXHAUSTIVE_UP_TO = 20
_RANDOM_STARTS = 16
_POLISHING_STEPS = 20
_POLISHING_SWAPS = 200
_CHUNK = 2_000_000

Subsets = NDArray[np.bool_]
Sums = NDArray[np.float32]


def blocks_needed(m: int) -> int:
    """The smallest multiple of 4 that is at least m + 1."""
    return 4 * (m // 4 + 1)


@lru_cache(maxsize=None)
def _columns(m: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The used columns of the array (h, m) and the unused ones (h, h - 1 - m)."""
    matrix = hadamard(blocks_needed(m))
    used = _COLUMNS.get(m, tuple(range(1, m + 1)))
    unused = [column for column in range(1, len(matrix)) if column not in used]
    parts = matrix[:, list(used)], matrix[:, unused]
    for part in parts:
        part.setflags(write=False)
    return parts


def block_array(m: int) -> NDArray[np.int8]:
    """The h by m array of +1 (block in S_j) and -1 (block in T_j)."""
    return _columns(m)[0]


@lru_cache(maxsize=None)
def extra_blocks(m: int, extra: int) -> tuple[int, ...]:
    """The blocks (0-based) that hold one record more when n = q h + extra.

    Chosen in this order: smallest worst difference |S_j| - |T_j|; smallest worst deviation of an
    overlap from n/4; smallest sum of squared deviations; along an unused column; first in
    dictionary order. Every subset is tried up to h = 20, a fixed local search serves beyond.
    """
    h = blocks_needed(m)
    if extra == 0:
        return ()
    # Extras on the complement turn the sign of every v, so the smaller problem is solved.
    few = min(extra, h - extra)
    subsets = _all_subsets(h, few) if h <= _EXHAUSTIVE_UP_TO else _searched_subsets(m, few)
    best = _best(m, subsets)
    best = best[_most_along_unused(m, best)]
    if few != extra:
        best = ~best
    # Rows have equal sums, so the dictionary order of their members is their own falling order.
    first = best[np.lexsort(~best.T[::-1])[0]]
    return tuple(int(block) for block in np.flatnonzero(first))


def imbalance(m: int, subsets: Subsets) -> NDArray[np.int64]:
    """What the sizes rule minimises, one row per set of extra blocks (a boolean row of length h).

    Columns: the worst |v_j|, the worst 4 × deviation of an overlap, and 4 × the sum of squared
    deviations over all pairs of replications.
    """
    halves, pairs = _half_sums(m, subsets), _pair_sums(m, subsets)
    worst = np.abs(halves).max(axis=1), _worst_overlap(halves, pairs), _squares(halves, pairs)
    scores: NDArray[np.int64] = np.stack(worst, axis=1).astype(np.int64)
    return scores


def _half_sums(m: int, subsets: Subsets) -> Sums:
    """v_j per subset; exact, since single precision holds whole numbers up to 2**24."""
    return subsets.astype(np.float32) @ block_array(m).astype(np.float32)


@lru_cache(maxsize=4)
def _pair_columns(m: int) -> Sums:
    array = block_array(m).astype(np.float32)
    left, right = np.triu_indices(m, 1)
    return array[:, left] * array[:, right]


def _pair_sums(m: int, subsets: Subsets) -> Sums:
    """v_jj' per subset and pair j < j'."""
    return subsets.astype(np.float32) @ _pair_columns(m)


def _worst_overlap(halves: Sums, pairs: Sums) -> NDArray[np.float64]:
    left, right = np.triu_indices(halves.shape[1], 1)
    size = np.abs(halves)
    total = size[:, left] + size[:, right] + np.abs(pairs)
    return np.asarray(total.max(axis=1), dtype=np.float64)


def _squares(halves: Sums, pairs: Sums) -> NDArray[np.float64]:
    each = halves.shape[1] - 1
    squares = each * np.square(halves, dtype=np.float64).sum(axis=1)
    return np.asarray(squares + np.square(pairs, dtype=np.float64).sum(axis=1))


def _best(m: int, subsets: Subsets) -> Subsets:
    """The subsets that nothing beats on the first three points of the rule."""
    worst_half = np.abs(_half_sums(m, subsets)).max(axis=1)
    subsets = subsets[worst_half == worst_half.min()]
    step = max(1, _CHUNK // max(1, m * (m - 1) // 2))
    scores = np.concatenate(
        [imbalance(m, subsets[at : at + step]) for at in range(0, len(subsets), step)]
    )
    order = np.lexsort(scores.T[::-1])
    best: Subsets = subsets[(scores == scores[order[0]]).all(axis=1)]
    return best


def _most_along_unused(m: int, subsets: Subsets) -> NDArray[np.bool_]:
    """Which subsets lie on one side of an unused column; all of them if none does."""
    unused = _columns(m)[1].astype(np.float32)
    if unused.shape[1] == 0:
        return np.ones(len(subsets), dtype=bool)
    along = np.abs(subsets.astype(np.float32) @ unused).max(axis=1) == subsets[0].sum()
    return np.asarray(along if along.any() else ~along)


def _all_subsets(h: int, size: int) -> Subsets:
    """Every subset of that size; of two complementary halves only the one with block 1, which
    scores the same and comes first."""
    masks = np.arange(2**h, dtype=np.uint32)
    count = np.zeros(len(masks), dtype=np.uint8)
    for block in range(h):
        count += (masks >> np.uint32(block)).astype(np.uint8) & np.uint8(1)
    wanted = count == size
    if 2 * size == h:
        wanted &= (masks & np.uint32(1)).astype(bool)
    bits = (masks[wanted][:, None] >> np.arange(h, dtype=np.uint32)) & np.uint32(1)
    return np.asarray(bits, dtype=bool)


def _searched_subsets(m: int, size: int) -> Subsets:
    """Good sets of extra blocks, by swaps from sides of unused columns and from fixed shuffles.

    The worst difference of halves alone has wide plateaus, so its fourth powers are brought down
    first, from every start; the rule itself then polishes the best of those ends.
    """
    ends = np.stack([_descend(m, start) for start in _starts(m, size)])
    best = _best(m, ends)
    return np.concatenate([best, _polish(m, best[0])[None]])


def _starts(m: int, size: int) -> list[Subsets]:
    """The first `size` blocks on either side of each unused column, then shuffled blocks."""
    h = blocks_needed(m)
    orders = [permutation(stream(0, "extra_blocks", h, i), h) for i in range(_RANDOM_STARTS)]
    for column in _columns(m)[1].T:
        orders += [np.argsort(-column, kind="stable"), np.argsort(column, kind="stable")]
    starts = np.zeros((len(orders), h), dtype=bool)
    starts[np.arange(len(orders))[:, None], np.stack(orders)[:, :size]] = True
    return list(starts)


def _swaps(subset: Subsets) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every (block to leave, block to enter)."""
    leaving, entering = np.flatnonzero(subset), np.flatnonzero(~subset)
    return np.repeat(leaving, len(entering)), np.tile(entering, len(leaving))


def _descend(m: int, subset: Subsets) -> Subsets:
    """Steepest descent by swaps on the sum of v_j⁴."""
    array = block_array(m).astype(np.float32)
    sums = _half_sums(m, subset[None])[0]
    value = _fourth_powers(sums[None])[0]
    while True:
        leaving, entering = _swaps(subset)
        after = sums + array[entering] - array[leaving]
        values = _fourth_powers(after)
        best = int(np.argmin(values))
        if values[best] >= value:
            return subset
        subset = subset.copy()
        subset[[leaving[best], entering[best]]] = [False, True]
        sums, value = after[best], values[best]


def _fourth_powers(sums: Sums) -> NDArray[np.float64]:
    squares = np.square(sums, dtype=np.float64)
    return np.asarray(np.einsum("ij,ij->i", squares, squares))


def _polish(m: int, subset: Subsets) -> Subsets:
    """Swaps that better the rule, at most a fixed number of them.

    Of the swaps that keep the worst difference of halves lowest, those with the smallest squares
    are tried against the overlaps.
    """
    array = block_array(m).astype(np.float32)
    score = tuple(imbalance(m, subset[None])[0])
    for _ in range(_POLISHING_STEPS):
        leaving, entering = _swaps(subset)
        after = _half_sums(m, subset[None]) + array[entering] - array[leaving]
        worst = np.abs(after).max(axis=1)
        if worst.min() > score[0]:
            break
        order = np.lexsort([np.square(after).sum(axis=1), worst])[:_POLISHING_SWAPS]
        order = order[worst[order] == worst.min()]
        tried = np.repeat(subset[None], len(order), axis=0)
        row = np.arange(len(order))
        tried[row, leaving[order]] = False
        tried[row, entering[order]] = True
        scores = imbalance(m, tried)
        best = int(np.lexsort(scores.T[::-1])[0])
        if tuple(scores[best]) >= score:
            break
        subset, score = tried[best], tuple(scores[best])
    return subset
