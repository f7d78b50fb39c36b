"""The primary test's differences with their intervals, and the margin."""

from __future__ import annotations

from typing import Optional

from cvinfer.analysis.words import margin_of
from cvinfer.documents import JsonObject
from cvinfer.report.page.figures.axis import drawing, numbers
from cvinfer.report.page.figures.forest import forest_row, forest_scale
from cvinfer.report.page.markup import Content, Element, tag
from cvinfer.report.page.parts import Data, Head, Row, badge, legend, table, versus
from cvinfer.report.page.reading import Reading, interval_text, level_text, p_cell
from cvinfer.report.page.scale import Scale, decimals
from cvinfer.report.page.sections import section


@section("differences", "Differences with intervals", of=("result",), place=20)
def forest(reading: Reading) -> Content:
    made: list[Content] = []
    for measure in reading.measures:
        entries = [e for e in reading.by(measure, "verdicts") if e["estimate"] is not None]
        if entries:
            if len(reading.measures) > 1:
                made.append(tag("h3", f"By {reading.called(measure)} ({measure})"))
            made += _plot(reading, measure, entries)
    return made


def _plot(reading: Reading, measure: str, entries: list[JsonObject]) -> list[Content]:
    margin = margin_of(reading.document, measure)
    wide = any(entry["interval_simultaneous"] for entry in entries)
    intervals = [e[key] for e in entries for key in ("interval", "interval_simultaneous")]
    axis = forest_scale([e["estimate"] for e in entries], intervals, margin)
    levels = list(dict.fromkeys(filter(None, (level_text(e) for e in entries if e["interval"]))))
    level = f" [{'/'.join(levels)}]" if levels else ""
    heads = [
        Head("A − B", sort="text"),
        Head(_head(axis, reading, measure), "figure"),
        Head(f"Difference{level}", "number", "number"),
        Head("p", "number", "number"),
        Head("Verdict", "", "text"),
    ]
    groups = []
    several = len(reading.data_names) > 1
    for data in dict.fromkeys(entry["data"] for entry in entries):
        rows = [_row(e, axis, reading, measure, margin) for e in entries if e["data"] == data]
        groups.append((data if several else "", rows))
    caption = (
        f"{_capital(reading.called(measure))} of A minus that of B{reading.unit(measure)}, by the"
        " test that decides. A point left of 0 speaks for A, one to the right for B."
    )
    keys = [("point-key", "difference")]
    if levels:
        keys.append(("whisker-key", f"interval of level {'/'.join(levels)}"))
    if wide:
        keys.append(("thin-key", "simultaneous interval (Bonferroni)"))
    if margin:
        unit = f"{reading.number(margin, measure)}{' points' if reading.unit(measure) else ''}"
        keys.append(("margin-key", f"margin of ±{unit} that counts as no difference"))
    label = f"Differences by {reading.called(measure)}"
    return [table(caption, heads, groups, class_="plot", label=label), legend(*keys)]


def _head(axis: Scale, reading: Reading, measure: str) -> list[Element]:
    places = decimals(axis.ticks)
    labels = [
        tag(
            "text", "◂ A better", x=axis.at(0.0), dx=-8, y=11, class_="tick side", text_anchor="end"
        ),
        tag(
            "text",
            "B better ▸",
            x=axis.at(0.0),
            dx=8,
            y=11,
            class_="tick side",
            text_anchor="start",
        ),
    ]
    ticks = numbers(axis, lambda value: reading.tick(value, measure, places), y=27)
    return [tag("span", "Plot of the differences", class_="hidden"), drawing(32, labels, ticks)]


def _row(
    entry: JsonObject, axis: Scale, reading: Reading, measure: str, margin: Optional[float]
) -> Row:
    ends = interval_text(entry["interval"], reading, measure)
    primary = reading.primary(entry)
    said = reading.number(entry["estimate"], measure)
    cells = [
        Data(
            forest_row(
                axis, entry["estimate"], entry["interval"], entry["interval_simultaneous"], margin
            ),
            "figure",
        ),
        Data(
            [said, tag("span", f" [{ends}]", class_="ends") if ends else None],
            "number",
            entry["estimate"],
        ),
        Data(p_cell(primary, corrected=True), "number", entry["p_corrected"]),
        Data(badge(entry["verdict"])),
    ]
    return Row(versus(entry["a"], entry["b"]), cells)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
