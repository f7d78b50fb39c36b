"""How many records the training sets of an m×2 share, against a random one."""

from __future__ import annotations

import math
from typing import Optional, Sequence

from cvinfer.report.page.figures.axis import drawing, grid
from cvinfer.report.page.markup import Element, tag
from cvinfer.report.page.scale import Scale

HEIGHT = 34.0


def overlap_strip(
    axis: Scale,
    shared: Sequence[float],
    mean: Optional[float],
    variance: Optional[float],
    ideal: float,
) -> Element:
    """Dots for pairs of training sets on the band of two standard deviations of random halves."""
    made = grid(axis, HEIGHT)
    if mean is not None and variance is not None:
        half = 2.0 * math.sqrt(variance)
        lower, upper = mean - half, mean + half
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
    at = axis.at(ideal)
    made.append(tag("line", x1=at, x2=at, y1=0, y2=HEIGHT, class_="zero"))
    for value in sorted(set(shared)):
        count = sum(each == value for each in shared)
        radius = min(3.4 * math.sqrt(count), 10.0)
        made.append(tag("circle", cx=axis.at(value), cy=HEIGHT / 2, r=radius, class_="dot"))
    return drawing(HEIGHT, made)
