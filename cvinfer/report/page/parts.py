"""Pieces that several sections of a page are made of."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Optional, Sequence

from cvinfer.report.headlines import SIGNS
from cvinfer.report.page.markup import Content, Element, bdi, tag

#: Classes of badges, which have the signs and words of the lines that all formats begin with.
BADGES = {"a_better": "better", "b_better": "better", "equivalent": "alike", "no_result": "lost"}


class Head(NamedTuple):
    """The head of a column. `sort` is how a script may sort by it: number or text."""

    content: Content
    class_: str = ""
    sort: str = ""


class Row(NamedTuple):
    """A row: its name, and its other cells with their classes and what they are sorted by."""

    name: Content
    cells: Sequence["Data"]


class Data(NamedTuple):
    content: Content
    class_: str = ""
    value: Optional[float] = None


def table(
    caption: Content,
    heads: Sequence[Head],
    groups: Iterable[tuple[str, Sequence[Row]]],
    *,
    class_: str = "",
    label: str = "",
) -> Element:
    """A table in a frame that scrolls by itself where the page is narrower.

    Each group has a heading (a data set) unless it is empty; its rows can be sorted and filtered.
    """
    bodies = []
    for heading, rows in groups:
        head = tag("th", bdi(heading), colspan=len(heads), scope="rowgroup")
        bodies.append(
            tag(
                "tbody",
                tag("tr", head, class_="group") if heading else None,
                [_row(row, heading) for row in rows],
            )
        )
    made = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", [_head(head) for head in heads])),
        bodies,
        class_=class_ or None,
    )
    return framed(made, label)


def framed(content: Content, label: str) -> Element:
    """What may be wider than the page; a keyboard can scroll it too."""
    return tag("div", content, class_="frame", role="group", aria_label=label, tabindex=0)


def _head(head: Head) -> Element:
    return tag(
        "th", head.content, scope="col", class_=head.class_ or None, data_sort=head.sort or None
    )


def _row(row: Row, heading: str) -> Element:
    cells = [
        tag(
            "td",
            each.content,
            class_=each.class_ or None,
            data_value=None if each.value is None else repr(float(each.value)),
        )
        for each in row.cells
    ]
    return tag("tr", tag("th", row.name, scope="row"), cells, data_row=heading or True)


def badge(verdict: str) -> Element:
    sign, word = SIGNS.get(verdict, ("?", verdict.replace("_", " ")))
    badged = f"badge {BADGES.get(verdict, 'open')}"
    return tag("span", tag("span", sign, aria_hidden="true"), f" {word}", class_=badged)


def facts(pairs: Iterable[tuple[Content, Content]]) -> Element:
    """Terms with what is said of them."""
    return tag("dl", [tag("div", tag("dt", term), tag("dd", said)) for term, said in pairs])


def versus(a: object, b: object) -> list[Element]:
    return [bdi(a), tag("span", " − ", class_="minus"), bdi(b)]


def legend(*items: tuple[str, str]) -> Element:
    """What the marks of a picture mean: the class of a mark, and its words."""
    return tag(
        "ul",
        [
            tag("li", tag("span", class_=f"key {class_}", aria_hidden="true"), words)
            for class_, words in items
        ],
        class_="legend",
    )


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + "s" * (count != 1)
