"""Pictures that have a named row for each comparison or learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Sequence

from cvinfer.analysis.words import is_rate
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError, listed
from cvinfer.report.page.reading import Reading
from cvinfer.report.pictures import Paper
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches of a row, of a heading between rows, of the axis, and of a row of the legend.
ROW, HEADING, FOOT, LEGEND = 0.165, 0.19, 0.38, 0.14


class Line(NamedTuple):
    """A row with what is drawn in it, or a heading where there is nothing."""

    text: str
    entry: Any = None


class Axis(NamedTuple):
    """What an axis measures, and the numbers of a rate in per cent."""

    title: str
    percent: bool = False


def measure_of(reading: Reading, paper: Paper) -> str:
    """The measure that is asked for; the first without."""
    if paper.measure is None:
        return reading.measures[0]
    if paper.measure not in reading.measures:
        allowed = listed(reading.measures)
        raise UserError(f"there is no measure {paper.measure!r} in this result", allowed=allowed)
    return paper.measure


def grouped(
    entries: Sequence[Any], name: Callable[[Any], str], text: Callable[[Any], str]
) -> list[Line]:
    """Rows below the headings of their groups; one group needs no heading."""
    names = list(dict.fromkeys(name(each) for each in entries))
    made: list[Line] = []
    for heading in names:
        if len(names) > 1:
            made.append(Line(heading))
        made += [Line(text(each), each) for each in entries if name(each) == heading]
    return made


def rows(
    lines: Sequence[Line],
    paper: Paper,
    axis: Axis,
    draw: "Callable[[Axes, float, Any], None]",
    legend: Sequence[Any] = (),
    set_up: "Optional[Callable[[Axes], None]]" = None,
) -> "Figure":
    """As many rows as a page holds; what is left out is said below."""
    wide = paper.width > 5
    longest = _longest(paper)
    columns = 4 if wide else 2
    below = FOOT + LEGEND * -(-len(legend) // columns)
    shown = _that_fit(lines, below)
    heights = [HEADING if line.entry is None else ROW for line in shown]
    left = sum(line.entry is not None for line in lines[len(shown) :])
    height = sum(heights) + below + 0.06 + 0.15 * bool(left)
    figure = _style.new_figure(height, paper.width)
    figure.set_layout_engine("none")
    labels = [_style.label(line.text, longest, 1) for line in shown]
    widest = max(
        (len(each) for each, line in zip(labels, shown) if line.entry is not None), default=0
    )
    start = min(0.1 + 0.062 * widest, 0.46 * paper.width)
    axes: Axes = figure.add_axes(
        (
            start / paper.width,
            1.0 - (sum(heights) + 0.04) / height,
            1.0 - (start + 0.1) / paper.width,
            sum(heights) / height,
        )
    )
    places, top = [], 0.0
    for line, size in zip(shown, heights):
        places.append(top + size / 2)
        top += size
    for line, text, place in zip(shown, labels, places):
        if line.entry is None:
            axes.annotate(
                text,
                (0.04 - start, place + 0.01),
                xycoords=_inches(figure, axes),
                va="center",
                fontweight="bold",
                annotation_clip=False,
            )
        else:
            draw(axes, place, line.entry)
    named = [(p, t) for p, t, line in zip(places, labels, shown) if line.entry is not None]
    axes.set_ylim(top, 0.0)
    axes.set_yticks([place for place, _ in named])
    axes.set_yticklabels([text for _, text in named])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(axis.title)
    _style.few_ticks(axes.xaxis, 9 if wide else 5)
    if axis.percent:
        _style.percent_axis(axes.xaxis)
    if set_up is not None:
        set_up(axes)
    if legend:
        figure.legend(
            handles=list(legend),
            loc="lower center",
            ncol=columns,
            borderaxespad=0.2,
            bbox_to_anchor=(0.5, 0.15 / height if left else 0.0),
        )
    if left:
        said = f"{left:,} more rows are in result.json"
        figure.text(0.5, 0.03 / height, said, ha="center", va="bottom", color=_style.GREY)
    return figure


def _inches(figure: "Figure", axes: "Axes") -> Any:
    """Across in inches from the left end of the axes, down as the data."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    box = axes.get_position()
    move = ScaledTranslation(box.x0 * figure.get_figwidth(), 0.0, figure.dpi_scale_trans)
    return blended_transform_factory(figure.dpi_scale_trans + move, axes.transData)


def _that_fit(lines: Sequence[Line], below: float) -> list[Line]:
    room, made = _style.TALLEST - below - 0.25, []
    for line in lines:
        room -= HEADING if line.entry is None else ROW
        if room < 0:
            break
        made.append(line)
    while made and made[-1].entry is None:
        made.pop()
    return made


def difference_axis(reading: Reading, measure: str) -> Axis:
    unit = " (percentage points)" if is_rate(measure) else ""
    return Axis(f"{reading.called(measure)} of A − B{unit}", is_rate(measure))


def pair_text(paper: Paper) -> Callable[[JsonObject], str]:
    """How both learners stand in a row: whole where there is room, else the beginning of each."""
    longest = _longest(paper)

    def text(entry: JsonObject) -> str:
        a, b = str(entry["a"]), str(entry["b"])
        room = longest - 3
        if len(a) + len(b) > room:
            # What the shorter name leaves is the longer one's.
            first = max(room // 2, room - len(b))
            a = _style.label(a, min(first, len(a)), 1)
            b = _style.label(b, room - len(a), 1)
        return f"{a} − {b}"

    return text


def _longest(paper: Paper) -> int:
    """Letters of a row's name."""
    return 44 if paper.width > 5 else 24
