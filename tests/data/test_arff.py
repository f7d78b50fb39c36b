"""arff files: declared levels, sparse rows, a class that is a number."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

from cvinfer.data import Dataset, load
from cvinfer.errors import UserError

pytest.importorskip("arff")

Write = Callable[..., str]
Fault = Callable[..., UserError]

DENSE = """% a comment
@RELATION play
@ATTRIBUTE 'the outlook' {sunny, rainy, 'over cast'}
@attribute\ttemp   real
@attribute count INTEGER
@attribute word string
@attribute class {no, yes, never}

@DATA
sunny, 85.5, 1, abc, no
'over cast', ?, 1.5, 'a b', yes
% in between
?, 70, 3, abc, yes
"""


def read(base: Path, path: str, **more: object) -> Dataset:
    found = load({"source": "arff", "path": path, **more}, base, 1)
    assert isinstance(found, Dataset)
    return found


def test_dense(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(DENSE, "play.arff"), missing="impute")
    outlook, temp, count, word = data.features
    assert outlook.name == "the outlook" and outlook.levels == ("sunny", "rainy", "over cast")
    assert outlook.values.tolist() == [0, 2, -1]
    assert temp.kind == "numeric" and np.isnan(temp.values[1]) and temp.values[2] == 70
    assert count.values.tolist() == [1, 1.5, 3]
    assert word.levels == ("a b", "abc") and word.values.tolist() == [1, 0, 1]
    assert data.target_name == "class" and data.classes == ("no", "yes")
    packed = read(tmp_path, write(gzip.compress(DENSE.encode()), "b.arff.gz"), missing="impute")
    assert packed.sha256 == data.sha256
    assert read(tmp_path, "play.arff", missing="drop", drop=["temp"]).n == 2


def test_sparse_rows_take_zero_and_the_first_level(tmp_path: Path, write: Write) -> None:
    text = (
        "@relation s\n@attribute a numeric\n@attribute b {u, v}\n@attribute c numeric\n"
        "@attribute y {p, q}\n@data\n{0 1.5, 3 q}\n{1 v}\n{}\n{0 ?, 2 -3, 3 q}\n"
    )
    data = read(tmp_path, write(text, "s.arff"), missing="impute")
    a, b, c = data.features
    assert a.values[:3].tolist() == [1.5, 0, 0] and np.isnan(a.values[3])
    assert b.values.tolist() == [0, 1, 0, 0] and c.values.tolist() == [0, 0, 0, -3]
    assert [data.classes[code] for code in data.target] == ["q", "p", "p", "q"]


@pytest.mark.parametrize("kind", ["numeric", "REAL", "Integer", "{1,01,2.50}"])
def test_a_class_of_numbers_keeps_its_text(tmp_path: Path, write: Write, kind: str) -> None:
    text = f"@relation n\n@attribute x numeric\n@attribute y {kind}\n@data\n1,1\n2,01\n3,2.50\n"
    data = read(tmp_path, write(text, "n.arff"))
    assert data.classes == ("01", "1", "2.50")


def test_target_by_name(tmp_path: Path, write: Write) -> None:
    data = read(
        tmp_path, write(DENSE, "p.arff"), target="the outlook", missing="drop", drop=["temp"]
    )
    assert data.classes == ("over cast", "sunny") and data.n == 2
    assert [column.name for column in data.features] == ["count", "word", "class"]
    assert data.features[2].levels == ("no", "yes", "never")


HEAD = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n"


@pytest.mark.parametrize(
    "text, words",
    [
        ("no arff at all\n", "no @data line"),
        (HEAD + "@data\n", "no records"),
        (HEAD + "@data\n1,a\n2,c\n", "line 6"),
        (HEAD + "@data\n1,a\nx,b\n", "line 6"),
        (HEAD + "@data\n1,a\n1,a,b\n", "line 6"),
        (HEAD + "@attribute d date\n@data\n1,a,2\n", "line 4"),
        (HEAD + "@attribute x numeric\n@data\n1,a,2\n", "line 4"),
        (HEAD + "@data\n1,a\ninf,b\n", "infinite"),
        (HEAD + "@data\n1,a\n2,?\n", "missing in 1 of 2"),
        (HEAD.replace("{a,b}", "real") + "@data\n1,1\n2,z\n", "holds 'z'"),
        ("@data\n1\n", "line 1"),
    ],
)
def test_faults(write: Write, fault: Fault, text: str, words: str) -> None:
    assert words in str(fault(source="arff", path=write(text, "f.arff")))


def test_unknown_target(write: Write, fault: Fault) -> None:
    found = fault(source="arff", path=write(DENSE, "p.arff"), target="clas")
    assert "did you mean 'class'?" in str(found) and found.path == ("target",)


@pytest.mark.parametrize("kind, gap", [("{no, yes}", "?"), ("string", "?"), ("string", "''")])
def test_a_missing_label_is_no_class(
    tmp_path: Path, write: Write, fault: Fault, kind: str, gap: str
) -> None:
    head = f"@relation r\n@attribute x numeric\n@attribute class {kind}\n@data\n"
    path = write(f"{head}1,no\n2,{gap}\n3,yes\n4,{gap}\n5,no\n", "gaps.arff")
    refused = fault(source="arff", path=path)
    assert refused.path == ("missing_target",) and "missing in 2 of 5 records" in str(refused)
    assert "missing_target: drop" in str(refused)
    data = read(tmp_path, path, missing_target="drop")
    assert data.classes == ("no", "yes") and data.features[0].values.tolist() == [1, 3, 5]
    assert data.notes == ("2 of 5 records left out: they have no class label",)
