"""The losses of every learner on every split of the partitions that decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvinfer.analysis.words import is_rate
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections.splits import values
from cvinfer.report.pictures import Paper, _rows, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@picture("splits", "every learner on every split, on the partitions of the test that decides")
def splits(document: JsonObject, paper: Paper) -> "Figure":
    """A row for each learner, a dot for each split, a line for the mean."""
    reading = Reading(document)
    measure = _rows.measure_of(reading, paper)
    decisive = {
        tests[0]["partitions"][0]
        for pair, tests in reading.tests.items()
        if pair.measure == measure and tests[0]["partitions"]
    }
    entries = [
        each
        for each in reading.by(measure, "losses")
        if (not decisive or each["partition"] in decisive) and any(_known(each))
    ]
    if not entries:
        raise UserError("this result has no splits to draw: nothing was fitted or read for it")

    def draw(axes: "Axes", row: float, entry: Any) -> None:
        known = _known(entry)
        axes.plot(
            known, [row] * len(known), "o", color=_style.BLUE, ms=3.0, mew=0, alpha=0.5, zorder=2
        )
        if entry["mean"] is not None:
            ends = [row - 0.055, row + 0.055]
            axes.plot([entry["mean"]] * 2, ends, color=_style.VERMILLION, lw=1.5, zorder=3)

    legend = [
        _style.line_handle("a split", color=_style.BLUE, marker="o", ls="", ms=3.0, mew=0),
        _style.line_handle("mean", color=_style.VERMILLION, marker="|", ls="", mew=1.5, ms=6),
    ]
    unit = " in %" if is_rate(measure) else ""
    axis = _rows.Axis(f"{reading.called(measure)}{unit}", is_rate(measure))
    lines = _rows.grouped(
        entries, lambda each: str(each["data"]), lambda each: str(each["learner"])
    )
    return _rows.rows(lines, paper, axis, draw, legend)


def _known(entry: JsonObject) -> list[float]:
    return [value for value in values(entry["per_split"]) if value is not None]
