"""Differences of the test that decides with their intervals, and the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvinfer.analysis.words import margin_of
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.page.figures.forest import forest_scale
from cvinfer.report.page.reading import Reading, level_text
from cvinfer.report.pictures import Paper, _rows, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@picture("forest", "differences of the test that decides, with intervals and margin")
def forest(document: JsonObject, paper: Paper) -> "Figure":
    """A row for each comparison; filled where a difference was found."""
    reading = Reading(document)
    measure = _rows.measure_of(reading, paper)
    entries = [e for e in reading.by(measure, "verdicts") if e["estimate"] is not None]
    if not entries:
        raise UserError("this result has no differences to draw: nothing was compared in it")
    margin = margin_of(document, measure)
    intervals = [each["interval"] for each in entries]
    axis = forest_scale([each["estimate"] for each in entries], intervals, margin)

    def set_up(axes: "Axes") -> None:
        axes.axvline(0.0, color=_style.BLACK, lw=0.7, zorder=1)
        if margin:
            axes.axvspan(-margin, margin, color=_style.PALE, lw=0, zorder=0)
        axes.set_xlim(axis.low, axis.high)

    def draw(axes: "Axes", row: float, entry: Any) -> None:
        ends = entry["interval"]
        if ends is not None:
            axes.plot(ends, [row, row], color=_style.BLUE, lw=1.1, zorder=2, clip_on=True)
            # An arrow says that it goes on.
            for end, edge, mark in ((ends[0], axis.low, "<"), (ends[1], axis.high, ">")):
                if not axis.low <= end <= axis.high:
                    axes.plot(edge, row, mark, color=_style.BLUE, ms=3.0, clip_on=False)
        found = entry["verdict"] in ("a_better", "b_better")
        fill = _style.BLUE if found else "white"
        axes.plot(entry["estimate"], row, "o", mfc=fill, mec=_style.BLUE, ms=3.6, mew=0.9, zorder=3)

    lines = _rows.grouped(entries, lambda each: str(each["data"]), _rows.pair_text(paper))
    return _rows.rows(
        lines,
        paper,
        _rows.difference_axis(reading, measure),
        draw,
        _legend(entries, margin),
        set_up,
    )


def _legend(entries: "list[JsonObject]", margin: "float | None") -> list[Any]:
    kept = {"color": _style.BLUE, "marker": "o", "ls": "", "mec": _style.BLUE, "ms": 3.6}
    made = [
        _style.line_handle("difference found", **kept),
        _style.line_handle("none found", **kept, mfc="white"),
    ]
    levels = list(dict.fromkeys(level_text(each) for each in entries if each["interval"]))
    if levels:
        made.append(_style.line_handle(f"interval, {'/'.join(levels)}", color=_style.BLUE, lw=1.1))
    if margin:
        made.append(_style.patch_handle("margin", fc=_style.PALE, ec="none"))
    return made
