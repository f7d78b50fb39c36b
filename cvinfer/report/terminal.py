"""A document on a terminal: bold and rules through rich; a file or a pipe gets plain text."""

from __future__ import annotations

import sys
from typing import IO, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.foreign import print_styled, shown_all, write_to
from cvinfer.report.formats.text import Line, as_text, cells_wide, plain_text, whole
from cvinfer.report.kinds import kind_of
from cvinfer.report.screen import Size, screen, size_of

__all__ = ["cells_wide", "plain_text", "print_document"]


def print_document(
    document: JsonObject,
    file: Optional[IO[str]] = None,
    width: Optional[int] = None,
    height: Optional[int] = None,
    *,
    verbose: bool = False,
    after: int = 0,
) -> None:
    """Show a document on `file` (standard output): a screen of it, or all where it is `verbose`.

    `after` are the lines that a command prints below it.
    """
    stream = sys.stdout if file is None else file
    document = shown_all(document)
    found = size_of(stream)
    size = Size(width or found.columns, height or found.lines)
    styled = stream.isatty()
    if verbose:
        lines = whole(document, size.columns, stars=not styled)
    else:
        lines = screen(document, size, not styled, after)
    if styled:
        _print_styled(stream, lines, size.columns, kind_of(document).bold)
    else:
        write_to(stream, as_text(lines))


def _print_styled(stream: IO[str], lines: Sequence[Line], columns: int, bold: str) -> None:
    from rich.console import Console

    styles = {"": "", "bold": bold, "head": "bold", "dim": "dim"}
    console = Console(file=stream, width=columns, highlight=False, soft_wrap=False)
    for line in lines:
        print_styled(console, *((text, styles[style]) for text, style in line))
