"""Mean ranks over data sets, with the critical difference of Nemenyi's test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError, listed
from cvinfer.report.pictures import Paper, picture
from cvinfer.report.plots import _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches: a line of text, the axis below the upper edge, a bar of learners that do not differ.
ROW, TOP, BAR = 0.17, 0.53, 0.085
#: Letters of a learner's name; the share of the width that names may take on either side; inches
#: between the axis, a name and the edge.
LONGEST, WIDEST, GAP = 24, 0.38, 0.1


@picture("ranks", "mean ranks over data sets, with the critical difference (Nemenyi)")
def ranks(document: JsonObject, paper: Paper) -> "Figure":
    """Learners on an axis of mean ranks; a bar joins those that the test does not tell apart."""
    entry = _entry(document, paper.measure)
    order = sorted(range(len(entry["learners"])), key=lambda at: (entry["ranks"][at], at))
    values = [float(entry["ranks"][at]) for at in order]
    test = next((each for each in entry["tests"] if "critical_difference" in each), None)
    bars = [] if test is None else alike(values, float(test["critical_difference"]))
    room = WIDEST * paper.width - GAP
    names = [str(entry["learners"][at]) for at in order]
    texts = [_text(name, value, room) for name, value in zip(names, values)]
    left = (len(values) + 1) // 2
    below = TOP + 0.12 + BAR * len(bars)
    height = below + ROW * (left + 1)
    figure = _style.new_figure(height + 0.05, paper.width)
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, paper.width)
    axes.set_ylim(height + 0.05, 0.0)
    axes.axis("off")
    scale = _Scale(paper.width, texts, len(values))
    _axis(axes, scale, len(values))
    if test is not None:
        _critical(axes, scale, float(test["critical_difference"]), float(test["alpha"]))
    for number, (low, high) in enumerate(bars):
        y = TOP + 0.1 + BAR * number
        ends = [scale.at(values[low]) - 0.03, scale.at(values[high]) + 0.03]
        axes.plot(ends, [y, y], color=_style.BLUE, lw=2.6, solid_capstyle="butt", zorder=3)
    for number, (value, text) in enumerate(zip(values, texts)):
        first = number < left
        row = number if first else len(values) - 1 - number
        _stem(axes, scale, value, text, below + ROW * (row + 0.5), first)
    axes.text(paper.width / 2, height, _foot(entry), ha="center", va="bottom", color=_style.GREY)
    figure.set_layout_engine("none")
    return figure


def alike(values: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks that lie closer than the critical difference."""
    found: list[tuple[int, int]] = []
    for low in range(len(values)):
        high = max(at for at in range(len(values)) if values[at] - values[low] < critical)
        if high > low and (not found or high > found[-1][1]):
            found.append((low, high))
    return found


def _text(name: str, value: float, room: float) -> str:
    """A learner with its mean rank; of a name that is too long the beginning."""
    made = f"{_style.label(name, LONGEST, 1)} {value:.2f}"
    for letters in range(LONGEST - 1, 3, -1):
        if _style.inches(made) <= room:
            break
        made = f"{_style.label(name, letters, 1)} {value:.2f}"
    return made


class _Scale:
    """Where ranks are on the paper, between names on the left and on the right."""

    def __init__(self, width: float, texts: Sequence[str], most: int) -> None:
        longest = max(_style.inches(text) for text in texts)
        self.edge = min(max(longest + GAP, 0.5), WIDEST * width)
        self.width, self.most = width, most

    def at(self, rank: float) -> float:
        return self.edge + self.step * (rank - 1.0)

    @property
    def step(self) -> float:
        """Inches of one rank."""
        return (self.width - 2.0 * self.edge) / max(self.most - 1, 1)


def _axis(axes: "Axes", scale: _Scale, most: int) -> None:
    line: dict[str, Any] = {"color": _style.BLACK, "lw": 0.8, "solid_capstyle": "butt"}
    axes.plot([scale.at(1), scale.at(most)], [TOP, TOP], **line)
    every = max(1, -(-most // max(int((scale.width - 2 * scale.edge) / 0.18), 1)))
    for rank in range(1, most + 1):
        axes.plot([scale.at(rank)] * 2, [TOP, TOP - 0.05], **line)
        if (rank - 1) % every == 0:
            axes.text(scale.at(rank), TOP - 0.07, str(rank), ha="center", va="bottom")


def _critical(axes: "Axes", scale: _Scale, critical: float, alpha: float) -> None:
    """The critical difference as a length above the axis."""
    start, y = scale.at(1), 0.23
    end = start + critical * scale.step
    text = f"critical difference {critical:.2f} at {alpha:g}"
    if end > scale.width - 0.05:
        axes.text(start, y, f"{text}, wider than the axis", ha="left", va="bottom")
        return
    axes.plot([start, end], [y, y], color=_style.BLACK, lw=1.0, solid_capstyle="butt")
    for x in (start, end):
        axes.plot([x, x], [y - 0.035, y + 0.035], color=_style.BLACK, lw=0.8)
    axes.text(start, y - 0.06, text, ha="left", va="bottom")


def _stem(axes: "Axes", scale: _Scale, value: float, text: str, y: float, first: bool) -> None:
    """From its place on the axis down to the row of a learner, and out to its name."""
    x, edge = scale.at(value), scale.edge - 0.04 if first else scale.width - scale.edge + 0.04
    axes.plot([x, x, edge], [TOP, y, y], color=_style.BLACK, lw=0.6, solid_joinstyle="miter")
    side = "right" if first else "left"
    axes.text(edge - 0.03 if first else edge + 0.03, y, text, ha=side, va="center")


def _foot(entry: JsonObject) -> str:
    said = f"mean ranks over {entry['ranked']} data sets, 1 is best"
    return said if entry["tests"] else f"{said}; too few to test"


def _entry(document: JsonObject, measure: Optional[str]) -> JsonObject:
    entries = document.get("across") or []
    if not entries:
        raise UserError(
            "this result does not compare learners over several data sets: it needs a spec with"
            " two data sets or more, and without across: false"
        )
    names = [each["measure"] for each in entries]
    if measure is not None and measure not in names:
        raise UserError(f"there is no measure {measure!r} in this result", allowed=listed(names))
    entry: JsonObject = entries[0 if measure is None else names.index(measure)]
    if entry["ranks"] is None:
        raise UserError(f"this result has no ranks: {entry['note']}")
    return entry
