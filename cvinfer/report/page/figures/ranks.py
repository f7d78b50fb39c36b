"""Mean ranks of learners, and how far they must lie apart to count as different."""

from __future__ import annotations

from typing import Optional

from cvinfer.report.page.figures.axis import drawing, grid
from cvinfer.report.page.markup import Element, tag
from cvinfer.report.page.scale import Scale

HEIGHT = 26.0


def rank_axis(learners: int) -> Scale:
    return Scale(1.0, float(max(learners, 2)), [float(each) for each in range(1, learners + 1)])


def rank_row(axis: Scale, rank: float, critical: Optional[float]) -> Element:
    """A dot; the band holds the ranks that the critical difference does not tell from it."""
    made: list[Element] = []
    if critical is not None:
        lower, upper = rank - critical, rank + critical
        made.append(
            tag(
                "rect",
                x=axis.at(lower),
                width=axis.width(lower, upper),
                y=6,
                height=HEIGHT - 12,
                class_="margin",
            )
        )
    made += grid(axis, HEIGHT)
    made.append(tag("circle", cx=axis.at(rank), cy=HEIGHT / 2, r=4.5, class_="point"))
    return drawing(HEIGHT, made)
