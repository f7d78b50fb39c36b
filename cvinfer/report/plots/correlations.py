"""ρ₁ against ρ₂ of the variance components, with the line ρ₂ = (1 + ρ₁)/2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import Cells, Study, identity

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@plot("correlations", needs=Needs("quantity", names=("rho1", "rho2"), fields=("value",)))
def correlations(study: Study, cells: Cells) -> "list[Figure]":
    """A point for each grid point; colour and marker say whose it is."""
    pairs: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    named = _style.subject(cells)
    for cell in cells:
        group = named(cell)
        place = (identity(cell["at"]), str(cell.get("scheme")))
        pairs.setdefault(group, {}).setdefault(place, {})[cell["name"]] = cell
    groups = list(pairs)
    figures = []
    for page in _style.dealt(groups, len(_style.LOOKS))[: _style.MOST_FIGURES]:
        below = 0.16 * (len(page) // 2 + 1) + 0.1
        figure = _style.new_figure(2.5 + below)
        axes = figure.subplots()
        handles = []
        lows, highs = [0.0], [0.0]
        for number, group in enumerate(page):
            as_ = _style.look(number)
            whole = [each for each in pairs[group].values() if len(each) == 2]
            for each in whole:
                first, second = each["rho1"], each["rho2"]
                axes.errorbar(
                    first["value"],
                    second["value"],
                    xerr=first["se"] or 0,
                    yerr=second["se"] or 0,
                    fmt=as_.marker,
                    color=as_.colour,
                    elinewidth=0.6,
                    mew=0,
                    ms=4,
                )
                lows.append(first["value"])
                highs.append(first["value"])
            kept = {"color": as_.colour, "marker": as_.marker, "ls": "", "mew": 0}
            handles.append(_style.line_handle(_style.label(group, 26), **kept))
        ends = [min(lows) - 0.06, min(max(highs) + 0.06, 1.0)]
        axes.plot(ends, [(1 + x) / 2 for x in ends], color=_style.GREY, lw=0.8, ls=(0, (3, 2)))
        line = _style.line_handle("ρ₂ = (1 + ρ₁)/2", color=_style.GREY, lw=0.8, ls=(0, (3, 2)))
        axes.set_xlabel("ρ₁, two folds of one replication")
        axes.set_ylabel("ρ₂, folds of two replications")
        _style.few_ticks(axes.xaxis, 6)
        _style.few_ticks(axes.yaxis, 6)
        place_of = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.17)}
        axes.legend(handles=[*handles, line], ncol=2, **place_of)
        figures.append(figure)
    return figures
