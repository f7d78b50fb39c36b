"""Reading in blocks gives what reading cell by cell gave: values, codes, hashes, faults."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import slow_csv
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cvinfer.data import Dataset, blocks, load
from cvinfer.errors import UserError

ODD = [
    *("", " ", "?", "NA", "nan", "NaN", "-nan", "inf", "-Infinity", "1e999", "-1e999", "1_000"),
    *("0x1f", "1e", "1e+", "e5", ".", "-", "+", "--1", "1-2", "1 2", "١", "TRUE", "1\xa0", "\xa01"),
    *("-0", "-0.0", "+0", "00", "007", "1.", ".5", "5e-324", "3e-324", "1e-400", "2.5e-8", "1e22"),
    *("1e23", "9007199254740993", "18446744073709551617", "0.1", "0.30000000000000004", " 1 "),
    *("123456789012345", "1234567890123456", "0.1234567890123456789", "1,5", "1.234,5", "99"),
    *("a,b", "a;b", 'q"q', '"', '""', "l\nm", "l\r\nm", "l\rm", "\x0b1", "ä", "日本", "\ufeff"),
    *("99.0", "\x1c2"),
    *("1e5", "1E5", "-1.5e-3", "12345678.12345678", "True", "c" * 70, "#", "\\", "\\n", "'1'"),
]
PLAIN = st.one_of(
    st.sampled_from(ODD),
    st.integers(-(10**18), 10**18).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.4f}"),
    st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=4),
)
NUMBERS = st.one_of(
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.6f}"),
    st.decimals(allow_nan=False, allow_infinity=False, places=7).map(str),
    st.sampled_from(["", "0", "-0", "1", "17", "1e3", "99", "99.0", "-0.5"]),
)


@st.composite
def tables(draw: Any) -> list[list[str]]:
    width = draw(st.integers(2, 4))
    n = draw(st.integers(2, 12))
    columns = []
    for _ in range(width - 1):
        alone = st.sampled_from([draw(st.sampled_from(ODD)), ""])
        entries = draw(st.sampled_from([NUMBERS, PLAIN, st.one_of(NUMBERS, PLAIN), alone]))
        columns.append(draw(st.lists(entries, min_size=n, max_size=n)))
    labels = st.sampled_from(["a", "b", "NA", "1", "01"])
    columns.append(draw(st.lists(labels, min_size=n, max_size=n)))
    columns[-1][:2] = ["a", "b"]
    header = [*(f"x{at}" for at in range(width - 1)), "y"]
    return [header, *map(list, zip(*columns))]


def written(rows: list[list[str]], separator: str, end: str, quoting: int) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return stream.getvalue()


def same(found: Dataset, wanted: slow_csv.Found) -> None:
    for new, old in zip(found.features, wanted.features):
        assert (new.name, new.kind, new.levels) == (old.name, old.kind, old.levels)
        assert new.values.dtype == old.values.dtype
        # To the bit: the sign of zero is part of the hash.
        assert np.array_equal(np.isnan(new.values), np.isnan(old.values))
        keep = ~np.isnan(new.values)
        assert new.values[keep].tobytes() == old.values[keep].tobytes()
    assert [found.classes[code] for code in found.target] == wanted.labels
    assert found.sha256 == wanted.sha256


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|", " ", "§"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from([(), ("?",), ("99",), ("nan", "NA"), ("-0", "1e3")]),
    st.sampled_from([".", ","]),
    st.sampled_from([20, 100, 4_000_000]),
)
def test_any_table_is_read_as_before(
    tmp_path_factory: Any,
    rows: list[list[str]],
    separator: str,
    end: str,
    quoting: int,
    na: tuple[str, ...],
    decimal: str,
    size: int,
) -> None:
    if separator == decimal:
        return
    place = tmp_path_factory.mktemp("t")
    text = written(rows, separator, end, quoting)
    (place / "t.csv").write_bytes(text.encode())
    spec = {"source": "csv", "path": "t.csv", "target": "y", "separator": separator}
    spec.update({"na": list(na), "decimal": decimal, "missing": "keep"})  # type: ignore[dict-item]
    labels = [row[-1] for row in rows[1:]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        patch.setattr(blocks, "BATCH", 3)
        patch.setattr(blocks, "GUESS", 2)
        try:
            found = load(spec, place, 1)
        except UserError as error:
            try:
                slow_csv.read(text, "y", na, separator, decimal)
            except UserError as fault:
                assert str(fault) in str(error)
                return
            bare = "has no value in any record" in str(error)
            # A label that is said to mean missing.
            assert bare or set(labels) & set(na), str(error)
            return
    assert isinstance(found, Dataset)
    same(found, slow_csv.read(text, "y", na, separator, decimal))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from([*'",\n\r', "a", "1", "b", '"', ",", "\n", "\r\n"]), max_size=30),
    st.sampled_from([3, 8, 4_000_000]),
)
def test_any_text_is_read_or_refused_as_before(
    tmp_path_factory: Any, pieces: list[str], size: int
) -> None:
    place = tmp_path_factory.mktemp("t")
    text = "x,y\n1,a\n" + "".join(pieces)
    (place / "t.csv").write_bytes(text.encode())
    try:
        wanted: Any = slow_csv.rows_of(text)
    except UserError as error:
        wanted = str(error)
    file = blocks.CsvText("t.csv", text.encode(), ",")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        patch.setattr(blocks, "BATCH", 2)
        try:
            total, columns, texts = blocks.read_columns(file, blocks.Dialect(), [0], [], [1])
            texts.update(blocks.read_columns(file, blocks.Dialect(), [], [0])[2])
        except UserError as error:
            assert isinstance(wanted, str) and wanted in str(error)
            return
    assert not isinstance(wanted, str), wanted
    assert total == len(wanted.rows)
    assert list(texts[1]) == [row[1] for row in wanted.rows]
    assert list(texts[0]) == [row[0] or None for row in wanted.rows]
    old = slow_csv.column("x", [row[0] for row in wanted.rows], frozenset({""}))
    assert (columns[0].kind, columns[0].levels) == (old.kind, old.levels)
    np.testing.assert_array_equal(columns[0].values, old.values)


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
@pytest.mark.parametrize("where", ["first", "last", "all"])
def test_odd_entries_among_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, where: str
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 500)
    plain = [f"{at / 7:.5f}" for at in range(150)]
    plain[{"first": 0, "last": -1, "all": 0}[where]] = text
    if where == "all":
        plain = [text] * 150
    rows = [["x", "z", "y"], *([x, "1", "ab"[at % 2]] for at, x in enumerate(plain))]
    whole = written(rows, ",", "\n", csv.QUOTE_MINIMAL)
    (tmp_path / "t.csv").write_bytes(whole.encode())
    spec = {"source": "csv", "path": "t.csv", "target": "y", "missing": "keep"}
    if where == "all" and not text:
        return  # a column without a value is refused
    try:
        wanted = slow_csv.read(whole, "y")
    except UserError as fault:
        with pytest.raises(UserError, match=str(fault).split(":")[0]):
            load(spec, tmp_path, 1)
        return
    found = load(spec, tmp_path, 1)
    assert isinstance(found, Dataset)
    same(found, wanted)


@pytest.mark.parametrize("word", ["TRUE", "True", "true", "FALSE", '"TRUE"', '"false"'])
@pytest.mark.parametrize("at", [0, 1])
def test_words_of_truth_are_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, at: int
) -> None:
    # Behind records without a value, which could be those of a numeric column.
    monkeypatch.setattr(blocks, "BLOCK", 400)
    entries = [""] * 120 + [word, ""] * 90
    other = [str(number) for number in range(len(entries))]
    columns = [entries, other] if at == 0 else [other, entries]
    lines = (",".join(each) for each in zip(*columns, "ab" * 150))
    text = "x,z,y\n" + "".join(f"{line}\n" for line in lines)
    (tmp_path / "t.csv").write_bytes(text.encode())
    spec = {"source": "csv", "path": "t.csv", "target": "y", "missing": "keep"}
    found = load(spec, tmp_path, 1)
    assert isinstance(found, Dataset)
    same(found, slow_csv.read(text, "y"))
    assert found.features[at].levels == (word.strip('"'),)


@pytest.mark.parametrize(
    "decimal, digits",
    [(".", 6), (".", 15), (".", 17), (",", 6), (",", 17)],
    ids=lambda value: str(value),
)
def test_numbers_are_those_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decimal: str, digits: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 10_000)
    random = np.random.default_rng(digits)
    values = random.normal(size=4000) * 10.0 ** random.integers(-12, 12, 4000)
    texts = [f"{value:.{digits}g}" for value in values]
    rows = [["x", "y"], *([x.replace(".", decimal), "ab"[at % 2]] for at, x in enumerate(texts))]
    text = written(rows, ";", "\n", csv.QUOTE_MINIMAL)
    (tmp_path / "t.csv").write_bytes(text.encode())
    spec = {"source": "csv", "path": "t.csv", "target": "y", "decimal": decimal}
    found = load(spec, tmp_path, 1)
    assert isinstance(found, Dataset)
    assert found.features[0].values.tolist() == list(map(float, texts))


RECORDED = json.loads((Path(__file__).parent / "recorded_hashes.json").read_text())


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_files_have_the_hashes_that_they_had(name: str, shared: Path) -> None:
    """Recorded with the code that read cell by cell."""
    place = Path(__file__).resolve().parents[2] / "specs" / "data"
    place = place if (place / name).is_file() else shared
    spec = {"source": "csv", "path": name, "target": "class", "missing": "impute"}
    found = load(spec, place, 1)
    assert isinstance(found, Dataset) and found.sha256 == RECORDED[name]


def test_well_written_files_are_read_by_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("csv was asked")

    monkeypatch.setattr(blocks, "_csv_blocks", never)
    for text in (
        "x,y\n1,a\n2,b\n",
        "x,y\r\n1,a\r\n2,b",
        '"x","y"\n"1","a"\n"2,5","b""c"\n\n\n',
        'x,y\n"l\nm",a\n2,b\n',
        "x,y\n1e-300,ä\n,b\n",
    ):
        total, _, _ = blocks.read_columns(
            blocks.CsvText("t", text.encode(), ","), blocks.Dialect(), [0], (), [1]
        )
        assert total == 2
