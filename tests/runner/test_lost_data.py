"""A data set that cannot be taken is told, and the run goes on with the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cvinfer.runner import load, run
from cvinfer.schemas import schema
from cvinfer.spec import SpecError

LEARNERS = {
    "NB": {"engine": "builtin", "learner": "MeanClassifier"},
    "prior": {"engine": "builtin", "learner": "MajorityClassifier"},
}
IRIS = {"source": "sklearn", "dataset": "iris"}
WINE = {"source": "sklearn", "dataset": "wine"}
GONE = {"source": "csv", "path": "gone.csv", "target": "y"}
ONE = {"source": "csv", "path": "one.csv", "target": "y"}


def spec(*data: Any) -> dict[str, Any]:
    return {
        "cvinfer": 1,
        "data": list(data),
        "learners": LEARNERS,
        "partition": {"scheme": "kfold", "k": 3},
        "tests": ["corrected_kfold_t"],
    }


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,a\n3,a\n", encoding="utf-8")
    return tmp_path


def test_the_others_go_on_and_it_is_named(place: Path) -> None:
    found = run(spec(GONE, IRIS, ONE, WINE), base=place, jobs=1)
    document = found.document
    jsonschema.validate(document, schema("result"))
    assert found.failed
    assert [each["name"] for each in document["data"]] == ["iris", "wine"]
    assert [each["data"] for each in document["failed_data"]] == ["gone", "one"]
    assert "no file 'gone.csv'" in document["failed_data"][0]["message"]
    assert "only the class 'a'" in document["failed_data"][1]["message"]
    assert [each["data"] for each in document["across"][0]["left_out"]] == ["gone", "one"]
    # What is there is what it would be without them.
    alone = run(spec(IRIS, WINE), base=place, jobs=1).document
    assert not run(spec(IRIS, WINE), base=place, jobs=1).failed and "failed_data" not in alone
    assert json.dumps(alone["verdicts"]) == json.dumps(document["verdicts"])


@pytest.mark.parametrize("data", [(GONE,), (GONE, ONE)])
def test_where_none_is_left_each_is_a_fault(place: Path, data: Any) -> None:
    with pytest.raises(SpecError) as found:
        run(spec(*data), base=place)
    assert len(found.value.faults) == len(data)


def test_other_stages_and_the_first_failure_refuse_it(place: Path) -> None:
    with pytest.raises(SpecError):
        load(spec(IRIS, GONE), base=place)
    with pytest.raises(SpecError):
        run(spec(IRIS, GONE), base=place, fail_fast=True)


def test_a_wrong_key_is_a_fault_of_the_spec(place: Path) -> None:
    with pytest.raises(SpecError, match="colour"):
        run(spec(IRIS, {**GONE, "colour": "red"}), base=place)


FEW = {"source": "csv", "path": "few.csv", "target": "y"}
NAMED = {"source": "csv", "path": "named.csv", "target": "y"}


@pytest.fixture
def unfit(place: Path) -> Path:
    """Fewer records than folds; and a column that differs in every record."""
    (place / "few.csv").write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    rows = "".join(f"{at},person {at},{'ab'[at % 2]}\n" for at in range(30))
    (place / "named.csv").write_text("x,who,y\n" + rows, encoding="utf-8")
    return place


@pytest.mark.parametrize("partition", [{"scheme": "kfold", "k": 3}, "auto"])
def test_one_that_cannot_be_used_as_asked_goes_too(unfit: Path, partition: Any) -> None:
    asked = {**spec(FEW, IRIS, NAMED, WINE), "partition": partition}
    document = run(asked, base=unfit, jobs=1).document
    assert [each["name"] for each in document["data"]] == ["iris", "wine"]
    failed = {each["data"]: each["message"] for each in document["failed_data"]}
    assert list(failed) == ["few", "named"]
    assert "folds need at least" in failed["few"]
    assert "say drop: [who]" in failed["named"]
    # Alone, or where the first failure is the last, each is a fault with its place.
    with pytest.raises(SpecError, match=r"data\[2\].drop: column 'who'"):
        load(asked, base=unfit)
    with pytest.raises(SpecError, match="folds need at least"):
        run({**asked, "data": [FEW]}, base=unfit)
    with pytest.raises(SpecError, match="folds need at least"):
        run({**asked, "data": [FEW, {**FEW, "name": "again"}]}, base=unfit)
