"""Densities of F1 with the interval of the posterior and the other intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.page.figures.densities import span_of
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections.f1 import density_of
from cvinfer.report.pictures import Paper, _rows, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Half the height of a row in inches, and points of a curve.
HALF, POINTS = 0.07, 200


class Who(NamedTuple):
    data: str
    averaging: str
    learner: str


@picture("f1", "posterior densities of F1 with both kinds of intervals")
def f1(document: JsonObject, paper: Paper) -> "Figure":
    """A row for each learner: the density above, the intervals below it."""
    reading = Reading(document)
    found: dict[Who, list[JsonObject]] = {}
    for entry in document["intervals"]:
        if entry["measure"] == "F1" and entry["result"] is not None:
            who = Who(entry["data"], entry["averaging"] or "", entry["learner"])
            found.setdefault(who, []).append(entry)
    if not found:
        raise UserError("this result has no intervals of F1: add f1_beta_prime to its intervals")
    several = len(reading.data_names) > 1

    def heading(who: Who) -> str:
        return ", ".join(each for each in (who.data * several, who.averaging) if each)

    def draw(axes: "Axes", row: float, who: Any) -> None:
        entries = found[who]
        density = next((each for each in map(density_of, entries) if each), None)
        if density is not None:
            low, high = span_of([density])
            xs = [low + (high - low) * at / POINTS for at in range(POINTS + 1)]
            ys = [density(x) for x in xs]
            most = max(ys) or 1.0
            heights = [row + 0.02 - HALF * 1.3 * y / most for y in ys]
            axes.fill_between(xs, heights, row + 0.02, color=_style.SKY, lw=0, alpha=0.6)
        for at, entry in enumerate(entries[:3]):
            result = entry["result"]
            if result["lower"] is None or result["upper"] is None:
                continue
            own = result["kind"] == "credible"
            colour = _style.BLUE if own else _style.VERMILLION
            y = row + 0.032 + 0.018 * at
            axes.plot([result["lower"], result["upper"]], [y, y], color=colour, lw=1.2)

    legend = [
        _style.patch_handle("posterior density", fc=_style.SKY, ec="none", alpha=0.6),
        _style.line_handle("its interval", color=_style.BLUE, lw=1.2),
    ]
    if any(each["result"]["kind"] != "credible" for some in found.values() for each in some):
        legend.append(_style.line_handle("other intervals", color=_style.VERMILLION, lw=1.2))
    lines = _rows.grouped(list(found), heading, lambda who: str(who.learner))
    return _rows.rows(lines, paper, _rows.Axis("F1"), draw, legend)
