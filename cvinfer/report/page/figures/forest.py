"""One row of a forest plot: an estimate with its intervals, and the margin behind it."""

from __future__ import annotations

from typing import Optional, Sequence

from cvinfer.report.page.figures.axis import drawing, grid
from cvinfer.report.page.markup import Element, tag
from cvinfer.report.page.scale import Scale, scale

HEIGHT = 26.0
Ends = Optional[Sequence[Optional[float]]]


def forest_scale(
    estimates: Sequence[float], intervals: Sequence[Ends], margin: Optional[float]
) -> Scale:
    """An axis for all rows. Intervals that are far wider than most are cut at its ends."""
    ends = sorted(abs(end) for each in intervals for end in each or () if end is not None)
    usual = ends[int(0.9 * (len(ends) - 1))] if ends else 0.0
    most = max([1.25 * usual, *(1.3 * abs(each) for each in estimates), 2.0 * (margin or 0.0)])
    values = [0.0, *estimates]
    for each in intervals:
        values += [min(max(end, -most), most) for end in each or () if end is not None]
    values += [margin, -margin] if margin else []
    return scale(values, 6)


def forest_row(
    axis: Scale, estimate: Optional[float], interval: Ends, wide: Ends, margin: Optional[float]
) -> Element:
    """`wide` is the simultaneous interval, drawn thin."""
    middle = HEIGHT / 2
    made: list[Element] = []
    if margin:
        made.append(
            tag(
                "rect",
                x=axis.at(-margin),
                width=axis.width(-margin, margin),
                y=0,
                height=HEIGHT,
                class_="margin",
            )
        )
    made += grid(axis, HEIGHT, 0.0)
    made += _bar(axis, wide, middle, "thin")
    made += _bar(axis, interval, middle, "whisker")
    if estimate is not None:
        made.append(tag("circle", cx=axis.at(estimate), cy=middle, r=4, class_="point"))
    return drawing(HEIGHT, made)


def _bar(axis: Scale, ends: Ends, y: float, class_: str) -> list[Element]:
    if ends is None or ends[0] is None or ends[1] is None:
        return []
    lower, upper = ends[0], ends[1]
    made = [tag("line", x1=axis.at(lower), x2=axis.at(upper), y1=y, y2=y, class_=class_)]
    for end, way in ((lower, 1), (upper, -1)):
        if axis.holds(end):
            place = axis.at(end)
            half = 4 if class_ == "whisker" else 2.5
            made.append(tag("line", x1=place, x2=place, y1=y - half, y2=y + half, class_=class_))
        else:  # it goes on beyond the axis
            arrow = tag("path", d=f"M{6 * way},-4 L0,0 L{6 * way},4", class_=f"{class_} arrow")
            made.append(tag("svg", arrow, x=axis.at(end), y=y, overflow="visible"))
    return made
