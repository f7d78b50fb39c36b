"""Predictions: a run's own file comes back as it was; files from elsewhere are understood."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np
import pytest

from cvinfer.data import Dataset, PredictionSet, load, write_predictions
from cvinfer.data.predictions import no_prediction
from cvinfer.errors import UserError
from cvinfer.partitions import Partition, make_partition

Fault = Callable[..., UserError]
Write = Callable[..., str]


def dataset(n: int, labels: Iterable[str] = ("a", "b", "c")) -> Dataset:
    classes = tuple(sorted(labels))
    target = np.arange(n) % len(classes)
    return Dataset("d", (), target.astype(np.int32), classes, "y", "0" * 64)


def guesses(data: Dataset, partitions: list[Partition], learners: list[str]) -> dict[Any, Any]:
    rng = np.random.default_rng(8)
    return {
        (learner, at): [
            rng.integers(0, data.n_classes, len(s.test)).astype("i4") for s in partition.splits
        ]
        for learner in learners
        for at, partition in enumerate(partitions)
    }


def read(base: Path, path: str, **more: Any) -> PredictionSet:
    found = load({"source": "predictions", "path": path, **more}, base, 1)
    assert isinstance(found, PredictionSet)
    return found


def same(found: PredictionSet, predictions: dict[Any, Any]) -> None:
    assert set(found.predictions) == set(predictions)
    for key, codes in predictions.items():
        for old, new in zip(codes, found.predictions[key]):
            if old is None or new is None:
                assert old is None and new is None
            else:
                assert np.array_equal(old, new)
        assert len(codes) == len(found.predictions[key])


N = 61
EVERY = [
    [make_partition("kfold", N)],
    [make_partition("kfold", N), make_partition("kfold", N, k=2, seed=2), make_partition("loo", N)],
    [make_partition("repeated_kfold", N, r=3, k=4), make_partition("blocked_mx2", N, m=5)],
    [make_partition("holdout", N)],
    [make_partition("repeated_holdout", N, j=15, n1=0.9)],
    [make_partition("repeated_holdout", N, j=1), make_partition("random_mx2", N, m=1)],
    [make_partition("paired_halves", N, m=1, j=2)],
    [make_partition("paired_halves", N, m=3, j=2), make_partition("holdout", N)],
    [make_partition("random_mx2", N), make_partition("blocked_mx2", N).nested_3x2()],
]


@pytest.mark.parametrize(
    "partitions", EVERY, ids=lambda partitions: "+".join(p.scheme for p in partitions)
)
def test_a_run_comes_back(tmp_path: Path, partitions: list[Partition]) -> None:
    data = dataset(N)
    predictions = guesses(data, partitions, ["CART", "1-NN"])
    write_predictions(tmp_path / "p.csv.gz", data, partitions, predictions)
    write_predictions(tmp_path / "q.csv.gz", data, partitions, predictions)
    assert (tmp_path / "p.csv.gz").read_bytes() == (tmp_path / "q.csv.gz").read_bytes()
    found = read(tmp_path, "p.csv.gz")
    assert found.partitions == tuple(partitions) and found.n == N
    assert (found.truth == data.target).all() and found.classes == data.classes
    assert found.learners == ("CART", "1-NN")
    same(found, predictions)
    unpacked = gzip.decompress((tmp_path / "p.csv.gz").read_bytes())
    (tmp_path / "p.csv").write_bytes(unpacked)
    assert read(tmp_path, "p.csv").sha256 == found.sha256


def test_awkward_names_and_labels(tmp_path: Path) -> None:
    data = dataset(12, ["", "?", 'q"', "a,b", "l\nm", "ä"])
    partitions = [make_partition("kfold", 12, k=3)]
    predictions = guesses(data, partitions, ["role", "truth", "split", "a,b", "scheme", "C4.5 %"])
    write_predictions(tmp_path / "p.csv", data, partitions, predictions)
    found = read(tmp_path, "p.csv")
    assert found.classes == data.classes and found.partitions == tuple(partitions)
    same(found, predictions)


@pytest.mark.parametrize("labels", [("a", "b"), ("", "b"), ("", "?", "??")])
def test_a_failed_fit_comes_back_as_none(tmp_path: Path, labels: tuple[str, ...]) -> None:
    data, partitions = dataset(12, labels), [
        make_partition("kfold", 12, k=3),
        make_partition("holdout", 12),
    ]
    predictions = guesses(data, partitions, ["A", "B"])
    predictions["A", 0][1] = None
    predictions["B", 1] = [None]
    write_predictions(tmp_path / "p.csv", data, partitions, predictions)
    assert no_prediction(labels) not in labels
    same(read(tmp_path, "p.csv"), predictions)


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    data, partitions = dataset(12), [make_partition("kfold", 12, k=3)]
    predictions = guesses(data, partitions, ["A", "B"])
    write_predictions(tmp_path / "p.csv", data, partitions, predictions)
    head, *rows = (tmp_path / "p.csv").read_text().splitlines(keepends=True)
    (tmp_path / "q.csv").write_text(head + "".join(reversed(rows)))
    before = read(tmp_path, "p.csv").sha256
    assert read(tmp_path, "q.csv").sha256 == before
    predictions["B", 0][2][0] = (predictions["B", 0][2][0] + 1) % 3
    write_predictions(tmp_path / "p.csv", data, partitions, predictions)
    assert read(tmp_path, "p.csv").sha256 != before


# Files from elsewhere -----------------------------------------------------------------------------


def foreign(
    path: Path, partition: Partition, first: int = 0, name: str = "{}", form: str = "split"
) -> None:
    """One row per tested record, by record; A is always right and B always says a."""
    lines = []
    for at, split in enumerate(partition.splits):
        for record in split.test.tolist():
            truth = "ab"[record % 2]
            where = name.format(at + 1)
            lines.append([record + first, where, truth, truth, "a"])
    lines.sort(key=lambda line: line[0])
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["record", form, "truth", "A", "B"], *lines])


@pytest.mark.parametrize(
    "scheme, options, read_as",
    [
        ("kfold", {"k": 5}, "kfold"),
        ("kfold", {"k": 2}, "kfold"),
        ("kfold", {"k": 12}, "kfold"),
        ("loo", {}, "loo"),
        ("random_mx2", {"m": 5}, "random_mx2"),
        ("blocked_mx2", {"m": 5}, "random_mx2"),
        ("repeated_kfold", {"r": 3, "k": 4}, "repeated_kfold"),
        ("repeated_holdout", {"j": 15}, "repeated_holdout"),
    ],
)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["{}", "fold_{}"])
def test_the_scheme_is_told_from_the_splits(
    tmp_path: Path, scheme: str, options: dict[str, Any], read_as: str, first: int, name: str
) -> None:
    partition = make_partition(scheme, 40, seed=1, **options)
    foreign(tmp_path / "p.csv", partition, first, name)
    found = read(tmp_path, "p.csv")
    (back,) = found.partitions
    assert back.scheme == read_as and back.shape == partition.shape
    assert back.fingerprint == partition.fingerprint
    assert found.notes == (
        f"the splits of the file are read as {read_as} ({'×'.join(map(str, partition.shape))})",
    )
    assert (found.truth == np.arange(40) % 2).all() and found.learners == ("A", "B")
    for split, right, always in zip(
        back.splits, found.predictions["A", 0], found.predictions["B", 0]
    ):
        assert right is not None and (right == split.test % 2).all()
        assert always is not None and (always == 0).all()


def test_fold_instead_of_split(tmp_path: Path) -> None:
    foreign(tmp_path / "p.csv", make_partition("kfold", 20, k=4), form="fold")
    assert read(tmp_path, "p.csv").partitions == (make_partition("kfold", 20, k=4),)


def test_blocked_when_said_so(tmp_path: Path, fault: Fault) -> None:
    partition = make_partition("blocked_mx2", 64, m=3)
    foreign(tmp_path / "p.csv", partition)
    found = read(tmp_path, "p.csv", scheme="blocked_mx2")
    assert (
        found.partitions == (partition,)
        and found.partitions[0].blocks is not None
        and found.notes == ()
    )
    foreign(tmp_path / "q.csv", make_partition("random_mx2", 64, m=3))
    wrong = fault(source="predictions", path="q.csv", scheme="blocked_mx2")
    assert "not blocked" in str(wrong)


@pytest.mark.parametrize(
    "scheme, words",
    [
        ("loo", "loo has one fold"),
        ("holdout", "a holdout is one split"),
        ("random_mx2", "two splits a replication"),
        ("repeated_kfold", None),
        ("repeated_holdout", None),
    ],
)
def test_a_scheme_that_is_said_is_checked(
    tmp_path: Path, fault: Fault, scheme: str, words: str | None
) -> None:
    foreign(tmp_path / "p.csv", make_partition("kfold", 20, k=5))
    if words is None:
        assert read(tmp_path, "p.csv", scheme=scheme).partitions[0].scheme == scheme
    else:
        assert words in str(fault(source="predictions", path="p.csv", scheme=scheme))


def test_holdout(tmp_path: Path, fault: Fault) -> None:
    foreign(tmp_path / "p.csv", make_partition("holdout", 30))
    alone = read(tmp_path, "p.csv")
    assert alone.partitions[0].scheme == "holdout" and alone.partitions[0].sizes.tolist() == [0, 10]
    assert alone.n == 10 and (alone.truth >= 0).all()
    assert "does not say on which records" in alone.notes[0]
    told = read(tmp_path, "p.csv", n=30)
    assert told.partitions[0].sizes.tolist() == [20, 10] and told.n == 30
    assert (told.truth[10:] == -1).all() and (told.truth[:10] >= 0).all()
    few = fault(source="predictions", path="p.csv", n=9)
    assert "names 10 records" in str(few) and few.path == ("n",)


TEST_SET = "id,label,resnet,vit,sure\nimg_3,cat,cat,dog,0.9\nimg_20,dog,dog,dog,0.8\n"


def test_a_test_set_alone_is_one_hold_out(tmp_path: Path, write: Write) -> None:
    found = read(
        tmp_path,
        write(TEST_SET),
        record="id",
        truth="label",
        learners=["vit", {"ResNet": "resnet"}],
    )
    (partition,) = found.partitions
    assert (partition.scheme, partition.n, partition.sizes.tolist()) == ("holdout", 2, [0, 2])
    (split,) = partition.splits
    assert split.train.tolist() == [] and split.test.tolist() == [0, 1]
    assert found.learners == ("vit", "ResNet") and found.classes == ("cat", "dog")
    same(found, {("vit", 0): [np.array([1, 1])], ("ResNet", 0): [np.array([0, 1])]})
    assert "names no splits" in found.notes[0] and "2 records" in found.notes[0]


def test_rows_without_a_record_are_records(tmp_path: Path, write: Write) -> None:
    found = read(tmp_path, write("truth,A,B\na,a,b\nb,b,b\na,b,a\n"))
    assert (found.n, found.truth.tolist(), found.learners) == (3, [0, 1, 0], ("A", "B"))


def test_a_mapping_of_learners_and_a_column_of_splits(tmp_path: Path, write: Write) -> None:
    text = "cv,record,truth,a1,b1\n1,0,a,a,b\n1,1,b,b,b\n2,2,a,b,a\n2,3,b,b,b\n"
    found = read(tmp_path, write(text), split="cv", learners={"B": "b1", "A": "a1"})
    assert found.partitions[0].scheme == "kfold" and found.learners == ("B", "A")


def test_a_hold_out_trained_elsewhere_comes_back(tmp_path: Path, write: Write) -> None:
    found = read(tmp_path, write("truth,A,B\na,a,b\nb,b,b\na,b,a\n"))
    write_predictions(tmp_path / "q.csv", found, found.partitions, found.predictions)
    again = read(tmp_path, "q.csv")
    assert again.sha256 == found.sha256 and again.partitions == found.partitions


@pytest.mark.parametrize(
    "options, place, words",
    [
        ({"record": "ID", "truth": "label"}, ("record",), "no column 'ID'; did you mean 'id'?"),
        ({"record": "id", "truth": "y"}, ("truth",), "no column 'y'"),
        ({"record": "id"}, ("path",), "no column 'truth'"),
        ({"truth": "label", "split": "part"}, ("split",), "no column 'part'"),
        ({"truth": "label", "learners": ["resnt"]}, ("learners", 0), "did you mean 'resnet'?"),
        ({"truth": "label", "learners": {"R": "x"}}, ("learners", "R"), "no column 'x'"),
        ({"truth": "label", "learners": ["vit", {"vit": "resnet"}]}, ("learners", 1), "twice"),
        ({"truth": "label", "learners": ["label"]}, ("learners", 0), "holds the truth"),
        ({"truth": "label", "learners": [3]}, ("learners", 0), "the name of a column"),
        ({"truth": "label", "learners": []}, ("learners",), "no column of a learner"),
        ({"truth": "label", "learners": ["vit"], "drop": ["sure"]}, ("drop",), "learners"),
        ({"record": "id", "truth": "label"}, ("path",), "learners: [...]"),
    ],
    ids=lambda value: str(value) if isinstance(value, tuple) else None,
)
def test_columns_that_are_mapped_wrongly(
    write: Write, fault: Fault, options: dict[str, Any], place: tuple[Any, ...], words: str
) -> None:
    found = fault(source="predictions", path=write(TEST_SET), **options)
    assert words in str(found) and found.path == place


def test_a_column_of_splits_that_is_misspelt_is_no_learner(write: Write, fault: Fault) -> None:
    text = "Split,record,truth,A\n1,0,1,1\n1,1,2,2\n2,2,1,2\n2,3,2,2\n"
    assert "'Split'" in str(fault(source="predictions", path=write(text)))


def test_what_was_read_can_be_written_again(tmp_path: Path) -> None:
    foreign(tmp_path / "p.csv", make_partition("holdout", 30))
    told = read(tmp_path, "p.csv", n=30)
    write_predictions(tmp_path / "q.csv.gz", told, told.partitions, told.predictions)
    again = read(tmp_path, "q.csv.gz")
    assert again.sha256 == told.sha256 and again.partitions == told.partitions
    assert (again.truth == told.truth).all()


def test_train_rows_say_what_was_trained_on(tmp_path: Path, write: Write) -> None:
    text = "split,role,record,truth,A\n1,test,r1,a,a\n1,train,r2,b,\n1,train,r10,,\n1,other,r3,a,\n"
    found = read(tmp_path, write(text))
    (split,) = found.partitions[0].splits
    assert (split.train.tolist(), split.test.tolist(), found.n) == ([1, 3], [0], 4)
    assert found.truth.tolist() == [0, 1, 0, -1]


def test_learners_are_chosen_by_keep_and_drop(tmp_path: Path, fault: Fault) -> None:
    foreign(tmp_path / "p.csv", make_partition("kfold", 20, k=4))
    assert read(tmp_path, "p.csv", drop=["A"]).learners == ("B",)
    assert read(tmp_path, "p.csv", keep=["A"]).learners == ("A",)
    assert fault(source="predictions", path="p.csv", keep=["C"]).path == ("keep", 0)
    assert "no column of a learner" in str(
        fault(source="predictions", path="p.csv", drop=["A", "B"])
    )


HEAD = "split,record,truth,A\n"
GOOD = HEAD + "1,0,a,a\n1,1,b,b\n2,2,a,b\n2,3,b,b\n"
OWN = "scheme,replication,fold,record,truth,A\n"


@pytest.mark.parametrize(
    "text, words",
    [
        ("split,rec,truth,A\n", "no column 'record'"),
        ("split,truth,A\n1,a,a\n", "no column 'record'"),
        ("split,record,truth\n1,0,a\n", "no column of a learner"),
        (HEAD, "no predictions"),
        ("split,record,truth,A,A\n1,0,a,a,a\n", "column 'A' more than once"),
        (GOOD.replace("2,3,b,b", "2,3,b,c"), "predicts 'c' in row 4, which is no class"),
        (GOOD.replace("2,3,b,b", "2,3,b,"), "no prediction for 1 of the 2 records"),
        (GOOD + "2,3,b,b\n", "record 3 is tested more than once in split 2"),
        (GOOD + "2,0,b,b\n", "record 0 has the truth 'a' in row 1 and 'b' in another"),
        (GOOD.replace(",b,", ",a,"), "only the class 'a'"),
        (HEAD + "1,0,a,a\n1,1,b,b\n2,0,a,b\n2,1,b,b\n", "has no train records"),
        (
            OWN + "kfold,1,1,0,a,a\nkfold,1,2,1,b,b\nkfold,1,2,2,b,b\nkfold,1,1,2,b,b\n",
            "2 is tested 2",
        ),
        (
            OWN
            + "repeated_kfold,1,1,0,a,a\nrepeated_kfold,1,2,1,b,b\nrepeated_kfold,2,1,0,a,b\n"
            + "repeated_kfold,2,2,7,b,b\n",
            "record 7 is tested 0 times in replication 1",
        ),
        (OWN + "kfolds,1,1,0,a,a\nkfolds,1,2,1,b,b\n", "did you mean 'kfold'?"),
        ("split,role,record,truth,A\n1,tst,0,a,a\n", "role 'tst'"),
        ("split,role,record,truth,A\n1,train,0,a,a\n1,other,1,b,\n", "tests no record"),
        (
            "split,role,record,truth,A\n1,train,0,a,\n1,test,0,a,a\n1,test,1,b,b\n",
            "record 0 is both trained on and tested on",
        ),
        (GOOD.replace("2,3,b,b", "2,3,b"), "line 5: 3 field(s)"),
    ],
)
def test_faults(write: Write, fault: Fault, text: str, words: str) -> None:
    assert words in str(fault(source="predictions", path=write(text)))


def test_classes_beyond_the_truth(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write(GOOD.replace("2,3,b,b", "2,3,b,c"))
    found = read(tmp_path, path, classes=["c", "b", "a"])
    assert found.classes == ("a", "b", "c") and found.truth.tolist() == [0, 1, 0, 1]
    last = found.predictions["A", 0][1]
    assert last is not None and last.tolist() == [1, 2]
    assert fault(source="predictions", path=path, classes=["a", "c"]).path == ("classes",)
    assert fault(source="predictions", path=path, classes=["a", 1]).path == ("classes", 1)


def test_scheme_column_and_option_together(write: Write, fault: Fault) -> None:
    path = write(OWN + "kfold,1,1,0,a,a\nkfold,1,2,1,b,b\n")
    assert fault(source="predictions", path=path, scheme="kfold").path == ("scheme",)


def test_a_large_file_is_quick(tmp_path: Path) -> None:
    import time

    data, partitions = dataset(5_000), [
        make_partition("loo", 5_000),
        make_partition("repeated_kfold", 5_000),
    ]
    predictions = guesses(data, partitions, ["A", "B"])
    start = time.process_time()
    write_predictions(tmp_path / "p.csv.gz", data, partitions, predictions)
    found = read(tmp_path, "p.csv.gz")
    assert time.process_time() - start < 6.0
    same(found, predictions)
