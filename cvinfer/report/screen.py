"""A screen of a document: what one has to see first, and a line on what is left out."""

from __future__ import annotations

import os
import shutil
from typing import IO, NamedTuple

from cvinfer.documents import JsonObject
from cvinfer.report.formats import text
from cvinfer.report.formats.text import WIDTH, Line
from cvinfer.report.kinds import kind_of
from cvinfer.report.room import Blocks, fitted, more

#: Lines of a screen where nothing says how many there are: a pipe has none, nor has a file.
LINES = 40
#: Always this many, however small a terminal is.
LEAST = 8


class Size(NamedTuple):
    columns: int
    lines: int


def size_of(stream: IO[str]) -> Size:
    """Of the terminal that a stream leads to; of any other what COLUMNS and LINES say."""
    if stream.isatty():
        found = shutil.get_terminal_size((WIDTH, 24))
        return Size(found.columns, found.lines)
    return Size(_from_environment("COLUMNS", WIDTH), _from_environment("LINES", LINES))


def _from_environment(name: str, default: int) -> int:
    given = os.environ.get(name, "")
    return int(given) if given.isdigit() and int(given) else default


def screen(document: JsonObject, size: Size, stars: bool, after: int = 0) -> list[Line]:
    """All of it where that fits, else not more lines than do.

    `after` are wanted for what else a command has to say.
    """
    everything = text.whole(document, size.columns, stars)
    if len(everything) + after < size.lines:
        return everything
    kind, width = kind_of(document), size.columns
    cut = text.cut(document, width)
    blocks = Blocks[Line](
        headlines=[text.headline(each, width) for each in kind.headlines(document)],
        sentences=[text.said(each, width) for each in kind.opening(document)],
        tables=[text.table(part, limit, width, stars=False) for part, limit in cut],
        sections=[
            (each.heading, [text.said(line, width) for line in text.listing(each)])
            for each in (kind.brief or kind.sections)(document)
        ],
    )
    # A line for the prompt, and two for the sentence on what is left out.
    found = fitted(blocks, max(size.lines - after - 3, LEAST))
    made = text.spaced([line for block in found.headlines for line in block])
    for block in (*found.sentences, *found.tables):
        made += text.spaced(block)
    for _, lines in found.sections:
        made += text.spaced([line for block in lines for line in block])
    return [*made, *text.said(more(found.left, kind.name), width)]
