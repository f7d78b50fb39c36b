"""Numbers of other packages.

Breast cancer data of scikit-learn, decision tree (random_state 0) minus first nearest neighbour:
the ten differences of one random 5×2 cross-validation.
"""

from __future__ import annotations

import pytest

import cvinfer.inference as ci
from golden_plain import close

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
