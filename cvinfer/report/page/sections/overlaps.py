"""How evenly an m×2 cross-validation shares its records, against a random one."""

from __future__ import annotations

import math
from functools import partial
from typing import Optional, Sequence

from cvinfer.analysis.words import NONE, scheme_title
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.overlaps import overlap_strip
from cvinfer.report.page.markup import Content, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.scale import Scale, decimals, scale
from cvinfer.report.page.sections import section


@section("overlaps", "Overlap of the training sets", of=("result",), place=80)
def overlaps(reading: Reading) -> Content:
    """Each partition on an axis of its own: their sizes differ."""
    rows = []
    for partition in reading.document["partitions"]:
        found = partition["overlaps"]
        matrix = found["matrix"] if found else []
        shared = [matrix[i][j] for i in range(len(matrix)) for j in range(i)]
        if not shared:
            continue
        title = scheme_title(partition, [partition])
        several = len(reading.data_names) > 1
        name = f"{partition['data']}, {title}" if several else title
        axis = _axis(found, shared)
        places = decimals(axis.ticks)
        ticks = numbers(axis, partial(_decimal, places))
        strip = overlap_strip(
            axis, shared, found["random_mean"], found["random_variance"], found["ideal"]
        )
        cells = [
            Data([strip, drawing(16, ticks)], "figure"),
            Data(f"{found['ideal']:,g}", "number"),
            Data(_number(found["worst"]), "number", found["worst"]),
            Data(_number(found["random_worst"]), "number", found["random_worst"]),
        ]
        rows.append(Row(name, cells))
    if not rows:
        return None
    heads = [
        Head("Partition", sort="text"),
        Head("Records that two training sets share", "figure"),
        Head("n/4", "number"),
        Head("Worst deviation", "number", "number"),
        Head("That of a random one", "number", "number"),
    ]
    words = (
        "Every two replications should share a quarter of the records: the closer to n/4, the less"
        " the variance of the mean difference depends on the draw of the partition."
    )
    keys = legend(
        ("dot-key", "a pair of replications; larger where several coincide"),
        ("margin-key", "where 95 % of random halves lie"),
    )
    caption = "Shared training records, and those of a random partition of the same size and seed"
    return [
        tag("p", words),
        table(caption, heads, [("", rows)], class_="plot", label="Overlaps"),
        keys,
    ]


def _decimal(places: int, value: float) -> str:
    return f"{value:,.{places}f}"


def _axis(found: JsonObject, shared: Sequence[float]) -> Scale:
    values = [*shared, found["ideal"]]
    if found["random_mean"] is not None and found["random_variance"] is not None:
        half = 2.2 * math.sqrt(found["random_variance"])
        values += [found["random_mean"] - half, found["random_mean"] + half]
    return scale(values, 5)


def _number(value: Optional[float]) -> str:
    return NONE if value is None else f"{value:,.4g}"
