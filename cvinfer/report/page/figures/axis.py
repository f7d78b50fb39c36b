"""The frame of a picture: its root, the lines of an axis and the numbers at them."""

from __future__ import annotations

from typing import Callable, Optional

from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.scale import Scale


def drawing(
    height: float, *content: Content, title: str = "", words: str = "", class_: str = "strip"
) -> Element:
    """The root of a picture. One without a title repeats what stands beside it as text."""
    if not title:
        return tag(
            "svg", content, class_=class_, height=height, aria_hidden="true", focusable="false"
        )
    told = [tag("title", title), tag("desc", words) if words else None]
    label = f"{title}. {words}" if words else title
    return tag("svg", told, content, class_=class_, height=height, role="img", aria_label=label)


def grid(axis: Scale, height: float, zero: Optional[float] = None) -> list[Element]:
    """Thin lines at the ticks, a strong one at `zero`."""
    lines = [
        _line(axis, tick, height, "grid")
        for tick in axis.ticks
        if zero is None or abs(tick - zero) > 1e-12
    ]
    if zero is not None and axis.holds(zero):
        lines.append(_line(axis, zero, height, "zero"))
    return lines


def _line(axis: Scale, value: float, height: float, class_: str) -> Element:
    at = axis.at(value)
    return tag("line", x1=at, x2=at, y1=0, y2=height, class_=class_)


def numbers(axis: Scale, text: Callable[[float], str], y: float = 11.0) -> list[Element]:
    """The numbers of the ticks."""
    return [
        tag("text", text(tick), x=axis.at(tick), y=y, class_="tick", text_anchor="middle")
        for tick in axis.ticks
    ]
