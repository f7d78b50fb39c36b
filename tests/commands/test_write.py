"""`cvinfer write`, and the options of the paper of `cvinfer table`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest
from tests.report import report_examples as examples

from cvinfer.report.files import write_result

Call = Callable[..., Any]


@pytest.fixture
def result(place: Path) -> Path:
    return write_result(place, examples.small())


def test_paragraphs(call: Call, result: Path) -> None:
    assert call("write", result).out.startswith("## Methods")
    assert call("write", result, "--format", "latex").out.startswith("\\paragraph{Methods}")
    assert call("write", result, "-o", "m.md").code == 0
    assert Path("m.md").read_text(encoding="utf-8") == call("write", result).out
    refused = call("write", result, "--format", "csv")
    assert refused.code == 2 and "markdown" in refused.err
    assert call("write", "absent.json").code == 2


def test_options_of_the_paper(call: Call, result: Path) -> None:
    table = ("table", result, "--format", "latex")
    assert "\\num{" in call(*table, "--numbers", "siunitx").out
    assert "tablenotes" in call(*table, "--notes", "threeparttable").out
    assert "\\begin{table*}" in call(*table, "--columns", "two").out
    one = call(*table, "--tests", "blocked_3x2_t")
    assert one.code == 0 and "calibrated" not in one.out


@pytest.mark.parametrize(
    "words, said",
    [
        (("--width", "wide"), "'wide' is no length"),
        (("--width", "1in"), "is no width of a table"),
        (("--tests", "kfold_t"), "no test 'kfold_t'"),
        (("--columns", "three"), "three"),
    ],
)
def test_wrong_options_are_told(call: Call, result: Path, words: Any, said: str) -> None:
    answer = call("table", result, "--format", "latex", *words)
    assert answer.code == 2 and said in answer.err


def test_options_of_the_paper_are_for_latex(call: Call, result: Path) -> None:
    answer = call("table", result, "--columns", "two")
    assert answer.code == 2 and "--format latex" in answer.err
