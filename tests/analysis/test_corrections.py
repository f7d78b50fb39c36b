"""Corrected p-values against R's p.adjust: numbers written down, and R itself where it is there."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any, Mapping, Optional

import numpy as np
import pytest
from tests.report.report_examples import LETTER, made

from cvinfer.report import files
from cvinfer.report import render
from cvinfer.inference.correction import corrected_p
from cvinfer.inference.correction import METHODS as CORRECTION_METHODS

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


# --- families -------------------------------------------------------------------------------------

PAIRS = [("CART", "SVM"), ("1-NN", "SVM"), ("CART", "1-NN")]
BY_DATA = {"method": "holm", "over": "data"}


def p_values(document: Mapping[str, Any], data: str, key: str) -> list[float]:
    entries = [entry for entry in document["comparisons"] if entry["data"] == data]
    return [e["inference"]["p_value"] if key == "p_value" else e[key] for e in entries]


def test_over_data_makes_each_data_set_a_family() -> None:
    """Each data set is corrected as if it were alone; over all, the six are corrected together."""
    sets = ["letter", "iris"]
    document = made(LETTER, PAIRS, ["bcv_5x2_mcnemar"], sets, BY_DATA)
    together = made(LETTER, PAIRS, ["bcv_5x2_mcnemar"], sets, "holm")
    for data in sets:
        raw = p_values(document, data, "p_value")
        assert p_values(document, data, "p_corrected") == corrected_p(raw, "holm")
        alone = made(LETTER, PAIRS, ["bcv_5x2_mcnemar"], [data], "holm")
        assert p_values(alone, data, "p_value") == raw
        for one, other in zip(document["verdicts"], together["verdicts"]):
            # Level 1 - 0.05/3 inside level 1 - 0.05/6.
            inner, outer = one["interval_simultaneous"], other["interval_simultaneous"]
            assert outer[0] < inner[0] < inner[1] < outer[1]
    every = [p for data in sets for p in p_values(together, data, "p_value")]
    found = [p for data in sets for p in p_values(together, data, "p_corrected")]
    assert found == corrected_p(every, "holm")
    for format_ in ("text", "markdown"):
        flat = " ".join(render(document, format_).split())
        assert "Holm's correction over the 3 comparisons of each data set" in flat
        assert "for each data set simultaneous ones (Bonferroni)" in flat
        assert "Holm's correction over 6 comparisons" in " ".join(render(together, format_).split())
    assert files.canonical(document["spec"]) != files.canonical(together["spec"])


def test_families_of_one_are_not_called_corrected() -> None:
    document = made(LETTER, PAIRS[:1], ["bcv_5x2_mcnemar"], ["letter", "iris"], BY_DATA)
    for found in document["verdicts"]:
        assert found["p_corrected"] == found["p_value"]
        assert found["interval_simultaneous"] is None and "Holm" not in found["sentence"]
    text = " ".join(render(document, "text").split())
    assert "Holm" not in text
    assert "not corrected: each data set is a family of its own, of one comparison" in text


def test_failed_comparisons_are_told_for_their_family() -> None:
    tests = ["bcv_5x2_mcnemar"]
    document = made(LETTER, PAIRS, tests, ["letter", "iris"], BY_DATA, fail=("1-NN", tests[0]))
    lines = [line for line in document["warnings"] if "have no result" in line]
    assert [line.partition(":")[0] for line in lines] == [
        f"{d}, {tests[0]}" for d in ("letter", "iris")
    ]
    assert all(
        "2 of 3 comparisons" in line and "Holm correction counts 1 only" in line for line in lines
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("holm", "holm"),
        ({"method": "holm", "over": "all"}, "holm"),
        ({"method": "bonferroni"}, "bonferroni"),
        ({"over": "data"}, BY_DATA),
        ({"method": "none", "over": "data"}, "none"),
        (BY_DATA, BY_DATA),
    ],
)
def test_one_way_to_write_each(given: Any, kept: Any) -> None:
    """The short form and what means the same give the same bytes."""
    from cvinfer.spec import load_spec

    spec = {
        "cvinfer": 1,
        "data": {"source": "sklearn", "dataset": "iris"},
        "learners": {
            "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
            "Bayes": {"engine": "sklearn", "learner": "GaussianNB"},
        },
        "correction": given,
    }
    resolved = load_spec(spec).resolved()
    assert resolved["correction"] == kept
    assert load_spec(resolved).resolved() == resolved
