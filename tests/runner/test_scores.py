"""Scores made elsewhere give what a run gives: verdicts, tables and a result that runs again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cvinfer
from cvinfer import inference
from cvinfer.report import render
from cvinfer.spec import SpecError
from cvinfer.spec.finished import read_result

SAMPLES = Path(__file__).parents[1] / "data" / "scores"


def spec(**more: Any) -> dict[str, Any]:
    data = {
        "source": "scores",
        "path": str(SAMPLES / "plain.csv"),
        "measure": {"name": "accuracy", "better": "higher"},
        "value": "value",
        **more.pop("data", {}),
    }
    tests = more.pop("tests", ["corrected_repeated_kfold_t"])
    return {"cvinfer": 1, "name": "scores", "data": data, "tests": tests, **more}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("scores")
    about = spec(intervals=["corrected_resampled_interval"], margin=0.2)
    return cvinfer.run(about, output=directory, write=True)


def test_a_positive_difference_means_that_a_is_worse(result: Any) -> None:
    (entry,), (verdict,) = result.comparisons, result.verdicts
    forest = np.array([0.91, 0.88, 0.93, 0.90, 0.86, 0.95])
    bayes = np.array([0.82, 0.85, 0.81, 0.83, 0.80, 0.84])
    d = (bayes - forest).reshape(2, 3)
    expected = inference.infer("corrected_repeated_kfold_t", d, 240, 120)
    assert entry["inference"]["statistic"] == pytest.approx(expected.statistic, rel=1e-12)
    assert entry["inference"]["estimate"] == pytest.approx(d.mean(), rel=1e-12) and d.mean() < 0
    assert (entry["a"], entry["b"], entry["measure"]) == ("forest", "bayes", "accuracy")
    assert verdict["verdict"] == "a_better" and verdict["measure"] == "accuracy"
    assert verdict["trained_on"] == 40 and entry["inference"]["extra"]["loss_a"] > 0.9
    assert "forest" in verdict["sentence"] and "accuracy" in verdict["sentence"]
    assert (
        "error rate" not in verdict["sentence"] and "%" not in verdict["sentence"].split("95 %")[0]
    )


def test_a_lower_measure_turns_the_sign() -> None:
    higher = cvinfer.run(spec()).comparisons[0]["inference"]["estimate"]
    lower = cvinfer.run(spec(data={"measure": {"name": "cost_of_error", "better": "lower"}}))
    assert lower.comparisons[0]["inference"]["estimate"] == pytest.approx(-higher)
    assert lower.verdicts[0]["verdict"] == "b_better"


def test_its_interval_is_that_of_the_values(result: Any) -> None:
    first = result.intervals[0]
    values = [0.91, 0.88, 0.93, 0.90, 0.86, 0.95]
    expected = inference.infer("corrected_resampled_interval", values, 240, 120)
    assert first["measure"] == "accuracy" and first["failed"] is None
    assert first["result"]["lower"] == pytest.approx(expected.lower, rel=1e-12)


def test_the_document_is_of_the_schema_and_runs_again(result: Any) -> None:
    file = result.directory / "result.json"
    document = read_result(file)
    assert document == json.loads(json.dumps(result.document))
    assert document["data"][0]["source"]["measure"] == {"name": "accuracy", "better": "higher"}
    assert "loss" not in document["spec"] and "measures" not in document["spec"]
    again = cvinfer.run(file, base=result.spec.base)
    assert json.dumps(again.document, sort_keys=True) == json.dumps(document, sort_keys=True)
    for name in ("text", "markdown", "latex"):
        assert "accuracy" in render(document, name).lower()


@pytest.mark.parametrize(
    "more, path, message",
    [
        ({"tests": ["holdout_mcnemar"]}, "tests[0]", "holdout_mcnemar needs 0/1 losses of records"),
        ({"tests": ["cvci_z"]}, "tests[0]", "needs bounded losses of records, and scores made"),
        ({"tests": ["kfold_t"]}, "tests[0]", "kfold_t needs the scheme kfold"),
        (
            {"intervals": ["nested_cv_interval"]},
            "intervals[0]",
            "nested_cv_interval needs losses of",
        ),
        ({"intervals": ["f1_beta_prime"]}, "intervals[0]", "f1_beta_prime needs predicted classes"),
        ({"loss": "zero_one"}, "loss", "the scores are of accuracy, as data says"),
        ({"measures": ["auc", "f1"]}, "measures", "the scores are of accuracy, as data says"),
        ({"compare": [["forest", "tree"]]}, "compare", "tree"),
        ({"partition": "kfold"}, "partition", "made elsewhere, with their own splits"),
        ({"data": {"form": "mlr3"}}, "data", "no column 'learner_id', which the form mlr3 has"),
        ({"data": {"measure": {"name": "gain"}}}, "data.measure", "nobody can know"),
    ],
)
def test_what_scores_cannot_serve_is_refused_by_name(more: Any, path: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        cvinfer.run(spec(**more))
    text = str(caught.value)
    assert message in text and path in text


def test_the_rates_by_the_measure_are_told() -> None:
    """By AUC they were measured; that they were not by accuracy is the first thing to be known."""
    by_auc = cvinfer.run(spec(data={"measure": {"name": "auc"}}))
    assert not any("not measured" in each for each in by_auc.document["warnings"])
    other = cvinfer.run(spec())
    assert any("was not measured by accuracy" in each for each in other.document["warnings"])
    chosen = cvinfer.run(spec(tests="recommended"))
    assert chosen.verdicts[0]["primary"] == "corrected_repeated_kfold_t"


def test_scores_of_two_measures_are_two_specs() -> None:
    one, other = spec()["data"], spec(data={"measure": {"name": "auc"}, "name": "b"})["data"]
    with pytest.raises(SpecError, match="of several measures, accuracy and auc"):
        cvinfer.run({**spec(), "data": [one, other]})
