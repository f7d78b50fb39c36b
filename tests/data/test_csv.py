"""csv files: labels as written, features typed by what they hold, faults with their line."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

from cvinfer.data import Dataset, load
from cvinfer.errors import UserError

Write = Callable[..., str]
Fault = Callable[..., UserError]

PLAIN = "x,colour,y\n1,red,a\n2.5,blue,b\n-3e2,red,a\n"


def read(base: Path, path: str, target: str = "y", **more: object) -> Dataset:
    found = load({"source": "csv", "path": path, "target": target, **more}, base, 1)
    assert isinstance(found, Dataset)
    return found


def test_columns_are_typed_by_their_entries(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(PLAIN))
    x, colour = data.features
    assert (x.kind, x.values.tolist()) == ("numeric", [1.0, 2.5, -300.0])
    assert (colour.kind, colour.levels) == ("categorical", ("blue", "red"))
    assert colour.values.tolist() == [1, 0, 1]
    assert x.values.dtype == np.float64 and colour.values.dtype == np.int32
    assert (data.classes, data.target.tolist(), data.n) == (("a", "b"), [0, 1, 0], 3)
    assert (data.name, data.target_name) == ("data", "y")


def test_labels_survive_as_written(tmp_path: Path, write: Write) -> None:
    labels = ["1", "01", "1.0", "TRUE", "true", "NA", "nan", "ä", " ", "a,b", 'q"q', "l\nm"]
    quoted = ['"' + label.replace('"', '""') + '"' for label in labels]
    text = "x,y\n" + "".join(f"{at},{label}\n" for at, label in enumerate(quoted))
    data = read(tmp_path, write(text))
    assert [data.classes[code] for code in data.target] == labels
    assert list(data.classes) == sorted(labels)
    # What may mean that there is no label is told, one note for each.
    doubtful = [note for note in data.notes if "missing_target: drop" in note]
    assert len(doubtful) == 3 and "1 of 12 records have the class 'NA'" in "".join(doubtful)


@pytest.mark.parametrize(
    "entries, kind",
    [
        (["1", "2"], "numeric"),
        (["1", ""], "numeric"),
        (["+1.", ".5e-3"], "numeric"),
        ([" 1", "2 "], "numeric"),
        (["1", "nan"], "categorical"),
        (["1", "inf"], "categorical"),
        (["1", "1e999"], "categorical"),
        (["1", "1_000"], "categorical"),
        (["1", "0x1f"], "categorical"),
        (["1", "١"], "categorical"),
        (["1", "NA"], "categorical"),
        (["1", "1-2"], "categorical"),
        (["TRUE", "FALSE"], "categorical"),
    ],
)
def test_what_is_a_number(tmp_path: Path, write: Write, entries: list[str], kind: str) -> None:
    text = "x,y\n" + "".join(f"{entry},{label}\n" for entry, label in zip(entries, "ab"))
    assert read(tmp_path, write(text), missing="impute").features[0].kind == kind


def test_gzip_bom_and_line_ends_change_nothing(tmp_path: Path, write: Write) -> None:
    plain = read(tmp_path, write(PLAIN))
    for at, content in enumerate(
        [
            gzip.compress(PLAIN.encode()),
            b"\xef\xbb\xbf" + PLAIN.encode(),
            PLAIN.replace("\n", "\r\n").encode(),
            PLAIN.rstrip("\n").encode(),
            (PLAIN + "\n\n").encode(),
            PLAIN.replace("red", '"red"').encode(),
            PLAIN.replace("2.5", "2.50").encode(),
        ]
    ):
        other = read(tmp_path, write(content, f"other{at}.csv"))
        assert other.sha256 == plain.sha256
        assert other.name == f"other{at}"


@pytest.mark.parametrize(
    "old, new",
    [("2.5", "2.6"), ("red", "rot"), ("colour", "color"), (",a\n", ",c\n"), (",y\n", ",z\n")],
)
def test_any_change_of_content_changes_the_hash(
    tmp_path: Path, write: Write, old: str, new: str
) -> None:
    changed = PLAIN.replace(old, new)
    assert changed != PLAIN
    target = "z" if new == ",z\n" else "y"
    before = read(tmp_path, write(PLAIN)).sha256
    assert read(tmp_path, write(changed, "b.csv"), target).sha256 != before


def test_the_hash_is_fixed(tmp_path: Path, write: Write) -> None:
    # Recomputed here from the description in `content_hash`, not through it.
    import hashlib
    import struct

    def texts(*words: str) -> bytes:
        out = struct.pack("<q", len(words))
        for word in words:
            out += struct.pack("<q", len(word.encode())) + word.encode()
        return out

    content = b"cvinfer data 1\n" + texts("3", "2", "y")
    content += texts("x", "numeric") + texts() + struct.pack("<3d", 1, 2.5, -300)
    content += texts("colour", "categorical") + texts("blue", "red") + struct.pack("<3i", 1, 0, 1)
    content += texts("a", "b") + struct.pack("<3i", 0, 1, 0)
    assert read(tmp_path, write(PLAIN)).sha256 == hashlib.sha256(content).hexdigest()


def test_keep_and_drop(tmp_path: Path, write: Write) -> None:
    path = write(PLAIN)
    assert [c.name for c in read(tmp_path, path, drop=["x"]).features] == ["colour"]
    assert [c.name for c in read(tmp_path, path, keep=["x", "y"]).features] == ["x"]


def test_separator_and_encoding(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write("x;y\n1;ä\n2;b\n".encode("latin-1"))
    assert read(tmp_path, path, separator=";", encoding="latin-1").classes == ("b", "ä")
    wrong = fault(source="csv", path=path, target="y")
    assert "byte 0xe4 at offset 6, line 2" in str(wrong) and "encoding" in str(wrong)
    comma = fault(source="csv", path=path, target="y", encoding="latin-1", separator=",")
    assert "separator: ';'" in str(comma)
    assert fault(source="csv", path=path, target="y", encoding="klingon").path == ("encoding",)
    assert fault(source="csv", path=path, target="y", separator=";;").path == ("separator",)


def test_na_and_its_hint(tmp_path: Path, write: Write, fault: Fault) -> None:
    rows = "".join(f"{at},{'ab'[at % 2]}\n" for at in range(20))
    path = write(f"x,y\n{rows}?,a\n")
    plain = read(tmp_path, path)
    assert plain.features[0].kind == "categorical"
    assert "na: ['?']" in plain.notes[0] and "1 of 21" in plain.notes[0]
    filled = read(tmp_path, path, na=["?"], missing="impute")
    assert filled.features[0].kind == "numeric" and np.isnan(filled.features[0].values[20])
    assert fault(source="csv", path=path, target="y", na=[1]).path == ("na", 0)


FAULTS = {
    "": ((), "is empty"),
    "x,y\n": (("path",), "no records"),
    "x,y\n1,a\n2,b\n3\n": (("path",), "line 4: 1 field(s), but the header has 2"),
    "x,y\n1,a\n\n2,b,c\n": (("path",), "line 4: 3 field(s)"),
    'x,y\n"1\n1",a\n2\n': (("path",), "line 4: 1 field(s)"),
    "x,y,x\n1,a,2\n": (("path",), "column 'x' more than once"),
    'x,y\n"1,a\n': (("path",), "line 2"),
    'x,y\n"1"2,a\n': (("path",), "line 2"),
    "x,Y\n1,a\n2,b\n": (("target",), "did you mean 'Y'?"),
    "x,z\n1,a\n2,b\n": (("target",), "the data has 'x', 'z'"),
    "x,y\n1,a\n2,a\n": (("target",), "only the class 'a'"),
    "y\na\nb\n": ((), "no feature column"),
    ",y\n1,a\n2,b\n": (("drop",), "has no name"),
    "x,y\n,a\n,b\n": (("missing",), "'x' in 2"),
    "x,y\n1,a\n,b\n": (("missing",), "'x' in 1; say missing: drop"),
    "x,y\n1,a\n\0,b\n": (("path",), "line 3: a NUL byte"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_of_files(write: Write, fault: Fault, text: str) -> None:
    path, words = FAULTS[text]
    found = fault(source="csv", path=write(text), target="y")
    assert words in str(found)
    assert found.path == (path or found.path)


def test_faults_of_paths(tmp_path: Path, write: Write, fault: Fault) -> None:
    write(PLAIN, "letter.csv")
    (tmp_path / "folder").mkdir()
    write(gzip.compress(PLAIN.encode())[:-9], "cut.csv.gz")
    write(PLAIN.encode("utf-16"), "wide.csv")
    expected = {
        "leter.csv": "did you mean 'letter.csv'?",
        "nowhere/letter.csv": "relative paths start at the spec's folder",
        "folder": "is a folder",
        "cut.csv.gz": "damaged gzip",
        "wide.csv": "UTF-16",
        "nul\0.csv": "cannot be read",
    }
    for path, words in expected.items():
        found = fault(source="csv", path=path, target="y")
        assert words in str(found) and found.path == ("path",)


def test_a_column_without_values_is_named(write: Write, fault: Fault) -> None:
    path = write("x,z,y\n,1,a\n,2,b\n")
    for missing in ("drop", "impute"):
        found = fault(source="csv", path=path, target="y", missing=missing)
        assert "column 'x' has no value in any record" in str(found) and found.path == ("drop",)


def test_a_long_field_is_read(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write(f"x,y\n{'z' * 200_000},a\nw,b\n"))
    assert len(data.features[0].levels[1]) == 200_000


def test_letter_is_quick(shared: Path) -> None:
    start = time.process_time()
    data = read(shared, "letter.csv", "class")
    assert time.process_time() - start < 2.0
    assert (data.n, len(data.features), data.n_classes) == (20_000, 16, 26)
    assert all(column.kind == "numeric" for column in data.features)


def test_credit_has_its_missing_values(shared: Path) -> None:
    # The inventory of the files counts 67 missing cells in 37 of 690 records.
    kept = read(shared, "credit.csv", "class", missing="impute")
    assert kept.impute and sum(int(column.missing.sum()) for column in kept.features) == 67
    dropped = read(shared, "credit.csv", "class", missing="drop")
    assert dropped.n == 653 and dropped.notes == ("37 of 690 records dropped: missing values",)


# --- separator and decimal mark -------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, write: Write, separator: str) -> None:
    plain = read(tmp_path, write(PLAIN))
    found = read(tmp_path, write(PLAIN.replace(",", separator), "other.csv"))
    assert found.sha256 == plain.sha256
    said = {",": (), "\t": ("fields are apart by a tab, by the header",)}
    other = (f"fields are apart by {separator!r}, by the header",)
    assert found.notes == said.get(separator, other)


def test_a_comma_wins_wherever_it_has_the_target(tmp_path: Path, write: Write) -> None:
    data = read(tmp_path, write("x;y,a;b,y\n1,2,u\n3,4,v\n"))
    assert [column.name for column in data.features] == ["x;y", "a;b"]
    # A comma in names and numbers, where only the semicolon has the target.
    data = read(tmp_path, write("x, in mm;y\n1,5;u\n3,4;v\n", "b.csv"), decimal=",")
    assert [column.name for column in data.features] == ["x, in mm"]
    assert data.features[0].values.tolist() == [1.5, 3.4]


def test_a_guess_is_never_silently_wrong(write: Write, fault: Fault) -> None:
    # With two separators the header has the target.
    both = fault(source="csv", path=write("a;y;b|y|c\n1\n", "b.csv"), target="y")
    assert both.path == ("separator",) and "';', '|'" in str(both)
    # The header fits, the records do not.
    ragged = fault(source="csv", path=write("x;y\n1;a;b\n", "c.csv"), target="y")
    assert "line 2: 3 field(s), but the header has 2" in str(ragged)
    # None fits.
    single = fault(source="csv", path=write("x y\n1 a\n2 b\n", "d.csv"), target="y")
    assert "one column only, 'x y'" in str(single) and single.path == ("path",)
    wrong = fault(source="csv", path=write("x;Y\n1;a\n2;b\n", "e.csv"), target="y")
    assert "did you mean 'Y'?" in str(wrong) and wrong.path == ("target",)


def test_decimal_commas(tmp_path: Path, write: Write, fault: Fault) -> None:
    text = "x;c;y\n1,5;1.5;a\n-2e-1;1,5;b\n;3;a\n+,5;4;b\n"
    data = read(tmp_path, write(text), decimal=",", missing="impute")
    x, c = data.features
    assert x.kind == "numeric" and x.values[[0, 1, 3]].tolist() == [1.5, -0.2, 0.5]
    # A point may stand between thousands, so it is no decimal mark any more.
    assert c.kind == "categorical" and c.levels == ("1,5", "1.5", "3", "4")
    assert read(tmp_path, "data.csv", missing="keep").features[0].kind == "categorical"
    same = fault(source="csv", path=write(PLAIN, "b.csv"), target="y", decimal=",")
    assert same.path == ("decimal",) and "separator" in str(same)
    odd = fault(source="csv", path="data.csv", target="y", decimal=";")
    assert odd.path == ("decimal",)


def test_columns_without_a_name_can_be_left_out_together(
    tmp_path: Path, write: Write, fault: Fault
) -> None:
    path = write("x,y,,\n1,a,,\n2,b,,\n")
    assert [column.name for column in read(tmp_path, path, drop=[""]).features] == ["x"]
    assert "has no name" in str(fault(source="csv", path=path, target="y"))


# --- labels that are missing ----------------------------------------------------------------------


def test_a_missing_label_is_no_class(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write("x,g,y\n1,p,a\n2,p,b\n3,,\n,q,\n5,q,a\n6,r,b\n")
    refused = fault(source="csv", path=path, target="y")
    assert refused.path == ("missing_target",)
    assert "missing in 2 of 6 records" in str(refused) and "missing_target: drop" in str(refused)
    for more in ({}, {"groups": "g"}, {"missing": "impute"}, {"missing": "drop"}, {"sample": 3}):
        drop = ["g"] if "groups" not in more else []
        data = read(tmp_path, path, missing_target="drop", drop=drop, **more)
        assert data.classes == ("a", "b") and data.n == more.get("sample", 4)
        assert data.notes[0] == "2 of 6 records left out: they have no class label"
        # Nothing is said of the values that went with them.
        assert not any("missing value" in note for note in data.notes)
    # As before, with the records that lack a value.
    assert read(tmp_path, path, missing="drop", drop=["g"]).n == 4


def test_na_holds_for_labels(tmp_path: Path, write: Write, fault: Fault) -> None:
    path = write("x,y\n1,a\n2,b\n3,?\n4,a\n")
    assert "missing in 1 of 4" in str(fault(source="csv", path=path, target="y", na=["?"]))
    data = read(tmp_path, path, na=["?"], missing_target="drop")
    assert data.classes == ("a", "b") and data.n == 3
    plain = read(tmp_path, path)
    assert plain.classes == ("?", "a", "b") and "na: ['?']" in plain.notes[0]


def test_no_label_at_all(write: Write, fault: Fault) -> None:
    path = write("x,y\n1,\n2,\n")
    found = fault(source="csv", path=path, target="y", missing_target="drop")
    assert found.path == ("target",) and "in all 2 records" in str(found)
    assert fault(source="csv", path=path, target="y", missing_target="keep").path == (
        "missing_target",
    )
