"""Type I errors as bars with Wilson intervals, those beyond alpha by more than chance marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cvinfer.analysis.words import listed, percent
from cvinfer.report.plots import Needs, _style, number_keys, plot
from cvinfer.report.studies.read import Cells, Point, Study, Who, who
from cvinfer.report.studies.words import too_often

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    pair: Who
    point: Point


@plot("type-one", needs=Needs("test", fields=("rate",)))
def type_one(study: Study, cells: Cells) -> "list[Figure]":
    """Where H0 is true; where nobody knows that, rejections as such, unless `power` has them."""
    true = [cell for cell in cells if study.null_holds(cell)]
    unknown = all(study.null_holds(cell) is None for cell in cells)
    if not true and (not unknown or number_keys(study, cells)):
        return []
    shown = true or cells
    names = list(dict.fromkeys(study.test_text(cell) for cell in shown))
    panels = [
        Panel(pair, point)
        for point in study.points(shown)
        for pair in study.pairs
        if any(who(cell) == pair and cell["at"] == point for cell in shown)
    ]
    alphas = sorted({cell["alpha"] for cell in shown})
    most = max([cell["upper"] for cell in shown] + [2 * alpha for alpha in alphas])

    def draw(axes: "Axes", panel: Panel) -> None:
        for alpha in alphas:
            axes.axvline(alpha, color=_style.BLACK, lw=0.7, ls=(0, (2, 2)), zorder=3)
        for cell in shown:
            if cell["at"] == panel.point and who(cell) == panel.pair:
                row = names.index(study.test_text(cell))
                bad = too_often(study, cell)
                fill, hatch = (_style.ORANGE, "////") if bad else (_style.SKY, "")
                axes.barh(row, cell["rate"], 0.62, color=fill, hatch=hatch, ec="white", lw=0)
                _style.whiskers(axes, cell, row, _style.BLACK)
        axes.set_xlim(0, most * 1.03)
        _style.few_ticks(axes.xaxis, 5)
        _style.percent_axis(axes.xaxis)

    def title(panel: Panel) -> str:
        pair = str(panel.pair) if len(study.pairs) > 1 else ""
        return _style.point_title(study, panel.point, pair)

    legend = [
        _style.line_handle(
            f"α = {listed([percent(alpha) for alpha in alphas])}",
            color=_style.BLACK,
            lw=0.7,
            ls=(0, (2, 2)),
        )
    ]
    if any(too_often(study, cell) for cell in shown):
        legend.append(
            _style.patch_handle(
                "beyond α by more than chance", fc=_style.ORANGE, hatch="////", ec="w"
            )
        )
    said = "type I error in %" if true else "rejected in %"
    labels = [_style.label(name) for name in names]
    return _style.row_figures(panels, labels, draw, title, said, legend)
