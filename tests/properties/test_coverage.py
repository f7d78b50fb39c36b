"""benchmarks/interval_coverage.py: its finite sums, and what the docs say of them."""

from __future__ import annotations

import epsilon
import interval_coverage as figures
import numpy as np
import pytest

from cvinfer import inference, partitions

pytestmark = pytest.mark.filterwarnings("error")


def drawn(n, replications, p_a, p_b):
    """Outcomes of records: 0 both wrong, 1 only A wrong, 2 only B wrong, 3 both right."""
    rng = np.random.default_rng(11)
    rest = 1.0 - p_a - p_b
    outcomes = rng.choice(4, p=[rest / 4, p_a, p_b, 3 * rest / 4], size=(replications, n))
    return outcomes.astype(np.int8), rng


@pytest.mark.parametrize("n, p_a, p_b", [(100, 0.225, 0.075), (300, 0.025, 0.025)])
def test_finite_sums_are_what_blocked_halves_give(n, p_a, p_b):
    only_a, only_b, chance = figures.trinomial(n, p_a, p_b)
    assert chance.sum() == pytest.approx(1.0, abs=1e-8)
    ends = inference.bcv_5x2_mcnemar(figures.halves_of(n, only_a, only_b)).interval()
    exact = figures.expected(ends, p_a - p_b, chance)
    codes, rng = drawn(n, 4000, p_a, p_b)
    result = inference.bcv_5x2_mcnemar(epsilon.blocked(codes, 5, rng))
    simulated = figures.simulated(result.interval(), p_a - p_b)
    # The standard error of the exact share: none was seen to miss where it is next to 1.
    error = np.sqrt(exact.share * (1 - exact.share) / 4000)
    assert abs(simulated.share - exact.share) < 4 * error
    assert simulated.length == pytest.approx(exact.length, rel=0.01)
    assert exact.share > 0.95


def test_f1_of_a_blocked_3x2_counts_half_of_the_records():
    codes, rng = drawn(200, 50, 0.1, 0.2)
    six = epsilon.blocked(codes, 3, rng)
    totals = np.stack([(codes == k).sum(axis=1) for k in range(4)], axis=-1)
    for counts, worth in (("average", 1 / 2), ("effective", 6 / 7)):
        found = inference.f1_beta_prime(six, counts=counts)
        same = inference.f1_beta_prime(worth * totals, split_axes=0)
        np.testing.assert_allclose(found.lower, same.lower, rtol=1e-12)
    folds = epsilon.count(codes, partitions.kfold(200, 10).sizes[:, 1])
    summed = inference.f1_beta_prime(folds, split_axes=1)
    np.testing.assert_allclose(summed.upper, inference.f1_beta_prime(totals, split_axes=0).upper)


def test_few_errors_on_few_records():
    """Docstring of f1_beta_prime: .902 with prior 1 and .956 with prior 1/2, case VI at n = 50."""
    _, *rows = figures.fixed_f1(("VI",), (50,))
    summed = {row[3]: row[-1].split(" | ")[0] for row in rows}
    assert summed == {"1": "0.902", "0.5": "0.956"}
    text = inference.f1_beta_prime.__doc__
    assert ".902 at λ = 1, .956 at λ = 1/2" in text
