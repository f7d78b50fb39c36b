"""Values of many splits on one axis: a dot for each, larger where several coincide."""

from __future__ import annotations

import math
from typing import Optional, Sequence

from cvinfer.report.page.figures.axis import drawing, grid
from cvinfer.report.page.markup import Element, tag
from cvinfer.report.page.scale import Scale

HEIGHT = 26.0
#: Places along the axis; dots that share one become a larger dot.
PLACES = 180
ROW = 15.0


def dots(axis: Scale, values: Sequence[float], mean: Optional[float]) -> Element:
    """All splits of one learner, and their mean as a line."""
    middle = HEIGHT / 2
    made = grid(axis, HEIGHT)
    counts: dict[int, list[float]] = {}
    for value in values:
        place = round(PLACES * (value - axis.low) / (axis.high - axis.low))
        counts.setdefault(place, []).append(value)
    for _, alike in sorted(counts.items()):
        middle_value = sum(alike) / len(alike)
        radius = min(3.4 * math.sqrt(len(alike)), 9.0) if len(alike) > 1 else 3.4
        made.append(tag("circle", cx=axis.at(middle_value), cy=middle, r=radius, class_="dot"))
    if mean is not None:
        at = axis.at(mean)
        made.append(tag("line", x1=at, x2=at, y1=3, y2=HEIGHT - 3, class_="mean"))
    return drawing(HEIGHT, made)


def dumbbells(
    axis: Scale,
    pairs: Sequence[tuple[Optional[float], Optional[float]]],
    labels: Sequence[str],
    title: str,
    words: str,
) -> Element:
    """Both learners on every split, joined by a line; a row for each split."""
    height = ROW * len(pairs)
    made = grid(axis, height)
    for row, ((a, b), label) in enumerate(zip(pairs, labels)):
        y = ROW * (row + 0.5)
        if a is not None and b is not None:
            made.append(tag("line", x1=axis.at(a), x2=axis.at(b), y1=y, y2=y, class_="joint"))
        if a is not None:
            made.append(
                tag("circle", tag("title", f"{label}: A"), cx=axis.at(a), cy=y, r=5, class_="a")
            )
        if b is not None:
            square = tag(
                "rect",
                tag("title", f"{label}: B"),
                x=-3.6,
                y=-3.6,
                width=7.2,
                height=7.2,
                class_="b",
            )
            made.append(tag("svg", square, x=axis.at(b), y=y, overflow="visible"))
    return drawing(height, made, title=title, words=words, class_="strip tall")
