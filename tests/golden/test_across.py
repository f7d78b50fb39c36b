"""Tests across data sets and Bayesian readings against R, closed forms and baycomp's rule.

R 4.2.2 made the numbers by the code above each; `v` is VALUES. PMCMRplus and scmamp do not install
there, so that Nemenyi's test is R's own qtukey and ptukey at infinite df, which are good to about
nine digits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cvinfer.inference as ci
from tests.golden.golden_plain import close

# v <- matrix(c(.21,.18,.25,.30, .10,.12,.11,.10, .33,.30,.35,.36, .05,.05,.07,.09,
#   .42,.40,.39,.45, .15,.17,.16,.20, .28,.22,.29,.31, .09,.08,.12,.12), 8, 4, byrow = TRUE)
VALUES = np.array(
    [
        [0.21, 0.18, 0.25, 0.30],
        [0.10, 0.12, 0.11, 0.10],
        [0.33, 0.30, 0.35, 0.36],
        [0.05, 0.05, 0.07, 0.09],
        [0.42, 0.40, 0.39, 0.45],
        [0.15, 0.17, 0.16, 0.20],
        [0.28, 0.22, 0.29, 0.31],
        [0.09, 0.08, 0.12, 0.12],
    ]
)
D10 = [0.02, -0.01, 0.03, 0.04, 0.0, 0.05, 0.01, 0.02, -0.02, 0.06]


# f <- friedman.test(v); c(f$statistic, f$parameter, f$p.value); two rows have ties.
@pytest.mark.golden("friedman")
def test_friedman() -> None:
    found = ci.friedman(VALUES)
    close((found.statistic, found.df, found.p_value), (10.792207792207792, 3, 0.012904224373112286))
    # r <- t(apply(v, 1, rank)); colMeans(r)
    close(ci.mean_ranks(VALUES), (1.875, 1.8125, 2.6875, 3.625))


# x <- f$statistic; F <- 7 * x / (8 * 3 - x); c(F, pf(F, 3, 21, lower.tail = FALSE))
@pytest.mark.golden("iman_davenport")
def test_iman_davenport() -> None:
    found = ci.iman_davenport(VALUES)
    close((found.statistic, found.p_value), (5.71976401179941, 0.0050419114383430724))
    assert found.df == (3, 21)


# qtukey(.95, c(2, 4, 6), Inf) / sqrt(2)
# m <- colMeans(r); ptukey(abs(m[1] - m[2:4]) / sqrt(20 / 48) * sqrt(2), 4, Inf, lower.tail = FALSE)
@pytest.mark.golden("nemenyi")
def test_nemenyi() -> None:
    found = ci.nemenyi(VALUES).extra
    assert found["critical_difference"] == pytest.approx(1.6583028816380196, rel=1e-8)
    wanted = [0.99967511036128331, 0.58933401954963149, 0.033904444171393711]
    assert [each["p_value"] for each in found["pairs"][:3]] == pytest.approx(wanted, rel=1e-8)
    six = np.tile(np.arange(6.0), (3, 1))
    assert ci.nemenyi(six).extra["q"] == pytest.approx(2.849705443271294, rel=1e-8)
    # Of two learners it is the normal quantile: qnorm(.975) = 1.959963984540054.
    assert ci.nemenyi(VALUES[:, :2]).extra["q"] == pytest.approx(1.959963984540054, rel=1e-12)


# z <- (m[2:4] - m[1]) / sqrt(20 / 48); c(z, p.adjust(2 * pnorm(-abs(z)), "holm"))
@pytest.mark.golden("holm_control")
def test_holm_control() -> None:
    against = ci.holm_control(VALUES, control=0).extra["against"]
    z = (-0.096824583655185426, 1.2587195875174104, 2.7110883423451919)
    p = (0.92286570072336904, 0.41626326777969425, 0.020118826823416733)
    close([each["statistic"] for each in against], z)
    close([each["p_corrected"] for each in against], p)


# wilcox.test(round(v[, 1] - v[, 4], 10)): a zero and ties, so normal with continuity.
# a <- c(.21,.10,.33,.05,.42,.15,.28,.09); b <- c(.18,.125,.301,.05,.39,.178,.215,.0811)
# wilcox.test(round(a - b, 10)): a zero, and a tie; with a[4:5] <- c(.0666, .4201) neither: exact.
@pytest.mark.golden("wilcoxon")
def test_wilcoxon() -> None:
    def found(a: Any, b: Any) -> tuple[Any, ...]:
        result = ci.wilcoxon(np.column_stack([a, b]))
        return result.statistic, result.p_value

    close(found(VALUES[:, 0], VALUES[:, 3]), (0, 0.020136751550346343))
    a = [0.21, 0.10, 0.33, 0.05, 0.42, 0.15, 0.28, 0.09]
    b = [0.18, 0.125, 0.301, 0.05, 0.39, 0.178, 0.215, 0.0811]
    # R takes .42 - .39 and .21 - .18 for different numbers, which they are by 3e-17 only; with
    # the difference rounded it has a tie: wilcox.test(round(a - b, 10)).
    close(found(a, b), (23, 0.1500556952976945))
    a[3] = 0.0666
    assert found([*a[:4], 0.4201, *a[5:]], b) == pytest.approx((29, 0.1484375), rel=1e-12)


# One data set, d = -1: the weight w of the prior's zero is Be(1/2, 1), so that P(w <= x) = sqrt(x).
# Within a margin of 1/4 lies only the pair of zeros, w², which is the greatest where w > 1/sqrt(2):
# 1 - 2^(-1/4). On a margin of 1/2 lies the mixed pair, dealt to both: A is better where w < 1/2.
@pytest.mark.golden("bayes_signed_rank")
def test_bayes_signed_rank_of_one_data_set() -> None:
    one = [[0.0, 1.0]]
    inside = ci.bayes_signed_rank(one, margin=0.25).extra
    assert inside["p_equivalent"] == pytest.approx(1 - 2**-0.25, abs=0.006)
    edge = ci.bayes_signed_rank(one, margin=0.5).extra
    assert edge["p_a_better"] == pytest.approx(math.sqrt(0.5), abs=0.006)
    assert ci.bayes_signed_rank(one).extra["p_a_better"] == 1.0


# baycomp's rule in plain loops, on whole numbers so that sums on the edge are exact; 20,000 draws
# of numpy's own Dirichlet gave (.0649, 0, .9352), (.0167, .2667, .7167), (0, .7947, .2053).
@pytest.mark.golden("bayes_signed_rank")
@pytest.mark.parametrize(
    "margin, wanted",
    [(0, (0.0649, 0, 0.9352)), (1, (0.0167, 0.2667, 0.7167)), (2, (0.0, 0.7947, 0.2053))],
)
def test_bayes_signed_rank_is_baycomps(margin: float, wanted: tuple[float, ...]) -> None:
    a, b = [21, 10, 33, 5, 42, 15, 28, 9], [18, 12, 30, 5, 40, 17, 22, 8]
    found = ci.bayes_signed_rank(np.column_stack([a, b]), margin=margin).extra
    keys = ("p_a_better", "p_equivalent", "p_b_better")
    assert [found[key] for key in keys] == pytest.approx(wanted, abs=0.012)
    # In hundredths, sums on the edge are so but for rounding noise, and count the same.
    small = ci.bayes_signed_rank(np.column_stack([a, b]) / 100, margin=margin / 100).extra
    assert [small[key] for key in keys] == [found[key] for key in keys]


# s <- sqrt((1/10 + 1/9) * var(d)); pt((-.01 - mean(d)) / s, 9); 1 - pt((.01 - mean(d)) / s, 9)
# which is baycomp's CorrelatedTTest of ten folds (runs = 1), that does the same with scipy.
@pytest.mark.golden("bayes_correlated_t")
def test_bayes_correlated_t() -> None:
    found = ci.bayes_correlated_t(D10, n_train=90, n_test=10, margin=0.01)
    close((found.location, found.scale, found.rho), (0.02, 0.01186342028003479, 0.1))
    wanted = (0.016149936994930111, 0.19440276690178115, 0.78944729610328879)
    close((found.p_a_better, found.p_equivalent, found.p_b_better), wanted)
