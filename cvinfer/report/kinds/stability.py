"""One comparison, partitioned anew many times (stability.json)."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from cvinfer.analysis.words import NONE, count_text, p_text, title
from cvinfer.documents import JsonObject
from cvinfer.report.kinds import Kind, Rows, Section, kinds
from cvinfer.report.kinds._named import options_text, name_of_test
from cvinfer.report.tables.model import Cell, Column, Group, Note, Table

#: Verdicts as one says them of so many partitions, and at the head of a column.
SAID = {
    "a_better": ("say {a} is better", "says {a} is better", "A better"),
    "b_better": ("say {b} is better", "says {b} is better", "B better"),
    "equivalent": ("say both are equivalent", "says both are equivalent", "equivalent"),
    "undecided": ("are undecided", "is undecided", "undecided"),
    "no_result": ("have no result", "has no result", "no result"),
}
#: Columns that stand even where no partition said so.
ALWAYS = ("a_better", "b_better", "undecided")
SPREAD = ("min", "q1", "median", "q3", "max")
MEANING = (
    "Every run has the same records, and splits of its own: this is what chance in partitioning"
    " alone does to the results. Other records from the same source would differ by more."
)

Show = Callable[[JsonObject], Cell]


def recognises(document: JsonObject) -> bool:
    return "stability" in document


# --- words ----------------------------------------------------------------------------------------


def opening(document: JsonObject) -> list[str]:
    said = [_verdict(entry) for entry in document["verdicts"]]
    shaky = _shakiest(document)
    return [*said, *([shaky] if shaky else []), MEANING]


def _verdict(entry: JsonObject) -> str:
    """What the partitions say of one pair."""
    made = entry["runs"] - entry["failed"]
    where = f"On {entry['data']}, {entry['a']} against {entry['b']}"
    if not made:
        return f"{where}: none of {count_text(entry['runs'], 'partition')} has a result."
    counts = [(name, k) for name, k in entry["counts"].items() if k]
    if len(counts) == 1:
        found = f"all {made:,} partitions {_words(entry, counts[0][0], True)}"
    else:
        first, *rest = sorted(counts, key=lambda each: -int(each[1]))
        parts = [f"{first[1]:,} of {made:,} partitions {_words(entry, first[0], first[1] > 1)}"]
        parts += [f"{k:,} {_words(entry, name, k > 1)}" for name, k in rest]
        found = ", ".join(parts)
    lost = f" ({entry['failed']:,} more could not be made)" if entry["failed"] else ""
    value = entry["replicability"]
    again = "" if value is None else f"; {_again(entry, made)}"
    return f"{where}: {found}{lost}{again} ({entry['primary']})."


def _words(entry: JsonObject, name: str, several: bool) -> str:
    return SAID[name][0 if several else 1].format(a=entry["a"], b=entry["b"])


def _again(entry: JsonObject, made: int) -> str:
    """What another partition would do."""
    if not entry["flips"]:
        # So many in a row are as rare as 5 % where a larger share says otherwise.
        most = 1.0 - 0.05 ** (1.0 / made)
        return f"no more than {100 * most:.2g} % of all partitions say otherwise (95 % bound)"
    error = f" ± {entry['se']:.2f}" if entry["se"] else ""
    return (
        "another partition would agree with yours with probability"
        f" {entry['replicability']:.2f}{error}"
    )


def _shakiest(document: JsonObject) -> str:
    """The test whose decision hangs most on the partition, where there are several tests."""
    every = [entry for entry in document["tests"] if entry["replicability"] is not None]
    if len({(entry["test"], options_text(entry)) for entry in every}) < 2:
        return ""
    by_test: dict[str, list[float]] = {}
    for entry in every:
        by_test.setdefault(name_of_test(entry, document), []).append(entry["replicability"])
    means = {name: sum(each) / len(each) for name, each in by_test.items()}
    worst, best = min(means, key=lambda n: means[n]), max(means, key=lambda n: means[n])
    if means[worst] == means[best]:
        return f"All tests agree with themselves as often: R = {means[best]:.2f}."
    return (
        f"Of the tests, {worst} hangs most on the partition (R = {means[worst]:.2f}) and {best}"
        f" least ({means[best]:.2f}): R is the probability that two partitions lead to the same"
        " decision."
    )


def sections(document: JsonObject) -> list[Section]:
    found = document["warnings"]
    return [Section("Warnings", found)] if found else []


# --- tables ---------------------------------------------------------------------------------------


def tables(document: JsonObject) -> list[Table]:
    made = [_verdict_table(document)] if document["verdicts"] else []
    return [*made, _test_table(document)] if document["tests"] else made


def _verdict_table(document: JsonObject) -> Table:
    entries = document["verdicts"]
    shown = [
        name for name in SAID if name in ALWAYS or any(entry["counts"][name] for entry in entries)
    ]

    def counted(name: str) -> Show:
        return lambda entry: Cell(f"{entry['counts'][name]:,}")

    columns = [(SAID[name][2], counted(name)) for name in shown]
    columns += [("R", lambda entry: Cell(_decimal(entry["replicability"])))]
    caption = f"Verdicts of {count_text(document['stability']['runs'], 'partition')}"
    correction = _correction(document)
    note = "R: probability that two partitions lead to the same verdict."
    notes = [Note((f"The primary test decides{correction}. {note}",))]
    if any(entry["failed"] for entry in entries):
        columns.append(("failed", lambda entry: Cell(f"{entry['failed']:,}")))
    names = [("Data", "data"), ("A", "a"), ("B", "b")]
    keys = [_key(head, [str(entry[field]) for entry in entries]) for head, field in names]
    keys.append(_key("Primary test", [title(entry["primary"]) for entry in entries]))
    return _table("verdicts", f"{caption}.", keys, columns, entries, notes)


def _test_table(document: JsonObject) -> Table:
    entries = document["tests"]

    def p(field: str) -> Show:
        def shown(entry: JsonObject) -> Cell:
            found = entry["p"]
            return Cell(NONE if found is None else p_text(found[field], entry["alpha"]))

        return shown

    columns: list[tuple[str, Show]] = [
        ("Rejected", lambda entry: Cell(f"{entry['rejections']:,}", bold=_flips(entry)))
    ]
    corrected = _correction(document)
    if corrected:
        columns.append(("Corrected", lambda entry: Cell(f"{entry['rejections_corrected']:,}")))
    columns.append(("R", lambda entry: Cell(_decimal(entry["replicability"]))))
    columns += [(f"p {name}", p(name)) for name in SPREAD]
    caption = f"Decisions and p-values of {count_text(document['stability']['runs'], 'partition')}."
    notes = [Note(("R: probability that two partitions lead to the same decision.",))]
    if any(_flips(entry) for entry in entries):
        notes.append(Note(("Bold: partitions do not all lead to the same decision.",)))
    lost = {field: sum(e[field] for e in entries) for field in ("degenerate", "failed")}
    counted = ", ".join(f"{count:,} {field}" for field, count in lost.items() if count)
    if counted:
        notes.append(Note((f"Among all decisions: {counted}; they have no p-value here.",)))
    keys = [
        _key("Data", [entry["data"] for entry in entries]),
        _key("A", [entry["a"] for entry in entries]),
        _key("B", [entry["b"] for entry in entries]),
        _key("Test", [name_of_test(entry, document) for entry in entries]),
    ]
    return _table("tests", caption, keys, columns, entries, notes)


def _key(head: str, texts: Sequence[str]) -> Column:
    return Column(head, tuple(Cell(text) for text in texts))


def _table(
    kind: str,
    caption: str,
    keys: Sequence[Column],
    columns: Sequence[tuple[str, Show]],
    entries: Sequence[JsonObject],
    notes: Sequence[Note],
) -> Table:
    own = tuple(Column(head, tuple(show(entry) for entry in entries)) for head, show in columns)
    # What is the same in every row is left to the sentences above; the last key always stays.
    *names, last = keys
    kept = [key for key in names if len(set(key.cells)) > 1]
    block = tuple(str(entry["data"]) for entry in entries)
    return Table(kind, caption, (*kept, last), (Group("", (), own),), tuple(notes), block, "")


def _flips(entry: JsonObject) -> bool:
    return bool(entry["flips"])


def _decimal(value: Optional[float]) -> str:
    return NONE if value is None else f"{value:.3f}"


def _correction(document: JsonObject) -> str:
    """How p-values are corrected, in words; nothing where there is nothing to correct."""
    from cvinfer.analysis.words import correction_word
    from cvinfer.inference import correction

    method = correction.read(document["spec"]["correction"]).method
    if method == "none" or len(document["verdicts"]) < 2:
        return ""
    return f", its p-values corrected by {correction_word(method)}"


# --- rows and pictures ----------------------------------------------------------------------------

COLUMNS = (
    "kind",
    "data",
    "a",
    "b",
    "name",
    "options",
    "scheme",
    "trained_on",
    "alpha",
    "primary",
    "runs",
    "failed",
    "degenerate",
    "rejections",
    "rejections_corrected",
    *SAID,
    "flips",
    "replicability",
    "se",
    *(f"p_{name}" for name in SPREAD),
    *(f"estimate_{name}" for name in SPREAD),
)


def rows(document: JsonObject) -> Rows:
    """One row for each verdict, and one for each test of a pair."""
    return Rows(COLUMNS, _rows(document))


def _rows(document: JsonObject) -> Iterator[Mapping[str, Any]]:
    for entry in document["verdicts"]:
        row = {**entry, **entry["counts"], "kind": "verdict", "name": entry["primary"]}
        yield {**_known(row), "primary": True}
    for entry in document["tests"]:
        row = {**entry, "kind": "test", "name": entry["test"]}
        row["options"] = options_text(entry)
        for field in ("p", "estimate"):
            row.update({f"{field}_{key}": each for key, each in (entry[field] or {}).items()})
        yield _known(row)


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key in COLUMNS}


def pictured(document: JsonObject) -> JsonObject:
    """The p-values as cells of a study, which plots are made from."""
    cells = [
        {
            **{key: entry[key] for key in ("a", "b", "options", "alpha", "p_values")},
            "at": {"data": entry["data"]},
            "kind": "p-values",
            "name": entry["test"],
        }
        for entry in document["tests"]
        if entry["p"] is not None
    ]
    return {"name": document["name"], "study": {}, "spec": document["spec"], "cells": cells}


kinds.add("stability", Kind("stability", recognises, tables, opening, sections, rows), __name__)
