"""Two classes out of many, samples, missing values: what they give and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from cvinfer.data import Dataset, load
from cvinfer.errors import UserError

Write = Callable[..., str]
Fault = Callable[..., UserError]

LETTERS = "x,y\n" + "".join(f"{at},{'ABCDEFNOZ'[at % 9]}\n" for at in range(90))


def read(base: Path, path: str, seed: int = 1, **more: Any) -> Dataset:
    found = load({"source": "csv", "path": path, "target": "y", **more}, base, seed)
    assert isinstance(found, Dataset)
    return found


def labels(data: Dataset) -> list[str]:
    return [data.classes[code] for code in data.target]


@pytest.mark.parametrize(
    "binarize, classes, first",
    [
        ("A-F", ("A-F", "N-Z"), "A-F"),
        ("A\u2013F", ("A\u2013F", "N-Z"), "A\u2013F"),
        ("N-Z", ("A-F", "N-Z"), "A-F"),
        ("C-O", ("C-O", "rest"), "rest"),
        ("A", ("A", "B-Z"), "A"),
        ("A-O", ("A-O", "Z"), "A-O"),
        ({"positive": "A-F"}, ("negative", "positive"), "positive"),
        ({"early": ["A", "B-F"]}, ("early", "rest"), "early"),
        ({"A-F": ["A", "B", "C", "D", "E", "F"], "N-Z": ["N", "O", "Z"]}, ("A-F", "N-Z"), "A-F"),
        ({"late": "N-Z", "early": "A-F"}, ("early", "late"), "early"),
    ],
)
def test_binarize(
    tmp_path: Path, write: Write, binarize: Any, classes: tuple[str, ...], first: str
) -> None:
    data = read(tmp_path, write(LETTERS), binarize=binarize)
    assert data.classes == classes and labels(data)[0] == first
    assert data.n == 90


def test_binarize_numbers_in_their_order(tmp_path: Path, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{at},{label}\n" for at, label in enumerate([1, 2, 10, -3])))
    data = read(tmp_path, path, binarize={"low": "-3-2", "high": [10]})
    assert labels(data) == ["low", "low", "high", "low"]
    assert read(tmp_path, path, binarize=10).classes == ("-3-2", "10")


@pytest.mark.parametrize(
    "binarize, path, words",
    [
        ("A-Q", ("binarize",), "no label 'A-Q'"),
        ("F-A", ("binarize",), "backwards"),
        ("A-Z", ("binarize",), "takes all 9 labels"),
        ({"a": ["A"], "b": ["B"]}, ("binarize",), "in neither 'a' nor 'b'"),
        ({"a": "A-F", "b": "F-Z"}, ("binarize", "b"), "'F' is in both 'a' and 'b'"),
        ({"a": ["A", "A"], "b": "B-Z"}, ("binarize", "a"), "'A' is twice in 'a'"),
        ({"a": ["A", "Q"]}, ("binarize", "a"), "no label 'Q'"),
        ({"a": [True]}, ("binarize", "a"), "is no label"),
        ({"a": 1, "b": 2, "c": 3}, ("binarize",), "two classes, not 3"),
    ],
)
def test_binarize_faults(
    write: Write, fault: Fault, binarize: Any, path: tuple[object, ...], words: str
) -> None:
    found = fault(source="csv", path=write(LETTERS), target="y", binarize=binarize)
    assert words in str(found) and found.path == path


def test_sample_without_replacement(tmp_path: Path, write: Write) -> None:
    path = write(LETTERS)
    data = read(tmp_path, path, sample={"n": 40})
    drawn = data.features[0].values
    assert data.n == 40 and len(set(drawn)) == 40 and (np.diff(drawn) > 0).all()
    # Feature and class are still those of one record.
    assert labels(data) == ["ABCDEFNOZ"[int(x) % 9] for x in drawn]
    assert read(tmp_path, path, sample=40).sha256 == data.sha256
    assert read(tmp_path, path, 2, sample=40).sha256 != data.sha256
    assert read(tmp_path, path, sample=90).n == 90


def test_sample_with_replacement(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(LETTERS), sample={"n": 300, "replace": True})
    drawn = data.features[0].values
    assert data.n == 300 and labels(data) == ["ABCDEFNOZ"[int(x) % 9] for x in drawn]
    distinct = len(np.unique(drawn))
    assert f"{300 - distinct} are copies" in data.notes[0]
    # 90 (1 - e^(-10/3)) = 86.8 records are expected to be drawn at least once.
    assert 80 <= distinct <= 90


def test_stratified_sample_shares_out_the_classes(tmp_path: Path, write: Write) -> None:
    text = "x,y\n" + "".join(
        f"{at},{'a' if at < 60 else 'b' if at < 90 else 'c'}\n" for at in range(100)
    )
    path = write(text)
    for replace in (False, True):
        data = read(tmp_path, path, sample={"n": 50, "stratify": True, "replace": replace})
        assert np.bincount(data.target).tolist() == [30, 15, 5]
        x, label = data.features[0].values, labels(data)
        assert all((lab == "a") == (at < 60) for at, lab in zip(x, label))
    # 19.8, 9.9 and 3.3 of 33: the largest remainders are rounded up.
    uneven = read(tmp_path, path, sample={"n": 33, "stratify": True})
    assert np.bincount(uneven.target).tolist() == [20, 10, 3]
    joined = read(tmp_path, path, binarize={"A": ["a"]}, sample={"n": 10, "stratify": True})
    assert np.bincount(joined.target).tolist() == [6, 4]


def test_every_record_is_drawn_equally_often(tmp_path: Path, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(20)))
    for replace in (False, True):
        counts = np.zeros(20)
        for seed in range(200):
            sample = {"n": 10, "replace": replace, "stratify": True}
            data = read(tmp_path, path, seed, sample=sample)
            np.add.at(counts, data.features[0].values.astype(int), 1)
        # 100 expected, standard deviation at most 10: five of them.
        assert counts.sum() == 2000 and np.abs(counts - 100).max() < 50


def test_a_class_that_is_not_drawn_goes(tmp_path: Path, write: Write) -> None:
    path = write("x,y\n" + "".join(f"{at},{label}\n" for at, label in enumerate("aaaabbbbc")))
    for seed in range(20):
        data = read(tmp_path, path, seed, sample={"n": 6})
        assert set(data.target.tolist()) == set(range(data.n_classes))
        gone = {"a", "b", "c"} - set(data.classes)
        assert any("no record of class 'c'" in note for note in data.notes) == (gone == {"c"})


def test_sample_faults(write: Write, fault: Fault) -> None:
    path = write(LETTERS)
    much = fault(source="csv", path=path, target="y", sample={"n": 91})
    assert "n = 91 of 90 records" in str(much) and much.path == ("sample", "n")
    one = write("x,y\n" + "".join(f"{at},a\n" for at in range(99)) + "99,b\n", "one.csv")
    single = fault(source="csv", path=one, target="y", sample=2)
    assert "only the class 'a'" in str(single) and single.path == ("sample",)


HOLES = "x,c,y\n1,u,a\n,v,b\n3,,a\n4,u,b\n"


def test_missing(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write(HOLES)
    none = fault(source="csv", path=path, target="y")
    assert "'x' in 1, 'c' in 1" in str(none) and none.path == ("missing",)
    for remedy in ("missing: drop", "missing: impute"):
        assert remedy in str(none)
    dropped = read(tmp_path, path, missing="drop")
    assert dropped.n == 2 and dropped.features[0].values.tolist() == [1, 4] and not dropped.impute
    assert dropped.notes == ("2 of 4 records dropped: missing values",)
    kept = read(tmp_path, path, missing="impute")
    assert kept.n == 4 and kept.impute and kept.features[1].values.tolist() == [0, 1, -1, 0]
    assert read(tmp_path, path, drop=["c"], missing="drop").n == 3


def test_missing_drop_comes_before_the_sample(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write(HOLES)
    assert read(tmp_path, path, missing="drop", sample=2).n == 2
    found = fault(source="csv", path=path, target="y", missing="drop", sample=3)
    assert "n = 3 of 2 records" in str(found)
    nothing = fault(
        source="csv", path=write("x,z,y\n1,,a\n,2,b\n", "b.csv"), target="y", missing="drop"
    )
    assert "none of the 2 records" in str(nothing)


@pytest.mark.parametrize(
    "options, path, words",
    [
        ({"drop": ["z"]}, ("drop", 0), "no column 'z'"),
        ({"keep": ["x", "colr"]}, ("keep", 1), "did you mean 'colour'?"),
        ({"drop": ["y"]}, ("drop", 0), "the target 'y'"),
        ({"drop": ["x", "colour"]}, ("drop",), "no feature column"),
        ({"keep": ["y"]}, ("keep",), "no feature column"),
    ],
)
def test_column_faults(
    write: Write, fault: Fault, options: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    text = "x,colour,y\n1,red,a\n2,blue,b\n"
    found = fault(source="csv", path=write(text), target="y", **options)
    assert words in str(found) and found.path == path
