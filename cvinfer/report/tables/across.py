"""The tables of many data sets: the grid of mean values, and what the tests say of each pair."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from cvinfer.analysis.words import (
    NONE,
    is_rate,
    listed,
    mean_name,
    measures_of,
    number,
    p_equation,
    p_text,
    title,
)
from cvinfer.report.tables.entries import rights_note, shortened
from cvinfer.report.tables.grid import grid_of, grid_table
from cvinfer.report.tables.model import Cell, Cite, Column, Group, Note, Table

Entry = Mapping[str, Any]


def across_tables(document: Entry) -> list[Table]:
    """Grid and pairs of every measure; no pairs where data sets are not compared together."""
    made = []
    for measure in measures_of(document):
        made += [each for each in (grid_of_measure(document, measure),) if each is not None]
        made += across_pairs(document, measure)
    return made


def grid_of_measure(document: Entry, measure: str) -> Optional[Table]:
    """The grid, with what is said of all data sets together below it."""
    grid = grid_of(document, measure)
    if grid is None:
        return None
    entries = [each for each in document.get("across", ()) if each["measure"] == measure]
    notes = [note for entry in entries for note in _grid_notes(document, entry)]
    return grid_table(document, grid, _kind("across", document, measure), notes)


def across_pairs(document: Entry, measure: Optional[str] = None) -> list[Table]:
    """The tables of pairs over all data sets, by one measure or by all."""
    return [
        _pairs(document, entry)
        for entry in document.get("across", ())
        if entry["wins"] and measure in (None, entry["measure"])
    ]


def _kind(name: str, document: Entry, measure: str) -> str:
    """One of each kind for each measure."""
    return name if measures_of(document)[0] == measure else f"{name}-{measure}"


def _grid_notes(document: Entry, entry: Entry) -> tuple[Note, ...]:
    """What is said of all data sets together."""
    notes = [_test_note(test, document) for test in entry["tests"] if _is_of_all(test)]
    if entry["note"]:
        notes.append((entry["note"],))
    gone = [each for each in entry["left_out"] if each["data"] not in entry["data"]]
    if gone:
        said = "; ".join(f"{each['data']} ({shortened(each['why'])})" for each in gone)
        notes.append((f"Data sets that could not be used: {said}.",))
    notes.append((rights_note(document),))
    return tuple(Note(words) for words in notes if words != ("",))


def _is_of_all(test: Entry) -> bool:
    """Whether a test is no test of one pair among others."""
    return "a" not in test or test["p_value"] is not None


def _test_note(test: Entry, document: Entry) -> tuple[Union[str, Cite], ...]:
    alpha = document["spec"]["alpha"]
    head: tuple[Union[str, Cite], ...] = (f"{title(test['name'])} ", Cite(test["cite"]), ": ")
    if test["degenerate"]:
        return (*head, f"{test['note']}.")
    if "critical_difference" in test:
        words = f"mean ranks that are {test['critical_difference']:.2f} apart differ at {alpha:g}."
        return (*head, words)
    if "against" in test:
        said = [f"{e['learner']} p {p_equation(e['p_corrected'], alpha)}" for e in test["against"]]
        return (*head, f"{test['control']}; corrected, {listed(said)}.")
    from cvinfer.analysis.together import statistic_text  # needs numpy

    p = "" if test["p_value"] is None else f"p {p_equation(test['p_value'], alpha)}"
    return (*head, f"{statistic_text(test)}{p}.")


# --- pairs ----------------------------------------------------------------------------------------


def _pairs(document: Entry, entry: Entry) -> Table:
    """One row a pair: verdicts, the p-value of its mean ranks, posterior probabilities."""
    rows = [(each["a"], each["b"]) for each in entry["wins"]]
    wins = tuple(Cell(f"{e['win']}/{e['tie']}/{e['loss']}") for e in entry["wins"])
    columns = [Column("Win/tie/loss", wins)]
    columns += _p_columns(document, entry, rows)
    columns += _posterior_columns(entry, rows)
    keys = tuple(
        Column(head, tuple(Cell(row[at]) for row in rows)) for at, head in enumerate(("A", "B"))
    )
    return Table(
        kind=_kind("across-pairs", document, entry["measure"]),
        caption=(
            f"Pairs of learners over {len(entry['data'])} data sets, by"
            f" {mean_name(entry['measure'])}."
        ),
        keys=keys,
        groups=(Group("", (), tuple(columns)),),
        notes=_pair_notes(entry),
        block=("",) * len(rows),
        notes_word="Tests",
    )


def _p_columns(document: Entry, entry: Entry, rows: Sequence[tuple[str, str]]) -> list[Column]:
    """p-values that a test has for every pair of all learners."""
    alpha, made = document["spec"]["alpha"], []
    for test in entry["tests"]:
        p = {frozenset(each["pair"]): each["p_value"] for each in test.get("pairs", ())}
        if p:
            cells = tuple(Cell(p_text(p[frozenset(row)], alpha)) for row in rows)
            notes = (f"{title(test['name'])} ", Cite(test["cite"]), " for all pairs together")
            made.append(Column(f"p, {title(test['name'])}", cells, notes=notes))
    return made


def _posterior_columns(entry: Entry, rows: Sequence[tuple[str, str]]) -> list[Column]:
    found = {(e["a"], e["b"]): e for e in entry["tests"] if "p_equivalent" in e}
    if not found:
        return []
    margin = next(iter(found.values()))["margin"]
    keys = {
        "p_a_better": "P(A)",
        "p_equivalent": "P(equiv.)",
        "p_b_better": "P(B)",
    }
    shown = {key: head for key, head in keys.items() if margin or key != "p_equivalent"}
    return [
        Column(
            head, tuple(Cell(f"{found[row][key]:.3f}" if row in found else NONE) for row in rows)
        )
        for key, head in shown.items()
    ]


def _pair_notes(entry: Entry) -> tuple[Note, ...]:
    test = next((each for each in entry["tests"] if "p_equivalent" in each), None)
    if test is None:
        return ()
    measure, half = entry["measure"], test["margin"]
    unit = " percentage points" if is_rate(measure) else ""
    within = f", equivalent within ±{number(half, measure)}{unit}" if half else ""
    words = (
        f"P(A), P(B): posterior probability that A or B is better (Bayesian signed ranks{within}) ",
        Cite(test["cite"]),
        "; no error rates, and they decide nothing.",
    )
    return (Note(words),)
