"""What a reader has to know, each once, with where it holds and what to do."""

from __future__ import annotations

from cvinfer.analysis import judge
from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.parts import plural
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.warned import Warned, warned

#: Places that are named before the others are counted.
MOST_PLACES = 6


@section("warnings", "Warnings and what to do", of=("result",), place=90)
def warnings(reading: Reading) -> Content:
    made: list[Content] = []
    found = warned(reading.document)
    if found:
        made.append(tag("ul", [_one(each) for each in found], class_="warnings"))
    notes = judge.data_notes(reading.document)
    if notes:
        made += [tag("h3", "Notes on the data"), tag("ul", [tag("li", note) for note in notes])]
    return made


def _one(each: Warned) -> Element:
    if not each.places:
        return tag("li", each.text)
    shown = "; ".join(each.places[:MOST_PLACES])
    if each.of_test:
        return tag("li", tag("strong", shown), f": {each.text}", tag("p", REMEDY, class_="remedy"))
    left = len(each.places) - MOST_PLACES
    more = f" and {plural(left, 'more place')}" if left > 0 else ""
    count = tag("strong", plural(len(each.places), "comparison"))
    return tag("li", count, f": {each.text}", tag("p", shown + more, class_="muted"))


REMEDY = (
    "What to do: let a test decide that holds its level, such as bcv_5x2_mcnemar, or measure how"
    " often this one errs on data like yours with cvinfer calibrate."
)
