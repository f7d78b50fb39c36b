"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.packages import PYARROW

from ..dataset import CATEGORICAL, NUMERIC, Column, categories
from ..files import read_bytes
from ..registry import Option, Request, source
from ..table import Table, column_of
from .csv import file_stem

OPTIONS = {
    "path": Option("string", True, "the file, relative to the spec"),
    "target": Option("string", True, "column that holds the class"),
}


@source(
    "parquet",
    "a parquet file (needs pyarrow)",
    OPTIONS,
    packages=(PYARROW,),
    endings=(".parquet", ".pq"),
)
def read_parquet(request: Request) -> Table:
    """Numbers are numeric; texts, truth values and dictionaries are categorical.

    A class that is a number gets the text Python writes for it: 1, 1.5. Truth values are written
    true and false.
    """
    try:
        import pyarrow  # type: ignore[import]
        import pyarrow.parquet  # type: ignore[import]
    except ImportError:
        raise UserError(
            "parquet files need the package pyarrow, which is not installed; install it or save "
            "the data as csv",
            ("source",),
        ) from None
    path, target = request["path"], request["target"]
    refuse_old(pyarrow.__version__)
    content = read_bytes(path, request.base)
    try:
        need_room(path, pyarrow.parquet.read_metadata(io.BytesIO(content)))
        table = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path!r} is no readable parquet file: {error}", ("path",)) from None
    names = list(table.column_names)
    column_of(names, target, "target", repr(path))
    features = {
        name: (lambda name=name: _column(path, name, table.column(name)))
        for name in names
        if name != target
    }

    def texts(name: str) -> list[str | None]:
        found = table.column(name).to_pylist()
        return [None if value is None or value != value else str(value) for value in found]

    labels = _texts(path, target, table.column(target))
    return Table(file_stem(path), features, labels, target, texts=texts)


def refuse_old(version: str) -> None:
    """Before 14.0.1 pyarrow unpickles what a file names as its types: code of whoever wrote it."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if numbers < (14, 0, 1):
        raise UserError(
            f"pyarrow {version} runs code that a parquet file may hold; version 14.0.1 does not",
            ("source",),
        )


def need_room(path: str, metadata: Any) -> None:
    """Refuse a file that says how large it becomes: a few bytes can stand for very many rows."""
    rows, columns = int(metadata.num_rows), int(metadata.num_columns)
    limits.room(rows * columns, f"{rows:,} records of {columns:,} columns", ("path",))
    groups = range(int(metadata.num_row_groups))
    size = sum(int(metadata.row_group(at).total_byte_size) for at in groups)
    limits.room(size // 8, "the unpacked columns", ("path",))


def _texts(path: str, name: str, values: Any) -> list[str | None]:
    found: list[Any] = values.to_pylist()
    kinds = {type(value) for value in found if value is not None}
    if kinds <= {str}:
        return found
    if kinds == {bool}:
        return [None if value is None else str(value).lower() for value in found]
    if kinds <= {int, float}:
        return [None if value is None or value != value else repr(value) for value in found]
    raise _unknown(path, name, values)


def _column(path: str, name: str, values: Any) -> Column:
    from pyarrow import types  # type: ignore[import]

    if types.is_dictionary(values.type):
        whole = values.combine_chunks()
        whole = whole.chunk(0) if hasattr(whole, "chunk") else whole
        levels = [str(level) for level in whole.dictionary.to_pylist()]
        texts = [None if value is None else str(value) for value in values.to_pylist()]
        return Column(name, CATEGORICAL, *categories(texts, levels))
    if types.is_integer(values.type) or types.is_floating(values.type):
        found = values.to_pylist()
        numbers = np.array([np.nan if value is None else value for value in found], dtype=float)
        if np.isinf(numbers).any():
            raise UserError(f"{path!r}: column {name!r} holds an infinite number", ("path",))
        return Column(name, NUMERIC, numbers)
    if types.is_decimal(values.type):
        found = values.to_pylist()
        return Column(name, NUMERIC, np.array([np.nan if v is None else float(v) for v in found]))
    return Column(name, CATEGORICAL, *categories(_texts(path, name, values)))


def _unknown(path: str, name: str, values: Any) -> UserError:
    return UserError(
        f"{path!r}: column {name!r} is of type {values.type}, which is neither number nor text; "
        f"convert it or say drop: [{name}]",
        ("path",),
    )
