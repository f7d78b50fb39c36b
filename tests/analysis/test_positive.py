"""The positive class of a data set: its own before the spec's, and said with every interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cvinfer
from cvinfer.report import render
from cvinfer.spec import SpecError, load_spec

LEARNERS = {
    "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
    "Bayes": {"engine": "sklearn", "learner": "GaussianNB"},
}


def spec(**changes: Any) -> dict[str, Any]:
    """Two data sets of files, so that their labels look like numbers."""
    data = [{"source": "csv", "path": f"{name}.csv", "target": "y"} for name in ("one", "two")]
    made = {"cvinfer": 1, "name": "classes", "data": data, "learners": LEARNERS, "tests": []}
    return {**made, "intervals": ["f1_beta_prime", "kfold_t_interval"], **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, labels in (("one", ("0", "1")), ("two", ("0", "1", "2"))):
        rows = [f"{i * 7 % 11},{i * 5 % 13},{labels[i % len(labels)]}" for i in range(60)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    return tmp_path


def classes(document: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entry in document["intervals"]:
        found.setdefault(entry["data"], set()).add(entry["averaging"])
    return found


def test_each_data_set_has_its_own(folder: Path) -> None:
    mine = spec(positive=1)
    mine["data"][1]["positive"] = 2  # a number, as Python has it
    document = cvinfer.run(mine, base=folder).document
    assert classes(document) == {"one": {"class '1'"}, "two": {"class '2'"}}
    assert [each["source"].get("positive") for each in document["data"]] == [None, "2"]
    text = render(document, "text")
    assert "class '1'" in text and "class '2'" in text


def test_a_data_set_without_one_takes_the_specs_or_all(folder: Path) -> None:
    mine = spec()
    mine["data"][0]["positive"] = "0"
    found = classes(cvinfer.run(mine, base=folder).document)
    assert found["one"] == {"class '0'"}
    assert found["two"] == {"class '0'", "class '1'", "class '2'", "micro", "macro"}


def test_the_result_of_its_own_is_that_of_the_specs(folder: Path) -> None:
    own, whole = spec(), spec(positive="1")
    for entry in own["data"]:
        entry["positive"] = "1"
    first, second = (cvinfer.run(each, base=folder).document for each in (own, whole))
    assert first["intervals"] == second["intervals"]


def test_a_label_is_looked_for_in_its_own_data(folder: Path) -> None:
    mine = spec()
    mine["data"][0]["positive"] = "2"
    with pytest.raises(SpecError, match=r"data\[0\]\.positive: on data set 'one': there is no cl"):
        load_spec(mine, base=folder)


def test_files_give_their_names_where_they_differ(folder: Path) -> None:
    assert [entry["name"] for entry in load_spec(spec(), base=folder).data] == ["one", "two"]
    twice = spec()
    twice["data"][1] = {**twice["data"][0], "drop": ["a"]}
    with pytest.raises(SpecError, match="two data sets are called 'one'"):
        load_spec(twice, base=folder)
    twice["data"][1]["name"] = "without a"
    assert [e["name"] for e in load_spec(twice, base=folder).data] == ["one", "without a"]
