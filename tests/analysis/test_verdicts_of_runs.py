"""Verdicts as a spec gives them: who decides, the margin, and partitions asked for by name."""

from __future__ import annotations

from typing import Any

import pytest

import cvinfer
from cvinfer.report import render


def spec(**more: Any) -> dict[str, Any]:
    return {
        "cvinfer": 1,
        "name": "verdicts",
        "data": {"source": "sklearn", "dataset": "wine"},
        "learners": {
            "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
            "LDA": {"engine": "sklearn", "learner": "LinearDiscriminantAnalysis"},
        },
        "seed": 1,
        **more,
    }


def test_without_a_word_the_recommended_test_decides() -> None:
    result = cvinfer.run(spec())
    (verdict,) = result.verdicts
    assert verdict["primary"] == "bcv_5x2_mcnemar" and verdict["of"] == 0
    assert verdict["trained_on"] == 89 and "n/2" in verdict["estimand"]
    lower, upper = verdict["interval"]
    assert lower < verdict["estimate"] < upper
    # The interval leaves out 0 exactly where the test rejects; one pair needs no correction.
    assert (verdict["verdict"] == "b_better") == (lower > 0)
    assert result.document["spec"]["primary"] == "bcv_5x2_mcnemar"


def test_a_margin_makes_equivalence_possible() -> None:
    verdicts = [cvinfer.run(spec(margin=margin)).verdicts[0] for margin in (0.001, 0.9)]
    assert [verdict["equivalent"] for verdict in verdicts] == [False, True]
    assert verdicts[0]["interval"] == verdicts[1]["interval"]


def test_random_halves_when_asked_for_with_a_warning() -> None:
    partition = {"scheme": "random_mx2", "m": 5}
    result = cvinfer.run(spec(tests=["bcv_5x2_mcnemar"], partition=partition))
    (entry,) = result.comparisons
    assert entry["inference"]["scheme"] == "random_mx2"
    (warning,) = [w for w in result.document["warnings"] if w.startswith("bcv_5x2_mcnemar: ")]
    assert "random halves" in warning and "% of true hypotheses" in warning
    assert "random halves" in " ".join(render(result.document, "latex").split())


@pytest.mark.parametrize("first", ["random_mx2", "blocked_mx2"])
def test_balanced_halves_are_preferred_where_both_are_there(first: str) -> None:
    schemes = [{"scheme": name, "m": 5} for name in ("random_mx2", "blocked_mx2")]
    schemes.sort(key=lambda scheme: scheme["scheme"] != first)
    chosen = ["bcv_5x2_mcnemar", "combined_5x2_f"]
    result = cvinfer.run(spec(tests=chosen, partition=schemes))
    used = {c["test"]: c["inference"]["scheme"] for c in result.comparisons}
    assert used == {"bcv_5x2_mcnemar": "blocked_mx2", "combined_5x2_f": "random_mx2"}
