"""The arrays of blocked m×2 and the rule for left-over records."""

from itertools import combinations

import numpy as np
import pytest

from cvinfer.partitions import blocked_mx2
from cvinfer.partitions import blocks as rule
from cvinfer.partitions.blocks import block_array, blocks_needed, extra_blocks, imbalance

# S0 table 1 and S1 table 3: the blocks of the training sets D_1 / the folds S.
PRINTED = {
    3: [{1, 2}, {1, 3}, {1, 4}],
    5: [{1, 2, 3, 4}, {1, 3, 5, 7}, {1, 2, 5, 6}, {1, 4, 5, 8}, {1, 3, 6, 8}],
}


def sides(m):
    """The blocks (from 1) of S_1..S_m."""
    return [set((np.flatnonzero(column > 0) + 1).tolist()) for column in block_array(m).T]


def measured(m, extra):
    """By counting blocks: worst |S| - |T|, worst 4 |overlap - n/4|, sum of squares times 16."""
    everything = set(range(1, blocks_needed(m) + 1))
    halves = [(s, everything - s) for s in sides(m)]
    extra = set(extra)
    worst_half = max(abs(len(s & extra) - len(t & extra)) for s, t in halves)
    deviations = [
        4 * len(one & other & extra) - len(extra)
        for first, second in combinations(halves, 2)
        for one in first
        for other in second
    ]
    return worst_half, max(map(abs, deviations)), sum(value**2 for value in deviations)


def as_row(m, blocks):
    row = np.zeros((1, blocks_needed(m)), dtype=bool)
    row[0, list(blocks)] = True
    return row


@pytest.mark.parametrize("m", PRINTED)
def test_printed_tables(m):
    assert sides(m) == PRINTED[m]
    h = blocks_needed(m)
    partition = blocked_mx2(10 * h, m, seed=3)
    for j, blocks in enumerate(PRINTED[m]):
        in_s = np.isin(partition.blocks, list(blocks))
        assert np.array_equal(partition.splits[2 * j].train, np.flatnonzero(in_s))
        assert np.array_equal(partition.splits[2 * j].test, np.flatnonzero(~in_s))
        assert np.array_equal(partition.splits[2 * j + 1].train, np.flatnonzero(~in_s))
        assert np.array_equal(partition.splits[2 * j + 1].test, np.flatnonzero(in_s))


@pytest.mark.parametrize("m", range(2, 88))
def test_every_array_is_balanced(m):
    h = blocks_needed(m)
    assert h % 4 == 0 and m + 1 <= h <= m + 4
    array = block_array(m).astype(int)
    assert array.shape == (h, m)
    assert (array.sum(axis=0) == 0).all()
    assert np.array_equal(array.T @ array, h * np.eye(m, dtype=int))
    assert (array[0] == 1).all()


@pytest.mark.parametrize("m", [2, 4])
def test_rows_come_in_complementary_pairs(m):
    rows = {tuple(row) for row in block_array(m).tolist()}
    assert len(rows) == blocks_needed(m)
    assert {tuple(-value for value in row) for row in rows} == rows


def test_300_records_in_8_blocks():
    assert [block + 1 for block in extra_blocks(5, 4)] == [1, 2, 7, 8]
    partition = blocked_mx2(300, 5)
    assert np.bincount(partition.blocks).tolist() == [0, 38, 38, 37, 37, 37, 37, 38, 38]
    assert (partition.sizes == 150).all()
    assert partition.overlaps().worst == 1.0


@pytest.mark.parametrize("m", range(2, 12))
def test_the_rule_against_every_subset(m):
    """h = 4, 8, 12: nothing beats the chosen blocks; first in dictionary order among equals, those
    along an unused column before the others."""
    h = blocks_needed(m)
    used = {tuple(column) for column in block_array(m).T.tolist()}
    unused = rule._columns(m)[1].T.tolist()
    assert len(unused) == h - 1 - m and not used & {tuple(column) for column in unused}
    for extra in range(1, h):
        scores = {
            subset: measured(m, [block + 1 for block in subset])
            for subset in combinations(range(h), extra)
        }
        best = min(scores.values())
        tied = [subset for subset, score in scores.items() if score == best]
        along = [
            subset
            for subset in tied
            if any(
                len(set(np.array(column)[list(subset)])) == 1
                or len(set(np.delete(column, subset))) == 1
                for column in unused
            )
        ]
        assert extra_blocks(m, extra) == min(along or tied)
        half, overlap, squares = imbalance(m, as_row(m, extra_blocks(m, extra)))[0]
        assert (half, overlap, 4 * squares) == best


@pytest.mark.parametrize("m", range(2, 12))
def test_what_is_possible_for_4_8_and_12_blocks(m):
    """The claims of docs/decisions/block-size-rule.md, by trying every subset."""
    h = blocks_needed(m)
    scores = {
        extra: [
            measured(m, [block + 1 for block in subset])[:2]
            for subset in combinations(range(h), extra)
        ]
        for extra in range(1, h)
    }
    best = {extra: min(all_scores) for extra, all_scores in scores.items()}
    lowest_overlap = {
        extra: min(overlap for _, overlap in all_scores) for extra, all_scores in scores.items()
    }
    assert best[1] == best[h - 1] == (1, 3)
    # Two rows of the matrix differ in h/2 columns, so two extras level at most h/2 of them.
    assert best[2][0] == (0 if m <= h // 2 else 2)
    # Three rows agree in h/4 columns, the constant one among them.
    assert best[3][0] == (1 if m <= 3 * h // 4 else 3)
    assert best[h // 2][0] == (0 if m < h - 1 else 2)
    # Giving to all other blocks instead changes nothing but signs.
    assert all(best[extra] == best[h - extra] for extra in best)
    # So far, level halves never cost anything in the overlaps.
    assert all(best[extra][1] == lowest_overlap[extra] for extra in best)


@pytest.mark.parametrize("m", [12, 14, 15, 16, 19])
def test_complements_mirror_each_other(m):
    h = blocks_needed(m)
    for extra in (1, 2, 5, h // 2):
        here = imbalance(m, as_row(m, extra_blocks(m, extra)))
        there = imbalance(m, as_row(m, extra_blocks(m, h - extra)))
        assert np.array_equal(here, there)
        assert len(extra_blocks(m, h - extra)) == h - extra


@pytest.mark.parametrize("m", [16, 17, 18, 19])
def test_the_search_for_large_arrays_finds_what_trying_everything_finds(m):
    for extra in range(1, 11):
        found = rule._best(m, rule._searched_subsets(m, extra))
        all_best = rule._best(m, rule._all_subsets(20, extra))
        assert imbalance(m, found)[0, 0] == imbalance(m, all_best)[0, 0]
        assert imbalance(m, found)[0, 1] <= imbalance(m, all_best)[0, 1] + 2


@pytest.mark.parametrize("m, extra", [(23, 12), (26, 14), (43, 9), (60, 31), (84, 44), (87, 44)])
def test_larger_arrays(m, extra):
    h = blocks_needed(m)
    chosen = extra_blocks(m, extra)
    assert len(set(chosen)) == extra and 0 <= min(chosen) and max(chosen) < h
    half, overlap, squares = imbalance(m, as_row(m, chosen))[0]
    assert measured(m, [block + 1 for block in chosen]) == (half, overlap, 4 * squares)
    naive = imbalance(m, as_row(m, range(extra)))[0]
    assert (half, overlap) <= tuple(naive[:2])
    if m < h - 1 and extra == h // 2:
        assert half == 0
    if m < h - 1 and abs(2 * extra - h) == 2:
        assert half == 1
    if m == h - 1:
        # The squares of all v_j add up to e (h - e), so the worst cannot be below their mean.
        lowest = np.sqrt(extra * (h - extra) / m)
        assert lowest <= half <= 2 * np.ceil(lowest)


def test_blocks_along_an_unused_column_are_told_apart():
    """m = 5 leaves the columns with blocks 1, 2, 7, 8 and 1, 4, 6, 7 on their plus side."""
    rows = [(0, 1, 6, 7), (0, 3, 5, 6), (2, 3, 4, 5), (0, 1, 2, 3), (0, 1, 2, 7)]
    subsets = np.concatenate([as_row(5, row) for row in rows])
    assert rule._most_along_unused(5, subsets).tolist() == [True, True, True, False, False]
    assert rule._most_along_unused(5, subsets[3:]).tolist() == [True, True]
    assert rule._most_along_unused(7, as_row(7, [0, 1])).tolist() == [True]


def test_one_extra_or_one_short_is_always_within_one():
    for m in (2, 3, 7, 20, 55, 87):
        h = blocks_needed(m)
        for extra in (1, h - 1):
            assert tuple(imbalance(m, as_row(m, extra_blocks(m, extra)))[0][:2]) == (1, 3)
    assert extra_blocks(9, 0) == ()
