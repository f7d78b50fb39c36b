"""The columns of a csv file, read in blocks without a step of Python for each cell.

What a field is and what a number is stays with Python's csv and float: pandas reads only what it
reads in the same way, which is looked at block by block. That is a block whose quotes stand around
whole fields and whose rows are all as wide as the header. A file with any other block is read by
csv itself, and so is one with a fault, which csv can place.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError

from .dataset import CATEGORICAL, NUMERIC, Column, Texts
from .files import bad_quotes, ragged_row
from .table import numbers

__all__ = ["CsvText", "Dialect", "first_row", "read_columns", "some_rows"]

#: Bytes of a block: large for pandas' own start, small for the caches of a processor.
BLOCK = 4_000_000
#: Records that a first guess of what is a number is made from, and those that csv reads at once.
GUESS, BATCH = 100, 20_000

_SEPARATORS = frozenset(",;|\t:!#$%&*/~^@")
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13
_BOM = b"\xef\xbb\xbf"
_LONGEST_FIELD = 2**31 - 1
# Up to so many digits, and between these sizes, one rounding turns digits into the nearest double,
# so that pandas' quick way gives the very number that Python's gives.
_DIGITS, _SMALLEST, _LARGEST = 15, 1e-7, 1e22
_LONGEST_WORD = 64

Floats = NDArray[np.float64]
Coded = tuple[NDArray[np.int32], Sequence[str]]


class Dialect(NamedTuple):
    """How a file is written; `missing` are the texts that stand for no value in a feature."""

    separator: str = ","
    decimal: str = "."
    missing: frozenset[str] = frozenset({""})

    def numbers(self, texts: Sequence[str]) -> Optional[list[float]]:
        return numbers(texts, self.decimal)


class CsvText(NamedTuple):
    """A file in UTF-8 without a byte order mark, the name it is told by, and its separator."""

    written: str
    content: bytes
    separator: str

    def rows(self) -> Any:
        """A csv reader from the start."""
        stream = io.TextIOWrapper(io.BytesIO(self.content), "utf-8", "surrogatepass", newline="")
        return csv.reader(stream, delimiter=self.separator, strict=True)


class _Irregular(Exception):
    """This is for csv to read."""


# --- the header and a few rows --------------------------------------------------------------------


def some_rows(file: CsvText, most: int) -> list[list[str]]:
    """The first rows that are not blank, the header among them."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    reader = file.rows()
    try:
        return list(itertools.islice(filter(None, reader), most))
    except csv.Error as error:
        raise bad_quotes(file.written, reader, error) from None
    finally:
        csv.field_size_limit(limit)


def first_row(file: CsvText) -> list[str]:
    """The header."""
    found = some_rows(file, 1)
    if not found:
        raise UserError(
            f"{file.written!r} is empty; its first line must name the columns", ("path",)
        )
    return found[0]


# --- columns --------------------------------------------------------------------------------------


def read_columns(
    file: CsvText,
    dialect: Dialect,
    features: Collection[int],
    texts: Collection[int] = (),
    labels: Collection[int] = (),
) -> tuple[int, dict[int, Column], dict[int, Texts]]:
    """How many records there are, and the columns by their numbers.

    A feature is numeric if every entry that is not missing is a finite number, else categorical.
    `texts` come as they are written, with what is missing as None, `labels` with all that is
    written. A column is asked for in one of the three ways.
    """
    header = first_row(file)
    try:
        return _read(file, _regular_blocks, header, dialect, features, texts, labels)
    except _Irregular:
        return _read(file, _csv_blocks, header, dialect, features, texts, labels)


def _read(
    file: CsvText,
    blocks: Callable[..., Iterator["_Block"]],
    header: list[str],
    dialect: Dialect,
    features: Collection[int],
    texts: Collection[int],
    labels: Collection[int],
) -> tuple[int, dict[int, Column], dict[int, Texts]]:
    most = 1 + sum(_count(file.content, each) for each in b"\n\r")
    numeric = _look_numeric(file, dialect, features)
    values: dict[int, Floats] = {at: np.empty(most) for at in numeric}
    coded = {at: _Levels() for at in (*texts, *labels, *set(features).difference(numeric))}
    turned: dict[int, int] = {}
    total = 0
    for number, block in enumerate(blocks(file, len(header), dialect)):
        floats, found = block.parse(tuple(values), tuple(coded), labels)
        for at, part in floats.items():
            if part is None:
                turned[at] = number
                del values[at]
            else:
                values[at][total : total + block.n] = part
        for at in coded:
            coded[at].add(number, *found[at])
        new = [at for at, part in floats.items() if part is None]
        if new:
            for at, each in block.parse((), new, labels)[1].items():
                coded[at] = _Levels()
                coded[at].add(number, *each)
        total += block.n
    if turned:
        # They looked like numbers at first: what was taken for one is wanted as it is written.
        again = itertools.islice(blocks(file, len(header), dialect), max(turned.values()))
        for number, block in enumerate(again):
            late = [at for at in turned if number < turned[at]]
            for at, each in block.parse((), late, labels)[1].items():
                coded[at].add(number, *each)
    columns = {at: _numeric(header[at], values.pop(at), total) for at in list(values)}
    for at in features:
        if at in coded:
            columns[at] = _column(header[at], coded.pop(at).texts(dialect.missing), dialect)
    kept = {at: coded[at].texts(dialect.missing) for at in texts}
    kept.update({at: coded[at].texts(frozenset()) for at in labels})
    return total, columns, kept


def _count(content: bytes, code: int) -> int:
    """How often a byte occurs; what `bytes` has for that takes ten times as long."""
    if content.find(code) < 0:
        return 0
    pieces = (content[at : at + BLOCK] for at in range(0, len(content), BLOCK))
    return sum(int(np.count_nonzero(np.frombuffer(each, np.uint8) == code)) for each in pieces)


def _look_numeric(file: CsvText, dialect: Dialect, features: Collection[int]) -> list[int]:
    """The columns that look numeric from the first records; a wrong guess costs time only."""
    try:
        rows = some_rows(file, GUESS + 1)[1:]
    except UserError:
        return list(features)  # the fault is told when its turn comes
    width = min(map(len, rows), default=0)
    return [
        at
        for at in features
        if at >= width
        or dialect.numbers(sorted({row[at] for row in rows} - dialect.missing)) is not None
    ]


def _numeric(name: str, values: Floats, total: int) -> Column:
    own = values if len(values) == total else values[:total].copy()
    own.setflags(write=False)
    return Column(name, NUMERIC, own)


def _column(name: str, texts: Texts, dialect: Dialect) -> Column:
    found = dialect.numbers(texts.levels)
    if found is None:
        return Column(name, CATEGORICAL, texts.codes, texts.levels)
    return Column(name, NUMERIC, np.array([*found, np.nan])[texts.codes])


class _Levels:
    """Texts of one column, from block to block, as numbers of the different ones."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.parts: dict[int, NDArray[np.int32]] = {}

    def add(self, block: int, codes: NDArray[np.int32], levels: Sequence[str]) -> None:
        known = self.number
        renumbered = [known.setdefault(level, len(known)) for level in levels]
        self.parts[block] = np.array([*renumbered, -1], dtype=np.int32)[codes]

    def texts(self, missing: frozenset[str]) -> Texts:
        """The different texts by code point, and the codes of all; -1 for what is missing."""
        levels = sorted(self.number.keys() - missing)
        renumbered = np.full(len(self.number) + 1, -1, dtype=np.int32)
        renumbered[[self.number[level] for level in levels]] = np.arange(len(levels))
        parts = [self.parts[block] for block in sorted(self.parts)]
        codes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        return Texts(renumbered[codes], tuple(levels))


class _Block:
    """Some records of a file.

    parse: numeric columns as numbers, None where one is not numeric after all, and columns of
    text as codes and levels; `whole` are columns where nothing is missing.
    """

    n = 0

    def parse(
        self, numeric: Collection[int], texts: Collection[int], whole: Collection[int]
    ) -> tuple[dict[int, Optional[Floats]], dict[int, Coded]]:
        raise NotImplementedError


# --- blocks that csv reads ------------------------------------------------------------------------


class _CsvBlock(_Block):
    def __init__(self, rows: list[list[str]], dialect: Dialect) -> None:
        self.n = len(rows)
        self.columns = list(zip(*rows))
        self.dialect = dialect

    def parse(
        self, numeric: Collection[int], texts: Collection[int], whole: Collection[int]
    ) -> tuple[dict[int, Optional[Floats]], dict[int, Coded]]:
        floats = {at: _floats(self.columns[at], self.dialect) for at in numeric}
        return floats, {at: _coded(self.columns[at]) for at in texts}


def _floats(texts: Sequence[str], dialect: Dialect) -> Optional[Floats]:
    """The texts as numbers, as Python reads them."""
    distinct = list(set(texts) - dialect.missing)
    found = dialect.numbers(distinct)
    if found is None:
        return None
    value = dict(zip(distinct, found))
    value.update(dict.fromkeys(dialect.missing, float("nan")))
    return np.fromiter(map(value.__getitem__, texts), dtype=np.float64, count=len(texts))


def _coded(texts: Sequence[str]) -> Coded:
    number: dict[str, int] = {}
    found = [number.setdefault(text, len(number)) for text in texts]
    return np.array(found, dtype=np.int32), list(number)


def _csv_blocks(file: CsvText, width: int, dialect: Dialect) -> Iterator[_Block]:
    limit = csv.field_size_limit(_LONGEST_FIELD)
    reader = file.rows()
    ragged = False
    try:
        rows: Iterator[list[str]] = filter(None, reader)
        next(rows)  # the header
        while True:
            batch = list(itertools.islice(rows, BATCH))
            if not batch:
                break
            # A fault of quotes anywhere is told first: rows are ragged because of it.
            ragged = ragged or bool(set(map(len, batch)) - {width})
            if not ragged:
                yield _CsvBlock(batch, dialect)
        if ragged:
            raise ragged_row(file.written, file.rows(), width)
    except csv.Error as error:
        raise bad_quotes(file.written, reader, error) from None
    finally:
        csv.field_size_limit(limit)


# --- blocks that pandas reads ---------------------------------------------------------------------


def _regular_blocks(file: CsvText, width: int, dialect: Dialect) -> Iterator[_Block]:
    if width < 2 or dialect.separator not in _SEPARATORS or dialect.separator == dialect.decimal:
        raise _Irregular
    content = file.content
    at = _end_of_header(content)
    while at < len(content):
        end = _end_of_block(content, at)
        block = content[at:end]
        yield _RegularBlock(block if block.endswith(b"\n") else block + b"\n", width, dialect)
        at = end


def _end_of_header(content: bytes) -> int:
    at = 0
    while content[at : at + 1] in (b"\n", b"\r"):
        at += 1
    end = content.find(b"\n", at)
    while end >= 0 and content.count(b'"', at, end) % 2:
        end = content.find(b"\n", end + 1)
    end = end + 1 or len(content)
    if _lone_returns(content[:end]):
        raise _Irregular
    return end


def _lone_returns(part: bytes) -> bool:
    """Whether a return stands without a line feed: it is an end of a line of its own."""
    return b"\r" in part and part.count(b"\r") != part.count(b"\r\n")


def _end_of_block(content: bytes, at: int) -> int:
    """Behind a line end that is in no quotes, or the end of it all."""
    size = BLOCK
    while at + size < len(content):
        end = content.rfind(b"\n", at, at + size) + 1
        # Most blocks have no quote at all, which is soon seen.
        while content.find(b'"', at, end) >= 0 and content.count(b'"', at, end) % 2:
            end = content.rfind(b"\n", at, end - 1) + 1
        if end > at:
            return end
        size *= 2
    return len(content)


class _RegularBlock(_Block):
    """Raises `_Irregular` unless pandas reads these bytes as csv does."""

    def __init__(self, block: bytes, width: int, dialect: Dialect) -> None:
        if block.startswith(_BOM) or _lone_returns(block):
            raise _Irregular
        self.block, self.dialect = block, dialect
        self.bytes = np.frombuffer(block, dtype=np.uint8)
        ends = self._ends(width)
        self.quoted = b'"' in block
        self.n = len(ends) // width
        self.ends = ends.reshape(self.n, width) if len(ends) == self.n * width else ends
        if len(ends) != self.n * width or not self._rows_are_whole():
            raise _Irregular

    def _ends(self, width: int) -> NDArray[np.int64]:
        """Where the fields end; lines without any field are taken out of the block."""
        is_line = self.bytes == _NEWLINE
        is_end = is_line | (self.bytes == ord(self.dialect.separator))
        if b'"' in self.block:
            inside = self._inside_quotes()
            is_end &= ~inside
            is_line &= ~inside
        lines = np.flatnonzero(is_line)
        starts = np.zeros_like(lines)
        starts[1:] = lines[:-1] + 1
        returns = self.bytes[lines - 1] == _RETURN
        blank = (lines == starts) | ((lines == starts + 1) & returns)
        if not blank.any():
            return np.flatnonzero(is_end)
        stay = np.ones(len(self.bytes), dtype=bool)
        stay[lines[blank]] = stay[starts[blank]] = False
        self.block = self.bytes[stay].tobytes()
        self.bytes = np.frombuffer(self.block, dtype=np.uint8)
        return np.flatnonzero(is_end[stay])

    def _inside_quotes(self) -> NDArray[np.bool_]:
        """Which bytes are in quotes; the quotes must stand around whole fields."""
        quotes = self.bytes == _QUOTE
        inside = (np.cumsum(quotes, dtype=np.uint8) & 1).astype(bool)
        if inside[-1]:
            raise _Irregular
        ends = (ord(self.dialect.separator), _NEWLINE, _QUOTE)
        opening = np.flatnonzero(quotes & inside)
        before = self.bytes[opening - 1]
        if not (np.isin(before, ends) | (opening == 0)).all():
            raise _Irregular
        closing = np.flatnonzero(quotes & ~inside)
        behind = self.bytes[closing + 1]  # the last byte is a line end
        if not (np.isin(behind, ends) | (behind == _RETURN)).all():
            raise _Irregular
        return inside

    def _rows_are_whole(self) -> bool:
        last = self.bytes[self.ends] == _NEWLINE
        return bool(last[:, -1].all() and not last[:, :-1].any())

    def parse(
        self, numeric: Collection[int], texts: Collection[int], whole: Collection[int]
    ) -> tuple[dict[int, Optional[Floats]], dict[int, Coded]]:
        if not self.n or not (numeric or texts):
            none = (np.zeros(0, dtype=np.int32), ())
            return {at: np.zeros(0) for at in numeric}, {at: none for at in texts}
        try:
            frame = self._frame({**dict.fromkeys(numeric, "f8"), **_categories(texts)}, whole)
        except ValueError:  # something is no number, or none to pandas
            frame = self._frame(_categories([*numeric, *texts]), whole)
            floats = {at: self._exact(frame[at]) for at in numeric}
        else:
            floats = {at: self._checked(at, frame[at].to_numpy()) for at in numeric}
        return floats, {at: _codes(frame[at]) for at in texts}

    def _frame(self, kinds: Mapping[int, str], whole: Collection[int]) -> Any:
        import pandas as pd

        longest = int(np.diff(self.ends.ravel(), prepend=-1).max()) - 1
        words = [word for word in self.dialect.missing if _value(word, self.dialect) is None]
        return pd.read_csv(
            io.BytesIO(self.block),
            sep=self.dialect.separator,
            decimal=self.dialect.decimal,
            header=None,
            index_col=False,
            usecols=sorted(kinds),
            dtype=dict(kinds),
            keep_default_na=False,
            na_values={at: [] if at in whole else words for at in kinds},
            skip_blank_lines=False,
            float_precision="high" if longest <= _DIGITS else "round_trip",
            low_memory=False,
            encoding="utf-8",
            encoding_errors="surrogatepass",
            engine="c",
        )

    def _checked(self, at: int, values: Floats) -> Optional[Floats]:
        """What pandas made of a column, where it is surely what Python would have made of it."""
        sizes = np.abs(values)
        gone = np.isnan(values)
        odd = ((sizes < _SMALLEST) & (sizes > 0)) | (sizes > _LARGEST)
        doubtful = odd.any() or (gone.any() and not self._are_missing(at, gone))
        if doubtful or self._are_truths(at, values, gone):
            return self._exact(self._frame(_categories([at]), ())[at])
        for word in self.dialect.missing:
            # pandas would take 99 for missing where 99.0 is said to be, so it is not told.
            value = _value(word, self.dialect)
            if value is not None:
                alike = np.flatnonzero(values == value)
                if len(alike):
                    if not values.flags.writeable:
                        values = values.copy()
                    written = self._written(at, alike)
                    if written is None:
                        return self._exact(self._frame(_categories([at]), ())[at])
                    texts, which = written
                    values[alike[np.isin(texts, list(self.dialect.missing))[which]]] = np.nan
        return values

    def _are_missing(self, at: int, gone: NDArray[np.bool_]) -> bool:
        """Whether what came as no number is what stands for a missing value."""
        written = self._written(at, np.flatnonzero(gone))
        return written is not None and set(written[0].tolist()) <= self.dialect.missing

    def _are_truths(self, at: int, values: Floats, gone: NDArray[np.bool_]) -> bool:
        """Whether words such as TRUE came as numbers, as they do where nothing else stands."""
        if not (gone | (values == 0) | (values == 1)).all():
            return False
        starts = self._starts(at, np.arange(self.n))
        first = self.bytes[starts + (self.bytes[starts] == _QUOTE)]
        return bool(np.isin(first, list(b"tTfF")).any())

    def _starts(self, at: int, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where some fields of a column begin."""
        if at:
            return np.asarray(self.ends[records, at - 1] + 1)
        return np.where(records > 0, self.ends[records - 1, -1] + 1, 0)

    def _written(self, at: int, records: NDArray[np.int64]) -> Optional[tuple[Any, Any]]:
        """The different texts of some fields, and which each is; None where they are too long."""
        ends = self.ends[records, at]
        starts = self._starts(at, records)
        if at == self.ends.shape[1] - 1:
            ends = ends - (self.bytes[ends - 1] == _RETURN)
        longest = int((ends - starts).max())
        if longest > _LONGEST_WORD:
            return None
        places = starts[:, None] + np.arange(max(longest, 1))
        fields = self.bytes[np.minimum(places, len(self.bytes) - 1)]
        fields = np.where(places < ends[:, None], fields, 0).astype(np.uint8)
        found, which = np.unique(
            np.ascontiguousarray(fields).view(f"S{fields.shape[1]}").ravel(), return_inverse=True
        )
        texts = [field.decode("utf-8", "replace") for field in found.tolist()]
        texts = [next(csv.reader([text]), [""])[0] if '"' in text else text for text in texts]
        return np.array(texts, dtype=object), which.ravel()

    def _exact(self, column: Any) -> Optional[Floats]:
        codes, levels = _codes(column)
        known = [at for at, level in enumerate(levels) if level not in self.dialect.missing]
        found = self.dialect.numbers([levels[at] for at in known])
        if found is None:
            return None
        values = np.full(len(levels) + 1, np.nan)
        values[known] = found
        return values[codes]


def _categories(columns: Collection[int]) -> dict[int, str]:
    return dict.fromkeys(columns, "category")


def _codes(column: Any) -> Coded:
    return column.cat.codes.to_numpy().astype(np.int32), column.cat.categories.tolist()


def _value(word: str, dialect: Dialect) -> Optional[float]:
    """The number that a text for a missing value looks like, if it does."""
    found = dialect.numbers([word]) if word else None
    return None if found is None else found[0]
