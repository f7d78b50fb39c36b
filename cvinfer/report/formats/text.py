"""text: tables that fit a width, sentences, warnings; bold is a star.

`cvinfer.report.terminal` shows the same lines in colour.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any, Mapping, Sequence

from cvinfer.report.formats import output_format
from cvinfer.report.kinds import Headline, Section, kind_of
from cvinfer.report.tables import Cite, Group, Paper, Part, Table, Words, footnotes
from cvinfer.report.tables import filled_lines, parts, title_lines, wrap

WIDTH = 80
GAP = 2
TITLE = 13.0  # room for "conservative", the longest word of a heading

#: Pieces of text with the name of their style.
Line = list[tuple[str, str]]


@output_format("text", of={"result": None, "study": None, "stability": None, "calibrate": None})
def plain_text(document: Mapping[str, Any], width: int = WIDTH) -> str:
    """The document as plain text; bold becomes a star."""
    return as_text(whole(document, width, stars=True))


def as_text(lines: Sequence[Line]) -> str:
    """Lines without their styles."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def whole(document: Mapping[str, Any], width: int, stars: bool) -> list[Line]:
    """All lines of a document: what was found, tables with their notes, sentences, warnings."""
    kind = kind_of(document)
    found = kind.headlines(document)
    made = spaced([line for each in found for line in headline(each, width)])
    for sentence in kind.opening(document):
        made += spaced(said(sentence, width))
    for part, limit in cut(document, width):
        made += [*table(part, limit, width, stars), []]
        for note in notes(part, stars):
            made += said(note, width, "" if stars else "dim")
        made.append([])
    for line in closing(kind.sections(document)):
        made += said(line, width)
    return made


def spaced(lines: Sequence[Line]) -> list[Line]:
    """Lines with an empty one below them; nothing where there are none."""
    return [*lines, []] if lines else []


def said(text: str, width: int, style: str = "") -> list[Line]:
    return [[(line, style)] for line in folded(text, width)]


def headline(each: Headline, width: int) -> list[Line]:
    return said(each.text, width, "bold" if each.won else "")


def table(part: Part, limit: float, width: int, stars: bool) -> list[Line]:
    """A table below its caption."""
    return [*said(caption(part), width, "head"), [], *layout(part, limit, stars)]


def cells_wide(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_cell_wide, text))


def _cell_wide(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _paper(width: int) -> Paper:
    # One column more for the star or the footnote's mark.
    return Paper(
        width=float(width),
        gap=float(GAP),
        measure=_measure,
        measure_bold=_measure,
        widest_name=20.0,
        narrowest_name=9.0,
        widest_title=TITLE,
    )


def cut(document: Mapping[str, Any], width: int) -> list[tuple[Part, float]]:
    made = []
    for table in kind_of(document).tables(document):

        def rows_for(groups: Sequence[Group], limit: float, table: Table = table) -> list[range]:
            return [range(table.rows)]

        found = parts(table, _paper(width), rows_for)
        made += [(part, found.limit) for part in found.parts]
    return made


def caption(part: Part) -> str:
    of = f" Part {part.number} of {part.of}." if part.of > 1 else ""
    return part.table.caption + of


def _measure(text: str) -> float:
    return cells_wide(text) + 1.0


def layout(part: Part, limit: float, stars: bool) -> list[Line]:
    """Lines of a table; a cell may take several. `stars` stand in for bold in plain text."""
    body = [_row(part, row, limit, stars) for row in part.rows]
    heads = [
        [(line, "head") for line in title_lines(column.title, TITLE, _measure)]
        for column in part.columns
    ]
    widths = [
        max(cells_wide(text) for lines in column for text, _ in lines)
        for column in zip(heads, *body)
    ]
    spans, at = [], len(part.keys)
    for group in part.groups:
        size = len(group.shared) + len(group.own)
        # A heading wider than its columns widens the last of them.
        inside = sum(widths[at : at + size]) + GAP * (size - 1)
        widths[at + size - 1] += max(cells_wide(group.title) - inside, 0)
        spans.append(sum(widths[at : at + size]) + GAP * (size - 1))
        at += size
    keys, gap = len(part.keys), " " * GAP
    left = " " * (sum(widths[:keys]) + GAP * (keys - 1))
    titles = gap.join([left, *(_pad(g.title, s, "c") for g, s in zip(part.groups, spans))])
    rules = gap.join([left, *("─" * span for span in spans)])
    titled = any(group.title for group in part.groups)
    made: list[Line] = [[(titles, "head")], [(rules, "")]] if titled else []
    made += _lines(heads, widths, keys, bottom=True)
    made.append([("─" * (sum(widths) + GAP * (len(widths) - 1)), "")])
    for cells in body:
        made += _lines(cells, widths, keys, bottom=False)
    return made


def _row(part: Part, row: int, limit: float, stars: bool) -> list[Line]:
    """The cells of a row, each as lines of (text, style)."""
    first = row == part.rows[0] or part.table.block[row] != part.table.block[row - 1]
    made: list[Line] = []
    for at, column in enumerate(part.columns):
        cell = column.cells[row]
        starred = stars and any(column.cells[other].bold for other in part.rows)
        # Numbers without a star keep its place, so that their digits stay in line.
        text = cell.text + ("*" if cell.bold else " ") * (starred and cell.footnote is None)
        if column.title == "Data" and at == 0 and not first:
            text = ""
        signed = any(column.cells[other].sign for other in part.rows)
        text += f" {cell.sign or ' '}" * (signed and cell.footnote is None)
        text += f" {part.mark(cell)})" if part.mark(cell) else ""
        lines = wrap(text, limit + 1.01, _measure) if at < len(part.keys) else [text]
        made.append([(line, "bold" if cell.bold else "") for line in lines])
    return made


def _lines(cells: Sequence[Line], widths: Sequence[int], keys: int, bottom: bool) -> list[Line]:
    height = max(len(cell) for cell in cells)
    made = []
    for level in range(height):
        line: Line = []
        for at, (cell, width) in enumerate(zip(cells, widths)):
            place = level - (height - len(cell) if bottom else 0)
            text, style = cell[place] if 0 <= place < len(cell) else ("", "")
            line += [(" " * GAP, "")] * (at > 0)
            line.append((_pad(text, width, "l" if at < keys else "r"), style))
        made.append(line)
    return made


def _pad(text: str, width: int, side: str) -> str:
    space = max(width - cells_wide(text), 0)
    if side == "c":
        return " " * (space // 2) + text + " " * (space - space // 2)
    return text + " " * space if side == "l" else " " * space + text


def notes(part: Part, stars: bool = False) -> list[str]:
    # What concerns the whole table is said once, below its last part.
    last = part.number == part.of
    general = replace(part, groups=part.table.groups).notes if last else ()
    said = [_words(words) for words in general]
    if stars:
        said = [f"Starred:{note[5:]}" if note.startswith("Bold:") else note for note in said]
    return said + [f"{mark}) {text}" for mark, text in footnotes(part)]


def _words(words: Words) -> str:
    return "".join(f"[{word.key}]" if isinstance(word, Cite) else word for word in words)


def closing(sections: Sequence[Section]) -> list[str]:
    lines: list[str] = []
    for section in sections:
        if section.spoken:
            lines += section.lines
        else:
            lines += ["", *listing(section)]
    return lines


def listing(section: Section) -> list[str]:
    return [section.heading, *(f"- {line}" for line in section.lines)]


def folded(text: str, width: int) -> list[str]:
    """Lines that fit, the first of them alone at the margin."""
    if cells_wide(" ".join(text.split())) <= width:
        return [" ".join(text.split())]
    first, *rest = filled_lines(text, width - 2.0, cells_wide)
    return [first, *(f"  {line}" for line in rest)]
