"""Probabilities of every learner of R and Weka: those of plain R, and no class is another one."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.engines.r.r_proof import finish, start

from cvinfer import runner
from cvinfer.engines import engine
from cvinfer.engines.rweka import ANY_OTHER
from cvinfer.execute.store import Store
from cvinfer.losses.kinds import PROBABILITIES

pytestmark = pytest.mark.usefixtures("weka")


def r(learner: str, **params: Any) -> dict[str, Any]:
    return {"engine": "r", "learner": learner, "params": params}


def weka(learner: str, **params: Any) -> dict[str, Any]:
    return {"engine": "rweka", "learner": learner, "params": params}


LEARNERS = {
    **{name: r(name) for name in ("rpart", "tree", "svm", "naiveBayes", "lda", "qda", "kknn")},
    "nnet": r("nnet", size=2, maxit=40),
    "multinom": r("multinom", maxit=40),
    "randomForest": r("randomForest", ntree=15),
    "ranger": r("ranger", **{"num.trees": 15}),
    **{
        name: weka(name)
        for name in (
            *("AdaBoostM1", "Bagging", "DecisionStump", "IBk", "J48", "JRip", "LMT", "Logistic"),
            *("LogitBoost", "NaiveBayes", "OneR", "PART", "SMO"),
        )
    },
    "MultilayerPerceptron": weka("MultilayerPerceptron", N=20),
    "RandomForest": weka("RandomForest", I=8),
}
#: These take two classes, or tell of no more.
OF_TWO = {"glm": r("glm"), "knn": r("knn", k=5), "anova": r("rpart", method="anova")}
SETS = {"two": {**LEARNERS, **OF_TWO}, "three": {**LEARNERS, "knn": OF_TWO["knn"]}}
NO_PROBABILITIES = ("three", "knn")


class Found(NamedTuple):
    codes: dict[tuple[str, str], Any]
    plain_codes: dict[tuple[str, str], Any]
    beside: dict[tuple[str, str], Any]
    failures: dict[tuple[str, str], str]
    by_r: Path


@pytest.fixture(scope="module")
def found(weka: Any, tmp_path_factory: pytest.TempPathFactory) -> Found:
    place = tmp_path_factory.mktemp("beside")
    found = Found({}, {}, {}, {}, place)
    jobs = []
    planned = {}
    for number, (name, learners) in enumerate(SETS.items()):
        classes = 2 + number
        rng = np.random.default_rng(number + 1)
        y = rng.integers(classes, size=120)
        # Rounded, so that neighbours and splits have ties.
        x = np.round(rng.normal(size=(120, 4)) + 0.8 * y[:, None], 1)
        rows = [[*map(str, row), f"c{code}"] for row, code in zip(x.tolist(), y)]
        write(place / f"{name}.csv", rows)
        spec = {
            "cvinfer": 1,
            "name": name,
            "seed": 3,
            "data": {"source": "csv", "path": str(place / f"{name}.csv"), "target": "y"},
            "learners": learners,
            "tests": ["holdout_mcnemar"],
        }
        (place / f"{name}.json").write_text(json.dumps(spec))
        planned[name] = runner.plan(runner.load(place / f"{name}.json"))
        (plan,) = planned[name].plans
        assert plan is not None
        (split,) = plan.partitions[0].splits
        for role, records in (("train", split.train), ("test", split.test)):
            write(place / f"{name}-{role}.csv", [rows[at] for at in records])
        levels = " ".join(plan.dataset.classes)
        for fit in plan.fits:
            if (name, fit.learner) != NO_PROBABILITIES:
                jobs.append([name, fit.learner, str(fit.seed % 2**31), levels])
    for wants in (None, PROBABILITIES):
        plans = {
            name: replace(plan, wants={} if wants is None else dict.fromkeys(SETS[name], wants))
            for name, each in planned.items()
            for plan in each.plans
        }
        codes_of = found.plain_codes if wants is None else found.codes
        with Store(None) as store:
            # One worker for both sets: the starts of R and of Java cost more than these fits.
            both = planned["two"]._replace(plans=list(plans.values()))
            outcome = runner.execute(both, store, jobs=1)
            for name, plan in plans.items():
                this = planned[name]._replace(plans=[plan])
                (each,) = runner.analyse(this, store, outcome).found
                for (learner, _), (codes,) in each.predicted.codes.items():
                    codes_of[name, learner] = codes
                for (learner, _), (beside,) in each.predicted.beside.items():
                    found.beside[name, learner] = beside
                for (learner, _, _), said in each.predicted.failures.items():
                    found.failures[name, learner] = said
    with open(place / "jobs.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([["data", "learner", "seed", "levels"], *jobs])

    finish(start("plain_probabilities.R", place))
    return found


def write(path: Path, rows: Any) -> None:
    """The class comes first, so that R can leave it out by its number."""
    with open(path, "w", newline="") as stream:
        header = ["y", "a", "b", "c", "d"]
        csv.writer(stream).writerows([header, *([row[-1], *row[:-1]] for row in rows)])


EACH = [(data, learner) for data, learners in SETS.items() for learner in learners]


@pytest.mark.parametrize("data, learner", EACH)
def test_no_class_is_another_one(found: Found, data: str, learner: str) -> None:
    if (data, learner) == NO_PROBABILITIES:
        assert "knn tells the share of the class it predicts only" in found.failures[data, learner]
        return
    assert found.codes[data, learner] is not None, found.failures[data, learner]
    assert (found.codes[data, learner] == found.plain_codes[data, learner]).all()


@pytest.mark.parametrize("data, learner", [each for each in EACH if each != NO_PROBABILITIES])
def test_probabilities_are_those_of_plain_r(found: Found, data: str, learner: str) -> None:
    rows = found.beside[data, learner]
    assert rows is not None, found.failures[data, learner]
    plain = np.fromfile(found.by_r / f"{data}-{learner}.bin").reshape(rows.shape[::-1]).T
    assert (rows == plain).all(), np.abs(rows - plain).max()


def test_every_learner_there_is_was_asked() -> None:
    names = {entry["learner"] for learners in SETS.values() for entry in learners.values()}
    there = {each.name for name in ("r", "rweka") for each in engine(name).learners()}
    assert names == there - {ANY_OTHER}


def test_what_is_known_before_a_fit() -> None:
    from cvinfer.engines import LearnerSpec

    for name, entry in LEARNERS.items():
        spec = LearnerSpec(name, entry["engine"], entry["learner"], None, entry["params"])
        assert engine(spec.engine).gives(spec) == PROBABILITIES
    assert engine("r").gives(LearnerSpec("knn", "r", "knn")) is None, "it depends on the classes"
    assert engine("r").gives(LearnerSpec("x", "r", "rpart::rpart")) is None
