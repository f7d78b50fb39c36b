"""Curves of rates over a key of a study's grid, with intervals at every point."""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

from cvinfer.report.page.markup import Element, coordinate, tag
from cvinfer.report.page.scale import decimals, scale

WIDTH, HEIGHT = 640.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 26.0, 40.0
#: Curves that can be told apart; their classes are s0, s1, ...
LOOKS = 5


class Point(NamedTuple):
    x: float
    y: float
    lower: float
    upper: float


class Curve(NamedTuple):
    name: str
    points: Sequence[Point]


def lines(
    curves: Sequence[Curve], level: Sequence[float], under: str, beside: str, title: str, words: str
) -> Element:
    """Shares from 0 to 1 in per cent; a dashed line at each `level`."""
    xs = [point.x for curve in curves for point in curve.points]
    most = max([point.upper for curve in curves for point in curve.points] + [2 * a for a in level])
    across, up = scale(xs, 7), scale([0.0, min(most, 1.0)], 5)

    def right(value: float) -> float:
        share = (value - across.low) / (across.high - across.low)
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def high(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - up.low) / (up.high - up.low)

    made = [tag("title", title), tag("desc", words)]
    for tick in up.ticks:
        y = high(tick)
        made.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
        text = f"{100 * tick:.{max(decimals(up.ticks) - 2, 0)}f}"
        made.append(tag("text", text, x=LEFT - 6, y=y + 4, class_="tick", text_anchor="end"))
    for tick in across.ticks:
        text = f"{tick:,.{decimals(across.ticks)}f}".replace("-", "−")
        place = {"x": right(tick), "y": HEIGHT - BOTTOM + 16}
        made.append(tag("text", text, **place, class_="tick", text_anchor="middle"))
    for each in level:
        y = high(each)
        made.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="alpha"))
    for number, curve in enumerate(curves):
        made.append(_curve(curve, f"s{number % LOOKS}", right, high))
    middle = (LEFT + WIDTH - RIGHT) / 2
    made.append(tag("text", under, x=middle, y=HEIGHT - 6, class_="tick", text_anchor="middle"))
    made.append(tag("text", beside, x=0, y=11, class_="tick"))
    box = f"0 0 {coordinate(WIDTH)} {coordinate(HEIGHT)}"
    return tag("svg", made, viewBox=box, class_="chart", role="img", aria_label=f"{title}. {words}")


def _curve(
    curve: Curve, class_: str, right: Callable[[float], float], high: Callable[[float], float]
) -> Element:
    points = sorted(curve.points)
    path = " L".join(f"{coordinate(right(p.x))},{coordinate(high(p.y))}" for p in points)
    made = [tag("path", d=f"M{path}", class_=f"series {class_}")]
    for point in points:
        x = right(point.x)
        made.append(
            tag(
                "line",
                x1=x,
                x2=x,
                y1=high(point.lower),
                y2=high(point.upper),
                class_=f"error {class_}",
            )
        )
        told = tag("title", f"{curve.name}: {100 * point.y:.1f} % at {point.x:g}")
        made.append(tag("circle", told, cx=x, cy=high(point.y), r=3.2, class_=f"sign {class_}"))
    return tag("g", made)
