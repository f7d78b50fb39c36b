"""Every test from its formula in exact fractions: estimate, variance, statistic, p and interval.

The formulas are those of the sources named above each test; p-values and critical values come from
golden_plain. Nothing here calls the code under test for what it expects.
"""

from __future__ import annotations

import math
from fractions import Fraction as Q
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

import cvinfer.inference as ci
from tests.golden.golden_plain import (
    check_chi_squared,
    check_normal,
    check_score_interval,
    check_student,
    chi_squared_p,
    close,
    decimals,
    fisher_p,
    floats,
    mean,
    normal_critical,
    sample_variance,
    squares,
    student_critical,
    student_p,
)

D6 = decimals("0.031 0.052 0.018 0.044 0.027 0.039")
D10 = decimals("0.02 -0.01 0.03 0.04 0 0.05 0.01 0.02 -0.02 0.06")
D15 = [*D10, *decimals("0.03 0.01 -0.03 0.02 0.04")]
FIVE_BY_TWO = [
    decimals(row) for row in ("-.05 -.07", "-.04 -.09", "-.06 .03", ".08 -.05", ".02 .06")
]
THREE_BY_TWO = [decimals(row) for row in ("0.04 0.06", "0.05 0.09", "0.08 0.03")]


def array(rows: list[list[Q]]) -> Any:
    return np.array([floats(row) for row in rows])


def flat(rows: list[list[Q]]) -> list[Q]:
    return [value for row in rows for value in row]


def within(rows: list[list[Q]]) -> list[Q]:
    """s_j² = sum_k (d[j,k] - d̄_j)² of each replication."""
    return [squares(row) for row in rows]


# --- t-tests on folds and hold-outs ---------------------------------------------------------------


# Dietterich 1998: t = (d̄ - mu0)/√(S²/K), t(K - 1).
@pytest.mark.golden("kfold_t")
@pytest.mark.golden("repeated_holdout_t")
@pytest.mark.parametrize("mu0", [Q(0), Q("0.005"), Q("-0.01")])
def test_plain_t(mu0: Q) -> None:
    for function, d in ((ci.kfold_t, D10), (ci.kfold_t, D6), (ci.repeated_holdout_t, D15)):
        result = function(floats(d), mu0=float(mu0))
        check_student(result, mean(d), sample_variance(d) / len(d), len(d) - 1, mu0)


# Grandvalet and Bengio 2006, equation 9: variance S²/(K(1 - rho)).
@pytest.mark.golden("corrected_kfold_t")
@pytest.mark.parametrize("rho", [Q("0.7"), Q(0), Q("0.25"), Q("-0.5")])
def test_corrected_kfold_t(rho: Q) -> None:
    for d in (D10, D6):
        result = ci.corrected_kfold_t(floats(d), rho=float(rho))
        check_student(result, mean(d), sample_variance(d) / (len(d) * (1 - rho)), len(d) - 1)


# Wang et al. 2014, 5.3: rho = K rho1/(1 + (K - 1) rho1), rho1 the correlation of two folds.
@pytest.mark.golden("corrected_kfold_t")
@pytest.mark.parametrize("block_rho", [Q("0.5"), Q("0.1"), Q("-0.05")])
def test_corrected_kfold_t_by_block_correlation(block_rho: Q) -> None:
    k = len(D10)
    rho = k * block_rho / (1 + (k - 1) * block_rho)
    result = ci.corrected_kfold_t(floats(D10), block_rho=float(block_rho))
    check_student(result, mean(D10), sample_variance(D10) / (k * (1 - rho)), k - 1)
    close(result.extra["rho"], rho)


# Wang et al. 2014, 5.3 with its factor 2 put right: variance S²(1 + rho1)/(2(1 - rho1)), which is
# 1.5 S² at rho1 = 1/2.
@pytest.mark.golden("corrected_2fold_t")
def test_corrected_2fold_t() -> None:
    d = decimals("0.07 0.03")
    check_student(ci.corrected_2fold_t(floats(d)), mean(d), Q(3, 2) * sample_variance(d), 1)
    quarter = ci.corrected_2fold_t(floats(d), block_rho=0.25)
    check_student(quarter, mean(d), sample_variance(d) * Q(5, 4) / (2 * Q(3, 4)), 1)


# Nadeau and Bengio 2003: variance (1/J + n2/n1) S².
@pytest.mark.golden("corrected_repeated_holdout_t")
def test_corrected_repeated_holdout_t() -> None:
    result = ci.corrected_repeated_holdout_t(floats(D15), n_train=270, n_test=30, mu0=0.005)
    variance = (Q(1, 15) + Q(30, 270)) * sample_variance(D15)
    check_student(result, mean(D15), variance, 14, Q("0.005"))


# Bouckaert and Frank 2004: variance (1/(RK) + n2/n1) S² over all R·K differences.
@pytest.mark.golden("corrected_repeated_kfold_t")
def test_corrected_repeated_kfold_t() -> None:
    runs = [D10[:5], D10[5:], D15[10:]]
    result = ci.corrected_repeated_kfold_t(array(runs), n_train=80, n_test=20)
    variance = (Q(1, 15) + Q(20, 80)) * sample_variance(D15)
    check_student(result, mean(D15), variance, 14)


# Grandvalet and Bengio 2006: rho_alpha = 1 - (t_crit/t_0)²; the test rejects below it and not
# above it.
@pytest.mark.golden("rho_alpha")
@pytest.mark.golden("corrected_kfold_t")
@pytest.mark.parametrize("d", [D6, D10])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_rho_alpha(d: list[Q], alpha: float) -> None:
    k = len(d)
    t0_squared = mean(d) ** 2 / (sample_variance(d) / k)
    expected = 1 - student_critical(alpha, k - 1) ** 2 / float(t0_squared)
    bound = ci.rho_alpha(floats(d), alpha=alpha)
    close(bound, expected)
    assert -1 < bound < 1
    close(ci.corrected_kfold_t(floats(d), alpha=alpha).extra["rho_alpha"], expected)
    assert ci.corrected_kfold_t(floats(d), rho=bound - 1e-9, alpha=alpha).reject
    assert not ci.corrected_kfold_t(floats(d), rho=bound + 1e-9, alpha=alpha).reject


# --- 5×2 and 3×2 ----------------------------------------------------------------------------------


# Dietterich 1998: d[pick]/√(mean_j s_j²), t(5); the estimate is the mean of all ten.
@pytest.mark.golden("dietterich_5x2_t")
@pytest.mark.parametrize("pick", [(0, 0), (2, 1), (4, 1)])
def test_dietterich_5x2_t(pick: tuple[int, int]) -> None:
    d = FIVE_BY_TWO
    result = ci.dietterich_5x2_t(array(d), pick=pick, mu0=0.002)
    picked = d[pick[0]][pick[1]]
    check_student(result, picked, mean(within(d)), 5, Q("0.002"), estimate=mean(flat(d)))


# Yildiz 2013: (sum d/√10)/√(mean_j s_j²), t(5): the mean has variance mean_j s_j² / 10.
@pytest.mark.golden("combined_5x2_t")
def test_combined_5x2_t() -> None:
    d = FIVE_BY_TWO
    s2 = mean(within(d))
    result = ci.combined_5x2_t(array(d), mu0=0.002)
    check_student(result, mean(flat(d)), s2 / 10, 5, Q("0.002"), written=s2)
    shifted = [value - Q("0.002") for value in flat(d)]
    close(result.statistic, float(sum(shifted)) / math.sqrt(10) / math.sqrt(s2))


# Alpaydin 1999: (sum d²/10)/(mean_j s_j²), F(10, 5); Wang, Li and Li 2017: the same, F(7, 5).
@pytest.mark.golden("combined_5x2_f")
@pytest.mark.golden("calibrated_5x2_bcv_f")
@pytest.mark.parametrize("mu0", [Q(0), Q("-0.02")])
def test_five_by_two_f(mu0: Q) -> None:
    d = FIVE_BY_TWO
    s2 = mean(within(d))
    ratio = sum((value - mu0) ** 2 for value in flat(d)) / 10 / s2
    combined = ci.combined_5x2_f(array(d), mu0=float(mu0))
    calibrated = ci.calibrated_5x2_bcv_f(array(d), mu0=float(mu0))
    for result in (combined, calibrated):
        close(result.statistic, ratio)
        close(result.estimate, mean(flat(d)))
        close(result.variance, s2)
        assert result.interval() is None and result.null.family == "F"
    assert combined.df == (10, 5) and calibrated.df == (7, 5)
    # -.06, -.065, -.015, .015, .04: of both signs, so that a rejection would name nobody.
    for result in (combined, calibrated):
        means = result.extra["replication_means"]
        close(means, decimals("-.06 -.065 -.015 .015 .04"))
        close(means.mean(), result.estimate)
    close(combined.p_value, fisher_p(float(ratio), 10, 5))


# Between the two critical values 4.735 of F(10, 5) and 4.876 of F(7, 5) only the first rejects:
# d = 1 ± h in every replication has F = (1 + h²)/(2h²), which is 4.8 at h² = 1/8.6.
@pytest.mark.golden("combined_5x2_f")
@pytest.mark.golden("calibrated_5x2_bcv_f")
def test_five_by_two_f_decisions() -> None:
    h = 1 / math.sqrt(8.6)
    d = np.tile([1 + h, 1 - h], (5, 1))
    combined, calibrated = ci.combined_5x2_f(d), ci.calibrated_5x2_bcv_f(d)
    close((combined.statistic, calibrated.statistic), (4.8, 4.8))
    assert combined.reject and not calibrated.reject


# F(7, 5): P(F > x) is the incomplete beta integral, here with u = sin²(w), which makes the
# integrand 2 sin^4(w) cos^6(w)/B(5/2, 7/2), and Simpson's rule on 4,000 steps.
@pytest.mark.golden("calibrated_5x2_bcv_f")
def test_calibrated_f_tail_by_integration() -> None:
    result = ci.calibrated_5x2_bcv_f(array(FIVE_BY_TWO))
    end = math.asin(math.sqrt(5 / (5 + 7 * result.statistic)))
    steps = 4000
    heights = [
        (math.sin(end * i / steps) ** 4) * (math.cos(end * i / steps) ** 6)
        for i in range(steps + 1)
    ]
    simpson = heights[0] + heights[-1] + 4 * sum(heights[1::2]) + 2 * sum(heights[2:-1:2])
    beta = math.gamma(2.5) * math.gamma(3.5) / math.gamma(6)
    close(result.p_value, 2 * simpson * end / steps / 3 / beta)


# Wang et al. 2014, 4.3: lambda = 2/3 is the sum of squares about d̄ over 6, t(5).
@pytest.mark.golden("blocked_3x2_t")
def test_blocked_3x2_t() -> None:
    d = THREE_BY_TWO
    check_student(ci.blocked_3x2_t(array(d)), mean(flat(d)), squares(flat(d)) / 6, 5)
    result = ci.blocked_3x2_t(array(d), mu0=0.01)
    check_student(result, mean(flat(d)), squares(flat(d)) / 6, 5, Q("0.01"))


# Wang et al. 2014, 4.1 and 4.2: lambda = 0 is the L estimator, sum_j s_j²/6, with 3 degrees
# of freedom; any other lambda adds lambda times the sample variance of the three means.
@pytest.mark.golden("blocked_3x2_t")
@pytest.mark.parametrize("lam, df", [(Q(0), 3), (Q(4, 3), 5), (Q(1, 5), 5)])
def test_blocked_3x2_t_with_another_lambda(lam: Q, df: int) -> None:
    d = THREE_BY_TWO
    variance = sum(within(d)) / 6 + lam * sample_variance([mean(row) for row in d])
    check_student(ci.blocked_3x2_t(array(d), lam=float(lam)), mean(flat(d)), variance, df)


# --- z-tests --------------------------------------------------------------------------------------


# Dietterich 1998: (p_A - p_B)/√(2 p̄(1 - p̄)/n2).
@pytest.mark.golden("proportion_z")
@pytest.mark.parametrize("table", [(30, 25, 9, 136), (12, 7, 15, 66)])
def test_proportion_z(table: tuple[int, int, int, int]) -> None:
    n00, n01, n10, n11 = table
    n = sum(table)
    check_pooled(ci.proportion_z(table), Q(n00 + n01, n), Q(n00 + n10, n), n)


# Wong 2015, theorem 3 and 5.2: the same from error rates and from leave-one-out error counts.
@pytest.mark.golden("wong_independent_z")
@pytest.mark.golden("loo_independent_z")
def test_independent_z() -> None:
    check_pooled(ci.wong_independent_z(0.25, 0.16, 300), Q(1, 4), Q(4, 25), 300)
    check_pooled(ci.loo_independent_z(11, 29, 87), Q(11, 87), Q(29, 87), 87)
    # Large samples have at least 5 wrong and 5 right of both.
    for errors, large in ((4, False), (5, True), (95, True), (96, False)):
        assert ci.loo_independent_z(errors, 50, 100).extra["large_sample"] == large
        assert ci.wong_independent_z(0.5, errors / 100, 100).extra["large_sample"] == large


def check_pooled(result: Any, rate_a: Q, rate_b: Q, n: int) -> None:
    pooled = (rate_a + rate_b) / 2
    check_normal(result, rate_a - rate_b, 2 * pooled * (1 - pooled) / n)
    close((result.extra["loss_a"], result.extra["loss_b"]), (rate_a, rate_b))


# Nadeau and Bengio 2003: variance sum_m (d̄_m - d̄_m^c)²/(2M).
@pytest.mark.golden("conservative_z")
def test_conservative_z() -> None:
    halves = [decimals(row) for row in ("0.03 0.01", "-0.02 0.01", "0.04 0.045", "0 0.02")]
    variance = sum((first - second) ** 2 for first, second in halves) / 8
    result = ci.conservative_z(floats(D15), array(halves), mu0=0.003)
    check_normal(result, mean(D15), variance, Q("0.003"))


# Bayle et al. 2020: sigma²_out the mean squared deviation of all n differences, sigma²_in the mean
# over folds of their sample variances; z = √n (d̄ - mu0)/sigma.
@pytest.mark.golden("cvci_z")
def test_cvci_z() -> None:
    loss_a = decimals("1 0 1 1 0 1 0.5 1 0 1 1 0.25")
    loss_b = decimals("0 0 1 0 0 0 0.25 1 0.5 0 1 0")
    d = [a - b for a, b in zip(loss_a, loss_b)]
    # Fold numbers in no order: record i is in fold i mod 3.
    number = [i % 3 for i in range(12)]
    out = ci.cvci_z(floats(loss_a), floats(loss_b), number, mu0=0.1)
    check_normal(out, mean(d), squares(d) / 12 / 12, Q("0.1"))
    inside = mean(sample_variance(d[fold::3]) for fold in range(3))
    close_in = ci.cvci_z(floats(loss_a), floats(loss_b), number, variance="in", mu0=0.1)
    check_normal(close_in, mean(d), inside / 12, Q("0.1"))


# --- Wong -----------------------------------------------------------------------------------------


# Wong 2015, theorem 2 with the sign turned: d_j = (errors_A - errors_B)/n_j, t(K - 1).
@pytest.mark.golden("wong_matched_t")
def test_wong_matched_t() -> None:
    a, b, n = [12, 9, 14, 11, 10], [9, 10, 9, 7, 8], [40, 40, 40, 41, 41]
    d = [Q(x - y, size) for x, y, size in zip(a, b, n)]
    result = ci.wong_matched_t(a, b, n)
    check_student(result, mean(d), sample_variance(d) / 5, 4)
    assert result.extra["large_sample"]
    # Four errors in one fold of B: the fold is reported, and counted all the same.
    b[2] = 4
    d = [Q(x - y, size) for x, y, size in zip(a, b, n)]
    result = ci.wong_matched_t(a, b, n)
    check_student(result, mean(d), sample_variance(d) / 5, 4)
    assert result.extra["large_folds"].tolist() == [True, True, False, True, True]


# Wong 2015, 4.2 with the square root that the print lacks and the degrees of freedom of Welch
# and Satterthwaite.
@pytest.mark.golden("wong_welch_t")
def test_wong_welch_t() -> None:
    a, b = [Q(x, 40) for x in (12, 9, 14, 11, 10)], [Q(x, 25) for x in (7, 6, 8, 5, 9, 6, 4, 8)]
    share_a, share_b = sample_variance(a) / 5, sample_variance(b) / 8
    variance = share_a + share_b
    df = variance**2 / (share_a**2 / 4 + share_b**2 / 7)
    result = ci.wong_welch_t(floats(a), floats(b))
    close(result.estimate, mean(a) - mean(b))
    close(result.variance, variance)
    close(result.statistic, float(mean(a) - mean(b)) / math.sqrt(variance))
    close(result.df, df)
    # Its p lies between those of the whole degrees of freedom on either side.
    low, high = (student_p(result.statistic, int(df) + up) for up in (1, 0))
    assert low < result.p_value < high
    assert not result.reject and ci.wong_welch_t(floats(a), floats(b), mu0=0.2).reject


# Wong 2015, theorem 4 with the square that s_y² lacks in print: t(n - 1).
@pytest.mark.golden("loo_matched_t")
def test_loo_matched_t() -> None:
    y = [1] * 9 + [0] * 20 + [-1] * 4
    result = ci.loo_matched_t(y)
    check_student(result, mean(y), sample_variance(y) / 33, 32)
    assert not result.extra["large_sample"] and result.extra["outcomes"].tolist() == [4, 20, 9]


# --- McNemar --------------------------------------------------------------------------------------


def corrected(distance: Q, correction: Q, continuity: str) -> Q:
    """|n01 - n10| less its correction: clipped at 0, as printed, or not at all."""
    if continuity == "none":
        return abs(distance)
    left = abs(distance) - correction
    return max(left, Q(0)) if continuity == "clipped" else left


CONTINUITY = ("clipped", "printed", "none")


# McNemar 1947: (|n01 - n10| - 1)²/(n01 + n10); exact p = 2 P(X <= min), X ~ B(n01 + n10, 1/2).
@pytest.mark.golden("holdout_mcnemar")
@pytest.mark.parametrize("continuity", CONTINUITY)
@pytest.mark.parametrize("table", [(50, 8, 4, 38), (30, 9, 25, 136), (5, 7, 7, 21), (5, 3, 4, 8)])
def test_holdout_mcnemar(table: tuple[int, int, int, int], continuity: str) -> None:
    _, n01, n10, _ = table
    total = n01 + n10
    statistic = corrected(Q(n01 - n10), Q(1), continuity) ** 2 / total
    result = ci.holdout_mcnemar(table, continuity=continuity)
    check_chi_squared(result, Q(n01 - n10, sum(table)), statistic, 1)
    check_score_interval(result, Q(n01), Q(n10), Q(sum(table)), int(continuity != "none"))
    tail = 2 * Q(sum(comb(total, i) for i in range(min(n01, n10) + 1)), 2**total)
    close(result.extra["p_exact"], min(tail, Q(1)))


# The printed correction overshoots where |n01 - n10| < 1: equal counts give 1/(n01 + n10), not 0.
@pytest.mark.golden("holdout_mcnemar")
def test_printed_correction_on_equal_counts() -> None:
    close(ci.holdout_mcnemar((5, 7, 7, 21), continuity="printed").statistic, Q(1, 14))
    assert ci.holdout_mcnemar((5, 7, 7, 21)).statistic == 0.0


# Yang et al. 2023, equation 5: the sum of the fold statistics, chi-squared(K); a fold without
# discordant records adds 0 and is no degree of freedom of p_informative.
@pytest.mark.golden("naive_kfold_mcnemar")
@pytest.mark.parametrize("continuity", CONTINUITY)
def test_naive_kfold_mcnemar(continuity: str) -> None:
    tables = [(10, 9, 2, 19), (10, 6, 6, 18), (12, 0, 0, 28), (10, 4, 10, 16), (8, 11, 3, 18)]
    statistic = sum(
        corrected(Q(n01 - n10), Q(1), continuity) ** 2 / (n01 + n10)
        for _, n01, n10, _ in tables
        if n01 + n10
    )
    estimate = mean(Q(n01 - n10, 40) for _, n01, n10, _ in tables)
    result = ci.naive_kfold_mcnemar(tables, continuity=continuity)
    check_chi_squared(result, estimate, statistic, 5)
    assert result.interval() is None
    close(result.extra["p_informative"], chi_squared_p(float(statistic), 4))


def bcv_tables(m: int, seed: int) -> list[list[list[int]]]:
    """m × 2 tables of 150 records each from a small congruential generator."""
    state, tables = seed, []
    for _ in range(m):
        pair = []
        for _ in range(2):
            state = (1103515245 * state + 12345) % 2**31
            n01, n10 = 8 + state // 65536 % 9, 3 + state // 1024 % 7
            n00 = 20 + state // 4096 % 5
            pair.append([n00, n01, n10, 150 - n00 - n01 - n10])
        tables.append(pair)
    return tables


# Yang et al. 2023, equations 13 to 15, for general m: the effective table is t times the mean
# table with t = 2m/(1 + rho1 + 2(m - 1) rho2), and McNemar's statistic is taken on it.
@pytest.mark.golden("bcv_5x2_mcnemar")
@pytest.mark.golden("effective_table")
@pytest.mark.parametrize("continuity", CONTINUITY)
@pytest.mark.parametrize(
    "m, rho1, rho2, factor",
    [
        (5, Q(1, 2), Q(1, 2), Q(20, 11)),
        (3, Q(1, 2), Q(1, 2), Q(12, 7)),
        (7, Q(1, 10), Q(2, 5), Q(14) / (Q(11, 10) + 12 * Q(2, 5))),
    ],
)
def test_bcv_mcnemar(m: int, rho1: Q, rho2: Q, factor: Q, continuity: str) -> None:
    tables = bcv_tables(m, seed=m)
    every = [table for pair in tables for table in pair]
    average = [mean(column) for column in zip(*every)]
    effective = [factor * count for count in average]
    _, n01, n10, _ = effective
    statistic = corrected(n01 - n10, Q(1), continuity) ** 2 / (n01 + n10)
    options = {"rho1": float(rho1), "rho2": float(rho2)}
    result = ci.bcv_5x2_mcnemar(tables, continuity=continuity, **options)
    check_chi_squared(result, (average[1] - average[2]) / 150, statistic, 1)
    check_score_interval(result, n01, n10, factor * 150, int(continuity != "none"))
    close(result.extra["effective_table"], effective)
    close(result.extra["n_effective"], factor * 150)
    close(ci.effective_table(tables, **options), effective)


# Where |n̄01 - n̄10| = 1/10 < 1/t = 11/20 the printed correction overshoots to
# (20/11)(9/20)²/(n̄01 + n̄10) = (81/220)/14.1 and the clipped one gives 0.
@pytest.mark.golden("bcv_5x2_mcnemar")
def test_bcv_mcnemar_below_its_correction() -> None:
    tables = np.tile([20, 7, 7, 116], (5, 2, 1))
    tables[0, 0] = [20, 8, 7, 115]
    printed = ci.bcv_5x2_mcnemar(tables, continuity="printed")
    # 1/10 is 7.1 - 7.0 in floating point: 1e-13 of it is lost, and twice that in the square.
    close(printed.statistic, Q(81, 220) / Q("14.1"), rtol=1e-11)
    clipped = ci.bcv_5x2_mcnemar(tables)
    assert clipped.statistic == 0.0 and clipped.p_value == 1.0 and not clipped.degenerate


# Tango 1998 at the edges, where T has a simple form. Without discordant records p̃ = 0 for δ >= 0
# and T = (Nδ - κ)²/(Nδ(1 - δ)): with κ = 0 the ends are ±z²/(N + z²), with κ = 1 they are the
# larger root of (N² + Nz²)δ² - (2N + Nz²)δ + 1 = 0. With b = N it is T = N(1 - δ)/(1 + δ) for
# κ = 0, so that the interval is [(N - z²)/(N + z²), 1].
@pytest.mark.golden("holdout_mcnemar")
@pytest.mark.parametrize("n", [1, 2, 3, 57, 10_000_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_score_interval_at_the_edges(n: int, level: float) -> None:
    z = normal_critical(1 - level)
    end = z**2 / (n + z**2)
    alike = ci.holdout_mcnemar((n, 0, 0, 0), continuity="none")
    assert alike.degenerate and not alike.reject
    close(alike.interval(level), (-end, end))
    square, half = n**2 + n * z**2, 2 * n + n * z**2
    corrected_end = (half + math.sqrt(half**2 - 4 * square)) / (2 * square)
    for continuity in ("clipped", "printed"):
        ends = ci.holdout_mcnemar((0, 0, 0, n), continuity=continuity).interval(level)
        close(ends, (-corrected_end, corrected_end))
    apart = ci.holdout_mcnemar((0, n, 0, 0), continuity="none")
    close(apart.interval(level), ((n - z**2) / (n + z**2), 1.0))
    other = ci.holdout_mcnemar((0, 0, n, 0), continuity="none")
    close(other.interval(level), (-1.0, -(n - z**2) / (n + z**2)))


# Yang et al. 2023, lemma 2 and corollary 1 (its table 2 with the misprints of r, q_a and Q_a put
# right): Beta posteriors, whose modes at prior 1 are E = (n01 + n10)/n, R = n01/(n01 + n10),
# Q_a = n01/(n01 + n11), Q_b = n00/(n00 + n10). For whole a and b, P(Be(a, b) > 1/2) is
# P(X < a), X ~ B(a + b - 1, 1/2).
@pytest.mark.golden("table_posteriors")
@pytest.mark.parametrize("table", [(30, 25, 9, 136), (5, 3, 4, 8), (0, 2, 0, 0), (3, 0, 1, 0)])
@pytest.mark.parametrize("prior", [1, 2])
def test_table_posteriors(table: tuple[int, int, int, int], prior: int) -> None:
    n00, n01, n10, n11 = table
    found = ci.table_posteriors(table, prior=prior)
    counted = {
        "e": (n01 + n10, n00 + n11),
        "r": (n01, n10),
        "q_a": (n01, n11),
        "q_b": (n00, n10),
    }
    assert set(found) == {*counted, "p_a_worse"}
    for name, (hits, misses) in counted.items():
        a, b = hits + prior, misses + prior
        got = found[name]
        assert set(got) == {"a", "b", "mode", "mean"}
        assert (got["a"], got["b"]) == (a, b)
        close(got["mean"], Q(a, a + b))
        if a + b > 2:
            close(got["mode"], Q(a - 1, a + b - 2))
        else:
            assert np.isnan(got["mode"])
    a, b = n01 + prior, n10 + prior
    below = sum(comb(a + b - 1, i) for i in range(a))
    close(found["p_a_worse"], Q(below, 2 ** (a + b - 1)))


# Var[E_e] (Yang et al. 2023, table 6), E_e = (n01 + n10)/n of the mean table. Every record of a
# 2×2 set of halves is tested twice, so that E_e is the share of records on which A and B disagree:
# over all 3^4 equally likely outcomes of four records, agreeing with probability 1/3, its variance
# is that of a binomial share, (2/3)(1/3)/4, with divisor 80 instead of 81.
@pytest.mark.golden("disagreement_variance")
def test_disagreement_variance() -> None:
    halves = [((0, 1), (2, 3)), ((0, 2), (1, 3))]
    runs = []
    for outcome in product(range(3), repeat=4):
        # 0 both right, 1 only A wrong, 2 only B wrong.
        rows = [
            [[0, *(sum(outcome[i] == kind for i in half) for kind in (1, 2, 0))] for half in pair]
            for pair in halves
        ]
        runs.append(rows)
    close(ci.disagreement_variance(runs), Q(2, 9) / 4 * Q(81, 80))
    shares = [Q(sum(kind > 0 for kind in outcome), 4) for outcome in product(range(3), repeat=4)]
    close(ci.disagreement_variance(runs), sample_variance(shares))
    two = ci.disagreement_variance([runs[:9], runs[72:]])
    close(two, [sample_variance(shares[:9]), sample_variance(shares[72:])])


# Folds that are negatively correlated: rho = K ρ1/(1 + (K - 1) ρ1) may lie far below -1. With K = 3
# and ρ1 = -2/5, rho = (-6/5)/(1/5) = -6 and the variance is S²/(3·7) = (1/100)/21; with K = 2 and
# ρ1 = -1/2 it is S² (1/2)/(2·3/2) = S²/6.
def test_negative_correlation_of_folds() -> None:
    three = ci.corrected_kfold_t([0.1, 0.2, 0.3], block_rho=-0.4)
    close(three.extra["rho"], Q(-6))
    close(three.variance, Q(1, 2100))
    two = ci.corrected_2fold_t([0.1, 0.3], block_rho=-0.5)
    close(two.variance, Q(2, 100) / 6)
