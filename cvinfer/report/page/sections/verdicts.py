"""What was found, in words: a verdict for each comparison."""

from __future__ import annotations

from cvinfer.analysis.words import count_text, listed
from cvinfer.documents import JsonObject
from cvinfer.report.headlines import setting, told
from cvinfer.report.page.markup import Content, Element, bdi, tag
from cvinfer.report.page.parts import badge, plural
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.warned import one_name

#: Verdicts whose whole sentences stand open; of more, a click shows them.
OPEN = 12


@section("verdicts", "Verdicts", of=("result",), place=10)
def verdicts(reading: Reading) -> Content:
    """The data sets together, then each; the headline first, the sentence with all facts below."""
    found = reading.document["verdicts"]
    made: list[Content] = [_setting(reading)]
    if not found:
        return [*made, tag("p", "Nothing was compared; the intervals are below.")]
    made.append(_tally(reading))
    made += [
        tag("p", each["sentence"], " ", tag("a", "The ranks.", href="#across"))
        for each in reading.document.get("across") or []
    ]
    folded = len(found) > OPEN
    for measure in reading.measures:
        entries = reading.by(measure, "verdicts")
        if len(reading.measures) > 1:
            made.append(tag("h3", f"By {reading.called(measure)} ({measure})"))
        for data in dict.fromkeys(entry["data"] for entry in entries):
            if len(reading.data_names) > 1:
                made.append(tag("h4" if len(reading.measures) > 1 else "h3", bdi(data)))
            here = [_verdict(each, reading, folded) for each in entries if each["data"] == data]
            made.append(tag("ul", here, class_="verdicts"))
    return made


def _setting(reading: Reading) -> Element:
    document = reading.document
    said = [
        plural(len(document["learners"]), "learner"),
        plural(len(document["data"]), "data set"),
        plural(len(document["verdicts"]), "comparison"),
    ]
    return tag("p", " ".join((f"{listed(said)}.", *setting(document))), class_="lead")


def _tally(reading: Reading) -> Element:
    """How many comparisons came out how, and where the warnings are."""
    counts: dict[str, int] = {}
    for each in reading.document["verdicts"]:
        name = "a_better" if each["verdict"] == "b_better" else each["verdict"]
        counts[name] = counts.get(name, 0) + 1
    items: list[Content] = [
        tag("li", tag("strong", f"{count:,}"), " ", badge(name)) for name, count in counts.items()
    ]
    warned = len(reading.document["warnings"])
    if warned:
        items.append(tag("li", tag("a", count_text(warned, "warning"), href="#warnings")))
    if reading.document["failures"]:
        failed = count_text(len(reading.document["failures"]), "failed fit")
        items.append(tag("li", tag("a", failed, href="#fitted")))
    return tag("ul", items, class_="tally")


def _verdict(verdict: JsonObject, reading: Reading, folded: bool) -> Element:
    sentence = tag("p", one_name(verdict["sentence"], reading.document), class_="sentence")
    headline: list[Content] = [badge(verdict["verdict"]), " ", _headline(verdict, reading)]
    return tag(
        "li",
        (
            tag("details", tag("summary", headline), sentence)
            if folded
            else [tag("p", headline, class_="headline"), sentence]
        ),
        data_row=verdict["data"],
        class_=f"verdict {verdict['verdict'].replace('_', '-')}",
    )


def _headline(verdict: JsonObject, reading: Reading) -> Content:
    """The line that the other formats begin with."""
    said = told(verdict, reading.primary(verdict), reading.document)
    first, second = bdi(said.first), bdi(said.second)
    if said.won:
        return [tag("strong", first), said.between, second, said.after]
    return [tag("strong", first, said.between, second), said.after]
