"""What every scheme promises, for drawn n, sizes and seeds."""

from fractions import Fraction
from math import comb, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cvinfer.partitions import (
    blocked_mx2,
    holdout,
    kfold,
    loo,
    make_partition,
    overlapping_mx2,
    paired_halves,
    random_mx2,
    repeated_holdout,
    repeated_kfold,
    schemes,
)
from cvinfer.partitions.blocks import blocks_needed, extra_blocks, imbalance

seeds = st.integers(0, 2**70)


def check_partition(partition, whole=True):
    """Disjoint, in range, in the shape and with the sizes the partition says."""
    assert len(partition.splits) == int(np.prod(partition.shape))
    assert partition.sizes.shape == (*partition.shape, 2)
    sizes = partition.sizes.reshape(-1, 2)
    for split, (train, test) in zip(partition.splits, sizes):
        assert not set(split.train) & set(split.test)
        assert (len(split.train), len(split.test)) == (train, test) == split.sizes
        together = np.union1d(split.train, split.test)
        assert together[0] >= 0 and together[-1] < partition.n
        if whole:
            assert np.array_equal(together, np.arange(partition.n))


def times_tested(splits, n):
    return np.bincount(np.concatenate([split.test for split in splits]), minlength=n)


@given(st.integers(2, 80), seeds, st.data())
def test_holdouts(n, seed, data):
    n1 = data.draw(st.one_of(st.none(), st.integers(1, n - 1)))
    j = data.draw(st.integers(1, 6))
    one, many = holdout(n, n1, seed=seed), repeated_holdout(n, j, n1, seed=seed)
    check_partition(one)
    check_partition(many)
    assert one.shape == () and many.shape == (j,)
    expected = round(2 * n / 3) if n1 is None else n1
    assert one.sizes.tolist() == [expected, n - expected]
    assert (many.sizes == one.sizes).all()
    assert one.splits[0] == many.splits[0]


@pytest.mark.parametrize(
    "n1, n, size",
    [
        (0.9, 300, 270),
        (0.9, 5 * 10 + 5, 50),  # 49.5 goes up
        (0.9, 15, 14),
        (Fraction(9, 10), 15, 14),
        (Fraction(2, 3), 300, 200),
        (2 / 3, 300, 200),
        (np.float64(0.9), 25, 23),
        (np.float32(0.9), 25, 23),
        (np.int32(7), 25, 7),
        (0.7, 45, 32),  # 31.5 goes up; 0.7 * 45 in floating point is 31.499999999999996
        (0.1, 20_000, 2_000),
    ],
)
def test_shares_are_exact(n1, n, size):
    assert holdout(n, n1).sizes.tolist() == [size, n - size]
    assert repeated_holdout(n, 2, n1).options["n1"] == size


@given(st.integers(2, 90), seeds, st.data())
def test_folds(n, seed, data):
    k = data.draw(st.integers(2, n))
    r = data.draw(st.integers(1, 3))
    one, many = kfold(n, k, seed=seed), repeated_kfold(n, r, k, seed=seed)
    check_partition(one)
    assert one.shape == (k,) and many.shape == (r, k)
    assert np.ptp(one.sizes[:, 1]) <= 1
    folds = many.fold_of_record()
    assert folds.shape == (r, n) and np.array_equal(folds[0], one.fold_of_record())
    for i in range(r):
        replication = many.splits[i * k : (i + 1) * k]
        assert (times_tested(replication, n) == 1).all()
        for fold, split in enumerate(replication):
            assert np.array_equal(split.test, np.flatnonzero(folds[i] == fold))
    assert list(many.splits)[:k] == list(one.splits)
    assert np.array_equal(many.sizes[0], one.sizes)


@given(st.integers(2, 40))
def test_loo(n):
    partition = loo(n)
    check_partition(partition)
    assert partition.shape == (n,)
    assert [split.test.tolist() for split in partition.splits] == [[i] for i in range(n)]
    assert np.array_equal(partition.fold_of_record(), np.arange(n))
    assert partition == loo(n, seed=9)


def test_loo_of_20000_is_lean():
    partition = loo(20_000)
    assert partition.splits[-1].test.tolist() == [19_999]
    assert partition.splits[7].train.tolist() == [i for i in range(20_000) if i != 7]
    held = sum(
        array.nbytes for array in vars(partition.splits).values() if hasattr(array, "nbytes")
    )
    assert held < 10 * 8 * 20_000


@given(st.integers(4, 60), seeds, st.data())
def test_random_halves(n, seed, data):
    m = data.draw(st.integers(1, min(5, comb(n, n // 2) // 2)))
    rcp = data.draw(st.integers(0, m - 1))
    partition = random_mx2(n, m, rcp=rcp, seed=seed)
    check_partition(partition)
    assert partition.shape == (m, 2)
    assert np.abs(partition.sizes[..., 0] - partition.sizes[..., 1]).max() == n % 2
    for j in range(m):
        first, second = partition.splits[2 * j], partition.splits[2 * j + 1]
        assert np.array_equal(first.train, second.test)
        assert np.array_equal(first.test, second.train)
    partitions = [
        frozenset([tuple(partition.splits[2 * j].train), tuple(partition.splits[2 * j].test)])
        for j in range(m)
    ]
    assert len(set(partitions[: rcp + 1])) == 1
    assert len(set(partitions)) == m - rcp


def test_small_n_gives_every_halving_once():
    for n in (2, 3, 4, 5, 6, 7):
        m = comb(n, n // 2) // (1 if n % 2 else 2)
        partition = random_mx2(n, m)
        assert len({tuple(split.train) for split in partition.splits}) == 2 * m


def test_repeating_a_partition_leaves_the_others_where_they_are():
    plain = random_mx2(50, 5, seed=4)
    for rcp in range(5):
        repeated = random_mx2(50, 5, rcp=rcp, seed=4)
        assert repeated.options["rcp"] == rcp
        for j in range(5):
            source = 0 if j <= rcp else j
            assert repeated.splits[2 * j] == plain.splits[2 * source]


@given(st.integers(4, 60), seeds, st.data())
def test_overlapping_halves(n, seed, data):
    half = (n + 1) // 2
    overlap = data.draw(st.one_of(st.none(), st.integers(n % 2, half)))
    partition = overlapping_mx2(n, overlap, seed=seed)
    check_partition(partition)
    assert partition.shape == (2, 2)
    assert (partition.sizes[:, 0, 0] == half).all() and (partition.sizes[:, 1, 1] == half).all()
    shared = len(np.intersect1d(partition.splits[0].train, partition.splits[2].train))
    assert shared == partition.options["overlap"] == partition.overlaps().matrix[0, 1]
    assert shared == (floor(n / 4 + 0.5) if overlap is None else overlap)
    # The first halving is the same for every overlap, so that what they show can be compared.
    assert partition.splits[0] == overlapping_mx2(n, half, seed=seed).splits[0]


def test_overlaps_of_none_and_all_are_one_halving():
    turned, repeated = (overlapping_mx2(20, overlap, seed=1) for overlap in (0, 10))
    assert turned.splits[2] == turned.splits[1] and turned.splits[3] == turned.splits[0]
    assert repeated.splits[2] == repeated.splits[0] and repeated.splits[3] == repeated.splits[1]


def test_every_record_is_equally_likely_in_an_overlap():
    counts = np.zeros((4, 12))
    for seed in range(4000):
        first, _, second, _ = overlapping_mx2(12, 2, seed=seed).splits
        in_first, in_second = (np.isin(np.arange(12), each.train) for each in (first, second))
        counts += [in_first, in_second, in_first & in_second, in_first | in_second]
    expected = 4000 * np.array([6, 6, 2, 10]) / 12
    spread = np.sqrt(expected * (1 - expected / 4000))
    assert (np.abs(counts - expected[:, None]) < 5 * spread[:, None]).all()


@pytest.mark.parametrize("m", range(2, 88))
def test_blocked_overlaps_are_a_quarter_when_h_divides_n(m):
    h = blocks_needed(m)
    n = h * (1 + m % 3)
    partition = blocked_mx2(n, m, seed=m)
    assert partition.shape == (m, 2) and (partition.sizes * 2 == n).all()
    train = np.stack([np.isin(np.arange(n), split.train) for split in partition.splits]).astype(int)
    shared = train @ train.T
    replication = np.arange(2 * m) // 2
    apart = replication[:, None] != replication[None, :]
    assert (4 * shared[apart] == n).all()
    report = partition.overlaps()
    assert report.worst == 0.0 and report.ideal == n / 4
    assert np.array_equal(np.asarray(report), shared[::2, ::2])


def rule_of_sizes(m, n):
    """Blocks (from 0) that hold a record more; m = 3 takes the sizes of the 5×2 that holds it."""
    if m != 3 or n < 8:
        return list(extra_blocks(m, n % blocks_needed(m)))
    pairs = np.bincount(np.array(extra_blocks(5, n % 8), dtype=int) % 4, minlength=4)
    found = np.flatnonzero(pairs + 2 * (n // 8) > n // 4).tolist()
    # Which of equally good choices it is, is all that differs.
    member = np.isin(np.arange(4), found)[None]
    best = np.isin(np.arange(4), list(extra_blocks(3, n % 4)))[None]
    assert np.array_equal(imbalance(3, member), imbalance(3, best))
    return found


@settings(max_examples=60)
@given(st.integers(2, 87), st.integers(1, 4), seeds, st.data())
def test_blocked_overlaps_for_any_n(m, q, seed, data):
    h = blocks_needed(m)
    n = q * h + data.draw(st.integers(0, h - 1))
    partition = blocked_mx2(n, m, seed=seed)
    check_partition(partition)
    counts = np.bincount(partition.blocks, minlength=h + 1)[1:]
    assert counts.sum() == n and np.ptp(counts) <= 1
    assert np.flatnonzero(counts > q).tolist() == rule_of_sizes(m, n)
    in_s = np.zeros((m, n), dtype=int)
    for j in range(m):
        first, second = partition.splits[2 * j], partition.splits[2 * j + 1]
        assert first.train.tolist() == second.test.tolist()
        assert first.test.tolist() == second.train.tolist()
        in_s[j, first.train] = 1
    in_t = 1 - in_s
    apart = ~np.eye(m, dtype=bool)
    worst = max(
        np.abs(4 * (one @ other.T)[apart] - n).max() / 4
        for one in (in_s, in_t)
        for other in (in_s, in_t)
    )
    report = partition.overlaps()
    assert report.worst == worst
    assert np.array_equal(report.matrix, in_s @ in_s.T)
    if n % h in (0, 1, h - 1):
        assert worst < 1 and np.abs(partition.sizes[..., 0] - partition.sizes[..., 1]).max() <= 1


@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 1), st.data())
def test_blocks_given(m, q, first, data):
    h = blocks_needed(m)
    more = data.draw(st.lists(st.integers(0, h - 1), max_size=10))
    given_blocks = data.draw(st.permutations(list(range(h)) * q + more))
    n = len(given_blocks)
    partition = blocked_mx2(n, m, np.array(given_blocks) + first)
    assert partition.blocks.tolist() == [block + 1 for block in given_blocks]
    assert partition == blocked_mx2(n, m, [block + first for block in given_blocks], seed=99)
    assert partition.options["blocks"] == "given"
    check_partition(partition)


@given(st.integers(16, 60), st.integers(1, 3), st.integers(1, 3), seeds, st.data())
def test_paired_halves(n, m, j, seed, data):
    n_test = data.draw(st.one_of(st.none(), st.integers(1, n // 2 - 1)))
    partition = paired_halves(n, m, j, n_test, seed=seed)
    check_partition(partition, whole=False)
    tested = n - round(n * 9 / 10 + 1e-9) if n_test is None else n_test
    assert partition.shape == (m, 2, j)
    assert (partition.sizes == [n // 2 - tested, tested]).all()
    halves = [
        {tuple(np.union1d(split.train, split.test)) for split in partition.splits[at : at + j]}
        for at in range(0, 2 * m * j, j)
    ]
    for one, other in zip(halves[::2], halves[1::2]):
        assert len(one) == len(other) == 1
        assert not set(next(iter(one))) & set(next(iter(other)))


def test_default_sizes_of_the_contract():
    assert holdout(300).sizes.tolist() == [200, 100]
    assert repeated_holdout(300).shape == (15,)
    assert repeated_holdout(300).sizes[0].tolist() == [200, 100]
    assert kfold(300).shape == (10,)
    assert repeated_kfold(300).shape == (10, 10)
    assert random_mx2(300).shape == (5, 2)
    assert blocked_mx2(300).shape == (5, 2)
    assert loo(300).shape == (300,)
    assert paired_halves(300).shape == (10, 2, 15)
    assert paired_halves(300).sizes[0, 0, 0].tolist() == [120, 30]


def test_every_position_is_equally_likely():
    """A permutation made from raw words has no favourite: 4,000 hold-outs, 5 standard errors."""
    partition = repeated_holdout(12, 4_000, 4, seed=1)
    share = np.mean([np.isin(np.arange(12), split.train) for split in partition.splits], axis=0)
    assert np.abs(share - 1 / 3).max() < 5 * np.sqrt((1 / 3) * (2 / 3) / 4_000)
    together = np.mean([{0, 1} <= set(split.train.tolist()) for split in partition.splits])
    assert abs(together - (4 / 12) * (3 / 11)) < 5 * np.sqrt(0.0909 * 0.9091 / 4_000)


@pytest.mark.parametrize(
    "name", ["repeated_holdout", "repeated_kfold", "random_mx2", "blocked_mx2", "paired_halves"]
)
def test_replications_differ(name):
    partition = make_partition(name, 60, seed=1)
    per = len(partition.splits) // partition.shape[0]
    tests = [
        tuple(tuple(s.test) for s in partition.splits[at : at + per])
        for at in range(0, len(partition.splits), per)
    ]
    assert len(set(tests)) == partition.shape[0]


def test_the_two_halves_have_holdouts_of_their_own():
    partition = paired_halves(40, 6, 4, seed=1)
    halvings = set()
    for i in range(6):
        places = []
        for side in range(2):
            splits = partition.splits[(2 * i + side) * 4 : (2 * i + side + 1) * 4]
            half = np.union1d(splits[0].train, splits[0].test)
            places.append([np.searchsorted(half, split.test).tolist() for split in splits])
            halvings.add(tuple(half))
        assert places[0] != places[1]
    assert len(halvings) == 12


def test_a_seed_matters_wherever_something_is_random():
    for name, info in schemes().items():
        same, other = info.function(40, seed=1), info.function(40, seed=2)
        assert same == info.function(40, seed=1)
        assert (same == other) == (name == "loo")
