"""Learners over several data sets: their mean ranks, and every table on them."""

from __future__ import annotations

from typing import Optional

from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.ranks import rank_axis, rank_row
from cvinfer.report.page.markup import Content, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.page.written import written
from cvinfer.report.tables import across_pairs, grid_of_measure
from cvinfer.report.tables.grid import reference_of


@section("across", "Over all data sets", of=("result",), place=15)
def across(reading: Reading) -> Content:
    entries = reading.document.get("across") or []
    if not entries:
        return None
    made: list[Content] = []
    for entry in entries:
        if entry.get("ranks"):
            if len(entries) > 1:
                made.append(
                    tag("h3", f"By {reading.called(entry['measure'])} ({entry['measure']})")
                )
            made += _ranks(entry)
    # With one learner that all are compared with, the grid has a section of its own.
    grids = (
        grid_of_measure(reading.document, measure)
        for measure in reading.measures
        if reference_of(reading.document, measure) is None
    )
    found = [*(grid for grid in grids if grid is not None), *across_pairs(reading.document)]
    return [*made, [written(each) for each in found]]


def _ranks(entry: JsonObject) -> list[Content]:
    ranks = entry["ranks"]
    order = sorted(range(len(ranks)), key=lambda at: (ranks[at], at))
    critical = _critical(entry)
    axis = rank_axis(len(ranks))
    ticks = numbers(axis, lambda value: f"{value:.0f}")
    heads = [
        Head("Learner", sort="text"),
        Head([tag("span", "Plot of the ranks", class_="hidden"), drawing(16, ticks)], "figure"),
        Head("Mean rank", "number", "number"),
    ]
    rows = [
        Row(
            bdi(entry["learners"][at]),
            [
                Data(rank_row(axis, ranks[at], critical), "figure"),
                Data(f"{ranks[at]:.2f}", "number", ranks[at]),
            ],
        )
        for at in order
    ]
    count = entry.get("ranked", len(entry["data"]))
    caption = f"Mean ranks over {count:,} data sets; 1 is best"
    keys = [("point-key", "mean rank")]
    if critical is not None:
        band = "not told from it by Nemenyi's test"
        keys.append(("margin-key", f"{band} (critical difference {critical:.2f})"))
    label = f"Mean ranks by {entry['measure']}"
    return [table(caption, heads, [("", rows)], class_="plot", label=label), legend(*keys)]


def _critical(entry: JsonObject) -> Optional[float]:
    found = (each.get("critical_difference") for each in entry["tests"])
    return next((float(each) for each in found if each is not None), None)
