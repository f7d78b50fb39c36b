"""The losses of every learner on every split."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from cvinfer.analysis.words import scheme_title
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.strips import dots
from cvinfer.report.page.markup import Content, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.scale import decimals, scale
from cvinfer.report.page.sections import section


@section("splits", "Every split", of=("result",), place=40)
def splits(reading: Reading) -> Content:
    made: list[Content] = []
    for measure in reading.measures:
        entries = reading.by(measure, "losses")
        known = [e for e in entries if any(v is not None for v in values(e["per_split"]))]
        if not known:
            continue
        if len(reading.measures) > 1:
            made.append(tag("h3", f"By {reading.called(measure)} ({measure})"))
        made.append(_table(reading, measure, known))
    if not made:
        return None
    return [
        *made,
        legend(("dot-key", "a split; larger where several coincide"), ("mean-key", "mean")),
    ]


def _table(reading: Reading, measure: str, entries: list[JsonObject]) -> Content:
    every = [v for e in entries for v in values(e["per_split"]) if v is not None]
    axis = scale(every, 6)
    places = decimals(axis.ticks)
    ticks = numbers(axis, lambda value: reading.tick(value, measure, places))
    heads = [
        Head("Learner", sort="text"),
        Head([tag("span", "Plot of the splits", class_="hidden"), drawing(16, ticks)], "figure"),
        Head("Mean", "number", "number"),
        Head("Smallest to largest", "number"),
        Head("Splits", "number", "number"),
    ]
    partitions = reading.document["partitions"]
    groups = []
    for at in dict.fromkeys(entry["partition"] for entry in entries):
        partition = partitions[at]
        title = scheme_title(partition, [partition])
        heading = f"{partition['data']}, {title}" if len(reading.data_names) > 1 else title
        here = [entry for entry in entries if entry["partition"] == at]
        groups.append((heading, [_row(reading, measure, entry, axis) for entry in here]))
    what = reading.called(measure, several=True).capitalize()
    caption = f"{what}{reading.share(measure)} on the test records of each split"
    return table(caption, heads, groups, class_="plot", label=f"Splits by {measure}")


def _row(reading: Reading, measure: str, entry: JsonObject, axis: Any) -> Row:
    known = [value for value in values(entry["per_split"]) if value is not None]
    every = list(values(entry["per_split"]))
    ends = f"{reading.number(min(known), measure)} to {reading.number(max(known), measure)}"
    count = f"{len(every):,}" if len(every) == len(known) else f"{len(known):,} of {len(every):,}"
    cells = [
        Data(dots(axis, known, entry["mean"]), "figure"),
        Data(reading.number(entry["mean"], measure), "number", entry["mean"]),
        Data(ends, "number"),
        Data(count, "number", len(known)),
    ]
    return Row(bdi(entry["learner"]), cells)


def values(nested: Any) -> Iterator[Optional[float]]:
    """The splits in their order, however they are nested."""
    if isinstance(nested, list):
        for each in nested:
            yield from values(each)
    else:
        yield nested
