"""A document on a terminal: bold and rules through rich; a file or a pipe gets plain text."""

from __future__ import annotations

import shutil
import sys
from typing import IO, Optional

from cvinfer.documents import JsonObject
from cvinfer.foreign import print_styled, shown_all, write_to
from cvinfer.report.formats import text
from cvinfer.report.formats.text import WIDTH, cells_wide, plain_text
from cvinfer.report.kinds import kind_of
from cvinfer.report.tables import Part

__all__ = ["cells_wide", "plain_text", "print_result", "print_study"]

#: Bold is good news in a result, and bad in a study.
RESULT = {"": "", "bold": "bold green", "head": "bold"}
STUDY = {**RESULT, "bold": "bold red"}


def print_result(
    document: JsonObject, file: Optional[IO[str]] = None, width: Optional[int] = None
) -> None:
    """Show a document on `file` (standard output): rich on a terminal, plain text otherwise."""
    stream = sys.stdout if file is None else file
    document = shown_all(document)
    if not stream.isatty():
        write_to(stream, plain_text(document, width or WIDTH))
        return
    columns = width or shutil.get_terminal_size((WIDTH, 24)).columns
    _print_styled(stream, document, columns, text.cut(document, columns), [], RESULT)


def print_study(
    document: JsonObject,
    file: Optional[IO[str]] = None,
    width: Optional[int] = None,
    height: Optional[int] = None,
) -> None:
    """Show a study on a terminal: no more than a screen of it, in words first.

    Where not all tables fit, the files that have them are named. A file or a pipe gets them all.
    """
    stream = sys.stdout if file is None else file
    document = shown_all(document)
    if not stream.isatty():
        write_to(stream, plain_text(document, width or WIDTH))
        return
    size = shutil.get_terminal_size((WIDTH, 24))
    columns, lines = width or size.columns, height or size.lines
    parts = text.cut(document, columns)
    # A line for the prompt, and two for the sentence on what is left out.
    fit = _that_fit(document, parts, columns, lines - 3)
    name = kind_of(document).name
    more = f"More tables are in {name}.md, all numbers in {name}.csv."
    _print_styled(stream, document, columns, parts[:fit], [more] * (fit < len(parts)), STUDY)


def _that_fit(
    document: JsonObject, parts: list[tuple[Part, float]], columns: int, lines: int
) -> int:
    """How many parts of tables fit on a screen; the first always does."""
    around = (*kind_of(document).opening(document), *text.closing(document))
    used = sum(len(text.folded(line, columns)) + 1 for line in around)
    for at, (part, limit) in enumerate(parts):
        notes = sum(len(text.folded(note, columns)) for note in text.notes(part))
        used += len(text.layout(part, limit, stars=False)) + notes + 3
        used += len(text.folded(text.caption(part), columns))
        if used > lines and at:
            return at
    return len(parts)


def _print_styled(
    stream: IO[str],
    document: JsonObject,
    columns: int,
    parts: list[tuple[Part, float]],
    ending: list[str],
    styles: dict[str, str],
) -> None:
    from rich.console import Console

    console = Console(file=stream, width=columns, highlight=False, soft_wrap=False)
    for sentence in kind_of(document).opening(document):
        print_styled(console, ("\n".join([*text.folded(sentence, columns), ""]), ""))
    for part, limit in parts:
        print_styled(console, ("\n".join([*text.folded(text.caption(part), columns), ""]), "bold"))
        for line in text.layout(part, limit, stars=False):
            print_styled(console, *((piece, styles[style]) for piece, style in line))
        print_styled(console)
        for note in text.notes(part):
            print_styled(console, ("\n".join(text.folded(note, columns)), "dim"))
        print_styled(console)
    for closing in (*text.closing(document), *ending):
        print_styled(console, ("\n".join(text.folded(closing, columns)), ""))
