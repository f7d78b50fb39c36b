"""Scores made elsewhere: the samples of scores/ become the same grid as their programs wrote."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cvinfer.data import ScoreSet, load
from cvinfer.errors import UserError
from cvinfer.partitions import PartitionError

SAMPLES = Path(__file__).with_name("scores")
PLAIN = (SAMPLES / "plain.csv").read_text()
KFOLD = {"form": "sklearn", "scheme": "kfold", "n": 60}
REPEATED = {"form": "sklearn", "scheme": "repeated_kfold", "folds": 3, "n": 60}


def read(path: str, base: Path = SAMPLES, measure: str = "auc", **options: Any) -> ScoreSet:
    about = {"source": "scores", "path": path, "measure": {"name": measure}, **options}
    found = load(about, base, 1)
    assert isinstance(found, ScoreSet)
    return found


def rows(path: str, quote: str = '"') -> list[dict[str, str]]:
    with open(SAMPLES / path, newline="") as file:
        return list(csv.DictReader(file, quotechar=quote))


def expect(found: ScoreSet, label: str, sizes: list[int], **values: list[Any]) -> None:
    (partition,) = found.partitions
    assert partition.label == label and partition.sizes.reshape(-1, 2)[0].tolist() == sizes
    assert found.learners == tuple(values) and found.n == partition.n
    for learner, column in values.items():
        np.testing.assert_array_equal(found.values[learner, 0], np.array(column, dtype=float))


def test_plain() -> None:
    found = read("plain.csv")
    forest, bayes = [0.91, 0.88, 0.93, 0.90, 0.86, 0.95], [0.82, 0.85, 0.81, 0.83, 0.80, 0.84]
    expect(found, "2×3-fold", [40, 20], forest=forest, bayes=bayes)
    assert found.measure.name == "auc" and found.measure.better == "higher"
    assert found.notes == ("the splits of the file are read as repeated_kfold (2×3)",)
    assert found.made_elsewhere and not found.features and found.classes == ()


def test_a_search_of_scikit_learn() -> None:
    frame = rows("cv_results.csv")
    expected = {
        f"max_depth={row['param_max_depth']}, min_samples_leaf={row['param_min_samples_leaf']}": [
            row[f"split{at}_test_roc_auc"] for at in range(5)
        ]
        for row in frame
    }
    for path in ("cv_results.csv", "cv_results.json"):
        expect(read(path, **KFOLD), "5-fold", [48, 12], **expected)
    by_accuracy = load(
        {
            "source": "scores",
            "path": "cv_results.csv",
            "measure": {"name": "accuracy", "better": "higher"},
            "learners": {"stump": "max_depth=1, min_samples_leaf=5"},
            **KFOLD,
        },
        SAMPLES,
        1,
    )
    assert isinstance(by_accuracy, ScoreSet)
    stump = [frame[1][f"split{at}_test_accuracy"] for at in range(5)]
    expect(by_accuracy, "5-fold", [48, 12], stump=stump)


def test_cross_validate_of_scikit_learn() -> None:
    whole = json.loads((SAMPLES / "cross_validate.json").read_text())
    expected = {name: each["test_score"] for name, each in whole.items()}
    for path in ("cross_validate.csv", "cross_validate.json"):
        expect(read(path, **REPEATED), "4×3-fold", [40, 20], **expected)


def test_weka() -> None:
    table = [row for row in rows("weka.csv", "'") if row["Key_Dataset"] == "second"]
    expected = {
        name: [
            row["Area_under_ROC"]
            for row in table
            if row["Key_Scheme"].endswith(scheme) and row["Key_Scheme_options"] == options
        ]
        for name, scheme, options in (
            ("NaiveBayes", "NaiveBayes", ""),
            ("J48 -C 0.25 -M 2", "J48", "-C 0.25 -M 2"),
            ("J48 -U -M 4", "J48", "-U -M 4"),
        )
    }
    found = read("weka.csv", form="weka", dataset="second")
    expect(found, "2×3-fold", [30, 15], **expected)
    wrong = read("weka.csv", measure="zero_one", form="weka", dataset="second")
    assert wrong.values["NaiveBayes", 0][0] == float(table[0]["Percent_incorrect"]) / 100
    assert wrong.measure.better == "lower" and wrong.sha256 != found.sha256
    arff = read("weka.arff", form="weka", learners=["J48", "NaiveBayes"])
    assert (
        arff.learners == ("J48", "NaiveBayes") and arff.partitions[0].scheme == "repeated_holdout"
    )
    assert arff.partitions[0].shape == (4,)


def test_mlr3() -> None:
    table = [row for row in rows("mlr3.csv") if row["task_id"] == "sonar"]
    expected = {
        name: [row["classif.auc"] for row in table if row["learner_id"] == name]
        for name in ("classif.rpart", "classif.featureless")
    }
    found = read("mlr3.csv", form="mlr3", dataset="sonar", folds=3, n=208)
    expect(found, "2×3-fold", [138, 70], **expected)


def test_tidymodels() -> None:
    table = [row for row in rows("tidymodels.csv") if row[".metric"] == "roc_auc"]
    expected = {
        name: [row[".estimate"] for row in table if row["wflow_id"] == name]
        for name in ("tree", "logistic")
    }
    found = read("tidymodels.csv", form="tidymodels", n=60)
    expect(found, "2×3-fold", [40, 20], **expected)


@pytest.mark.parametrize(
    "scheme, count, options, shape, sizes",
    [
        ("holdout", 1, {"n_train": 60, "n_test": 30}, (), [60, 30]),
        ("repeated_holdout", 4, {"n": 90, "n_test": 30}, (4,), [60, 30]),
        ("kfold", 4, {"n": 90}, (4,), [67, 23]),
        ("loo", 5, {"n": 5}, (5,), [4, 1]),
        ("random_mx2", 6, {"n": 90}, (3, 2), [45, 45]),
        ("blocked_mx2", 6, {"n": 96}, (3, 2), [48, 48]),
        ("repeated_kfold", 6, {"n": 90, "folds": 3}, (2, 3), [60, 30]),
    ],
)
def test_what_the_file_does_not_tell_the_options_do(
    tmp_path: Path, scheme: str, count: int, options: Any, shape: Any, sizes: Any
) -> None:
    lines = [f"{name},{at},{at / 10}" for name in "ab" for at in range(count)]
    (tmp_path / "s.csv").write_text("\n".join(["learner,split,value", *lines]))
    (partition,) = read("s.csv", tmp_path, scheme=scheme, **options).partitions
    assert partition.scheme == scheme and partition.shape == shape
    assert partition.sizes.reshape(-1, 2)[0].tolist() == sizes and partition.n == sum(sizes)
    with pytest.raises(PartitionError, match="only the sizes are known"):
        partition.splits[0]
    assert partition.fingerprint != read("s.csv", tmp_path, scheme=scheme, **options).sha256


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    head, *lines = PLAIN.splitlines()
    (tmp_path / "s.csv").write_text("\n".join([head, *lines[:6][::-1], *lines[6:]]))
    assert read("s.csv", tmp_path).sha256 == read("plain.csv").sha256


def test_a_loss_is_turned_back(tmp_path: Path) -> None:
    scores = {"test_neg_log_loss": [-0.5, -0.25], "test_roc_auc": [0.5, 0.75], "fit_time": [1, 1]}
    (tmp_path / "s.json").write_text(json.dumps(scores))
    found = read("s.json", tmp_path, "log_loss", form="sklearn", scheme="kfold", n=9)
    assert found.values["learner", 0].tolist() == [0.5, 0.25]
    found = read("s.json", tmp_path, "auc", form="sklearn", scheme="kfold", n=9)
    assert found.values["learner", 0].tolist() == [0.5, 0.75]


def changed(old: str, new: str) -> str:
    assert old in PLAIN
    return PLAIN.replace(old, new)


@pytest.mark.parametrize(
    "content, options, path, message",
    [
        ("learner,split,value\n", {}, "path", "has no scores"),
        ("learner,split\na,1\n", {}, "path", "no column 'value', 'auc' with values of auc; say"),
        (changed("0.88", "88"), {}, "path", "row 2 is 88, and auc lies between 0 and 1; call it"),
        (PLAIN, {"value": "valu"}, "value", "no column 'valu'"),
        (
            changed("0.88", "NaN"),
            {},
            "path",
            r"'forest' for replication 1, fold 2 in row 2 is 'NaN'",
        ),
        (changed("0.88", ""), {}, "path", "is '', no number"),
        (
            changed("bayes,2,3,0.84,40,20\n", ""),
            {},
            "path",
            "no value of 'bayes' for replication 2, ",
        ),
        (changed("bayes,2,3", "bayes,2,2"), {}, "path", "row 12 is a second value of 'bayes' for"),
        (
            changed("bayes,1,1,0.82,40,20", "bayes,1,1,0.82,41,20"),
            {},
            "path",
            "other sizes for 'ba",
        ),
        (changed("bayes,1,1,0.82,40,20", "bayes,1,1,0.82,4.5,20"), {}, "path", "n_train is '4.5'"),
        (PLAIN.replace(",40,20", ",40,25"), {}, "path", "do not test 65 records together"),
        (PLAIN.replace(",40,20", ",,"), {}, "path", "say n, the number of records"),
        (PLAIN, {"n": 50}, "n", "n = 50, but a split uses 60 records"),
        (PLAIN, {"n": 10**15}, "n", "1,000,000,000,000,000 records take .* of memory"),
        (PLAIN.replace(",40,20", ",4e15,2e15"), {}, "path", "records take .* of memory"),
        (PLAIN, {"n_train": 40}, "n_train", "has the sizes of its splits; leave n_train out"),
        (PLAIN, {"scheme": "kfold"}, "path", "no kfold: it is one replication, not 2"),
        (PLAIN, {"scheme": "nested_cv"}, "scheme", "scores on splits of nested_cv cannot be read"),
        (PLAIN, {"scheme": "random_mx2"}, "path", "a replication has 2 folds, not 3"),
        (PLAIN, {"learners": ["forest", "tree"]}, "learners", "has no learner 'tree'"),
        (PLAIN, {"dataset": "iris"}, "dataset", "leave dataset out"),
        (PLAIN, {"form": "wekka"}, "form", "'wekka' is unknown"),
        (PLAIN, {"form": "sklearn"}, "path", "neither split0_test_... nor test_..."),
        (PLAIN, {"form": "weka"}, "path", "no column 'Key_Scheme'"),
        (PLAIN, {"positive": "yes"}, "positive", "takes no positive"),
        (PLAIN, {"measure": {"name": "gain"}}, "measure", "which values of 'gain' are better"),
        (PLAIN, {"measure": {"name": "auc", "better": "lower"}}, "measure", "of auc higher values"),
        (PLAIN, {"measure": {"better": "lower"}}, "measure", "measure needs a name"),
        (PLAIN, {"measure": {"name": "auc", "scale": 1}}, "measure", "not 'scale'"),
        ("learner,split,value\na,1,.5\na,2,.5\n", {}, "path", "2 splits .* say scheme: kfold"),
        (
            "learner,split,value\na,1,.5\na,2,.5\na,3,.5\n",
            {"scheme": "random_mx2"},
            "path",
            "3 splits for each learner, which 2 folds do not divide",
        ),
    ],
)
def test_faults_name_their_place(
    tmp_path: Path, content: str, options: Any, path: str, message: str
) -> None:
    (tmp_path / "s.csv").write_text(content)
    about = {"source": "scores", "path": "s.csv", "measure": {"name": "auc"}, **options}
    with pytest.raises(UserError, match=message) as caught:
        load(about, tmp_path, 1)
    assert caught.value.path is not None and caught.value.path[0] == path
    assert "Traceback" not in str(caught.value)
