"""HTML and SVG as values: elements with attributes and children, every text escaped.

There is no way to put a string into a page unescaped but `Verbatim`, which only the page's own
style sheet and script use. So what a data set or a learner is called can never become markup.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Iterable, Mapping, Optional, Sequence, Union

#: Elements that have no content and no end.
VOID = frozenset({"br", "hr", "input", "link", "meta"})


@dataclass(frozen=True)
class Verbatim:
    """Text of this package that is no text: a style sheet or a script."""

    text: str


@dataclass(frozen=True)
class Element:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: Sequence["Node"] = ()


Node = Union[str, Element, Verbatim]
#: What an element takes between its tags; None and lists are for the convenience of callers.
Content = Union[Node, None, Iterable["Content"]]
Value = Union[str, int, float, bool, None]


def tag(name: str, /, *content: Content, **attributes: Value) -> Element:
    """An element. `class_` is class, and an underscore in the middle a hyphen: aria_label.

    An attribute that is None or False is left out, one that is True has no value.
    """
    made = {
        _attribute(key): "" if value is True else _value(value)
        for key, value in attributes.items()
        if value is not None and value is not False
    }
    return Element(name, made, tuple(flat(content)))


def flat(content: Iterable[Content]) -> list[Node]:
    """Content without what is nothing and without lists in lists."""
    made: list[Node] = []
    for each in content:
        if each is None:
            continue
        if isinstance(each, (str, Element, Verbatim)):
            made.append(each)
        else:
            made += flat(each)
    return made


def bdi(name: object) -> Element:
    """A name that somebody else gave: its direction of writing stays its own."""
    return tag("bdi", str(name))


def text_of(content: Content) -> str:
    """The text of some content, without any markup."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Verbatim):
        return ""
    if isinstance(content, Element):
        return "".join(text_of(each) for each in content.children)
    return "".join(text_of(each) for each in content)


def rendered(nodes: Iterable[Content]) -> str:
    """The nodes as HTML; elements of a page, a section or a row each begin a line."""
    made: list[str] = []
    for node in flat(nodes):
        _write(node, made)
    return "".join(made)


#: These begin on a line of their own, so that a page can be read and compared as text.
_LINES = frozenset(
    "body details div dl dt figure footer g head header h2 h3 li link main meta nav ol p script"
    " section style summary svg table tbody td tfoot th thead title tr ul".split()
)


def _write(node: Node, made: list[str]) -> None:
    if isinstance(node, str):
        made.append(html.escape(node, quote=False))
    elif isinstance(node, Verbatim):
        made.append(node.text)
    else:
        begin = "\n" if node.name in _LINES else ""
        attributes = "".join(_written(key, value) for key, value in node.attributes.items())
        made.append(f"{begin}<{node.name}{attributes}>")
        for child in node.children:
            _write(child, made)
        if node.name not in VOID:
            made.append(f"</{node.name}>")


def _written(key: str, value: str) -> str:
    return f' {key}="{html.escape(value)}"' if value else f" {key}" + ('=""' * (key == "alt"))


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-") if key != "viewBox" else key


def _value(value: Optional[Value]) -> str:
    if isinstance(value, float):
        return coordinate(value)
    return str(value)


def coordinate(value: float) -> str:
    """A number of a drawing: no more digits than a screen shows, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
