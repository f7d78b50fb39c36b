"""Degrees of confidence of intervals beside their mean lengths, with the line of the level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cvinfer.analysis.words import percent
from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import Cells, Point, Study, who
from cvinfer.report.studies.words import too_seldom

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    point: Point
    lengths: bool


@plot("coverage", needs=Needs("interval", fields=("rate",)))
def coverage(study: Study, cells: Cells) -> "list[Figure]":
    """Two panels for each grid point."""
    names = list(dict.fromkeys(_name(study, cell) for cell in cells))
    panels = [Panel(point, lengths) for point in study.points(cells) for lengths in (False, True)]
    levels = sorted({1 - cell.get("alpha", 0.05) for cell in cells})
    least = min([cell["lower"] for cell in cells] + levels)
    longest = max([cell["length"] or 0.0 for cell in cells]) or 1.0

    def draw(axes: "Axes", panel: Panel) -> None:
        here = [
            (names.index(_name(study, cell)), cell) for cell in cells if cell["at"] == panel.point
        ]
        if panel.lengths:
            for row, cell in here:
                axes.barh(row, cell["length"] or 0.0, 0.5, color=_style.SKY)
            axes.set_xlim(0, longest * 1.05)
            _style.few_ticks(axes.xaxis, 3)
            return
        for level in levels:
            axes.axvline(level, color=_style.BLACK, lw=0.7, ls=(0, (2, 2)), zorder=0)
        for row, cell in here:
            marker, colour = ("X", _style.VERMILLION) if too_seldom(cell) else ("o", _style.BLUE)
            _style.whiskers(axes, cell, row, colour)
            axes.plot(cell["rate"], row, marker, color=colour, mew=0, ms=3.8)
        axes.set_xlim(max(least - 0.02, 0.0), 1.0)
        _style.few_ticks(axes.xaxis, 4)
        _style.percent_axis(axes.xaxis)

    def title(panel: Panel) -> str:
        return "" if panel.lengths else _style.point_title(study, panel.point)

    def under(panel: Panel) -> str:
        return "mean length" if panel.lengths else "covered in %"

    said = " and ".join(percent(level) for level in levels)
    legend: list[Any] = [
        _style.line_handle(f"1 − α = {said}", color=_style.BLACK, lw=0.7, ls=(0, (2, 2)))
    ]
    if any(too_seldom(cell) for cell in cells):
        marked = {"color": _style.VERMILLION, "marker": "X", "ls": "", "mew": 0}
        legend.append(_style.line_handle("below by more than chance", **marked))
    return _style.row_figures(panels, names, draw, title, "", legend, under)


def _name(study: Study, cell: Any) -> str:
    """Two lines: the interval, and what it is for."""
    of = ", ".join(each for each in (str(who(cell)), cell["averaging"] or "") if each)
    return f"{_style.label(study.test_text(cell), 27, 1)}\n{_style.label(of, 27, 1)}"
