"""What every other kind of document shows: its sentences, its tables, its warnings."""

from __future__ import annotations

from cvinfer.report.kinds import kind_of
from cvinfer.report.page.markup import Content, tag
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.page.written import written

KINDS = ("study", "stability", "calibrate")


@section("findings", "Findings", of=KINDS, place=10)
def findings(reading: Reading) -> Content:
    first, *rest = kind_of(reading.document).opening(reading.document) or [""]
    return [tag("p", first, class_="lead"), tag("ul", [tag("li", each) for each in rest])]


@section("tables", "Tables", of=KINDS, place=500)
def tables(reading: Reading) -> Content:
    return [written(table) for table in kind_of(reading.document).tables(reading.document)]


@section("notes", "Warnings", of=KINDS, place=600)
def notes(reading: Reading) -> Content:
    return [
        tag("ul", [tag("li", line) for line in each.lines])
        for each in kind_of(reading.document).sections(reading.document)
    ]
