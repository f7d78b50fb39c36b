"""Markdown: the tables, and sentences above and below them."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from cvinfer.report.formats import output_format
from cvinfer.report.kinds import kind_of
from cvinfer.report.tables import Cell, Cite, Column, Part, Words, footnotes, one_part

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")


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
)
def markdown(document: Mapping[str, Any]) -> str:
    """The tables and sentences of a document for a web page."""
    kind = kind_of(document)
    lines = [f"# {escape(document['name'])}", ""]
    for sentence in kind.opening(document):
        lines += [escape(sentence), ""]
    for table in kind.tables(document):
        lines += [*_table(one_part(table)), ""]
    for section in kind.sections(document):
        lines += [f"## {section.heading}", "", *(f"- {escape(text)}" for text in section.lines), ""]
    if kind.cites:
        lines += ["Keys in brackets are entries of `references.bib`."]
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(part: Part) -> list[str]:
    heads = [_head(column, group) for column, group in _headed(part)]
    align = ["---" if at < len(part.keys) else "---:" for at in range(len(heads))]
    lines = [f"**{escape(part.table.caption)}**", "", _line(heads), _line(align)]
    lines += [
        _line([_cell(column.cells[row], part) for column, _ in _headed(part)]) for row in part.rows
    ]
    lines.append("")
    lines += [f"- {_words(words)}" for words in part.notes]
    lines += [f"- <sup>{mark}</sup> {escape(text)}" for mark, text in footnotes(part)]
    return lines


def _headed(part: Part) -> list[tuple[Column, str]]:
    made = [(key, "") for key in part.keys]
    for group in part.groups:
        made += [(column, group.title) for column in (*group.shared, *group.own)]
    return made


def _head(column: Column, group: str) -> str:
    return f"{escape(column.title)}<br>{escape(group)}" if group else escape(column.title)


def _cell(cell: Cell, part: Part) -> str:
    text = f"**{escape(cell.text)}**" if cell.bold and cell.text.strip() else escape(cell.text)
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
