"""The Epsilon population: type I errors of the 14 tests, and that the batch study is honest."""

from __future__ import annotations

import epsilon
import numpy as np
import pytest

from cvinfer import inference, partitions
from cvinfer.inference import contingency_tables, rejection_rate
from cvinfer.inference.tables import Batch, arguments
from cvinfer.partitions.outcomes import OutcomeTables

# Type I errors at 0.05 of n = 300, epsilon = 0.1 from 16,000 replications of an independent
# implementation with the papers' printed continuity correction.
REFERENCE = {
    "repeated_holdout_t": 0.458,
    "kfold_t": 0.044,
    "dietterich_5x2_t": 0.026,
    "corrected_repeated_holdout_t": 0.047,
    "corrected_repeated_kfold_t": 0.035,
    "combined_5x2_t": 0.287,
    "blocked_3x2_t": 0.078,
    "combined_5x2_f": 0.030,
    "calibrated_5x2_bcv_f": 0.029,
    "proportion_z": 0.052,
    "cvci_z": 0.046,
    "holdout_mcnemar": 0.022,
    "naive_kfold_mcnemar": 0.0001,
    "bcv_5x2_mcnemar": 0.023,
}
REPLICATIONS = 4000


@pytest.fixture(scope="module")
def decisions():
    return epsilon.study(REPLICATIONS, seed=2014)


def test_the_study_has_the_fourteen_tests(decisions):
    assert set(decisions) == set(REFERENCE)
    assert all(reject.shape == (REPLICATIONS,) for reject in decisions.values())


@pytest.mark.parametrize("name", REFERENCE)
def test_type_one_error_is_within_four_standard_errors(decisions, name):
    expected = REFERENCE[name]
    error = np.sqrt(expected * (1 - expected) / REPLICATIONS)
    assert abs(rejection_rate(decisions[name]).rate - expected) <= 4 * error


def test_rates_of_tables_that_are_drawn_at_once():
    """The same rates without a shuffled record: `OutcomeTables` on the partitions of the tests."""
    chosen = epsilon._partitions(1)
    rng = np.random.default_rng(2015)
    codes = epsilon.population(rng, REPLICATIONS)
    found = dict(zip(chosen, OutcomeTables(list(chosen.values())).draw(codes, rng)))
    for name, kind in epsilon.TESTS.items():
        options = {"continuity": "printed"} if name in epsilon.CORRECTED else {}
        batch = Batch(found[kind], chosen[kind].sizes[..., 0])
        given = arguments(inference.procedure(name), [batch])
        rate = rejection_rate(inference.infer(name, *given, **options).reject).rate
        expected = REFERENCE[name]
        error = np.sqrt(expected * (1 - expected) / REPLICATIONS)
        assert abs(rate - expected) <= 4 * error, name


def test_chunks_do_not_change_a_chunk():
    once = epsilon.study(60, seed=5, chunk=30)
    more = epsilon.study(90, seed=5, chunk=30)
    for name, reject in once.items():
        assert np.array_equal(reject, more[name][:60])


def test_clipping_never_rejects_more_than_the_printed_correction():
    """A clipped statistic is at most the printed one, so its rejections are a subset."""
    printed = epsilon.study(500, seed=3)
    clipped = epsilon.study(500, seed=3, continuity="clipped")
    for name in epsilon.CORRECTED:
        assert not (clipped[name] & ~printed[name]).any()


def _codes():
    return epsilon.population(np.random.default_rng(9), 1)


def _losses(codes):
    return (codes < 2).astype(float), (codes % 2 == 0).astype(float)


@pytest.mark.parametrize("scheme", ["kfold", "random_mx2", "repeated_kfold"])
def test_counting_shuffled_records_equals_the_tables_of_a_partition(scheme):
    """Laying the records out in the order of the test sets, both ways must count alike."""
    codes = _codes()[0]
    partition = partitions.make_partition(scheme, epsilon.N, seed=4)
    loss_a, loss_b = _losses(codes)
    a = [loss_a[s.test] for s in partition.splits]
    b = [loss_b[s.test] for s in partition.splits]
    by_partition = contingency_tables(a, b, partition).reshape(-1, partition.shape[-1], 4)
    per_replication = np.array_split(np.arange(len(partition.splits)), by_partition.shape[0])
    for table, numbers in zip(by_partition, per_replication):
        order = np.concatenate([partition.splits[int(i)].test for i in numbers])
        sizes = [len(partition.splits[int(i)].test) for i in numbers]
        assert np.array_equal(epsilon.count(codes[order], sizes), table)


@pytest.mark.parametrize("m", [3, 5])
def test_blocked_tables_equal_those_of_a_partition(m):
    """With one outcome for all records, every table of the study is known from the sizes."""
    codes = np.ones((1, epsilon.N), dtype=np.int8)
    partition = partitions.blocked_mx2(epsilon.N, m)
    counted = epsilon.blocked(codes, m, np.random.default_rng(1))[0]
    assert np.array_equal(counted[..., 1], partition.sizes[..., 1])
    assert np.array_equal(counted.sum(axis=-1), partition.sizes[..., 1])


def test_the_batch_and_the_plain_loop_use_the_same_tests():
    """Rates of both agree within four standard errors of their difference."""
    loop = epsilon.plain_loop(60, seed=8)
    batch = epsilon.study(2000, seed=8)
    for name in epsilon.TESTS:
        p, q = loop[name].mean(), batch[name].mean()
        pooled = max((60 * p + 2000 * q) / 2060, 1 / 2060)
        error = np.sqrt(pooled * (1 - pooled) * (1 / 60 + 1 / 2000))
        assert abs(p - q) <= 4 * error, name


def test_losses_have_the_error_rates_of_the_population():
    codes = epsilon.population(np.random.default_rng(2), 4000)
    half = epsilon.N // 2
    wrong_a, wrong_b = codes < 2, codes % 2 == 0
    error = np.sqrt(0.05 * 0.95 / (4000 * half))
    assert abs(wrong_a[:, :half].mean() - 0.05) < 4 * error
    assert abs(wrong_b[:, half:].mean() - 0.05) < 4 * error
    assert abs(wrong_a.mean() - wrong_b.mean()) < 8 * error


def test_every_test_of_the_study_is_registered():
    assert set(epsilon.TESTS) <= set(inference.tests())
