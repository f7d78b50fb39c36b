"""Groups from the spec to the result: no split that is called grouped cuts one."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterable

import numpy as np
import pytest
from tests.execute.run_examples import NEAREST_MEAN, TREE, spec_of

from cvinfer.commands._more_tests import test_again as again
from cvinfer.data import write_splits
from cvinfer.errors import UserError
from cvinfer.inference import intervals, tests
from cvinfer.partitions import make_partition, schemes
from cvinfer.planning import plan_run
from cvinfer.runner import load, run, run_plans
from cvinfer.spec import SpecError

HONOURING = [name for name, info in schemes().items() if info.groups]
REFUSING = [name for name, info in schemes().items() if not info.groups]
#: Tests and intervals that need no scheme which cuts groups.
GROUPED_TESTS = [n for n, t in tests().items() if all(x.scheme in HONOURING for x in t.needs)]
GROUPED_INTERVALS = [
    n for n, i in intervals().items() if all(x.scheme in HONOURING for x in i.planned)
]

CSV = {"source": "csv", "path": "patients.csv", "target": "class"}


def write_patients(directory: Path, patients: int = 30) -> list[dict[str, str]]:
    """patients.csv: 1 to 5 records of each patient in mixed order; patients lie in wards."""
    rng = np.random.default_rng(5)
    rows = []
    for patient in range(patients):
        for _ in range(1 + patient * 3 % 5):
            y = patient % 2 if rng.random() < 0.8 else 1 - patient % 2
            u, v = rng.normal(y, 1, 2)
            names = {"patient": f"p{patient}", "ward": f"w{patient % 12}"}
            rows.append({**names, "u": f"{u:.6f}", "v": f"{v:.6f}", "class": f"c{y}"})
    rows = [rows[at] for at in rng.permutation(len(rows))]
    with open(directory / "patients.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return rows


def grouped_spec(directory: Path, data: dict[str, Any], **more: Any) -> Path:
    path = spec_of(directory, data={**CSV, **data}, **more)
    write_patients(directory)
    return path


def cut(rows: list[dict[str, str]], column: str, splits: Iterable[tuple[Any, Any]]) -> int:
    """How many groups are on both sides, over all splits; from the file, not from the code."""
    return sum(
        len({rows[i][column] for i in train} & {rows[i][column] for i in test})
        for train, test in splits
    )


def of_plan(plan: Any) -> list[tuple[Any, Any]]:
    return [(split.train, split.test) for split in plan.splits]


def test_every_test_and_interval_on_grouped_partitions(tmp_path: Path) -> None:
    """Auto draws every scheme with the groups of the data; whole runs, looked at from outside."""
    path = grouped_spec(
        tmp_path,
        {"groups": "patient", "drop": ["ward"]},
        learners={"A": NEAREST_MEAN, "B": TREE},
        tests=GROUPED_TESTS,
        intervals=GROUPED_INTERVALS,
        positive="c1",
    )
    rows = write_patients(tmp_path)
    spec, sets = load(path)
    (plan,) = run_plans(spec, sets)
    assert plan is not None
    assert {one.scheme for one in plan.partitions} == set(HONOURING)
    for one in plan.partitions:
        assert one.options["groups"] == "patient" and one.label.endswith(", grouped")
        assert cut(rows, "patient", of_plan(one)) == 0, one
        assert cut(rows, "ward", of_plan(one)) > 0  # the check sees groups that are cut
    found = run(path, jobs=2, output=tmp_path / "out", write=True)
    assert not found.failed
    assert [c["test"] for c in found.comparisons if c["failed"]] == []
    assert [i["interval"] for i in found.intervals if i["failed"]] == []
    assert {p["label"].split(", ")[-1] for p in found.document["partitions"]} == {"grouped"}
    (data,) = found.document["data"]
    assert data["source"]["groups"] == "patient" and data["features"]["numeric"] == 2
    assert data["notes"][0].startswith("30 groups by 'patient', 1 to 5 records each")
    # What was fitted, from the file of predictions: no test record has its group in training.
    tested = defaultdict(set)
    with gzip.open(tmp_path / "out" / "predictions.csv.gz", "rt", newline="") as stream:
        for row in csv.DictReader(stream):
            tested[row["scheme"], row["replication"], row["fold"]].add(int(row["record"]))
    by_patient = defaultdict(set)
    for at, row in enumerate(rows):
        by_patient[row["patient"]].add(at)
    assert len(tested) == sum(len(one.splits) for one in plan.partitions)
    for records in tested.values():
        for members in by_patient.values():
            assert members <= records or not members & records
    # And more tests on these predictions need no fit and no groups.
    more = again(tmp_path / "out", "kfold_t, corrected_repeated_holdout_t", None)
    first = {c["test"]: c["inference"]["p_value"] for c in found.comparisons}
    for each in more.comparisons:
        assert each["inference"]["p_value"] == pytest.approx(first[each["test"]], rel=1e-12)


@pytest.mark.parametrize("scheme", HONOURING)
def test_a_partition_honours_a_column_of_its_own(tmp_path: Path, scheme: str) -> None:
    given = [{"scheme": scheme, "groups": "ward"}, {"scheme": scheme, "groups": "patient"}]
    given += [{"scheme": scheme}]
    by_scheme = {t.needs[0].scheme: name for name, t in tests().items() if len(t.needs) == 1}
    wanted: dict[str, Any] = {"tests": [by_scheme[scheme]] if scheme in by_scheme else []}
    if scheme not in by_scheme:  # intervals are made on it, and no test
        wanted["intervals"] = [n for n, i in intervals().items() if i.needs[0].scheme == scheme]
    path = grouped_spec(tmp_path, {}, partition=given, **wanted)
    rows = write_patients(tmp_path)
    spec, sets = load(path)
    assert [column.name for column in sets[0].features] == ["u", "v"]
    plan = plan_run(spec, sets[0])
    ward, patient, plain = plan.partitions[:3]
    assert cut(rows, "ward", of_plan(ward)) == 0 < cut(rows, "patient", of_plan(plain))
    assert cut(rows, "patient", of_plan(patient)) == 0 < cut(rows, "ward", of_plan(patient))
    assert [one.options["groups"] for one in plan.partitions[:3]] == ["ward", "patient", False]
    assert [one.label.endswith("grouped") for one in plan.partitions[:3]] == [True, True, False]
    # Data that was not read by the check, as a download is not, is read with the same groups.
    _, later = load(spec)
    assert (
        later[0].sha256 == sets[0].sha256 and plan_run(spec, later[0]).partitions == plan.partitions
    )


def test_false_switches_the_groups_of_the_data_off(tmp_path: Path) -> None:
    given = [{"scheme": "kfold", "k": 5, "groups": False}, {"scheme": "loo", "groups": False}]
    data = {"groups": "patient", "drop": ["ward"]}
    path = grouped_spec(tmp_path, data, partition=given, tests=["kfold_t", "loo_matched_t"])
    spec, sets = load(path)
    plan = plan_run(spec, sets[0])
    assert [one.options["groups"] for one in plan.partitions] == [False, False]
    assert plan.partitions[0] == make_partition("kfold", sets[0].n, k=5, seed=spec.seed)


def test_own_folds_are_grouped_like_the_first(tmp_path: Path) -> None:
    rows = write_patients(tmp_path)
    for data, partition in (
        ({"groups": "patient", "drop": ["ward"]}, "auto"),
        ({}, [{"scheme": "kfold", "k": 6, "groups": "ward"}]),
        ({"groups": "patient"}, [{"scheme": "kfold", "k": 6, "groups": "ward"}]),
    ):
        column = "patient" if partition == "auto" else "ward"
        path = grouped_spec(tmp_path, data, tests=["wong_welch_t"], partition=partition)
        spec, sets = load(path)
        plan = plan_run(spec, sets[0])
        first, second = (plan.partitions[at] for at in plan.uses[0].partitions)
        assert first != second and second.options["replication"] == 2
        assert cut(rows, column, of_plan(first)) == cut(rows, column, of_plan(second)) == 0
        groups, k = sets[0].groups_by(column), first.options["k"]
        repeated = make_partition("repeated_kfold", len(rows), r=2, k=k, seed=7, groups=groups)
        assert [s.test.tolist() for s in [*first.splits, *second.splits]] == [
            s.test.tolist() for s in repeated.splits
        ]


def test_grouped_schemes_share_fits_where_they_can(tmp_path: Path) -> None:
    """The first K-fold of a repeated one, own folds as its second, the first hold-out."""
    names = ["kfold_t", "wong_welch_t", "corrected_repeated_kfold_t"]
    names += ["holdout_mcnemar", "repeated_holdout_t"]
    path = grouped_spec(tmp_path, {"groups": "patient", "drop": ["ward"]}, tests=names)
    spec, sets = load(path)
    plan = plan_run(spec, sets[0])
    # So few groups can make one fold twice; what is left are the 100 folds and the 15 hold-outs.
    sharing = {one.shape: set(keys) for one, keys in zip(plan.partitions, plan.split_keys)}
    assert {fit.split_key for fit in plan.fits} == sharing[10, 10] | sharing[15,]
    assert 90 <= len(sharing[10, 10]) <= 100


def test_splits_written_are_read_again_as_grouped(tmp_path: Path) -> None:
    data = {"groups": "patient", "drop": ["ward"]}
    names = ["kfold_t", "wong_welch_t", "bcv_5x2_mcnemar"]
    path = grouped_spec(tmp_path, data, tests=names)
    spec, sets = load(path)
    plan = plan_run(spec, sets[0])
    write_splits(plan.partitions, tmp_path / "splits.csv")
    given = {"scheme": "file", "path": "splits.csv"}
    from_file, sets = load(grouped_spec(tmp_path, data, tests=names, partition=given))
    found = plan_run(from_file, sets[0])
    assert found.partitions == plan.partitions
    assert {fit.key for fit in found.fits} == {fit.key for fit in plan.fits}
    assert all(one.label.endswith("grouped") for one in found.partitions)
    # One K-fold alone in the file: the own folds that are drawn beside it are grouped as well.
    write_splits(plan.partitions[:1], tmp_path / "splits.csv")
    alone = grouped_spec(tmp_path, data, tests=["wong_welch_t"], partition=given)
    spec, sets = load(alone)
    drawn = plan_run(spec, sets[0]).partitions[1]
    assert cut(write_patients(tmp_path), "patient", of_plan(drawn)) == 0


def test_splits_that_cut_groups_are_refused_also_where_no_check_was(tmp_path: Path) -> None:
    write_splits([make_partition("kfold", len(write_patients(tmp_path)), k=5)], tmp_path / "s.csv")
    data = {"groups": "patient", "drop": ["ward"]}
    given = {"scheme": "file", "path": "s.csv"}
    with pytest.raises(SpecError, match="kfold cuts groups: its split 1 trains on record"):
        load(grouped_spec(tmp_path, data, partition=given))
    off = {**given, "groups": False}
    spec, sets = load(grouped_spec(tmp_path, data, partition=off))
    assert plan_run(spec, sets[0]).partitions[0].label == "5-fold"
    # The data of this spec might have come from a server, after the check.
    (request,) = spec.partition or ()
    bare = replace(request, options={"path": "s.csv"})
    with pytest.raises(UserError, match="cuts groups"):
        plan_run(replace(spec, partition=(bare,)), sets[0])
    for scheme in REFUSING:
        one = replace(request, scheme=scheme, options={})
        with pytest.raises(UserError, match=f"{scheme} cannot honour groups"):
            plan_run(replace(spec, partition=(one,)), sets[0])


def test_a_spec_without_groups_has_the_splits_and_keys_it_had(tmp_path: Path) -> None:
    spec, sets = load(spec_of(tmp_path, tests=["kfold_t", "bcv_5x2_mcnemar"], n=60))
    plan = plan_run(spec, sets[0])
    assert sets[0].group_column is None and sets[0].groupings == ()
    # Fingerprints of these plans from before a spec could have groups.
    assert [one.fingerprint[:16] for one in plan.partitions] == [
        "d0d0bc4f6a80257f",
        "325b513e29406ea8",
    ]
    fit = plan.fits[0]
    content = {
        "data": sets[0].sha256,
        "impute": False,
        "learner": spec.learners[fit.learner].settings(),
        "split": fit.split_key,
        "seed": fit.seed,
        "versions": {},
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    assert fit.key == hashlib.sha256(text.encode()).hexdigest()
    assert "groups" not in json.dumps(spec.resolved())


def test_the_same_bytes_again_and_the_same_fits_from_the_resolved_spec(tmp_path: Path) -> None:
    given = [{"scheme": "kfold", "k": 5, "groups": "ward"}, {"scheme": "holdout", "groups": False}]
    given += [{"scheme": "repeated_kfold", "r": 2, "k": 5}]
    names = ["kfold_t", "holdout_mcnemar", "corrected_repeated_kfold_t"]
    path = grouped_spec(tmp_path, {"groups": "patient"}, partition=given, tests=names)
    first = run(path, jobs=2, output=tmp_path / "a", write=True)
    run(path, jobs=1, output=tmp_path / "b", write=True, store=tmp_path / "other.sqlite")
    assert (tmp_path / "a/result.json").read_bytes() == (tmp_path / "b/result.json").read_bytes()
    labels = [each["label"] for each in first.document["partitions"]]
    assert labels[0] == "5-fold, grouped" and labels[2] == "2×5-fold, grouped"
    assert "grouped" not in labels[1]
    (tmp_path / "again.json").write_text(json.dumps(first.spec.resolved()))
    spelled = run(tmp_path / "again.json", jobs=1, store=tmp_path / "other.sqlite")
    assert spelled.spec.resolved() == first.spec.resolved()
    assert spelled.outcome.fitted == 0
    for part in ("data", "partitions", "losses", "manifest"):
        assert spelled.document[part] == first.document[part]
