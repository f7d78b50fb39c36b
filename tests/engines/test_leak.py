"""Nothing is learned from test records, proved with columns made to leak."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.engines.engine_data import categorical, dataset, halves, learner, numeric

from cvinfer.data.dataset import Dataset
from cvinfer.engines import LearnerSpec, engines
from cvinfer.engines._sklearn.encode import Encoder

N = 80
TRAIN, TEST = halves(N, 3)
KEPT = TEST[: len(TEST) // 2]
CHANGED = TEST[len(TEST) // 2 :]

LEARNERS = [
    learner("DecisionTreeClassifier"),
    learner("KNeighborsClassifier", {"n_neighbors": 1}),
    learner("LogisticRegression"),
    learner("RandomForestClassifier", {"n_estimators": 10}),
    learner(steps=["StandardScaler", {"SVC": {"C": 10}}]),
    learner(steps=["MinMaxScaler", {"PCA": {"n_components": 2}}, "GaussianNB"]),
    learner(steps=[{"SelectKBest": {"k": 3}}, "KNeighborsClassifier"]),
    *[learner(name, engine="builtin") for name in ("majority", "mean", "least_squares")],
    learner("first_nearest_neighbour", engine="builtin"),
]


def title(entry: LearnerSpec) -> str:
    return entry.learner or ">".join(name for name, _ in entry.steps or ())


def leaking(change: bool) -> Dataset:
    """Columns through which the changed test records would be seen if anybody looked at them."""
    rng = np.random.default_rng(7)
    y = rng.integers(2, size=N)
    labels = np.where(y == 1, "yes", "no")
    size = rng.normal(size=N) + y
    holed = rng.normal(size=N) + y
    holed[::4] = np.nan
    letters = np.array(["a", "b", "c"], dtype=object)[rng.integers(3, size=N)]
    letters[1::5] = None
    if change:
        labels[CHANGED] = np.where(labels[CHANGED] == "yes", "no", "yes")
        size[CHANGED] = 1e6
        holed[CHANGED] = -1e6
        # A level that no training record has, and one that would become the most frequent.
        letters[CHANGED] = "c"
        letters[CHANGED[:5]] = "only in test"
    columns = [numeric("size", size), numeric("holed", holed), categorical("letter", letters)]
    return dataset(columns, labels, impute=True)


@pytest.mark.parametrize("entry", LEARNERS, ids=title)
def test_other_test_records_change_no_prediction(entry: LearnerSpec) -> None:
    engine = engines()[entry.engine]
    before = engine.open(leaking(False)).predict(entry, TRAIN, TEST, 5).codes
    after = engine.open(leaking(True)).predict(entry, TRAIN, TEST, 5).codes
    assert (before[: len(KEPT)] == after[: len(KEPT)]).all()


def test_other_test_records_change_no_number_that_a_learner_is_given() -> None:
    before, after = (Encoder(leaking(change)).halves(TRAIN, TEST) for change in (False, True))
    assert np.array_equal(before.train, after.train)
    assert np.array_equal(before.test[: len(KEPT)], after.test[: len(KEPT)])
    assert not np.array_equal(before.test, after.test)


@pytest.mark.parametrize("entry", LEARNERS, ids=title)
def test_training_records_do_matter(entry: LearnerSpec) -> None:
    """The other half of the proof: the same change in training records is noticed."""
    engine = engines()[entry.engine]
    data = leaking(False)
    flipped = dataset(data.features, [data.classes[1 - code] for code in data.target], impute=True)
    before = engine.open(data).predict(entry, TRAIN, TEST, 5).codes
    after = engine.open(flipped).predict(entry, TRAIN, TEST, 5).codes
    assert (before != after).any()


def test_a_column_that_tells_the_class_of_test_records_only_does_not_help() -> None:
    rng = np.random.default_rng(11)
    y = rng.integers(2, size=N)
    leak = np.array(["nothing"] * N, dtype=object)
    leak[TEST] = np.where(y[TEST] == 1, "is yes", "is no")
    features = [numeric("noise", rng.normal(size=N)), categorical("leak", leak)]
    found = engines()["sklearn"].open(dataset(features, y))
    codes = found.predict(learner("DecisionTreeClassifier"), TRAIN, TEST, 1).codes
    without = engines()["sklearn"].open(dataset(features[:1], y))
    assert (codes == without.predict(learner("DecisionTreeClassifier"), TRAIN, TEST, 1).codes).all()


def by_hand(values: list[Any], kind: Any, train: Any, test: Any) -> tuple[Any, Any]:
    column = kind("x", values)
    data = dataset([column], [0] * (len(values) - 1) + [1], impute=True)
    made = Encoder(data).halves(np.array(train), np.array(test))
    return made.train.tolist(), made.test.tolist()


def test_a_missing_number_is_the_training_median() -> None:
    values = [1.0, 2.0, 9.0, np.nan, np.nan, 100.0]
    train, test = by_hand(values, numeric, [0, 1, 2, 3], [4, 5])
    assert train == [[1.0], [2.0], [9.0], [2.0]]
    assert test == [[2.0], [100.0]]


def test_a_missing_level_is_the_most_frequent_of_training() -> None:
    values = ["b", "b", "a", None, None, "c", "c", "c", "a"]
    train, test = by_hand(values, categorical, [0, 1, 2, 3], [4, 5, 6, 7, 8])
    assert train == [[0, 1], [0, 1], [1, 0], [0, 1]]
    assert test == [[0, 1], [0, 0], [0, 0], [0, 0], [1, 0]]


def test_of_equally_frequent_levels_the_first_fills() -> None:
    train, _ = by_hand(["b", "a", None, "b"], categorical, [0, 1, 2], [3])
    assert train == [[0, 1], [1, 0], [1, 0]]


def test_a_feature_unknown_in_training_is_zero_everywhere() -> None:
    train, test = by_hand([np.nan, np.nan, 5.0, np.nan], numeric, [0, 1], [2, 3])
    assert (train, test) == ([[0.0], [0.0]], [[0.0], [0.0]])
    train, test = by_hand([None, None, "a"], categorical, [0, 1], [2])
    assert (train, test) == ([[], []], [[]])


def test_what_is_missing_stays_so_where_imputation_was_not_asked_for() -> None:
    columns = [numeric("x", [1.0, np.nan, 3.0]), categorical("c", ["a", "b", None])]
    made = Encoder(dataset(columns, [0, 1, 1])).halves(np.array([0, 1]), np.array([2]))
    assert np.isnan(made.train[1, 0]) and np.isnan(made.test[0, 1:]).all()
    assert made.train[:, 1:].tolist() == [[1, 0], [0, 1]]


def test_columns_keep_the_order_of_the_features() -> None:
    columns = [
        categorical("first", ["u", "v", "u"]),
        numeric("second", [7, 8, 9]),
        categorical("third", ["k", "k", "m"]),
        numeric("fourth", [4, 5, 6]),
    ]
    made = Encoder(dataset(columns, [0, 1, 1])).halves(np.array([0, 1]), np.array([2]))
    assert made.train.tolist() == [[1, 0, 7, 1, 4], [0, 1, 8, 1, 5]]
    assert made.test.tolist() == [[1, 0, 9, 0, 6]]
    assert made.train.flags.c_contiguous


def test_numbers_without_holes_are_only_indexed() -> None:
    encoder = Encoder(dataset([numeric("x", range(6))], [0, 1] * 3, impute=True))
    assert encoder.plain
    assert encoder.numeric.dtype == np.float64 and encoder.numeric.flags.c_contiguous
    assert encoder.halves(np.array([5, 0]), np.array([2])).train.tolist() == [[5], [0]]
