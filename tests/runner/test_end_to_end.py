"""Whole runs on real data: every statistic computed again from scikit-learn alone."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from scipy import stats
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cvinfer.data import write_splits
from cvinfer.runner import run, run_plans, load

# Learners whose fit draws nothing at random, or from the seed given here.
LEARNERS: dict[str, tuple[dict[str, Any], Callable[[], Any]]] = {
    "1-NN": (
        {"engine": "sklearn", "learner": "KNeighborsClassifier", "params": {"n_neighbors": 1}},
        lambda: KNeighborsClassifier(n_neighbors=1),
    ),
    "tree": (
        {"engine": "sklearn", "learner": "DecisionTreeClassifier", "params": {"random_state": 5}},
        lambda: DecisionTreeClassifier(random_state=5),
    ),
    "naive Bayes": ({"engine": "sklearn", "learner": "GaussianNB"}, GaussianNB),
    "logistic": (
        {"engine": "sklearn", "steps": ["StandardScaler", {"LogisticRegression": {"C": 0.5}}]},
        lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.5)),
    ),
}

Splits = dict[str, dict[tuple[int, int], tuple[Any, Any]]]


def written_splits(path: Path) -> Splits:
    """Train and test records by (replication, fold), by scheme, from the file alone."""
    roles: Any = defaultdict(lambda: defaultdict(lambda: {"train": [], "test": []}))
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            place = (int(row["replication"]), int(row["fold"]))
            roles[row["scheme"]][place][row["role"]].append(int(row["record"]))
    return {
        scheme: {at: (np.array(s["train"]), np.array(s["test"])) for at, s in sorted(one.items())}
        for scheme, one in roles.items()
    }


def loss_differences(
    splits: dict[tuple[int, int], tuple[Any, Any]], x: Any, y: Any, a: Any, b: Any
) -> list[Any]:
    """loss of A minus loss of B for each test record of each split."""
    found = []
    for train, test in splits.values():
        wrong = [made().fit(x[train], y[train]).predict(x[test]) != y[test] for made in (a, b)]
        found.append(wrong[0].astype(float) - wrong[1].astype(float))
    return found


def kfold_t(d: list[Any]) -> tuple[float, float]:
    means = np.array([each.mean() for each in d])
    t = means.mean() / math.sqrt(means.var(ddof=1) / len(means))
    return t, 2 * stats.t.sf(abs(t), len(means) - 1)


def cvci_z(d: list[Any]) -> tuple[float, float]:
    every = np.concatenate(d)
    z = math.sqrt(len(every)) * every.mean() / every.std()
    return z, 2 * stats.norm.sf(abs(z))


def blocked_3x2_t(d: list[Any]) -> tuple[float, float]:
    means = np.array([each.mean() for each in d])
    t = means.mean() / math.sqrt(((means - means.mean()) ** 2).sum() / 6)
    return t, 2 * stats.t.sf(abs(t), 5)


def combined_5x2_f(d: list[Any], df: tuple[int, int] = (10, 5)) -> tuple[float, float]:
    means = np.array([each.mean() for each in d]).reshape(5, 2)
    s2 = ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    f = (means**2).sum() / 10 / s2.mean()
    return f, stats.f.sf(f, *df)


def calibrated_f(d: list[Any]) -> tuple[float, float]:
    return combined_5x2_f(d, (7, 5))


def bcv_5x2_mcnemar(d: list[Any]) -> tuple[float, float]:
    n01, n10 = (np.mean([(each == side).sum() for each in d]) for side in (1, -1))
    t = 20 / 11
    statistic = t * max(abs(n01 - n10) - 1 / t, 0.0) ** 2 / (n01 + n10)
    return statistic, stats.chi2.sf(statistic, 1)


def corrected_repeated_holdout_t(d: list[Any], n1: int, n2: int) -> tuple[float, float]:
    means = np.array([each.mean() for each in d])
    j = len(means)
    t = means.mean() / math.sqrt((1 / j + n2 / n1) * means.var(ddof=1))
    return t, 2 * stats.t.sf(abs(t), j - 1)


def recomputed(test: str, d: list[Any], sizes: tuple[int, int]) -> tuple[float, float]:
    if test == "corrected_repeated_holdout_t":
        return corrected_repeated_holdout_t(d, *sizes)
    known: dict[str, Callable[[list[Any]], tuple[float, float]]] = {
        "kfold_t": kfold_t,
        "cvci_z": cvci_z,
        "blocked_3x2_t": blocked_3x2_t,
        "calibrated_5x2_bcv_f": calibrated_f,
        "combined_5x2_f": combined_5x2_f,
        "bcv_5x2_mcnemar": bcv_5x2_mcnemar,
    }
    return known[test](d)


SCHEMES = {
    "kfold_t": "kfold",
    "cvci_z": "kfold",
    "combined_5x2_f": "random_mx2",
    "bcv_5x2_mcnemar": "blocked_mx2",
    "calibrated_5x2_bcv_f": "blocked_mx2",
    "blocked_3x2_t": "blocked_mx2#2",
    "corrected_repeated_holdout_t": "repeated_holdout",
}


@pytest.mark.parametrize(
    "name, pair, tests",
    [
        ("iris", ("tree", "naive Bayes"), tuple(SCHEMES)),
        ("breast_cancer", ("1-NN", "logistic"), tuple(SCHEMES)),
        ("digits", ("1-NN", "naive Bayes"), ("bcv_5x2_mcnemar", "blocked_3x2_t", "kfold_t")),
        pytest.param("digits", ("tree", "1-NN"), tuple(SCHEMES), marks=pytest.mark.long),
    ],
)
def test_statistics_agree_with_scikit_learn_alone(
    tmp_path: Path, name: str, pair: tuple[str, str], tests: tuple[str, ...]
) -> None:
    spec = {
        "cvinfer": 1,
        "name": name,
        "data": {"source": "sklearn", "dataset": name},
        "learners": {learner: LEARNERS[learner][0] for learner in pair},
        "compare": list(pair),
        # Of these the blocked 5×2 is planned first, so that the 3×2 inside it is the second.
        "tests": sorted(tests),
        "seed": 2014,
    }
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(spec))
    result = run(path, jobs=2, write=True, output=tmp_path / "results" / name)
    assert not result.failed

    (plan,) = run_plans(*load(path))
    assert plan is not None
    order = sorted(plan.partitions, key=lambda one: one.shape == (3, 2))
    write_splits(order, tmp_path / "splits.csv")
    splits = written_splits(tmp_path / "splits.csv")

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    a, b = (LEARNERS[learner][1] for learner in pair)
    differences = {
        scheme: loss_differences(splits[scheme], x, y, a, b)
        for scheme in dict.fromkeys(SCHEMES[test] for test in tests)
    }
    written = json.loads((tmp_path / "results" / name / "result.json").read_text())
    rows = {row["test"]: row["inference"] for row in written["comparisons"]}
    assert set(rows) == set(tests)
    for test in tests:
        scheme = SCHEMES[test]
        train, tested = next(iter(splits[scheme].values()))
        statistic, p = recomputed(test, differences[scheme], (len(train), len(tested)))
        assert rows[test]["statistic"] == pytest.approx(statistic, rel=1e-12, abs=1e-12), test
        assert rows[test]["p_value"] == pytest.approx(p, rel=1e-12, abs=1e-12), test
