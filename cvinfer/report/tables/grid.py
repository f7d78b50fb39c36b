"""The grid: data sets × learners of mean losses, with marks beside the reference learner.

The reference is the `control` of the spec, or the learner that all others are compared with. Marks
and the row of wins, ties and losses are verdicts of the test that decides, as Weka's Experimenter
prints them.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence

from cvinfer.analysis.words import (
    NONE,
    is_higher_better,
    is_rate,
    listed,
    mean_name,
    measure_of,
    number,
    title,
)
from cvinfer.report.tables.comparisons import together
from cvinfer.report.tables.entries import shortened
from cvinfer.report.tables.model import Cell, Column, Group, Note, Table

#: Significantly better or worse than the reference, as Weka marks them in LaTeX.
BETTER, WORSE = "\N{RING OPERATOR}", "\N{BULLET}"

Entry = Mapping[str, Any]


class Grid(NamedTuple):
    """What a grid shows. means: data sets × learners; ranks: mean ranks over data sets, if known.

    why: what is said of a data set that is not among those ranked.
    """

    measure: str
    data: Sequence[str]
    learners: Sequence[str]
    means: Sequence[Sequence[Optional[float]]]
    ranks: Optional[Sequence[float]]
    why: Mapping[str, str]
    reference: Optional[str]


def grid_of(document: Entry, measure: str) -> Optional[Grid]:
    """Of data sets that are compared together, or of several with a reference; else none."""
    reference = reference_of(document, measure)
    for each in document.get("across", ()):
        if each["measure"] == measure:
            why = {one["data"]: one["why"] for one in each["left_out"]}
            return Grid(
                measure,
                each["data"],
                each["learners"],
                each["means"],
                each["ranks"],
                why,
                reference,
            )
    found = _means(document, measure)
    data = list(dict.fromkeys(name for name, _ in found))
    if reference is None or len(data) < 2:
        return None
    named = {name for _, name in found}
    learners = [name for name in dict.fromkeys((reference, *_learners(document))) if name in named]
    means = [[found.get((one, name)) for name in learners] for one in data]
    return Grid(measure, data, learners, means, None, {}, reference)


def reference_of(document: Entry, measure: str) -> Optional[str]:
    """The learner that all others are compared with; of two it is the second."""
    found = _decided(document, measure)
    if not found:
        return None
    control = document["spec"].get("control")
    if control is not None:
        return str(control)
    second, first = found[0]["b"], found[0]["a"]
    common = (name for name in (second, first) if all(name in (v["a"], v["b"]) for v in found))
    return next(common, None)


def grid_table(document: Entry, grid: Grid, kind: str, notes: Sequence[Note]) -> Table:
    """One row a data set, then mean ranks and wins; one column a learner, the reference first."""
    marks = _marks(document, grid)
    columns = [_column(document, grid, at, marks) for at in range(len(grid.learners))]
    first = [c for c, name in zip(columns, grid.learners) if name == grid.reference]
    others = [c for c, name in zip(columns, grid.learners) if name != grid.reference]
    last = [*(["Mean rank"] if grid.ranks is not None or grid.reference is None else []), WINS]
    keys = [Cell(name, footnote=_footnote(grid.why.get(name))) for name in grid.data]
    against = f", each against {grid.reference}" if grid.reference is not None else ""
    better = "higher" if is_higher_better(grid.measure) else "lower"
    return Table(
        kind=kind,
        caption=(
            f"{unit(grid.measure)} of the learners on {len(grid.data)} data sets ({better} is"
            f" better){against}."
        ),
        keys=(Column("Data set", (*keys, *map(Cell, last))),),
        groups=(Group(unit(grid.measure), tuple(first), tuple(others)),),
        notes=(*_own_notes(document, grid), *notes),
        block=("",) * len(grid.data) + ("all",) * len(last),
        notes_word="Learners",
    )


WINS = "Win/tie/loss"


def _column(document: Entry, grid: Grid, at: int, marks: Mapping[tuple[str, str], str]) -> Column:
    learner = grid.learners[at]
    cells = []
    for data, row in zip(grid.data, grid.means):
        value = row[at]
        text = NONE if value is None else number(value, grid.measure)
        cells.append(Cell(text, sign=marks.get((data, learner), "")))
    if grid.ranks is not None:
        cells.append(Cell(f"{grid.ranks[at]:.2f}"))
    elif grid.reference is None:
        cells.append(Cell(NONE))
    wins = record(document, grid.measure, learner, grid.reference)
    is_reference = learner == grid.reference
    cells.append(Cell(NONE if is_reference else "/".join(map(str, wins))))
    return Column(learner, tuple(cells))


def record(
    document: Entry, measure: str, learner: str, against: Optional[str] = None
) -> tuple[int, int, int]:
    """How often a learner won, tied and lost by verdict over data sets, against one or all."""
    won = tied = lost = 0
    for each in _decided(document, measure):
        pair = (each["a"], each["b"])
        if learner not in pair or against not in (None, *pair) or not _has_result(each):
            continue
        won += each["better"] == learner
        lost += each["better"] not in (None, learner)
        tied += each["better"] is None
    return won, tied, lost


def _has_result(entry: Entry) -> bool:
    """As verdicts count it: neither failed nor without all numbers."""
    found = entry["inference"]
    return found is not None and not (found["statistic"] is None and found["interval"] is None)


def _marks(document: Entry, grid: Grid) -> dict[tuple[str, str], str]:
    """The mark of every learner that is told from the reference, by data set."""
    made = {}
    for each in _decided(document, grid.measure):
        pair, winner = (each["a"], each["b"]), each["better"]
        if grid.reference in pair and winner is not None:
            (other,) = (name for name in pair if name != grid.reference)
            made[each["data"], other] = BETTER if winner == other else WORSE
    return made


def _decided(document: Entry, measure: str) -> list[Entry]:
    """The entries of the test that decides: a paper may have corrected them anew."""
    return [
        each
        for each in document["comparisons"]
        if each["sentence"] is not None and measure_of(each, document) == measure
    ]


def _means(document: Entry, measure: str) -> dict[tuple[str, str], float]:
    """The mean losses that the test that decides found."""
    found: dict[tuple[str, str], float] = {}
    for entry in _decided(document, measure):
        inference = entry["inference"]
        if inference is not None:
            for side in "ab":
                found.setdefault((entry["data"], entry[side]), inference["extra"][f"loss_{side}"])
    return found


def _learners(document: Entry) -> list[str]:
    return [each["name"] for each in document["learners"]]


def unit(measure: str) -> str:
    name = mean_name(measure)
    return f"{name[0].upper()}{name[1:]}{' in %' if is_rate(measure) else ''}"


def _own_notes(document: Entry, grid: Grid) -> list[Note]:
    said = (
        "Each value is the mean over the splits of the partition that the primary test is made on."
    )
    if grid.ranks is not None:
        ranked = len(grid.data) - len(grid.why.keys() & set(grid.data))
        said += f" Mean ranks are over {ranked} data sets, 1 is best and equal values share theirs."
    if grid.reference is None:
        said += (
            f" {WINS} are verdicts of the primary test against every other learner, over all data"
            " sets."
        )
        return [Note((said,))]
    marks = (
        f"{BETTER} significantly better than {grid.reference}, {WORSE} significantly worse,"
        f" by {_decider(document, grid.measure)}. {WINS}: on how many data sets a learner is"
        f" better than {grid.reference}, not told from it, and worse."
    )
    return [Note((said,)), Note((marks,))]


def _decider(document: Entry, measure: str) -> str:
    """The test that decides, its level and correction."""
    entries = _decided(document, measure)
    names = listed(list(dict.fromkeys(title(each["test"]) for each in entries)))
    alphas = sorted({each["inference"]["alpha"] for each in entries if each["inference"]})
    level = listed([f"{each:g}" for each in alphas or [document["spec"].get("alpha", 0.05)]])
    return f"{names} at α = {level}{together(document, entries).words()}"


def _footnote(why: Optional[str]) -> Optional[str]:
    return None if why is None else shortened(f"left out of ranks and tests: {why}")
