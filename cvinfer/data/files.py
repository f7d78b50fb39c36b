"""Reading files whose faults are told with their place."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cvinfer import limits
from cvinfer.errors import Path as Place
from cvinfer.errors import UserError
from cvinfer.foreign import quoted
from cvinfer.names import close_match

__all__ = [
    "absent",
    "bad_quotes",
    "likely_encoding",
    "listed",
    "ragged_row",
    "read_bytes",
    "read_rows",
    "read_text",
    "read_utf8",
    "repeated",
    "unknown",
]

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_FIELD = 2**31 - 1
_LISTED = 12
_PIECE = 1 << 22


def unknown(message: str, path: Place, wrong: str, allowed: Iterable[str]) -> UserError:
    """The refusal of a word that is none of those allowed: the nearest of them, else all."""
    known = list(allowed)
    meant = close_match(wrong, known)
    return UserError(message, path, None if meant else listed(known) or None, meant)


def absent(message: str, path: Place, wrong: str, there: Iterable[str]) -> UserError:
    """The same for a name that the data has not: nobody can choose what they have."""
    known = list(there)
    meant = close_match(wrong, known)
    return UserError(message, path, suggestion=meant, there=None if meant else listed(known))


def listed(words: Iterable[str]) -> str:
    """The first words, quoted, and how many more there are."""
    known = list(words)
    shown = ", ".join(map(repr, known[:_LISTED]))
    more = len(known) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def repeated(words: Iterable[str]) -> str | None:
    """The first word that occurs twice."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return None


def read_bytes(written: str, base: Path) -> bytes:
    """The content of a file, unpacked if it is gzip, whatever its name.

    `written` is the path as the spec has it, relative to `base`.
    """
    path = base / limits.at_home(written)
    try:
        return limits.unpacked(limits.read_file(written if written == "-" else path))
    except limits.Unreadable as error:
        raise UserError(f"{quoted(written)} cannot be read: {error}", ("path",)) from None
    except FileNotFoundError:
        raise _no_file(written, path) from None
    except IsADirectoryError:
        raise UserError(f"{written!r} is a folder; give a file", ("path",)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{written!r} cannot be read: {reason}", ("path",)) from None


def _no_file(written: str, path: Path) -> UserError:
    message, start = f"there is no file {written!r}", "relative paths start at the spec's folder"
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return UserError(f"{message}; its folder does not exist; {start}", ("path",))
    meant = close_match(path.name, names)
    if meant is None:
        message = f"{message}; {start}"
    return UserError(message, ("path",), suggestion=meant)


def read_text(written: str, base: Path, encoding: str = "utf-8") -> str:
    """The text of a file, without a byte order mark."""
    return _text(written, read_bytes(written, base), encoding)


def read_utf8(written: str, base: Path, encoding: str = "utf-8") -> bytes:
    """The same in UTF-8; a large file that is in it already is not copied."""
    data = read_bytes(written, base)
    if _is_utf8(data, encoding) and b"\0" not in data:
        return data[len(codecs.BOM_UTF8) :] if data.startswith(codecs.BOM_UTF8) else data
    return _text(written, data, encoding).encode("utf-8", "surrogatepass")


def _is_utf8(data: bytes, encoding: str) -> bool:
    """Whether these bytes, read in this encoding, say the same in UTF-8."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return False
    if name in ("ascii", "iso8859-1", "cp1252") or data.isascii():
        return name in ("ascii", "iso8859-1", "cp1252", "utf-8") and data.isascii()
    if name != "utf-8":
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _PIECE):
            decoder.decode(data[at : at + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def likely_encoding(data: bytes) -> str:
    """utf-8 where that is possible, else a guess."""
    if data.startswith(_UTF16):
        return "utf-16"
    if _is_utf8(data, "utf-8"):
        return "utf-8"
    # Windows has letters where latin-1 has control characters, which no table holds.
    controls = any(bytes([code]) in data for code in range(0x80, 0xA0))
    if controls:
        with contextlib.suppress(UnicodeDecodeError):
            data.decode("cp1252")
            return "cp1252"
    return "latin-1"


def _text(written: str, data: bytes, encoding: str) -> str:
    if encoding == "utf-8" and data.startswith(_UTF16):
        raise UserError(
            f"{written!r} starts like UTF-16; save it as UTF-8 or say encoding: utf-16", ("path",)
        )
    try:
        text = data.decode(encoding)
    except LookupError:
        raise UserError(
            f"there is no encoding {encoding!r}; utf-8, latin-1, cp1252 and utf-16 are common",
            ("encoding",),
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{written!r} is not {encoding}: byte 0x{data[error.start]:02x} at offset "
            f"{error.start}, line {line}; save it as UTF-8 or say its encoding, such as "
            "encoding: latin-1",
            ("path",),
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UserError(f"{written!r}, line {line}: a NUL byte; this is no text file", ("path",))
    return text[1:] if text.startswith("\ufeff") else text


def read_rows(
    written: str,
    base: Path,
    separator: str = ",",
    encoding: str = "utf-8",
    repeats: bool = False,
) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a csv file, every row as wide as the header; blank lines are left out.

    A name that stands twice in the header is refused unless `repeats`.
    """
    if len(separator) != 1 or separator in '"\r\n':
        raise UserError(
            f"separator must be one character such as ',', ';' or a tab, not {separator!r}",
            ("separator",),
        )
    text = read_text(written, base, encoding)
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        reader = _rows_of(text, separator)
        try:
            rows = [row for row in reader if row]
        except csv.Error as error:
            raise bad_quotes(written, reader, error) from None
        if not rows:
            raise UserError(
                f"{written!r} is empty; its first line must name the columns", ("path",)
            )
        header = rows.pop(0)
        if set(map(len, rows)) - {len(header)}:
            raise ragged_row(written, _rows_of(text, separator), len(header))
    finally:
        csv.field_size_limit(limit)
    twice = repeated(header)
    if twice is not None and not repeats:
        raise UserError(
            f"{written!r} names column {twice!r} more than once; every column needs its own name",
            ("path",),
        )
    if len(header) == 1:
        for other, name in ((";", "';'"), ("\t", "a tab"), (",", "','"), ("|", "'|'")):
            if other in header[0]:
                raise UserError(
                    f"{written!r} has one column, {header[0]!r}, which looks like several apart "
                    f"by {name}; say separator: {other!r}",
                    ("path",),
                )
    return header, rows


def _rows_of(text: str, separator: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def bad_quotes(written: str, reader: Any, error: csv.Error) -> UserError:
    """The fault that a reader came upon."""
    return UserError(f"{written!r}, line {reader.line_num}: {error}; look at the quotes", ("path",))


def ragged_row(written: str, reader: Any, width: int) -> UserError:
    """The fault of the first row that is not as wide as the header, which a new reader is at."""
    before = 0
    for row in reader:
        if row and len(row) != width:
            break
        before = reader.line_num
    return UserError(
        f"{written!r}, line {before + 1}: {len(row)} field(s), but the header has {width}; fields "
        "that hold the separator need quotes",
        ("path",),
    )
