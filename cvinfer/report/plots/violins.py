"""Violins of the tests' statistics, from their histograms, with the critical values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import Cells, Point, Study, Who, who

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Share of the statistics that may lie beyond the axis at each end.
TAIL = 0.005


class Panel(NamedTuple):
    pair: Who
    point: Point


@plot("violins", needs=Needs("test", fields=("histogram",)))
def violins(study: Study, cells: Cells) -> "list[Figure]":
    """Statistics that have a sign and those that have none are on figures of their own."""
    kinds = {study.test_text(cell): False for cell in cells}
    for cell in cells:
        kinds[study.test_text(cell)] |= _has_sign(cell["histogram"])
    signed = [cell for cell in cells if kinds[study.test_text(cell)]]
    unsigned = [cell for cell in cells if not kinds[study.test_text(cell)]]
    return [figure for part in (signed, unsigned) if part for figure in _figures(study, part)]


def _has_sign(found: Any) -> bool:
    """Whether some statistics are negative."""
    below = (
        count
        for at, count in enumerate(found["counts"])
        if found["start"] + (at + 1) * found["width"] <= 0
    )
    return bool(found["below"]) or any(below)


def _figures(study: Study, cells: Cells) -> "list[Figure]":
    names = list(dict.fromkeys(study.test_text(cell) for cell in cells))
    panels = [
        Panel(pair, point)
        for point in study.points(cells)
        for pair in study.pairs
        if any(who(cell) == pair and cell["at"] == point for cell in cells)
    ]
    low, high = _limits(cells)

    def draw(axes: "Axes", panel: Panel) -> None:
        for cell in cells:
            if cell["at"] == panel.point and who(cell) == panel.pair:
                _violin(axes, cell, names.index(study.test_text(cell)))
        axes.set_xlim(low, high)

    def title(panel: Panel) -> str:
        pair = str(panel.pair) if len(study.pairs) > 1 else ""
        return _style.point_title(study, panel.point, pair)

    legend = [_style.line_handle("median", color=_style.BLACK, marker="o", ls="", ms=2.4)]
    if any(cell.get("critical") for cell in cells):
        legend.append(_style.line_handle("critical value", color=_style.VERMILLION, lw=1.2))
    labels = [_style.label(name) for name in names]
    return _style.row_figures(panels, labels, draw, title, "statistic", legend, least=0.24)


def _violin(axes: "Axes", cell: Any, row: int) -> None:
    found = cell["histogram"]
    counts, start, width = found["counts"], found["start"], found["width"]
    most = max(counts, default=0)
    if not most:
        return
    filled = [at for at, count in enumerate(counts) if count]
    shown = range(filled[0], filled[-1] + 1)
    xs = [start + shown[0] * width, *(start + (at + 0.5) * width for at in shown)]
    xs.append(start + (shown[-1] + 1) * width)
    half = [0.42 * counts[at] / most for at in (shown[0], *shown, shown[-1])]
    upper, lower = [row - each for each in half], [row + each for each in half]
    axes.fill_between(xs, lower, upper, color=_style.SKY, lw=0)
    axes.plot(_quantile(found, 0.5), row, "o", color=_style.BLACK, ms=2.0, zorder=4)
    for value in cell.get("critical") or ():
        axes.plot([value, value], [row - 0.42, row + 0.42], color=_style.VERMILLION, zorder=3)


def _quantile(found: Any, share: float) -> float:
    """Where that share of the statistics lies below; an end of the histogram if beyond it."""
    counts = found["counts"]
    wanted = share * (sum(counts) + found["below"] + found["above"])
    reached = float(found["below"])
    for at, count in enumerate(counts):
        if count and reached + count >= wanted:
            inside = max((wanted - reached) / count, 0.0)
            return float(found["start"] + (at + inside) * found["width"])
        reached += count
    return float(found["start"] + len(counts) * found["width"])


def _limits(cells: Sequence[Any]) -> tuple[float, float]:
    ends = [_quantile(cell["histogram"], share) for cell in cells for share in (TAIL, 1 - TAIL)]
    ends += [value for cell in cells for value in cell.get("critical") or ()]
    room = 0.04 * (max(ends) - min(ends)) or 1.0
    return min(ends) - room, max(ends) + room
