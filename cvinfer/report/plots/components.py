"""Variance components of an m×2 cross-validation as stacked bars, and what estimates their sum."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from cvinfer.report.plots import Needs, _style, plot
from cvinfer.report.studies.read import RAISED, Cells, Point, Study, identity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COMPONENTS = ("sigma1_sq", "sigma2_sq", "sigma3_sq")
LOOKS = (
    ("σ₁²", _style.BLUE, ""),
    ("σ₂²", _style.ORANGE, "////"),
    ("σ₃²", _style.SKY, "...."),
)
#: What is marked beside the bars, where the study has it: words, marker, how far below the middle.
MARKS = {
    "variance": ("over replications", "D", 0.0),
    "l": ("mean of L", "^", 0.22),
    "al": ("mean of AL", "v", -0.22),
}


class Panel(NamedTuple):
    point: Point


@plot("components", needs=Needs("quantity", names=COMPONENTS, fields=("value",)))
def components(study: Study, cells: Cells) -> "list[Figure]":
    """Var(μ̂) = σ₁²/2m + σ₂²/2m + (m − 1)σ₃²/m, its three parts on top of each other.

    Where the partition does not say what m is, the components themselves.
    """
    named = _style.subject(cells)
    subjects = list(dict.fromkeys(named(cell) for cell in cells))
    panels = [Panel(point) for point in study.points(cells)]
    found = {(identity(cell["at"]), named(cell), cell["name"]): cell for cell in study.quantities}
    sizes = {_replications(cell.get("scheme")) for cell in cells}
    shared = None not in sizes

    def part(panel: Panel, subject: str, name: str) -> float:
        cell = found.get((identity(panel.point), subject, name))
        if cell is None or cell["value"] is None:
            return 0.0
        m = _replications(cell.get("scheme")) if shared else None
        return float(cell["value"]) * _weight(name, m)

    bars = [
        [part(panel, subject, name) for name in COMPONENTS]
        for panel in panels
        for subject in subjects
    ]
    least = min(sum(size for size in bar if size < 0) for bar in bars)
    most = max(sum(size for size in bar if size > 0) for bar in bars)
    if shared:
        marked = (
            found.get((identity(p.point), each, m))
            for p in panels
            for each in subjects
            for m in MARKS
        )
        most = max([most, *(cell["value"] or 0.0 for cell in marked if cell is not None)])
    power = math.floor(math.log10(most)) if most > 0 else 0
    scale = 10.0**-power

    def draw(axes: "Axes", panel: Panel) -> None:
        for row, subject in enumerate(subjects):
            ends = {True: 0.0, False: 0.0}
            for name, (_, colour, hatch) in zip(COMPONENTS, LOOKS):
                size = part(panel, subject, name) * scale
                kept = {"color": colour, "hatch": hatch, "ec": "white", "lw": 0}
                axes.barh(row, size, 0.6, left=ends[size > 0], **kept)
                ends[size > 0] += size
            for name, (_, marker, off) in MARKS.items() if shared else ():
                cell = found.get((identity(panel.point), subject, name))
                if cell is not None and cell["value"] is not None:
                    at = cell["value"] * scale
                    kept = {"mfc": "white", "mec": _style.BLACK, "ls": "", "mew": 0.7, "ms": 3.4}
                    axes.plot(at, row + off, marker=marker, zorder=4, **kept)
        axes.spines["left"].set_visible(False)
        axes.axvline(0, color=_style.BLACK, lw=0.6)
        axes.set_xlim(1.15 * least * scale, 1.1 * most * scale or 1.0)
        _style.few_ticks(axes.xaxis, 4)

    legend: list[Any] = [
        _style.patch_handle(f"{text} {share}" if shared else text, fc=fill, hatch=hatch, ec="w")
        for (text, fill, hatch), share in zip(LOOKS, ("/ 2m", "/ 2m", "(m − 1) / m"))
    ]
    if shared:
        there = {cell["name"] for cell in study.quantities}
        legend += [
            _style.line_handle(text, marker=marker, mfc="w", mec=_style.BLACK, ls="", mew=0.7)
            for name, (text, marker, _) in MARKS.items()
            if name in there
        ]
    unit = f" in 10{str(power).translate(RAISED)}" if power else ""
    on = f", {cells[0]['scheme']}" if len({cell.get("scheme") for cell in cells}) == 1 else ""
    bottom = f"parts of Var(μ̂){unit}{on}" if shared else f"components{unit}{on}"
    labels = [_style.label(each, 18) for each in subjects]
    return _style.row_figures(
        panels, labels, draw, lambda panel: _style.point_title(study, panel.point), bottom, legend
    )


def _replications(scheme: Optional[str]) -> Optional[int]:
    """m of `blocked 5×2`."""
    found = re.search(r"(\d+)×2\b", scheme or "")
    return int(found[1]) if found else None


def _weight(name: str, m: Optional[int]) -> float:
    if m is None:
        return 1.0
    return (m - 1.0) / m if name == "sigma3_sq" else 1.0 / (2.0 * m)
