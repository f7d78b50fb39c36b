"""Learners over all data sets of a run: one value a data set enters, its mean over splits.

Everything here works on plain values of the result document. Splits are never counted as data
sets (docs/decisions/many-data-sets.md). A data set on which some learner has no value is left out
of ranks and tests, and named.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from cvinfer.analysis.verdicts import A_BETTER, B_BETTER, NO_RESULT
from cvinfer.analysis.words import count, listed, mean_name, p_equation, title
from cvinfer.inference import across_tests, mean_ranks
from cvinfer.inference.across_registry import CONTROL, PAIR, SEVERAL, TWO, AcrossTest

#: With fewer data sets learners are described, not tested: four signs that all agree have p = 1/8.
TESTED_FROM = 5

Entry = Mapping[str, Any]


class Asked(NamedTuple):
    """What a spec asks of all data sets together."""

    alpha: float
    seed: int
    margin: Optional[float] = None
    control: Optional[str] = None


class Measured(NamedTuple):
    """A measure of the run: the values of each learner on each data set, and which way is better.

    means: data sets × learners, None where there is no value.
    """

    measure: str
    better: str
    means: Sequence[Sequence[Optional[float]]]


def entries(
    document: Entry, asked: Asked, learners: Sequence[str], loss: str
) -> list[dict[str, Any]]:
    """`across` of a document: one entry a measure."""
    data = [each["name"] for each in document["data"]]
    compared = {name for each in document["comparisons"] for name in (each["a"], each["b"])}
    known = dict.fromkeys([*learners, *(each["learner"] for each in document["losses"])])
    names = [name for name in known if name in compared or not compared]
    places = decisive(document)
    means = {
        (each["data"], each["learner"]): each["mean"]
        for each in document["losses"]
        if places.get(each["data"]) == each["partition"]
    }
    table = [[means.get((name, learner)) for learner in names] for name in data]
    measured = [Measured(loss, _better(loss), table)]
    lost = document.get("failed_data", ())
    return [across(asked, one, data, names, document["verdicts"], lost) for one in measured]


def _better(measure: str) -> str:
    """Which way is better; of a measure of a plug-in that is gone less is taken to be."""
    from cvinfer.losses import losses

    declared = losses.get(measure)
    return "lower" if declared is None else declared.better


def decisive(document: Entry) -> dict[str, int]:
    """The partition of each data set that its primary test is an estimate on.

    Where there are no tests, the first that learners were fitted on.
    """
    found: dict[str, int] = {}
    for each in document["losses"]:
        found.setdefault(each["data"], each["partition"])
    for each in document["comparisons"]:
        if each["sentence"] is not None and each["partitions"]:
            found[each["data"]] = each["partitions"][0]
    return found


def across(
    asked: Asked,
    measured: Measured,
    data: Sequence[str],
    learners: Sequence[str],
    verdicts: Sequence[Entry],
    lost: Sequence[Entry] = (),
) -> dict[str, Any]:
    """One entry of `across`; `verdicts` are by this measure, `lost` the data sets that failed."""
    whole = [row for row in measured.means if None not in row]
    named = {"data": list(data), "learners": list(learners)}
    wins = _wins(verdicts, data)
    made: dict[str, Any] = {
        "measure": measured.measure,
        "better": measured.better,
        **named,
        "means": [list(row) for row in measured.means],
        "ranks": None,
        "ranked": len(whole),
        "wins": wins,
        "tests": [],
        "left_out": _left_out(measured, data, learners, lost),
        "note": "",
    }
    if not whole or len(learners) < 2:
        made["note"] = "No data set has a value of every learner, so that there are no ranks."
        return {**made, "sentence": made["note"]}
    values = np.array(whole, dtype=np.float64)
    made["ranks"] = mean_ranks(values, measured.better).tolist()
    if len(whole) >= TESTED_FROM:
        pairs = [(each["a"], each["b"]) for each in wins]
        if not pairs and len(learners) == 2:
            pairs = [(learners[0], learners[1])]
        made["tests"] = list(_tests(asked, measured.better, values, list(learners), pairs))
    else:
        made["note"] = (
            f"{count(len(whole), 'data set')} described, not tested: tests over data sets begin at"
            f" {TESTED_FROM} of them."
        )
    return {**made, "sentence": _sentence(made, asked)}


def _wins(verdicts: Sequence[Entry], data: Sequence[str]) -> list[dict[str, Any]]:
    """How often the verdict was for A, for neither and for B, for each pair in its order."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in verdicts:
        a, b = each["a"], each["b"]
        entry = found.setdefault(
            (a, b), {"a": a, "b": b, "win": 0, "tie": 0, "loss": 0, "no_result": 0}
        )
        key = {A_BETTER: "win", B_BETTER: "loss", NO_RESULT: "no_result"}.get(each["verdict"])
        entry[key or "tie"] += 1
    return list(found.values())


def _left_out(
    measured: Measured, data: Sequence[str], learners: Sequence[str], lost: Sequence[Entry]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name, row in zip(data, measured.means):
        without = [learner for learner, value in zip(learners, row) if value is None]
        if without:
            found.append({"data": name, "why": f"no value of {listed(without)}"})
    return found + [{"data": each["data"], "why": each["message"]} for each in lost]


def _tests(
    asked: Asked,
    better: str,
    values: Any,
    learners: list[str],
    pairs: Sequence[tuple[str, str]],
) -> Iterator[dict[str, Any]]:
    """What every registered test says that is for so many learners."""
    at = {name: number for number, name in enumerate(learners)}
    for test in across_tests().values():
        options: dict[str, Any] = {"better": better, "alpha": asked.alpha}
        if test.seeded:
            options["seed"] = asked.seed
        if test.regional:
            options["margin"] = asked.margin or 0.0
        if test.of == SEVERAL and len(learners) > 2:
            yield _result(test, values, learners, options)
        elif test.of == CONTROL and len(learners) > 2 and asked.control in at:
            yield _result(test, values, learners, {**options, "control": at[str(asked.control)]})
        elif test.of == PAIR or (test.of == TWO and len(learners) == 2):
            for a, b in pairs:
                found = _result(test, values[:, [at[a], at[b]]], [a, b], options)
                yield {**found, "a": a, "b": b}


def _result(
    test: AcrossTest, values: Any, learners: Sequence[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    return test.function(values, learners=learners, **options).as_dict()


# --- in words -------------------------------------------------------------------------------------


def _sentence(entry: Entry, asked: Asked) -> str:
    """Mean ranks, and what the tests make of them."""
    ranked = sorted(zip(entry["ranks"], entry["learners"]), key=lambda each: float(each[0]))
    ranks = listed([f"{name} {rank:.2f}" for rank, name in ranked])
    said = [
        f"Over {count(entry['ranked'], 'data set')}, the mean ranks by"
        f" {mean_name(entry['measure'])} are {ranks} (1 is best)."
    ]
    said += [text for test in entry["tests"] for text in _told(test, entry, asked)]
    if entry["note"]:
        said.append(entry["note"])
    if entry["left_out"]:
        names = [each["data"] for each in entry["left_out"]]
        said.append(f"Left out of ranks and tests: {listed(names)}.")
    return " ".join(said)


def _told(test: Entry, entry: Entry, asked: Asked) -> list[str]:
    """What one test says; a test that is not known here by what it has says its p-value."""
    name = title(test["name"])
    if test["degenerate"]:
        return [f"{name}: {test['note']}."]
    if "critical_difference" in test:
        return [_critical(test, entry, name)]
    if "against" in test:
        return [_against(test, name, asked.alpha)]
    if "p_equivalent" in test:
        return []  # one for each pair: in the table
    if test["p_value"] is None:
        return []
    return [f"{name}: {statistic_text(test)}p {p_equation(test['p_value'], asked.alpha)}."]


def statistic_text(test: Entry) -> str:
    """The statistic of a test with its degrees of freedom, and a comma behind it."""
    if test["statistic"] is None:
        return ""
    df = test["df"] if isinstance(test["df"], list) else [test["df"]]
    degrees = f" on {listed([str(each) for each in df])} df" if test["df"] is not None else ""
    return f"statistic {test['statistic']:.4g}{degrees}, "


def _critical(test: Entry, entry: Entry, name: str) -> str:
    apart = [
        f"{a} and {b}"
        for a, b, difference in ((*each["pair"], each["difference"]) for each in test["pairs"])
        if abs(difference) >= test["critical_difference"]
    ]
    differ = f"; it is reached by {listed(apart)}" if apart else "; no pair reaches it"
    return f"{name}: critical difference of mean ranks {test['critical_difference']:.2f}{differ}."


def _against(test: Entry, name: str, alpha: float) -> str:
    said = [
        f"{each['learner']} p {p_equation(each['p_corrected'], alpha)}" for each in test["against"]
    ]
    return f"{name} {test['control']}, corrected: {listed(said)}."
