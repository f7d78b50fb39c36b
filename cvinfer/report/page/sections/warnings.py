"""What a reader has to know, each once, with where it holds and what to do."""

from __future__ import annotations

from typing import Sequence

from cvinfer.analysis import judge
from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.parts import plural
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.warned import Warned, alike

#: Places that stand open.
MOST_PLACES = 6


@section("warnings", "Warnings and what to do", of=("result",), place=90)
def warnings(reading: Reading) -> Content:
    made: list[Content] = []
    found = alike(reading.document)
    if found:
        made.append(tag("ul", [_group(each) for each in found], class_="warnings"))
    notes = judge.data_notes(reading.document)
    if notes:
        made += [tag("h3", "Notes on the data"), tag("ul", [tag("li", note) for note in notes])]
    return made


def _group(group: Sequence[Warned]) -> Element:
    """One of them in full with what to do, and below it where they hold."""
    first = group[0]
    places = [place for each in group for place in each.places]
    if first.of_test:
        said: list[Content] = [tag("strong", "; ".join(places)), f": {first.text}"]
        return tag("li", said, _advice(REMEDY))
    if not places:
        return tag("li", first.text, _more([each.text for each in group[1:]]))
    begins = ", the first of them" if len(group) > 1 else ""
    count = tag("strong", plural(len(places), "comparison"))
    advice = judge.remedy(first.text)
    return tag(
        "li",
        [count, begins, f": {first.text}"],
        _advice(f"What to do: {advice}.") if advice else None,
        _more(places),
    )


def _advice(text: str) -> Element:
    return tag("p", text, class_="remedy")


def _more(lines: Sequence[str]) -> Content:
    """The places themselves; of many a click shows all."""
    if not lines:
        return None
    if len(lines) <= MOST_PLACES:
        return tag("p", "; ".join(lines), class_="muted")
    return tag("details", tag("summary", f"all {len(lines)}"), tag("p", "; ".join(lines)))


REMEDY = (
    "What to do: let a test decide that holds its level, such as bcv_5x2_mcnemar, or measure how"
    " often this one errs on data like yours with cvinfer calibrate."
)
