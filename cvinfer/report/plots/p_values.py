"""The p-values of many partitions of the same records, a row of marks for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cvinfer.analysis.words import listed, percent
from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import Cells, Point, Study, Who, who

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Smaller p-values are shown at the end of the axis.
LEAST = 1e-4


class Panel(NamedTuple):
    pair: Who
    point: Point


@plot("p-values", needs=Needs("p-values", fields=("p_values",)))
def p_values(study: Study, cells: Cells) -> "list[Figure]":
    """Each partition's p-value as a mark, median and quartiles as a line below, and alpha."""
    import numpy as np

    options: dict[str, set[str]] = {}
    for cell in cells:
        options.setdefault(cell["name"], set()).add(str(cell["options"]))
    names = list(dict.fromkeys(_named(cell, options) for cell in cells))
    panels = list(dict.fromkeys((who(cell), cell["at"]["data"]) for cell in cells))
    shown = [Panel(pair, {"data": data}) for pair, data in panels]
    alphas = sorted({cell["alpha"] for cell in cells})
    mark = _style.look(0)

    def draw(axes: "Axes", panel: Panel) -> None:
        for alpha in alphas:
            axes.axvline(alpha, color=_style.BLACK, lw=0.7, ls=(0, (2, 2)), zorder=3)
        for cell in cells:
            if cell["at"] != panel.point or who(cell) != panel.pair:
                continue
            row = names.index(_named(cell, options))
            known = np.array([p for p in cell["p_values"] if p is not None])
            known = np.maximum(known, LEAST)
            axes.plot(known, np.full(len(known), row - 0.08), "|", color=mark.colour, ms=5, mew=0.5)
            low, middle, high = np.percentile(known, [25, 50, 75])
            axes.plot([low, high], [row + 0.3] * 2, color=_style.VERMILLION, lw=1.0)
            axes.plot(middle, row + 0.3, "s", color=_style.VERMILLION, ms=2.6, mew=0)
        axes.set_xscale("log")
        axes.set_xlim(LEAST / 1.4, 1.4)
        axes.set_xticks([1e-4, 1e-2, 1])
        axes.set_xticklabels(["≤ 10⁻⁴", "0.01", "1"])
        axes.minorticks_off()

    def title(panel: Panel) -> str:
        pair = str(panel.pair) if len({one.pair for one in shown}) > 1 else ""
        return _style.point_title(study, panel.point, pair)

    dashes: Any = (0, (2, 2))
    alpha = f"α = {listed([percent(each) for each in alphas])}"
    legend = [
        _style.line_handle(alpha, color=_style.BLACK, lw=0.7, ls=dashes),
        _style.line_handle(
            "median, quartiles", color=_style.VERMILLION, marker="s", lw=1.0, ms=2.6, mew=0
        ),
    ]
    labels = [_style.label(name) for name in names]
    return _style.row_figures(shown, labels, draw, title, "p of each partition", legend)


def _named(cell: Any, options: dict[str, set[str]]) -> str:
    from cvinfer.analysis.words import settings
    from cvinfer.analysis.words import title as words

    name = words(cell["name"])
    twice = len(options[cell["name"]]) > 1 and cell["options"]
    return f"{name} ({settings(cell['options'])})" if twice else name
