"""Comma-separated files."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath

from cvinfer.errors import UserError

from ..blocks import CsvText, Dialect, first_row, read_columns
from ..dataset import Column, Texts
from ..files import listed, read_utf8, repeated
from ..registry import Option, Request, source
from ..table import Table, column_of

OPTIONS = {
    "path": Option("string", True, "the file, .csv or .csv.gz, relative to the spec"),
    "target": Option("string", True, "column that holds the class"),
    "separator": Option(
        "string",
        False,
        "character between fields; by default the comma, or else the one of ; tab | with which "
        "the header has the target",
    ),
    "decimal": Option("string", False, "decimal mark of numbers, '.' by default, or ','"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
    "na": Option(
        "array",
        False,
        "texts that mean missing, beside the empty field; none by default",
    ),
}
DECIMALS = (".", ",")
#: What stands between fields, and how it is called.
SEPARATORS = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'"}


@source(
    "csv",
    "a csv file with a header, plain or gzipped",
    OPTIONS,
    choices={"decimal": DECIMALS},
    endings=(".csv",),
)
def read_csv(request: Request) -> Table:
    """Features are numeric where every entry is a finite number; the class stays as written."""
    path, target = request["path"], request["target"]
    file, notes = opened(request)
    dialect = Dialect(file.separator, request.get("decimal", "."), _missing(request.get("na", [])))
    if dialect.decimal == dialect.separator:
        raise UserError(
            f"decimal and separator are both {dialect.decimal!r}; fields and numbers are apart by "
            "different characters",
            ("decimal",),
        )
    header = first_row(file)
    fine = target in header and repeated(filter(None, header)) is None
    wanted = request.wanted([name for name in header if name != target]) if fine else []
    texts = [name for name in request.groups if name in header and name != target]
    total, columns, written = read_columns(
        file,
        dialect,
        list(map(header.index, wanted)),
        list(map(header.index, texts)) if fine else [],
        [header.index(target)] if fine else [],
    )
    _refuse_header(path, header)
    column_of(header, target, "target", repr(path))
    if not total:
        raise UserError(f"{path!r} has a header but no records", ("path",))

    def feature(name: str) -> Column:
        at = header.index(name)
        if at not in columns:
            columns.update(read_columns(opened(request)[0], dialect, [at])[1])
        return columns[at]

    def as_written(name: str) -> Texts:
        at = header.index(name)
        if at not in written:
            written.update(read_columns(opened(request)[0], dialect, [], [at])[2])
        return written[at]

    features = {name: partial(feature, name) for name in header if name != target}
    labels = written[header.index(target)]
    return Table(
        file_stem(path),
        features,
        labels.mapped(lambda label: None if label in dialect.missing else label),
        target,
        notes,
        texts=as_written,
    )


def opened(request: Request) -> tuple[CsvText, tuple[str, ...]]:
    """The file with its separator, and a note where that was found and is no comma."""
    path, separator = request["path"], request.get("separator")
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise UserError(
            f"separator must be one character such as ',', ';' or a tab, not {separator!r}",
            ("separator",),
        )
    content = read_utf8(path, request.base, request.get("encoding", "utf-8"))
    if separator is not None:
        return CsvText(path, content, separator), ()
    found = found_separator(path, content, request.get("target", ""))
    notes = () if found == "," else (f"fields are apart by {SEPARATORS[found]}, by the header",)
    return CsvText(path, content, found), notes


def found_separator(path: str, content: bytes, target: str) -> str:
    """The separator with which the header has the target; a comma wherever that has it.

    Where none has it, or it is not known yet, the one that makes the most columns.
    """
    headers = {}
    for separator in SEPARATORS:
        try:
            headers[separator] = first_row(CsvText(path, content, separator))
        except UserError:
            headers[separator] = []  # what is wrong with it is told when it is read
    having = [separator for separator in SEPARATORS if target in headers[separator]]
    if "," in having or (not having and len(headers[","]) > 1):
        return ","
    if len(having) > 1:
        raise UserError(
            f"the header of {path!r} has {target!r} with {listed(having)} as the separator; say "
            "which it is",
            ("separator",),
        )
    return having[0] if having else max(SEPARATORS, key=lambda each: len(headers[each]))


def _refuse_header(path: str, header: list[str]) -> None:
    """Refuse names that stand for two columns, and a single column that holds several."""
    twice = repeated(filter(None, header))
    if twice is not None:
        raise UserError(
            f"{path!r} names column {twice!r} more than once; every column needs its own name",
            ("path",),
        )
    if len(header) > 1:
        return
    for other, name in SEPARATORS.items():
        if other in header[0]:
            raise UserError(
                f"{path!r} has one column, {header[0]!r}, which looks like several apart "
                f"by {name}; say separator: {other!r}",
                ("path",),
            )
    raise UserError(
        f"{path!r} has one column only, {header[0]!r}, and no feature column; if its fields are "
        "apart by something else, say it: separator: ' '",
        ("path",),
    )


def _missing(words: list[object]) -> frozenset[str]:
    for at, word in enumerate(words):
        if not isinstance(word, str):
            raise UserError(f"na holds {word!r}, which is no text; put it in quotes", ("na", at))
    return frozenset({"", *map(str, words)})


def file_stem(path: str) -> str:
    """letter for data/letter.csv.gz."""
    return PurePath(path).name.split(".")[0] or path
