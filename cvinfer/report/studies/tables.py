"""The tables of a study: rejection rates, degrees of confidence, quantities.

Where there is a grid, its points are columns if they are few, and rows otherwise.
"""

from __future__ import annotations

from typing import Callable, Hashable, NamedTuple, Optional, Sequence

from cvinfer.analysis.words import NONE, count_text, is_rate, listed, number, percent, settings
from cvinfer.documents import JsonObject
from cvinfer.report.studies.read import (
    CHANCE,
    Cells,
    Point,
    Study,
    identity,
    of_text,
    percent_text,
    quantity_text,
    rate_text,
    value_se_text,
    value_text,
    who,
)
from cvinfer.report.studies.words import too_often, too_seldom
from cvinfer.report.tables.model import Cell, Column, Group, Note, Table

#: Grid points that may become columns, whatever the rows are.
FEW_POINTS = 4

Show = Callable[[JsonObject], Cell]


class Named(NamedTuple):
    """What names a row or a column, in words: heading and text, for each part of its name."""

    heading: str
    text: str


def study_tables(study: Study) -> list[Table]:
    """Those that have rows."""
    made = (test_table(study), interval_table(study), *quantity_tables(study))
    return [table for table in made if table is not None]


# --- rejection rates ------------------------------------------------------------------------------


def test_table(study: Study) -> Optional[Table]:
    cells = study.tests
    if not cells:
        return None
    alphas = listed(sorted({percent(cell["alpha"]) for cell in cells}))
    caption = f"Rejection rates in % at α = {alphas}"
    if len(study.pairs) == 1 and study.pairs[0].b is not None:
        caption += f", {study.pairs[0].a} against {study.pairs[0].b}"
    caption += f": {_times(cells)}."
    notes = [Note(("In brackets: Wilson's interval at 95 %.",))]
    if any(too_often(study, cell) for cell in cells):
        bold = (
            f"Bold: the true difference cannot be told from that of H0, and the rate is more than"
            f" {CHANCE:g} standard errors above α: a type I error beyond chance."
        )
        notes.append(Note((bold,)))
    counted = _counted(cells, ("ties", "degenerate", "failed"))
    if counted:
        notes.append(Note((f"Among all decisions: {counted}.",)))

    def shown(cell: JsonObject) -> Cell:
        return Cell(rate_text(cell), bold=too_often(study, cell))

    name = _namer(study, cells, lambda cell: Named("Test", study.test_text(cell)))
    if len(study.points(cells)) == 1:
        return _long(
            study, "tests", caption, cells, name, _test_columns(study, cells, shown), notes
        )
    return _crossed(study, "tests", caption, cells, name, shown, notes)


def _test_columns(study: Study, cells: Cells, shown: Show) -> list[tuple[str, Show]]:
    loss = study.document["spec"].get("loss", "zero_one")
    loss = loss if isinstance(loss, str) else ""
    several = any(cell.get("measure") for cell in cells)
    unit = "Value" if several else "Err." if is_rate(loss) else "Loss"
    single = all(cell["b"] is None for cell in cells)

    def mean(field: str) -> Show:
        def shown(cell: JsonObject) -> Cell:
            own = str(cell.get("measure") or loss)
            return Cell(NONE if cell[field] is None else number(cell[field], own))

        return shown

    columns: list[tuple[str, Show]] = [("Rejected", shown)]
    if single:
        columns += [(unit, mean("loss_a"))]
    else:
        columns += [
            ("A worse by" if several else "A − B", mean("estimate")),
            (f"{unit} A", mean("loss_a")),
        ]
        columns += [(f"{unit} B", mean("loss_b"))]
    return columns


# --- intervals ------------------------------------------------------------------------------------


def interval_table(study: Study) -> Optional[Table]:
    cells = study.intervals
    if not cells:
        return None
    caption = f"Degree of confidence in % and mean length of intervals: {_times(cells)}."
    notes = [Note(("In brackets: Wilson's interval at 95 %.",))]
    if any(too_seldom(cell) for cell in cells):
        bold = f"Bold: below the level by more than {CHANCE:g} standard errors, beyond chance."
        notes.append(Note((bold,)))
    counted = _counted(cells, ("degenerate", "failed"))
    if counted:
        notes.append(Note((f"Among all intervals: {counted}.",)))

    def digits(field: str) -> Show:
        return lambda cell: Cell(NONE if cell[field] is None else f"{cell[field]:.3f}")

    columns: list[tuple[str, Show]] = [
        ("Covered", lambda cell: Cell(rate_text(cell), bold=too_seldom(cell))),
        ("Length", digits("length")),
        ("Outside", lambda cell: Cell(percent_text(cell["outside"], cell["replications"]))),
        ("Truth", digits("truth")),
    ]

    def names(cell: JsonObject) -> list[Named]:
        return [
            Named("Interval", study.test_text(cell)),
            Named("For", str(who(cell))),
            Named("Averaging", cell["averaging"] or ""),
        ]

    return _long(study, "intervals", caption, cells, _said(cells, names), columns, notes)


# --- quantities -----------------------------------------------------------------------------------


def quantity_tables(study: Study) -> list[Optional[Table]]:
    """Those of every grid point, and those of the study as a whole, which have no point."""
    on_grid = [cell for cell in study.quantities if cell["at"] or not study.keys]
    alone = [cell for cell in study.quantities if not cell["at"] and study.keys]
    return [
        _quantity_table(study, "quantities", "Quantities", on_grid),
        _quantity_table(study, "overall", "Quantities of the whole study", alone),
    ]


def _quantity_table(study: Study, kind: str, words: str, cells: Cells) -> Optional[Table]:
    if not cells:
        return None

    tests = {cell["name"] for cell in study.tests}
    others = [cell for cell in cells if cell.get("of") not in tests]
    schemes = {cell["scheme"] for cell in others if cell.get("scheme")}
    subjects = {who(cell) for cell in cells if who(cell).a is not None}

    def names(cell: JsonObject) -> list[Named]:
        # A test is on one partition, whatever the others are on.
        scheme = cell.get("scheme") if len(schemes) > 1 and cell.get("of") not in tests else None
        subject = str(who(cell)) if len(subjects) > 1 else ""
        options = settings(cell["options"]) if cell.get("options") else ""
        of = ", ".join(each for each in (subject, of_text(cell), options, scheme) if each)
        return [Named("Quantity", quantity_text(cell["name"])), Named("Of", of)]

    def shown(cell: JsonObject) -> Cell:
        return Cell(value_se_text(cell["value"], cell["se"]))

    filled = {tuple(names(cell)) for cell in cells if cell["value"] is not None}
    empty = [names(cell) for cell in cells if tuple(names(cell)) not in filled]
    cells = [cell for cell in cells if tuple(names(cell)) in filled]
    if not cells:
        return None
    notes = _left_out(empty)
    on = f" on {schemes.copy().pop()}" if len(schemes) == 1 else ""
    of = f" of {subjects.copy().pop()}" if len(subjects) == 1 else ""
    caption = f"{words}{of}{on}, with standard errors: {_times(cells)}."
    name = _said(cells, names)
    if len(study.points(cells)) == 1:
        return _long(study, kind, caption, cells, name, [("Value", shown)], notes)
    return _crossed(study, kind, caption, cells, name, shown, notes)


def _left_out(empty: Sequence[Sequence[Named]]) -> list[Note]:
    """Quantities that have no value anywhere, such as the ratio of a test without a variance."""
    of: dict[str, list[str]] = {}
    for quantity, subject in dict.fromkeys(tuple(each) for each in empty):
        of.setdefault(subject.text, []).append(quantity.text)
    alike: dict[str, list[str]] = {}
    for subject_text, quantities in of.items():
        alike.setdefault(listed(quantities), []).append(subject_text)
    parts = [
        f"{what} of {listed(subjects)}" if any(subjects) else what
        for what, subjects in alike.items()
    ]
    return [Note((f"Without a value, so not shown: {'; '.join(parts)}.",))] if parts else []


# --- two shapes of table --------------------------------------------------------------------------

Name = Callable[[JsonObject], list[Named]]


def _namer(study: Study, cells: Cells, last: Callable[[JsonObject], Named]) -> Name:
    """A and B where there are several pairs, then the name itself."""

    def names(cell: JsonObject) -> list[Named]:
        found = [Named("A", cell["a"]), Named("B", cell["b"] or "")]
        return [*(found if len(study.pairs) > 1 else []), last(cell)]

    return _said(cells, names)


def _said(cells: Cells, names: Name) -> Name:
    """Without those parts of the names that no cell has; the first part always stays."""
    filled = {part.heading for cell in cells for part in names(cell) if part.text}
    first = names(cells[0])[0].heading
    return lambda cell: [p for p in names(cell) if p.heading in filled or p.heading == first]


def _long(
    study: Study,
    kind: str,
    caption: str,
    cells: Cells,
    name: Name,
    columns: Sequence[tuple[str, Show]],
    notes: Sequence[Note],
) -> Table:
    """A row for each cell: grid point, name, numbers."""
    keys = [key for key in study.keys if any(key in cell["at"] for cell in cells)]
    rows = [cell for at in study.points(cells) for cell in cells if cell["at"] == at]
    heads = [
        Column(study.short(key), tuple(Cell(_value(cell["at"], key)) for cell in rows))
        for key in keys
    ]
    for at, part in enumerate(name(rows[0])):
        heads.append(Column(part.heading, tuple(Cell(name(cell)[at].text) for cell in rows)))
    own = tuple(Column(head, tuple(show(cell) for cell in rows)) for head, show in columns)
    return Table(
        kind=kind,
        caption=caption,
        keys=tuple(heads),
        groups=(Group("", (), own),),
        notes=tuple(notes),
        block=tuple(identity(cell["at"]) for cell in rows),
        notes_word="",
    )


def _crossed(
    study: Study,
    kind: str,
    caption: str,
    cells: Cells,
    name: Name,
    show: Show,
    notes: Sequence[Note],
) -> Table:
    """Names against grid points: points are columns if there are no more of them than names."""
    points = study.points(cells)
    named: dict[Hashable, JsonObject] = {}
    for cell in cells:
        named.setdefault(tuple(name(cell)), cell)
    there = {(tuple(name(cell)), identity(cell["at"])): cell for cell in cells}

    def at(row: Hashable, point: Point) -> Cell:
        cell = there.get((row, identity(point)))  # type: ignore[arg-type]
        return Cell("") if cell is None else show(cell)

    if len(points) <= max(len(named), FEW_POINTS):
        keys = tuple(
            Column(part.heading, tuple(Cell(name(cell)[place].text) for cell in named.values()))
            for place, part in enumerate(name(cells[0]))
        )
        groups = _point_groups(study, points, lambda p: tuple(at(row, p) for row in named))
        block = tuple(name(cell)[0].text for cell in named.values())
    else:
        used = [key for key in study.keys if any(key in each for each in points)]
        keys = tuple(
            Column(study.short(key), tuple(Cell(_value(each, key)) for each in points))
            for key in used
        )
        gathered: dict[str, list[Column]] = {}
        for row, cell in named.items():
            *before, last = name(cell)
            heading = ", ".join(part.text for part in before if part.text)
            column = Column(last.text or heading, tuple(at(row, each) for each in points))
            gathered.setdefault(heading, []).append(column)
        groups = tuple(Group(head, (), tuple(own)) for head, own in gathered.items())
        block = tuple(_value(each, used[0]) for each in points)
    return Table(kind, caption, keys, groups, tuple(notes), block, "")


def _point_groups(
    study: Study, points: Sequence[Point], column: Callable[[Point], tuple[Cell, ...]]
) -> tuple[Group, ...]:
    """A column for each value of the last key, under the values of the others."""
    *outer, last = [key for key in study.keys if any(key in each for each in points)]
    gathered: dict[str, list[Column]] = {}
    for point in points:
        text = f"{study.short(last)} = {_value(point, last)}"
        gathered.setdefault(study.point_text(point, outer), []).append(Column(text, column(point)))
    return tuple(Group(head, (), tuple(own)) for head, own in gathered.items())


def _value(at: Point, key: str) -> str:
    return value_text(at[key]) if key in at else ""


def _times(cells: Cells) -> str:
    counts = {cell["replications"] for cell in cells}
    least, most = min(counts), count_text(max(counts), "replication")
    return most if len(counts) == 1 else f"{least:,} to {most}"


def _counted(cells: Cells, fields: Sequence[str]) -> str:
    sums = {field: sum(cell[field] for cell in cells) for field in fields}
    return ", ".join(f"{count:,} {field}" for field, count in sums.items() if count)
