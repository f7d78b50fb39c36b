"""Power curves: rejection rates over a key of the grid, with the line of alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from cvinfer.analysis.words import percent
from cvinfer.report.plots import Needs, _style, number_keys, plot
from cvinfer.report.studies.read import Cells, Point, Study, Who, who

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Curves that a reader can tell apart in one panel.
MOST_CURVES = 5
HEIGHT = 1.45


class Panel(NamedTuple):
    pair: Who
    point: Point
    tests: list[str]


@plot("power", needs=Needs("test", fields=("rate",), numbers=True))
def power(study: Study, cells: Cells) -> "list[Figure]":
    """A panel for each pair, each value of the other keys and every five tests."""
    key = number_keys(study, cells)[0]
    names = list(dict.fromkeys(study.test_text(cell) for cell in cells))
    panels = [
        Panel(pair, point, group)
        for pair in study.pairs
        for point in _style.outer_points(study, cells, without=key)
        for group in _style.dealt(names, MOST_CURVES)
    ]
    values = [float(each) for each in study.values(key, cells)]
    made = []
    for page in _style.dealt(panels, int(_style.TALLEST / HEIGHT))[: _style.MOST_FIGURES]:
        figure = _style.new_figure(0.3 + HEIGHT * len(page))
        grid: Any = figure.subplots(len(page), 1, squeeze=False)
        for number, (axes, panel) in enumerate(zip(grid[:, 0], page)):
            _draw(study, axes, panel, cells, key)
            _style.value_axis(axes, values, study.short(key) if number == len(page) - 1 else "")
            axes.set_ylabel("rejected in %")
            told = [f"{panel.pair}"] * (len(study.pairs) > 1) + [study.point_text(panel.point)]
            axes.set_title(_style.label(", ".join(each for each in told if each), 45), loc="left")
        made.append(figure)
    return made


def _draw(study: Study, axes: "Axes", panel: Panel, cells: Cells, key: str) -> None:
    here = [cell for cell in _style.at_point(cells, panel.point) if who(cell) == panel.pair]
    curves: dict[str, list[Any]] = {}
    for cell in sorted(here, key=lambda cell: float(cell["at"][key])):
        curves.setdefault(study.test_text(cell), []).append(cell)
    for name, curve in curves.items():
        if name not in panel.tests:
            xs, ys = _line(curve, key)
            axes.plot(xs, ys, color=_style.PALE, lw=0.7, zorder=1)
    handles = []
    shown = [name for name in panel.tests if name in curves]
    looks = {name: _style.look(panel.tests.index(name)) for name in shown}
    # Names in the order in which their curves end, from above.
    for name in sorted(shown, key=lambda name: -float(curves[name][-1]["rate"])):
        as_ = looks[name]
        xs, ys = _line(curves[name], key)
        axes.plot(xs, ys, color=as_.colour, ls=as_.line, marker=as_.marker, zorder=3, mew=0)
        lower, upper = ([cell[end] for cell in curves[name]] for end in ("lower", "upper"))
        axes.vlines(xs, lower, upper, color=as_.colour, lw=0.7, zorder=2)
        text = _style.label(name)
        kept = {"color": as_.colour, "ls": as_.line, "marker": as_.marker, "mew": 0}
        handles.append(_style.line_handle(text, **kept))
    for alpha in sorted({cell["alpha"] for cell in here}):
        axes.axhline(alpha, color=_style.GREY, lw=0.7, ls=(0, (2, 2)), zorder=0)
        said = f"α = {percent(alpha)}"
        handles.append(_style.line_handle(said, color=_style.GREY, lw=0.7, ls=(0, (2, 2))))
    highest = max(cell["upper"] for cell in cells)
    if highest > 0.5:
        axes.set_ylim(-0.02, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    else:
        axes.set_ylim(-0.02 * highest, 1.05 * max(highest, 0.1))
    _style.percent_axis(axes.yaxis)
    _style.beside(axes, handles)


def _line(curve: "list[Any]", key: str) -> "tuple[list[float], list[float]]":
    return [cell["at"][key] for cell in curve], [cell["rate"] for cell in curve]
