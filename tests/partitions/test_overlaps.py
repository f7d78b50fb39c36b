"""The overlap report."""

from math import comb

import numpy as np
import pytest

from cvinfer.partitions import (
    PartitionError,
    blocked_mx2,
    holdout,
    kfold,
    loo,
    make_partition,
    paired_halves,
    random_mx2,
    repeated_holdout,
    repeated_kfold,
    schemes,
)


def shared(partition, step=1):
    sets = [set(split.train.tolist()) for split in partition.splits[::step]]
    return np.array([[len(one & other) for other in sets] for one in sets])


@pytest.mark.parametrize("name", list(schemes()))
def test_matrix_by_counting(name):
    options = {"paired_halves": {"m": 3, "j": 2}, "repeated_kfold": {"r": 3, "k": 4}}
    partition = make_partition(name, 29, seed=1, **options.get(name, {}))
    report = partition.overlaps()
    halves = name.endswith("mx2")
    assert np.array_equal(report.matrix, shared(partition, 2 if halves else 1))
    assert np.asarray(report) is report.matrix
    assert np.asarray(report, dtype=float).dtype == float
    assert np.array(report) is not report.matrix
    with pytest.raises(ValueError):
        report.matrix[0, 0] = 0
    sizes = np.diag(report.matrix)
    if halves:
        assert report.ideal == 29 / 4
    else:
        assert np.array_equal(report.ideal, np.outer(sizes, sizes) / 29)
        assert report.random_worst is None


def hypergeometric(n, a, b):
    chance = [comb(a, x) * comb(n - a, b - x) / comb(n, b) for x in range(b + 1)]
    mean = sum(x * p for x, p in enumerate(chance))
    return mean, sum((x - mean) ** 2 * p for x, p in enumerate(chance))


def test_random_moments_from_the_distribution_itself():
    even = random_mx2(24, 4).overlaps()
    assert (even.random_mean, even.random_variance) == pytest.approx(
        hypergeometric(24, 12, 12), rel=1e-12
    )
    odd = random_mx2(25, 4).overlaps()
    assert (odd.random_mean, odd.random_variance) == pytest.approx(
        hypergeometric(25, 13, 13), rel=1e-12
    )
    corrected = repeated_holdout(30, 4, 0.9).overlaps()
    assert (corrected.random_mean, corrected.random_variance) == pytest.approx(
        hypergeometric(30, 27, 27), rel=1e-12
    )
    # Blocks may leave halves of unequal sizes: the moments are averaged over the pairs.
    partition = blocked_mx2(29, 7)
    sizes = partition.sizes[:, 0, 0]
    pairs = [hypergeometric(29, a, b) for i, a in enumerate(sizes) for b in sizes[:i]]
    report = partition.overlaps()
    assert (report.random_mean, report.random_variance) == pytest.approx(
        tuple(np.mean(pairs, axis=0)), rel=1e-12
    )


def test_random_moments_are_what_random_splits_do():
    partition = random_mx2(40, 300, seed=11)
    report = partition.overlaps()
    overlaps = report.matrix[np.triu_indices(300, 1)]
    assert overlaps.mean() == pytest.approx(report.random_mean, abs=0.05)
    assert overlaps.var() == pytest.approx(report.random_variance, rel=0.05)


def test_worst_between_replications():
    partition = random_mx2(31, 4, seed=5)
    halves = [
        [set(split.train.tolist()) for split in partition.splits[2 * j : 2 * j + 2]]
        for j in range(4)
    ]
    worst = max(
        abs(len(one & other) - 31 / 4)
        for j, pair in enumerate(halves)
        for earlier in halves[:j]
        for one in pair
        for other in earlier
    )
    assert partition.overlaps().worst == partition.overlaps().random_worst == worst
    partition = repeated_kfold(30, 3, 5, seed=5)
    matrix = shared(partition)
    replication = np.arange(15) // 5
    apart = replication[:, None] != replication[None, :]
    assert partition.overlaps().worst == pytest.approx(np.abs(matrix - 24 * 24 / 30)[apart].max())
    partition = paired_halves(30, 2, 3, seed=5)
    matrix, replication = shared(partition), np.arange(12) // 6
    apart = replication[:, None] != replication[None, :]
    assert partition.overlaps().worst == pytest.approx(np.abs(matrix - 12 * 12 / 30)[apart].max())
    assert random_mx2(40, 5, rcp=1).overlaps().worst == 10.0


def test_random_worst_is_that_of_the_plain_random_partition():
    plain = random_mx2(48, 5, seed=6).overlaps().worst
    labels = np.arange(48) % 2
    for partition in (
        blocked_mx2(48, 5, seed=6),
        random_mx2(48, 5, rcp=2, seed=6),
        random_mx2(48, 5, seed=6, stratify=labels),
    ):
        assert partition.overlaps().random_worst == plain


@pytest.mark.parametrize("partition", [holdout(20), kfold(20), loo(20), random_mx2(20, 1)])
def test_a_single_replication_has_nothing_to_compare(partition):
    report = partition.overlaps()
    assert report.worst is report.random_mean is report.random_variance is None
    assert report.random_worst is None
    assert "one replication only" in str(report)


def test_text():
    text = str(blocked_mx2(300).overlaps())
    assert text.startswith("blocked_mx2, n = 300: overlaps of 5 training set(s)\n  150")
    assert "ideal n/4 = 75\n" in text
    assert "worst deviation between replications: 1 record(s)\n" in text
    assert "mean 75, variance 18.8127" in text
    assert "worst deviation of a random m×2: " in text
    assert len(str(repeated_kfold(30).overlaps()).splitlines()) == 3


def test_too_many_for_a_matrix():
    with pytest.raises(PartitionError, match="loo has 5001 training sets.* at most 5000"):
        loo(5001).overlaps()
