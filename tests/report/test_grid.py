"""The grid of data sets and learners: marks and wins beside a reference, from one model."""

from __future__ import annotations

import re
from typing import Any, Optional

import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import LETTER, made

from cvinfer.paper import PaperOptions
from cvinfer.report import render
from cvinfer.report.for_paper import as_chosen
from cvinfer.report.tables import tables
from cvinfer.report.tables.grid import BETTER, WORSE, grid_of, record, reference_of
from cvinfer.report.tables.model import Table

#: What a verdict is worth to the learner named first and to the one named second.
WON = {"a_better": (BETTER, WORSE), "b_better": (WORSE, BETTER)}


def grid(document: dict[str, Any]) -> Table:
    (found,) = [table for table in tables(document) if table.kind == "across"]
    return found


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("control", [None, "SVM"])
def test_marks_and_wins_are_the_verdicts_against_the_reference(
    across: bool, control: Optional[str]
) -> None:
    document = examples.many(control, across)
    reference = control or "CART"
    table = grid(document)
    (group,) = table.groups
    assert [column.title for column in group.shared] == [reference]
    assert len(group.own) == 3
    names = [cell.text for cell in table.keys[0].cells]
    wins: dict[str, list[int]] = {}
    for column in (*group.shared, *group.own):
        for name, cell in zip(names, column.cells):
            found = [
                (v, "ab"[v["b"] == column.title])
                for v in document["verdicts"]
                if v["data"] == name and {v["a"], v["b"]} == {column.title, reference}
            ]
            for verdict, side in found:
                sign = WON.get(verdict["verdict"], ("", ""))["ab".index(side)]
                assert cell.sign == sign
                wins.setdefault(column.title, []).append([BETTER, "", WORSE].index(sign))
            assert found or cell.sign == ""
    # Nobody is better than SVM; CART has learners on both sides of it.
    assert any(0 in each for each in wins.values()) == (control is None)
    assert any(2 in each for each in wins.values())
    assert [column.cells[-1].text for column in group.own] == [
        "/".join(str(wins[column.title].count(at)) for at in range(3)) for column in group.own
    ]
    assert group.shared[0].cells[-1].text == "—"
    assert ("Mean rank" in names) == across


def test_means_are_those_of_the_test_that_decides() -> None:
    together, apart = examples.many(), examples.many(across=False)
    first, second = grid_of(together, "zero_one"), grid_of(apart, "zero_one")
    assert first is not None and second is not None
    assert first.ranks is not None and second.ranks is None
    for name in first.learners:
        one = [row[first.learners.index(name)] for row in first.means]
        assert one == [row[second.learners.index(name)] for row in second.means]


def test_without_one_learner_in_all_pairs_there_is_no_reference() -> None:
    pairs = [("CART", "SVM"), ("CART", "1-NN"), ("SVM", "1-NN")]
    document = made(LETTER, pairs, ["bcv_5x2_mcnemar"], ["a", "b"])
    assert reference_of(document, "zero_one") is None
    assert grid_of(document, "zero_one") is None
    two = made(LETTER, pairs[:1], ["bcv_5x2_mcnemar"], ["a", "b"])
    assert reference_of(two, "zero_one") == "SVM"  # of two, the second
    # A grid has several data sets.
    assert grid_of(made(LETTER, pairs[:1], ["bcv_5x2_mcnemar"]), "zero_one") is None


def test_another_correction_of_the_paper_moves_the_marks() -> None:
    """Marks follow the comparisons that a paper shows, not those of the document."""
    document = examples.many(across=False)
    for entry in document["comparisons"]:
        entry["p_corrected"], entry["reject_corrected"], entry["better"] = 1.0, False, None
    assert record(document, "zero_one", "SVM", "CART") == (0, 6, 0)
    chosen = as_chosen(document, PaperOptions(correction="per_data"))
    assert record(chosen, "zero_one", "SVM", "CART") == (6, 0, 0)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_every_format_has_marks_and_wins(form: str) -> None:
    document = examples.many()
    text = render(document, form)
    better = r"$\circ$" if form == "latex" else BETTER
    worse = r"$\bullet$" if form == "latex" else WORSE
    assert text.count(better) >= 1 + 6 and worse in text
    assert "Win/tie/loss" in text and "6/0/0" in text.replace(" ", "")
    assert "significantly better than CART" in text


def test_numbers_stay_in_line_beside_marks() -> None:
    text = render(examples.many(), "text")
    rows = [line for line in text.splitlines() if line.startswith("data set ")][:6]
    assert any(BETTER in row for row in rows)
    for column in zip(*([found.end() for found in re.finditer(r"\d\.\d\d", r)] for r in rows)):
        assert len(set(column)) == 1
