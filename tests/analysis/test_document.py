"""The result document: its schema, its bytes, its contents."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from tests.report import report_examples as examples
from tests.report.report_examples import MANIFEST, Learner, Spec, facts, reread

from cvinfer.inference import compare_losses, infer
from cvinfer.partitions import make_partition
from cvinfer.analysis import document as documents
from cvinfer.report import files
from cvinfer.report import render, write_report

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("one", "small", "troubled", "every_test", "breast_cancer")

jsonschema = pytest.importorskip("jsonschema", reason="documents cannot be validated without it")


def schema() -> dict[str, Any]:
    text = (ROOT / "schemas/result.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    return reread(getattr(examples, request.param)())


def test_documents_are_valid(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    faults = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(document)]
    assert faults == []


@pytest.mark.parametrize(
    "where, change",
    [
        ((), {"host": "here"}),
        (("comparisons", 0), {"seconds": 1.0}),
        (("comparisons", 0), {"p_corrected": 1.5}),
        (("comparisons", 0, "inference"), {"p_value": None}),
        (("manifest",), {"time": "now"}),
        (("partitions", 0), {"fingerprint": "abc"}),
        ((), {"cvinfer": 2}),
    ],
)
def test_the_schema_is_strict(where: tuple[Any, ...], change: dict[str, Any]) -> None:
    wrong = reread(examples.small())
    place: Any = wrong
    for key in where:
        place = place[key]
    place.update(change)
    assert not jsonschema.Draft202012Validator(schema()).is_valid(wrong)


def test_every_required_key_is_missed() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    for key in reread(examples.small()):
        without = {k: v for k, v in reread(examples.small()).items() if k != key}
        assert not validator.is_valid(without), key


def properties(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for name, inside in node.get("properties", {}).items():
            yield f"{path}.{name}", inside
        for key, inside in node.items():
            yield from properties(inside, f"{path}.{key}")
    elif isinstance(node, list):
        for at, inside in enumerate(node):
            yield from properties(inside, f"{path}[{at}]")


def test_every_key_of_the_schema_is_described() -> None:
    found = list(properties(schema()))
    assert len(found) > 60
    assert [path for path, inside in found if not inside.get("description")] == []


def test_canonical_and_the_same_every_time() -> None:
    first, second = files.canonical(examples.small()), files.canonical(examples.small())
    assert first == second
    assert first.endswith("}\n") and "NaN" not in first and "Infinity" not in first
    parsed = json.loads(first)
    assert first == json.dumps(parsed, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def test_write_replaces_whole_files(tmp_path: Path) -> None:
    directory = tmp_path / "results" / "a b"
    document = examples.every_test()
    written = write_report(directory, document)
    names = {"result.json", "result.tex", "references.bib", "result.md", "report.html"}
    assert {path.name for path in written} == names
    assert {path.name for path in directory.iterdir()} == names  # no temporary file is left
    before = {name: (directory / name).read_bytes() for name in names}
    write_report(directory, json.loads(before["result.json"]))
    assert {name: (directory / name).read_bytes() for name in names} == before
    assert stat.S_IMODE(os.stat(directory / "result.json").st_mode) & 0o044


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    files.write_result(tmp_path, examples.small())
    before = (tmp_path / "result.json").read_bytes()
    with pytest.raises(ValueError):
        files.write_result(tmp_path, {"p": float("nan")})
    assert (tmp_path / "result.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_half_a_surrogate_pair_can_be_written(tmp_path: Path) -> None:
    path = files.write_result(tmp_path, {"message": "file \udc80"})
    assert json.loads(path.read_text(encoding="utf-8"))["message"] == "file \udc80"


def test_inferences_are_taken_over_as_they_are() -> None:
    entry = examples.small()["comparisons"][0]
    partition = examples.partitions_for("bcv_5x2_mcnemar", 200)[0]
    a, b = examples.losses_of(0.32, partition, 0), examples.losses_of(0.07, partition, 2)
    assert entry["inference"] == compare_losses("bcv_5x2_mcnemar", partition, a, b).as_dict()
    told = examples.small()["partitions"][entry["partitions"][0]]
    assert told["fingerprint"] == partition.fingerprint
    assert told["overlaps"]["worst"] == partition.overlaps().worst


def test_losses_per_split() -> None:
    document = examples.troubled()
    partitions = document["partitions"]
    for entry in document["losses"]:
        shape = tuple(partitions[entry["partition"]]["shape"])
        means = np.array(entry["per_split"], dtype=object)
        assert means.shape == shape
        if entry["learner"] == "broken":
            assert means.ravel()[-1] is None and entry["mean"] is None
        else:
            assert entry["mean"] == pytest.approx(means.astype(float).mean())


def test_indices_run_over_all_data_sets() -> None:
    document = examples.breast_cancer()
    for kind in ("comparisons", "intervals"):
        for entry in document[kind]:
            for at in entry["partitions"]:
                assert document["partitions"][at]["data"] == entry["data"]
    for entry in document["losses"]:
        assert document["partitions"][entry["partition"]]["data"] == entry["data"]


def test_predictions_made_elsewhere_bring_their_own_learners() -> None:
    partition = make_partition("kfold", 40, k=4, seed=1)
    losses = {(name, 0): examples.losses_of(0.3, partition, at) for at, name in enumerate("AB")}
    run = documents.DataRun(facts("p", 40), (partition,), ("folds",), losses, ())
    document = documents.build(Spec("p", {"A": Learner()}), [run], MANIFEST)
    assert [(one["name"], one["engine"]) for one in document["learners"]] == [
        ("A", "builtin"),
        ("B", "predictions"),
    ]
    for name in ("latex", "markdown", "csv", "text"):
        assert isinstance(render(document, name), str)


def test_a_run_must_say_result_or_failure() -> None:
    partition = make_partition("kfold", 40, k=4, seed=1)
    neither = documents.ComparisonRun("A", "B", "kfold_t", {}, (0,))
    run = documents.DataRun(facts("p", 40), (partition,), ("folds",), {}, (neither,))
    with pytest.raises(ValueError, match="either an inference or the reason"):
        documents.build(Spec("p", {}), [run], MANIFEST)
    found = infer("error_dataset_z", 3, 40)
    both = documents.IntervalRun("A", "error_dataset_z", {}, (0,), found, None, "failed")
    run = documents.DataRun(facts("p", 40), (partition,), ("folds",), {}, (), (both,))
    with pytest.raises(ValueError, match="either a result or the reason"):
        documents.build(Spec("p", {}), [run], MANIFEST)
    with pytest.raises(ValueError, match="1 partitions have 0 labels"):
        documents.build(
            Spec("p", {}), [documents.DataRun(facts("p", 40), (partition,), (), {}, ())], MANIFEST
        )
