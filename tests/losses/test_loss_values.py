"""Every measure against numbers of others, what it must not change with, and where it is none."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

from cvinfer.losses import CODES, HIGHER, NoValue, loss, losses

TWO, THREE = ("n", "p"), ("a", "b", "c")
Y2 = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
S2 = np.array([0.1, 0.4, 0.35, 0.8, 0.4, 0.4, 0.2, 0.9, 0.7, 0.35])
C2 = (S2 >= 0.4).astype(int)
P2 = np.stack([1 - S2, S2], axis=1)
Y3 = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1])
P3 = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.3, 0.4, 0.3],
        [0.2, 0.2, 0.6],
        [0.4, 0.4, 0.2],
        [0.5, 0.3, 0.2],
        [0.1, 0.6, 0.3],
        [0.6, 0.1, 0.3],
        [0.1, 0.8, 0.1],
        [0.3, 0.3, 0.4],
        [0.2, 0.5, 0.3],
        [0.5, 0.25, 0.25],
        [0.25, 0.5, 0.25],
    ]
)
C3 = P3.argmax(axis=1)


def value(name: str, y: Any, given: Any, classes: Any, positive: Any = None, **options: Any) -> Any:
    return np.mean(loss(name).on(classes, positive, options).of(y, given))


# R 4.2.2, yardstick 1.4.0 (its AUC and pROC 1.19.1's are one), with y, s and P as above and the
# prediction "1" from 0.4 on:
#   y2 <- factor(y, levels = c(1, 0)); e2 <- factor(as.integer(s >= .4), levels = c(1, 0))
#   f_meas_vec(y2, e2); precision_vec(y2, e2); recall_vec(y2, e2); mcc_vec(y2, e2); kap_vec(y2, e2)
#   auc(roc(y, s, levels = c(0, 1), direction = "<")); roc_auc_vec(y2, s)
#   average_precision_vec(y2, s); mn_log_loss_vec(y2, s); brier_class_vec(y2, s)
R_TWO = {
    "f1": (C2, 0.72727272727272718),
    "precision": (C2, 0.66666666666666663),
    "recall": (C2, 0.80000000000000004),
    "mcc": (C2, 0.40824829046386302),
    "kappa": (C2, 0.40000000000000002),
    "auc": (P2, 0.73999999999999999),
    "average_precision": (P2, 0.72499999999999998),
    "log_loss": (P2, 0.6223989567108128),
    "brier": (P2, 0.22150000000000003),
}
#   truth, est <- factors with levels a, b, c; est the most probable class, the first of equal ones
#   f_meas_vec(truth, est, estimator = "macro"), and so on; roc_auc_vec(truth, P, estimator =
#   "hand_till"); average_precision_vec(truth, P, estimator = "macro"); mn_log_loss_vec(truth, P)
#   2 * brier_class_vec(truth, P): yardstick halves the sum over classes
R_THREE = {
    "f1": (C3, 0.75555555555555554),
    "precision": (C3, 0.79999999999999993),
    "recall": (C3, 0.73888888888888893),
    "mcc": (C3, 0.61971166940077005),
    "kappa": (C3, 0.61290322580645162),
    "auc": (P3, 0.84583333333333333),
    "average_precision": (P3, 0.75611111111111107),
    "log_loss": (P3, 0.8128349850511043),
    "brier": (P3, 2 * 0.23791666666666667),
}


@pytest.mark.parametrize("name", R_TWO)
def test_two_classes_as_r_has_them(name: str) -> None:
    predicted, wanted = R_TWO[name]
    assert value(name, Y2, predicted, TWO, 1) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("name", R_THREE)
def test_three_classes_as_r_has_them(name: str) -> None:
    predicted, wanted = R_THREE[name]
    assert value(name, Y3, predicted, THREE) == pytest.approx(wanted, rel=1e-14)


# yardstick: roc_auc_vec(truth, P, estimator = "macro"). scikit-learn 1.2.1:
# balanced_accuracy_score(Y3, C3), balanced_accuracy_score(Y2, C2).
def test_the_others() -> None:
    assert value("auc", Y3, P3, THREE, average="ovr") == pytest.approx(0.84621362433862424, 1e-14)
    assert value("balanced_accuracy", Y3, C3, THREE) == pytest.approx(0.7388888888888889, 1e-14)
    assert value("balanced_accuracy", Y2, C2, TWO) == pytest.approx(0.7, 1e-14)


# By hand: records 3 and 5 are n taken for p, record 2 is p taken for n.
def test_cost() -> None:
    matrix = {"n": {"p": 1}, "p": {"n": 5, "p": 0.5}}
    ready = loss("cost").on(TWO, options={"matrix": matrix})
    assert ready.of(Y2, C2).tolist() == [0, 0.5, 5, 1, 0.5, 1, 0, 0.5, 0.5, 0]
    assert ready.bounds == (0.0, 5.0)


SKLEARN = {
    "f1": lambda y, c: metrics.f1_score(y, c, average="macro"),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "auc": lambda y, p: metrics.roc_auc_score(y, p, multi_class="ovo"),
    "log_loss": lambda y, p: metrics.log_loss(y, p, labels=range(p.shape[1])),
}


@pytest.mark.parametrize("name", SKLEARN)
def test_as_scikit_learn_on_drawn_data(name: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        y = np.append(rng.integers(0, 4, 56), range(4))
        scores = rng.random((60, 4)).round(1) + 0.01 + (y[:, None] == range(4)) * rng.random()
        p = scores / scores.sum(axis=1, keepdims=True)
        given = p.argmax(axis=1) if loss(name).takes == "codes" else p
        wanted = SKLEARN[name](y, given)
        assert value(name, y, given, ("a", "b", "c", "d")) == pytest.approx(wanted, abs=1e-12)


Drawn = tuple[NDArray[np.int64], NDArray[np.float64]]


@st.composite
def ranked(draw: st.DrawFn) -> Drawn:
    """Two classes that both occur, and scores with ties."""
    n = draw(st.integers(2, 25))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[:2] = 0, 1
    scores = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    return y, np.array(scores, dtype=float)


def both(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([-scores, scores], axis=1)


@given(ranked())
def test_auc_is_the_share_of_pairs(drawn: Drawn) -> None:
    y, s = drawn
    pairs = [(a > b) + 0.5 * (a == b) for a in s[y == 1] for b in s[y == 0]]
    found = value("auc", y, both(s), TWO)
    assert found == pytest.approx(np.mean(pairs), abs=1e-15)
    # Order of records, a rising function of the scores, and which class is called which.
    assert value("auc", y[::-1], both(s[::-1]), TWO) == found
    assert value("auc", y, both(np.exp(s) + s), TWO) == found
    assert value("auc", 1 - y, both(s)[:, ::-1], TWO) == found
    assert value("auc", 1 - y, both(s), TWO) == pytest.approx(1 - found, abs=1e-15)
    for average in ("ovo", "ovr"):
        # A class without records changes nothing, and where it is everything is as for two.
        wide = np.insert(both(s), 2, -np.inf, axis=1)
        assert value("auc", y, wide, THREE, average=average) == pytest.approx(found, abs=1e-15)


@given(ranked())
def test_average_precision(drawn: Drawn) -> None:
    y, s = drawn
    found = value("average_precision", y, both(s), TWO, 1)
    assert found == pytest.approx(metrics.average_precision_score(y, s), abs=1e-14)
    assert value("average_precision", y[::-1], both(s[::-1]), TWO, 1) == found


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_predicted_classes(pairs: list[tuple[int, int]]) -> None:
    y, c = np.array(pairs).T
    turned = np.array([2, 0, 1])
    for name in ("f1", "precision", "recall", "mcc", "kappa", "balanced_accuracy"):
        found = or_none(name, y, c, THREE)
        assert or_none(name, y[::-1], c[::-1], THREE) == found
        renamed = or_none(name, turned[y], turned[c], THREE)
        assert renamed == (None if found is None else pytest.approx(found, abs=1e-14))
        low, high = loss(name).on(THREE).bounds
        assert found is None or low - 1e-12 <= found <= high + 1e-12
        if name in ("mcc", "kappa") and found is not None:
            assert or_none(name, c, y, THREE) == pytest.approx(found, abs=1e-14)
    one = or_none("precision", c, y, THREE, 0)
    assert or_none("recall", y, c, THREE, 0) == one


def or_none(name: str, *about: Any) -> Optional[float]:
    try:
        return float(value(name, *about))
    except NoValue:
        return None


ONES = np.ones(4, dtype=int)
MIXED = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    "name, y, predicted, positive, said",
    [
        ("auc", ONES, both(np.arange(4.0)), None, "has records of one class only, 'p'"),
        ("average_precision", ONES, both(np.arange(4.0)), None, "has records of one class only"),
        ("average_precision", ONES, both(np.arange(4.0)), 0, "has no record of class 'n'"),
        ("f1", ONES, ONES, 0, "has no record of class 'n' and no prediction of it"),
        ("precision", MIXED, ONES, 0, "has no prediction of class 'n'"),
        ("precision", MIXED, ONES, None, "has no prediction of class 'n'"),
        ("recall", ONES, MIXED, 0, "has no record of class 'n'"),
        ("recall", ONES, MIXED, None, "has no record of class 'n'"),
        ("mcc", MIXED, ONES, None, "has predictions of one class only"),
        ("mcc", ONES, MIXED, None, "has records of one class only"),
        ("kappa", ONES, ONES, None, "has records and predictions of one and the same class only"),
    ],
)
def test_where_there_is_none(name: str, y: Any, predicted: Any, positive: Any, said: str) -> None:
    with pytest.raises(NoValue, match=said):
        loss(name).on(TWO, positive).of(y, predicted)


def test_where_there_is_one_all_the_same() -> None:
    # Positives that are never predicted: their F1 is 0, and so is the recall.
    assert value("f1", MIXED, 0 * ONES, TWO, 1) == 0.0
    assert value("recall", MIXED, 0 * ONES, TWO, 1) == 0.0
    # Agreement by chance alone, and one class that everybody has.
    assert value("kappa", MIXED, ONES, TWO) == 0.0
    assert value("balanced_accuracy", ONES, ONES, TWO) == 1.0
    assert value("f1", ONES, ONES, TWO) == 1.0
    # Minus infinity is a score: of a class that was not there in training.
    never = np.array([[0.0, -np.inf]] * 4)
    assert value("auc", MIXED, never, TWO) == 0.5
    assert value("average_precision", MIXED, never, TWO, 1) == 0.5


def test_probabilities_of_nought_and_one() -> None:
    certain = np.array([[0.0, 1.0], [1.0, 0.0]])
    ready = loss("log_loss").on(TWO)
    assert ready.of(np.array([1, 1]), certain).tolist() == [2.0**-52, 52 * np.log(2.0)]
    assert ready.bounds == (0.0, 52 * np.log(2.0))
    assert loss("brier").on(TWO).of(np.array([1, 1]), certain).tolist() == [0.0, 1.0]
    wide = np.insert(certain, 2, 0.0, axis=1)
    brier = loss("brier").on(THREE)
    assert brier.of(np.array([1, 2]), wide).tolist() == [0.0, 2.0] and brier.bounds == (0.0, 2.0)


def test_what_measures_declare() -> None:
    for name, each in losses().items():
        assert each.name == name and each.title.startswith(f"{name} is ")
        assert each.level == ("split" if each.better == HIGHER else "record")
        assert each.sign == (-1.0 if each.better == HIGHER else 1.0)


COST = loss("cost").options["matrix"]


@pytest.mark.parametrize(
    "matrix, said",
    [
        ([[0, 1], [1, 0]], "a mapping of true classes"),
        ({}, "a mapping of true classes"),
        ({"n": 3}, "a mapping of true classes"),
        ({"n": {"p": -1}}, "numbers, zero or more"),
        ({"n": {"p": True}}, "numbers, zero or more"),
        ({"n": {"p": float("nan")}}, "numbers, zero or more"),
        ({"n": {"p": 0}, "p": {"n": 0}}, "at least one cost above zero"),
        ({"n": {"p": 1}, "p": {"n": 1}}, None),
    ],
)
def test_matrices(matrix: Any, said: Optional[str]) -> None:
    found = COST.fault(matrix)
    assert found is None if said is None else said in str(found)


def test_matrices_on_data() -> None:
    missed = loss("cost").missed
    assert missed({"matrix": {"n": {"p": 1}, "p": {"n": 1}}}, TWO) == {}
    strange = missed({"matrix": {"n": {"q": 1}, "p": {"n": 1}}}, TWO)
    assert strange == {"matrix": "there is no class 'q'; the classes are 'n', 'p'"}
    lacking = missed({"matrix": {"n": {"p": 1}}}, TWO)
    assert lacking == {"matrix": "it does not say what 'p' costs that is taken for 'n'"}


@st.composite
def parted(draw: Any) -> Any:
    """Records of several splits, scores with ties among them; some splits are of one class."""
    classes = draw(st.integers(2, 3))
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = rng.integers(classes, size=sum(sizes))
    beside = rng.integers(1, 5, size=(sum(sizes), classes)).astype(float)
    beside /= beside.sum(axis=1, keepdims=True)
    starts = np.cumsum([0, *sizes[:-1]])
    return ("a", "b", "c")[:classes], truth, beside, starts, draw(st.sampled_from([None, 0, 1]))


@pytest.mark.parametrize("name", list(losses()))
@settings(max_examples=40, deadline=None)
@given(made=parted())
def test_many_splits_at_once_have_the_values_of_each(name: str, made: Any) -> None:
    classes, truth, beside, starts, positive = made
    options = {"matrix": {"a": {"b": 2.0}, "b": {"a": 3.0}}} if name == "cost" else {}
    declared = loss(name)
    ready = declared.on(classes, positive, options)
    predicted = beside.argmax(axis=1) if declared.takes == CODES else beside
    expected = []
    for first, last in zip(starts, [*starts[1:], len(truth)]):
        try:
            expected.append(float(np.mean(ready.of(truth[first:last], predicted[first:last]))))
        except NoValue:
            expected.append(np.nan)
    np.testing.assert_allclose(ready.means(truth, predicted, starts), expected, rtol=1e-14)
    if declared.per_record:
        squares = np.asarray(ready.of(truth, predicted), dtype=float) ** 2
        each = [part.mean() for part in np.split(squares, starts[1:])]
        np.testing.assert_allclose(ready.means(truth, predicted, starts, 2), each, rtol=1e-14)
