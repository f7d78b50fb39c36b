"""Learners over many data sets: one value of each, what is left out, when there are tests."""

from __future__ import annotations

from typing import Any, Optional

import jsonschema
import numpy as np
import pytest
from tests.analysis.test_document import MANIFEST
from tests.report.report_examples import Learner, Spec, simulated_run

from cvinfer import inference
from cvinfer.analysis import document as documents
from cvinfer.analysis import together
from cvinfer.report import render
from cvinfer.schemas import schema

RATES = {"tree": 0.3, "SVM": 0.1, "NB": 0.2}
PAIRS = [("tree", "SVM"), ("tree", "NB"), ("SVM", "NB")]


def made(
    data_sets: int, fail: Optional[tuple[str, str]] = None, rates: Any = None, **more: Any
) -> dict[str, Any]:
    rates = rates or RATES
    pairs = [pair for pair in PAIRS if set(pair) <= set(rates)]
    runs = [
        simulated_run(f"d{at}", rates, pairs, [("blocked_3x2_t", {})], 120, fail)
        for at in range(data_sets)
    ]
    spec = Spec("many", {name: Learner() for name in rates}, compares_across=True, **more)
    found = documents.build(spec, runs, MANIFEST)
    jsonschema.validate(found, schema("result"))
    return found


def names(entry: dict[str, Any]) -> list[str]:
    return [each["name"] for each in entry["tests"]]


def test_one_value_a_data_set_enters() -> None:
    found = made(5, control="NB", margin=0.01)
    (entry,) = found["across"]
    assert (entry["measure"], entry["better"], entry["ranked"]) == ("zero_one", "lower", 5)
    means = {(each["data"], each["learner"]): each["mean"] for each in found["losses"]}
    assert entry["means"] == [
        [means[data, learner] for learner in entry["learners"]] for data in entry["data"]
    ]
    assert entry["ranks"] == inference.mean_ranks(np.array(entry["means"])).tolist()
    tests = {each["name"]: each for each in entry["tests"]}
    assert tests["friedman"]["statistic"] == inference.friedman(entry["means"]).statistic
    assert tests["holm_control"]["control"] == "NB"
    assert [each["learner"] for each in tests["holm_control"]["against"]] == ["tree", "SVM"]
    assert tests["bayes_signed_rank"]["margin"] == 0.01
    assert names(entry).count("bayes_signed_rank") == 3 and "wilcoxon" not in names(entry)


def test_two_learners_get_wilcoxon() -> None:
    (entry,) = made(5, rates={"tree": 0.3, "SVM": 0.1})["across"]
    assert names(entry) == ["wilcoxon", "bayes_signed_rank"]
    assert (entry["tests"][0]["a"], entry["tests"][0]["b"]) == ("tree", "SVM")


def test_fewer_than_five_are_described_not_tested() -> None:
    (entry,) = made(4)["across"]
    assert entry["tests"] == [] and entry["ranks"] is not None
    assert "4 data sets described, not tested" in entry["sentence"]


def test_wins_are_verdicts() -> None:
    found = made(5)
    for each in found["across"][0]["wins"]:
        verdicts = [
            v["verdict"] for v in found["verdicts"] if (v["a"], v["b"]) == (each["a"], each["b"])
        ]
        assert (each["win"], each["loss"]) == (
            verdicts.count("a_better"),
            verdicts.count("b_better"),
        )
        assert each["win"] + each["tie"] + each["loss"] + each["no_result"] == 5


def test_an_incomplete_row_is_left_out_and_named() -> None:
    table: list[list[Optional[float]]] = [[0.1 * at, 0.1 * at + 0.05] for at in range(1, 7)]
    table[2][1] = None
    data = [f"d{at}" for at in range(6)]
    measured = together.Measured("zero_one", "lower", table)
    lost = [{"data": "gone", "message": "there is no such file"}]
    entry = together.across(together.Asked(0.05, 1), measured, data, ["A", "B"], (), lost)
    assert entry["ranked"] == 5 and entry["ranks"] == [1.0, 2.0]
    assert [each["data"] for each in entry["left_out"]] == ["d2", "gone"]
    assert "Left out of ranks and tests: d2 and gone" in entry["sentence"]


def test_where_higher_is_better_the_ranks_turn() -> None:
    table = [[0.9, 0.8, 0.7]] * 5
    measured = together.Measured("auc", "higher", table)
    entry = together.across(together.Asked(0.05, 1), measured, list("abcde"), list("ABC"), ())
    assert entry["ranks"] == [1.0, 2.0, 3.0]


def test_nothing_complete_has_no_ranks() -> None:
    measured = together.Measured("zero_one", "lower", [[None, 0.1]])
    entry = together.across(together.Asked(0.05, 1), measured, ["a"], ["A", "B"], ())
    assert entry["ranks"] is None and entry["sentence"] == entry["note"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
@pytest.mark.parametrize("data_sets", [3, 6])
def test_every_format_has_the_grid(form: str, data_sets: int) -> None:
    text = render(made(data_sets, control="SVM"), form)
    assert "Mean rank" in text and "Win/tie/loss" in text
    assert ("Friedman" in text) == (data_sets >= together.TESTED_FROM)


def test_posteriors_stand_beside_verdicts() -> None:
    found = made(2, bayes=True, margin=0.02)
    assert [(e["data"], e["a"], e["b"]) for e in found["bayes"]] == [
        (v["data"], v["a"], v["b"]) for v in found["verdicts"]
    ]
    first = found["bayes"][0]
    splits = {(e["data"], e["learner"]): np.ravel(e["per_split"]) for e in found["losses"]}
    d = splits["d0", "tree"] - splits["d0", "SVM"]
    wanted = inference.bayes_correlated_t(d, 60, 60, 0.02)
    assert first["result"] == wanted.as_dict() and first["result"]["rho"] == 0.5
    assert "within ±2.00" in first["sentence"]
    assert "which decide nothing" in render(found, "text")
    assert "bayes" not in made(2)


def test_one_data_set_has_none_of_it() -> None:
    spec = Spec("one", {name: Learner() for name in RATES})
    run = simulated_run("d", RATES, PAIRS, [("blocked_3x2_t", {})], 120, None)
    assert not {"across", "bayes", "failed_data"} & set(documents.build(spec, [run], MANIFEST))
