"""Study documents for the tests, made by hand: every kind of cell, and numbers that look like some.

Nothing is simulated. Rates follow simple formulas, so that a reader can tell what a picture or a
table ought to show.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Mapping, Optional, Sequence

#: Names that LaTeX, HTML, a terminal, a spreadsheet and matplotlib would like to obey.
HOSTILE = ("$x_1$ & 50%", "<b>_tree</b>\x1b[31m", "=1+1", r"\input{x}^~#{")

V, N = "learners.FNN.params.v", "study.draw.n"
FIVE = ("bcv_5x2_mcnemar", "blocked_3x2_t", "kfold_t", "dietterich_5x2_t", "holdout_mcnemar")
FOURTEEN = (
    "bcv_5x2_mcnemar",
    "blocked_3x2_t",
    "combined_5x2_f",
    "combined_5x2_t",
    "conservative_z",
    "corrected_2fold_t",
    "corrected_kfold_t",
    "corrected_repeated_holdout_t",
    "cvci_z",
    "dietterich_5x2_t",
    "holdout_mcnemar",
    "kfold_mcnemar",
    "kfold_t",
    "repeated_holdout_t",
)
#: How much too often a test rejects a true hypothesis, in these examples.
LIBERAL = {"kfold_t": 2.8, "repeated_holdout_t": 7.7, "cvci_z": 1.6, "combined_5x2_t": 0.8}

Cell = dict[str, Any]


def wilson(hits: int, tried: int, z: float = 1.959963984540054) -> tuple[float, float]:
    rate, more = hits / tried, z * z / tried
    centre = (rate + more / 2) / (1 + more)
    half = z / (1 + more) * math.sqrt(rate * (1 - rate) / tried + more / (4 * tried))
    return max(centre - half, 0.0), min(centre + half, 1.0)


def rate_fields(hits: int, tried: int, failed: int = 0, degenerate: int = 0) -> Cell:
    reached = tried - failed
    if reached == 0:
        nothing: Cell = dict.fromkeys(("rate", "se", "lower", "upper"))
        return {**nothing, "degenerate": degenerate, "failed": failed}
    rate = hits / reached
    lower, upper = wilson(hits, reached)
    se = math.sqrt(rate * (1 - rate) / reached)
    found = {"rate": rate, "se": se, "lower": lower, "upper": upper}
    return {**found, "degenerate": degenerate, "failed": failed}


def test_cell(
    name: str,
    at: Mapping[str, Any],
    rejections: int,
    replications: int = 1000,
    pair: tuple[str, Optional[str]] = ("TREE", "FNN"),
    failed: int = 0,
    degenerate: int = 0,
    difference: float = 0.0,
    **more: Any,
) -> Cell:
    return {
        "at": dict(at),
        "kind": "test",
        "name": name,
        "a": pair[0],
        "b": pair[1],
        "replications": replications,
        "rejections": rejections,
        **rate_fields(rejections, replications, failed, degenerate),
        "ties": 3,
        "estimate": difference,
        "loss_a": 0.2 + difference,
        "loss_b": 0.2,
        "alpha": 0.05,
        "sums": {},
        **more,
    }


test_cell.__test__ = False  # type: ignore[attr-defined]  # it makes a cell and tests nothing


def interval_cell(
    name: str, at: Mapping[str, Any], covered: int, length: float, **more: Any
) -> Cell:
    who: Cell = {} if "a" in more else {"learner": "TREE"}
    return {
        "at": dict(at),
        "kind": "interval",
        "name": name,
        "averaging": "macro",
        "replications": 1000,
        "covered": covered,
        **rate_fields(covered, 1000),
        "length": length,
        "outside": 0.012,
        "truth": 0.81,
        "alpha": 0.05,
        "sums": {},
        **who,
        **more,
    }


def quantity_cell(
    name: str, at: Mapping[str, Any], value: Optional[float], se: Optional[float], **more: Any
) -> Cell:
    return {
        "at": dict(at),
        "kind": "quantity",
        "name": name,
        "replications": 1000,
        "value": value,
        "se": se,
        "sums": {},
        **more,
    }


def histogram(centre: float, spread: float, one_sided: bool = False) -> Cell:
    """A bell of 1,000 statistics, or half of one."""
    start, width = (0.0, 0.25) if one_sided else (-8.0, 0.25)
    middles = [start + (at + 0.5) * width for at in range(64)]
    raw = [math.exp(-(((x - centre) / spread) ** 2) / 2) for x in middles]
    counts = [round(1000 * each / sum(raw)) for each in raw]
    return {"start": start, "width": width, "counts": counts, "below": 0, "above": 2}


def power(name: str, distance: float, n: int = 300) -> float:
    """A rejection rate that rises from the test's own type I error to 1."""
    first = 0.05 * LIBERAL.get(name, 0.3 + 0.09 * (sum(map(ord, name)) % 9))
    slope = 0.6 + 0.11 * (sum(map(ord, name)) % 7)
    return first + (1 - first) * (1 - math.exp(-((slope * distance * math.sqrt(n / 300)) ** 2)))


def rejections(name: str, distance: float, n: int = 300, tried: int = 1000) -> int:
    return round(tried * power(name, distance, n))


def components(at: Mapping[str, Any], shift: float, **who: Any) -> list[Cell]:
    """σ1² and its fellows of a blocked 5×2, with ρ2 a little below (1 + ρ1)/2."""
    sigma1, rho1 = 4e-4 * (1 + shift), -0.1 + 0.9 * shift
    rho2 = 0.96 * (1 + rho1) / 2
    variance = sigma1 / 10 * (1 + rho1 + 8 * rho2)
    values = {
        "sigma1_sq": sigma1,
        "sigma2_sq": rho1 * sigma1,
        "sigma3_sq": rho2 * sigma1,
        "rho1": rho1,
        "rho2": rho2,
        "variance": variance,
        "l": 0.9 * variance,
        "al": 1.05 * variance,
    }
    return [
        quantity_cell(name, at, value, abs(value) * 0.05 + 1e-7, scheme="blocked 5×2", **who)
        for name, value in values.items()
    ]


def document(cells: Sequence[Cell], **more: Any) -> dict[str, Any]:
    return {
        "cvinfer": 1,
        "name": "letter-type-1",
        "study": {
            "population": {"source": "csv", "path": "letter.csv", "target": "class"},
            "draw": {"n": 300, "replace": True},
            "replications": 1000,
            "grid": None,
            "truth": {"records": "population"},
            "ties": "not_rejected",
            "variances": False,
            "partitions": None,
            "distributions": False,
            "match": None,
        },
        "spec": {"alpha": 0.05, "seed": 1, "compare": ["TREE", "FNN"], "loss": "zero_one"},
        "versions": {"cvinfer": "0.1.0", "numpy": "1.24.2", "R": None},
        "settings": "0" * 64,
        "ranges": [[1, 1000]],
        "cells": list(cells),
        "failures": [],
        "warnings": [],
        **more,
    }


def with_study(found: dict[str, Any], **study: Any) -> dict[str, Any]:
    return {**found, "study": {**found["study"], **study}}


def small() -> dict[str, Any]:
    """One grid point, two tests, equal learners: kfold_t rejects too often."""
    pair = {"a": "TREE", "b": "FNN"}
    return document(
        [
            test_cell("bcv_5x2_mcnemar", {}, 46),
            test_cell("kfold_t", {}, 142, failed=4, degenerate=2),
            quantity_cell("true_difference", {}, 0.0, 0.0004, of="difference", **pair),
        ]
    )


def whole() -> dict[str, Any]:
    """Every kind of cell, two grid keys, partitions, histograms, failures and a warning."""
    grid = {V: [1, 4.64, 10], N: [20, 300]}
    cells: list[Cell] = []
    for v, n in itertools.product(*grid.values()):
        at = {V: v, N: n}
        distance = math.log10(v) * 0.8
        for name in FIVE:
            one_sided = name.endswith("mcnemar")
            bell = histogram(0.2 if one_sided else 2 * distance, 1.4, one_sided)
            critical = [3.84] if one_sided else [-2.57, 2.57]
            cells.append(
                test_cell(
                    name,
                    at,
                    rejections(name, distance, n),
                    difference=distance / 20,
                    degenerate=1,
                    failed=2 if name == "kfold_t" else 0,
                    partitions=50,
                    histogram=bell,
                    critical=critical,
                )
            )
            found = 1 - 2 * power(name, distance, n) * (1 - power(name, distance, n))
            cells.append(quantity_cell("replicability", at, found, 0.006, of=name))
        pair = {"a": "TREE", "b": "FNN", "of": "difference"}
        cells.append(quantity_cell("true_difference", at, distance / 20, 0.0004, **pair))
        for learner, shift in (("TREE", 0.02 * v), ("FNN", 0.1 + 0.02 * v)):
            cells += components(at, shift, of="loss", learner=learner)
        for name, covered, length in (("f1_beta", 948, 0.08), ("kfold_t_interval", 871, 0.06)):
            wider = length * math.sqrt(300 / n)
            cells.append(interval_cell(name, at, covered - round(v), wider, measure="f1"))
        cells.append(
            interval_cell(
                "blocked_3x2_t", at, 955, 0.11, a="TREE", b="FNN", averaging=None, truth=0.0
            )
        )
    cells.append(quantity_cell("match", {}, 30.1, 0.4, of=V))
    cells.append(quantity_cell("var_e", {}, None, None, of="loss", learner="TREE", scheme=None))
    failures = [
        {"at": {V: 1, N: 20}, "replication": 17, "learner": "TREE", "reason": "R: singular"},
        {"at": {V: 1, N: 20}, "count": 11, "learner": "TREE", "reason": "R: cannot split"},
    ]
    found = document(cells, failures=failures, warnings=["FNN never learned class Q."])
    return with_study(
        found, grid=grid, partitions=50, variances=True, distributions=True, match={V: {}}
    )


def fourteen(points: Sequence[float] = (1, 2, 4, 8, 16, 30)) -> dict[str, Any]:
    """A power study of 14 tests over one parameter."""
    cells: list[Cell] = []
    for v in points:
        distance = math.log10(v) * 0.9
        for name in FOURTEEN:
            bell = histogram(2 * distance, 1 + 0.2 * LIBERAL.get(name, 0.0))
            count = rejections(name, distance)
            cells.append(test_cell(name, {V: v}, count, histogram=bell, critical=[-2.26, 2.26]))
        pair = {"a": "TREE", "b": "FNN", "of": "difference"}
        cells.append(quantity_cell("true_difference", {V: v}, distance / 20, 0.0004, **pair))
    return with_study(document(cells, name="power of 14"), grid={V: list(points)})


def data_sets() -> dict[str, Any]:
    """Rejections and replicability of five tests on data sets of different names."""
    names = ["letter", "segment", "vehicle", "waveform", "a_long name & more"]
    key = "study.population.dataset"
    cells: list[Cell] = []
    for number, name in enumerate(names):
        for test in FIVE:
            at, rate = {key: name}, power(test, number / 4)
            cells.append(test_cell(test, at, round(1000 * rate), partitions=50))
            found = 1 - 2 * rate * (1 - rate)
            cells.append(quantity_cell("replicability", at, found, 0.008, of=test))
    return with_study(document(cells, name="replicability"), grid={key: names}, partitions=50)


def hostile() -> dict[str, Any]:
    """Names of learners, the study and a grid value that others would obey."""
    first, second, formula, macro = HOSTILE
    cells = [
        test_cell(test, {V: value}, 50, pair=(first, second))
        for test in ("kfold_t", macro)
        for value in (formula, "plain")
    ]
    cells += [interval_cell("f1_beta", {V: "plain"}, 950, 0.1, learner=each) for each in HOSTILE]
    cells += components({V: "plain"}, 0.1, of="loss", learner=formula)
    found = document(cells, name=f"{first} {second}", warnings=[macro])
    return with_study(found, grid={V: [formula, "plain"]})
