"""The papers' own classifiers: scikit-learn's checks, and each rule computed a second way."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.utils.estimator_checks import parametrize_with_checks

from cvinfer.engines._sklearn import classifiers as _classifiers
from cvinfer.engines._sklearn.classifiers import (
    FirstNearestNeighbour,
    LeastSquaresClassifier,
    MajorityClassifier,
    MeanClassifier,
)
from cvinfer.engines._sklearn.quick import (
    LinearDiscriminant,
    NaiveBayes,
    NearestNeighbours,
    seen_features,
)

OURS = [
    MajorityClassifier(),
    MeanClassifier(),
    FirstNearestNeighbour(),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(fit_intercept=False),
    NaiveBayes(),
    LinearDiscriminant(),
    NearestNeighbours(),
]


def cannot(estimator: Any) -> dict[str, str]:
    return _classifiers.MAJORITY_CANNOT if isinstance(estimator, MajorityClassifier) else {}


# From version 1.6 on the caller names the checks that cannot be passed. 1.9 no longer asks for
# every class.
OPTIONS: dict[str, Any] = {"expected_failed_checks": cannot, "xfail_strict": False}
KNOWN = inspect.signature(parametrize_with_checks).parameters


@parametrize_with_checks(OURS, **{name: OPTIONS[name] for name in OPTIONS if name in KNOWN})
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def sample(n: int, features: int, classes: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    x = rng.normal(size=(n, features)) + y[:, None]
    return x, y, rng.normal(size=(200, features)) + rng.integers(classes, size=(200, 1))


def test_majority_is_the_most_frequent_class_and_of_equals_the_smallest() -> None:
    x = np.zeros((5, 1))
    assert MajorityClassifier().fit(x, list("cabba")).predict(x).tolist() == ["a"] * 5
    assert MajorityClassifier().fit(x, list("cabbc")).predict(x).tolist() == ["b"] * 5
    x, y, fresh = sample(101, 2, 3, 5)
    expected = DummyClassifier(strategy="most_frequent").fit(x, y).predict(fresh)
    assert (MajorityClassifier().fit(x, y).predict(fresh) == expected).all()


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_mean_agrees_with_nearest_centroid(classes: int) -> None:
    x, y, fresh = sample(90, 3, classes, classes)
    expected = NearestCentroid().fit(x, y).predict(fresh)
    assert (MeanClassifier().fit(x, y).predict(fresh) == expected).all()


def test_mean_gives_a_tie_to_the_smallest_class() -> None:
    fitted = MeanClassifier().fit([[0.0], [2.0], [4.0]], ["b", "a", "c"])
    assert fitted.predict([[1.0], [3.0]]).tolist() == ["a", "a"]


def test_first_neighbour_without_weights_is_scikit_learns() -> None:
    x, y, fresh = sample(300, 5, 4, 8)
    expected = KNeighborsClassifier(1, algorithm="brute").fit(x, y).predict(fresh)
    assert (FirstNearestNeighbour().fit(x, y).predict(fresh) == expected).all()


def nearest_by_fractions(x: Any, fresh: Any, weights: list[Fraction]) -> list[int]:
    """The first of the nearest records, in exact arithmetic."""
    found = []
    for record in fresh.astype(int).tolist():
        distances = [
            sum(w * (a - b) ** 2 for w, a, b in zip(weights, record, other))
            for other in x.astype(int).tolist()
        ]
        found.append(distances.index(min(distances)))
    return found


SETS = {1: {1, 3, 9, 16}, -1: {5, 11, 13}}


@pytest.mark.parametrize("v", [Fraction(1), Fraction(25), Fraction(7), Fraction(1, 2)])
def test_v_weighs_the_letter_features_exactly_ties_included(v: Fraction) -> None:
    rng = np.random.default_rng(19)
    x, fresh = rng.integers(0, 4, size=(150, 16)), rng.integers(0, 4, size=(60, 16))
    weights = [v if l in SETS[1] else 1 / v if l in SETS[-1] else Fraction(1) for l in range(1, 17)]
    expected = nearest_by_fractions(x, fresh, weights)
    # Every record is its own class, so that the answer is the very record.
    assert FirstNearestNeighbour(v=float(v)).fit(x, range(150)).predict(fresh).tolist() == expected


def test_a_tie_between_weights_is_not_decided_by_rounding() -> None:
    # 49 times 1/49 is less than 1 in floating point.
    x = np.zeros((2, 16))
    x[0, 1], x[1, 4] = 1, 7
    assert FirstNearestNeighbour(v=49).fit(x, [1, 0]).predict(np.zeros((1, 16))).tolist() == [1]


@pytest.mark.parametrize("omega", [Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(4)])
def test_omega_weighs_two_features_exactly_ties_included(omega: Fraction) -> None:
    rng = np.random.default_rng(18)
    x, fresh = rng.integers(0, 16, size=(80, 2)), rng.integers(0, 16, size=(100, 2))
    expected = nearest_by_fractions(x, fresh, [omega, 1 / omega])
    fitted = FirstNearestNeighbour(omega=float(omega)).fit(x, range(80))
    assert fitted.predict(fresh).tolist() == expected


def test_weights_of_ones_own_and_the_named_ones_agree() -> None:
    x, y, fresh = sample(100, 16, 3, 2)
    own = np.ones(16)
    own[[0, 2, 8, 15]], own[[4, 10, 12]] = 30.09, 1 / 30.09
    by_list = FirstNearestNeighbour(weights=own.tolist()).fit(x, y).predict(fresh)
    by_v = FirstNearestNeighbour(v=30.09).fit(x, y).predict(fresh)
    assert (by_list == by_v).all()
    assert (by_v != FirstNearestNeighbour().fit(x, y).predict(fresh)).any()
    x, y, fresh = sample(100, 2, 3, 3)
    by_list = FirstNearestNeighbour(weights=[0.29, 1 / 0.29]).fit(x, y).predict(fresh)
    assert (by_list == FirstNearestNeighbour(omega=0.29).fit(x, y).predict(fresh)).all()


def test_zero_weight_takes_a_feature_out() -> None:
    x, y, fresh = sample(60, 3, 2, 4)
    without = FirstNearestNeighbour().fit(x[:, :2], y).predict(fresh[:, :2])
    assert (FirstNearestNeighbour([1, 1, 0]).fit(x, y).predict(fresh) == without).all()


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, fresh = sample(50, 2, 40, 6)
    whole = FirstNearestNeighbour().fit(x, y).predict(fresh)
    monkeypatch.setattr(_classifiers, "CHUNK", 170)
    assert (FirstNearestNeighbour().fit(x, y).predict(fresh) == whole).all()


@pytest.mark.parametrize(
    "params, message",
    [
        ({"v": 25}, "v is for 16 features, and there are 3"),
        ({"omega": 0.5}, "omega is for two features, and there are 3"),
        ({"weights": [1, 2]}, "2 weights for 3 features"),
        ({"weights": [1, 2, -1]}, "not negative"),
        ({"weights": [0, 0, 0]}, "not all zero"),
        ({"v": 2, "omega": 2}, "omega and v are given together"),
        ({"v": -2}, "'v' parameter"),
    ],
)
def test_wrong_weights_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FirstNearestNeighbour(**params).fit(np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("intercept", [True, False])
def test_least_squares_cuts_at_one_half(intercept: bool) -> None:
    x, y, fresh = sample(80, 2, 2, 7)
    with_ones = np.column_stack([x, np.ones(80)]) if intercept else x
    beta = np.linalg.solve(with_ones.T @ with_ones, with_ones.T @ y)
    fitted = fresh @ beta[:2] + (beta[2] if intercept else 0.0)
    found = LeastSquaresClassifier(fit_intercept=intercept).fit(x, y).predict(fresh)
    assert (found == (fitted > 0.5)).all()
    assert 0 < found.sum() < 200


def test_the_constant_term_matters() -> None:
    x, y, fresh = sample(80, 2, 2, 7)
    with_it = LeastSquaresClassifier().fit(x, y).predict(fresh)
    without = LeastSquaresClassifier(fit_intercept=False).fit(x, y).predict(fresh)
    assert (with_it != without).any()


def test_exactly_one_half_is_the_first_class() -> None:
    fitted = LeastSquaresClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert fitted.predict([[0.5], [0.75]]).tolist() == ["a", "b"]


def test_least_squares_with_more_classes_takes_the_largest_fit() -> None:
    x, y, fresh = sample(120, 4, 4, 9)
    ones, ones_fresh = np.column_stack([x, np.ones(120)]), np.column_stack([fresh, np.ones(200)])
    member = np.eye(4)[y]
    expected = (ones_fresh @ np.linalg.pinv(ones) @ member).argmax(axis=1)
    assert (LeastSquaresClassifier().fit(x, y).predict(fresh) == expected).all()


def test_least_squares_copes_with_features_that_determine_each_other() -> None:
    x, y, fresh = sample(60, 2, 2, 11)
    doubled = LeastSquaresClassifier().fit(np.hstack([x, x]), y).predict(np.hstack([fresh, fresh]))
    assert (doubled == LeastSquaresClassifier().fit(x, y).predict(fresh)).all()


@pytest.mark.parametrize("estimator", OURS, ids=repr)
def test_one_class_in_training_is_predicted(estimator: Any) -> None:
    x = np.arange(6.0).reshape(3, 2)
    assert clone(estimator).fit(x, ["b"] * 3).predict(x).tolist() == ["b"] * 3


# What each is in scikit-learn; GaussianNB adds 1e-9 of the largest variance to all of them.
QUICK = {
    NaiveBayes: GaussianNB(var_smoothing=0),
    LinearDiscriminant: LinearDiscriminantAnalysis(solver="lsqr"),
    NearestNeighbours: KNeighborsClassifier(5, algorithm="brute"),
}


@pytest.mark.parametrize("ours", QUICK)
@pytest.mark.parametrize("classes", [2, 3])
def test_rules_for_studies_are_scikit_learns_on_the_features_that_they_see(
    ours: Any, classes: int
) -> None:
    x, y, fresh = sample(90, 5, classes, classes)
    theirs = clone(QUICK[ours]).fit(x[:, [1, 4]], y)
    fitted = ours(features=[2, 5]).fit(x, y)
    expected = theirs.predict_proba(fresh[:, [1, 4]])
    np.testing.assert_allclose(fitted.predict_proba(fresh), expected, rtol=1e-7, atol=1e-12)
    assert (fitted.predict(fresh) == expected.argmax(axis=1)).all()
    assert (ours().fit(x, y).predict(fresh) == clone(QUICK[ours]).fit(x, y).predict(fresh)).all()


def test_as_many_neighbours_as_there_are() -> None:
    fitted = NearestNeighbours(k=7).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    np.testing.assert_allclose(fitted.predict_proba([[4.0]]), [[2 / 3, 1 / 3]], rtol=1e-15)
    assert NearestNeighbours(k=2).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.4]]) == ["a"]


@pytest.mark.parametrize(
    "given, told",
    [
        ([], "a list of whole numbers, counted from 1"),
        ([[1]], "a list of whole numbers, counted from 1"),
        ([1.0], "a list of whole numbers, counted from 1"),
        ([0, 1], "counted from 1 to 3, and 0 is none"),
        ([1, 4], "counted from 1 to 3, and 4 is none"),
        ([2, 2], "a number twice"),
    ],
)
def test_features_that_there_are_not(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        seen_features(3, given)
