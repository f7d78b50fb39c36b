"""Every test and interval against R; the R code stands above its numbers in golden_r.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cvinfer.inference as ci
from tests.golden.golden_plain import close
from tests.golden.golden_r import LINES

# The data of golden_r.DATA once more, as the package takes them.
D2 = [0.07, 0.03]
D10 = [0.02, -0.01, 0.03, 0.04, 0.0, 0.05, 0.01, 0.02, -0.02, 0.06]
D15 = [*D10, 0.03, 0.01, -0.03, 0.02, 0.04]
D20 = [*D15, 0.05, 0.07, -0.01, 0.02, 0.08]
F = np.array([5, 7, 4, 9, 6, 3, 8, 5, 2, 6]).reshape(5, 2) / 100
G = np.array([4, 6, 5, 9, 8, 3]).reshape(3, 2) / 100
H = np.array([3, 1, -2, 1, 4, 4, 0, 2]).reshape(4, 2) / 100
ERRORS_A, ERRORS_B, N_TEST = [12, 9, 14, 11, 10], [9, 10, 9, 7, 8], [40, 40, 40, 41, 41]
RATES_A, RATES_B = np.array(ERRORS_A) / 40, np.array([7, 6, 8, 5, 9, 6, 4, 8]) / 25
LOSS_A = [1, 0, 1, 1, 0, 1, 0.5, 1, 0, 1, 1, 0.25]
LOSS_B = [0, 0, 1, 0, 0, 0, 0.25, 1, 0.5, 0, 1, 0]
FOLDS = np.repeat([1, 2, 3], 4)
SCORES = np.array([81, 78, 84, 90, 79, 85, 88, 82, 80, 86]) / 100
# Six matrices (TP, FP, FN, TN) whose mean is (60, 12, 9.5, 18.5).
CONFUSIONS = np.array(
    [
        [[58, 12, 10, 20], [62, 11, 9, 18]],
        [[60, 15, 8, 17], [61, 10, 11, 18]],
        [[57, 13, 9, 21], [62, 11, 10, 17]],
    ]
)


def test_every_line_is_used_by_a_comparison() -> None:
    """A number that nothing is compared with proves nothing."""
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    assert [name for name in LINES if f'"{name}"' not in text] == []


@pytest.mark.parametrize("name", LINES)
def test_r_makes_the_number_that_is_written_down(
    name: str, r_numbers: dict[str, list[float]]
) -> None:
    close(LINES[name].numbers, r_numbers[name])


def same(name: str, *values: Any) -> None:
    close(values, LINES[name].numbers)


def t_or_z(name: str, result: Any, level: float = 0.95) -> None:
    same(name, result.statistic, result.p_value, *result.interval(level))


@pytest.mark.golden("kfold_t")
def test_kfold_t() -> None:
    t_or_z("kfold_t", ci.kfold_t(D10))
    t_or_z("kfold_t mu0", ci.kfold_t(D10, mu0=0.005, alpha=0.1), level=0.9)


@pytest.mark.golden("repeated_holdout_t")
def test_repeated_holdout_t() -> None:
    t_or_z("repeated_holdout_t", ci.repeated_holdout_t(D15))


@pytest.mark.golden("corrected_kfold_t")
def test_corrected_kfold_t() -> None:
    t_or_z("corrected_kfold_t", ci.corrected_kfold_t(D10))


@pytest.mark.golden("corrected_2fold_t")
def test_corrected_2fold_t() -> None:
    t_or_z("corrected_2fold_t", ci.corrected_2fold_t(D2))


@pytest.mark.golden("corrected_repeated_holdout_t")
def test_corrected_repeated_holdout_t() -> None:
    result = ci.corrected_repeated_holdout_t(D15, n_train=270, n_test=30)
    t_or_z("corrected_repeated_holdout_t", result)


@pytest.mark.golden("corrected_repeated_kfold_t")
def test_corrected_repeated_kfold_t() -> None:
    runs = np.reshape(D20, (2, 10))
    result = ci.corrected_repeated_kfold_t(runs, n_train=270, n_test=30)
    t_or_z("corrected_repeated_kfold_t", result)


@pytest.mark.golden("dietterich_5x2_t")
def test_dietterich_5x2_t() -> None:
    t_or_z("dietterich_5x2_t", ci.dietterich_5x2_t(F))
    t_or_z("dietterich_5x2_t pick", ci.dietterich_5x2_t(F, pick=(3, 1)))


@pytest.mark.golden("combined_5x2_t")
def test_combined_5x2_t() -> None:
    t_or_z("combined_5x2_t", ci.combined_5x2_t(F))


@pytest.mark.golden("combined_5x2_f")
def test_combined_5x2_f() -> None:
    result = ci.combined_5x2_f(F)
    same("combined_5x2_f", result.statistic, result.p_value)
    assert result.interval() is None


@pytest.mark.golden("calibrated_5x2_bcv_f")
def test_calibrated_5x2_bcv_f() -> None:
    result = ci.calibrated_5x2_bcv_f(F)
    same("calibrated_5x2_bcv_f", result.statistic, result.p_value)
    assert result.interval() is None


@pytest.mark.golden("blocked_3x2_t")
def test_blocked_3x2_t() -> None:
    t_or_z("blocked_3x2_t", ci.blocked_3x2_t(G))


@pytest.mark.golden("wong_matched_t")
def test_wong_matched_t() -> None:
    t_or_z("wong_matched_t", ci.wong_matched_t(ERRORS_A, ERRORS_B, N_TEST))


@pytest.mark.golden("wong_welch_t")
def test_wong_welch_t() -> None:
    r = ci.wong_welch_t(RATES_A, RATES_B)
    same("wong_welch_t", r.statistic, r.df, r.p_value, *r.interval())


@pytest.mark.golden("loo_matched_t")
def test_loo_matched_t() -> None:
    t_or_z("loo_matched_t", ci.loo_matched_t(np.repeat([-1, 0, 1], [26, 44, 30])))


# R corrects unless the counts are equal: at |n01 - n10| = 1 it gives 0, at 0 nothing is corrected,
# so on whole counts R and the clipped correction are one.
@pytest.mark.golden("holdout_mcnemar")
@pytest.mark.parametrize(
    "name, table",
    [
        ("holdout_mcnemar 8 4", (50, 8, 4, 38)),
        ("holdout_mcnemar 25 9", (30, 25, 9, 136)),
        ("holdout_mcnemar 7 6", (30, 7, 6, 57)),
        ("holdout_mcnemar 7 7", (30, 7, 7, 56)),
        ("holdout_mcnemar 0 3", (30, 0, 3, 67)),
    ],
)
def test_holdout_mcnemar(name: str, table: tuple[int, ...]) -> None:
    result = ci.holdout_mcnemar(table)
    same(name, result.statistic, result.p_value, result.extra["p_exact"])


@pytest.mark.golden("holdout_mcnemar")
def test_holdout_mcnemar_without_correction() -> None:
    result = ci.holdout_mcnemar((30, 25, 9, 136), continuity="none")
    same("holdout_mcnemar 25 9 none", result.statistic, result.p_value)


@pytest.mark.golden("holdout_mcnemar")
def test_holdout_mcnemar_interval() -> None:
    corrected = ci.holdout_mcnemar((30, 25, 9, 136))
    same("holdout_mcnemar interval", *corrected.interval())
    same("holdout_mcnemar interval 8 4", *ci.holdout_mcnemar((50, 8, 4, 38)).interval(0.9))
    none = ci.holdout_mcnemar((30, 25, 9, 136), continuity="none")
    same("holdout_mcnemar interval none", *none.interval(0.99))
    large = ci.holdout_mcnemar((1_000_000, 2_103_456, 2_098_765, 4_797_779))
    same("holdout_mcnemar interval large", *large.interval())


@pytest.mark.golden("naive_kfold_mcnemar")
def test_naive_kfold_mcnemar() -> None:
    tables = [(10, 9, 2, 19), (10, 6, 5, 19), (12, 0, 0, 28), (10, 4, 10, 16)]
    result = ci.naive_kfold_mcnemar(tables)
    p_informative = result.extra["p_informative"]
    same("naive_kfold_mcnemar", result.statistic, result.p_value, p_informative)


def averaging(average: list[float]) -> Any:
    """Ten tables of whole counts, 2 + 2 + ..., with this mean (in tenths)."""
    tenths = np.rint(10 * np.array(average)).astype(int)
    each, left = tenths // 10, tenths % 10
    return np.array([each + (i < left) for i in range(10)]).reshape(5, 2, 4)


@pytest.mark.golden("bcv_5x2_mcnemar")
def test_bcv_5x2_mcnemar() -> None:
    result = ci.bcv_5x2_mcnemar(averaging([20, 14.9, 6.2, 108.9]))
    same("bcv_5x2_mcnemar", result.statistic, result.p_value)
    same("bcv_5x2_mcnemar interval", *result.interval())
    none = ci.bcv_5x2_mcnemar(averaging([20, 9.8, 10, 110.2]), continuity="none")
    same("bcv_5x2_mcnemar interval none", *none.interval(0.9))


@pytest.mark.golden("table_posteriors", "bcv_5x2_mcnemar")
def test_table_posteriors() -> None:
    result = ci.bcv_5x2_mcnemar(averaging([20, 14.9, 6.2, 108.9]))
    r = result.extra["posteriors"]["r"]
    p_a_worse = result.extra["posteriors"]["p_a_worse"]
    same("table_posteriors", r["a"], r["b"], r["mean"], p_a_worse)
    rare = ci.table_posteriors((7, 40, 160, 93), prior=0.5)
    same("table_posteriors small tail", rare["p_a_worse"])


@pytest.mark.golden("bcv_5x2_mcnemar")
def test_bcv_5x2_mcnemar_printed_correction_overshoots_as_r_does() -> None:
    tables = averaging([20, 10, 9.8, 110.2])
    result = ci.bcv_5x2_mcnemar(tables, continuity="printed")
    # The difference 0.2 passes through floating point twice: 1e-10, not 1e-12.
    expected = LINES["bcv_5x2_mcnemar overshoot"].numbers
    close((result.statistic, result.p_value), expected, rtol=1e-10)
    assert ci.bcv_5x2_mcnemar(tables).statistic == 0.0


@pytest.mark.golden("proportion_z")
def test_proportion_z() -> None:
    # prop.test gives z squared; A has 30 + 25 errors of 200, B 30 + 9, so z is positive.
    result = ci.proportion_z((30, 25, 9, 136))
    same("proportion_z", result.statistic, result.p_value)


@pytest.mark.golden("wong_independent_z")
def test_wong_independent_z() -> None:
    result = ci.wong_independent_z(0.25, 0.16, 300)
    same("wong_independent_z", result.statistic, result.p_value)


@pytest.mark.golden("loo_independent_z")
def test_loo_independent_z() -> None:
    result = ci.loo_independent_z(20, 16, 100)
    same("loo_independent_z", result.statistic, result.p_value)


@pytest.mark.golden("conservative_z")
def test_conservative_z() -> None:
    t_or_z("conservative_z", ci.conservative_z(D15, H))


@pytest.mark.golden("cvci_z")
def test_cvci_z() -> None:
    t_or_z("cvci_z out", ci.cvci_z(LOSS_A, LOSS_B, FOLDS))
    t_or_z("cvci_z in", ci.cvci_z(LOSS_A, LOSS_B, FOLDS, variance="in"))


@pytest.mark.golden("f1_beta_prime")
def test_f1_beta_prime() -> None:
    # A beta prime variable is (a/b) F(2a, 2b); equation 6 of the F1 paper does the rest.
    result = ci.f1_beta_prime(CONFUSIONS)
    same("f1_beta_prime", result.lower, result.upper)
    result = ci.f1_beta_prime(CONFUSIONS, prior=0.5, level=0.9)
    same("f1_beta_prime prior", result.lower, result.upper)


@pytest.mark.golden("precision_beta")
def test_precision_beta() -> None:
    result = ci.precision_beta(CONFUSIONS)
    same("precision_beta", result.lower, result.upper)


@pytest.mark.golden("recall_beta")
def test_recall_beta() -> None:
    result = ci.recall_beta(CONFUSIONS)
    same("recall_beta", result.lower, result.upper)


@pytest.mark.golden("kfold_t_interval")
def test_kfold_t_interval() -> None:
    result = ci.kfold_t_interval(SCORES)
    same("kfold_t_interval", result.lower, result.upper)


@pytest.mark.golden("five_by_two_t_interval")
def test_five_by_two_t_interval() -> None:
    result = ci.five_by_two_t_interval(SCORES.reshape(5, 2))
    same("five_by_two_t_interval", result.lower, result.upper)


@pytest.mark.golden("blocked_3x2_t_interval")
def test_blocked_3x2_t_interval() -> None:
    result = ci.blocked_3x2_t_interval(SCORES[:6].reshape(3, 2))
    same("blocked_3x2_t_interval", result.lower, result.upper)


@pytest.mark.golden("error_kfold_t")
def test_error_kfold_t() -> None:
    result = ci.error_kfold_t([8, 12, 10, 10, 8], 40)
    same("error_kfold_t", result.lower, result.upper)


@pytest.mark.golden("error_dataset_z")
def test_error_dataset_z() -> None:
    result = ci.error_dataset_z(48, 200)
    same("error_dataset_z", result.lower, result.upper)


@pytest.mark.golden("error_loo_z")
def test_error_loo_z() -> None:
    result = ci.error_loo_z(20, 100)
    same("error_loo_z", result.lower, result.upper)


@pytest.mark.golden("F1Distribution")
def test_f1_distribution_cdf() -> None:
    # F1 <= t where B' >= 2(1 - t)/t.
    distribution = ci.F1Distribution(23.5, 61)
    same("F1Distribution", *distribution.cdf([0.8, 0.85, 0.9]))
    close(1 - distribution.sf([0.8, 0.85, 0.9]), LINES["F1Distribution"].numbers)


@pytest.mark.golden("precision_beta")
def test_precision_posterior_probabilities() -> None:
    # The interval whose lower end is 0.7 or 0.8, or whose upper end is 0.9, by its level.
    below_70, below_80, below_90 = LINES["pbeta"].numbers
    assert LINES["pbeta"].code == ("pbeta(c(0.7, 0.8, 0.9), 61, 13)",)
    for tail, lower in ((below_70, 0.7), (below_80, 0.8)):
        close(ci.precision_beta(CONFUSIONS, level=1 - 2 * tail).lower, lower)
    close(ci.precision_beta(CONFUSIONS, level=2 * below_90 - 1).upper, 0.9)


@pytest.mark.golden("skewness")
def test_skewness() -> None:
    same("skewness", *ci.skewness([0.61, 0.70, 0.72, 0.75, 0.81, 0.93], mode=0.72))


def test_critical_values() -> None:
    df = (1, 2, 3, 4, 5, 9, 14, 19, 99, 7.3)
    same("qt", *(ci.Null("t", (n,)).critical(0.05) for n in df))
    same("qt levels", *(ci.Null("t", (5,)).critical(a) for a in (0.2, 0.1, 0.01, 0.001)))
    same("qnorm", *(ci.Null("normal", ()).critical(a) for a in (0.2, 0.1, 0.05, 0.01)))
    f = [ci.Null("F", pair) for pair in ((10, 5), (7, 5), (10, 5))]
    same("qf", *(null.critical(alpha) for null, alpha in zip(f, (0.05, 0.05, 0.01))))
    chi2 = [ci.Null("chi2", (k,)) for k in (1, 4, 10)]
    same("qchisq", *(null.critical(0.05) for null in chi2))
    # And back.
    at_f = [null.p_value(np.array(x)) for null, x in zip(f, LINES["qf"].numbers)]
    close(at_f, (0.05, 0.05, 0.01))
    at_chi2 = [null.p_value(np.array(x)) for null, x in zip(chi2, LINES["qchisq"].numbers)]
    close(at_chi2, (0.05, 0.05, 0.05))


def test_p_values() -> None:
    two = np.array(2.0)
    same("pt", *(ci.Null("t", (n,)).p_value(two) for n in (1, 2, 5, 9, 99, 7.3)))
    same("pf", *(ci.Null("F", (n, 5)).p_value(np.array(4.0)) for n in (10, 7)))
    same("pchisq", *(ci.Null("chi2", (k,)).p_value(np.array(3.841)) for k in (1, 5, 10)))
    same("pnorm", *(ci.Null("normal", ()).p_value(np.array(z)) for z in (0.5, 1.96, 4.0)))
