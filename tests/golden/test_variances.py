"""Variance estimators, components and political ratios from their definitions."""

from __future__ import annotations

from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest

import cvinfer.inference as ci
from tests.golden.golden_plain import close, decimals, floats, mean, sample_variance, squares

THREE_BY_TWO = [decimals(row) for row in ("0.04 0.06", "0.05 0.09", "0.08 0.03")]
FIVE_BY_TWO = [
    decimals(row) for row in ("-.05 -.07", "-.04 -.09", "-.06 .03", ".08 -.05", ".02 .06")
]


def array(rows: Any) -> Any:
    return np.array([floats(row) for row in rows])


# Wang et al. 2014, equation 4.1: sum_j s_j²/6 at m = 3; for general m sum_j s_j²/(2m).
@pytest.mark.golden("l_estimator")
def test_l_estimator() -> None:
    three = sum(squares(row) for row in THREE_BY_TWO)
    close(ci.l_estimator(array(THREE_BY_TWO)), three / 6)
    # By hand: s_j² = 0.0002, 0.0008, 0.00125.
    close(ci.l_estimator(array(THREE_BY_TWO)), Q("0.00225") / 6)
    five = sum(squares(row) for row in FIVE_BY_TWO)
    close(ci.l_estimator(array(FIVE_BY_TWO)), five / 10)


# Equations 4.2 and 4.3: L + λ S² of the replication means; at λ = 2/3 the six squares about the
# mean over 6, for general m at λ = (m - 1)/m the 2m squares about the mean over 2m.
@pytest.mark.golden("al_estimator")
def test_al_estimator() -> None:
    every = [value for row in THREE_BY_TWO for value in row]
    close(ci.al_estimator(array(THREE_BY_TWO)), squares(every) / 6)
    between = sample_variance([mean(row) for row in THREE_BY_TWO])
    close(ci.al_estimator(array(THREE_BY_TWO), lam=4 / 3), Q("0.000375") + Q(4, 3) * between)
    close(ci.al_estimator(array(THREE_BY_TWO), lam=0.0), Q("0.000375"))
    every = [value for row in FIVE_BY_TWO for value in row]
    close(ci.al_estimator(array(FIVE_BY_TWO)), squares(every) / 10)
    close(ci.al_estimator(array(FIVE_BY_TWO), lam=4 / 5), squares(every) / 10)
    five = sum(squares(row) for row in FIVE_BY_TWO)
    between = sample_variance([mean(row) for row in FIVE_BY_TWO])
    close(ci.al_estimator(array(FIVE_BY_TWO), lam=12 / 25), five / 10 + Q(12, 25) * between)


# E(L) and E(AL) in exact fractions: a quadratic form q has the expectation sum_ab q_ab C_ab, its
# coefficients following from its values on unit vectors, q_ab = (q(a + b) - q(a) - q(b))/2. With
# Var(μ̂) = σ1²/(2m) (1 + ρ1 + 2(m - 1)ρ2), E(L)/Var is 1 at ρ1 = 0, ρ2 = 1/2 whatever m is
# (3/(2m²) Σ s_j² would have 3/m: .60 at m = 5, .27 at m = 11), and
# E(AL) = (1 - ρ1)/2 + λ((1 + ρ1)/2 - ρ2).
@pytest.mark.golden("l_estimator", "al_estimator", "mx2_variance")
@pytest.mark.parametrize("m", [2, 3, 5, 7, 11])
@pytest.mark.parametrize("rho1, rho2", [(Q(0), Q(1, 2)), (Q(1, 2), Q(1, 2)), (Q(1, 5), Q(3, 10))])
def test_expectations_of_l_and_al(m: int, rho1: Q, rho2: Q) -> None:
    known = covariance(m, Q(1), rho1, rho2)
    of_mean = sum(sum(row) for row in known) / (2 * m) ** 2
    close(ci.mx2_variance(1.0, float(rho1), float(rho2), m), of_mean)
    unit = np.eye(2 * m)
    pairs = (unit[:, None] + unit[None, :]).reshape(2 * m, 2 * m, m, 2)
    singles = unit.reshape(2 * m, m, 2)
    for estimator, expected in (
        (ci.l_estimator, (1 - rho1) / 2),
        (ci.al_estimator, (1 - rho1) / 2 + Q(m - 1, m) * ((1 + rho1) / 2 - rho2)),
        (lambda d: ci.al_estimator(d, lam=1.5), (1 - rho1) / 2 + Q(3, 2) * ((1 + rho1) / 2 - rho2)),
    ):
        alone = estimator(singles)
        form = (estimator(pairs) - alone[:, None] - alone[None, :]) / 2
        close(np.sum(form * np.array([floats(row) for row in known])), expected)
    if (rho1, rho2) == (Q(0), Q(1, 2)):
        assert of_mean == Q(1, 2)


# What is printed for m = 3 has not moved by a bit: 3/(2·9) and 1/(2·3) are the same number.
def test_the_estimators_of_the_3x2_to_the_last_bit() -> None:
    d = np.random.default_rng(8).normal(size=(500, 3, 2))
    within = (d[..., 0] - d[..., 1]) ** 2 / 2
    as_before = 1.5 / 3**2 * within.sum(axis=-1)
    assert np.array_equal(ci.l_estimator(d), as_before)
    between = d.mean(axis=-1).var(axis=-1, ddof=1)
    assert np.array_equal(ci.al_estimator(d), as_before + 2 / 3 * between)


def covariance(m: int, variance: Q, rho1: Q, rho2: Q) -> list[list[Q]]:
    """The covariance matrix of the 2m differences d[j,k] in the order j, k."""
    return [
        [variance * (1 if i == j else rho1 if i // 2 == j // 2 else rho2) for j in range(2 * m)]
        for i in range(2 * m)
    ]


# The variance of a mean is the sum of the covariance matrix over the squared count.
@pytest.mark.golden("mx2_variance")
@pytest.mark.parametrize("m", [1, 2, 3, 5, 7])
def test_mx2_variance(m: int) -> None:
    variance, rho1, rho2 = Q("0.002"), Q("0.1"), Q("0.4")
    total = sum(sum(row) for row in covariance(m, variance, rho1, rho2))
    close(ci.mx2_variance(0.002, 0.1, 0.4, m), total / (2 * m) ** 2)


# Wang et al. 2014, definition 1, from four runs of a 3×2: mean variance of one difference, mean
# covariance within a replication, mean covariance between replications, divisors runs - 1.
@pytest.mark.golden("variance_components")
def test_variance_components() -> None:
    runs = [
        [decimals(row) for row in rows]
        for rows in (
            ("0.04 0.06", "0.05 0.09", "0.08 0.03"),
            ("0.01 0.02", "0.03 -0.01", "0.02 0.04"),
            ("0.07 0.05", "0.09 0.08", "0.06 0.10"),
            ("-0.02 0.01", "0.00 0.03", "-0.03 0.02"),
        )
    ]

    def moment(one: tuple[int, int], two: tuple[int, int]) -> Q:
        x, y = ([run[j][k] for run in runs] for j, k in (one, two))
        return sum((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y)) / 3

    cells = [(j, k) for j in range(3) for k in range(2)]
    sigma1 = mean(moment(c, c) for c in cells)
    sigma2 = mean(moment((j, 0), (j, 1)) for j in range(3))
    sigma3 = mean(moment(c, e) for c in cells for e in cells if c[0] != e[0])
    parts = ci.variance_components(np.array([array(run) for run in runs]))
    close(parts, (sigma1, sigma2, sigma3, sigma2 / sigma1, sigma3 / sigma1))
    # And the pieces give back the variance of the mean over runs.
    means = [mean(value for row in run for value in row) for run in runs]
    close(ci.mx2_variance(parts.sigma1_sq, parts.rho1, parts.rho2, 3), sample_variance(means))


# --- Grandvalet and Bengio 2006 -------------------------------------------------------------------

RESIDUALS = decimals("1 0 -1 1 0.5 0 1 1 -0.5 0 1 0.25")
K, M, N = 3, 4, 12


# Equation 8 by its sums; θ1 = μ̂² (3.1), θ3 the sample variance of the fold means over K (3.3),
# θ4 the mean within-fold sample variance over n (3.4), θ5 the sample variance over n (3.5).
@pytest.mark.golden("theta_estimates")
def test_theta_estimates() -> None:
    e = RESIDUALS
    fold = [i // M for i in range(N)]
    pairs = [(i, j) for i in range(N) for j in range(N)]
    s1 = mean(x * x for x in e)
    s2 = mean(e[i] * e[j] for i, j in pairs if i != j and fold[i] == fold[j])
    s3 = mean(e[i] * e[j] for i, j in pairs if fold[i] != fold[j])
    found = ci.theta_estimates(floats(e), fold)
    close((found.s1, found.s2, found.s3), (s1, s2, s3))
    blocks = [e[k * M : (k + 1) * M] for k in range(K)]
    close(found.theta1, mean(e) ** 2)
    close(found.theta3, sample_variance([mean(block) for block in blocks]) / K)
    close(found.theta4, mean(sample_variance(block) for block in blocks) / N)
    close(found.theta5, sample_variance(e) / N)
    # θ2 as printed in table 1.
    close(found.theta2, s1 / N - Q(N + 1 - M, N) * s2 + Q(N - M, N) * s3)
    assert (found.n, found.m) == (N, M)


# The coefficients of s1, s2 and s3 add up to 0 in all but θ1, so a shift of every residual changes
# none of the others.
@pytest.mark.golden("theta_estimates")
@pytest.mark.parametrize("name", ["theta2", "theta3", "theta4", "theta5"])
def test_theta_estimates_ignore_a_shift(name: str) -> None:
    fold = np.arange(N) // M
    plain = ci.theta_estimates(floats(RESIDUALS), fold)
    shifted = ci.theta_estimates(floats(x - mean(RESIDUALS) for x in RESIDUALS), fold)
    close(getattr(shifted, name), getattr(plain, name), rtol=1e-11)


# Table 1 and the line below it. Residuals e = μ + Lz with LL' the covariance of lemma 1 have
# E θ̂ = θ̂(μ,...,μ) + the sum of θ̂ over the columns of L; the bias is that less
# θ = σ²/n + (m - 1)ω/n + (n - m)γ/n.
@pytest.mark.golden("theta_estimates")
def test_theta_biases() -> None:
    mu, sigma2, omega, gamma = 0.3, 1.7, 0.4, 0.25
    fold = np.arange(N) // M
    same = fold[:, None] == fold
    matrix = np.where(same, omega, gamma) + (sigma2 - omega) * np.eye(N)
    root = np.linalg.cholesky(matrix)
    spread = ci.theta_estimates(root.T, fold)
    centre = ci.theta_estimates(np.full(N, mu), fold)
    truth = matrix.sum() / N**2
    close(truth, sigma2 / N + (M - 1) * omega / N + (N - M) * gamma / N)
    biases = spread.biases(mu, omega, gamma)
    expected = {
        "theta1": mu**2,
        "theta2": -omega,
        "theta3": -gamma,
        "theta4": -M / N * omega - (N - M) / N * gamma,
        "theta5": -(M - 1) / (N - 1) * omega - (N - M) / (N - 1) * gamma,
    }
    assert biases.keys() == expected.keys()
    for name, bias in biases.items():
        close(bias, expected[name])
        by_columns = getattr(spread, name).sum() + getattr(centre, name) - truth
        close(bias, by_columns, rtol=1e-11)


# --- correlations ---------------------------------------------------------------------------------


# ρ = Cov(two folds)/Var(mean of K), ρ1 = Cov(two folds)/Var(one fold): with unit variances
# Var(mean) = (1 + (K - 1) ρ1)/K. Two folds at ρ1 = 1/2 have 1 - ρ = 1/3 (Wang et al. 2014,
# table 5); ρ = 0.7 of ten folds is ρ1 = 7/37.
@pytest.mark.golden("block_rho_to_rho")
@pytest.mark.golden("rho_to_block_rho")
@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("block", [Q(1, 2), Q(1, 10), Q(0), Q(-1, 20)])
def test_block_rho_to_rho(k: int, block: Q) -> None:
    of_mean = (k * Q(1) + k * (k - 1) * block) / k**2
    close(ci.block_rho_to_rho(float(block), k), block / of_mean)
    close(ci.rho_to_block_rho(float(block / of_mean), k), block)


@pytest.mark.golden("block_rho_to_rho")
@pytest.mark.golden("rho_to_block_rho")
def test_block_rho_of_the_papers() -> None:
    close(1 - ci.block_rho_to_rho(0.5, 2), Q(1, 3))
    close(ci.rho_to_block_rho(0.7, 10), Q(7, 37))
    close(ci.block_rho_to_rho(7 / 37, 10), Q(7, 10))


# --- political ratios -----------------------------------------------------------------------------


def columns(size: int, rho: float) -> Any:
    """Columns of a root of the covariance matrix with unit variances and correlation rho."""
    return np.linalg.cholesky(np.full((size, size), rho) + (1 - rho) * np.eye(size)).T


def mx2_columns(m: int, rho1: float, rho2: float) -> Any:
    matrix = array(covariance(m, Q(1), Q(str(rho1)), Q(str(rho2))))
    return np.linalg.cholesky(matrix).T.reshape(2 * m, m, 2)


# Var(μ̂)/E(σ̂²) by its definition: both are quadratic in the differences, so each expectation is a
# sum over the columns of a root of the covariance matrix, of μ̂² and of the squared denominator.
@pytest.mark.golden("political_ratio")
@pytest.mark.parametrize("rho1, rho2", [(0.3, 0.4), (0.1, 0.25), (-0.05, 0.0)])
def test_political_ratio_by_definition(rho1: float, rho2: float) -> None:
    ten, fifteen, two = columns(10, rho1), columns(15, rho1), columns(2, rho1)
    three, five = mx2_columns(3, rho1, rho2), mx2_columns(5, rho1, rho2)
    cases = [
        ("kfold_t", ci.kfold_t(ten), {"k": 10}),
        ("kfold_t", ci.kfold_t(two), {}),
        ("corrected_kfold_t", ci.corrected_kfold_t(ten), {"k": 10}),
        ("corrected_kfold_t", ci.corrected_kfold_t(ten, rho=0.2), {"k": 10, "rho": 0.2}),
        ("corrected_2fold_t", ci.corrected_2fold_t(two), {}),
        ("corrected_2fold_t", ci.corrected_2fold_t(two, block_rho=0.2), {"block_rho": 0.2}),
        ("repeated_holdout_t", ci.repeated_holdout_t(fifteen), {}),
        (
            "corrected_repeated_holdout_t",
            ci.corrected_repeated_holdout_t(fifteen, n_train=4, n_test=1),
            {"n_train": 4, "n_test": 1},
        ),
        ("dietterich_5x2_t", ci.dietterich_5x2_t(five), {}),
        ("combined_5x2_t", ci.combined_5x2_t(five), {}),
        ("blocked_3x2_t", ci.blocked_3x2_t(three), {}),
        ("blocked_3x2_t", ci.blocked_3x2_t(three, lam=0.0), {"lam": 0.0}),
        ("blocked_3x2_t", ci.blocked_3x2_t(three, lam=1.5), {"lam": 1.5}),
    ]
    for name, result, options in cases:
        centre = (result.interval()[0] + result.interval()[1]) / 2
        ratio = np.sum(centre**2) / np.sum(result.standard_error**2)
        close(ci.political_ratio(name, rho1, rho2, **options), ratio, rtol=1e-11)
    folds = ci.political_ratio("kfold_t", rho1, rho2, k=10)
    close(ci.political_ratio("wong_matched_t", rho1, rho2, k=10), folds)
