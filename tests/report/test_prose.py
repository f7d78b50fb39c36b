"""Paragraphs for a paper: what they say is what the document has."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import LETTER, NASTY, made

from cvinfer.errors import UserError
from cvinfer.report import write_prose
from cvinfer.report.prose import paragraphs


def text_of(document: dict[str, Any]) -> str:
    return write_prose(document, "markdown")


def test_methods_say_what_was_done() -> None:
    text = text_of(examples.small())
    methods, results = text.split("## Results")
    for needed in (
        "CART",
        "letter (200 records, 2 classes)",
        "blocked 5×2 CV and blocked 3×2 CV (at most 16 fits of each learner",
        "n/2 = 100 of 200 records",
        r"The test that decides is BCV 5×2 McNemar \[yang2023\], made for blocked 5×2 CV",
        "two-sided at α = 0.05, its statistic referred to χ²(1), with Holm's correction over 2",
        r"calibrated 5×2 BCV F \[wang2017\] were made, uncorrected",
        "cvinfer 0.1.0; seed 1",
    ):
        assert needed in methods, needed
    assert results.count("On letter, SVM had a significantly lower error rate than") == 2


def test_results_are_those_of_the_document() -> None:
    document = examples.small()
    verdict = document["verdicts"][0]
    (entry,) = [
        e for e in document["comparisons"] if e["sentence"] and e["a"] == verdict["a"] == "CART"
    ]
    inference = entry["inference"]
    found = str(paragraphs(document)[1].sentences[0][0])
    lower, upper = (100 * end for end in verdict["interval"])
    assert f"difference {100 * verdict['estimate']:.2f} percentage points" in found
    assert f"95 % interval {lower:.2f} to {upper:.2f}" in found
    assert f"χ²(1) = {inference['statistic']:.4g}, p < 0.001" in found
    assert "2 of 2 further tests agree" in found


def test_a_better_learner_a_turns_the_difference() -> None:
    document = made(LETTER, [("SVM", "CART")], ["bcv_5x2_mcnemar"], n=200)
    found = str(paragraphs(document)[1].sentences[0][0])
    assert "SVM had a significantly lower error rate than CART" in found
    assert re.search(r"difference \d+\.\d\d percentage points, 95 % interval \d", found)


def test_nothing_found_is_not_equal() -> None:
    document = made({"a": 0.2, "b": 0.2}, [("a", "b")], ["blocked_3x2_t"], n=80)
    found = str(paragraphs(document)[1].sentences[0][0])
    assert "no significant difference" in found and "does not show that they are equal" in found
    assert "t(5) = " in found


def test_failed_and_degenerate_comparisons_say_so() -> None:
    text = text_of(examples.troubled())
    assert "could not be compared: broken failed on split 9" in text
    assert "ties: the variance estimate is zero" in text


def test_latex_cites_and_is_ascii() -> None:
    document = made(LETTER, [("CART", "SVM")], ["bcv_5x2_mcnemar"], name=NASTY)
    text = write_prose(document, "latex")
    assert text.isascii()
    assert text.startswith("\\paragraph{Methods}") and "~\\cite{yang2023}" in text


def test_formats_without_paragraphs_are_refused() -> None:
    with pytest.raises(UserError, match="has no paragraphs"):
        write_prose(examples.small(), "csv")
