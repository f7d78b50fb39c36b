"""Comma-separated files."""

from __future__ import annotations

from pathlib import PurePath

from cvinfer.errors import UserError

from ..files import read_rows
from ..registry import Option, Request, source
from ..table import Table, column_of, text_column

OPTIONS = {
    "path": Option("string", True, "the file, .csv or .csv.gz, relative to the spec"),
    "target": Option("string", True, "column that holds the class"),
    "separator": Option("string", False, "character between fields; a comma by default"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
    "na": Option(
        "array",
        False,
        "texts that mean missing in a feature, beside the empty field; none by default",
    ),
}


@source("csv", "a csv file with a header, plain or gzipped", OPTIONS)
def read_csv(request: Request) -> Table:
    """Features are numeric where every entry is a finite number; the class stays as written."""
    path, target = request["path"], request["target"]
    header, rows = read_rows(
        path, request.base, request.get("separator", ","), request.get("encoding", "utf-8")
    )
    column_of(header, target, "target", repr(path))
    if not rows:
        raise UserError(f"{path!r} has a header but no records", ("path",))
    missing = _missing(request.get("na", []))
    columns = dict(zip(header, zip(*rows)))
    labels = columns.pop(target)
    features = {
        name: (lambda name=name, texts=texts: text_column(name, texts, missing))
        for name, texts in columns.items()
    }

    def texts(name: str) -> list[str | None]:
        return [None if text in missing else text for text in columns[name]]

    return Table(file_stem(path), features, labels, target, texts=texts)


def _missing(words: list[object]) -> frozenset[str]:
    for at, word in enumerate(words):
        if not isinstance(word, str):
            raise UserError(f"na holds {word!r}, which is no text; put it in quotes", ("na", at))
    return frozenset({"", *map(str, words)})


def file_stem(path: str) -> str:
    """letter for data/letter.csv.gz."""
    return PurePath(path).name.split(".")[0] or path
