"""p-values of all tests beside that of the one that decides."""

from __future__ import annotations

from typing import Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.p_values import Mark, p_head, p_strip
from cvinfer.report.page.markup import Content, tag
from cvinfer.report.page.parts import Data, Head, Row, legend, table, versus
from cvinfer.report.page.reading import Reading, p_cell
from cvinfer.report.page.sections import section


@section("sensitivity", "How much hangs on the test", of=("result",), place=30)
def sensitivity(reading: Reading) -> Content:
    """Only where there are further tests."""
    made: list[Content] = []
    for measure in reading.measures:
        pairs = {pair: tests for pair, tests in reading.tests.items() if pair.measure == measure}
        if max((len(tests) for tests in pairs.values()), default=0) < 2:
            continue
        if len(reading.measures) > 1:
            made.append(tag("h3", f"By {reading.called(measure)} ({measure})"))
        made.append(_table(reading, measure))
    if not made:
        return None
    words = (
        "p-values as they are, not corrected for the number of comparisons. The further tests"
        " decide nothing: they show how much depends on the choice of the test."
    )
    keys = legend(
        ("primary-key", "test that decides"),
        ("other-key", "further test"),
        ("alpha-key", f"α = {reading.alpha:g}"),
    )
    return [tag("p", words), *made, keys]


def _table(reading: Reading, measure: str) -> Content:
    pairs = {pair: tests for pair, tests in reading.tests.items() if pair.measure == measure}
    names = list(dict.fromkeys(reading.test_name(e) for tests in pairs.values() for e in tests))
    plot = [tag("span", "Plot of the p-values", class_="hidden")]
    heads = [
        Head("A − B", sort="text"),
        Head([plot, p_head(f"α = {reading.alpha:g}", reading.alpha)], "figure"),
        *(Head(name, "number test", "number") for name in names),
    ]
    several = len(reading.data_names) > 1
    groups = []
    for data in dict.fromkeys(pair.data for pair in pairs):
        rows = []
        for pair, tests in pairs.items():
            if pair.data == data:
                by_name = {reading.test_name(each): each for each in tests}
                cells = [Data(_strip(reading, tests), "figure")]
                cells += [_cell(by_name.get(name)) for name in names]
                rows.append(Row(versus(pair.a, pair.b), cells))
        groups.append((data if several else "", rows))
    caption = "p-values of every test; in bold those below α"
    return table(caption, heads, groups, class_="plot", label=f"p-values by {measure}")


def _strip(reading: Reading, tests: Sequence[JsonObject]) -> Content:
    marks = [
        Mark(each["inference"]["p_value"], f"{reading.test_name(each)}: p {p_cell(each)}", at == 0)
        for at, each in enumerate(tests)
        if each["inference"] is not None and not each["inference"]["degenerate"]
    ]
    return p_strip(marks, reading.alpha)


def _cell(entry: Optional[JsonObject]) -> Data:
    if entry is None:
        return Data("", "number")
    inference = entry["inference"]
    if inference is None:
        return Data("failed", "number muted")
    text = p_cell(entry)
    said: Content = tag("strong", text) if inference["reject"] else text
    return Data(said, "number", inference["p_value"])
