"""Records that training sets of an m×2 share, as deviations from n/4, against random halves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cvinfer.analysis.words import scheme_title
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.pictures import Paper, _rows, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@picture("overlap", "how evenly the training sets of an m×2 overlap, against random ones")
def overlap(document: JsonObject, paper: Paper) -> "Figure":
    """A row for each partition; deviations in per cent of n/4, so that sizes compare."""
    entries = [each for each in document["partitions"] if _shared(each)]
    if not entries:
        raise UserError("this result has no m×2 cross-validation, whose overlaps could be drawn")

    def draw(axes: "Axes", row: float, entry: Any) -> None:
        found, shared = entry["overlaps"], _shared(entry)
        ideal = found["ideal"]
        if found["random_variance"] is not None:
            half = 2.0 * math.sqrt(found["random_variance"]) / ideal
            middle = found["random_mean"] / ideal - 1.0
            ends = [middle - half, middle + half]
            axes.plot(ends, [row, row], color=_style.PALE, lw=6, solid_capstyle="butt", zorder=1)
        for value in sorted(set(shared)):
            count = sum(each == value for each in shared)
            size = min(3.0 * math.sqrt(count), 7.5)
            axes.plot(value / ideal - 1.0, row, "o", color=_style.BLUE, ms=size, mew=0, alpha=0.7)

    def set_up(axes: "Axes") -> None:
        axes.axvline(0.0, color=_style.BLACK, lw=0.6, zorder=0)

    legend = [
        _style.line_handle("pair of training sets", color=_style.BLUE, marker="o", ls="", ms=3.4),
        _style.line_handle("95 % of random halves", color=_style.PALE, lw=6),
    ]
    axis = _rows.Axis("shared records: deviation from n/4 in %", True)
    lines = _rows.grouped(
        entries, lambda each: str(each["data"]), lambda each: scheme_title(each, [each])
    )
    return _rows.rows(lines, paper, axis, draw, legend, set_up)


def _shared(partition: JsonObject) -> list[float]:
    found = partition["overlaps"]
    matrix = found["matrix"] if found else []
    return [matrix[i][j] for i in range(len(matrix)) for j in range(i)]
