"""A replication is the comparison that `cvinfer.run` makes of the same records and splits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cvinfer.data import Dataset
from cvinfer.errors import CvinferError
from cvinfer.execute.replications.recipe import Law, Recipe, draw, partition_seed
from cvinfer.execute.store import Store
from cvinfer.losses import loss
from cvinfer.inference import tests as all_tests
from cvinfer.runner import Loaded, analyse, execute, plan
from cvinfer.studies import simulate
from cvinfer.studies.load import load_study

#: Every test of two learners; those that need a second partition are among them.
TESTS = [name for name in all_tests() if not name.startswith("loo")]

STUDY: dict[str, Any] = {
    "cvinfer": 1,
    "name": "against-runs",
    "study": {
        "population": {"source": "sklearn", "dataset": "iris"},
        "draw": {"n": 60},
        "replications": 3,
        "truth": {"records": "population"},
    },
    "learners": {
        "one": {
            "engine": "sklearn",
            "learner": "KNeighborsClassifier",
            "params": {"n_neighbors": 1},
        },
        "near": {"engine": "builtin", "learner": "mean"},
    },
    "compare": ["one", "near"],
    "tests": TESTS,
    "intervals": [
        "f1_beta_prime",
        "blocked_3x2_t_interval",
        "error_kfold_t",
        "corrected_resampled_interval",
        "conservative_interval",
    ],
    "seed": 5,
}


def replication_as_run(study: Any, number: int) -> Any:
    """The document of `cvinfer.run` on the records of a replication, with its partitions."""
    (point,) = study.points
    recipe = Recipe(point.population, point.n, point.replace, study.seed, 1, ())
    drawn = draw(recipe, number)
    assert isinstance(point.population, Dataset)
    features = tuple(column.take(drawn.records) for column in point.population.features)
    dataset = replace(drawn.drawn, features=features, sha256=f"replication {number}")
    spec = replace(point.spec, seed=partition_seed(study.seed, number, 0))
    with Store(None) as store:
        planned = plan(Loaded(spec, [dataset]))
        outcome = execute(planned, store, jobs=1)
        return analyse(planned, store, outcome).document


@pytest.fixture(scope="module")
def found() -> Any:
    return simulate(STUDY, jobs=1)


def test_every_test_estimates_what_a_run_does(found: Any) -> None:
    documents = [replication_as_run(found.study, number) for number in (1, 2, 3)]
    cells = {c["name"]: c for c in found.document["cells"] if c["kind"] == "test"}
    assert set(cells) == set(TESTS)
    for name, cell in cells.items():
        rows = [r for d in documents for r in d["comparisons"] if r["test"] == name]
        fine = [row["inference"] for row in rows if row["failed"] is None]
        assert cell["failed"] == len(rows) - len(fine), name
        assert cell["rejections"] == sum(bool(row["reject"]) for row in fine), name
        mean = np.mean([row["estimate"] for row in fine])
        assert cell["estimate"] == pytest.approx(mean, rel=1e-12, abs=1e-15), name


def test_intervals_are_those_of_runs(found: Any) -> None:
    documents = [replication_as_run(found.study, number) for number in (1, 2, 3)]
    cells = [c for c in found.document["cells"] if c["kind"] == "interval" and "learner" in c]
    assert cells
    for cell in cells:
        rows = [
            row
            for document in documents
            for row in document["intervals"]
            if (row["interval"], row["learner"]) == (cell["name"], cell["learner"])
            and row.get("averaging") == cell["averaging"]
            and row["failed"] is None
        ]
        assert len(rows) == cell["replications"] - cell["failed"]
        if rows:
            lengths = [row["result"]["upper"] - row["result"]["lower"] for row in rows]
            assert cell["length"] == pytest.approx(np.mean(lengths), rel=1e-9)


def test_draws_are_keyed_by_number() -> None:
    """A replication is the same whatever n comes with it, and no two are alike."""
    population = load_study(STUDY).points[0].population
    few = Recipe(population, 20, True, 5, 1, ())
    many = replace(few, n=50)
    assert (draw(many, 7).records[:20] == draw(few, 7).records).all()
    assert (draw(few, 7).records != draw(few, 8).records).any()
    without = replace(few, replace=False)
    for n in (20, 100, 149):
        records = draw(replace(without, n=n), 3).records
        assert len(set(records.tolist())) == n
    law = Recipe(Law("simple", {}), 30, False, 5, 1, ())
    first, again = draw(law, 2), draw(law, 2)
    assert (first.frame.features[0].values == again.frame.features[0].values).all()


def assert_valid(document: Any) -> None:
    from jsonschema import Draft202012Validator

    from cvinfer.schemas import schema

    faults = Draft202012Validator(schema("study")).iter_errors(document)
    assert [(list(fault.absolute_path), fault.message[:200]) for fault in faults] == []


def test_the_document_is_valid_under_its_schema(found: Any) -> None:
    assert_valid(found.document)


MEASURED = {
    **STUDY,
    "study": {"population": STUDY["study"]["population"], "draw": {"n": 60}, "replications": 2},
    "learners": {
        "lda": {"engine": "sklearn", "learner": "LinearDiscriminantAnalysis"},
        "bayes": {"engine": "sklearn", "learner": "GaussianNB"},
    },
    "compare": ["lda", "bayes"],
    "measures": ["auc", "zero_one", "log_loss", "precision"],
    "tests": ["blocked_3x2_t", "corrected_repeated_holdout_t", "bcv_5x2_mcnemar"],
    "intervals": [],
}


def test_measures_are_those_of_runs() -> None:
    made = simulate(MEASURED, jobs=1)
    documents = [replication_as_run(made.study, number) for number in (1, 2)]
    cells = [cell for cell in made.document["cells"] if cell["kind"] == "test"]
    assert len(cells) == 2 * 4 + 1
    assert [c["measure"] for c in cells if c["name"] == "bcv_5x2_mcnemar"] == ["zero_one"]
    for cell in cells:
        rows = [
            row
            for document in documents
            for row in document["comparisons"]
            if (row["test"], row["measure"]) == (cell["name"], cell["measure"])
        ]
        fine = [row["inference"] for row in rows if row["failed"] is None]
        assert cell["failed"] == len(rows) - len(fine)
        assert cell["rejections"] == sum(bool(row["reject"]) for row in fine)
        for key, value in (("estimate", "estimate"), ("loss_a", None), ("loss_b", None)):
            found = [row[key] if value else row["extra"][key] for row in fine]
            assert not found or cell[key] == pytest.approx(np.mean(found), rel=1e-9, abs=1e-12)


def test_intervals_and_truths_by_measures_are_those_of_runs() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import log_loss, roc_auc_score

    made = simulate(
        {
            **MEASURED,
            "study": {**STUDY["study"], "truth": {"records": "population"}, "replications": 2},
            "tests": ["corrected_repeated_kfold_t"],
            "intervals": [
                "corrected_resampled_interval",
                "conservative_interval",
                "nested_cv_interval",
            ],
        },
        jobs=1,
    )
    assert_valid(made.document)
    documents = [replication_as_run(made.study, number) for number in (1, 2)]
    cells = [each for each in made.document["cells"] if each["kind"] == "interval"]
    # Of two learners by four measures, one of which has no losses of records for two of them; and
    # of the difference, by each.
    assert len([cell for cell in cells if "learner" in cell]) == 2 * (4 + 4 + 2)
    assert len([cell for cell in cells if "learner" not in cell]) == 4
    compared = 0

    def ends(row: Any) -> Any:
        found = row.get("result")
        return (found["lower"], found["upper"]) if found else row["inference"]["interval"]

    for cell in cells:
        unit = loss(cell["measure"]).unit
        results = [
            ends(row)
            for document in documents
            for row in document["intervals" if "learner" in cell else "comparisons"]
            if row["failed"] is None
            and (
                (row["interval"], row["learner"], row["measure"])
                == (cell["name"], cell["learner"], unit)
                if "learner" in cell
                else (row["test"], row["measure"]) == (cell["name"], cell["measure"])
            )
        ]
        assert len(results) == cell["replications"] - cell["failed"], cell["measure"]
        if results:
            lengths = [upper - lower for lower, upper in results]
            assert cell["length"] == pytest.approx(np.mean(lengths), rel=1e-9)
            compared += 1
    assert compared >= 14
    (point,) = made.study.points
    recipe = Recipe(point.population, point.n, False, made.study.seed, 1, (), point.truth)
    expected: dict[str, list[float]] = {"auc": [], "log_loss": []}
    for number in (1, 2):
        drawn = draw(recipe, number, truth=True)
        x = np.stack([column.values for column in drawn.frame.features], axis=1)
        y = drawn.frame.target
        fitted = LinearDiscriminantAnalysis().fit(x[drawn.records], y[drawn.records])
        p = fitted.predict_proba(x[drawn.fresh])
        expected["auc"].append(roc_auc_score(y[drawn.fresh], p, multi_class="ovo"))
        expected["log_loss"].append(log_loss(y[drawn.fresh], p))
    for measure, values in expected.items():
        (cell,) = (
            each
            for each in made.document["cells"]
            if each["name"] == "true_value"
            and each["measure"] == measure
            and each["learner"] == "lda"
        )
        assert cell["value"] == pytest.approx(np.mean(values), rel=1e-9)


@pytest.mark.parametrize(
    "more, said",
    [
        ({"study": {**STUDY["study"], "variances": True}}, "variances of a study is there"),
        ({"tests": [{"blocked_3x2_t": {"mu0": "truth"}}]}, "mu0: truth is there by zero_one"),
        ({"compare": ["lda"], "tests": [{"kfold_t": {"mu0": 0.1}}]}, "one learner against"),
    ],
)
def test_what_studies_have_by_errors_alone(more: dict[str, Any], said: str) -> None:
    with pytest.raises(CvinferError, match=said):
        load_study({**MEASURED, "measures": ["auc"], "tests": ["kfold_t"], **more})
