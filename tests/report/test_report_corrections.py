"""Corrected p-values against R's p.adjust: numbers written down, and R itself where it is there."""

from __future__ import annotations

import shutil
import subprocess
from typing import Optional

import numpy as np
import pytest

from cvinfer.report.judge import CORRECTION_METHODS, corrected_p

SEVEN = (0.04, 0.001, 0.3, 0.04, 0.9, 0.0002, 0.013)
SIX = (0.0, 1.0, 0.5, 0.025, 0.025, 0.6)
R_NAMES = {"benjamini-hochberg": "BH"}

# p.adjust of R 4.2.2
GOLDEN = {
    (SEVEN, "holm"): (0.16, 0.006, 0.6, 0.16, 0.9, 0.0014, 0.065),
    (SEVEN, "bonferroni"): (0.28, 0.007, 1.0, 0.28, 1.0, 0.0014, 0.091),
    (SEVEN, "benjamini-hochberg"): (
        0.055999999999999994,
        0.0035,
        0.35000000000000003,
        0.055999999999999994,
        0.9,
        0.0014,
        0.030333333333333334,
    ),
    (SEVEN, "none"): SEVEN,
    (SIX, "holm"): (0.0, 1.0, 1.0, 0.125, 0.125, 1.0),
    (SIX, "bonferroni"): (0.0, 1.0, 1.0, 0.15, 0.15, 1.0),
    (SIX, "benjamini-hochberg"): (0.0, 1.0, 0.72, 0.05, 0.05, 0.72),
    (SIX, "none"): SIX,
}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case[1]}-{len(case[0])}")
def test_as_written_down(case: tuple[tuple[float, ...], str]) -> None:
    assert corrected_p(*case) == pytest.approx(GOLDEN[case], abs=1e-15)


@pytest.mark.parametrize("method", CORRECTION_METHODS)
def test_as_r_says_now(method: str) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not on PATH: the numbers from R are compared as written down only")
    p = np.random.default_rng(4).beta(0.4, 1.0, size=40).round(3)
    text = ",".join(repr(float(value)) for value in p)
    code = f'cat(sprintf("%.17g", p.adjust(c({text}), "{R_NAMES.get(method, method)}")))'
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    expected = [float(word) for word in done.stdout.split()]
    assert corrected_p(p.tolist(), method) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("method", CORRECTION_METHODS)
def test_what_has_no_result_is_not_counted(method: str) -> None:
    with_gaps: list[Optional[float]] = [None, *SEVEN[:3], None, *SEVEN[3:]]
    found = corrected_p(with_gaps, method)
    assert found[0] is None and found[4] is None
    assert [p for p in found if p is not None] == corrected_p(SEVEN, method)


@pytest.mark.parametrize("method", CORRECTION_METHODS)
def test_nothing_to_correct(method: str) -> None:
    assert corrected_p([], method) == []
    assert corrected_p([0.2], method) == [0.2]
    assert corrected_p([None], method) == [None]


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(ValueError, match="no correction 'sidak'.*holm"):
        corrected_p([0.1], "sidak")
    with pytest.raises(ValueError, match="between 0 and 1"):
        corrected_p([1.5], "holm")
    with pytest.raises(ValueError, match="between 0 and 1"):
        corrected_p([float("nan")], "holm")
