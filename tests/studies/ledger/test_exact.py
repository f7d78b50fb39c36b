"""Exact computations of the ledger against numbers from elsewhere, and refused formulas."""

from __future__ import annotations

import pytest

from cvinfer.errors import UserError
from cvinfer.studies.ledger.exact import compute, the_exact_cell
from cvinfer.studies.ledger.formulas import value_of


def number(name: str, at: object = None, **entry: object) -> float:
    return the_exact_cell(compute(entry), name, at or {}).value  # type: ignore[arg-type]


# statistics of the second paper by hand: ȳ = −0.04, s² = (56 − 100·0.0016)/99 = 0.56404.
def test_the_matched_example_by_hand() -> None:
    found = number("t", compute="matched_accuracies", worse=30, same=44, better=26)
    assert found == pytest.approx(-0.04 / (0.5640404 / 100) ** 0.5, rel=1e-6)


def test_skewness_is_that_of_the_density() -> None:
    import numpy as np

    from cvinfer.inference import F1Distribution

    # TP = 50, FP + FN = 100 and prior 1: a = 102, b = 51; moments of the density by sums.
    law = F1Distribution(102.0, 51.0)
    t = np.linspace(1e-6, 1 - 1e-6, 200_001)
    weight = law.pdf(t)
    weight /= weight.sum()
    mean = (t * weight).sum()
    deviation = (((t - mean) ** 2) * weight).sum() ** 0.5
    third = (((t - mean) ** 3) * weight).sum() / deviation**3
    entry = dict(precision=0.5, recall=0.5, accuracy=0.5, n=[200], draws=10**7)
    assert number("SK1", {"n": 200}, compute="f1_skewness", **entry) == pytest.approx(
        third, rel=1e-5
    )


def test_the_mode_of_the_second_table_is_the_mode() -> None:
    from cvinfer.inference import F1Distribution

    b, top = 100.0, 0.8
    a = 5.0 - 2.0 * b - 2.0 * top + 2.0 * (b - 1.0) / top
    assert F1Distribution(a, b).mode() == pytest.approx(top)


def test_an_identity_that_is_none_deviates() -> None:
    wrong = dict(compute="political_ratio_identity", test="kfold_t", printed="1/(1-r1)")
    assert number("deviation", **wrong) > 0.01
    wrong = dict(compute="theta_bias", estimate="theta3", bias={"omega": -1})
    assert number("deviation", **wrong) > 0.01


def test_formulas_are_arithmetic_and_nothing_else() -> None:
    assert value_of("-(n-m)/n", {"n": 4.0, "m": 1.0}) == -0.75
    for text in (
        "__import__('os')",
        "n.real",
        "n**n",
        "1/0",
        "k",
        "[1]",
        "1 if n else 2",
        "n" * 999,
    ):
        with pytest.raises(UserError, match="is no formula"):
            value_of(text, {"n": 2.0})


def test_skewness_of_drawn_matrices_is_the_mean_over_all_of_them() -> None:
    """Every matrix of 30 records with its probability; a tenth of the last printed digit apart."""
    from math import comb

    from cvinfer.inference import F1Distribution

    n, wrong = 30, 0.2 * 30
    right = wrong / (1 / 0.8 + 1 / 0.9 - 2)
    p, q = right / n, wrong / n
    first, second, square = 0.0, 0.0, 0.0
    for tp in range(n + 1):
        for bad in range(n + 1 - tp):
            ways = comb(n, tp) * comb(n - tp, bad)
            chance = ways * p**tp * q**bad * (1 - p - q) ** (n - tp - bad)
            if chance > 1e-9:
                sk1, sk2 = F1Distribution(bad + 2.0, tp + 1.0).skewness()
                first, second, square = (
                    first + chance * sk1,
                    second + chance * sk2,
                    square + chance * sk1**2,
                )
    entry = dict(precision=0.8, recall=0.9, accuracy=0.8, n=[n], draws=10**7, matrices=1000)
    found = compute({"compute": "f1_skewness_of_samples", **entry})
    assert the_exact_cell(found, "SK1", {"n": n}).value == pytest.approx(first, abs=1e-4)
    assert the_exact_cell(found, "SK2", {"n": n}).value == pytest.approx(second, abs=1e-4)
    error = ((square - first**2) / 1000 + 6e-7) ** 0.5
    assert the_exact_cell(found, "SK1", {"n": n}).paper_se == pytest.approx(error, rel=0.01)
