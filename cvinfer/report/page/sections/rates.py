"""The rates of a study as pictures: type I errors, power over the grid, coverage."""

from __future__ import annotations

from typing import Sequence

from cvinfer.analysis.words import percent
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.forest import HEIGHT
from cvinfer.report.page.figures.lines import LOOKS, Curve, Point, lines
from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.scale import Scale, scale
from cvinfer.report.page.sections import section
from cvinfer.report.plots import number_keys
from cvinfer.report.studies.read import Cells, Study, rate_text, who

#: Panels of curves that are shown; study.csv has everything.
MOST_PANELS = 12
#: Rows of a table of rates.
MOST_ROWS = 400


@section("curves", "Rates over the grid", of=("study",), place=20)
def curves(reading: Reading) -> Content:
    """Rejection rates over the key with most numbers; a panel for each pair and other values."""
    study = Study(reading.document)
    cells = [cell for cell in study.tests if cell.get("rate") is not None]
    keys = number_keys(study, cells)
    if not keys:
        return None
    key = keys[0]
    panels: dict[tuple[str, str], list[JsonObject]] = {}
    for cell in cells:
        rest = study.point_text({k: v for k, v in cell["at"].items() if k != key})
        panels.setdefault((str(who(cell)), rest), []).append(cell)
    made = [_panel(study, key, names, group) for names, group in list(panels.items())[:MOST_PANELS]]
    more = len(panels) - len(made)
    words = f"{more} more panels are in the tables below." if more > 0 else ""
    return [made, tag("p", words) if words else None]


def _panel(study: Study, key: str, names: tuple[str, str], cells: Cells) -> Element:
    by_test: dict[str, list[Point]] = {}
    for cell in cells:
        point = Point(float(cell["at"][key]), cell["rate"], cell["lower"], cell["upper"])
        by_test.setdefault(study.test_text(cell), []).append(point)
    drawn = [Curve(name, points) for name, points in by_test.items()]
    alphas = sorted({cell["alpha"] for cell in cells})
    title = ", ".join(each for each in names if each) or "Rejections"
    words = f"{len(drawn)} tests over {study.short(key)}; the numbers are in the tables."
    pictures: list[Content] = []
    for start in range(0, len(drawn), LOOKS):
        part = drawn[start : start + LOOKS]
        picture = lines(part, alphas, study.short(key), "rejected in %", title, words)
        keys = [
            tag("li", tag("span", "●", class_=f"s{at}", aria_hidden="true"), each.name)
            for at, each in enumerate(part)
        ]
        pictures += [picture, tag("ul", keys, class_="legend")]
    said = " and ".join(percent(alpha) for alpha in alphas)
    return tag("figure", tag("figcaption", f"{title}; dashed: α = {said}"), pictures)


@section("rates", "Rates with their intervals", of=("study",), place=30)
def rates(reading: Reading) -> Content:
    """Every rate of a test and every coverage as a dot with its Wilson interval."""
    study = Study(reading.document)
    made: list[Content] = []
    for title, every, level in (
        ("Rejections in %", study.tests, "alpha"),
        ("Coverage in %", study.intervals, "level"),
    ):
        cells = [cell for cell in every if cell.get("rate") is not None][:MOST_ROWS]
        if cells:
            made.append(_table(study, title, cells, level))
    if not made:
        return None
    keys = legend(("point-key", "rate"), ("whisker-key", "Wilson interval of 95 %"))
    return [*made, keys]


def _table(study: Study, title: str, cells: Sequence[JsonObject], level: str) -> Content:
    wanted = [
        1.0 - c["alpha"] if level == "level" and "alpha" in c else c.get(level) for c in cells
    ]
    known = [each for each in wanted if each is not None]
    axis = scale([*(c[end] for c in cells for end in ("lower", "upper")), *known], 6)
    ticks = numbers(axis, lambda value: f"{100 * value:.4g}")
    heads = [
        Head("Test" if level == "alpha" else "Interval", sort="text"),
        Head([tag("span", f"Plot: {title}", class_="hidden"), drawing(16, ticks)], "figure"),
        Head("Rate [95 %]", "number", "number"),
    ]
    groups: dict[str, list[Row]] = {}
    for cell, at in zip(cells, wanted):
        said = (str(who(cell)), study.point_text(cell["at"]))
        heading = ", ".join(each for each in said if each)
        data = [
            Data(_row(axis, cell, at), "figure"),
            Data(rate_text(cell), "number", cell["rate"]),
        ]
        groups.setdefault(heading, []).append(Row(study.test_text(cell), data))
    return table(title, heads, list(groups.items()), class_="plot", label=title)


def _row(axis: Scale, cell: JsonObject, level: "float | None") -> Element:
    middle = HEIGHT / 2
    made: list[Element] = []
    if level is not None:
        at = axis.at(level)
        made.append(tag("line", x1=at, x2=at, y1=0, y2=HEIGHT, class_="alpha"))
    ends = {"x1": axis.at(cell["lower"]), "x2": axis.at(cell["upper"])}
    made.append(tag("line", **ends, y1=middle, y2=middle, class_="whisker"))
    made.append(tag("circle", cx=axis.at(cell["rate"]), cy=middle, r=4, class_="point"))
    return drawing(HEIGHT, made)
