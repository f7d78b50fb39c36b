"""Tasks and suites of OpenML with their official splits, against a server with stored answers."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cvinfer import runner
from cvinfer.data import Dataset, faults, load
from cvinfer.data.openml_tasks import partition_told
from cvinfer.data.sources import openml
from cvinfer.errors import UserError
from cvinfer.limits import limited
from cvinfer.spec import SpecError, render_all
from cvinfer.spec.load import check_file, load_spec
from tests.data.openml_server import SIZES, Stored, serving, splits

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("arff") is None, reason="liac-arff is not installed"
)

HEAD = splits(0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stored]:
    monkeypatch.setattr(openml, "_PAUSE", 0.01)
    with serving() as stored:
        yield stored


def comparison(server: Stored, **more: Any) -> dict[str, Any]:
    """Two learners on the suite, on the splits of its tasks."""
    return {
        "cvinfer": 1,
        "name": "suite",
        "data": {"source": "openml", "suite": 99, "cache": "kept", "server": server.address},
        "learners": {
            "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
            "bayes": {"engine": "sklearn", "learner": "GaussianNB"},
        },
        "partition": {"scheme": "openml"},
        "tests": ["corrected_kfold_t"],
        **more,
    }


def of_task(server: Stored, number: int = 3, **more: Any) -> dict[str, Any]:
    data = {"source": "openml", "task": number, "cache": "kept", "server": server.address, **more}
    return comparison(server, data=data)


# --- a suite --------------------------------------------------------------------------------------


def test_a_suite_is_as_many_data_sets_on_their_official_splits(
    tmp_path: Path, server: Stored
) -> None:
    result = runner.run(comparison(server), base=tmp_path)
    document = result.document
    assert [each["name"] for each in document["data"]] == ["kr-vs-kp", "balance-scale", "half"]
    assert [each["licence"] for each in document["data"]] == ["Public"] * 3
    assert document["data"][1]["citation"] == "Author of balance-scale (1989)"
    assert [each["task"] for each in document["spec"]["data"]] == [3, 11, 12]
    assert "across" in document and not result.failed
    for each in document["partitions"]:
        assert each["scheme"] == "kfold" and each["shape"] == [5]
    for form in ("latex", "markdown", "text"):
        told = " ".join(result.table(form).split())
        assert "Licence of the data: Public (" in told
        assert "To be cited for the data: kr-vs-kp: Author of kr-vs-kp (1989);" in told

    # Everything is in the cache now, and the spec of the result is one of tasks.
    asked = len(server.asked)
    again = runner.run(document["spec"], base=tmp_path)
    assert again.document["comparisons"] == document["comparisons"]
    assert len(server.asked) == asked


def test_the_splits_are_those_of_the_task(tmp_path: Path, server: Stored) -> None:
    loaded = runner.load(of_task(server), base=tmp_path)
    (plan,) = runner.run_plans(loaded.spec, loaded.sets)
    assert plan is not None
    (partition,) = plan.partitions
    wanted: dict[int, list[int]] = {}
    for line in splits(SIZES[3]).splitlines():
        if line.startswith("TEST"):
            _, row, _, fold = line.split(",")
            wanted.setdefault(int(fold), []).append(int(row))
    assert [each.test.tolist() for each in partition.splits] == [wanted[at] for at in range(5)]
    every = np.arange(SIZES[3])
    for each in partition.splits:
        assert sorted([*each.train, *each.test]) == every.tolist()


def test_what_a_suite_says_goes_for_each_of_its_sets(tmp_path: Path, server: Stored) -> None:
    spec = comparison(server, partition="auto")
    spec["data"] = {**spec["data"], "positive": "won", "drop": ["y"]}
    loaded = runner.load(spec, base=tmp_path)
    assert [[c.name for c in each.features] for each in loaded.sets] == [["x"]] * 3
    assert [each["positive"] for each in loaded.spec.data] == ["won"] * 3


def test_two_tasks_on_one_data_set_have_names_of_their_own(tmp_path: Path, server: Stored) -> None:
    server.answers["/api/v1/json/task/4"] = server.answers["/api/v1/json/task/3"]
    server.put(
        "/api/v1/json/study/7",
        {"study": {"id": "7", "tasks": {"task_id": ["3", "4"]}}},
    )
    spec = comparison(server, partition="auto")
    spec["data"]["suite"] = 7
    loaded = runner.load(spec, base=tmp_path)
    assert [each.name for each in loaded.sets] == ["kr-vs-kp-task-3", "kr-vs-kp-task-4"]


def test_a_suite_of_data_sets_alone(tmp_path: Path, server: Stored) -> None:
    server.suite(8, [], data=[3, 12])
    spec = comparison(server, partition="auto")
    spec["data"]["suite"] = 8
    loaded = runner.load(spec, base=tmp_path)
    assert [each["id"] for each in loaded.spec.data] == [3, 12]
    assert [each.name for each in loaded.sets] == ["kr-vs-kp", "half"]


def test_a_task_that_is_none_is_told_and_the_others_go_on(tmp_path: Path, server: Stored) -> None:
    server.suite(99, [3, 5, 11, 77])
    result = runner.run(comparison(server), base=tmp_path)
    assert [each["name"] for each in result.document["data"]] == ["kr-vs-kp", "balance-scale"]
    failed = {each["data"]: each["message"] for each in result.document["failed_data"]}
    assert result.failed and list(failed) == ["openml-task-5", "openml-task-77"]
    assert "'Supervised Regression'; classifiers are compared here" in failed["openml-task-5"]
    assert "412 Precondition Failed for task 77: Unknown task" in failed["openml-task-77"]


def test_validate_fetches_nothing_and_knows_what_was_fetched(
    tmp_path: Path, server: Stored
) -> None:
    file = tmp_path / "spec.yaml"
    asks = comparison(server, across=True, control="tree")
    asks["learners"]["prior"] = {"engine": "builtin", "learner": "majority"}
    file.write_text(json.dumps(asks), encoding="utf-8")
    spec, found = check_file(file)
    assert not found and spec is not None and len(spec.data) == 1 and not server.asked
    runner.load(file)
    asked = len(server.asked)
    spec, found = check_file(file)
    assert not found and spec is not None and len(spec.data) == 3 and len(server.asked) == asked


def test_a_spec_that_was_read_before_the_suite_was(tmp_path: Path, server: Stored) -> None:
    spec = load_spec(comparison(server), base=tmp_path)
    assert len(spec.data) == 1 and not server.asked
    assert [each.name for each in runner.load(spec).sets] == ["kr-vs-kp", "balance-scale", "half"]


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data, place, words",
    [
        ({}, "data:", "needs one of 'id', 'task', 'suite'"),
        ({"id": 3, "suite": 99}, "data.suite:", "'id', 'suite' are given, where one of them says"),
        ({"id": 3, "task": 3}, "data.task:", "'id', 'task' are given"),
        ({"task": "three"}, "data.task:", "a whole number"),
        ({"suite": True}, "data.suite:", "a whole number"),
        ({"siute": 99}, "data.siute:", "did you mean 'suite'"),
    ],
)
def test_a_set_is_named_in_one_way(
    tmp_path: Path, data: dict[str, Any], place: str, words: str
) -> None:
    file = tmp_path / "spec.yaml"
    spec = comparison(Stored("http://127.0.0.1:9"), data={"source": "openml", **data})
    file.write_text(json.dumps(spec, indent=1), encoding="utf-8")
    _, found = check_file(file)
    told = render_all(found)
    assert len(found) == 1 and found[0].line > 1
    assert place.rstrip(":") in told and words in told
    if "siute" not in data:
        assert faults({"source": "openml", **data})


@pytest.mark.parametrize(
    "data, key, words",
    [
        ({"suite": 98}, "suite", "412 Precondition Failed for suite 98: Unknown study"),
        ({"task": 78}, "task", "412 Precondition Failed for task 78: Unknown task"),
        ({"task": 5}, "task", "classifiers are compared here"),
        ({"task": 0}, "task", "counts from 1"),
        ({"suite": -1}, "suite", "counts from 1"),
        ({"task": 3, "target": "x"}, "target", "the class of task 3 is 'class'"),
    ],
)
def test_what_openml_does_not_have(
    tmp_path: Path, server: Stored, data: dict[str, Any], key: str, words: str
) -> None:
    spec = comparison(server)
    del spec["data"]["suite"]
    spec["data"].update(data)
    file = tmp_path / "spec.yaml"
    file.write_text(json.dumps(spec, indent=1), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        runner.load(file, going_on=True)
    (fault,) = caught.value.faults
    assert words in str(caught.value)
    assert fault.path == f"data.{key}" and f'"{key}"' in fault.source_line


def test_a_fault_of_a_member_stands_at_the_suite(tmp_path: Path, server: Stored) -> None:
    server.suite(99, [3, 77])
    file = tmp_path / "spec.yaml"
    file.write_text(json.dumps(comparison(server), indent=1), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        runner.load(file)
    (fault,) = caught.value.faults
    assert "Unknown task" in fault.message and '"data": {' in fault.source_line


def test_a_suite_is_no_data_set(tmp_path: Path, server: Stored) -> None:
    with pytest.raises(UserError, match="is several data sets, where one is needed"):
        load(comparison(server)["data"], tmp_path, 1)


def test_a_suite_has_no_name(tmp_path: Path, server: Stored) -> None:
    spec = comparison(server)
    runner.load(spec, base=tmp_path)
    spec["data"]["name"] = "mine"
    with pytest.raises(SpecError, match="each with a name of its own"):
        runner.load(spec, base=tmp_path)


@pytest.mark.parametrize(
    "answer, words",
    [
        (b"<html>", "no JSON"),
        (b'{"study": []}', "lacks 'study'"),
        (b'{"study": [1]}', "no mapping"),
        (b'{"study": {"id": "99"}}', "neither tasks nor data sets"),
        (b'{"study": {"tasks": {"task_id": ["../../etc"]}}}', "where task_id should be a number"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_a_suite_that_does_not_keep_the_rules(
    tmp_path: Path, server: Stored, answer: bytes, words: str
) -> None:
    server.put("/api/v1/json/study/99", answer)
    for _ in range(2):
        with pytest.raises((UserError, SpecError), match=words):
            runner.load(comparison(server), base=tmp_path)


def test_downloads_are_bounded(tmp_path: Path, server: Stored) -> None:
    with limited(max_bytes=1500), pytest.raises(SpecError, match="--max-bytes raises that"):
        runner.load(of_task(server), base=tmp_path)
    assert not list((tmp_path / "kept").rglob("*splits*"))


# --- splits ---------------------------------------------------------------------------------------


def told(content: str, procedure: str = "crossvalidation", n: int = 6) -> Any:
    return partition_told(content.encode(), procedure, n, "the splits")


@pytest.mark.parametrize(
    "procedure, repeats, folds, scheme, shape",
    [
        ("crossvalidation", 1, 3, "kfold", (3,)),
        ("", 1, 3, "kfold", (3,)),
        ("crossvalidation", 2, 3, "repeated_kfold", (2, 3)),
        ("", 2, 3, "repeated_kfold", (2, 3)),
        ("crossvalidation", 5, 2, "random_mx2", (5, 2)),
        ("leaveoneout", 1, 6, "loo", (6,)),
    ],
)
def test_what_splits_are(
    procedure: str, repeats: int, folds: int, scheme: str, shape: tuple[int, ...]
) -> None:
    found = told(splits(6, repeats, folds), procedure)
    assert found.scheme == scheme and found.shape == shape


def test_holdouts() -> None:
    rows = ["TRAIN,0,{0},0", "TRAIN,1,{0},0", "TRAIN,2,{0},0", "TEST,3,{0},0", "TEST,5,{0},0"]
    one = HEAD + "\n".join(rows).format(0)
    found = told(one, "holdout")
    assert found.scheme == "holdout" and found.splits[0].test.tolist() == [3, 5]
    two = told(one + "\n" + "\n".join(rows).format(1), "holdout")
    assert two.scheme == "repeated_holdout" and two.shape == (2,)


def test_the_order_of_attributes_and_the_way_they_are_written_do_not_matter() -> None:
    plain = told(splits(6, 1, 3))
    text = splits(6, 1, 3).lower().replace("@attribute repeat", "@ATTRIBUTE 'repeat'")
    assert told(text.replace(",", ", ")).fingerprint == plain.fingerprint
    head, _, body = splits(6, 1, 3).partition("@data\n")
    lines = head.splitlines()
    lines[1], lines[2] = lines[2], lines[1]
    rows = [line.split(",") for line in body.splitlines()]
    turned = "\n".join(f"{row},{kind},{a}.0,{b}" for kind, row, a, b in reversed(rows))
    text = "\n".join(lines) + "\n@data\n% as they came\n" + turned
    assert told(text).fingerprint == plain.fingerprint


GOOD = splits(6, 1, 3)


@pytest.mark.parametrize(
    "content, words",
    [
        ("", "no @data line"),
        (HEAD, "name no records"),
        (GOOD.replace("rowid", "row"), "have no attribute 'rowid'"),
        (GOOD.replace("TEST", "PROBE"), "have 'PROBE' as type in row"),
        (GOOD + "TEST,six,0,0\n", "have 'six' as rowid in row 19, which is not a number"),
        (GOOD + "TEST,6,0,0\n", "name record 6, but the data has records 0 to 5"),
        (GOOD + "TEST,-1,0,0\n", "have '-1' as rowid"),
        (GOOD + "TEST,1\n", "have '' as repeat"),
        (GOOD + "TEST,1,0,0\n", "a record has one role"),
        (GOOD.replace("TRAIN", "TEST"), "has no train records"),
        ("\n".join(GOOD.splitlines()[:-1]), "uses every record"),
    ],
)
def test_splits_that_are_none(content: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        told(content)
    assert words in str(caught.value), str(caught.value)


@pytest.mark.parametrize("procedure", ["bootstrapping", "learningcurve", "testthentrain"])
def test_there_is_no_test_for_other_splits(procedure: str) -> None:
    with pytest.raises(UserError, match=f"are '{procedure}'; there is no test for such splits"):
        told(GOOD, procedure)


@pytest.mark.parametrize(
    "data, words",
    [
        ({"task": 3, "sample": 20}, "the official splits are of all records, and sample draws"),
        ({"id": 3}, "is of no task of OpenML"),
    ],
)
def test_splits_that_do_not_fit_the_data(
    tmp_path: Path, server: Stored, data: dict[str, Any], words: str
) -> None:
    spec = comparison(server)
    del spec["data"]["suite"]
    spec["data"].update(data)
    with pytest.raises(SpecError) as caught:
        runner.load(spec, base=tmp_path)
    assert words in str(caught.value) and "partition" in str(caught.value)


def test_records_left_out_have_no_official_splits(tmp_path: Path, server: Stored) -> None:
    path = "/data/v1/download/3/d.arff"
    lines = server.answers[path][1].decode().splitlines()
    lines[-1] = "?" + lines[-1][lines[-1].index(",") :]
    content = "\n".join(lines) + "\n"
    server.put(path, content)
    server.data_set(3, md5_checksum="")
    server.put(path, content)
    with pytest.raises(SpecError, match="1 of them are left out.*impute"):
        runner.load(of_task(server, missing="drop"), base=tmp_path)
    loaded = runner.load(of_task(server, missing="impute"), base=tmp_path)
    assert isinstance(loaded.sets[0], Dataset) and loaded.sets[0].n == SIZES[3]


def test_a_test_that_does_not_fit_the_splits_is_a_fault(tmp_path: Path, server: Stored) -> None:
    spec = {**of_task(server), "tests": ["blocked_3x2_t"]}
    with pytest.raises(SpecError, match="needs the scheme blocked_mx2.*the partition has kfold"):
        runner.load(spec, base=tmp_path)
