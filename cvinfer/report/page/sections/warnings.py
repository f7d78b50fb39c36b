"""What a reader has to know, each once, with where it holds and what to do."""

from __future__ import annotations

from cvinfer.analysis import judge
from cvinfer.documents import JsonObject
from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.parts import plural
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section

#: Places that are named before the others are counted.
MOST_PLACES = 6


@section("warnings", "Warnings and what to do", of=("result",), place=90)
def warnings(reading: Reading) -> Content:
    document = reading.document
    grouped: dict[str, list[str]] = {}
    told = set()
    for entry in document["comparisons"]:
        for text in entry["warnings"]:
            pair = f"{entry['a']} against {entry['b']}, {entry['test']}"
            own = text == entry["caution"]
            grouped.setdefault(text, []).append(
                entry["test"] if own else f"{entry['data']}, {pair}"
            )
            told.add(f"{entry['test'] if own else entry['data'] + ', ' + pair}: {text}")
    for entry in document["intervals"]:
        if entry["caution"]:
            grouped.setdefault(entry["caution"], []).append(entry["interval"])
            told.add(f"{entry['interval']}: {entry['caution']}")
    made: list[Content] = []
    cautions = _cautions(document)
    items = [
        _group(text, list(dict.fromkeys(places)), text in cautions)
        for text, places in grouped.items()
    ]
    others = [tag("li", text) for text in document["warnings"] if text not in told]
    if items or others:
        made.append(tag("ul", items, others, class_="warnings"))
    notes = judge.data_notes(document)
    if notes:
        made += [tag("h3", "Notes on the data"), tag("ul", [tag("li", note) for note in notes])]
    return made


def _cautions(document: JsonObject) -> set[str]:
    entries = (*document["comparisons"], *document["intervals"])
    return {entry["caution"] for entry in entries if entry["caution"]}


def _group(text: str, places: list[str], caution: bool) -> Element:
    shown = places[:MOST_PLACES]
    more = (
        f" and {plural(len(places) - len(shown), 'more place')}" if len(places) > len(shown) else ""
    )
    return tag(
        "li",
        tag("strong", "; ".join(shown) if caution else plural(len(places), "comparison")),
        f": {text}",
        None if caution else tag("p", "; ".join(shown) + more, class_="muted"),
        tag("p", _remedy(caution), class_="remedy") if caution else None,
    )


def _remedy(caution: bool) -> str:
    return (
        "What to do: let a test decide that holds its level, such as bcv_5x2_mcnemar, or measure"
        " how often this one errs on data like yours with cvinfer calibrate."
    )
