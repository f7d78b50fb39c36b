"""Rejections and replicability of tests, a panel for each data set or other point of the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import Cells, Point, Study, identity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@plot("replicability", needs=Needs("quantity", names=("replicability",), fields=("value",)))
def replicability(study: Study, cells: Cells) -> "list[Figure]":
    """How often a test rejects, and how often two partitions of one data set agree on it."""
    tests: dict[tuple[str, str], list[Any]] = {}
    for cell in study.tests:
        tests.setdefault((identity(cell["at"]), cell["name"]), []).append(cell)
    texts = {cell["name"]: study.test_text(cell) for cell in study.tests}
    names = list(dict.fromkeys(str(cell.get("of")) for cell in cells))
    rate, agree = _style.look(0), _style.look(1)

    def draw(axes: "Axes", point: Point) -> None:
        for cell in _style.at_point(cells, point):
            row = names.index(str(cell.get("of")))
            error = 1.96 * (cell["se"] or 0.0)
            ends = [max(cell["value"] - error, 0.0), min(cell["value"] + error, 1.0)]
            axes.plot(ends, [row + 0.17] * 2, color=agree.colour, lw=0.9)
            axes.plot(cell["value"], row + 0.17, agree.marker, color=agree.colour, mew=0)
            for each in tests.get((identity(cell["at"]), names[row]), []):
                if each["rate"] is not None:
                    _style.whiskers(axes, each, row - 0.17, rate.colour)
                    axes.plot(each["rate"], row - 0.17, rate.marker, color=rate.colour, mew=0)
        for row in range(1, len(names)):
            axes.axhline(row - 0.5, color=_style.PALE, lw=0.4, zorder=0)
        axes.set_xlim(-0.03, 1.03)
        axes.set_xticks([0, 0.5, 1])
        _style.percent_axis(axes.xaxis)

    def title(point: Point) -> str:
        return _style.point_title(study, point)

    legend = [
        _style.line_handle("rejected", color=rate.colour, marker=rate.marker, lw=0.9, mew=0),
        _style.line_handle("replicability", color=agree.colour, marker=agree.marker, lw=0.9, mew=0),
    ]
    labels = [_style.label(texts.get(name, name)) for name in names]
    return _style.row_figures(study.points(cells), labels, draw, title, "share in %", legend)
