"""Weka's attribute-relation files."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.packages import ARFF

from ..dataset import CATEGORICAL, NUMERIC, Column, categories
from ..files import read_text
from ..registry import Option, Request, source
from ..table import Table, column_of, numbers
from .csv import file_stem

OPTIONS = {
    "path": Option("string", True, "the file, .arff or .arff.gz, relative to the spec"),
    "target": Option("string", False, "attribute that holds the class; the last one by default"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
}

_ATTRIBUTE = re.compile(r"^\s*@attribute\s+", re.IGNORECASE)
# In quotes, where a backslash or a second quote makes one part of the name; or without any quote.
_NAME = re.compile(
    r"""@attribute\s+('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|[^\s'"{%]+)(?=[\s{])""",
    re.IGNORECASE,
)
_DATA = re.compile(r"^\s*@data\b", re.IGNORECASE)
_NUMBER_TYPE = re.compile(r"(\s)(numeric|real|integer)\s*$", re.IGNORECASE)


@source(
    "arff",
    "a Weka arff file, dense or sparse",
    OPTIONS,
    packages=(ARFF,),
    endings=(".arff",),
)
def read_arff(request: Request) -> Table:
    """Nominal attributes keep their declared levels; a numeric class keeps the text as written.

    liac-arff turns numbers into floats, and 1 into 1.0. The attribute that holds the class is
    therefore read as a string. Integers are read as reals: the library would cut 1.5 to 1.
    """
    path = request["path"]
    lines = read_text(path, request.base, request.get("encoding", "utf-8")).split("\n")
    header, attributes = _header(path, lines)
    names = [name for name, _ in attributes]
    target = request.get("target", names[-1] if names else "")
    column_of(names, target, "target", repr(path))
    at = names.index(target)
    kinds = dict(attributes)
    # A line of a sparse file may be short for any number of values.
    written = sum(1 for line in lines[len(header) :] if line.strip())
    limits.room(
        written * len(names), f"{written:,} records of {len(names):,} attributes", ("path",)
    )
    lines[: len(header)] = _retyped(header, at)
    rows = decoded(path, lines)["data"]
    if not rows:
        raise UserError(f"{path!r} has no records below @data", ("path",))
    columns = dict(zip(names, zip(*rows)))
    labels = columns.pop(target)
    if isinstance(kinds[target], str) and kinds[target] != "STRING":
        _only_numbers(path, target, labels)
    features = {
        name: (lambda name=name, values=values: _column(path, name, kinds[name], values))
        for name, values in columns.items()
    }
    declared = kinds[target]
    levels = () if isinstance(declared, str) else tuple(map(str, declared))
    return Table(file_stem(path), features, labels, target, class_levels=levels)


def _header(path: str, lines: list[str]) -> tuple[list[str], list[tuple[str, Any]]]:
    """The lines up to @data and the attributes they declare."""
    end = next((at for at, line in enumerate(lines) if _DATA.match(line)), None)
    if end is None:
        raise UserError(f"{path!r} has no @data line; is it an arff file?", ("path",))
    header = [_ATTRIBUTE.sub("@attribute ", line.rstrip()) for line in lines[: end + 1]]
    for at, line in enumerate(header, 1):
        # The library would take the quote away and go on.
        if _ATTRIBUTE.match(line) and not _NAME.match(line):
            raise UserError(
                f"{path!r}, line {at}: the name of an attribute has a quote that is not closed, or"
                " not opened",
                ("path",),
            )
    return header, decoded(path, header)["attributes"]


def _retyped(header: list[str], target: int) -> list[str]:
    """The header with its integers as reals and the class, if it is a number, as a string."""
    at = -1
    found = []
    for line in header:
        if _ATTRIBUTE.match(line):
            at += 1
            line = _NUMBER_TYPE.sub(r"\1STRING" if at == target else r"\1REAL", line)
        found.append(line)
    return found


def decoded(path: str, lines: list[str]) -> Any:
    try:
        import arff  # type: ignore[import]
    except ImportError:
        raise UserError(
            f"arff files need the package {ARFF.name}, which is not installed", ("source",)
        ) from None
    at = 0

    def counted() -> Iterator[str]:
        nonlocal at
        for at, line in enumerate(lines, 1):
            yield line

    try:
        return arff.ArffDecoder().decode(counted())
    except arff.ArffException as error:
        fault = str(error).rstrip(".")
    except (ValueError, IndexError, TypeError, KeyError, csv.Error) as error:
        fault = f"line {at}: {error}"
    raise UserError(f"{path!r}: {fault}", ("path",))


def _only_numbers(path: str, target: str, labels: Sequence[str | None]) -> None:
    for label in sorted({label for label in labels if label is not None}):
        if numbers([label]) is None:
            raise UserError(
                f"{path!r}: attribute {target!r} is declared a number but holds {label!r}; declare "
                "it nominal or string",
                ("path",),
            )


def _column(path: str, name: str, kind: Any, values: Sequence[Any]) -> Column:
    if kind == "STRING":
        return Column(name, CATEGORICAL, *categories(values))
    if not isinstance(kind, str):
        return Column(name, CATEGORICAL, *categories(values, [str(level) for level in kind]))
    try:
        found = np.array([np.nan if value is None else value for value in values], dtype=float)
    except ValueError as error:
        raise UserError(f"{path!r}: attribute {name!r}: {error}", ("path",)) from None
    if np.isinf(found).any():
        raise UserError(f"{path!r}: attribute {name!r} holds an infinite number", ("path",))
    return Column(name, NUMERIC, found)
