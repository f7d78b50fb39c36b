"""p-values of all tests on one axis, that of the one that decides told from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.page.figures.p_values import SMALLEST
from cvinfer.report.page.reading import Reading
from cvinfer.report.pictures import Paper, _rows, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Tests that have a marker of their own; those beyond share the last one.
MOST = len(_style.LOOKS)


@picture("pvalues", "p-values of all tests, not corrected, with alpha")
def pvalues(document: JsonObject, paper: Paper) -> "Figure":
    """A row for each comparison, a marker for each test."""
    reading = Reading(document)
    measure = _rows.measure_of(reading, paper)
    pairs = {pair: tests for pair, tests in reading.tests.items() if pair.measure == measure}
    if not pairs:
        raise UserError("this result has no p-values to draw: nothing was compared in it")
    names = list(dict.fromkeys(reading.test_name(e) for tests in pairs.values() for e in tests))
    looks = {name: _style.look(min(at, MOST - 1)) for at, name in enumerate(names)}

    def draw(axes: "Axes", row: float, entry: Any) -> None:
        for test in reversed(pairs[entry]):
            inference = test["inference"]
            if inference is None or inference["degenerate"]:
                continue
            as_ = looks[reading.test_name(test)]
            own = test["sentence"] is not None
            axes.plot(
                max(inference["p_value"], SMALLEST),
                row,
                as_.marker,
                mfc=as_.colour if own else "white",
                mec=as_.colour,
                ms=4.0 if own else 3.2,
                mew=0.8,
                zorder=4 if own else 3,
                clip_on=False,
            )

    def set_up(axes: "Axes") -> None:
        from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

        axes.set_xscale("log")
        axes.set_xlim(SMALLEST, 1.0)
        axes.xaxis.set_major_locator(FixedLocator([1e-4, 1e-3, 1e-2, 1e-1, 1.0]))
        axes.xaxis.set_major_formatter(FixedFormatter(["≤ 0.0001", "0.001", "0.01", "0.1", "1"]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.axvline(reading.alpha, color=_style.BLACK, lw=0.7, ls=(0, (2, 2)), zorder=1)

    handles = [
        _style.line_handle(
            _style.label(name, 26, 1),
            marker=looks[name].marker,
            ls="",
            mec=looks[name].colour,
            mfc=looks[name].colour if at == 0 else "white",
            ms=3.6,
            mew=0.8,
        )
        for at, name in enumerate(names[:MOST])
    ]
    if len(names) > MOST:
        handles[-1].set_label(f"{len(names) - MOST + 1} more tests")
    handles.append(
        _style.line_handle(f"α = {reading.alpha:g}", color=_style.BLACK, lw=0.7, ls=(0, (2, 2)))
    )
    text = _rows.pair_text(paper)
    lines = _rows.grouped(
        list(pairs), lambda pair: str(pair.data), lambda pair: text(pair._asdict())
    )
    return _rows.rows(lines, paper, _rows.Axis("p"), draw, handles, set_up)
