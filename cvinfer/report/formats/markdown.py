"""Markdown: the tables, and sentences above and below them."""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Sequence

from cvinfer.report.formats import output_format
from cvinfer.report.kinds import Headline, Section, kind_of
from cvinfer.report.room import Blocks, fitted, more
from cvinfer.report.tables import Cell, Cite, Column, Part, Words, footnotes, one_part

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")


#: Lines around what has to fit: the name of the document, an empty one, and what is left out.
AROUND = 3


def escape(text: str) -> str:
    """A name or sentence that Markdown shows as it is, inside a table cell too."""
    flat = " ".join(str(text).split())
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", flat)


def prose(paragraphs: Sequence[tuple[str, Sequence[Words]]]) -> str:
    """Paragraphs below their headings."""
    made = [
        f"## {escape(heading)}\n\n" + "\n".join(_words(sentence) for sentence in sentences)
        for heading, sentences in paragraphs
    ]
    return "\n\n".join(made) + "\n"


@output_format(
    "markdown",
    of={
        "result": "result.md",
        "study": "study.md",
        "stability": "stability.md",
        "calibrate": "calibrate.md",
    },
    prose=prose,
    brief=True,
)
def markdown(document: Mapping[str, Any], most: Optional[int] = None) -> str:
    """The tables and sentences of a document for a web page; where it would be more than `most`
    lines, what comes first.
    """
    whole = _written(document, None)
    if most is None or whole.count("\n") <= most:
        return whole
    return _written(document, most)


def _written(document: Mapping[str, Any], most: Optional[int]) -> str:
    kind = kind_of(document)
    brief = most is not None
    sections = kind.brief if brief and kind.brief else kind.sections
    blocks = Blocks[str](
        headlines=[[f"- {_headline(each)}"] for each in kind.headlines(document)],
        sentences=[[escape(sentence)] for sentence in kind.opening(document)],
        tables=[_table(one_part(table), brief) for table in kind.tables(document)],
        sections=[(each.heading, _section(each)) for each in sections(document)],
    )
    ending = "Keys in brackets are entries of `references.bib`." if kind.cites else ""
    if most is not None:
        blocks = fitted(blocks, most - AROUND)
        ending = escape(more(blocks.left, kind.name))
    lines = [f"# {escape(document['name'])}", ""]
    lines += [*(line for each in blocks.headlines for line in each), ""] * bool(blocks.headlines)
    for block in (*blocks.sentences, *blocks.tables):
        lines += [*block, ""]
    for _, section in blocks.sections:
        lines += [*(line for each in section for line in each), ""]
    return "\n".join([*lines, ending]).rstrip("\n") + "\n"


def _section(section: Section) -> list[list[str]]:
    """Its heading with the empty line below it, then its lines."""
    return [[f"## {section.heading}", ""], *([f"- {escape(text)}"] for text in section.lines)]


def _headline(each: Headline) -> str:
    return f"**{escape(each.text)}**" if each.won else escape(each.text)


def _table(part: Part, brief: bool) -> list[str]:
    heads = [_head(column, group) for column, group in _headed(part)]
    align = ["---" if at < len(part.keys) else "---:" for at in range(len(heads))]
    lines = [f"**{escape(part.table.caption)}**", "", _line(heads), _line(align)]
    lines += [
        _line([_cell(column.cells[row], part) for column, _ in _headed(part)]) for row in part.rows
    ]
    notes = [f"- {_words(words)}" for words in part.notes if not brief]
    notes += [f"- <sup>{mark}</sup> {escape(text)}" for mark, text in footnotes(part)]
    return [*lines, "", *notes] if notes else lines


def _headed(part: Part) -> list[tuple[Column, str]]:
    made = [(key, "") for key in part.keys]
    for group in part.groups:
        made += [(column, group.title) for column in (*group.shared, *group.own)]
    return made


def _head(column: Column, group: str) -> str:
    return f"{escape(column.title)}<br>{escape(group)}" if group else escape(column.title)


def _cell(cell: Cell, part: Part) -> str:
    text = f"**{escape(cell.text)}**" if cell.bold and cell.text.strip() else escape(cell.text)
    text += f" {cell.sign}" * bool(cell.sign)
    mark = part.mark(cell)
    return f"{text}<sup>{mark}</sup>" if mark else text


def _words(words: Words) -> str:
    made = ""
    for word in words:
        if isinstance(word, Cite):
            made += rf"\[{word.key}\]"
        else:
            head = " " if word.startswith(" ") else ""
            tail = " " if len(word) > 1 and word.endswith(" ") else ""
            made += head + escape(word) + tail
    return made


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
