"""Densities on [0, 1] or a part of it: of Beta posteriors and of F1."""

from __future__ import annotations

import math
from typing import Callable, Optional, Sequence

from cvinfer.report.page.figures.axis import drawing, grid
from cvinfer.report.page.markup import Element, coordinate, tag
from cvinfer.report.page.scale import INSET, Scale

POINTS = 120
HEIGHT = 46.0
Density = Callable[[float], float]


def beta_density(a: float, b: float) -> Density:
    """Of Be(a, b)."""
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def density(x: float) -> float:
        if not 0.0 < x < 1.0:
            return 0.0
        return math.exp(whole + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))

    return density


def f1_density(a: float, b: float) -> Density:
    """Of F1 = 1/(1 + X/2), X ~ beta prime(a, b): x = 2(1 - f)/f, |dx/df| = 2/f²."""
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def density(f: float) -> float:
        if not 0.0 < f < 1.0:
            return 0.0
        x = 2.0 * (1.0 - f) / f
        log = whole + (a - 1) * math.log(x) - (a + b) * math.log1p(x)
        return math.exp(log + math.log(2.0) - 2.0 * math.log(f))

    return density


def curve(
    axis: Scale,
    density: Optional[Density],
    bars: Sequence[tuple[str, float, float]],
    mark: Optional[float] = None,
    zero: Optional[float] = None,
    title: str = "",
    words: str = "",
) -> Element:
    """A density with intervals below it; each bar has a class, a lower and an upper end."""
    foot = 9.0 * len(bars) + 3.0
    height = HEIGHT + foot
    made = grid(axis, height, zero)
    if density is not None:
        made.append(_area(axis, density))
    if mark is not None:
        at = axis.at(mark)
        made.append(tag("line", x1=at, x2=at, y1=4, y2=HEIGHT, class_="mean"))
    for row, (class_, lower, upper) in enumerate(bars):
        y = HEIGHT + 6.0 + 9.0 * row
        made.append(
            tag("line", x1=axis.at(lower), x2=axis.at(upper), y1=y, y2=y, class_=f"bar {class_}")
        )
    return drawing(height, made, title=title, words=words)


def _area(axis: Scale, density: Density) -> Element:
    """The area below a density; a drawing inside the drawing that is stretched to the width."""
    xs = [axis.low + (axis.high - axis.low) * at / POINTS for at in range(POINTS + 1)]
    ys = [density(x) for x in xs]
    most = max(ys) or 1.0
    points = [
        f"{coordinate(1000.0 * at / POINTS)},{coordinate(100.0 - 96.0 * y / most)}"
        for at, y in enumerate(ys)
    ]
    path = tag(
        "path",
        d=f"M0,100 L{' '.join(points)} L1000,100 Z",
        class_="area",
        vector_effect="non-scaling-stroke",
    )
    return tag(
        "svg",
        path,
        x=f"{INSET}%",
        width=f"{100 - 2 * INSET}%",
        y=0,
        height=HEIGHT,
        viewBox="0 0 1000 100",
        preserveAspectRatio="none",
    )


def span_of(
    densities: Sequence[Density], low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Where densities are more than a thousandth of their peaks."""
    first, last = high, low
    for density in densities:
        xs = [low + (high - low) * (at + 0.5) / 400 for at in range(400)]
        ys = [density(x) for x in xs]
        most = max(ys)
        inside = [x for x, y in zip(xs, ys) if y > most * 1e-3]
        if inside:
            first, last = min(first, inside[0]), max(last, inside[-1])
    return (first, last) if first < last else (low, high)
