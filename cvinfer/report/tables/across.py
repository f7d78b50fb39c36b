"""The tables of many data sets: the grid of mean values, and what the tests say of each pair."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from cvinfer.analysis.words import (
    NONE,
    is_rate,
    listed,
    mean_name,
    number,
    p_equation,
    p_text,
    title,
)
from cvinfer.report.tables.entries import rights_note, shortened
from cvinfer.report.tables.model import Cell, Cite, Column, Group, Note, Table

Entry = Mapping[str, Any]


def across_tables(document: Entry) -> list[Table]:
    """Grid and pairs of every measure; none where data sets are not compared together."""
    made = []
    for entry in document.get("across", ()):
        made.append(_grid(document, entry))
        if entry["wins"]:
            made.append(_pairs(document, entry))
    return made


# --- the grid -------------------------------------------------------------------------------------


def _grid(document: Entry, entry: Entry) -> Table:
    """One row a data set, then mean ranks and wins, one column a learner."""
    measure = entry["measure"]
    why = {each["data"]: each["why"] for each in entry["left_out"]}
    names = [*entry["data"], "Mean rank", "Win/tie/loss"]
    # Data sets that could not be read have no row of values, and a note of their own.
    keys = tuple(Cell(name, footnote=_footnote(why.get(name))) for name in entry["data"])
    columns = []
    for at, learner in enumerate(entry["learners"]):
        values = [NONE if row[at] is None else number(row[at], measure) for row in entry["means"]]
        rank = NONE if entry["ranks"] is None else f"{entry['ranks'][at]:.2f}"
        wins = "/".join(map(str, wins_of(entry, learner)))
        cells = tuple(map(Cell, [*values, rank, wins]))
        columns.append(Column(learner, cells))
    return Table(
        kind=_kind("across", document, entry),
        caption=_grid_caption(entry),
        keys=(Column("Data set", (*keys, Cell("Mean rank"), Cell("Win/tie/loss"))),),
        groups=(Group(_unit(measure), (), tuple(columns)),),
        notes=_grid_notes(document, entry),
        block=tuple("" if at < len(entry["data"]) else "all" for at in range(len(names))),
        notes_word="Learners",
    )


def wins_of(entry: Entry, learner: str) -> tuple[int, int, int]:
    """How often a learner won, tied and lost by verdict, over all its pairs and data sets."""
    won = tied = lost = 0
    for each in entry["wins"]:
        if learner in (each["a"], each["b"]):
            first = each["a"] == learner
            won += each["win"] if first else each["loss"]
            lost += each["loss"] if first else each["win"]
            tied += each["tie"]
    return won, tied, lost


def _kind(name: str, document: Entry, entry: Entry) -> str:
    """One of each kind for each measure."""
    first = document["across"][0]["measure"] == entry["measure"]
    return name if first else f"{name}-{entry['measure']}"


def _unit(measure: str) -> str:
    name = mean_name(measure)
    return f"{name[0].upper()}{name[1:]}{' in %' if is_rate(measure) else ''}"


def _grid_caption(entry: Entry) -> str:
    better = f"{entry['better']} is better"
    return (
        f"{_unit(entry['measure'])} of the learners on {len(entry['data'])} data sets ({better})."
    )


def _grid_notes(document: Entry, entry: Entry) -> tuple[Note, ...]:
    ranked = entry["ranked"]
    notes: list[tuple[Union[str, Cite], ...]] = [
        (
            "Each value is the mean over the splits of the partition that the primary test is"
            f" made on. Mean ranks are over {ranked} data sets, 1 is best and equal values share"
            " theirs; wins, ties and losses are verdicts of the primary test against every other"
            " learner.",
        )
    ]
    notes += [_test_note(test, document) for test in entry["tests"] if _is_of_all(test)]
    if entry["note"]:
        notes.append((entry["note"],))
    gone = [each for each in entry["left_out"] if each["data"] not in entry["data"]]
    if gone:
        said = "; ".join(f"{each['data']} ({shortened(each['why'])})" for each in gone)
        notes.append((f"Data sets that could not be read: {said}.",))
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
        return (*head, f"against {test['control']}, corrected: {listed(said)}.")
    from cvinfer.analysis.together import statistic_text  # needs numpy

    p = "" if test["p_value"] is None else f"p {p_equation(test['p_value'], alpha)}"
    return (*head, f"{statistic_text(test)}{p}.")


def _footnote(why: Optional[str]) -> Optional[str]:
    return None if why is None else shortened(f"left out of ranks and tests: {why}")


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
        kind=_kind("across-pairs", document, entry),
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
