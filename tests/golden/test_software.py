"""Numbers of other packages.

Breast cancer data of scikit-learn, decision tree (random_state 0) minus first nearest neighbour:
the ten differences of one random 5×2 cross-validation.
"""

from __future__ import annotations

import pytest

import cvinfer.inference as ci
from tests.golden.golden_plain import close

DIFFERENCES = [
    (-0.007017543859649145, 0.017605633802816878),
    (0.010526315789473717, -0.021126760563380254),
    (0.03157894736842104, -0.017605633802816878),
    (-0.01403508771929829, -0.04225352112676051),
    (0.01754385964912286, 0.028169014084507005),
]


# mlxtend 0.25, paired_ttest_5x2cv.
@pytest.mark.golden("dietterich_5x2_t")
def test_mlxtend_5x2_t() -> None:
    result = ci.dietterich_5x2_t(DIFFERENCES)
    close((result.statistic, result.p_value), (-0.31584565263545633, 0.7648781691917836))


# mlxtend 0.25, combined_ftest_5x2cv.
@pytest.mark.golden("combined_5x2_f")
def test_mlxtend_combined_f() -> None:
    result = ci.combined_5x2_f(DIFFERENCES)
    close((result.statistic, result.p_value), (1.0750823038968784, 0.49906105365645675))


# Yildiz's own library, combined 5×2 t.
@pytest.mark.golden("combined_5x2_t")
def test_yildiz_combined_t() -> None:
    result = ci.combined_5x2_t(DIFFERENCES)
    close((result.statistic, result.p_value), (0.04818114656355192, 0.9634372028489265))


# n01 = 8, n10 = 4: (4 - 1)²/12 = 0.75; exact 2 (1 + 12 + 66 + 220 + 495)/2^12 = 1588/4096.
@pytest.mark.golden("holdout_mcnemar")
def test_mcnemar_8_4() -> None:
    result = ci.holdout_mcnemar((50, 8, 4, 38))
    expected = (0.75, 0.3864762307712325, 0.3876953125)
    close((result.statistic, result.p_value, result.extra["p_exact"]), expected)


# R package PropCIs 0.3.0, scoreci.mp(b, c, n, 0.95): Tango's interval for (c - b)/n, without a
# correction for continuity. It stops within 1e-7 of the end, hence the tolerance. For (1, 7, 21)
# contingencytables 3.1.1, Tango_asymptotic_score_CI_paired_2x2(rbind(c(1, 1), c(7, 12))), prints
# -0.2857 (95% CI -0.5172 to -0.0260).
@pytest.mark.golden("holdout_mcnemar")
@pytest.mark.parametrize(
    "b, c, n, lower, upper",
    [
        (0, 1, 44, -0.0593931891701438, 0.1180770952593197),
        (1, 7, 21, 0.0260028839111328, 0.5172322647912161),
        (16, 59, 1000, 0.0267938275933266, 0.0608814719319344),
    ],
)
def test_tango_of_propcis(b: int, c: int, n: int, lower: float, upper: float) -> None:
    result = ci.holdout_mcnemar((0, c, b, n - b - c), continuity="none")
    close(result.interval(), (lower, upper), rtol=1e-5)
