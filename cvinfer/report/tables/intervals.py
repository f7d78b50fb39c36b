"""The tables of intervals: those of classes or averages of classes, and the others."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional, Sequence, Union

from cvinfer.analysis import judge
from cvinfer.analysis.words import MINUS, NONE, listed, settings, title
from cvinfer.report.tables.entries import (
    Entries,
    caution_of,
    cite_of,
    duplicates,
    present,
    scheme_of,
    shortened,
    shown_point,
    training_note,
)
from cvinfer.report.tables.model import Cell, Cite, Column, Group, Note, Table

#: What stands before the brackets of an interval.
SHOWN = {"confidence": "point estimate", "credible": "median of the posterior"}


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
    twice = duplicates([present(column)[0]["interval"] for column in columns.values()])
    gathered: dict[str, list[Column]] = {}
    for column in columns.values():
        known = present(column)
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
    notes.append(training_note(entries, document))
    return tuple(Note((note,)) for note in notes if note)


def _interval_column(column: Entries, twice: set[str], document: Mapping[str, Any]) -> Column:
    known = present(column)
    name, options = known[0]["interval"], known[0]["options"]
    heading = title(name)
    if name in twice and options:
        heading += f" ({settings(options)})"
    key = cite_of("interval", name, [entry["result"] for entry in known])
    notes: list[Union[str, Cite]] = [heading]
    notes += [" ", Cite(key)] if key else []
    scheme = scheme_of(known, document["partitions"])
    notes += [f" on {scheme}"] if scheme else []
    cells = tuple(_interval_cell(entry) for entry in column)
    return Column(heading, cells, notes=tuple(notes), warning=caution_of(known), left=True)


def _interval_cell(entry: Optional[Mapping[str, Any]]) -> Cell:
    if entry is None:
        return Cell("")
    result = entry["result"]
    if result is None:
        return Cell("failed", footnote=shortened(entry["failed"]))
    told = result["note"] and not judge.is_accuracy(result)
    note = shortened(result["note"]) if told else None
    point, lower, upper = (
        NONE if value is None else f"{value:.3f}".replace("-", MINUS)
        for value in (shown_point(result), result["lower"], result["upper"])
    )
    if not note and result["lower"] is not None and (result["lower"] < 0 or result["upper"] > 1):
        note = "the symmetric interval reaches outside [0, 1]"
    return Cell(f"{point} [{lower}, {upper}]", footnote=note)
