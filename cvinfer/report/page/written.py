"""Tables of the report as HTML: the same cells, notes and footnotes as in every other format."""

from __future__ import annotations

from cvinfer.report.page.markup import Content, Element, bdi, tag
from cvinfer.report.page.parts import framed
from cvinfer.report.tables import Cell, Cite, Part, Table, Words, footnotes, one_part


def written(table: Table) -> list[Element]:
    """A table with its notes."""
    part = one_part(table)
    heading = table.caption
    made = tag(
        "table",
        tag("caption", heading),
        tag("thead", _heads(part)),
        tag("tbody", [_row(part, row) for row in part.rows]),
        class_="written",
    )
    notes: list[Content] = [tag("li", _words(words)) for words in part.notes]
    notes += [tag("li", tag("sup", mark), " ", text) for mark, text in footnotes(part)]
    return (
        [framed(made, heading), tag("ul", notes, class_="notes")]
        if notes
        else [framed(made, heading)]
    )


def _heads(part: Part) -> list[Element]:
    titled = any(group.title for group in part.groups)
    keys = [
        tag("th", key.title, scope="col", rowspan=2 if titled else None, data_sort="text")
        for key in part.keys
    ]
    columns = [
        tag("th", column.title, scope="col", class_="number", data_sort="number")
        for group in part.groups
        for column in (*group.shared, *group.own)
    ]
    if not titled:
        return [tag("tr", keys, columns)]
    groups = [
        tag("th", group.title, scope="colgroup", colspan=len(group.shared) + len(group.own))
        for group in part.groups
    ]
    return [tag("tr", keys, groups), tag("tr", columns)]


def _row(part: Part, row: int) -> Element:
    keys = [_key(key.cells[row], part) for key in part.keys]
    cells = [
        tag("td", _cell(column.cells[row], part), class_="left" if column.left else "number")
        for column in part.columns[len(part.keys) :]
    ]
    return tag("tr", keys, cells, data_row=True)


def _key(cell: Cell, part: Part) -> Element:
    """What names a row; where there is no name it is a cell, since heads must not be empty."""
    empty = not cell.text.strip()
    return tag("td") if empty else tag("th", _cell(cell, part), scope="row")


def _cell(cell: Cell, part: Part) -> Content:
    text: Content = bdi(cell.text)
    if cell.bold and cell.text.strip():
        text = tag("strong", text)
    mark = part.mark(cell)
    beside: list[Content] = [tag("sup", mark)] if mark else []
    if cell.sign:
        beside.append(tag("span", cell.sign, class_="sign"))
    return [text, *beside] if beside else text


def _words(words: Words) -> list[Content]:
    return [f"[{each.key}]" if isinstance(each, Cite) else each for each in words]
