"""The F1 distribution, the variance estimators and the measures against other ways to them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, special, stats

from cvinfer import inference
from cvinfer.inference import F1Distribution
from tests.properties.drawn import assert_close, moderate, seeds

pytestmark = pytest.mark.filterwarnings("error")

shapes = st.floats(0.2, 3000.0)
#: A density that is bounded on (0, 1), so that plain quadrature can follow it.
bounded = st.one_of(st.floats(1.0, 20.0), st.floats(1.0, 2000.0))


def integral(posterior, function):
    """∫ function · density, cut where the density lives."""
    cuts = posterior.ppf(np.array([1e-15, 1e-6, 0.02, 0.5, 0.98, 1 - 1e-6]))
    ends = [0.0, *cuts, 1.0]
    parts = [
        integrate.quad(lambda t: function(t) * posterior.pdf(t), low, high, epsabs=1e-13)[0]
        for low, high in zip(ends, ends[1:])
        if high > low
    ]
    return math.fsum(parts)


@settings(deadline=None)
@given(a=shapes, b=shapes, q=st.floats(1e-9, 1 - 1e-9))
def test_cdf_of_ppf(a, b, q):
    posterior = F1Distribution(a, b)
    t = posterior.ppf(q)
    # Closer to an end the rounding of t itself moves the probability.
    assume(1e-6 < t < 1 - 1e-6)
    assert posterior.cdf(t) == pytest.approx(q, rel=1e-6, abs=1e-9)
    assert posterior.sf(t) == pytest.approx(1 - q, rel=1e-6, abs=1e-9)
    assert posterior.cdf(t) + posterior.sf(t) == pytest.approx(1.0, abs=1e-9)


@settings(deadline=None)
@given(a=shapes, b=shapes, q=st.floats(1e-6, 1 - 1e-6))
def test_quantiles_come_from_the_beta_prime(a, b, q):
    # F1_q = 1/(1 + B'_{1-q}/2), the source's own way to them.
    other = 1.0 / (1.0 + stats.betaprime(a, b).ppf(1 - q) / 2.0)
    assume(np.isfinite(other) and other > 1e-9)
    assert F1Distribution(a, b).ppf(q) == pytest.approx(other, rel=1e-5)


@moderate
@given(a=bounded, b=bounded)
def test_density_integrates_to_one_and_to_the_cdf(a, b):
    posterior = F1Distribution(a, b)
    assert integral(posterior, lambda t: 1.0) == pytest.approx(1.0, abs=1e-8)
    low, high = posterior.ppf(np.array([0.2, 0.7]))
    inside = integrate.quad(posterior.pdf, low, high)[0]
    assert inside == pytest.approx(0.5, abs=1e-8)
    assert posterior.pdf(-0.1) == posterior.pdf(1.1) == 0.0


@settings(deadline=None)
@given(a=st.floats(1.001, 3000.0), b=st.floats(1.0, 3000.0))
def test_mode_maximises_the_density(a, b):
    posterior = F1Distribution(a, b)
    mode = posterior.mode()
    assert 0.0 <= mode <= 1.0
    grid = np.concatenate(
        [np.linspace(1e-6, 1 - 1e-6, 2001), posterior.ppf(np.linspace(0, 1, 501))]
    )
    grid = grid[(grid > 0) & (grid < 1)]
    at_mode = posterior.logpdf(np.clip(mode, 1e-12, 1 - 1e-12))
    assert (posterior.logpdf(grid) <= at_mode + 1e-7).all()


@settings(deadline=None)
@given(
    a=st.one_of(st.just(1.0), st.floats(0.1, 0.9)),
    b=st.one_of(st.floats(0.1, 0.9), st.floats(1.0, 50.0)),
)
def test_mode_at_an_end(a, b):
    # The density grows without bound towards an end, or is largest there.
    mode = F1Distribution(a, b).mode()
    density = F1Distribution(a, b).pdf(np.array([1e-300, 1 - 1e-15]))
    if a < 1 and b < 1:
        assert np.isnan(mode)
    else:
        assert mode == float(np.argmax(density))


@pytest.mark.parametrize(
    "a, b, mode", [(1, 0.5, 0), (1, 1, 1), (2, 0.5, 0), (0.5, 1, 1), (2, 1, 0.5)]
)
def test_mode_in_the_corners(a, b, mode):
    assert F1Distribution(float(a), b).mode() == mode


@moderate
@given(a=bounded, b=bounded, r=st.sampled_from([1, 2, 3, 0.5, 7]))
def test_moments_are_integrals(a, b, r):
    posterior = F1Distribution(a, b)
    assert posterior.moment(r) == pytest.approx(integral(posterior, lambda t: t**r), rel=1e-7)


@moderate
@given(a=st.floats(0.3, 40.0), b=st.floats(0.3, 40.0), r=st.integers(1, 5))
def test_moments_are_the_printed_ones(a, b, r):
    printed = (
        2.0**-b
        * math.exp(special.betaln(b + r, a) - special.betaln(a, b))
        * special.hyp2f1(a + b, b + r, a + b + r, 0.5)
    )
    assert F1Distribution(a, b).moment(r) == pytest.approx(printed, rel=1e-8)


@moderate
@given(a=bounded, b=bounded)
def test_mean_variance_and_skewness_follow_from_moments(a, b):
    posterior = F1Distribution(a, b)
    mean, var = posterior.mean(), posterior.var()
    assert posterior.moment(0) == pytest.approx(1.0)
    assert mean == pytest.approx(posterior.moment(1))
    assert var == pytest.approx(integral(posterior, lambda t: (t - mean) ** 2), rel=1e-6)
    assert posterior.std() == pytest.approx(math.sqrt(var))
    sk1, sk2 = posterior.skewness()
    third = integral(posterior, lambda t: ((t - mean) / math.sqrt(var)) ** 3)
    assert sk1 == pytest.approx(third, rel=1e-5, abs=1e-6)
    assert sk2 == pytest.approx((mean - posterior.mode()) / math.sqrt(var), abs=1e-9)
    assert posterior.cdf(posterior.median()) == pytest.approx(0.5)


@moderate
@given(a=hnp.arrays(float, (3,), elements=shapes), b=hnp.arrays(float, (3,), elements=shapes))
def test_the_distribution_takes_arrays(a, b):
    many = F1Distribution(a, b)
    for i in range(3):
        one = F1Distribution(a[i], b[i])
        for method in ("mode", "mean", "var", "median"):
            np.testing.assert_allclose(getattr(many, method)()[i], getattr(one, method)())
        assert_close(many.pdf(0.4)[i], one.pdf(0.4))
        assert_close(np.array(many.interval(0.9))[:, i], one.interval(0.9))


@moderate
@given(seed=seeds)
def test_f1_is_a_function_of_precision_and_recall_draws(seed):
    # F1 = 2P/(1 + P) with P ~ Beta(b, a): quantiles of the draws near those of the distribution.
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(2, 30, 2)
    p = rng.beta(b, a, 4000)
    share = np.mean(2 * p / (1 + p) <= F1Distribution(a, b).ppf(0.3))
    assert abs(share - 0.3) < 6 * math.sqrt(0.21 / 4000)


# --- measures ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(data=st.data(), runs=st.integers(2, 60))
def test_replicability_counts_agreeing_pairs(data, runs):
    rejections = data.draw(st.integers(0, runs))
    outcomes = [1] * rejections + [0] * (runs - rejections)
    pairs = list(itertools.combinations(outcomes, 2))
    by_hand = sum(x == y for x, y in pairs) / len(pairs)
    got = inference.replicability(rejections, runs)
    assert got == pytest.approx(by_hand)
    assert got == pytest.approx(inference.replicability(runs - rejections, runs))
    # Least where half of the runs reject: just under one half, 0.4949 at 100 runs.
    least = (runs // 2 * (runs // 2 - 1) + -(-runs // 2) * (-(-runs // 2) - 1)) / (
        runs * (runs - 1)
    )
    assert least - 1e-12 <= got <= 1.0


@moderate
@given(counts=hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 100)))
def test_replicability_is_averaged_over_data_sets(counts):
    got = inference.replicability(counts, 100)
    assert_close(got, [np.mean([inference.replicability(k, 100) for k in row]) for row in counts])
    assert ((got >= 0.494) & (got <= 1)).all()


@settings(deadline=None)
@given(k=st.integers(2, 100), block_rho=st.floats(0.0, 0.999))
def test_block_rho_and_back(k, block_rho):
    rho = inference.block_rho_to_rho(block_rho, k)
    assert block_rho <= rho + 1e-12 and rho < 1.0
    assert inference.rho_to_block_rho(rho, k) == pytest.approx(block_rho, abs=1e-9)
    # rho is the covariance of two folds over the variance of their mean.
    mean_variance = (1 + (k - 1) * block_rho) / k
    assert rho == pytest.approx(block_rho / mean_variance)


@moderate
@given(reject=hnp.arrays(np.bool_, (40, 3)))
def test_rates_and_their_errors(reject):
    rate, error = inference.rejection_rate(reject)
    assert_close(rate, reject.sum(axis=0) / 40)
    assert_close(error, np.sqrt(rate * (1 - rate) / 40))
    truth = 0.5
    lower, upper = np.where(reject, 0.2, 0.6), np.where(reject, 0.7, 0.9)
    assert_close(inference.degree_of_confidence(lower, upper, truth).rate, rate)
    assert_close(inference.interval_length(lower, upper), np.mean(upper - lower, axis=0))


@moderate
@given(x=hnp.arrays(np.int64, (3, 9), elements=st.integers(-9, 9)), mode=st.floats(-2, 2))
def test_sample_skewness(x, mode):
    assume((np.ptp(x, axis=-1) > 0).all())
    sk1, sk2 = inference.skewness(x, mode)
    assert_close(sk1, stats.skew(x, axis=-1, bias=False))
    assert_close(sk2, (x.mean(axis=-1) - mode) / x.std(axis=-1, ddof=1))


# --- variances ---------------------------------------------------------------------------------


@moderate
@given(d=hnp.arrays(np.int64, (4, 3, 2), elements=st.integers(-9, 9)), lam=st.floats(0, 3))
def test_al_estimator_of_the_3x2(d, lam):
    d = d / 10
    centre = d.mean(axis=(-2, -1), keepdims=True)
    assert_close(inference.al_estimator(d), np.sum((d - centre) ** 2, axis=(-2, -1)) / 6)
    assert_close(inference.al_estimator(d, 0), inference.l_estimator(d))
    within = np.sum((d - d.mean(axis=-1, keepdims=True)) ** 2, axis=(-2, -1))
    assert_close(inference.l_estimator(d), within / 6)
    between = np.var(d.mean(axis=-1), axis=-1, ddof=1)
    assert_close(inference.al_estimator(d, lam), within / 6 + lam * between)


@moderate
@given(seed=seeds, m=st.integers(2, 9))
def test_al_estimator_is_the_spread_of_all_halves(seed, m):
    d = np.random.default_rng(seed).normal(size=(4, m, 2))
    spread = d.reshape(4, 2 * m).var(axis=-1)
    assert_close(inference.al_estimator(d), spread)
    assert_close(inference.al_estimator(d, (m - 1) / m), spread)
    assert (inference.l_estimator(d) <= spread + 1e-15).all()


@moderate
@given(seed=seeds, m=st.integers(2, 5))
def test_variance_components_are_covariances(seed, m):
    d = np.random.default_rng(seed).normal(size=(7, m, 2))
    parts = inference.variance_components(d)
    covariance = np.cov(d.reshape(7, 2 * m), rowvar=False)
    pairs = list(itertools.combinations(range(2 * m), 2))
    inside = [covariance[i, j] for i, j in pairs if i // 2 == j // 2]
    across = [covariance[i, j] for i, j in pairs if i // 2 != j // 2]
    assert_close(parts.sigma1_sq, np.mean(np.diag(covariance)))
    assert_close(parts.sigma2_sq, np.mean(inside))
    assert_close(parts.sigma3_sq, np.mean(across))
    total = inference.mx2_variance(parts.sigma1_sq, parts.rho1, parts.rho2, m)
    assert_close(total, np.var(d.mean(axis=(-2, -1)), ddof=1))


@moderate
@given(seed=seeds, k=st.integers(2, 5), m=st.integers(2, 4))
def test_theta_estimates_are_means_of_products(seed, k, m):
    rng = np.random.default_rng(seed)
    n = k * m
    e, folds = rng.normal(size=n), rng.permutation(np.arange(n) % k)
    theta = inference.theta_estimates(e, folds)
    pairs = list(itertools.combinations(range(n), 2))
    assert (theta.n, theta.m) == (n, m)
    assert_close(theta.s1, np.mean(e**2))
    assert_close(theta.s2, np.mean([e[i] * e[j] for i, j in pairs if folds[i] == folds[j]]))
    assert_close(theta.s3, np.mean([e[i] * e[j] for i, j in pairs if folds[i] != folds[j]]))
    means = [e[folds == fold].mean() for fold in range(k)]
    assert_close(theta.theta1, e.mean() ** 2)
    assert_close(theta.theta3, np.var(means, ddof=1) / k)
    assert_close(theta.theta5, np.var(e, ddof=1) / n)


@moderate
@given(rho1=st.floats(0, 0.9), rho2=st.floats(0, 0.9))
def test_political_ratio_is_one_where_the_assumed_correlation_holds(rho1, rho2):
    ratio = inference.political_ratio
    assert ratio("corrected_2fold_t", rho1, block_rho=rho1) == pytest.approx(1.0)
    rho = inference.block_rho_to_rho(rho1, 10)
    assert ratio("corrected_kfold_t", rho1, k=10, rho=rho) == pytest.approx(1.0)
    assert ratio("kfold_t", rho1, k=10) >= 1.0
    assert ratio("kfold_t", 0.0, k=10) == 1.0
    # Nadeau and Bengio's correction is that of a correlation n2/(n1 + n2) between hold-outs.
    assert ratio("corrected_repeated_holdout_t", 0.1) == pytest.approx(1.0)
    # AL overestimates the variance only below this bound.
    assume(abs(rho1 + 4 * rho2 - 2) > 1e-9)
    assert (ratio("blocked_3x2_t", rho1, rho2) < 1) == (rho1 + 4 * rho2 < 2)


# --- posteriors of a table ----------------------------------------------------------------------

counts = hnp.arrays(np.float64, (6, 4), elements=st.integers(0, 40).map(lambda i: i / 4))


@moderate
@given(table=counts, prior=st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_posteriors_of_a_batch_are_those_of_its_tables(table, prior):
    found = inference.table_posteriors(table, prior=prior)
    for row, entries in enumerate(table):
        single = inference.table_posteriors(entries, prior=prior)
        assert single["p_a_worse"] == found["p_a_worse"][row]
        for name in ("e", "r", "q_a", "q_b"):
            for key, value in single[name].items():
                np.testing.assert_equal(found[name][key][row], value)


@moderate
@given(table=counts, prior=st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_posteriors_know_no_first_learner(table, prior):
    one = inference.table_posteriors(table, prior=prior)
    other = inference.table_posteriors(table[:, [0, 2, 1, 3]], prior=prior)
    assert_close(other["p_a_worse"], 1.0 - one["p_a_worse"])
    assert_close(other["r"]["mean"], 1.0 - one["r"]["mean"])
    assert_close(other["r"]["mode"], 1.0 - one["r"]["mode"])
    assert_close(other["e"]["mean"], one["e"]["mean"])
    excess = one["p_a_worse"] - 0.5
    assert (np.sign(np.where(np.abs(excess) < 1e-12, 0, excess)) == sign_of_difference(table)).all()


def sign_of_difference(table):
    return np.sign(table[:, 1] - table[:, 2])


@moderate
@given(table=counts, prior=st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_modes_are_peaks_of_the_density(table, prior):
    found = inference.table_posteriors(table, prior=prior)
    x = np.linspace(0.0005, 0.9995, 1000)
    for name in ("e", "r", "q_a", "q_b"):
        a, b, mode = (found[name][key] for key in ("a", "b", "mode"))
        density = stats.beta.logpdf(x[:, None], a, b)
        peak = x[density.argmax(axis=0)]
        known = ~np.isnan(mode)
        assert (np.abs(peak - mode)[known] <= 0.001).all()
        # No single peak: flat, or rising towards both ends.
        assert ((np.maximum(a, b) < 1) | ((a == 1) & (b == 1)))[~known].all()


@pytest.mark.parametrize("wrong", [(1, 2, 3), (1, -1, 2, 3), (1, np.nan, 2, 3), "abcd"])
def test_posteriors_of_no_table(wrong):
    with pytest.raises(inference.InputError, match="table must"):
        inference.table_posteriors(wrong)
    for prior in (0.0, -1.0, np.nan, [1.0, 2.0]):
        with pytest.raises(inference.InputError, match="prior must be"):
            inference.table_posteriors((1, 2, 3, 4), prior=prior)


@moderate
@given(seed=seeds, scale=st.integers(2, 5))
def test_disagreement_variance_is_that_of_a_share(seed, scale):
    rng = np.random.default_rng(seed)
    tables = rng.integers(0, 9, (7, 3, 2, 4))
    tables[..., 0] += 1
    value = inference.disagreement_variance(tables)
    assert_close(inference.disagreement_variance(tables * scale), value)
    assert_close(inference.disagreement_variance(tables[..., [3, 2, 1, 0]]), value)
    assert_close(inference.disagreement_variance(tables[..., [1, 0, 3, 2]]), value)
    assert_close(inference.disagreement_variance(np.repeat(tables[:1], 4, axis=0)), 0.0)
    assert 0 <= value <= 0.25 * 7 / 6
    with pytest.raises(inference.ShapeError, match="runs at least 2"):
        inference.disagreement_variance(tables[:1])
