"""Stability is what `cvinfer.run` says with the seeds of so many partitions."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cvinfer.errors import UserError
from cvinfer.execute.replications.recipe import partition_seed
from cvinfer.execute.store import Store
from cvinfer.inference import replicability
from cvinfer.progress import Progress
from cvinfer.report import render
from cvinfer.report.kinds import kind_of
from cvinfer.runner import Loaded, analyse, execute, load, plan
from cvinfer.schemas import schema
from cvinfer.studies.files import study_text
from cvinfer.studies.stability import agreement, stability

RUNS = 6
TESTS = ["bcv_5x2_mcnemar", "combined_5x2_f", "dietterich_5x2_t", "kfold_t", "wong_welch_t"]
SPEC: dict[str, Any] = {
    "cvinfer": 1,
    "name": "again",
    "data": [
        {"source": "synthetic", "population": "two_gaussians", "n": 60, "name": "first"},
        {"source": "sklearn", "dataset": "iris", "name": "second"},
    ],
    "learners": {
        "near": {"engine": "builtin", "learner": "first_nearest_neighbour"},
        "mean": {"engine": "builtin", "learner": "mean"},
        "most": {"engine": "builtin", "learner": "majority"},
    },
    "tests": TESTS,
    "margin": 0.15,
    "seed": 8,
}


@pytest.fixture(scope="module")
def found() -> Any:
    return stability(SPEC, RUNS, jobs=1).document


@pytest.fixture(scope="module")
def documents() -> list[Any]:
    """The documents of runs with the seeds of the partitions, one after the other."""
    loaded = load(SPEC)
    made = []
    for number in range(1, RUNS + 1):
        spec = replace(loaded.spec, seed=partition_seed(loaded.spec.seed, number, 0))
        with Store(None) as store:
            planned = plan(Loaded(spec, loaded.sets))
            made.append(analyse(planned, store, execute(planned, store, jobs=1)).document)
    return made


def where(entry: Any) -> tuple[str, str, str]:
    return entry["data"], entry["a"], entry["b"]


def test_verdicts_are_those_of_runs(found: Any, documents: list[Any]) -> None:
    assert len(found["verdicts"]) == 6
    for entry in found["verdicts"]:
        said = [
            verdict["verdict"]
            for document in documents
            for verdict in document["verdicts"]
            if where(verdict) == where(entry)
        ]
        counts = Counter(said)
        assert {name: k for name, k in entry["counts"].items() if k} == counts
        assert entry["flips"] == RUNS - max(counts.values())
        agree = sum(math.comb(k, 2) for k in counts.values()) / math.comb(RUNS, 2)
        assert entry["replicability"] == pytest.approx(agree)
    kinds = {name for entry in found["verdicts"] for name, k in entry["counts"].items() if k}
    assert len(kinds) > 2 and any(entry["flips"] for entry in found["verdicts"])


def test_decisions_and_p_values_are_those_of_runs(found: Any, documents: list[Any]) -> None:
    assert len(found["tests"]) == 6 * len(TESTS)
    for entry in found["tests"]:
        rows = [
            row
            for document in documents
            for row in document["comparisons"]
            if (*where(row), row["test"]) == (*where(entry), entry["test"])
        ]
        assert entry["rejections"] == sum(row["inference"]["reject"] for row in rows)
        assert entry["rejections_corrected"] == sum(row["reject_corrected"] for row in rows)
        assert entry["degenerate"] == sum(row["inference"]["degenerate"] for row in rows)
        expected = [
            None if row["inference"]["degenerate"] else row["inference"]["p_value"] for row in rows
        ]
        assert entry["p_values"] == [
            each if each is None else pytest.approx(each) for each in expected
        ]
        known = sorted(each for each in expected if each is not None)
        assert entry["p"]["min"] == pytest.approx(known[0])
        assert entry["p"]["max"] == pytest.approx(known[-1])
        assert entry["replicability"] == replicability(entry["rejections"], RUNS)
        assert entry["primary"] == (entry["test"] == TESTS[0])
    assert any(entry["flips"] for entry in found["tests"]), "the example tells nothing"


def test_agreement_of_two_answers_is_replicability() -> None:
    """S0 table 10: R follows from the counts."""
    for k in (0, 3, 8, 25, 50):
        assert agreement([k, 50 - k])[0] == pytest.approx(replicability(k, 50))
    assert agreement([43, 0, 0, 7, 0])[0] == pytest.approx(replicability(43, 50))
    assert agreement([10, 0, 0])[1] == 0.0
    assert agreement([1, 0]) == (None, None)


def test_the_document_is_valid_and_shown(found: Any) -> None:
    assert [e.message for e in Draft202012Validator(schema("stability")).iter_errors(found)] == []
    assert kind_of(found).name == "stability"
    text = " ".join(render(found, "text").split())
    assert text.startswith("On first, near against mean: ")
    assert "would agree with yours with probability" in text
    assert "corrected by Holm" in text
    assert "| Data | A | B |" in render(found, "markdown")
    assert render(found, "csv").count("\n") == 1 + 6 + 6 * len(TESTS)
    assert "\\begin" in render(found, "latex")


def test_words_where_nothing_flips(found: Any) -> None:
    one = {**found["verdicts"][0], "runs": 50, "failed": 0, "flips": 0, "replicability": 1.0}
    one["counts"] = {**dict.fromkeys(one["counts"], 0), "b_better": 50}
    said = kind_of(found).opening({**found, "verdicts": [one]})
    assert said[0] == (
        "On first, near against mean: all 50 partitions say mean is better; no more than 5.8 % of"
        " all partitions say otherwise (95 % bound) (bcv_5x2_mcnemar)."
    )
    one.update(failed=5, flips=7, se=0.05, replicability=0.72)
    one["counts"] = {**one["counts"], "a_better": 38, "undecided": 7, "b_better": 0}
    assert kind_of(found).opening({**found, "verdicts": [one]})[0] == (
        "On first, near against mean: 38 of 45 partitions say near is better, 7 are undecided (5"
        " more could not be made); another partition would agree with yours with probability 0.72 ±"
        " 0.05 (bcv_5x2_mcnemar)."
    )


class Stopped(Progress):
    """Interrupts after so many blocks."""

    def __init__(self, after: int) -> None:
        self.left = after

    def done(self, label: str, failed: bool, count: int = 1) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_interrupted_and_resumed(found: Any, tmp_path: Path) -> None:
    """With two workers; what was finished is not fitted again, and the bytes are the same."""
    store = tmp_path / "store.sqlite"
    with pytest.raises(KeyboardInterrupt):
        stability(SPEC, RUNS, jobs=2, store=store, progress=Stopped(3))
    again = stability(SPEC, RUNS, jobs=2, store=store)
    assert again.outcome.reused >= 2 and again.outcome.fitted > 0
    assert study_text(again.document) == study_text(found)
    once_more = stability(SPEC, RUNS, jobs=1, store=store)
    assert once_more.outcome.fitted == 0
    assert study_text(once_more.document) == study_text(found)


def test_more_runs_cost_what_is_new(tmp_path: Path) -> None:
    store, spec = tmp_path / "store.sqlite", {**SPEC, "tests": ["kfold_t"]}
    stability(spec, 4, jobs=1, store=store)
    more = stability(spec, 6, jobs=1, store=store)
    assert (more.outcome.reused, more.outcome.fitted) == (6, 6)
    assert study_text(more.document) == study_text(stability(spec, 6, jobs=1).document)


def test_failed_fits_are_counted() -> None:
    """A learner that cannot be fitted: nothing is imputed."""
    many = {"engine": "sklearn", "learner": "KNeighborsClassifier", "params": {"n_neighbors": 60}}
    spec = {**SPEC, "learners": {**SPEC["learners"], "near": many}, "tests": ["kfold_t"]}
    result = stability({**spec, "compare": [["near", "mean"]]}, 2, jobs=1)
    assert result.failed
    verdicts = {entry["data"]: entry for entry in result.document["verdicts"]}
    assert (verdicts["first"]["failed"], verdicts["second"]["failed"]) == (2, 0)
    assert verdicts["first"]["replicability"] is None
    assert result.document["failures"][0]["count"] == 20
    assert "none of 2 partitions has a result" in render(result.document, "text")
    faults = Draft202012Validator(schema("stability")).iter_errors(result.document)
    assert [each.message for each in faults] == []


@pytest.mark.parametrize("runs", [10**12, 1, 0, -3, True, 2.5, "50"])
def test_runs_that_cannot_be(runs: Any) -> None:
    with pytest.raises(UserError, match="a whole number from 2 to 100,000"):
        stability({"no": "spec"}, runs)


def test_too_many_fits_are_refused() -> None:
    with pytest.raises(UserError, match="100,000 runs takes .* fits; allowed: at most 10,000,000"):
        stability(SPEC, 100_000)


def test_plain_json(found: Any) -> None:
    assert json.loads(study_text(found)) == found


def test_a_picture_of_all_p_values(found: Any) -> None:
    """A panel for each pair and data set, a mark for each p-value that there is."""
    pytest.importorskip("matplotlib")
    from cvinfer.report.kinds.stability import pictured
    from cvinfer.report.plots import drawn, picture

    ((name, figure),) = drawn(pictured(found))
    panels = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert (name, len(panels)) == ("p-values", 6)
    marks = sum(
        len(line.get_xdata()) for axes in panels for line in axes.lines if line.get_marker() == "|"
    )
    assert marks == sum(p is not None for entry in found["tests"] for p in entry["p_values"])
    ((_, again),) = drawn(pictured(found))
    assert picture(figure, "pdf") == picture(again, "pdf")
