"""The data sets: sizes, classes, hash, licence and citation where the source knows them."""

from __future__ import annotations

from typing import Any

from cvinfer.analysis import judge
from cvinfer.documents import JsonObject
from cvinfer.report.page.markup import Content, Element, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, facts, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section

#: Classes whose counts are shown; of more, the smallest and the largest.
MOST_CLASSES = 8


@section("data", "Data", of=("result",), place=100)
def data(reading: Reading) -> Content:
    found = reading.document["data"]
    heads = [
        Head("Data set", sort="text"),
        Head("n", "number", "number"),
        Head("Features", "number"),
        Head("Classes", "number", "number"),
        Head("Records of each class"),
    ]
    rows = [_row(each) for each in found]
    made = table("Data sets", heads, [("", rows)], label="Data sets")
    more = [
        tag("details", tag("summary", "Where ", bdi(each["name"]), " comes from"), _more(each))
        for each in found
    ]
    return [made, more]


def _row(entry: JsonObject) -> Row:
    features = entry["features"] or {}
    kinds = [f"{count:,} {kind}" for kind, count in sorted(features.items()) if count]
    cells = [
        Data(f"{entry['n']:,}", "number", entry["n"]),
        Data(", ".join(kinds) or "not at hand", "number"),
        Data(f"{len(entry['classes']):,}", "number", len(entry["classes"])),
        Data(_classes(entry)),
    ]
    return Row(bdi(entry["name"]), cells)


def _classes(entry: JsonObject) -> Content:
    counts = list(zip(entry["classes"], entry["class_counts"]))
    if len(counts) <= MOST_CLASSES:
        return [
            [", "] * (at > 0) + [bdi(name), f" {count:,}"]
            for at, (name, count) in enumerate(counts)
        ]
    ordered = sorted(counts, key=lambda each: int(each[1]))
    (least, few), (most, many) = ordered[0], ordered[-1]
    return [f"{few:,} (", bdi(least), f") to {many:,} (", bdi(most), ")"]


def _more(entry: JsonObject) -> Element:
    said: list[tuple[Content, Content]] = [("sha256 of the content", tag("code", entry["sha256"]))]
    said += [(key.capitalize(), bdi(each)) for key, each in judge.rights_of(entry).items()]
    said += [
        (bdi(key), tag("code", bdi(_value(value))))
        for key, value in sorted(entry["source"].items())
    ]
    said += [("Note", note) for note in judge.other_notes(entry)]
    return facts(said)


def _value(value: Any) -> str:
    import json

    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
