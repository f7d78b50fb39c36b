"""How plots look: one column of a two-column paper, 7 points, colours that everybody tells apart.

Whatever colour says, a marker, a line or a hatch says too.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Optional, Sequence, TypeVar

from cvinfer.analysis.words import MINUS
from cvinfer.foreign import cut
from cvinfer.report.studies.read import (
    Cells,
    Point,
    Study,
    identity,
    of_text,
    value_text,
    who,
)
from cvinfer.report.tables.layout import wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches: a column of a two-column paper, and what a page has in height.
WIDTH = 3.3
TALLEST = 8.4
#: Figures of one plot; a grid of hundreds of points is for study.csv.
MOST_FIGURES = 6
FONT = 7.0

#: Okabe and Ito's colours, without the yellow that white paper swallows.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#777777"
PALE = "#D9D9D9"


class Look(NamedTuple):
    """How one line or group of points is told from the others."""

    colour: str
    line: Any
    marker: str


LOOKS = (
    Look(BLUE, "-", "o"),
    Look(VERMILLION, (0, (5, 1.5)), "s"),
    Look(GREEN, (0, (1, 1)), "^"),
    Look(PURPLE, (0, (4, 1, 1, 1)), "D"),
    Look(ORANGE, (0, (7, 2)), "v"),
    Look(BLACK, (0, (3, 1, 1, 1, 1, 1)), "P"),
    Look(SKY, "-", "X"),
)

SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": FONT,
    "axes.labelsize": FONT,
    "axes.titlesize": FONT,
    "axes.titlepad": 3.0,
    "axes.labelpad": 2.0,
    "xtick.labelsize": FONT,
    "ytick.labelsize": FONT,
    "legend.fontsize": FONT,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.borderpad": 0.0,
    "legend.labelspacing": 0.35,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.2,
    "hatch.linewidth": 0.5,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.04,
    "figure.constrained_layout.w_pad": 0.03,
    "pdf.fonttype": 42,
    # Names are shown as they are written: a dollar sign begins no formula.
    "text.parse_math": False,
    "axes.unicode_minus": True,
}

Panel = TypeVar("Panel")


@contextlib.contextmanager
def style() -> Iterator[None]:
    """The settings above and matplotlib's own, whatever the user's are."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # A name in a script that the font lacks is shown as boxes; that is no news for anyone.
        warnings.filterwarnings("ignore", message="Glyph .* missing from current font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def new_figure(height: float, width: float = WIDTH) -> "Figure":
    """A figure of its own, without pyplot, which would keep it and look for a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def settle(figure: "Figure") -> None:
    """Find the places of the axes and keep them, rounded to what no eye can see.

    The solver that finds them ends a hair's breadth away from where it did before, and with it
    some of the digits in a file.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        return  # it was done
    figure.draw_without_rendering()
    places = {axes: axes.get_position().frozen() for axes in figure.axes}
    figure.set_layout_engine("none")
    for axes, place in places.items():
        axes.set_position([round(each, 4) for each in place.bounds])


def label(text: str, limit: int = 19, lines: int = 2) -> str:
    """A name on a few short lines; what is too long for them ends in dots."""
    flat = cut(" ".join(text.split()), limit * lines)
    pieces = wrap(flat, float(limit), lambda each: float(len(each)))
    while len(pieces) > lines:
        limit += 1
        pieces = wrap(flat, float(limit), lambda each: float(len(each)))
    broken = "\n".join(pieces)
    # matplotlib leaves names with an underscore in front out of its legends.
    return f" {broken}" if broken.startswith("_") else broken


def inches(text: str) -> float:
    """How wide a line of text is in the letters of a picture."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0.0, 0.0), text, size=FONT).get_extents().x1) / 72.0 if text else 0.0


def look(at: int) -> Look:
    return LOOKS[at % len(LOOKS)]


def dealt(things: Sequence[Panel], most: int) -> list[list[Panel]]:
    """Groups of nearly equal size, none larger than `most`."""
    groups = max(math.ceil(len(things) / most), 1)
    size, more = divmod(len(things), groups)
    made, start = [], 0
    for number in range(groups):
        end = start + size + (number < more)
        made.append(list(things[start:end]))
        start = end
    return made


def outer_points(study: Study, cells: Cells, without: Optional[str] = None) -> list[Point]:
    """Grid points of some cells, with one key left out where it has an axis of its own."""
    found: dict[str, Point] = {}
    for at in study.points(cells):
        rest = {key: value for key, value in at.items() if key != without}
        found.setdefault(identity(rest), rest)
    return list(found.values())


def at_point(cells: Cells, point: Point) -> Cells:
    """The cells that have the values of a point, whatever else they have."""
    wanted = {key: identity(value) for key, value in point.items()}
    return [
        cell
        for cell in cells
        if all(key in cell["at"] and identity(cell["at"][key]) == v for key, v in wanted.items())
    ]


def is_wide(values: Sequence[float]) -> bool:
    """Whether positive numbers span so much that their logarithms are shown."""
    return min(values) > 0 and max(values) / min(values) >= 20


def number_text(value: float) -> str:
    return f"{value:g}".replace("-", MINUS)


def value_axis(axes: "Axes", values: Sequence[float], title: str) -> None:
    """The x axis over the values of a grid key: a tick at each where there is room."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    if is_wide(values):
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    ticks = _apart(values, 7)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FixedFormatter([number_text(each) for each in ticks]))
    axes.set_xlabel(title)


def _apart(values: Sequence[float], most: int) -> list[float]:
    """Values that stand far enough from each other to carry their numbers."""
    wide = is_wide(values)

    def place(value: float) -> float:
        return math.log(value) if wide else value

    low, high = place(min(values)), place(max(values))
    kept: list[float] = []
    for value in sorted(values):
        if not kept or place(value) - place(kept[-1]) >= (high - low) / most:
            kept.append(value)
    return kept


def percent_axis(axis: Any) -> None:
    """Shares as per cent."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}".replace("-", MINUS)))


def whiskers(axes: "Axes", cell: Any, row: float, colour: str) -> None:
    """A Wilson interval beside a horizontal mark."""
    axes.plot(
        [cell["lower"], cell["upper"]], [row, row], color=colour, lw=0.9, solid_capstyle="butt"
    )


def row_height(labels: Sequence[str]) -> float:
    """Inches that one row takes; two lines of a name need more than one."""
    broken = sum("\n" in each for each in labels)
    return 0.155 if not broken else 0.215 if broken < len(labels) else 0.26


def point_title(study: Study, point: Point, *before: str) -> str:
    """A grid point above its panel; a text, such as a data set's name, speaks for itself."""
    said = (
        value_text(value) if isinstance(value, str) else study.point_text(point, [key])
        for key, value in point.items()
        if key in study.keys
    )
    return ", ".join(each for each in (*before, *said) if each)


def row_figures(
    panels: Sequence[Panel],
    labels: Sequence[str],
    draw: "Callable[[Axes, Panel], None]",
    title: Callable[[Panel], str],
    bottom: str,
    legend: Sequence[Any] = (),
    under: "Optional[Callable[[Panel], str]]" = None,
    least: float = 0.0,
) -> "list[Figure]":
    """Small multiples with the same named rows, two side by side, on as many pages as they need.

    `bottom` is what all of them have on their x axes, `under` what each has. `legend` holds handles
    with their labels, shown once below the panels. A row takes no less than `least` inches.
    """
    columns = min(2, len(panels))
    titles = [label(title(panel), 21 if columns == 2 else 50) for panel in panels]
    heading = 0.11 * max(len(each.splitlines()) for each in titles)
    inside = max(row_height(labels), least) * len(labels) + 0.22 + heading
    foot = 0.14 * math.ceil(len(legend) / 2) + 0.04
    below = foot + (0.15 if bottom else 0.0)
    tallest = TALLEST - below - 0.15 * (under is not None)
    most = max(int(tallest / inside), 1) * columns
    made = []
    for start in range(0, len(panels), most)[:MOST_FIGURES]:
        page = range(start, min(start + most, len(panels)))
        deep = math.ceil(len(page) / columns)
        height = inside * deep + below + 0.15 * (under is not None)
        figure = new_figure(height)
        figure.get_layout_engine().set(rect=(0, below / height, 1, 1 - below / height))
        grid = list(figure.subplots(deep, columns, squeeze=False).flat)
        for number, (at, axes) in enumerate(zip(page, grid)):
            draw(axes, panels[at])
            axes.set_ylim(len(labels) - 0.4, -0.6)
            axes.set_yticks(range(len(labels)))
            axes.set_yticklabels(labels if number % columns == 0 else [""] * len(labels))
            axes.tick_params(axis="y", length=0)
            axes.set_title(titles[at], loc="left")
            if under is not None and number + columns >= len(page):
                axes.set_xlabel(under(panels[at]))
        for axes in grid[len(page) :]:
            axes.axis("off")
        _below(figure, grid, bottom, foot / height, legend)
        made.append(figure)
    return made


def _below(
    figure: "Figure", panels: Sequence[Any], text: str, foot: float, handles: Sequence[Any]
) -> None:
    """What stands below all panels, in a strip of its own, so that it covers no data."""
    if handles:
        figure.legend(handles=list(handles), loc="lower center", ncol=2, borderaxespad=0.3)
    settle(figure)
    if text:
        places = [axes.get_position() for axes in panels]
        middle = (min(each.x0 for each in places) + max(each.x1 for each in places)) / 2
        figure.text(middle, foot, text, ha="center", va="bottom")


def few_ticks(axis: Any, most: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most))


def subject(cells: Cells) -> Callable[[Any], str]:
    """How quantities are told apart: learner, what of it, partition if they differ in it."""
    several = len({cell.get("scheme") for cell in cells}) > 1
    learners = len({who(cell) for cell in cells}) > 1 or not several

    def named(cell: Any) -> str:
        said = (
            str(who(cell)) if learners else "",
            of_text(cell),
            (cell.get("scheme") or "") if several else "",
        )
        return ", ".join(each for each in said if each) or "all"

    return named


def beside(axes: "Axes", handles: Sequence[Any]) -> None:
    """A legend to the right of the axes."""
    axes.legend(handles=list(handles), loc="upper left", bbox_to_anchor=(1.01, 1.04))


def line_handle(text: str, **drawn_as: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], label=text, **drawn_as)


def patch_handle(text: str, **drawn_as: Any) -> Any:
    from matplotlib.patches import Patch

    return Patch(label=text, **drawn_as)
