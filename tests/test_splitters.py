"""The schemes as scikit-learn's splitters, and scikit-learn's scores as differences."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import cvinfer
from cvinfer.inference import InputError, combined_5x2_f, compare, infer
from cvinfer.partitions import PartitionError, blocked_mx2, make_partition, schemes
from cvinfer.splitters import Splitter, from_cross_validate, splitters

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_breast_cancer  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

X = np.arange(120.0).reshape(60, 2)
Y = np.array(["no", "yes", "yes"] * 20)
GROUPS = np.arange(60) // 2

NAMES = sorted(splitters())


@pytest.fixture(params=NAMES)
def splitter(request: pytest.FixtureRequest) -> Splitter:
    return splitters()[request.param]()


def test_every_scheme_has_one_under_a_name_of_its_own() -> None:
    assert len(NAMES) == len(schemes())
    assert {"BlockedMx2", "RandomMx2", "RepeatedHoldout", "KFold", "LeaveOneOut"} <= set(NAMES)
    assert set(NAMES) <= set(dir(cvinfer))
    assert cvinfer.BlockedMx2 is splitters()["BlockedMx2"]
    with pytest.raises(AttributeError, match="BlockedMx3"):
        cvinfer.BlockedMx3


def test_the_splits_are_those_of_the_scheme(splitter: Splitter) -> None:
    made = make_partition(splitter._info.name, 60, seed=splitter.random_state)  # type: ignore
    pairs = list(splitter.split(X))
    assert len(pairs) == splitter.get_n_splits(X) == len(made.splits)
    for (train, test), split in zip(pairs, made.splits):
        assert (train == split.train).all() and (test == split.test).all()


def test_conventions_of_scikit_learn(splitter: Splitter) -> None:
    parameters = inspect.signature(type(splitter)).parameters
    assert list(splitter.get_params()) == list(parameters)
    assert parameters["random_state"].default == 0
    copy = clone(splitter)
    assert copy is not splitter and repr(copy) == repr(splitter)
    assert repr(pickle.loads(pickle.dumps(splitter))) == repr(splitter)
    assert copy.set_params(random_state=3).random_state == 3
    with pytest.raises(PartitionError, match="no parameter 'seed'"):
        splitter.set_params(seed=1)
    with pytest.raises(TypeError):
        type(splitter)(seed=1)


def test_a_signature_is_real() -> None:
    signature = inspect.signature(cvinfer.BlockedMx2)
    assert str(signature).startswith("(m: 'int' = 5, blocks: 'Any' = None, *, stratify: 'bool'")
    assert repr(cvinfer.KFold(5)) == "KFold(k=5, stratify=False, random_state=0)"
    assert "K folds, each tested once" in (cvinfer.KFold.__doc__ or "")


def test_stratified_and_grouped() -> None:
    for train, test in cvinfer.BlockedMx2(m=3, stratify=True, random_state=1).split(X, Y):
        assert abs((Y[train] == "yes").sum() - (Y[test] == "yes").sum()) <= 1
    for train, test in cvinfer.KFold(k=5).split(X, Y, GROUPS):
        assert not set(GROUPS[train]) & set(GROUPS[test])


def test_what_cannot_be_is_refused_with_the_reason() -> None:
    with pytest.raises(PartitionError, match="stratify needs the classes y"):
        cvinfer.KFold(stratify=True).split(X)
    with pytest.raises(PartitionError, match="other splits at each call"):
        cvinfer.KFold(random_state=None).split(X)
    with pytest.raises(PartitionError, match="a fold of one record splits every larger group"):
        cvinfer.LeaveOneOut().split(X, Y, GROUPS)
    with pytest.raises(PartitionError, match="give X"):
        cvinfer.LeaveOneOut().get_n_splits()


@pytest.mark.parametrize(
    "cv",
    [cvinfer.BlockedMx2(stratify=True, random_state=1), cvinfer.KFold(4), blocked_mx2(60, seed=1)],
    ids=repr,
)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["apart", "grouped"])
def test_scikit_learn_takes_them_as_cv(cv: Any, groups: Any) -> None:
    if groups is not None and getattr(cv, "stratify", False):
        groups = None
    tree = DecisionTreeClassifier(random_state=0)
    count = cv.get_n_splits()
    assert len(cross_val_score(tree, X, Y, cv=cv, groups=groups)) == count
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=cv).fit(X, Y, groups=groups)
    assert f"split{count - 1}_test_score" in search.cv_results_
    assert clone(search) is not search


def test_a_partition_is_its_pairs_and_refuses_other_records() -> None:
    partition = blocked_mx2(60, seed=1)
    first, *_ = partition
    assert (first[0] == partition.splits[0].train).all()
    assert len(list(partition)) == partition.get_n_splits() == 10
    with pytest.raises(PartitionError, match="X has 59 records, the partition is of n = 60"):
        partition.split(X[:-1])


# Ten differences of one random 5×2 (a tree against 1-NN on breast cancer), of which mlxtend 0.25
# says F = 1.0750823038968784, p = 0.49906105365645675.
MLXTEND = [
    (-0.007017543859649145, 0.017605633802816878),
    (0.010526315789473717, -0.021126760563380254),
    (0.03157894736842104, -0.017605633802816878),
    (-0.01403508771929829, -0.04225352112676051),
    (0.01754385964912286, 0.028169014084507005),
]


@pytest.mark.golden("combined_5x2_f")
def test_differences_of_scores_against_mlxtend() -> None:
    accuracy_b = np.full(10, 0.9)
    accuracy_a = accuracy_b - np.ravel(MLXTEND)  # A errs more where the difference is positive
    d = from_cross_validate(accuracy_a, accuracy_b, make_partition("random_mx2", 569))
    for found in (d.test("combined_5x2_f"), combined_5x2_f(d)):
        assert found.statistic == pytest.approx(1.0750823038968784, rel=1e-9)
        assert found.pvalue == pytest.approx(0.49906105365645675, rel=1e-9)


def test_scores_give_what_predictions_give() -> None:
    features, classes = load_breast_cancer(return_X_y=True)
    cv = cvinfer.BlockedMx2(m=5, random_state=1)
    partition = cv.partition(features, classes)
    learners = [DecisionTreeClassifier(max_depth=1), KNeighborsClassifier(1)]
    results = [
        cross_validate(each, features, classes, cv=cv, scoring=["accuracy", "f1"])
        for each in learners
    ]
    predictions = [
        [each.fit(features[tr], classes[tr]).predict(features[te]) for tr, te in partition]
        for each in learners
    ]
    d = from_cross_validate(*results, partition, metric="accuracy")
    for name in ("blocked_3x2_t", "calibrated_5x2_bcv_f"):
        expected = compare(name, partition, classes, *predictions)
        assert d.test(name).statistic == pytest.approx(expected.statistic, rel=1e-9)
    nested = partition.nested_3x2()
    place = {train.tobytes(): at for at, (train, _) in enumerate(partition)}
    numbers = [place[train.tobytes()] for train, _ in nested]
    same = infer("blocked_3x2_t", d.values.reshape(-1)[numbers].reshape(3, 2))
    assert d.test("blocked_3x2_t").statistic == same.statistic
    assert d.test("blocked_3x2_t").scheme == "blocked_mx2"
    assert d.values.mean() == pytest.approx(
        results[1]["test_accuracy"].mean() - results[0]["test_accuracy"].mean()
    )


def test_sizes_come_from_the_partition() -> None:
    partition = make_partition("repeated_holdout", 100, j=4, n1=90)
    scores = np.array([0.7, 0.8, 0.75, 0.9])
    d = from_cross_validate(scores, [0.8, 0.8, 0.85, 0.9], partition)
    expected = infer("corrected_repeated_holdout_t", d.values, 90, 10)
    assert d.test("corrected_repeated_holdout_t").statistic == pytest.approx(expected.statistic)


@pytest.mark.parametrize(
    "a, said",
    [
        ({"test_score": [1.0] * 9}, "one score for each of the 10 splits"),
        ({"test_f1": [1.0] * 10}, "has no metric 'score'; it has f1"),
        ([np.nan] + [1.0] * 9, "no score on 1 split.*first on split 0"),
    ],
)
def test_scores_that_say_nothing_are_refused(a: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_cross_validate(a, [1.0] * 10, blocked_mx2(60))


def test_tests_that_do_not_fit_are_refused() -> None:
    d = from_cross_validate([0.5] * 10, [0.6] * 10, blocked_mx2(60))
    with pytest.raises(InputError, match="needs the scheme random_mx2"):
        d.test("combined_5x2_f")
    with pytest.raises(InputError, match="the outcome for each record"):
        d.test("bcv_5x2_mcnemar")
    with pytest.raises(InputError, match="with .partition"):
        from_cross_validate([0.5], [0.5], cvinfer.KFold())  # type: ignore[arg-type]
