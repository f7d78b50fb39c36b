"""Predictions made elsewhere: every test that suits them, without a fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.execute.run_examples import MAJORITY, NEAREST_MEAN, TREE, marked, spec_of

from cvinfer.inference import intervals, tests
from cvinfer.runner import Result, load, run
from cvinfer.spec.model import TestRequest

LEARNERS = {"A": MAJORITY, "B": NEAREST_MEAN, "C": TREE}


def predictions_spec(directory: Path, **more: Any) -> Path:
    path = directory / "predictions.json"
    data = {"source": "predictions", "path": "results/made/predictions.csv.gz", "name": "data"}
    path.write_text(json.dumps({"cvinfer": 1, "name": "again", "data": data, **more}))
    return path


def inferences(result: Result) -> list[Any]:
    keys = ("a", "b", "test", "inference", "p_corrected", "better", "failed")
    return [{key: row[key] for key in keys} for row in result.comparisons]


def test_the_predictions_of_a_run_give_the_same_again(tmp_path: Path) -> None:
    names = [name for name in tests() if "loo" not in name]
    path = spec_of(tmp_path, LEARNERS, names, classes=3, intervals=list(intervals()))
    first = run(path, write=True, output=tmp_path / "results" / "made")
    again = run(predictions_spec(tmp_path, tests=names, intervals=list(intervals())))
    assert inferences(again) == inferences(first)
    assert [row["result"] for row in again.intervals] == [row["result"] for row in first.intervals]
    assert (again.outcome.fitted, again.outcome.reused) == (0, 0)
    assert [row["engine"] for row in again.document["learners"]] == ["predictions"] * 3
    # Nothing is written beside what there is already.
    run(predictions_spec(tmp_path, tests=["kfold_t"]), write=True, output=tmp_path / "again")
    assert (tmp_path / "again" / "result.json").is_file()


def foreign(directory: Path) -> Path:
    """Five folds of 40 records with two learners, as another program may write them."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=40)
    rows = ["split,record,truth,one,other"]
    for record in range(40):
        guesses = np.where(rng.random(2) < (0.2, 0.4), 1 - truth[record], truth[record])
        rows.append(f"{record % 5},{record},{truth[record]},{guesses[0]},{guesses[1]}")
    (directory / "foreign.csv").write_text("\n".join(rows) + "\n")
    path = directory / "spec.json"
    data = {"source": "predictions", "path": "foreign.csv"}
    spec = {"cvinfer": 1, "name": "foreign", "data": data, "tests": ["kfold_t"]}
    path.write_text(json.dumps(spec))
    return path


def test_a_foreign_file_is_tested_with_its_own_folds(tmp_path: Path) -> None:
    result = run(foreign(tmp_path))
    (row,) = result.comparisons
    assert (row["a"], row["b"], row["failed"]) == ("one", "other", None)
    rows = [line.split(",") for line in (tmp_path / "foreign.csv").read_text().split()[1:]]
    d = np.zeros((5, 8))
    for at, (fold, record, truth, one, other) in enumerate(rows):
        d[int(fold), int(record) // 5] = float(one != truth) - float(other != truth)
    means = d.mean(axis=1)
    assert row["inference"]["estimate"] == pytest.approx(means.mean(), abs=1e-15)
    expected = means.mean() / np.sqrt(means.var(ddof=1) / 5)
    assert row["inference"]["statistic"] == pytest.approx(expected, rel=1e-12)


def test_tests_that_do_not_suit_the_file_say_so(tmp_path: Path) -> None:
    spec, sets = load(foreign(tmp_path))
    names = ("kfold_t", "blocked_3x2_t", "wong_welch_t")
    asked = replace(
        spec,
        tests=tuple(map(TestRequest, names)),
        intervals=(TestRequest("f1_beta_prime"), TestRequest("five_by_two_t_interval")),
    )
    result = run(asked)
    failed = {row["test"]: row["failed"] for row in result.comparisons}
    assert failed["kfold_t"] is None
    assert "blocked_3x2_t needs the scheme blocked_mx2" in failed["blocked_3x2_t"]
    assert "the predictions are of 5-fold" in failed["blocked_3x2_t"]
    assert "folds of its own" in failed["wong_welch_t"]
    words = {(row["interval"], row["averaging"]) for row in result.intervals if row["result"]}
    assert words == {("f1_beta_prime", word) for word in ("class '0'", "class '1'", "micro")}
    refused = [row for row in result.intervals if row["interval"] == "five_by_two_t_interval"]
    assert len(refused) == 2 and all("random_mx2" in row["failed"] for row in refused)
    assert not result.failed


def test_a_pair_that_the_file_does_not_have_says_so(tmp_path: Path) -> None:
    spec, _ = load(foreign(tmp_path))
    (row,) = run(replace(spec, pairs=(("one", "third"),))).comparisons
    assert row["failed"] == "there are no predictions of third on 5-fold"


def test_missing_predictions_are_failures(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("error")})
    run(path, write=True, output=tmp_path / "results" / "made", allow_code=True)
    again = run(predictions_spec(tmp_path, tests=["kfold_t"]))
    assert again.failed
    assert "B failed on split" in again.comparisons[0]["failed"]
    assert "the file has no predictions of it there" in again.comparisons[0]["failed"]


def test_records_of_unknown_class_count_in_n_only(tmp_path: Path) -> None:
    path = foreign(tmp_path)
    lines = (tmp_path / "foreign.csv").read_text().splitlines()
    held_out = [line for line in lines if line.startswith(("split", "0,"))]
    (tmp_path / "foreign.csv").write_text("\n".join(held_out) + "\n")
    spec = json.loads(path.read_text())
    spec["data"]["n"] = 30
    spec["tests"] = ["holdout_mcnemar"]
    path.write_text(json.dumps(spec))
    result = run(path)
    assert result.document["data"][0]["n"] == 30
    assert sum(result.document["data"][0]["class_counts"]) == 8
    assert result.comparisons[0]["inference"] is not None


def images(directory: Path, n: int = 2500, **more: Any) -> Path:
    """A test set alone, as people have it: no splits, columns with names of their own."""
    rng = np.random.default_rng(5)
    truth = rng.integers(3, size=n)
    rows = ["id,label,resnet,vit"]
    for record in range(n):
        guesses = np.where(rng.random(2) < (0.1, 0.2), (truth[record] + 1) % 3, truth[record])
        rows.append(f"img_{record},{truth[record]},{guesses[0]},{guesses[1]}")
    (directory / "test set.csv").write_text("\n".join(rows) + "\n")
    data = {"source": "predictions", "path": "test set.csv", "name": "images"}
    data |= {"record": "id", "truth": "label", **more}
    path = directory / "spec.json"
    path.write_text(json.dumps({"cvinfer": 1, "name": "images", "data": data}))
    return path


def test_a_test_set_alone_is_tested_and_told_in_words(tmp_path: Path) -> None:
    from cvinfer.report import render

    result = run(images(tmp_path))
    (row,) = result.comparisons
    assert (row["test"], row["failed"]) == ("holdout_mcnemar", None)
    (partition,) = result.document["partitions"]
    assert partition["sizes"] == [0, 2500]
    assert partition["label"] == "hold-out, 2,500 records tested"
    assert result.document["data"][0]["n"] == 2500
    assert (row["trained_on"], result.verdicts[0]["trained_on"]) == (None, None)
    assert "trained elsewhere" in result.verdicts[0]["estimand"]
    for form in ("text", "latex", "markdown"):
        shown = " ".join(render(result.document, form).replace("{}", "").split())
        assert "hold-out, 2,500 records tested" in shown
        assert "hold-out 0" not in shown and "of 2,501" not in shown and "trained on 0" not in shown
        assert "trained elsewhere" in shown
    # How many records there are in all may be known.
    known = run(images(tmp_path), overrides=["data.n=10000"])
    assert known.comparisons[0]["trained_on"] == 7500
    assert "7,500 of 10,000" in known.verdicts[0]["estimand"]


def test_hold_outs_of_several_test_sets_share_a_heading(tmp_path: Path) -> None:
    from cvinfer.report import render

    (tmp_path / "other").mkdir()
    spec = json.loads(images(tmp_path, 400).read_text())
    second = json.loads(images(tmp_path / "other", 90).read_text())["data"]
    second |= {"path": "other/test set.csv", "name": "more"}
    shown = render(run({**spec, "data": [spec["data"], second]}, base=tmp_path).document, "text")
    assert "hold-out, 90 to 400 records tested" in " ".join(shown.split())


def test_a_partition_that_is_fitted_has_its_recommended_test(tmp_path: Path) -> None:
    path = spec_of(tmp_path, LEARNERS, partition={"scheme": "kfold", "k": 5})
    result = run(path, overrides=["tests=recommended"])
    assert {row["test"] for row in result.comparisons} == {"corrected_kfold_t"}
