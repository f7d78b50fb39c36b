"""How often the tests of a comparison claim what is not so, on its own records (calibrate.json)."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from cvinfer.analysis.words import MINUS, NONE, count_text, listed, percent
from cvinfer.documents import JsonObject
from cvinfer.report.kinds import Kind, Rows, Section, kinds
from cvinfer.report.kinds._named import options_text, name_of_test
from cvinfer.report.studies.read import percent_text, rate_text, value_se_text
from cvinfer.report.tables.model import Cell, Column, Group, Note, Table

#: A rate is marked where it is above alpha by more than so many standard errors.
MARKED = 3.0

Show = Callable[[JsonObject], Cell]


def recognises(document: JsonObject) -> bool:
    return "calibrate" in document


# --- words ----------------------------------------------------------------------------------------


def opening(document: JsonObject) -> list[str]:
    said = [_advice(document), *_held(document), *_unknown(document), _twins(document)]
    return [*(each for each in said if each), _shown(document), _not_shown(document)]


def _advice(document: JsonObject) -> str:
    """The primary test to take, or that none held."""
    found, choice = document["recommended"], document["choice"]
    checked = [entry for entry in choice if entry["held"] is not None]
    if found is None:
        if not checked:
            return "None of these tests can be held against a true difference."
        return (
            f"None of {count_text(len(checked), 'test')} held: each made more false claims than its"
            " alpha allows, beyond chance. Take none of them for these data and learners; --set"
            " tests=all tries every other."
        )
    entry = next(
        e for e in choice if (e["test"], e["options"]) == (found["test"], found["options"])
    )
    name = name_of_test(entry, document)
    held = f"it made false claims in {_percent(entry['rate'])} of the sets"
    power = f"rejected that there is no difference in {_percent(entry['power'])}"
    reasons = {
        "only": "no other test held" if len(checked) > 1 else "no other test was tried",
        "most": f"of those that held it found most: it {power}",
        "shortest": f"of those that held and found as much ({power}) it has the shortest interval",
        "first": f"of those that held and found as much ({power}) it comes first",
    }
    return f"Take {found['test']} ({name}) as primary test: {held}, and {reasons[found['why']]}."


def _held(document: JsonObject) -> list[str]:
    """Which tests held and which did not, with their rates."""
    said = []
    for held, words in ((True, "Held"), (False, "Did not hold")):
        entries = [entry for entry in document["choice"] if entry["held"] is held]
        if entries:
            named = [
                f"{name_of_test(each, document)} ({_percent(each['rate'])})" for each in entries
            ]
            said.append(f"{words}, with the rate of false claims: {listed(named)}.")
    return said


def _unknown(document: JsonObject) -> list[str]:
    entries = [entry for entry in document["choice"] if entry["held"] is None]
    if not entries:
        return []
    named = listed([name_of_test(entry, document) for entry in entries])
    return [
        f"{named}: neither an interval nor another hypothesis than no difference, so that nothing"
        " is known of false claims about the true one."
    ]


def _twins(document: JsonObject) -> str:
    random = [(one["name"], name) for one in document["data"] for name in one["random"]]
    if not random:
        return (
            "No learner is random: with other seeds each predicted the same, so that comparing one"
            " with itself has nothing to show."
        )
    names = listed(list(dict.fromkeys(name for _, name in random)))
    bad = [entry for entry in document["same"] if (entry["above"] or 0.0) > MARKED]
    are = f"{names} against itself" if len(set(n for _, n in random)) == 1 else f"{names} each"
    against = are if "itself" in are else f"{are} against itself"
    if not bad:
        return (
            f"{against}, with two seeds on the same splits, where every rejection is false: no test"
            " rejects more often than its alpha by more than chance."
        )
    found = [f"{name_of_test(e, document)} ({e['learner']}, {_percent(e['rate'])})" for e in bad]
    return (
        f"{against}, with two seeds on the same splits, where every rejection is false: more often"
        f" than alpha by more than chance: {listed(found)}."
    )


def _shown(document: JsonObject) -> str:
    sets = [
        f"{one['drawn']:,} of the {one['n']:,} records of {one['name']}" for one in document["data"]
    ]
    count = document["calibrate"]["replications"]
    return (
        f"What this shows: with these learners, on {count:,} sets of {listed(sets)}, how often a"
        " test says of the difference between two learners, trained on as many records as the test"
        " trains them on, what is not so. The true difference is the mean over as many trainings,"
        " measured on the records not trained on. A set that is a good part of all records lies"
        " closer to them than one from a large population; distances from the truth are stretched"
        " to make up for that."
    )


def _not_shown(document: JsonObject) -> str:
    count = document["calibrate"]["replications"]
    alpha = document["spec"]["alpha"]
    error = (alpha * (1 - alpha) / count) ** 0.5
    return (
        "What it does not show: a comparison of all records has more of them, and error rates there"
        " can be others. The records are one sample; what holds for them need not for every source"
        f" like theirs. And {count:,} sets tell rates only within about {200 * error:.1f} points of"
        f" {percent(alpha)}."
    )


def sections(document: JsonObject) -> list[Section]:
    found = document["warnings"]
    return [Section("Warnings", found)] if found else []


# --- tables ---------------------------------------------------------------------------------------


def tables(document: JsonObject) -> list[Table]:
    made = [_test_table(document)] if document["tests"] else []
    return [*made, _same_table(document)] if document["same"] else made


def _test_table(document: JsonObject) -> Table:
    entries = document["tests"]
    columns: list[tuple[str, Show]] = [
        ("False claims", _shown_rate),
        ("Truth", lambda e: Cell(_points(e["truth"], e["truth_se"]))),
        ("Trained on", lambda e: Cell(f"{e['trained_on']:,}")),
        ("Length", lambda e: Cell(NONE if e["length"] is None else f"{100 * e['length']:.2f}")),
        ("Power", lambda e: Cell(percent_text(e["power"], e["replications"]))),
    ]
    alphas = listed(sorted({percent(entry["alpha"]) for entry in entries}))
    caption = (
        f"False claims about the true difference in % at α = {alphas}:"
        f" {count_text(document['calibrate']['replications'], 'set')}."
    )
    words = (
        "In brackets: Wilson's interval at 95 %. Truth: error rate of A minus that of B, in"
        " percentage points, at the test's own training size. Length: of the interval, in points."
        " Power: how often no difference is rejected, in %."
    )
    notes = [Note((words,)), *_marks(entries)]
    return _table("tests", caption, document, entries, columns, notes, ("a", "b"))


def _same_table(document: JsonObject) -> Table:
    entries = document["same"]
    alphas = listed(sorted({percent(entry["alpha"]) for entry in entries}))
    caption = (
        f"A learner against itself with two seeds, rejections in % at α = {alphas}; all are false:"
        f" {count_text(document['calibrate']['replications'], 'set')}."
    )
    notes = [Note(("In brackets: Wilson's interval at 95 %.",)), *_marks(entries)]
    columns = [("False claims", _shown_rate)]
    return _table("same", caption, document, entries, columns, notes, ("learner",))


def _marks(entries: Sequence[JsonObject]) -> list[Note]:
    found = []
    if any(_too_often(entry) for entry in entries):
        text = f"Bold: above α by more than {MARKED:g} standard errors, beyond chance."
        found.append(Note((text,)))
    counts = {field: sum(e[field] for e in entries) for field in ("degenerate", "failed")}
    counted = ", ".join(f"{count:,} {field}" for field, count in counts.items() if count)
    if counted:
        found.append(Note((f"Among all results: {counted}; a degenerate one claims nothing.",)))
    return found


def _table(
    kind: str,
    caption: str,
    document: JsonObject,
    entries: Sequence[JsonObject],
    columns: Sequence[tuple[str, Show]],
    notes: Sequence[Note],
    who: Sequence[str],
) -> Table:
    heads = {"data": "Data", "a": "A", "b": "B", "learner": "Learner"}
    keys = [
        Column(heads[field], tuple(Cell(entry[field]) for entry in entries))
        for field in ("data", *who)
    ]
    several = [key for key in keys if len(set(key.cells)) > 1 or key.title == "Learner"]
    test = Column("Test", tuple(Cell(name_of_test(entry, document)) for entry in entries))
    own = tuple(Column(head, tuple(show(entry) for entry in entries)) for head, show in columns)
    block = tuple(str(entry["data"]) for entry in entries)
    return Table(kind, caption, (*several, test), (Group("", (), own),), tuple(notes), block, "")


def _shown_rate(entry: JsonObject) -> Cell:
    return Cell(rate_text(entry), bold=_too_often(entry))


def _too_often(entry: JsonObject) -> bool:
    return (entry["above"] or 0.0) > MARKED


def _points(value: Optional[float], error: Optional[float]) -> str:
    """A difference of error rates in percentage points."""
    if value is None:
        return NONE
    if error is None:
        return f"{100 * value:.2f}".replace("-", MINUS)
    return value_se_text(100 * value, 100 * error)


def _percent(share: Optional[float]) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


# --- rows and pictures ----------------------------------------------------------------------------

COLUMNS = (
    "kind",
    "data",
    "a",
    "b",
    "learner",
    "name",
    "options",
    "scheme",
    "by",
    "alpha",
    "trained_on",
    "truth",
    "truth_se",
    "stretch",
    "replications",
    "failed",
    "degenerate",
    "false_claims",
    "rate",
    "se",
    "lower",
    "upper",
    "above",
    "unstretched",
    "length",
    "estimate",
    "rejections",
    "power",
    "power_se",
)


def rows(document: JsonObject) -> Rows:
    """One row for each test of a pair, and one for each test of a learner against itself."""
    return Rows(COLUMNS, _rows(document))


def _rows(document: JsonObject) -> Iterator[Mapping[str, Any]]:
    for kind in ("tests", "same"):
        for entry in document[kind]:
            row = {**entry, "kind": kind, "name": entry["test"]}
            row["options"] = options_text(entry)
            yield {key: value for key, value in row.items() if key in COLUMNS}


def pictured(document: JsonObject) -> JsonObject:
    """The rates of false claims as type I errors of a study, which plots are made from.

    H0 of such a cell is that the difference is the true one.
    """
    cells = [
        {
            **{key: entry[key] for key in ("a", "b", "options", "alpha", "replications", "failed")},
            **{key: entry[key] for key in ("rate", "se", "lower", "upper")},
            "at": {"data": entry["data"]},
            "kind": "test",
            "name": entry["test"],
            "mu0": "truth",
        }
        for entry in document["tests"]
        if entry["rate"] is not None
    ]
    return {"name": document["name"], "study": {}, "spec": document["spec"], "cells": cells}


kinds.add("calibrate", Kind("calibrate", recognises, tables, opening, sections, rows), __name__)
