"""The result on a terminal: bold and rules through rich; a file or a pipe gets plain text."""

from __future__ import annotations

import shutil
import sys
from typing import IO, Any, Mapping, Optional

from cvinfer.foreign import print_styled, shown_all, write_to
from cvinfer.report.formats import text
from cvinfer.report.formats.text import WIDTH, cells_wide, plain_text

__all__ = ["cells_wide", "plain_text", "print_result"]

STYLES = {"": "", "bold": "bold green", "head": "bold"}


def print_result(
    document: Mapping[str, Any], file: Optional[IO[str]] = None, width: Optional[int] = None
) -> None:
    """Show a document on `file` (standard output): rich on a terminal, plain text otherwise."""
    stream = sys.stdout if file is None else file
    document = shown_all(document)
    if not stream.isatty():
        write_to(stream, plain_text(document, width or WIDTH))
        return
    from rich.console import Console

    columns = width or shutil.get_terminal_size((WIDTH, 24)).columns
    console = Console(file=stream, width=columns, highlight=False, soft_wrap=False)
    for part, limit in text.cut(document, columns):
        print_styled(console, ("\n".join([*text.folded(text.caption(part), columns), ""]), "bold"))
        for line in text.layout(part, limit, stars=False):
            print_styled(console, *((piece, STYLES[style]) for piece, style in line))
        print_styled(console)
        for note in text.notes(part):
            print_styled(console, ("\n".join(text.folded(note, columns)), "dim"))
        print_styled(console)
    for closing in text.closing(document):
        print_styled(console, ("\n".join(text.folded(closing, columns)), ""))
