"""Probabilities and scores beside class codes: learners of scikit-learn and our own."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engines.engine_data import clouds, dataset, halves, learner, matrix, numeric
from tests.engines.test_session import FOR_TWO, listed, session

from cvinfer.engines import LearnerError, engine
from cvinfer.losses.kinds import CODES, PROBABILITIES, SCORES, refuse_unlike

#: An entry, what it gives, and what is known of that before a fit.
ENTRIES: list[tuple[str, dict[str, Any], str, Optional[str]]] = [
    ("GaussianNB", {}, PROBABILITIES, PROBABILITIES),
    ("SVC", {}, SCORES, SCORES),
    ("SVC", {"probability": True}, PROBABILITIES, PROBABILITIES),
    ("LinearSVC", {}, SCORES, SCORES),
    ("RidgeClassifier", {}, SCORES, SCORES),
    ("SGDClassifier", {}, SCORES, SCORES),
    ("SGDClassifier", {"loss": "log_loss"}, PROBABILITIES, PROBABILITIES),
    ("BaggingClassifier", {"n_estimators": 3}, PROBABILITIES, PROBABILITIES),
    ("GridSearchCV", {"estimator": "LinearSVC", "param_grid": {"C": [1, 2]}}, SCORES, None),
    (
        "GridSearchCV",
        {"estimator": "GaussianNB", "param_grid": {"var_smoothing": [1e-9, 1e-3]}},
        PROBABILITIES,
        PROBABILITIES,
    ),
    ("OneVsRestClassifier", {"estimator": "LinearSVC"}, SCORES, None),
    ("OutputCodeClassifier", {"estimator": "GaussianNB"}, CODES, None),
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name, params, kind, told", ENTRIES, ids=lambda each: str(each)[:30])
def test_what_a_learner_gives(
    name: str, params: dict[str, Any], kind: str, told: Optional[str], classes: int
) -> None:
    data = clouds(90, classes=classes)
    train, test = halves(data.n)
    entry = learner(name, params)
    assert engine("sklearn").gives(entry) == told
    opened = session(data)
    plain = opened.predict(entry, train, test, 7)
    assert plain.beside is None and plain.beside_kind is None
    if kind == CODES:
        with pytest.raises(LearnerError, match=f"{name} gives no probabilities and no scores"):
            opened.predict(entry, train, test, 7, SCORES)
        return
    found = opened.predict(entry, train, test, 7, SCORES)
    assert (found.codes == plain.codes).all() and found.warnings == plain.warnings
    assert found.beside is not None and found.beside_kind == kind
    assert found.beside.shape == (len(test), classes)
    assert (found.beside.argmax(axis=1) == found.codes).mean() > 0.9
    if kind == PROBABILITIES:
        np.testing.assert_allclose(found.beside.sum(axis=1), 1.0, atol=1e-9)
    else:
        with pytest.raises(LearnerError, match=f"{name} gives no probabilities; "):
            opened.predict(entry, train, test, 7, PROBABILITIES)


def columns_of(found: Any) -> NDArray[np.float64]:
    assert found.beside is not None
    return np.asarray(found.beside)


def test_columns_are_the_classes_of_the_data() -> None:
    """Class 1 of three is in no training record."""
    data = clouds(90, classes=3)
    train, test = halves(data.n)
    train = train[data.target[train] != 1]
    opened = session(data)
    probable = columns_of(opened.predict(learner("GaussianNB"), train, test, 0, PROBABILITIES))
    assert (probable[:, 1] == 0).all() and (probable[:, [0, 2]] > 0).any(axis=0).all()
    scores = columns_of(opened.predict(learner("LinearSVC"), train, test, 0, SCORES))
    assert (scores[:, 1] == -np.inf).all() and (scores[:, 0] == -scores[:, 2]).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_no_class_of_any_learner_is_another_one(classes: int) -> None:
    """And what was told of it before is what it gives, of every learner that is listed."""
    clouded = clouds(60, classes=classes)
    x = np.column_stack([each.values for each in clouded.features])
    # Some take no negative numbers.
    data = matrix(x - x.min() + 0.1, clouded.target)
    train, test = halves(60)
    given = {}
    for name in ("sklearn", "builtin"):
        opened = session(data, name)
        for info in engine(name).learners():
            if not info.available or (info.name in FOR_TWO and classes > 2):
                continue
            entry = listed(info.name) if name == "sklearn" else own(info.name)
            told = engine(name).gives(entry)
            plain = opened.predict(entry, train, test, 1)
            try:
                found = opened.predict(entry, train, test, 1, SCORES)
            except LearnerError as error:
                assert "gives no probabilities and no scores" in str(error)
                assert told in (None, CODES), info.name
                given[info.name] = CODES
                continue
            assert (found.codes == plain.codes).all() and found.codes.dtype == np.int32
            assert found.warnings == plain.warnings, info.name
            kind = found.beside_kind
            assert kind is not None and told in (None, kind), info.name
            refuse_unlike(columns_of(found), kind)
            given[info.name] = kind
    assert {CODES, SCORES, PROBABILITIES} == set(given.values())
    assert len(given) > 35


def test_steps_give_what_their_last_one_does() -> None:
    data = clouds(60)
    entry = learner(steps=["StandardScaler", "LinearSVC"])
    assert engine("sklearn").gives(entry) == SCORES
    found = session(data).predict(entry, *halves(60), 0, SCORES)
    assert found.beside_kind == SCORES
    with pytest.raises(LearnerError, match="StandardScaler > LinearSVC gives no probabilities"):
        session(data).predict(entry, *halves(60), 0, PROBABILITIES)
    entry = learner(steps=["StandardScaler", "GaussianNB"])
    assert engine("sklearn").gives(entry) == PROBABILITIES


def test_scores_of_pairs_are_no_scores_of_classes() -> None:
    """Of three classes there are three pairs, so that their columns could be taken for classes."""
    data = clouds(90, classes=3)
    entry = learner("SVC", {"decision_function_shape": "ovo"})
    assert engine("sklearn").gives(entry) == CODES
    with pytest.raises(LearnerError, match="of pairs; decision_function_shape: ovr"):
        session(data).predict(entry, *halves(90), 0, SCORES)


def test_the_remedy_of_a_support_vector_machine() -> None:
    with pytest.raises(LearnerError, match=r"SVC gives no probabilities; params: \{probability"):
        session(clouds(60)).predict(learner("SVC"), *halves(60), 0, PROBABILITIES)


def own(name: str) -> Any:
    return learner(name, engine="builtin")


def test_what_our_own_learners_give() -> None:
    """By hand: records 0 and 1 of class a, 4 of class b; tested at 1.5 and 3.5."""
    x = np.array([0.0, 1.0, 4.0, 1.5, 3.5])
    made = dataset([numeric("x", x)], list("aabab"))
    opened = session(made, "builtin")
    train, test = np.arange(3), np.arange(3, 5)
    expected = {
        "majority": (PROBABILITIES, [[2 / 3, 1 / 3]] * 2),
        "first_nearest_neighbour": (PROBABILITIES, [[1, 0], [0, 1]]),
        # (x - 0.5)² - (x - 4)²
        "mean": (SCORES, [[5.25, -5.25], [-8.75, 8.75]]),
        "least_squares": (SCORES, None),
    }
    for name, (kind, rows) in expected.items():
        assert engine("builtin").gives(own(name)) == kind
        found = opened.predict(own(name), train, test, 0, SCORES)
        assert found.beside_kind == kind
        if rows is not None:
            np.testing.assert_allclose(columns_of(found), rows, rtol=1e-12)
    # The regression line of 0, 0, 1 on 0, 1, 4: their means are 1/3 and 5/3.
    slope = ((0 - 5 / 3) * (-1 / 3) + (1 - 5 / 3) * (-1 / 3) + (4 - 5 / 3) * (2 / 3)) / (26 / 3)
    line = 1 / 3 + slope * (x[test] - 5 / 3) - 0.5
    found = opened.predict(own("least_squares"), train, test, 0, SCORES)
    np.testing.assert_allclose(columns_of(found)[:, 1], line, rtol=1e-12)
