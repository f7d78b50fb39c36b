"""Intervals for any measure against the R package mlr3inferr 0.2.1 (CRAN), by mlr3inferr.R.

Every number below is what `Rscript tests/golden/mlr3inferr.R` printed (R 4.2.2): AUC of each split,
errors of each record, and the intervals (estimate, lower, upper) that the package made of them.
"""

from __future__ import annotations

import numpy as np
import pytest

import cvinfer.inference as ci

# fmt: off
# rsmp("subsampling", repeats = 6, ratio = 0.75) of 40 records; msr("ci.cor_t", "classif.auc").
AUC = [
    0.64583333333333337, 0.68000000000000005, 0.5, 0.875, 0.73809523809523814, 0.69999999999999996,
]
COR_T = [0.68982142857142859, 0.46751639520295257, 0.91212646193990454]
# rsmp("paired_subsampling", repeats_in = 4, repeats_out = 3, ratio = 0.7): four hold-outs on all
# records, then for three halvings four in each half; msr("ci.con_z", "classif.auc").
PAIRED = [
    0.15714285714285708, 0.52777777777777779, 0.48571428571428577, 0.6875, 0.35714285714285715,
    0.33333333333333331, 0.45714285714285718, 0.31428571428571433, 0.58571428571428574,
    0.79166666666666663, 0.70833333333333337, 0.625, 0.42592592592592587, 0.55714285714285716, 0.5,
    0.38888888888888901, 0.33333333333333331, 0.625, 0.3125, 0.3888888888888889, 0.515625, 0.6875,
    0.58333333333333337, 0.5, 0.58333333333333337, 0.5, 0.5, 0.5714285714285714,
]
CON_Z = [0.46453373015873017, 0.20977665143978724, 0.71929080887767305]
# rsmp("ncv", folds = 4, repeats = 2), msr("ci.ncv", "classif.ce"): the fold of each record in each
# repetition; for each repetition and outer fold the error of every record.
NESTED = [
    (
        ["3201211003112120220030212333132103320130", "2102033110110302132303221322001210301332"],
        [
            "0111111010000110000101110110100010100100", "0001101000000011010100110010110000000100",
            "0011001000001000011010110110101010101110", "0011001000011000111001110110101010111100",
            "0111111000100110011101111010110010101101", "0011110010000111011111111110111010101100",
            "0111111000010110010101110010101010001100", "0100111000001110010101010000100000000100",
        ],
        [0.47499999999999998, 0.18511741738648058, 0.76488258261351938],
    ),
    (
        ["0211330013001202133222112320330033011221", "1220220333003101121132012211133300033022"],
        [
            "0000100100000000011001110011101010110100", "0111101101000110001001110011101110100110",
            "1110011010000011110001010100011000001100", "0111001100000111010001110100111010101101",
            "0101011000011110011111110100101000100100", "0100001010000010010001110110111010101010",
            "0100100000000001110001010000110000100100", "0100001110100000011001110110011010110000",
        ],
        [0.45833333333333337, 0.30444714312700716, 0.61221952353965958],
    ),
]
# fmt: on


def ends(interval: ci.Interval) -> list[float]:
    return [float(each) for each in (interval.point, interval.lower, interval.upper)]


def digits(lines: list[str]) -> np.ndarray:
    return np.array([[int(digit) for digit in line] for line in lines])


@pytest.mark.golden("corrected_resampled_interval")
def test_corrected_resampled_interval() -> None:
    found = ci.infer("corrected_resampled_interval", AUC, n_train=30, n_test=10)
    assert ends(found) == pytest.approx(COR_T, rel=1e-12)


@pytest.mark.golden("conservative_interval")
def test_conservative_interval() -> None:
    halves = np.reshape(PAIRED[4:], (3, 2, 4)).mean(axis=-1)
    found = ci.infer("conservative_interval", PAIRED[:4], halves)
    assert ends(found) == pytest.approx(CON_Z, rel=1e-12)


@pytest.mark.golden("nested_cv_interval")
@pytest.mark.parametrize("folds, losses, expected", NESTED)
def test_nested_cv_interval(folds: list[str], losses: list[str], expected: list[float]) -> None:
    found = ci.infer("nested_cv_interval", digits(losses).reshape(2, 4, 40), digits(folds))
    assert ends(found) == pytest.approx(expected, rel=1e-12)


def test_the_standard_error_of_nested_cv_is_restricted() -> None:
    """One of the two samples of R lies between the bounds, the other on one."""
    found = [
        ci.infer("nested_cv_interval", digits(losses).reshape(2, 4, 40), digits(folds))
        for folds, losses, _ in NESTED
    ]
    assert [bool(each.extra["restricted"]) for each in found] == [False, True]
    # Fold 0 is all wrong in an outer fit, everything else right: far apart, so that √K SE counts.
    folds = np.repeat(np.arange(4), 10)[None]
    losses = np.zeros((1, 4, 40))
    losses[0, 0, :5] = losses[0, 1, 10:13] = losses[0, 2, 0] = 1.0
    wide = ci.infer("nested_cv_interval", losses, folds)
    naive = wide.extra["naive_variance"]
    assert naive <= wide.extra["variance"] <= 4 * naive
