"""LaTeX: booktabs tables ready for \\input, in plain ASCII.

A document that uses them needs booktabs and nothing else. Tables are made for a text width of
345 pt, that of LaTeX's article at 10 pt, and are split where they would be wider or higher.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, Mapping, Sequence

from cvinfer.report.formats import output_format
from cvinfer.report.kinds import kind_of
from cvinfer.report.tables import (
    Cell,
    Cite,
    Column,
    Group,
    Paper,
    Part,
    Table,
    Words,
    footnotes,
    parts,
    title_lines,
    wrap,
)

TEXT_WIDTH = 345.0
#: Lines of \footnotesize (9.5 pt) that are sure to fit on a page of 550 pt.
PAGE_LINES = 55.0
GAP = 7.0  # twice \tabcolsep as the template sets it

#: Widths in pt of characters at \footnotesize in Computer Modern (T1), measured by LaTeX.
_WIDTHS = {
    2.4: "!',.:;[]il|",
    2.8: "fj- ",
    3.3: "I()rt",
    3.4: "s",
    3.8: "cez",
    4.2: '`?"$*/0123456789\\ago{}',
    4.5: "Jkqvxy",
    4.7: "Sbdhnpu",
    5.3: "ZL^~",
    5.8: "FEP",
    6.1: "BCTw",
    6.5: "RAHNUVXYD",
    6.7: "&+<=>@KOQ_G×−αβ",
    7.2: "#%m",
    7.8: "M",
    8.7: "W",
}
WIDTHS = {character: width for width, group in _WIDTHS.items() for character in group}
WIDEST = 8.7
#: Bold letters are up to this much wider.
BOLD = 1.17

ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    # A straight quotation mark in T1, and never a shorthand of babel.
    '"': r"\char34{}",
    "`": r"\`{}",
    # Brackets and stars would be taken for an argument at the start of a row.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two of these in a row would become another character.
    "-": "-{}",
    "'": "'{}",
    ",": ",{}",
    "?": "?{}",
    "!": "!{}",
}

SYMBOLS = {
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "§": r"\S{}",
    "£": r"\pounds{}",
    "©": r"\copyright{}",
    "¡": "!`",
    "¿": "?`",
    "–": "--",
    "—": "---",
    "‘": "`{}",
    "’": "'{}",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "°": r"$^\circ$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "¬": r"$\neg$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "∈": r"$\in$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "∑": r"$\sum$",
    "μ": r"$\mu$",
    "ς": r"$\varsigma$",
    "ο": "o",
    "⁻": "$^-$",
    **{digit: f"$^{at}$" for at, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{digit: f"$_{at}$" for at, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    # Greek capitals that look like Latin ones have no name of their own.
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX")),
    "Υ": r"$\Upsilon$",
}

ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}


def escape(text: str) -> str:
    """Any text as LaTeX that shows it, in ASCII; what LaTeX cannot show becomes U+ and its code."""
    flat = " ".join(str(text).split())
    return "".join(_escaped(character) for character in unicodedata.normalize("NFC", flat))


def escape_breakable(text: str) -> str:
    """`escape`, and long words may be broken, so that no line of a paragraph sticks out."""
    words = []
    for word in str(text).split():
        pieces = wrap(word, 60.0, width) if width(word) > 90.0 else [word]
        words.append(r"\allowbreak{}".join(escape(piece) for piece in pieces))
    return " ".join(words)


def width(text: str) -> float:
    """Width in pt of a text at \\footnotesize; an upper bound for what is not ASCII."""
    total = 0.0
    for character in unicodedata.normalize("NFC", text):
        if character in WIDTHS:
            total += WIDTHS[character]
        elif _escaped(character).startswith("U+"):
            total += width(_escaped(character))
        else:
            total += WIDEST
    return total


def bold_width(text: str) -> float:
    return BOLD * width(text)


def label(name: str) -> str:
    """A label for \\ref: ASCII letters, digits, dots and hyphens of the name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.") or "result"


PAPER = Paper(
    width=TEXT_WIDTH,
    gap=GAP,
    measure=width,
    measure_bold=bold_width,
    widest_name=75.0,
    narrowest_name=45.0,
    widest_title=54.0,
)


@output_format(
    "latex",
    of={
        "result": "result.tex",
        "study": "study.tex",
        "stability": "stability.tex",
        "calibrate": "calibrate.tex",
    },
    as_it_is=True,
    needs=("jinja2",),
)
def latex(document: Mapping[str, Any]) -> str:
    """All tables of a document as LaTeX."""
    template = _environment().get_template("tables.tex.jinja")
    kind = kind_of(document)
    made = [
        _context(part, limit, document["name"])
        for table in kind.tables(document)
        for part, limit in _cut(table)
    ]
    return str(template.render(name=document["name"], floats=made, cites=kind.cites))


def _cut(table: Table) -> list[tuple[Part, float]]:
    def rows_for(groups: tuple[Group, ...], limit: float) -> Sequence[range]:
        return _rows(table, groups, limit)

    made, limit = parts(table, PAPER, rows_for)
    return [(part, limit) for part in made]


def _rows(table: Table, groups: tuple[Group, ...], limit: float) -> list[range]:
    """Rows that fit on a page below the heading and above the notes."""
    whole = Part(table, groups, table.keys, range(table.rows))
    notes = sum(_paragraph_lines(_words(words)) for words in whole.notes)
    marked = {cell.footnote for column in whole.columns for cell in column.cells if cell.footnote}
    notes += sum(sorted((_paragraph_lines(str(text)) for text in marked), reverse=True)[:9])
    head = max(len(_title(column)) for column in whole.columns) + 2
    caption = _paragraph_lines(table.caption) * 1.3 + 2
    room = max(PAGE_LINES - notes - head - caption, 10.0)
    made, start, used = [], 0, 0.0
    for row in range(table.rows):
        lines = max(len(wrap(key.cells[row].text, limit, bold_width)) for key in table.keys)
        height = lines + (0.6 if row > start and _new_block(table, row) else 0.0)
        if used + height > room and row > start:
            made.append(range(start, row))
            start, used, height = row, 0.0, float(lines)
        used += height
    return [*made, range(start, table.rows)]


def _new_block(table: Table, row: int) -> bool:
    """Whether some space belongs above a row; not where every row is a block of its own."""
    lonely = len(set(table.block)) == table.rows
    return not lonely and table.block[row] != table.block[row - 1]


def _paragraph_lines(text: str) -> int:
    return int(width(text) * 1.12 / TEXT_WIDTH) + 1


def _context(part: Part, limit: float, name: str) -> dict[str, Any]:
    of = f" Part {part.number} of {part.of}." if part.of > 1 else ""
    align = "l" * len(part.keys) + "".join(_alignment(group) for group in part.groups)
    suffix = "" if part.table.kind == "comparisons" else f"-{part.table.kind}"
    suffix += f"-{part.number}" if part.number > 1 else ""
    return {
        "caption": part.table.caption + of,
        "label": f"tab:{label(name)}{suffix}",
        "align": align,
        "groups": _headings(part),
        "titles": [_heading_cell(column, side) for column, side in zip(part.columns, align)],
        "rows": [_row(part, row, limit) for row in part.rows],
        "notes": [_tex_words(words) for words in part.notes],
        "footnotes": [(mark, escape_breakable(text)) for mark, text in footnotes(part)],
    }


def _alignment(group: Group) -> str:
    return "".join("l" if column.left else "r" for column in (*group.shared, *group.own))


def _numbered(part: Part) -> list[tuple[int, Column]]:
    return list(enumerate(part.columns))


def _headings(part: Part) -> list[dict[str, Any]]:
    made, start = [], len(part.keys) + 1
    for group in part.groups:
        span = len(group.shared) + len(group.own)
        made.append({"title": group.title, "span": span, "rule": f"{start}-{start + span - 1}"})
        start += span
    return made


def _title(column: Column) -> list[str]:
    return title_lines(column.title, PAPER.widest_title, width)


def _heading_cell(column: Column, side: str) -> str:
    return _stacked([escape(line) for line in _title(column)], "b", side)


def _stacked(lines: Sequence[str], place: str, side: str) -> str:
    """Lines above each other in one cell, level with the row at their top or bottom."""
    if len(lines) == 1:
        return lines[0]
    inside = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{inside}\end{{tabular}}"


def _row(part: Part, row: int, limit: float) -> dict[str, Any]:
    first = row == part.rows[0]
    new_block = first or part.table.block[row] != part.table.block[row - 1]
    cells = []
    for at, column in _numbered(part):
        cell = column.cells[row]
        if at < len(part.keys):
            repeated = column.title == "Data" and not new_block
            cells.append("" if repeated else _name(cell, limit))
        else:
            cells.append(_value(cell, part.mark(cell)))
    return {"cells": cells, "space": not first and _new_block(part.table, row)}


def _name(cell: Cell, limit: float) -> str:
    # The limit was found from these very widths; rounding must not break a name that just fits.
    lines = [escape(line) for line in wrap(cell.text, limit + 0.01, bold_width)]
    if cell.bold:
        lines = [rf"\textbf{{{line}}}" for line in lines]
    return _stacked(lines, "t", "l")


def _value(cell: Cell, mark: str) -> str:
    text = escape(cell.text)
    if cell.bold:
        text = rf"\textbf{{{text}}}"
    # The mark hangs out, so that numbers stay in line.
    return text + rf"\rlap{{$^{{\mathrm{{{mark}}}}}$}}" if mark else text


def _words(words: Words) -> str:
    return "".join("[00]" if isinstance(word, Cite) else word for word in words)


def _tex_words(words: Words) -> str:
    made = ""
    for word in words:
        if isinstance(word, Cite):
            made = made.rstrip() + rf"~\cite{{{word.key}}}"
        else:
            head = " " if word.startswith(" ") else ""
            tail = " " if len(word) > 1 and word.endswith(" ") else ""
            made += head + escape_breakable(word) + tail
    return made


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if " " <= character <= "~":
        return character
    if character in SYMBOLS:
        return SYMBOLS[character]
    name = unicodedata.name(character, "")
    if name.startswith("GREEK ") and " LETTER " in name and " WITH " not in name:
        return _greek(name)
    base, *marks = list(unicodedata.normalize("NFD", character))
    if marks and base.isascii() and all(mark in ACCENTS for mark in marks):
        made = {"i": r"\i", "j": r"\j"}.get(base, base)
        for mark in marks:
            made = f"\\{ACCENTS[mark]}{{{made}}}"
        return made
    simple = unicodedata.normalize("NFKC", character)
    if simple != character and all(" " <= each <= "~" for each in simple):
        return escape(simple)
    return f"U+{ord(character):04X}"


def _greek(name: str) -> str:
    letter = name.rpartition(" ")[2].lower().replace("lamda", "lambda")
    if name.startswith("GREEK CAPITAL LETTER "):
        letter = letter.capitalize()
    return rf"$\{letter}$" if name.count(" ") == 3 else f"U+{ord(unicodedata.lookup(name)):04X}"


@lru_cache(maxsize=None)
def _environment() -> Any:
    import jinja2

    # Brackets that LaTeX does not use, so that braces stay braces.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cvinfer.report", "templates"),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["tex"] = escape_breakable
    environment.filters["cell"] = escape
    return environment
