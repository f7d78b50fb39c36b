"""The table of comparisons.

A group of its columns belongs to one partition scheme: that of the test that decides has the two
error rates, their difference and its p-value, the others one p-value for each test.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.analysis import judge
from cvinfer.analysis.words import (
    MINUS,
    NONE,
    correction_word,
    is_higher_better,
    is_rate,
    margin_of,
    mean_name,
    measure_of,
    measures_of,
    listed,
    number,
    p_text,
    percent,
    settings,
    short_name,
    shown_as_nothing,
    title,
)
from cvinfer.report.tables.entries import (
    Entries,
    Verdicts,
    caution_of,
    cite_of,
    duplicates,
    inference_of,
    inferences_of,
    present,
    rights_note,
    scheme_of,
    shortened,
    training_note,
)
from cvinfer.report.tables.model import Cell, Cite, Column, Group, Note, Table

#: Stands after an interval that shows equivalence.
ALIKE = "\N{ALMOST EQUAL TO}"


def comparison_table(document: Mapping[str, Any], measure: Optional[str] = None) -> Optional[Table]:
    """One row a comparison: errors, the primary test's difference and p, p of the other tests.

    By one measure, on its own scale: the first one without another.
    """
    first = measures_of(document)[0]
    loss = measure or first
    entries = [each for each in document["comparisons"] if measure_of(each, document) == loss]
    if not entries:
        return None
    verdicts = {
        (v["data"], v["a"], v["b"]): v
        for v in document["verdicts"]
        if measure_of(v, document) == loss
    }
    rows = list(verdicts)
    at = {row: number_ for number_, row in enumerate(rows)}
    by_test: dict[str, list[Optional[Mapping[str, Any]]]] = {}
    for entry in entries:
        column = by_test.setdefault(judge.one_test(entry), [None] * len(rows))
        column[at[entry["data"], entry["a"], entry["b"]]] = entry
    # The test that decides stands first, wherever the spec has it.
    columns = sorted(by_test.values(), key=lambda column: not _decides(column))
    groups = _groups(document, columns, list(verdicts.values()), loss)
    several = len({data for data, _, _ in rows}) > 1
    keys = []
    for which, heading in ((1, "A"), (2, "B")):
        names = tuple(row[which] for row in rows)
        keys.append(Column(heading, tuple(Cell(name) for name in names), who=names))
    if several:
        keys.insert(0, Column("Data", tuple(Cell(data) for data, _, _ in rows)))
    return Table(
        kind="comparisons" if loss == first else f"comparisons-{loss}",
        caption=_comparison_caption(document, rows, loss),
        keys=tuple(keys),
        groups=tuple(groups),
        notes=_comparison_notes(document, entries, columns, groups[0], loss),
        block=tuple(data for data, _, _ in rows),
        notes_word="Tests",
    )


def _decides(column: Entries) -> bool:
    """Whether a column is that of the primary test: only its entries have a sentence."""
    return any(entry["sentence"] is not None for entry in present(column))


def _groups(
    document: Mapping[str, Any], by_test: list[Entries], verdicts: Verdicts, loss: str
) -> list[Group]:
    """Tests on the same scheme under one heading; the first of them is the one that decides.

    Its group has the error rates and the difference. The others only show how much depends on the
    choice of the test, so they have their p-values and nothing more.
    """
    twice = duplicates([present(column)[0]["test"] for column in by_test])
    gathered: dict[str, list[Column]] = {}
    for column in by_test:
        heading = scheme_of(present(column), document["partitions"])
        gathered.setdefault(heading, []).append(_test_column(column, twice, document))
    groups = [Group(heading, (), tuple(columns)) for heading, columns in gathered.items()]
    own = (_difference_column(verdicts, loss), *groups[0].own)
    return [Group(groups[0].title, _loss_columns(by_test[0], loss), own), *groups[1:]]


def _loss_columns(decisive: Entries, loss: str) -> tuple[Column, ...]:
    short = short_name(loss)
    return tuple(
        Column(f"{short} {side.upper()}", _loss_cells(decisive, side, loss), who=who)
        for side, who in (("a", _names(decisive, "a")), ("b", _names(decisive, "b")))
    )


def _difference_column(verdicts: Verdicts, loss: str) -> Column:
    """The primary test's difference with its interval, marked where it shows equivalence."""
    levels = sorted({v["level"] for v in verdicts if v["level"] is not None})
    has_interval = any(v["interval"] is not None for v in verdicts)
    shares = "/".join(percent(level).replace(" ", "") for level in levels)
    level = f" [{shares}]" if shares and has_interval else ""
    return Column(f"{_difference(loss)}{level}", tuple(_difference_cell(v, loss) for v in verdicts))


def _difference(loss: str) -> str:
    """The difference of which a positive value means that A is worse."""
    return f"B {MINUS} A" if is_higher_better(loss) else f"A {MINUS} B"


def _difference_cell(verdict: Mapping[str, Any], loss: str) -> Cell:
    if verdict["estimate"] is None:
        return Cell(NONE)
    text = number(verdict["estimate"], loss)
    if shown_as_nothing(verdict["estimate"], loss):
        text = "< 0.005" if verdict["estimate"] > 0 else f"> {MINUS}0.005"
    if verdict["interval"] is not None:
        lower, upper = (number(end, loss) for end in verdict["interval"])
        text += f" [{lower}, {upper}]"
    return Cell(f"{text} {ALIKE}" if verdict["equivalent"] else text)


def _loss_cells(shown: Entries, side: str, loss: str) -> tuple[Cell, ...]:
    cells = []
    for entry in shown:
        inference = inference_of(entry)
        if inference is None:
            cells.append(Cell("" if entry is None else NONE))
        else:
            cells.append(Cell(number(inference["extra"][f"loss_{side}"], loss)))
    return tuple(cells)


def _names(shown: Entries, side: str) -> tuple[str, ...]:
    return tuple("" if entry is None else str(entry[side]) for entry in shown)


def _test_column(column: Entries, twice: set[str], document: Mapping[str, Any]) -> Column:
    known = present(column)
    test, options = known[0]["test"], known[0]["options"]
    heading = title(test)
    if test in twice and options:
        heading += f" ({settings(options)})"
    notes: list[Union[str, Cite]] = [heading]
    key = cite_of("test", test, [entry["inference"] for entry in known])
    notes += [" ", Cite(key)] if key else []
    scheme = scheme_of(known, document["partitions"])
    # A test that found no partition has none to name.
    notes += [f" on {scheme}"] if scheme else []
    if test not in twice and options:
        notes += [f" with {settings(options)}"]
    return Column(
        f"p {heading}",
        tuple(_p_cell(entry) for entry in column),
        notes=tuple(notes),
        warning=caution_of(known),
        favours=tuple(None if entry is None else entry["better"] for entry in column),
    )


def _p_cell(entry: Optional[Mapping[str, Any]]) -> Cell:
    """The corrected p of the test that decides, bold where it rejects; plain p of the others."""
    if entry is None:
        return Cell("")
    inference = entry["inference"]
    if inference is None:
        return Cell("failed", footnote=shortened(entry["failed"]))
    if inference["degenerate"]:
        return Cell(NONE, footnote=shortened(inference["note"]))
    if entry["sentence"] is None:
        return Cell(p_text(inference["p_value"], inference["alpha"]))
    return Cell(p_text(entry["p_corrected"], inference["alpha"]), bold=entry["reject_corrected"])


class Together(NamedTuple):
    """How the comparisons of the test that decides are corrected: method and sizes of families.

    `by_data` only where several data sets are families of their own.
    """

    method: str
    sizes: Sequence[int]
    by_data: bool

    @property
    def corrected(self) -> bool:
        return self.method != "none" and max(self.sizes, default=0) > 1

    def words(self) -> str:
        """What stands after the level of the test; nothing where there is one comparison."""
        least, most = min(self.sizes, default=0), max(self.sizes, default=0)
        if self.corrected and self.by_data:
            count_ = str(most) if least == most else f"{least} to {most}"
            over = f"the {count_} comparisons of each data set"
            return f", after {correction_word(self.method)}'s correction over {over}"
        if self.corrected:
            return f", after {correction_word(self.method)}'s correction over {most} comparisons"
        if self.method != "none" and self.by_data:
            return ", not corrected: each data set is a family of its own, of one comparison"
        return ", not corrected for the number of comparisons" if sum(self.sizes) > 1 else ""

    def simultaneous(self) -> str:
        if self.by_data:
            return "for each data set simultaneous ones"
        return f"{max(self.sizes)} simultaneous ones"


def together(
    document: Mapping[str, Any], column: Sequence[Optional[Mapping[str, Any]]]
) -> Together:
    """How the entries of a test are corrected."""
    from cvinfer.inference import correction as corrections  # needs numpy

    correction = corrections.read(document["spec"].get("correction", "none"))
    counts: dict[str, int] = {}
    for entry in column:
        if entry is not None and entry["inference"] is not None:
            family = judge.family(entry, correction)[1]
            counts[family] = counts.get(family, 0) + 1
    return Together(correction.method, list(counts.values()), len(counts) > 1)


def _comparison_caption(
    document: Mapping[str, Any], rows: Sequence[tuple[str, str, str]], loss: str
) -> str:
    data = list(dict.fromkeys(data for data, _, _ in rows))
    where = data[0] if len(data) == 1 else f"{len(data)} data sets"
    what = f"{rows[0][1]} and {rows[0][2]}" if len(rows) == 1 else "learners A and B"
    sizes = mean_name(loss, several=True) + (" in %" if is_rate(loss) else "")
    sizes += " (higher is better)" if is_higher_better(loss) else ""
    return f"Comparison of {what} on {where}: {sizes}, their difference and p-values."


def _comparison_notes(
    document: Mapping[str, Any],
    entries: Sequence[Mapping[str, Any]],
    columns: Sequence[Entries],
    first: Group,
    loss: str,
) -> tuple[Note, ...]:
    """`first` is the group of the test that decides: its difference, then its p-value."""
    decisive, *others = columns
    difference, p_value = (column.title for column in first.own[:2])
    test = title(present(decisive)[0]["test"])
    alphas = sorted({i["alpha"] for i in inferences_of(decisive)})
    alpha = listed([f"{value:g}" for value in alphas or [document["spec"].get("alpha", 0.05)]])
    what = mean_name(loss)
    corrected = together(document, decisive)
    bold = (
        f"Bold: the learner that {test}, the test that decides, finds significantly better at"
        f" α = {alpha} (two-sided{corrected.words()}), its {what}, and the p-value that says so."
    )
    if any(entry["options"].get("mu0") for entry in present(decisive)):
        bold += " With mu0 it tests that difference, so its bold p-value favours nobody."
    better = "higher" if is_higher_better(loss) else "lower"
    direction = (
        f"The learner with the {better} {what} is better: a positive {_difference(loss)} means that"
        " A is worse."
    )
    verdicts = [each for each in document["verdicts"] if measure_of(each, document) == loss]
    brackets = _interval_note(verdicts, decisive, corrected)
    notes = [
        Note((bold,), p_value),
        Note((f"{direction} {brackets}".rstrip(),), difference),
        Note((training_note(entries, document),)),
    ]
    if others:
        beside = (
            f"{'Other tests' if len(others) > 1 else 'The other test'}: p-values as they are, not"
            " corrected, to show how much depends on the choice of the test; they decide nothing."
        )
        study = judge.for_study(len(columns))
        notes.append(Note((f"{beside} {study}." if study else beside,)))
    margin = margin_of(document, loss)
    if margin is not None:
        unit = f"{number(margin, loss)} percentage points" if is_rate(loss) else f"{margin:g}"
        alike = (
            f"{ALIKE} Equivalent: the interval of level 1 {MINUS} 2α lies inside ±{unit}, for each"
            " comparison by itself."
        )
        notes.append(Note((alike,), difference))
    if not document.get("across"):
        notes.append(Note((rights_note(document),)))  # otherwise below the grid of all of them
    return tuple(note for note in notes if any(note.words))


def _interval_note(verdicts: Verdicts, decisive: Entries, corrected: Together) -> str:
    inferences = inferences_of(decisive)
    if inferences and not any(inference["interval"] for inference in inferences):
        return "The test that decides has no interval for the difference."
    if not any(verdict["interval"] for verdict in verdicts):
        return ""  # it failed, or has an interval without length
    told = "In brackets: its interval, by the test that decides"
    if any("picked" in inference["extra"] for inference in inferences):
        told += ", centred on the one difference that it tests, not on the mean"
    if not corrected.corrected:
        return f"{told}."
    return (
        f"{told}, for each comparison by itself, so that it can leave out 0 where the corrected"
        f" p-value is not below α; {corrected.simultaneous()} (Bonferroni) are in result.json."
    )
