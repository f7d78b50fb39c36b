"""Learners × data sets: mean losses, and whom each learner beats or loses to.

Where all are compared with one, it is the grid of the other formats; where each is compared with
each, it says how many a learner beats.
"""

from __future__ import annotations

from typing import Optional

from cvinfer.analysis.words import is_higher_better
from cvinfer.report.page.markup import Content, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section
from cvinfer.report.page.written import written
from cvinfer.report.tables import grid_of_measure
from cvinfer.report.tables.grid import reference_of

WON, LOST = "▲", "▼"


@section("grid", "Learners and data sets", of=("result",), place=50)
def grid(reading: Reading) -> Content:
    made: list[Content] = []
    for measure in reading.measures:
        if not reading.by(measure, "verdicts"):
            continue
        if len(reading.measures) > 1:
            made.append(tag("h3", f"By {reading.called(measure)} ({measure})"))
        against_one = reference_of(reading.document, measure) is not None
        grid = grid_of_measure(reading.document, measure) if against_one else None
        made.append(_table(reading, measure) if grid is None else written(grid))
    return made


def _table(reading: Reading, measure: str) -> Content:
    verdicts = reading.by(measure, "verdicts")
    higher = is_higher_better(measure)
    compared = {name for each in verdicts for name in (each["a"], each["b"])}
    learners = [name for name in reading.learner_names if name in compared]
    heads = [Head("Data set", sort="text")]
    heads += [Head(bdi(name), "number", "number") for name in learners]
    means = _means(reading, measure)
    rows = []
    for data in reading.data_names:
        here = {name: means.get((data, name)) for name in learners}
        known = [value for value in here.values() if value is not None]
        best = (max if higher else min)(known, default=None)
        cells = [
            _cell(reading, measure, here[name], best, _marks(reading, measure, name, data))
            for name in learners
        ]
        rows.append(Row(bdi(data), cells))
    total = Row("won, open, lost", [_total(reading, measure, name) for name in learners])
    groups = [("", rows), ("", [total])] if len(rows) > 1 else [("", rows)]
    what = reading.called(measure, several=True)
    caption = (
        f"Mean {what}{reading.share(measure)} on the partition of the test that decides; in bold"
        f" the {'highest' if higher else 'lowest'} of a row. {WON}n: significantly better than n"
        f" other learners; {LOST}n: significantly worse than n."
    )
    return table(caption, heads, groups, class_="heat", label=f"Grid by {measure}")


def _means(reading: Reading, measure: str) -> dict[tuple[str, str], float]:
    """The mean losses that the test that decides found."""
    found: dict[tuple[str, str], float] = {}
    for pair, tests in reading.tests.items():
        inference = tests[0]["inference"]
        if pair.measure == measure and inference is not None:
            found.setdefault((pair.data, pair.a), inference["extra"]["loss_a"])
            found.setdefault((pair.data, pair.b), inference["extra"]["loss_b"])
    return found


def _marks(
    reading: Reading, measure: str, name: str, data: Optional[str] = None
) -> tuple[int, int, int]:
    """Comparisons that a learner won, that are open, and that it lost."""
    won = still = lost = 0
    for each in reading.by(measure, "verdicts"):
        if name not in (each["a"], each["b"]) or data not in (None, each["data"]):
            continue
        if each["verdict"] not in ("a_better", "b_better"):
            still += each["verdict"] != "no_result"
        elif (each["verdict"] == "a_better") == (name == each["a"]):
            won += 1
        else:
            lost += 1
    return won, still, lost


def _cell(
    reading: Reading,
    measure: str,
    value: Optional[float],
    best: Optional[float],
    marks: tuple[int, int, int],
) -> Data:
    won, _, lost = marks
    text = reading.number(value, measure)
    is_best = value is not None and value == best
    signs: list[Content] = []
    if won:
        signs.append(tag("span", f"{WON}{won}", class_="won"))
    if lost:
        signs.append(tag("span", f"{LOST}{lost}", class_="fell"))
    return Data(
        [tag("strong", text) if is_best else text, tag("span", signs, class_="marks")],
        "number best" if is_best else "number",
        value,
    )


def _total(reading: Reading, measure: str, name: str) -> Data:
    return Data("/".join(f"{count}" for count in _marks(reading, measure, name)), "number muted")
