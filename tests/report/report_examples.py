"""Result documents for the tests: made by running the statistics, never typed by hand."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from cvinfer.inference import (
    Inference,
    Interval,
    class_confusions,
    compare_losses,
    error_counts,
    f1_scores,
    infer,
    macro_f1,
    micro_confusions,
    procedure,
    tests,
    zero_one_losses,
)
from cvinfer.inference.checks import InputError
from cvinfer.partitions import Partition, make_partition
from cvinfer.analysis import document as documents
from cvinfer.report import files

NASTY = r"C4.5_50%&#{}~^\ "


@dataclass(frozen=True)
class Learner:
    engine: str = "builtin"
    encode: Optional[str] = None

    def settings(self) -> dict[str, Any]:
        return {"learner": "simulated"}


@dataclass(frozen=True)
class Spec:
    """As much of a spec as a document needs."""

    name: str
    learners: Mapping[str, Learner]
    correction: Any = "holm"
    loss: str = "zero_one"
    alpha: float = 0.05
    primary: Optional[str] = None
    margin: Optional[float] = None
    compares_across: bool = False
    control: Optional[str] = None
    bayes: bool = False
    seed: int = 1
    more: Mapping[str, Any] = field(default_factory=dict)

    def resolved(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "alpha": self.alpha,
            "correction": self.correction,
            "loss": self.loss,
            "primary": self.primary,
            "margin": self.margin,
            "control": self.control,
        }


MANIFEST = {"versions": {"cvinfer": "0.1.0"}, "seed": 1, "hashes": {"spec": "0" * 64}}


def partitions_for(test: str, n: int) -> tuple[Partition, ...]:
    """The partitions that a test needs, as its registration says."""
    made = []
    for at, need in enumerate(procedure(test).needs):
        options = dict(need.options)
        if need.scheme in ("holdout", "repeated_holdout"):
            options["n1"] = round(options["n1"] * n)
        made.append(make_partition(need.scheme, n, seed=at, **options))
    return tuple(made)


def losses_of(rate: float, partition: Partition, seed: int) -> list[np.ndarray[Any, Any]]:
    """0/1 losses of a learner with this error rate; each record is hard or easy for everybody."""
    hard = np.random.default_rng(99).random(partition.n)
    own = np.random.default_rng(seed)
    noise = 0.05 * own.normal(size=partition.n)
    return [
        np.asarray(hard[s.test] + noise[s.test] + 0.03 * own.normal(size=len(s.test)) < rate, float)
        for s in partition.splits
    ]


def simulated_run(
    name: str,
    rates: Mapping[str, float],
    pairs: Sequence[tuple[str, str]],
    requests: Sequence[tuple[str, Mapping[str, Any]]],
    n: int = 120,
    fail: Optional[tuple[str, str]] = None,
) -> documents.DataRun:
    """A data set on which learners err at `rates`; `fail` is (learner, message) of a failed fit."""
    partitions: list[Partition] = []
    losses: dict[tuple[str, int], list[Optional[np.ndarray[Any, Any]]]] = {}
    comparisons = []
    for test, options in requests:
        indices = []
        for partition in partitions_for(test, n):
            same = [
                at for at, p in enumerate(partitions) if p == partition and p.seed == partition.seed
            ]
            indices.append(same[0] if same else len(partitions))
            if not same:
                partitions.append(partition)
                for number, (learner, rate) in enumerate(rates.items()):
                    made = losses_of(rate, partition, number)
                    losses[learner, indices[-1]] = list(made)
        comparisons += [
            _compared(a, b, test, options, tuple(indices), partitions, losses, fail)
            for a, b in pairs
        ]
    failures = []
    if fail is not None:
        learner, message = fail
        for at in range(len(partitions)):
            losses[learner, at][-1] = None
            split = len(partitions[at].splits) - 1
            failures.append(documents.SplitFailure(learner, at, split, message))
    return documents.DataRun(
        data=facts(name, n),
        partitions=tuple(partitions),
        labels=tuple(f"{partition.scheme} {partition.seed}" for partition in partitions),
        losses=losses,
        comparisons=tuple(comparisons),
        failures=tuple(failures),
    )


def _compared(
    a: str,
    b: str,
    test: str,
    options: Mapping[str, Any],
    at: tuple[int, ...],
    partitions: Sequence[Partition],
    losses: Mapping[tuple[str, int], Any],
    fail: Optional[tuple[str, str]],
) -> documents.ComparisonRun:
    if fail is not None and fail[0] in (a, b):
        return documents.ComparisonRun(a, b, test, options, at, failed=fail[1])
    loss_a, loss_b = ([losses[learner, i] for i in at] for learner in (a, b))
    one = len(at) == 1
    try:
        found: Inference = compare_losses(
            test,
            partitions[at[0]] if one else [partitions[i] for i in at],
            loss_a[0] if one else loss_a,
            loss_b[0] if one else loss_b,
            **options,
        )
    except InputError as error:
        return documents.ComparisonRun(a, b, test, options, at, failed=str(error))
    return documents.ComparisonRun(a, b, test, options, at, inference=found)


def facts(name: str, n: int) -> dict[str, Any]:
    return {
        "name": name,
        "n": n,
        "classes": ["no", "yes"],
        "class_counts": [n - n // 2, n // 2],
        "features": {"numeric": 3, "categorical": 1},
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "source": {"source": "csv", "path": "data.csv"},
        "notes": [],
    }


def made(
    rates: Mapping[str, float],
    pairs: Sequence[tuple[str, str]],
    test_names: Sequence[Any],
    data: Sequence[str] = ("letter",),
    correction: Any = "holm",
    name: str = "letter",
    n: int = 120,
    fail: Optional[tuple[str, str]] = None,
    primary: Optional[str] = None,
    margin: Optional[float] = None,
) -> dict[str, Any]:
    """A document of simulated losses; a test is a name or a (name, options) pair."""
    requests = [(t, {}) if isinstance(t, str) else t for t in test_names]
    runs = [simulated_run(each, rates, pairs, requests, n, fail) for each in data]
    learners = {learner: Learner() for learner in rates}
    spec = Spec(name, learners, correction, primary=primary, margin=margin)
    return documents.build(spec, runs, MANIFEST)


def reread(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as it comes back from its file."""
    found: dict[str, Any] = json.loads(files.canonical(document))
    return found


PAPERS_TESTS = ("bcv_5x2_mcnemar", "blocked_3x2_t", "calibrated_5x2_bcv_f")
LETTER = {"CART": 0.32, "1-NN": 0.2, "SVM": 0.07}
AGAINST_SVM = (("CART", "SVM"), ("1-NN", "SVM"))


def small() -> dict[str, Any]:
    return made(LETTER, AGAINST_SVM, PAPERS_TESTS, n=200)


def one() -> dict[str, Any]:
    return made({"CART": 0.32, "SVM": 0.1}, [("CART", "SVM")], ["bcv_5x2_mcnemar"], n=200)


@lru_cache(maxsize=None)
def every_test() -> dict[str, Any]:
    """All tests, and learners whose names are trouble."""
    rates = {
        NASTY: 0.3,
        'naïve Bäyes β×2 <a|b> "x"': 0.2,
        "RandomForestClassifier(n_estimators=500)": 0.15,
    }
    a, b, c = rates
    return made(
        rates, [(a, b), (a, c), (b, c)], list(tests()), ["iris", "wine_1"], name=NASTY, n=100
    )


@lru_cache(maxsize=None)
def sixty(names: Sequence[str] = PAPERS_TESTS) -> dict[str, Any]:
    """Sixty comparisons: fifteen pairs on four data sets."""
    rates = {
        "CART": 0.3,
        "1-NN": 0.24,
        "SVM": 0.1,
        "naive Bayes": 0.18,
        "logistic": 0.15,
        NASTY: 0.2,
    }
    learners = list(rates)
    pairs = [(a, b) for i, a in enumerate(learners) for b in learners[i + 1 :]]
    return made(rates, pairs, names, ["letter", "iris", "breast cancer", "german"], n=100)


def many(control: Optional[str] = None, across: bool = True, data_sets: int = 6) -> dict[str, Any]:
    """Each learner against CART on several data sets, or every pair where there is a control."""
    rates = {"CART": 0.3, "1-NN": 0.28, "SVM": 0.05, "a stump with a long name": 0.45}
    others = [name for name in rates if name != "CART"]
    pairs = [(name, "CART") for name in others]
    if control is not None:
        pairs = [(a, b) for at, a in enumerate(rates) for b in list(rates)[at + 1 :]]
    runs = [
        simulated_run(f"data set {at}", rates, pairs, [("bcv_5x2_mcnemar", {})], 120, None)
        for at in range(data_sets)
    ]
    learners = {name: Learner() for name in rates}
    spec = Spec("many", learners, compares_across=across, control=control)
    return documents.build(spec, runs, MANIFEST)


def troubled() -> dict[str, Any]:
    """Learners that never disagree, ties, and a learner that failed."""
    rates = {"CART": 0.3, "twin": 0.3, "SVM": 0.1, "broken": 0.5}
    run = simulated_run(
        "letter",
        rates,
        [("CART", "SVM"), ("SVM", "broken"), ("CART", "broken")],
        [("bcv_5x2_mcnemar", {}), ("kfold_t", {}), ("holdout_mcnemar", {})],
        fail=("broken", "broken failed on split 9: ValueError: could not convert 'ä_%' | to float"),
    )
    partition = run.partitions[1]
    zeros = [np.zeros(len(s.test)) for s in partition.splits]
    ties = [np.r_[1.0, loss[1:]] for loss in zeros]
    more = [
        documents.ComparisonRun(
            "CART", "twin", "kfold_t", {}, (1,), compare_losses("kfold_t", partition, zeros, zeros)
        ),
        documents.ComparisonRun(
            "twin", "SVM", "kfold_t", {}, (1,), compare_losses("kfold_t", partition, ties, zeros)
        ),
    ]
    whole = documents.DataRun(
        run.data,
        run.partitions,
        run.labels,
        run.losses,
        (*run.comparisons, *more),
        (),
        run.failures,
    )
    spec = Spec("troubled", {name: Learner() for name in rates})
    return documents.build(spec, [whole], MANIFEST)


@lru_cache(maxsize=None)
def breast_cancer() -> dict[str, Any]:
    """Two real learners of scikit-learn on its breast cancer data, with intervals."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    learners = {"tree": DecisionTreeClassifier(random_state=0), "1-NN": KNeighborsClassifier(1)}
    runs = []
    for name, load in (("breast cancer", load_breast_cancer), ("iris", load_iris)):
        data = load()
        runs.append(_real_run(name, data.data, data.target, learners))
    spec = Spec("sklearn", {name: Learner("sklearn") for name in learners}, "bonferroni")
    return documents.build(spec, runs, MANIFEST)


def _real_run(name: str, x: Any, y: Any, learners: Mapping[str, Any]) -> documents.DataRun:
    halves = make_partition("blocked_mx2", len(y), m=5, seed=1)
    partitions = (halves, make_partition("kfold", len(y), k=5, seed=1), halves.nested_3x2())
    predictions = {
        (learner, at): [
            model.fit(x[s.train], y[s.train]).predict(x[s.test]) for s in partition.splits
        ]
        for learner, model in learners.items()
        for at, partition in enumerate(partitions)
    }
    losses = {key: zero_one_losses(y, p, partitions[key[1]]) for key, p in predictions.items()}
    a, b = learners
    requests = (
        ("bcv_5x2_mcnemar", 0),
        ("kfold_t", 1),
        ("corrected_kfold_t", 1),
        ("blocked_3x2_t", 2),
    )
    comparisons = tuple(
        documents.ComparisonRun(
            a,
            b,
            test,
            {},
            (at,),
            compare_losses(test, partitions[at], losses[a, at], losses[b, at]),
        )
        for test, at in requests
    )
    intervals = []
    for learner in learners:
        confusions = class_confusions(y, predictions[learner, 2], partitions[2])
        intervals += _intervals(learner, confusions)
        wrong = error_counts(losses[learner, 1], partitions[1])
        found: Interval = infer("error_kfold_t", wrong, partitions[1].sizes[..., 1])
        intervals.append(documents.IntervalRun(learner, "error_kfold_t", {}, (1,), found))
    data = {**facts(name, len(y)), "classes": [str(c) for c in np.unique(y)]}
    data["class_counts"] = np.bincount(y).tolist()
    return documents.DataRun(
        data, partitions, ("5x2", "5-fold", "3x2"), losses, comparisons, tuple(intervals)
    )


def _intervals(learner: str, confusions: Any) -> list[documents.IntervalRun]:
    micro = micro_confusions(confusions)
    scores = {"micro": f1_scores(micro), "macro": macro_f1(confusions)}
    found = [
        documents.IntervalRun(learner, name, {}, (2,), infer(name, micro, micro=True), "micro")
        for name in ("f1_beta_prime", "precision_beta")
    ]
    for way, score in scores.items():
        result = infer("blocked_3x2_t_interval", score)
        found.append(
            documents.IntervalRun(learner, "blocked_3x2_t_interval", {}, (2,), result, way)
        )
    return found
