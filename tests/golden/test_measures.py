"""Measures over many runs, and the intervals and distribution of one learner's scores."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction as Q
from typing import Callable

import numpy as np
import pytest
from scipy import integrate, special

import cvinfer.inference as ci
from tests.golden.golden_plain import (
    close,
    decimals,
    floats,
    mean,
    normal_critical,
    sample_variance,
    squares,
    student_critical,
)

# --- measures -------------------------------------------------------------------------------------


# Bouckaert and Frank 2004: the share of pairs of runs that agree, counted pair by pair.
@pytest.mark.golden("replicability")
def test_replicability_counts_pairs() -> None:
    def agreeing(rejections: int, runs: int) -> Q:
        verdicts = [i < rejections for i in range(runs)]
        pairs = [(i, j) for i in range(runs) for j in range(i)]
        return mean(int(verdicts[i] == verdicts[j]) for i, j in pairs)

    for rejections in range(8):
        close(ci.replicability(rejections, 7), agreeing(rejections, 7))
    close(ci.replicability([2, 5, 0], 7), mean(agreeing(k, 7) for k in (2, 5, 0)))


# 37 rejections of 1,000: 0.037 ± √(0.037·0.963/1000).
@pytest.mark.golden("rejection_rate")
def test_rejection_rate() -> None:
    reject = np.arange(1000) < 37
    rate, error = ci.rejection_rate(reject)
    close(rate, Q(37, 1000))
    close(error**2, Q(37 * 963, 1000**3))
    close(ci.rejection_rate(np.stack([reject, ~reject]), axis=1).rate, (Q("0.037"), Q("0.963")))


# Of five intervals four hold 0.8 (one of them at its very end): 0.8 ± √(0.8·0.2/5).
LOWER = [0.75, 0.81, 0.70, 0.80, 0.60]
UPPER = [0.85, 0.90, 0.83, 0.91, 0.95]


@pytest.mark.golden("degree_of_confidence")
def test_degree_of_confidence() -> None:
    rate, error = ci.degree_of_confidence(LOWER, UPPER, 0.8)
    close(rate, Q(4, 5))
    close(error**2, Q(4, 125))


# Lengths 0.10, 0.09, 0.13, 0.11, 0.35.
@pytest.mark.golden("interval_length")
def test_interval_length() -> None:
    close(ci.interval_length(LOWER, UPPER), Q("0.156"))


# Wang et al. 2015, equations 10 and 11 (whose numerator is x̄ - mode).
@pytest.mark.golden("skewness")
def test_skewness() -> None:
    x = decimals("1 2 2 3 4 7 12")
    n, centre, s2 = len(x), mean(x), sample_variance(x)
    third = Q(n, (n - 1) * (n - 2)) * sum((value - centre) ** 3 for value in x)
    found = ci.skewness(floats(x), mode=2.0)
    close(found.sk1, float(third) / float(s2) ** 1.5)
    close(found.sk2, float(centre - 2) / math.sqrt(s2))
    assert math.isnan(ci.skewness(floats(x)).sk2)


# --- symmetric intervals --------------------------------------------------------------------------


def check_interval(result: ci.Interval, centre: Q, variance: Q, critical: float) -> None:
    half = critical * math.sqrt(variance)
    close((result.point, result.variance), (centre, variance))
    close((result.lower, result.upper), (float(centre) - half, float(centre) + half))
    assert not result.degenerate


SCORES = decimals("0.81 0.78 0.84 0.90 0.79 0.85 0.88 0.82 0.80 0.86")


# Wang et al. 2015, equation 14.
@pytest.mark.golden("kfold_t_interval")
def test_kfold_t_interval() -> None:
    variance = sample_variance(SCORES) / 10
    result = ci.kfold_t_interval(floats(SCORES))
    check_interval(result, mean(SCORES), variance, student_critical(0.05, 9))
    result = ci.kfold_t_interval(floats(SCORES), level=0.8)
    check_interval(result, mean(SCORES), variance, student_critical(0.2, 9))


# Equation 16: the variance is the mean of the five s_j², not a tenth of it.
@pytest.mark.golden("five_by_two_t_interval")
def test_five_by_two_t_interval() -> None:
    variance = mean(squares(SCORES[2 * j : 2 * j + 2]) for j in range(5))
    result = ci.five_by_two_t_interval(np.reshape(floats(SCORES), (5, 2)))
    check_interval(result, mean(SCORES), variance, student_critical(0.05, 5))


# Equation 17.
@pytest.mark.golden("blocked_3x2_t_interval")
def test_blocked_3x2_t_interval() -> None:
    six = SCORES[:6]
    result = ci.blocked_3x2_t_interval(np.reshape(floats(six), (3, 2)), alpha=0.1)
    check_interval(result, mean(six), squares(six) / 6, student_critical(0.1, 5))


# Wong 2015, 4.3.3: folds of unequal size; the rates, not the counts, are averaged.
@pytest.mark.golden("error_kfold_t")
def test_error_kfold_t() -> None:
    errors, sizes = [8, 12, 10, 4, 9], [40, 40, 41, 41, 41]
    rates = [Q(x, n) for x, n in zip(errors, sizes)]
    result = ci.error_kfold_t(errors, sizes)
    check_interval(result, mean(rates), sample_variance(rates) / 5, student_critical(0.05, 4))
    assert not result.large_sample


# Theorem 1 and 5.1: p̄ ± z √(p̄(1 - p̄)/n).
@pytest.mark.golden("error_dataset_z")
@pytest.mark.golden("error_loo_z")
@pytest.mark.parametrize("function", [ci.error_dataset_z, ci.error_loo_z])
def test_error_z(function: Callable[..., ci.Interval]) -> None:
    rate = Q(31, 120)
    result = function(31, 120, level=0.99)
    check_interval(result, rate, rate * (1 - rate) / 120, normal_critical(0.01))


# --- F1 -------------------------------------------------------------------------------------------


# Wang et al. 2015, proposition 1: the matrices are averaged first; a = FP + FN + 2λ, b = TP + λ.
# At the ends of the interval the density (equation 5) leaves 2.5 % on either side.
@pytest.mark.golden("f1_beta_prime")
@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_f1_beta_prime(prior: float) -> None:
    matrices = [[(14, 3, 2, 11), (15, 2, 4, 9)], [(13, 5, 3, 9), (16, 2, 2, 10)]]
    tp, fp, fn = (mean(m[i] for pair in matrices for m in pair) for i in range(3))
    result = ci.f1_beta_prime(matrices, prior=prior, split_axes=2)
    a, b = float(fp + fn) + 2 * prior, float(tp) + prior
    close((result.a, result.b, result.point), (a, b, 2 * tp / (2 * tp + fp + fn)))
    below, _ = integrate.quad(lambda t: density(t, a, b), 0, result.lower, epsabs=0, epsrel=1e-12)
    above, _ = integrate.quad(lambda t: density(t, a, b), result.upper, 1, epsabs=0, epsrel=1e-12)
    close((below, above), (0.025, 0.025), rtol=1e-10)
    # Corollary 1, as printed.
    root = math.sqrt(4 * b * b + 4 * a * b - 4 * b + a * a - 10 * a + 9)
    close(result.mode, -b / 2 - a / 4 + 5 / 4 + root / 4)


# The splits of a K-fold test each record once: their matrices are added up, those of repeated
# K-folds averaged over replications. Leave-one-out is the same with n folds of one record. The
# effective counts of an m×2 are the average times 2m/(1 + 1/2 + (m - 1)): 12/7 at m = 3.
@pytest.mark.golden("f1_beta_prime", "precision_beta", "recall_beta")
def test_one_matrix_from_the_splits() -> None:
    folds = [(14, 3, 2, 11), (15, 2, 4, 9), (13, 5, 3, 9), (16, 2, 2, 10)]
    summed = [sum(column) for column in zip(*folds)]
    again = [(15, 4, 1, 10), (12, 2, 5, 11), (15, 3, 3, 9), (13, 1, 2, 14)]
    twice = [Q(x + sum(column), 2) for x, column in zip(summed, zip(*again))]
    halves = np.array([*folds, *again[:2]]).reshape(3, 2, 4)
    average = [mean(int(x) for x in column) for column in halves.reshape(6, 4).T]
    effective = [Q(12, 7) * x for x in average]
    single = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    for data, options, (tp, fp, fn, _), counts, scheme in [
        (folds, {}, summed, "sum", "kfold"),
        (folds, {"split_axes": 1}, summed, "sum", "kfold"),
        (folds[:2], {}, [29, 5, 6, 20], "sum", "kfold"),
        ([folds, again], {"split_axes": 2}, twice, "sum", "repeated_kfold"),
        ([folds, again], {"scheme": "repeated_kfold"}, twice, "sum", "repeated_kfold"),
        # Two folds, three times: without the scheme this is a 3×2.
        (halves, {"scheme": "repeated_kfold"}, [2 * x for x in average], "sum", "repeated_kfold"),
        (halves, {}, average, "average", "blocked_mx2"),
        (halves, {"scheme": "random_mx2"}, average, "average", "random_mx2"),
        (halves, {"counts": "effective"}, effective, "effective", "blocked_mx2"),
        (single, {"scheme": "loo"}, [2, 1, 1, 2], "sum", "loo"),
        (folds[0], {}, folds[0], "single", "holdout"),
        (folds[0], {"scheme": "holdout"}, folds[0], "single", "holdout"),
    ]:
        f1, precision, recall = (
            function(data, **options)
            for function in (ci.f1_beta_prime, ci.precision_beta, ci.recall_beta)
        )
        close((f1.a, f1.b), (fp + fn + 2, tp + 1))
        close((precision.a, precision.b), (tp + 1, fp + 1))
        close((recall.a, recall.b), (tp + 1, fn + 1))
        for result in (f1, precision, recall):
            assert (result.counts, result.scheme) == (counts, scheme), options
            assert not result.degenerate and result.note == ""
        # The point is the plain score, the median halves the posterior.
        close(f1.point, Q(2 * tp) / (2 * tp + fp + fn))
        a, b = f1.a, f1.b
        below, _ = integrate.quad(lambda t: density(t, a, b), 0, f1.median, epsrel=1e-12)
        close(below, 0.5, rtol=1e-10)
        assert f1.extra["median"] == f1.median and f1.lower < f1.median < f1.upper


# With no TP the mode is 0 and the point too, both outside of the interval; the median is not.
@pytest.mark.golden("f1_beta_prime")
def test_the_median_lies_inside_where_the_point_does_not() -> None:
    result = ci.f1_beta_prime((0, 2, 3, 15))
    assert result.point == result.mode == 0 < result.lower < result.median < result.upper
    # F1 = 2P/(1 + P), P ~ Be(1, 7): P(P <= x) = 1 - (1 - x)^7.
    p = 1 - 0.5 ** (1 / 7)
    close(result.median, 2 * p / (1 + p))


# Micro averages over classes: of 282 records 225 are right and 57 wrong, and each of these is one
# FP and one FN. R: qbeta(c(0.025, 0.975), 226, 58).
@pytest.mark.golden("f1_beta_prime", "precision_beta", "recall_beta")
def test_micro_averages_are_accuracy() -> None:
    for function in (ci.f1_beta_prime, ci.precision_beta, ci.recall_beta):
        result = function((225, 57, 57, 507), micro=True)
        close((result.lower, result.upper), (0.74706512731990127, 0.8405398893340702))
        close((result.a, result.b, result.point, result.mode), (226, 58, Q(225, 282), Q(225, 282)))
        assert result.micro and not result.degenerate and "are accuracy" in result.note
        folds = np.array([(100, 30, 30, 230), (125, 27, 27, 277)])
        assert function(folds, micro=True).as_dict() == {
            **result.as_dict(),
            "scheme": "kfold",
            "extra": {**result.as_dict()["extra"], "counts": "sum"},
        }
        with pytest.raises(ci.InputError, match="have FP = FN in every split"):
            function([(100, 31, 30, 230), (125, 26, 27, 277)], micro=True)
        # A batch of which one has none of its own: never 0 or 1 in silence.
        none = function([(0, 0, 0, 5), (3, 1, 1, 7)], micro=True, split_axes=0)
        assert none.degenerate.tolist() == [True, False] and np.isnan(none.point[0])
    half = ci.f1_beta_prime((225, 57, 57, 507), micro=True, prior=0.5)
    close((half.a, half.b), (225.5, 57.5))


# Lemma 1: Be(TP + λ, FP + λ) and Be(TP + λ, FN + λ). With whole parameters the beta distribution
# function is a binomial tail: P(Be(p, q) <= x) = P(B(p + q - 1, x) >= p).
@pytest.mark.golden("precision_beta")
@pytest.mark.golden("recall_beta")
def test_precision_and_recall() -> None:
    def below(x: float, p: int, q: int) -> float:
        n = p + q - 1
        return math.fsum(math.comb(n, i) * x**i * (1 - x) ** (n - i) for i in range(p, n + 1))

    matrix = (14, 3, 5, 9)
    precision, recall = ci.precision_beta(matrix), ci.recall_beta(matrix, level=0.8)
    close((precision.point, recall.point), (Q(14, 17), Q(14, 19)))
    close((below(precision.lower, 15, 4), below(precision.upper, 15, 4)), (0.025, 0.975))
    close((below(recall.lower, 15, 6), below(recall.upper, 15, 6)), (0.1, 0.9))


def density(t: float, a: float, b: float) -> float:
    """Equation 5, written out."""
    beta = math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
    return 2**a * (1 - t) ** (a - 1) * (2 - t) ** (-a - b) * t ** (b - 1) / beta


@pytest.mark.golden("F1Distribution")
@pytest.mark.parametrize("a, b", [(3.2, 10.0), (20.0, 10.0), (2.5, 1.5), (23.5, 61.0)])
def test_f1_distribution_by_its_density(a: float, b: float) -> None:
    distribution = ci.F1Distribution(a, b)
    for t in (0.2, 0.5, 0.77, 0.9):
        close(distribution.pdf(t), density(t, a, b))
        area, _ = integrate.quad(lambda u: density(u, a, b), 0, t, epsabs=0, epsrel=1e-12)
        close(distribution.cdf(t), area, rtol=1e-10)
        if 0.001 < area < 0.999:
            close(distribution.ppf(area), t, rtol=1e-10)
    # The mode is where the derivative of the log density vanishes.
    m = distribution.mode()
    slope = -(a - 1) / (1 - m) + (a + b) / (2 - m) + (b - 1) / m
    assert abs(slope) < 1e-11 * (a + b) / (1 - m)


# E F1^r = 2^(-b) B(b + r, a)/B(a, b) · 2F1(a + b, b + r; a + b + r; 1/2) in floating point, where
# that does not overflow.
@pytest.mark.golden("F1Distribution")
@pytest.mark.parametrize("a, b", [(3.2, 10.0), (20.0, 10.0), (2.5, 1.5), (5.9, 10.0), (12.0, 4.0)])
@pytest.mark.parametrize("r", [1, 2, 3, 4, -1, 0.5])
def test_f1_moments_by_the_printed_form(a: float, b: float, r: float) -> None:
    hypergeometric = special.hyp2f1(a + b, b + r, a + b + r, 0.5)
    ratio = math.gamma(b + r) * math.gamma(a + b) / (math.gamma(a + b + r) * math.gamma(b))
    close(ci.F1Distribution(a, b).moment(r), 2**-b * ratio * hypergeometric)


# A case by hand: a = b = 1 has the density 2/(2 - t)²; its moments are integrals of 2t^r/(2 - t)²:
# E F1 = 2 - 2 ln 2, E F1² = 6 - 8 ln 2.
@pytest.mark.golden("F1Distribution")
def test_f1_moments_by_hand() -> None:
    distribution = ci.F1Distribution(1.0, 1.0)
    close(distribution.mean(), 2 - 2 * math.log(2))
    close(distribution.moment(2), 6 - 8 * math.log(2))
    close(distribution.var(), 6 - 8 * math.log(2) - (2 - 2 * math.log(2)) ** 2)
    close(distribution.cdf([0.25, 0.5]), (Q(1, 7), Q(1, 3)))
    close(distribution.median(), Q(2, 3))
    # Beta prime(1, 1) has P(B' <= x) = x/(1 + x), hence F1_q = 2q/(1 + q).
    close(distribution.interval(0.9), (Q(2, 21), Q(38, 39)))


def by_quadrature(function: Callable[[float], float], a: float, b: float) -> float:
    """E of a function of F1, its density scaled by its own integral: no gamma function needed."""
    log = math.log
    mode = ci.F1Distribution(a, b).mode()

    def height(t: float) -> float:
        return (a - 1) * log(1 - t) - (a + b) * log(2 - t) + (b - 1) * log(t)

    top = height(mode)
    # Eleven standard deviations of the normal with the curvature of the mode hold everything.
    curve = (a - 1) / (1 - mode) ** 2 - (a + b) / (2 - mode) ** 2 + (b - 1) / mode**2
    reach = 11 / math.sqrt(curve)
    low, high = max(mode - reach, 1e-300), min(mode + reach, 1 - 1e-16)

    def area(weight: Callable[[float], float]) -> float:
        def integrand(t: float) -> float:
            return weight(t) * math.exp(height(t) - top)

        parts = ((low, mode), (mode, high))
        ends = {"epsabs": 1e-14 * reach, "epsrel": 1e-13, "limit": 200}
        return math.fsum(integrate.quad(integrand, *part, **ends)[0] for part in parts)

    return area(function) / area(lambda t: 1.0)


LARGE = [
    (50.9, 100.0),
    (250.9, 500.0),
    (632.574, 6000.0),
    (27997.733333, 6000.0),
    (46664.4, 10000.0),
]


def series(a: float, b: float, r: int) -> Decimal:
    """The printed form to 50 digits: every term of its hypergeometric series is positive."""
    with localcontext() as context:
        context.prec = 60
        x, y = Decimal(a), Decimal(b)
        ratio = Decimal(1)
        for i in range(r):
            ratio *= (y + i) / (x + y + i)
        term, total, k = Decimal(2) ** -y, Decimal(0), 0
        while True:
            total += term
            growth = (x + y + k) * (y + r + k) / ((x + y + r + k) * (k + 1) * 2)
            if growth < 1 and term < total * Decimal("1e-55"):
                return ratio * total
            term *= growth
            k += 1


# Table 3's large b, where the printed form overflows in floating point but not in decimals.
@pytest.mark.golden("F1Distribution")
@pytest.mark.parametrize("a, b", LARGE)
def test_f1_moments_by_the_printed_form_in_decimals(a: float, b: float) -> None:
    distribution = ci.F1Distribution(a, b)
    with localcontext() as context:
        context.prec = 50
        first, second, third = (series(a, b, r) for r in (1, 2, 3))
        variance = second - first**2
        sk1 = (third - 3 * first * second + 2 * first**3) / variance ** Decimal("1.5")
        sk2 = (first - Decimal(float(distribution.mode()))) / variance.sqrt()
    close([distribution.moment(r) for r in (1, 2, 3)], floats((first, second, third)))
    close(distribution.mean(), float(first))
    close(distribution.var(), float(variance))
    # The mode is known to 1e-16 and the mean to 1e-15 of themselves; a standard deviation of 1e-3
    # leaves SK2 an absolute 1e-12, and SK1 the same.
    found = distribution.skewness()
    assert abs(found[0] - float(sk1)) < 1e-12 and abs(found[1] - float(sk2)) < 1e-12


# The same by adaptive quadrature of the density.
@pytest.mark.golden("F1Distribution")
@pytest.mark.parametrize("a, b", LARGE)
def test_f1_moments_by_quadrature(a: float, b: float) -> None:
    distribution = ci.F1Distribution(a, b)
    centre = by_quadrature(lambda t: t, a, b)
    close(distribution.mean(), centre)
    close(distribution.moment(3), by_quadrature(lambda t: t**3, a, b))
    close(distribution.var(), by_quadrature(lambda t: (t - centre) ** 2, a, b), rtol=1e-10)
