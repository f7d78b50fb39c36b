"""LaTeX: booktabs tables ready for \\input, in plain ASCII.

Without options a document that uses them needs booktabs and nothing else, and tables are made for
a text width of 345 pt, that of LaTeX's article at 10 pt. They are made denser, then split, where
they would be wider or higher. `cvinfer.paper` has the options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Mapping, Sequence

from cvinfer.report.formats import output_format
from cvinfer.report.kinds import kind_of
from cvinfer.paper import (
    BOTH,
    OF_TWO,
    ONE_COLUMN,
    WIDEST_COLUMN,
    PaperOptions,
    paper_options,
)
from cvinfer.report.tables import (
    BREAK,
    Cell,
    Cite,
    Column,
    Cut,
    Group,
    Paper,
    Part,
    Table,
    Words,
    dense,
    footnotes,
    parts,
    title_lines,
    wrap,
)
from cvinfer.report.tex import bold_width, escape, escape_breakable, label, width

TEXT_WIDTH = ONE_COLUMN
#: Lines of \footnotesize (9.5 pt) that are sure to fit on a page of 550 pt.
PAGE_LINES = 55.0
GAP, SMALL_GAP = 7.0, 5.0  # twice \tabcolsep in either size
#: \scriptsize beside \footnotesize, which widths are measured in.
SMALLER = 0.94
NORMAL, SMALL = "footnotesize", "scriptsize"

PAPER = Paper(
    width=TEXT_WIDTH,
    gap=GAP,
    measure=width,
    measure_bold=bold_width,
    widest_name=75.0,
    narrowest_name=45.0,
    widest_title=54.0,
)

#: A dense table breaks its heads after each word that is as wide as a p-value.
STACKED: Mapping[str, Any] = {"widest_title": 32.0}

_NUMBER = re.compile(r"\N{MINUS SIGN}?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Setting:
    """One way to set a table: on which paper, in which environment and size of type."""

    paper: Paper
    environment: str
    dense: bool
    size: str
    options: PaperOptions


def prose(paragraphs: Sequence[tuple[str, Sequence[Words]]]) -> str:
    """Paragraphs with their headings run in."""
    made = [
        rf"\paragraph{{{escape(heading)}}}"
        + "\n"
        + "\n".join(_tex_words(sentence) for sentence in sentences)
        for heading, sentences in paragraphs
    ]
    return "\n\n".join(made) + "\n"


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
    prose=prose,
)
def latex(document: Mapping[str, Any], **options: Any) -> str:
    """All tables of a document as LaTeX; `options` are those of `cvinfer.paper`."""
    from cvinfer.report.for_paper import as_chosen  # needs numpy

    template = _environment().get_template("tables.tex.jinja")
    kind = kind_of(document)
    chosen = paper_options(document, options)
    made = [
        _context(part, limit, document["name"], setting)
        for table in kind.tables(as_chosen(document, chosen, options.get("tests") or ()))
        for part, limit, setting in _cut(table, chosen)
    ]
    packages = ["booktabs"]
    packages += ["threeparttable"] * (chosen.notes == "threeparttable")
    packages += ["siunitx"] * (chosen.numbers == "siunitx")
    return str(
        template.render(
            name=document["name"],
            floats=made,
            cites=kind.cites,
            packages=",".join(packages),
            siunitx="siunitx" in packages,
        )
    )


def _settings(options: PaperOptions) -> list[Setting]:
    """The ways to set a table, the best first."""
    given = options.points
    if given is not None:
        starred = options.columns == "two" and given > WIDEST_COLUMN
        widths = [(given, "table*" if starred else "table")]
    elif options.columns == "two":
        widths = [(OF_TWO, "table"), (BOTH, "table*")]
    else:
        widths = [(TEXT_WIDTH, "table")]
    made = []
    for each, environment in widths:
        narrowest = 30.0 if each < WIDEST_COLUMN else PAPER.narrowest_name
        paper = replace(PAPER, width=each, narrowest_name=narrowest)
        small = replace(paper, width=each / SMALLER, gap=SMALL_GAP / SMALLER)
        made += [
            Setting(paper, environment, False, NORMAL, options),
            Setting(replace(paper, **STACKED), environment, True, NORMAL, options),
            Setting(replace(small, **STACKED), environment, True, SMALL, options),
        ]
    return made


def _cut(table: Table, options: PaperOptions) -> list[tuple[Part, float, Setting]]:
    """The parts of a table, set in the first way in which all columns stand side by side.

    Where there is none it is split: as dense as can be in a narrow column, elsewhere in the widest
    of the ways that change nothing else.
    """
    densest, plain = None, None
    for setting in _settings(options):
        is_dense = setting.dense and table.kind == "comparisons"
        if setting.dense and not is_dense:
            paper = replace(setting.paper, widest_title=PAPER.widest_title)
            setting = replace(setting, paper=paper)
        shown = dense(table) if is_dense else table
        found = _parts(shown, setting)
        if found.whole:
            return _set(found, setting)
        if is_dense:
            densest = _set(found, setting)
        elif setting.size == NORMAL:
            plain = _set(found, setting)
    narrow = options.points is not None and options.points < WIDEST_COLUMN
    chosen = densest if narrow and densest is not None else plain
    return [] if chosen is None else chosen


def _set(found: Cut, setting: Setting) -> list[tuple[Part, float, Setting]]:
    return [(part, found.limit, setting) for part in found.parts]


def _parts(table: Table, setting: Setting) -> Cut:
    def rows_for(groups: tuple[Group, ...], limit: float) -> Sequence[range]:
        return _rows(table, groups, limit, setting.paper)

    return parts(table, setting.paper, rows_for)


def _rows(table: Table, groups: tuple[Group, ...], limit: float, paper: Paper) -> list[range]:
    """Rows that fit on a page below the heading and above the notes."""
    whole = Part(table, groups, table.keys, range(table.rows))
    notes = sum(_paragraph_lines(_words(words), paper) for words in whole.notes)
    marked = {cell.footnote for column in whole.columns for cell in column.cells if cell.footnote}
    notes += sum(sorted((_paragraph_lines(str(text), paper) for text in marked), reverse=True)[:9])
    head = max(len(_title(column, paper)) for column in whole.columns) + 2
    caption = _paragraph_lines(table.caption, paper) * 1.3 + 2
    room = max(PAGE_LINES - notes - head - caption, 10.0)
    made, start, used = [], 0, 0.0
    for row in range(table.rows):
        names = (len(wrap(key.cells[row].text, limit, bold_width)) for key in table.keys)
        inside = (c.cells[row].text.count(BREAK) + 1 for c in whole.columns)
        lines = max(*names, *inside)
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


def _paragraph_lines(text: str, paper: Paper) -> int:
    return int(width(text) * 1.12 / paper.width) + 1


def _context(part: Part, limit: float, name: str, setting: Setting) -> dict[str, Any]:
    of = f" Part {part.number} of {part.of}." if part.of > 1 else ""
    align = "l" * len(part.keys) + "".join(_alignment(group) for group in part.groups)
    suffix = "" if part.table.kind == "comparisons" else f"-{part.table.kind}"
    suffix += f"-{part.number}" if part.number > 1 else ""
    return {
        "environment": setting.environment,
        "size": setting.size,
        "colsep": (GAP if setting.size == NORMAL else SMALL_GAP) / 2,
        "threeparttable": setting.options.notes == "threeparttable",
        "caption": part.table.caption + of,
        "label": f"tab:{label(name)}{suffix}",
        "align": align,
        "groups": _headings(part),
        "titles": [
            _heading_cell(column, side, setting.paper) for column, side in zip(part.columns, align)
        ],
        "rows": [_row(part, row, limit, setting.options) for row in part.rows],
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


def _title(column: Column, paper: Paper) -> list[str]:
    return title_lines(column.title, paper.widest_title, width)


def _heading_cell(column: Column, side: str, paper: Paper) -> str:
    return _stacked([escape(line) for line in _title(column, paper)], "b", side)


def _stacked(lines: Sequence[str], place: str, side: str) -> str:
    """Lines above each other in one cell, level with the row at their top or bottom."""
    if len(lines) == 1:
        return lines[0]
    inside = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{inside}\end{{tabular}}"


def _row(part: Part, row: int, limit: float, options: PaperOptions) -> dict[str, Any]:
    first = row == part.rows[0]
    new_block = first or part.table.block[row] != part.table.block[row - 1]
    cells = []
    for at, column in _numbered(part):
        cell = column.cells[row]
        if at < len(part.keys):
            repeated = column.title == "Data" and not new_block
            cells.append("" if repeated else _name(cell, limit))
        else:
            cells.append(_value(cell, part.mark(cell), options))
    return {"cells": cells, "space": not first and _new_block(part.table, row)}


def _name(cell: Cell, limit: float) -> str:
    # The limit was found from these very widths; rounding must not break a name that just fits.
    lines = [escape(line) for line in wrap(cell.text, limit + 0.01, bold_width)]
    if cell.bold:
        lines = [rf"\textbf{{{line}}}" for line in lines]
    return _stacked(lines, "t", "l")


def _value(cell: Cell, mark: str, options: PaperOptions) -> str:
    shown = _numbers if options.numbers == "siunitx" else escape
    lines = [shown(line) for line in cell.text.split(BREAK)]
    if cell.bold:
        lines = [rf"\textbf{{{line}}}" for line in lines]
    text = _stacked(lines, "t", "r")
    if cell.sign:
        text += rf"\rlap{{\,{escape(cell.sign)}}}"
    if not mark:
        return text
    # The mark hangs out, so that numbers stay in line.
    if options.notes == "threeparttable":
        return text + rf"\rlap{{\tnote{{{mark}}}}}"
    return text + rf"\rlap{{$^{{\mathrm{{{mark}}}}}$}}"


def _numbers(text: str) -> str:
    """A cell with its numbers in the hands of siunitx."""
    made, end = "", 0
    for found in _NUMBER.finditer(text):
        number = found.group().replace("\N{MINUS SIGN}", "-")
        made += _between(text[end : found.start()], end == 0) + rf"\num{{{number}}}"
        end = found.end()
    return made + _between(text[end:], end == 0)


def _between(text: str, first: bool) -> str:
    """What stands between numbers, with the spaces at its ends."""
    if not text.strip():
        return " " * bool(text)
    inside = escape(text) if first else escape("x" + text.strip())[1:]
    return " " * (text[0] == " ") + inside + " " * (text[-1] == " ")


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
