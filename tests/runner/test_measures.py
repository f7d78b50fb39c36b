"""Runs by several measures: one fit for all of them, and a spec that comes out as it went in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cvinfer.inference.recommended import recommended_by
from cvinfer.runner import run
from cvinfer.spec.model import RECOMMENDED_BY_VALUES, RECOMMENDED_TESTS

SPEC: dict[str, Any] = {
    "cvinfer": 1,
    "name": "measured",
    "data": {"source": "sklearn", "dataset": "wine"},
    "learners": {
        "bayes": {"engine": "sklearn", "learner": "GaussianNB"},
        "stump": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
    },
    "seed": 3,
}
MEASURES = ["zero_one", {"auc": {"average": "ovr"}}, "log_loss", "f1"]


#: What is recommended by each follows from the rates that were measured.
CHOSEN = {"zero_one": RECOMMENDED_TESTS[0]} | {
    name: recommended_by(name) or RECOMMENDED_BY_VALUES[0] for name in ("auc", "log_loss", "f1")
}


def test_one_fit_serves_all_measures(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    several = run({**SPEC, "measures": MEASURES}, jobs=1, store=store)
    document = several.document
    assert document["failures"] == []
    # As many fits as the same tests take by one measure.
    once = {**SPEC, "tests": list(dict.fromkeys(CHOSEN.values()))}
    fits = run(once, jobs=1, store=tmp_path / "once.sqlite").outcome.fitted
    assert several.outcome.fitted == fits >= 20
    made = {each["measure"]: each for each in document["comparisons"]}
    assert {name: each["test"] for name, each in made.items()} == CHOSEN
    assert all(each["inference"] is not None for each in made.values())
    # What a measure finds is the same alone, and codes do not change when more is asked for.
    alone = run({**SPEC, "tests": "recommended"}, jobs=1, store=tmp_path / "other.sqlite")
    assert alone.document["comparisons"][0] == made["zero_one"]
    assert alone.document["spec"]["loss"] == "zero_one" and "measures" not in alone.document["spec"]
    # The resolved spec is a spec of the same, and everything is there already.
    again = run(document["spec"], jobs=1, store=store)
    assert again.outcome.fitted == 0 and again.document == document


def test_tests_on_a_finished_run(tmp_path: Path) -> None:
    from cvinfer.commands._more_tests import _with_primary

    document = run({**SPEC, "measures": MEASURES}, jobs=1, store=tmp_path / "s.sqlite").document
    asked = _with_primary(document, ["kfold_t"])
    assert [each if isinstance(each, str) else next(iter(each)) for each in asked] == [
        *dict.fromkeys(CHOSEN.values()),
        "kfold_t",
    ]
