"""Tables of a result document, independent of the format they are written in.

A table has key columns (data set, learners) and groups of columns. A group of the comparison table
belongs to one partition scheme: that of the test that decides has the two error rates, their
difference and its p-value, the others one p-value for each test. Splitting a wide table repeats
the key columns, and the error rates beside whatever is left of their group.
"""

from __future__ import annotations

import csv
import functools
import io
import json
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.inference import correction as corrections
from cvinfer.foreign import csv_cell
from cvinfer.inference.cautions import WHERE
from cvinfer.analysis import judge
from cvinfer.analysis.words import (
    MINUS,
    NONE,
    correction_word,
    is_rate,
    listed,
    number,
    p_text,
    percent,
    scheme_title,
    settings,
    shown_as_nothing,
    split_sizes,
    title,
    trained_elsewhere,
    training_share,
    training_words,
)

#: More distinct footnotes than this in one table, and the rest share one.
MOST_FOOTNOTES = 8
LONGEST_FOOTNOTE = 220
#: Stands after an interval that shows equivalence.
ALIKE = "\N{ALMOST EQUAL TO}"


class Cite(NamedTuple):
    """A key of references.bib inside a note."""

    key: str


#: Text with citations in it.
Words = tuple[Union[str, Cite], ...]


class Note(NamedTuple):
    """A note on a table; one that explains a column stands only where that column does."""

    words: Words
    #: The title of the column.
    beside: Optional[str] = None


@dataclass(frozen=True)
class Cell:
    """What stands in one place; `footnote` is the text that a mark beside it refers to."""

    text: str
    bold: bool = False
    footnote: Optional[str] = None


@dataclass(frozen=True)
class Column:
    """A column: `title` may be broken between its words; `notes` belong to this column.

    A column with a `warning` has notes, and the first of them names it.
    """

    title: str
    cells: tuple[Cell, ...]
    notes: Words = ()
    warning: Optional[str] = None
    # The learner that each row's result favours; None where it favours none.
    favours: tuple[Optional[str], ...] = ()
    # The learner that each cell is about, to be set in bold where the tests shown favour it.
    who: tuple[str, ...] = ()
    # Cells that have the same form in every row line up on the left, numbers on the right.
    left: bool = False


@dataclass(frozen=True)
class Group:
    """Columns under one heading: `shared` ones, repeated in every part, and `own` ones."""

    title: str
    shared: tuple[Column, ...]
    own: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """`keys` are the columns that name a row; `block` the rows that belong together."""

    kind: str
    caption: str
    keys: tuple[Column, ...]
    groups: tuple[Group, ...]
    notes: tuple[Note, ...]
    block: tuple[str, ...]
    notes_word: str

    @property
    def rows(self) -> int:
        return len(self.block)


@dataclass(frozen=True)
class Part:
    """As many columns and rows of a table as fit: what is really printed."""

    table: Table
    groups: tuple[Group, ...]
    keys: tuple[Column, ...]
    rows: range
    number: int = 1
    of: int = 1
    footnotes: Mapping[str, str] = field(default_factory=dict)  # text to mark

    @property
    def columns(self) -> tuple[Column, ...]:
        inside = (column for group in self.groups for column in (*group.shared, *group.own))
        return (*self.keys, *inside)

    def mark(self, cell: Cell) -> str:
        return "" if cell.footnote is None else self.footnotes[cell.footnote]

    @property
    def notes(self) -> tuple[Words, ...]:
        """The table's notes, then those of the columns that are here, then the footnotes."""
        own = [column for group in self.groups for column in group.own]
        here = {None, *(column.title for column in own)}
        parts = [column.notes for column in own if column.notes]
        listed_words: list[Union[str, Cite]] = [f"{self.table.notes_word}: "]
        for at, words in enumerate(parts):
            listed_words += ["; "] * (at > 0) + list(words)
        found = [note.words for note in self.table.notes if note.beside in here]
        found += [(*listed_words, ".")] if parts else []
        warned: dict[str, list[str]] = {}
        for column in own:
            if column.warning:
                warned.setdefault(column.warning, []).append(str(column.notes[0]))
        found += [(f"{listed(names)}: {text}.",) for text, names in warned.items()]
        return tuple(found)


def one_part(table: Table) -> Part:
    """The whole table, where nothing has to fit."""
    keys, groups = _emboldened(table, table.groups)
    whole = Part(table, groups, keys, range(table.rows))
    return replace(whole, footnotes=_footnotes(whole))


def tables(document: Mapping[str, Any]) -> list[Table]:
    """The tables of a document: comparisons, then intervals; those without rows are left out."""
    by_class: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for entry in document["intervals"]:
        (others if entry["averaging"] is None else by_class).append(entry)
    made = (
        comparison_table(document),
        interval_table(document, by_class),
        interval_table(document, others),
    )
    return [table for table in made if table is not None]


# --- comparisons -------------------------------------------------------------------------------


def comparison_table(document: Mapping[str, Any]) -> Optional[Table]:
    """One row a comparison: errors, the primary test's difference and p, p of the other tests."""
    entries = document["comparisons"]
    if not entries:
        return None
    loss = document["spec"].get("loss", "zero_one")
    verdicts = {(v["data"], v["a"], v["b"]): v for v in document["verdicts"]}
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
        kind="comparisons",
        caption=_comparison_caption(document, rows, loss),
        keys=tuple(keys),
        groups=tuple(groups),
        notes=_comparison_notes(document, columns, groups[0], loss),
        block=tuple(data for data, _, _ in rows),
        notes_word="Tests",
    )


Entries = list[Optional[Mapping[str, Any]]]
Verdicts = Sequence[Mapping[str, Any]]


def _decides(column: Entries) -> bool:
    """Whether a column is that of the primary test: only its entries have a sentence."""
    return any(entry["sentence"] is not None for entry in _known(column))


def _groups(
    document: Mapping[str, Any], by_test: list[Entries], verdicts: Verdicts, loss: str
) -> list[Group]:
    """Tests on the same scheme under one heading; the first of them is the one that decides.

    Its group has the error rates and the difference. The others only show how much depends on the
    choice of the test, so they have their p-values and nothing more.
    """
    twice = _duplicates([_known(column)[0]["test"] for column in by_test])
    gathered: dict[str, list[Column]] = {}
    for column in by_test:
        heading = _scheme_of(_known(column), document["partitions"])
        gathered.setdefault(heading, []).append(_test_column(column, twice, document))
    groups = [Group(heading, (), tuple(columns)) for heading, columns in gathered.items()]
    own = (_difference_column(verdicts, loss), *groups[0].own)
    return [Group(groups[0].title, _loss_columns(by_test[0], loss), own), *groups[1:]]


def _loss_columns(decisive: Entries, loss: str) -> tuple[Column, ...]:
    short = "Err." if is_rate(loss) else "Loss"
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
    return Column(f"A {MINUS} B{level}", tuple(_difference_cell(v, loss) for v in verdicts))


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
        inference = _inference(entry)
        if inference is None:
            cells.append(Cell("" if entry is None else NONE))
        else:
            cells.append(Cell(number(inference["extra"][f"loss_{side}"], loss)))
    return tuple(cells)


def _names(shown: Entries, side: str) -> tuple[str, ...]:
    return tuple("" if entry is None else str(entry[side]) for entry in shown)


def _test_column(column: Entries, twice: set[str], document: Mapping[str, Any]) -> Column:
    known = _known(column)
    test, options = known[0]["test"], known[0]["options"]
    heading = title(test)
    if test in twice and options:
        heading += f" ({settings(options)})"
    notes: list[Union[str, Cite]] = [heading]
    key = _cite_of("test", test, [entry["inference"] for entry in known])
    notes += [" ", Cite(key)] if key else []
    scheme = _scheme_of(known, document["partitions"])
    # A test that found no partition has none to name.
    notes += [f" on {scheme}"] if scheme else []
    if test not in twice and options:
        notes += [f" with {settings(options)}"]
    return Column(
        f"p {heading}",
        tuple(_p_cell(entry) for entry in column),
        notes=tuple(notes),
        warning=_caution(known),
        favours=tuple(None if entry is None else entry["better"] for entry in column),
    )


def _caution(known: Sequence[Mapping[str, Any]]) -> Optional[str]:
    """What holds of the test itself, for a table that has no folder of documents beside it."""
    said = (entry["caution"] for entry in known if entry["caution"])
    return next((text.removesuffix(f" ({WHERE})") for text in said), None)


def _p_cell(entry: Optional[Mapping[str, Any]]) -> Cell:
    """The corrected p of the test that decides, bold where it rejects; plain p of the others."""
    if entry is None:
        return Cell("")
    inference = entry["inference"]
    if inference is None:
        return Cell("failed", footnote=_shortened(entry["failed"]))
    if inference["degenerate"]:
        return Cell(NONE, footnote=_shortened(inference["note"]))
    if entry["sentence"] is None:
        return Cell(p_text(inference["p_value"], inference["alpha"]))
    return Cell(p_text(entry["p_corrected"], inference["alpha"]), bold=entry["reject_corrected"])


def _training_note(entries: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> str:
    """On how many records learners were trained, for each scheme that results rest on."""
    # The estimate comes from the first of several partitions.
    used = {at: document["partitions"][at] for entry in entries for at in entry["partitions"][:1]}
    by_scheme: dict[str, list[Mapping[str, Any]]] = {}
    for partition in used.values():
        by_scheme.setdefault(scheme_title(partition, list(used.values())), []).append(partition)
    by_words: dict[str, list[str]] = {}
    elsewhere = []
    for scheme, partitions in by_scheme.items():
        if trained_elsewhere([train for each in partitions for train, _ in _sizes(each)]):
            elsewhere.append(scheme)
        else:
            by_words.setdefault(_training_words(partitions, document), []).append(scheme)
    said = [f"{words} ({listed(schemes)})" for words, schemes in by_words.items() if words]
    notes = [f"Learners are trained on {'; '.join(said)}."] if said else []
    if elsewhere:
        notes.append(
            f"The learners were trained elsewhere ({listed(elsewhere)}); on which records, the"
            " predictions do not say."
        )
    return " ".join(notes)


def _sizes(partition: Mapping[str, Any]) -> list[tuple[int, int]]:
    return split_sizes(partition["sizes"])


def _training_words(partitions: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> str:
    """The number for one data set, the share of n for several that have it in common."""
    n_of = {data["name"]: data["n"] for data in document["data"]}
    sizes = [[train for train, _ in _sizes(each)] for each in partitions]
    of = [n_of[each["data"]] for each in partitions if each["data"] in n_of]
    if len(of) < len(partitions):
        return ""  # a document that was changed by hand
    if len(partitions) == 1:
        return training_words(sizes[0], of[0])
    shares = {training_share(each, n) for each, n in zip(sizes, of)}
    share = shares.pop() if len(shares) == 1 else None
    if share is not None:
        return f"{share} of the n records of a set"
    every = [size for each in sizes for size in each]
    return f"{min(every):,} to {max(every):,} records"


def _emboldened(
    table: Table, groups: Sequence[Group]
) -> tuple[tuple[Column, ...], tuple[Group, ...]]:
    """Key columns and groups with the favoured learners in bold.

    Only what the same part of the table shows counts: a name is bold where all significant tests
    of these groups agree on it, an error rate where those of its own group do.
    """
    by_part = [_favoured(groups, row) for row in range(table.rows)]
    keys = tuple(_in_bold(key, by_part) for key in table.keys)
    made = []
    for group in groups:
        by_group = [_favoured([group], row) for row in range(table.rows)]
        shared = tuple(_in_bold(column, by_group) for column in group.shared)
        made.append(replace(group, shared=shared))
    return keys, tuple(made)


def _in_bold(column: Column, favoured: Sequence[Optional[str]]) -> Column:
    if not column.who:
        return column
    rows = zip(column.cells, column.who, favoured)
    return replace(column, cells=tuple(replace(c, bold=who == winner) for c, who, winner in rows))


def _favoured(groups: Sequence[Group], row: int) -> Optional[str]:
    """The learner that the significant tests of a row agree on."""
    named = {c.favours[row] for group in groups for c in group.own if c.favours} - {None}
    return named.pop() if len(named) == 1 else None


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


def _together(document: Mapping[str, Any], column: Entries) -> Together:
    correction = corrections.read(document["spec"].get("correction", "none"))
    counts: dict[str, int] = {}
    for entry in _known(column):
        if entry["inference"] is not None:
            family = judge.family(entry, correction)[1]
            counts[family] = counts.get(family, 0) + 1
    return Together(correction.method, list(counts.values()), len(counts) > 1)


def _comparison_caption(
    document: Mapping[str, Any], rows: Sequence[tuple[str, str, str]], loss: str
) -> str:
    data = list(dict.fromkeys(data for data, _, _ in rows))
    where = data[0] if len(data) == 1 else f"{len(data)} data sets"
    what = f"{rows[0][1]} and {rows[0][2]}" if len(rows) == 1 else "learners A and B"
    sizes = "error rates in %" if is_rate(loss) else "mean losses"
    return f"Comparison of {what} on {where}: {sizes}, their difference and p-values."


def _comparison_notes(
    document: Mapping[str, Any], columns: Sequence[Entries], first: Group, loss: str
) -> tuple[Note, ...]:
    """`first` is the group of the test that decides: its difference, then its p-value."""
    decisive, *others = columns
    difference, p_value = (column.title for column in first.own[:2])
    test = title(_known(decisive)[0]["test"])
    alphas = sorted({i["alpha"] for i in _inferences(decisive)})
    alpha = listed([f"{value:g}" for value in alphas or [document["spec"].get("alpha", 0.05)]])
    what = "error rate" if is_rate(loss) else "mean loss"
    together = _together(document, decisive)
    bold = (
        f"Bold: the learner that {test}, the test that decides, finds significantly better at"
        f" α = {alpha} (two-sided{together.words()}), its {what}, and the p-value that says so."
    )
    if any(entry["options"].get("mu0") for entry in _known(decisive)):
        bold += " With mu0 it tests that difference, so its bold p-value favours nobody."
    direction = (
        f"The learner with the lower {what} is better: a positive A {MINUS} B means that A is"
        " worse."
    )
    brackets = _interval_note(document["verdicts"], decisive, together)
    notes = [
        Note((bold,), p_value),
        Note((f"{direction} {brackets}".rstrip(),), difference),
        Note((_training_note(document["comparisons"], document),)),
    ]
    if others:
        beside = (
            f"{'Other tests' if len(others) > 1 else 'The other test'}: p-values as they are, not"
            " corrected, to show how much depends on the choice of the test; they decide nothing."
        )
        study = judge.for_study(len(columns))
        notes.append(Note((f"{beside} {study}." if study else beside,)))
    margin = document["spec"].get("margin")
    if margin is not None:
        unit = f"{number(margin, loss)} percentage points" if is_rate(loss) else f"{margin:g}"
        alike = (
            f"{ALIKE} Equivalent: the interval of level 1 {MINUS} 2α lies inside ±{unit}, for each"
            " comparison by itself."
        )
        notes.append(Note((alike,), difference))
    return tuple(note for note in notes if any(note.words))


def _interval_note(verdicts: Verdicts, decisive: Entries, together: Together) -> str:
    inferences = _inferences(decisive)
    if inferences and not any(inference["interval"] for inference in inferences):
        return "The test that decides has no interval for the difference."
    if not any(verdict["interval"] for verdict in verdicts):
        return ""  # it failed, or has an interval without length
    told = "In brackets: its interval, by the test that decides"
    if any("picked" in inference["extra"] for inference in inferences):
        told += ", centred on the one difference that it tests, not on the mean"
    if not together.corrected:
        return f"{told}."
    return (
        f"{told}, for each comparison by itself, so that it can leave out 0 where the corrected"
        f" p-value is not below α; {together.simultaneous()} (Bonferroni) are in result.json."
    )


# --- intervals ---------------------------------------------------------------------------------


def interval_table(
    document: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> Optional[Table]:
    """Intervals that belong to a class or an average of classes, or those that do not."""
    if not entries:
        return None
    rows = list(dict.fromkeys((e["data"], e["learner"], e["averaging"] or "") for e in entries))
    at = {row: number_ for number_, row in enumerate(rows)}
    columns: dict[str, Entries] = {}
    for entry in entries:
        key = json.dumps([entry["interval"], entry["options"]], sort_keys=True)
        column = columns.setdefault(key, [None] * len(rows))
        column[at[entry["data"], entry["learner"], entry["averaging"] or ""]] = entry
    twice = _duplicates([_known(column)[0]["interval"] for column in columns.values()])
    gathered: dict[str, list[Column]] = {}
    for column in columns.values():
        known = _known(column)
        measure = known[0]["measure"]
        heading = measure[0].upper() + measure[1:]
        made = _interval_column(column, twice, document)
        gathered.setdefault(heading, []).append(made)
    data = list(dict.fromkeys(row[0] for row in rows))
    keys = [Column("Learner", tuple(Cell(row[1]) for row in rows))]
    if len(data) > 1:
        keys.insert(0, Column("Data", tuple(Cell(row[0]) for row in rows)))
    if any(row[2] for row in rows):
        keys.append(Column("Averaging", tuple(Cell(row[2]) for row in rows)))
    where = data[0] if len(data) == 1 else f"{len(data)} data sets"
    return Table(
        kind="intervals" if entries[0]["averaging"] is not None else "error-intervals",
        caption=_interval_caption(entries, where),
        keys=tuple(keys),
        groups=tuple(Group(heading, (), tuple(made)) for heading, made in gathered.items()),
        notes=_interval_notes(entries, document),
        block=tuple(row[0] for row in rows),
        notes_word="Intervals",
    )


#: What stands before the brackets of an interval.
SHOWN = {"confidence": "point estimate", "credible": "median of the posterior"}


def _kinds(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({e["result"]["kind"] for e in entries if e["result"] is not None})


def _interval_caption(entries: Sequence[Mapping[str, Any]], where: str) -> str:
    levels = sorted({e["result"]["level"] for e in entries if e["result"] is not None})
    kinds = _kinds(entries)
    noun = f"{kinds[0]} intervals" if len(kinds) == 1 else "intervals"
    shares = listed([f"{100 * level:g}" for level in levels] or [""])
    level = f"{shares} % {noun}" if levels else "Intervals"
    shown = SHOWN[kinds[0]] if len(kinds) == 1 else "estimate"
    return f"{level} of the learners on {where}: {shown} [lower, upper]."


def _interval_notes(
    entries: Sequence[Mapping[str, Any]], document: Mapping[str, Any]
) -> tuple[Note, ...]:
    """Which columns are credible and which confidence intervals, where there are both."""
    notes: list[str] = []
    if len(_kinds(entries)) > 1:
        for kind, shown in SHOWN.items():
            names = [e["interval"] for e in entries if e["result"] and e["result"]["kind"] == kind]
            titles = listed([title(name) for name in dict.fromkeys(names)])
            notes.append(f"{kind.capitalize()} intervals, with the {shown} before them: {titles}.")
    if any(e["result"] is not None and judge.is_accuracy(e["result"]) for e in entries):
        notes.append(
            "Micro averages of data with one label a record are accuracy, since every error is one"
            " false positive and one false negative: their credible interval is that of a"
            " proportion."
        )
    notes.append(_training_note(entries, document))
    return tuple(Note((note,)) for note in notes if note)


def _interval_column(column: Entries, twice: set[str], document: Mapping[str, Any]) -> Column:
    known = _known(column)
    name, options = known[0]["interval"], known[0]["options"]
    heading = title(name)
    if name in twice and options:
        heading += f" ({settings(options)})"
    key = _cite_of("interval", name, [entry["result"] for entry in known])
    notes: list[Union[str, Cite]] = [heading]
    notes += [" ", Cite(key)] if key else []
    scheme = _scheme_of(known, document["partitions"])
    notes += [f" on {scheme}"] if scheme else []
    cells = tuple(_interval_cell(entry) for entry in column)
    return Column(heading, cells, notes=tuple(notes), warning=_caution(known), left=True)


def _interval_cell(entry: Optional[Mapping[str, Any]]) -> Cell:
    if entry is None:
        return Cell("")
    result = entry["result"]
    if result is None:
        return Cell("failed", footnote=_shortened(entry["failed"]))
    told = result["note"] and not judge.is_accuracy(result)
    note = _shortened(result["note"]) if told else None
    point, lower, upper = (
        NONE if value is None else f"{value:.3f}".replace("-", MINUS)
        for value in (_shown_point(result), result["lower"], result["upper"])
    )
    if not note and result["lower"] is not None and (result["lower"] < 0 or result["upper"] > 1):
        note = "the symmetric interval reaches outside [0, 1]"
    return Cell(f"{point} [{lower}, {upper}]", footnote=note)


def _shown_point(result: Mapping[str, Any]) -> Optional[float]:
    """The plain score can lie outside the interval of its own posterior; the median cannot."""
    shown: Optional[float] = result["extra"].get("median", result["point"])
    return shown


# --- parts that fit ----------------------------------------------------------------------------

Measure = Callable[[str], float]


@dataclass(frozen=True)
class Paper:
    """How much fits, in any unit: `measure` gives the width of a text, `measure_bold` that of a
    bold one, `gap` that between columns.

    `widest_name` is what a name may take before it is broken when columns would have to go to
    another part; `narrowest_name` is what it is always given. `widest_title` is where the heading
    of a column is broken.
    """

    width: float
    gap: float
    measure: Measure
    measure_bold: Measure
    widest_name: float
    narrowest_name: float
    widest_title: float


def wrap(text: str, limit: float, measure: Measure) -> list[str]:
    """Lines of a name no wider than `limit`, broken at spaces or after punctuation if possible."""
    lines = []
    rest = " ".join(text.split())
    while len(rest) > 1 and measure(rest) > limit:
        end = 1
        while end < len(rest) and measure(rest[: end + 1]) <= limit:
            end += 1
        good = [at for at in range(end // 3 + 1, end + 1) if _breakable(rest[at - 1], rest[at])]
        end = good[-1] if good else end
        lines.append(rest[:end].strip())
        rest = rest[end:].strip()
    return [*lines, rest] if rest or not lines else lines


def _breakable(before: str, after: str) -> bool:
    return before in " _-,;:/.=+)]|&" or after == " " or (before.islower() and after.isupper())


def title_lines(text: str, limit: float, measure: Measure) -> list[str]:
    """A heading broken between words, and inside one only if it is wider than `limit`.

    The lines are as even as their number allows, so that none holds a single letter.
    """
    return list(_title_lines(text, limit, measure))


@functools.lru_cache(maxsize=4096)
def _title_lines(text: str, limit: float, measure: Measure) -> tuple[str, ...]:
    """Tried for every way to deal columns to tables, so remembered."""
    greedy = filled_lines(text, limit, measure)
    words = text.split()
    widest = max((measure(word) for word in words), default=0.0)
    for narrower in sorted({measure(run) for run in _runs(words)}):
        if widest <= narrower <= limit and len(filled_lines(text, narrower, measure)) <= len(
            greedy
        ):
            return tuple(filled_lines(text, narrower, measure))
    return tuple(greedy)


def _runs(words: Sequence[str]) -> list[str]:
    """Every run of neighbouring words."""
    ends = range(1, len(words) + 1)
    return [" ".join(words[start:end]) for end in ends for start in range(end)]


def filled_lines(text: str, limit: float, measure: Measure) -> list[str]:
    """Lines of a text, each as full as `limit` allows; only longer words are broken."""
    lines: list[str] = []
    for word in text.split():
        for piece in wrap(word, limit, measure):
            if lines and measure(f"{lines[-1]} {piece}") <= limit:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return lines or [""]


def column_width(column: Column, paper: Paper) -> float:
    heads = [
        paper.measure(line) for line in title_lines(column.title, paper.widest_title, paper.measure)
    ]
    cells = [
        # What `who` names may be bold in one part and not in another.
        (paper.measure_bold if cell.bold or column.who else paper.measure)(
            cell.text + " a)" * bool(cell.footnote)
        )
        for cell in column.cells
    ]
    return max([*heads, *cells])


def _key_widths(table: Table, paper: Paper) -> list[float]:
    # Which names are bold depends on the part.
    return [max(paper.measure_bold(cell.text) for cell in key.cells) for key in table.keys]


def name_limits(table: Table, room: float, paper: Paper) -> float:
    """The widest limit for a name at which all key columns fit into `room`."""
    natural = sorted(_key_widths(table, paper))
    left, columns = room, len(natural)
    for width in natural:
        if width > left / columns:
            return left / columns
        left, columns = left - width, columns - 1
    return natural[-1]


def columns_that_fit(table: Table, paper: Paper) -> tuple[list[tuple[Group, ...]], float]:
    """Groups of columns for each part, and the limit for the width of a name in all of them.

    As few parts as possible, and names as wide as that allows.
    """
    natural = _key_widths(table, paper)
    # Every group's width ends with a gap; the last column of a table has none.
    room = paper.width - paper.gap * (len(table.keys) - 1)
    all_in_one = sum(_group_width(group, group.own, paper) for group in table.groups)
    wanted = name_limits(table, room - all_in_one, paper)
    if wanted >= min(paper.widest_name, max(natural)):
        return [table.groups], wanted
    steps = 12
    step = (paper.widest_name - paper.narrowest_name) / steps
    tried = []
    for at in range(steps + 1):
        limit = min(paper.widest_name - at * step, max(natural))
        left = room - sum(min(width, limit) for width in natural)
        tried.append((_dealt(table, left, paper), limit))
    return min(tried, key=lambda one: (len(one[0]), -one[1]))


def _dealt(table: Table, room: float, paper: Paper) -> list[tuple[Group, ...]]:
    """Columns dealt to as many parts as they need; a column that never fits has its own."""
    parts: list[list[Group]] = [[]]
    used = 0.0
    for group in table.groups:
        here: list[Column] = []
        for column in group.own:
            without = _group_width(group, here, paper) if here else 0.0
            more = _group_width(group, [*here, column], paper) - without
            if used + more > room and (parts[-1] or here):
                if here:
                    parts[-1].append(Group(group.title, group.shared, tuple(here)))
                parts.append([])
                here, used = [], 0.0
                more = _group_width(group, [column], paper)
            here.append(column)
            used += more
        parts[-1].append(Group(group.title, group.shared, tuple(here)))
    return [tuple(part) for part in parts]


def _group_width(group: Group, own: Sequence[Column], paper: Paper) -> float:
    columns = [*group.shared, *own]
    inside = sum(column_width(column, paper) + paper.gap for column in columns)
    return max(inside, paper.measure(group.title) + paper.gap)


def parts(
    table: Table, paper: Paper, rows_for: Callable[[tuple[Group, ...], float], Sequence[range]]
) -> tuple[list[Part], float]:
    """The parts of a table and the limit for names; `rows_for` cuts the rows of some columns."""
    chosen, limit = columns_that_fit(table, paper)
    cut = [(groups, rows) for groups in chosen for rows in rows_for(groups, limit)]
    made = []
    for at, (groups, rows) in enumerate(cut):
        keys, shown = _emboldened(table, groups)
        part = Part(table, shown, keys, rows, at + 1, len(cut))
        made.append(replace(part, footnotes=_footnotes(part)))
    return made, limit


def _footnotes(part: Part) -> dict[str, str]:
    """A mark for each distinct footnote; too many of them share the last one."""
    texts = dict.fromkeys(
        column.cells[row].footnote
        for row in part.rows
        for column in part.columns
        if column.cells[row].footnote is not None
    )
    marks = "abcdefghijklmnopqrstuvwxyz"
    return {str(text): marks[min(at, MOST_FOOTNOTES)] for at, text in enumerate(texts)}


def footnotes(part: Part) -> list[tuple[str, str]]:
    """(mark, text) in order; the shared last mark gets a text of its own."""
    found: dict[str, str] = {}
    for text, mark in part.footnotes.items():
        shared = mark in found
        found[mark] = "further reasons, found in result.json" if shared else text
    return list(found.items())


# --- csv ---------------------------------------------------------------------------------------

CSV_COLUMNS = (
    "kind",
    "data",
    "a",
    "b",
    "name",
    "options",
    "scheme",
    "loss_a",
    "loss_b",
    "estimate",
    "lower",
    "upper",
    "level",
    "statistic",
    "null",
    "p_value",
    "p_corrected",
    "significant",
    "primary",
    "verdict",
    "better",
    "trained_on",
    "degenerate",
    "measure",
    "averaging",
    "note",
    "failed",
    "point",
)


def csv_text(document: Mapping[str, Any]) -> str:
    """One row per test of a comparison and per interval (its learner is `a`), full precision."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, CSV_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    verdicts = {(v["data"], v["a"], v["b"]): v["verdict"] for v in document["verdicts"]}
    for entry in document["comparisons"]:
        row = _comparison_row(entry, document["partitions"])
        if row["primary"]:
            row["verdict"] = verdicts[entry["data"], entry["a"], entry["b"]]
        writer.writerow(_filled(row))
    for entry in document["intervals"]:
        writer.writerow(_filled(_interval_row(entry, document["partitions"])))
    return stream.getvalue()


def _comparison_row(entry: Mapping[str, Any], partitions: Any) -> dict[str, Any]:
    row = {
        "kind": "comparison",
        **{key: entry[key] for key in ("data", "a", "b", "better", "failed", "p_corrected")},
        "name": entry["test"],
        "primary": entry["sentence"] is not None,
        "trained_on": entry["trained_on"],
        "options": _options(entry),
        "scheme": _scheme_of([entry], partitions),
        "significant": entry["reject_corrected"],
    }
    inference = entry["inference"]
    if inference is not None:
        lower, upper = inference["interval"] or (None, None)
        null = inference["null"]
        row |= {key: inference[key] for key in ("estimate", "statistic", "p_value", "degenerate")}
        row |= {key: inference["extra"][key] for key in ("loss_a", "loss_b")}
        row |= {"lower": lower, "upper": upper, "note": inference["note"]}
        row |= {"level": 1 - inference["alpha"]}
        row["null"] = " ".join([null["family"], *(f"{p:.6g}" for p in null["parameters"])])
    return row


def _interval_row(entry: Mapping[str, Any], partitions: Any) -> dict[str, Any]:
    row = {
        "kind": "interval",
        **{key: entry[key] for key in ("data", "measure", "averaging", "failed", "trained_on")},
        "a": entry["learner"],
        "name": entry["interval"],
        "options": _options(entry),
        "scheme": _scheme_of([entry], partitions),
    }
    if entry["result"] is not None:
        keys = ("lower", "upper", "level", "degenerate", "note")
        row |= {key: entry["result"][key] for key in keys}
        row |= {"estimate": _shown_point(entry["result"]), "point": entry["result"]["point"]}
    return row


def _options(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry["options"], sort_keys=True) if entry["options"] else ""


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    words = {True: "true", False: "false", None: ""}
    return {
        k: words[v] if v is None or isinstance(v, bool) else csv_cell(v) for k, v in row.items()
    }


# --- small things ------------------------------------------------------------------------------


def _known(column: Entries) -> list[Mapping[str, Any]]:
    return [entry for entry in column if entry is not None]


def _inference(entry: Optional[Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    return None if entry is None else entry["inference"]


def _inferences(column: Entries) -> list[Mapping[str, Any]]:
    return [i for i in (_inference(entry) for entry in column) if i is not None]


def _scheme_of(entries: Sequence[Mapping[str, Any]], partitions: Any) -> str:
    """The schemes of a test in words, over all data sets that it was run on."""
    named = []
    beside = [partitions[at] for entry in entries for at in entry["partitions"]]
    for entry in entries:
        titles = [scheme_title(partitions[at], beside) for at in entry["partitions"]]
        if len(titles) == 2 and titles[0] == titles[1]:
            titles = [titles[0], "own folds"]
        named.append(" + ".join(titles))
    return " / ".join(dict.fromkeys(named))


def _cite_of(kind: str, name: str, results: Sequence[Optional[Mapping[str, Any]]]) -> Optional[str]:
    """The source that the results name; where all failed, the one that the registry has."""
    for result in results:
        if result is not None:
            return str(result["cite"])
    from cvinfer.inference import intervals, tests

    declared = (tests() if kind == "test" else intervals()).get(name)
    return None if declared is None else declared.cite


def _duplicates(names: Sequence[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def _shortened(text: str) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= LONGEST_FOOTNOTE else flat[: LONGEST_FOOTNOTE - 1] + "…"
