"""Groups: a column that is no feature, carried along by everything that takes records away."""

from __future__ import annotations

import hashlib
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from cvinfer.data import Dataset, load, read_splits, sources, write_splits
from cvinfer.data.groups import refuse_cut_groups
from cvinfer.errors import UserError
from cvinfer.partitions import PartitionError, make_partition

Write = Callable[..., str]
Fault = Callable[..., UserError]

#: Of each record: number, patient, ward, class; the number tells which record a row is.
ROWS = [(at, f"p{at * 7 % 20:02d}", f"w{at * 7 % 20 % 4}", "ABC"[at % 3]) for at in range(60)]
TABLE = "x,patient,ward,y\n" + "".join(f"{x},{p},{w},{y}\n" for x, p, w, y in ROWS)


def read(base: Path, path: str, asked: tuple[str, ...] = (), **more: Any) -> Dataset:
    found = load({"source": "csv", "path": path, "target": "y", **more}, base, 1, asked)
    assert isinstance(found, Dataset)
    return found


def same_groups(codes: Any, labels: list[Any]) -> bool:
    """Whether records have one code exactly where they have one label, counted from 0."""
    assert len(codes) == len(labels)
    pairs = set(zip(codes.tolist(), labels))
    distinct = len(pairs) == len(set(labels)) == len(set(codes.tolist()))
    return distinct and sorted(set(codes.tolist())) == list(range(len(pairs)))


def test_the_column_is_no_feature(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(TABLE), groups="patient", drop=["ward"])
    assert [column.name for column in data.features] == ["x"]
    assert data.group_column == "patient" and data.groups is not None
    assert same_groups(data.groups, [row[1] for row in ROWS])
    assert data.groups is data.groups_by("patient") and data.groups_by(None) is None
    assert data.source["groups"] == "patient"
    with pytest.raises(ValueError, match="read-only"):
        data.groups[0] = 1
    back = pickle.loads(pickle.dumps(data))
    assert (back.groups == data.groups).all() and back.group_column == "patient"


def test_columns_that_partitions_ask_for_are_no_features_either(
    tmp_path: Path, write: Write
) -> None:
    data = read(tmp_path, write(TABLE), ("ward",))
    assert [column.name for column in data.features] == ["x", "patient"]
    assert data.group_column is None and data.groups is None
    assert same_groups(data.groups_by("ward"), [row[2] for row in ROWS])
    both = read(tmp_path, "data.csv", ("ward", "patient"), groups="patient")
    assert [column.name for column in both.features] == ["x"]
    assert both.group_column == "patient" and len(both.groupings) == 2


def test_the_note_says_how_many_and_what_is_not_promised(tmp_path: Path, write: Write) -> None:
    (note,) = read(tmp_path, write(TABLE), groups="patient", drop=["ward"]).notes
    assert note.startswith("20 groups by 'patient', 3 records each:")
    assert "independent" in note and "p-values" in note
    (note,) = read(tmp_path, "data.csv", groups="patient", drop=["ward"], sample=20).notes[1:]
    assert " groups by 'patient', 1 to " in note
    (note,) = read(tmp_path, "data.csv", groups="x", drop=["ward"]).notes
    assert note.startswith("60 groups by 'x', 1 record each:")


def test_a_set_without_groups_keeps_its_hash_and_one_with_groups_has_its_own(
    tmp_path: Path, write: Write
) -> None:
    plain = read(tmp_path, write(TABLE), drop=["patient", "ward"])
    # The hash that this content had before there were groups.
    import struct

    def texts(*words: str) -> bytes:
        return struct.pack("<q", len(words)) + b"".join(
            struct.pack("<q", len(word)) + word.encode() for word in words
        )

    content = b"cvinfer data 1\n" + texts("60", "1", "y") + texts("x", "numeric") + texts()
    content += struct.pack("<60d", *range(60)) + texts("A", "B", "C")
    content += struct.pack("<60i", *(at % 3 for at in range(60)))
    assert plain.sha256 == hashlib.sha256(content).hexdigest()
    grouped = read(tmp_path, "data.csv", groups="patient", drop=["ward"])
    assert grouped.groups is not None
    content += texts("groups", "patient") + struct.pack("<60i", *grouped.groups.tolist())
    assert grouped.sha256 == hashlib.sha256(content).hexdigest()
    # Who asks for the groups, and in which order, is nothing that the content has.
    first = read(tmp_path, "data.csv", ("ward",), groups="patient")
    second = read(tmp_path, "data.csv", ("patient", "ward"))
    assert first.sha256 == second.sha256 != grouped.sha256


def test_labels_count_as_written(tmp_path: Path, write: Write) -> None:
    # As numbers the first two would be one, and so would the next two.
    labels = ["10000000000000001", "10000000000000002", "7", "07", " 7", "a", "A", "b"]
    path = write("g,x,y\n" + "".join(f"{g},{at},{'cd'[at % 2]}\n" for at, g in enumerate(labels)))
    data = read(tmp_path, path, groups="g")
    assert data.groups is not None and same_groups(data.groups, labels)
    assert "differ by blanks, case or leading zeros only" in data.notes[0]
    assert not any("differ by" in note for note in read(tmp_path, write(TABLE), ("ward",)).notes)


TRANSFORMS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "sample": {"sample": 37},
    "stratified": {"sample": {"n": 30, "stratify": True}},
    "with replacement": {"sample": {"n": 90, "replace": True}},
    "binarize": {"binarize": "A"},
    "keep": {"keep": ["x", "patient"]},
    "missing": {"missing": "drop"},
    "all": {"missing": "drop", "binarize": "A", "sample": {"n": 40, "replace": True}},
}


@pytest.mark.parametrize("more", TRANSFORMS.values(), ids=TRANSFORMS)
def test_groups_go_with_their_records(tmp_path: Path, write: Write, more: dict[str, Any]) -> None:
    text = TABLE.replace("y\n", "y\n,p99,w9,A\n") if "missing" in more else TABLE
    data = read(tmp_path, write(text), ("ward",), groups="patient", **more)
    drawn = [int(x) for x in data.features[0].values]
    assert [column.name for column in data.features] == ["x"]
    assert data.groups is not None
    assert same_groups(data.groups, [ROWS[x][1] for x in drawn])
    assert same_groups(data.groups_by("ward"), [ROWS[x][2] for x in drawn])
    if "replace" in str(more):
        assert "in one split of a partition without groups" in " ".join(data.notes)


def test_records_without_a_group(tmp_path: Path, write: Write, fault: Fault) -> None:
    text = TABLE.replace("p07", "").replace("p14", "?").replace("p01", "  ")
    given = {"source": "csv", "path": write(text), "target": "y", "groups": "patient"}
    found = fault(**given, na=["?"], drop=["ward"])
    assert found.path == ("groups",)
    assert "'patient' is missing in 9 of 60 records" in str(found) and "missing: drop" in str(found)
    for missing in ("impute", "keep"):
        assert "in 9 of 60" in str(fault(**given, na=["?"], missing=missing))
    data = read(tmp_path, "data.csv", groups="patient", na=["?"], drop=["ward"], missing="drop")
    assert data.n == 51 and data.notes[0] == "9 of 60 records dropped: missing values"
    gone = ("p07", "p14", "p01")
    assert same_groups(data.groups, [row[1] for row in ROWS if row[1] not in gone])
    bare = write("g,x,y\n,1,a\n,2,b\n", "bare.csv")
    found = fault(source="csv", path=bare, target="y", groups="g", missing="drop")
    assert found.path == ("groups",) and "no value in any record" in str(found)
    torn = write("g,x,y\n,1,a\n1,,b\n", "torn.csv")
    found = fault(source="csv", path=torn, target="y", groups="g", missing="drop")
    assert found.path == ("missing",) and "leaves none" in str(found)


@pytest.mark.parametrize(
    "more, path, words",
    [
        ({"groups": "pateint"}, ("groups",), "no column 'pateint'; did you mean 'patient'?"),
        ({"groups": "y"}, ("groups",), "groups is the target 'y'"),
        ({"groups": "ward", "drop": ["x", "ward"]}, ("drop", 1), "which groups needs"),
        ({"groups": 7}, ("groups",), "groups must be text"),
        ({"groups": "x", "drop": ["patient", "ward"]}, ("drop",), "beside the target and the g"),
    ],
)
def test_faults(
    write: Write, fault: Fault, more: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    found = fault(source="csv", path=write(TABLE), target="y", **more)
    assert words in str(found) and found.path == path


def test_faults_of_a_column_that_a_partition_asks_for(tmp_path: Path, write: Write) -> None:
    for column, words in (("wards", "did you mean 'ward'?"), ("y", "is the target")):
        with pytest.raises(UserError, match=words) as caught:
            read(tmp_path, write(TABLE), (column,))
        assert caught.value.path == ("groups", column)


@pytest.mark.parametrize(
    "spec, words",
    [
        ({"source": "synthetic", "population": "exp6"}, "drawn independently"),
        ({"source": "predictions", "path": "p.csv"}, "bring their own splits"),
    ],
)
def test_sources_that_refuse_groups_by_name(fault: Fault, spec: dict[str, Any], words: str) -> None:
    found = fault(**spec, groups="x1")
    assert f"source {spec['source']} takes no groups" in str(found)
    assert words in str(found) and found.path == ("groups",)
    taking = {name for name, info in sources().items() if "groups" in info.options}
    assert taking == {"csv", "arff", "parquet", "sklearn", "openml", "r"}


# Other sources ------------------------------------------------------------------------------------


def test_arff(tmp_path: Path, write: Write) -> None:
    pytest.importorskip("arff")
    head = "@relation r\n@attribute x numeric\n@attribute s string\n@attribute n numeric\n"
    head += "@attribute l {u, v, w, unused}\n@attribute y {a, b}\n@data\n"
    rows = [f"{at}, t{at % 5}, {at % 3 - 1}, {'wvu'[at % 3]}, {'ab'[at % 2]}" for at in range(30)]
    path = write(head + "\n".join(rows) + "\n", "d.arff")
    for column, count in (("s", 5), ("n", 3), ("l", 3)):
        data = load({"source": "arff", "path": path, "groups": column}, tmp_path, 1)
        assert isinstance(data, Dataset) and column not in [c.name for c in data.features]
        assert same_groups(data.groups, [at % count for at in range(30)])
    with pytest.raises(UserError, match="groups is the target 'y'"):
        load({"source": "arff", "path": path, "groups": "y"}, tmp_path, 1)


def test_sklearn(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    spec = {"source": "sklearn", "dataset": "iris", "groups": "petal width (cm)"}
    data = load(spec, tmp_path, 1)
    assert isinstance(data, Dataset) and len(data.features) == 3 and data.groups is not None
    plain = load({"source": "sklearn", "dataset": "iris"}, tmp_path, 1)
    assert isinstance(plain, Dataset)
    assert same_groups(data.groups, plain.features[3].values.tolist())


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    large = [2**60 + at % 3 for at in range(12)]  # as numbers of double precision they are one
    table = {"x": list(range(12)), "id": large, "y": ["a", "b"] * 6}
    parquet.write_table(pyarrow.table(table), tmp_path / "p.parquet")
    spec = {"source": "parquet", "path": "p.parquet", "target": "y", "groups": "id"}
    data = load(spec, tmp_path, 1)
    assert isinstance(data, Dataset) and same_groups(data.groups, large)


# Splits that were made before ---------------------------------------------------------------------


def test_splits_of_a_file_may_not_cut_groups(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(TABLE), ("ward",), groups="patient")
    partitions = [
        make_partition("kfold", 60, k=5, groups=data.groups),
        make_partition("blocked_mx2", 60, m=5, groups=data.groups),
        make_partition("repeated_holdout", 60, j=4, groups=data.groups),
    ]
    write_splits(partitions, tmp_path / "s.csv")
    for partition in read_splits(tmp_path / "s.csv", 60):
        refuse_cut_groups(partition, data, "patient")
        refuse_cut_groups(partition, data, None)
        with pytest.raises(PartitionError, match="cuts groups: its split 1 trains on record"):
            refuse_cut_groups(partition, data, "ward")


def test_where_groups_are_cut_is_told(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(TABLE), groups="patient", drop=["ward"])
    partition = make_partition("kfold", 60, k=5, seed=3)
    with pytest.raises(PartitionError, match="by 'patient'") as caught:
        refuse_cut_groups(partition, data, "patient")
    words = str(caught.value).replace(",", "").split()
    at, trained, tested = [int(word) for word in words if word.isdigit()]
    assert ROWS[trained][1] == ROWS[tested][1]
    assert trained in partition.splits[at - 1].train and tested in partition.splits[at - 1].test


def test_by_hand(tmp_path: Path, write: Write) -> None:
    """The counts of the note, made by hand."""
    data = read(tmp_path, write(TABLE), groups="patient", drop=["ward"], sample=31)
    sizes: defaultdict[str, int] = defaultdict(int)
    for x in data.features[0].values:
        sizes[ROWS[int(x)][1]] += 1
    low, high = min(sizes.values()), max(sizes.values())
    assert data.notes[-1].startswith(f"{len(sizes)} groups by 'patient', {low} to {high} records")
    assert np.bincount(data.groups_by("patient")).tolist() == [sizes[p] for p in sorted(sizes)]
