"""p-values of several tests on one axis of powers of ten."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from cvinfer.report.page.figures.axis import drawing
from cvinfer.report.page.markup import Element, tag
from cvinfer.report.page.scale import Scale

HEIGHT = 26.0
#: Smaller ones stand at the left end.
SMALLEST = 1e-4
AXIS = Scale(math.log10(SMALLEST), 0.0, tuple(range(-4, 1)))


class Mark(NamedTuple):
    """The p-value of a test; that of the test that decides is told from the others."""

    p: float
    name: str
    primary: bool


def place(p: float) -> str:
    return AXIS.at(math.log10(max(p, SMALLEST)))


def p_strip(marks: Sequence[Mark], alpha: float) -> Element:
    made = [
        tag("line", x1=AXIS.at(each), x2=AXIS.at(each), y1=0, y2=HEIGHT, class_="grid")
        for each in AXIS.ticks
    ]
    made.append(tag("line", x1=place(alpha), x2=place(alpha), y1=0, y2=HEIGHT, class_="alpha"))
    for mark in sorted(marks, key=lambda each: each.primary):
        told = tag("title", mark.name)
        if mark.primary:
            shape = tag("path", told, d="M0,-6 L6,0 L0,6 L-6,0 Z", class_="primary")
            made.append(tag("svg", shape, x=place(mark.p), y=HEIGHT / 2, overflow="visible"))
        else:
            at = place(mark.p)
            made.append(tag("circle", told, cx=at, cy=HEIGHT / 2, r=3.6, class_="other"))
    return drawing(HEIGHT, made)


def p_head(alpha: str, at: float) -> Element:
    """The numbers above the strips."""
    texts = ["≤ 0.0001", "0.001", "0.01", "0.1", "1"]
    made = [
        tag("text", text, x=AXIS.at(tick), y=11, class_="tick", text_anchor="middle")
        for tick, text in zip(AXIS.ticks, texts)
    ]
    made.append(tag("text", alpha, x=place(at), y=26, class_="tick strong", text_anchor="middle"))
    return drawing(30, made)
