"""The csv source as it was before it read in blocks: one step of Python for each cell.

It says what a file means, for the tests that compare.
"""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple, Optional

from cvinfer.data.dataset import content_hash, sorted_classes
from cvinfer.data.dataset import CATEGORICAL, NUMERIC, Column
from cvinfer.errors import UserError

ALLOWED = set("0123456789eE.+-")


class Slow(NamedTuple):
    header: list[str]
    rows: list[list[str]]


def rows_of(text: str, separator: str = ",") -> Slow:
    """Header and rows, or the fault and its line."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        try:
            rows = [row for row in reader if row]
        except csv.Error as error:
            raise UserError(f"line {reader.line_num}: {error}; look at the quotes") from None
        header = rows.pop(0)
        if set(map(len, rows)) - {len(header)}:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
            before = 0
            for row in reader:
                if row and len(row) != len(header):
                    break
                before = reader.line_num
            raise UserError(f"line {before + 1}: {len(row)} field(s), but the header has")
    finally:
        csv.field_size_limit(limit)
    return Slow(header, rows)


def number(text: str, decimal: str) -> Optional[float]:
    if decimal == ",":
        text = text.replace(".", "x").replace(",", ".")
    if any(not (char in ALLOWED or char.isspace()) for char in text):
        return None
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None


def column(name: str, texts: list[str], missing: frozenset[str], decimal: str = ".") -> Column:
    distinct = sorted(set(texts) - missing)
    values = {text: number(text, decimal) for text in distinct}
    if None in values.values():
        place = {**{text: at for at, text in enumerate(distinct)}, **dict.fromkeys(missing, -1)}
        codes = [place[text] for text in texts]
        return Column(name, CATEGORICAL, codes, tuple(distinct))  # type: ignore[arg-type]
    nan: dict[str, Any] = dict.fromkeys(missing, float("nan"))
    every = {**values, **nan}
    return Column(name, NUMERIC, [every[text] for text in texts])  # type: ignore[arg-type]


class Found(NamedTuple):
    features: list[Column]
    labels: list[str]
    sha256: str


def read(
    text: str, target: str, na: tuple[str, ...] = (), separator: str = ",", decimal: str = "."
) -> Found:
    """Every column but the target, the labels, and the hash."""
    import numpy as np

    header, rows = rows_of(text, separator)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(header)}
    labels = columns.pop(target)
    missing = frozenset({"", *na})
    features = [column(name, texts, missing, decimal) for name, texts in columns.items()]
    distinct = sorted(set(labels))
    codes = np.array([distinct.index(label) for label in labels], dtype=np.int32)
    codes, classes = sorted_classes(codes, distinct)
    return Found(features, labels, content_hash(features, codes, classes, target))
