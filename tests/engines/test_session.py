"""Fits through a session: the same as plain scikit-learn, and failures as plain words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engines.engine_data import categorical, clouds, dataset, halves, learner, matrix, numeric
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from cvinfer.engines import LearnerError, engine, engines
from cvinfer.engines._sklearn.estimators import EstimatorSession
from cvinfer.engines._sklearn.recipes import stream
from cvinfer.engines.base import Fit, ManyFits, Prediction
from cvinfer.errors import UserError
from cvinfer.losses.kinds import CODES, PROBABILITIES

ROOT = Path(__file__).resolve().parents[2]


def session(data: Any, name: str = "sklearn") -> EstimatorSession:
    opened = engine(name).open(data)
    assert isinstance(opened, EstimatorSession)
    return opened


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
def test_predictions_are_those_of_plain_scikit_learn(load: Any) -> None:
    x, y = load(return_X_y=True)
    train, test = halves(len(y), 2)
    opened = session(matrix(x, [f"{code:02d}" for code in y]))
    entries = {
        RandomForestClassifier(20, random_state=77): learner(
            "RandomForestClassifier", {"n_estimators": 20}
        ),
        DecisionTreeClassifier(random_state=77): learner("DecisionTreeClassifier"),
        make_pipeline(StandardScaler(), SVC(C=10)): learner(
            steps=["StandardScaler", {"SVC": {"C": 10}}]
        ),
    }
    for plain, entry in entries.items():
        found = opened.predict(entry, train, test, 77)
        assert (found.codes == plain.fit(x[train], y[train]).predict(x[test])).all()
        assert found.codes.dtype == np.int32
        assert found.seconds_fit > 0 and found.seconds_predict > 0


#: These came with scikit-learn 1.5 and take two classes.
FOR_TWO = {
    "FixedThresholdClassifier": {"estimator": "GaussianNB"},
    "TunedThresholdClassifierCV": {"estimator": "GaussianNB"},
}


def test_classifiers_with_a_threshold_run_on_two_classes() -> None:
    known = FOR_TWO.keys() & {info.name for info in engines()["sklearn"].learners()}
    if not known:
        pytest.skip("this scikit-learn has no classifiers with a threshold of their own")
    data = clouds(60, classes=2)
    train, test = halves(60)
    for name in sorted(known):
        entry = learner(name, FOR_TWO[name])
        assert engines()["sklearn"].check(entry, data, False) == []
        codes = session(data).predict(entry, train, test, 1).codes
        assert (codes == data.target[test]).mean() > 0.8


#: What some classifiers need, and what makes others quick.
SETTINGS: dict[str, Any] = {
    **FOR_TWO,
    "OneVsOneClassifier": {"estimator": "LinearSVC"},
    "OneVsRestClassifier": {"estimator": {"SVC": {"C": 2}}},
    "OutputCodeClassifier": {"estimator": "Perceptron"},
    "SelfTrainingClassifier": {"estimator": "GaussianNB"},
    "StackingClassifier": {"estimators": ["GaussianNB", {"SVC": {"C": 2}}, {"SVC": {"C": 3}}]},
    "VotingClassifier": {"estimators": {"one": "GaussianNB", "two": {"SVC": {}}}},
    "GridSearchCV": {"estimator": "SVC", "param_grid": {"C": [1, 10]}},
    "RandomizedSearchCV": {
        "estimator": "DecisionTreeClassifier",
        "param_distributions": {"max_depth": [1, 2, 3]},
        "n_iter": 2,
    },
    "RadiusNeighborsClassifier": {"radius": 50.0},
    "NuSVC": {"nu": 0.3},
    "CategoricalNB": {"min_categories": 20},
}
ENSEMBLES = ("AdaBoost", "ExtraTrees", "GradientBoosting", "RandomForest")
FEW: dict[str, Any] = {f"{name}Classifier": {"n_estimators": 5} for name in ENSEMBLES}
FEW["HistGradientBoostingClassifier"] = {"max_iter": 5}


def listed(name: str) -> Any:
    """A classifier of that name, with what it needs."""
    return learner(name, {**FEW.get(name, {}), **SETTINGS.get(name, {})})


def test_every_listed_classifier_runs() -> None:
    data = clouds(60)
    train, test = halves(60)
    opened = session(data)
    # These take no negative numbers, which is the data's fault and comes back as a failure.
    negative = {"CategoricalNB", "ComplementNB", "MultinomialNB"}
    failed = set()
    for info in engines()["sklearn"].learners():
        if not info.available:
            assert info.reason
            continue
        entry = listed(info.name)
        assert engines()["sklearn"].check(entry, data, False) == [], info.name
        try:
            found = opened.predict(entry, train, test, 1)
        except LearnerError:
            failed.add(info.name)
            continue
        assert found.codes.shape == test.shape
        again = opened.predict(entry, train, test, 1)
        assert (again.codes == found.codes).all(), info.name
    assert failed - FOR_TWO.keys() == negative


def test_categories_and_holes_reach_any_learner() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    kinds = [["low", "high"][code] if rng.random() < 0.9 else None for code in y]
    data = dataset([categorical("kind", kinds), numeric("x", np.where(y, np.nan, 1))], y, True)
    train, test = halves(40)
    for entry in (learner("SVC"), learner("DecisionTreeClassifier"), learner("GaussianNB")):
        assert engines()["sklearn"].check(entry, data, False) == []
        assert (session(data).predict(entry, train, test, 0).codes == y[test]).mean() > 0.8


@pytest.mark.parametrize(
    "entry, paths",
    [
        (learner("MLPClassifier"), {"random_state"}),
        (learner("SVC", {"random_state": 3}), set()),
        (learner("SVC", {"random_state": None}), {"random_state"}),
        (
            learner(steps=[{"PCA": {}}, {"RandomForestClassifier": {"random_state": 1}}]),
            {"pca__random_state"},
        ),
        (
            learner("BaggingClassifier", {"estimator": "DecisionTreeClassifier"}),
            {"random_state", "estimator__random_state"},
        ),
        (
            learner("VotingClassifier", {"estimators": ["ExtraTreeClassifier"] * 2}),
            {"extratreeclassifier-1__random_state", "extratreeclassifier-2__random_state"},
        ),
    ],
)
def test_every_random_state_is_set_unless_given(entry: Any, paths: set[str]) -> None:
    recipe = session(clouds())._recipe(entry)
    assert set(recipe.seeded) == paths
    made = recipe.make(99).get_params()
    assert {path: made[path] for path in paths} == {path: stream(99, path) for path in paths}
    assert len({made[path] for path in paths}) == len(paths)
    assert all(0 <= made[path] < 2**32 for path in paths)
    assert stream(99, "random_state") == 99


def test_one_job_unless_more_were_asked_for() -> None:
    opened = session(clouds())
    forest = learner("RandomForestClassifier")
    assert opened._recipe(forest).make(0).n_jobs == 1
    assert opened._recipe(learner("RandomForestClassifier", {"n_jobs": 2})).make(0).n_jobs == 2
    inner = learner("BaggingClassifier", {"estimator": "KNeighborsClassifier"})
    assert opened._recipe(inner).make(0).get_params()["estimator__n_jobs"] == 1


def test_the_seed_moves_the_fit_and_nothing_else_does() -> None:
    data = clouds(200, classes=5, seed=4)
    train, test = halves(200)
    forest = learner("RandomForestClassifier", {"n_estimators": 3})
    opened = session(data)
    first = opened.predict(forest, train, test, 1).codes
    assert (opened.predict(forest, train, test, 2).codes != first).any()
    opened.predict(learner("MLPClassifier", {"max_iter": 2}), train, test, 1)
    assert (opened.predict(forest, train, test, 1).codes == first).all()
    assert (session(data).predict(forest, train, test, 1).codes == first).all()


def test_warnings_come_back_once_each(recwarn: pytest.WarningsRecorder) -> None:
    data = clouds()
    entry = learner("OneVsRestClassifier", {"estimator": {"MLPClassifier": {"max_iter": 2}}})
    found = session(data).predict(entry, *halves(data.n), 0)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("ConvergenceWarning: ")
    assert len(recwarn) == 0


@pytest.mark.parametrize(
    "entry",
    [
        learner("GradientBoostingClassifier", {"verbose": 1, "n_estimators": 3}),
        learner("RandomForestClassifier", {"verbose": 2, "n_estimators": 3}),
        learner("SVC", {"verbose": True}),
        learner("LinearSVC", {"verbose": 1}),
    ],
    ids=lambda entry: entry.learner,
)
def test_learners_keep_quiet(entry: Any, capfd: pytest.CaptureFixture[str]) -> None:
    data = clouds(60)
    print("before", end=" ")
    session(data).predict(entry, *halves(60), 0)
    print("after")
    written = capfd.readouterr()
    assert written.out == "before after\n"
    assert written.err == ""


PRINTS_IN_C = """
import ctypes
from sklearn.dummy import DummyClassifier

class Loud(DummyClassifier):
    def fit(self, X, y):
        ctypes.CDLL(None).printf(b"from C")
        return super().fit(X, y)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs the C library under no name")
def test_compiled_learners_keep_quiet_where_output_is_a_pipe(tmp_path: Path) -> None:
    # Then C keeps what was printed until its buffer is full or the process ends.
    (tmp_path / "loud_module_for_tests.py").write_text(PRINTS_IN_C)
    code = """
    from tests.engines.engine_data import clouds, halves, learner
    from cvinfer.engines import engine
    print("before")
    opened = engine("sklearn").open(clouds(60))
    opened.predict(learner("loud_module_for_tests:Loud"), *halves(60), 0)
    print("after")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{Path(__file__).parent}:{tmp_path}"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "before\nafter\n"


def test_a_list_becomes_the_tuple_that_is_wanted() -> None:
    entry = learner(steps=[{"MinMaxScaler": {"feature_range": [0, 2]}}, "SVC"])
    made = session(clouds())._recipe(entry).make(0)
    assert made.get_params()["minmaxscaler__feature_range"] == (0, 2)


def test_a_class_that_training_lacks_is_no_fault() -> None:
    data = clouds(90)
    train = np.flatnonzero(data.target != 2)
    test = np.flatnonzero(data.target == 2)
    for name in ("KNeighborsClassifier", "LogisticRegression", "DecisionTreeClassifier"):
        codes = session(data).predict(learner(name), train, test, 0).codes
        assert set(codes) <= {0, 1}


def test_one_class_in_training_is_said_in_words() -> None:
    data = clouds(90)
    train, test = np.flatnonzero(data.target == 1), np.flatnonzero(data.target != 1)
    with pytest.raises(LearnerError, match="all 30 training records are of class 'class 1'"):
        session(data).predict(learner("LogisticRegression"), train, test, 0)
    assert set(session(data).predict(learner("GaussianNB"), train, test, 0).codes) == {1}
    assert set(
        session(data, "builtin").predict(learner("mean", engine="builtin"), train, test, 0).codes
    ) == {1}


def test_a_failing_learner_is_said_in_words() -> None:
    data = clouds(20)
    train, test = halves(20)
    with pytest.raises(LearnerError, match="KNeighborsClassifier failed with 10 training records"):
        session(data).predict(learner("KNeighborsClassifier", {"n_neighbors": 11}), train, test, 0)


def test_class_weights_are_given_by_label() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    # Labels whose order is not that of the numbers one might take them for.
    data = matrix(x, ["2" if code else "10" for code in y])
    assert data.classes == ("10", "2")
    train, test = halves(len(y))
    expected = DecisionTreeClassifier(class_weight={0: 1, 1: 50}, max_depth=2, random_state=3)
    expected.fit(x[train], data.target[train])
    for weights in ({2: 50}, {"2": 50, "10": 1}):
        entry = learner("DecisionTreeClassifier", {"class_weight": weights, "max_depth": 2})
        assert engines()["sklearn"].check(entry, data, False) == []
        codes = session(data).predict(entry, train, test, 3).codes
        assert (codes == expected.predict(x[test])).all()


def test_a_constant_is_given_by_label() -> None:
    data = clouds(30)
    entry = learner("DummyClassifier", {"strategy": "constant", "constant": "class 2"})
    assert set(session(data).predict(entry, *halves(30), 0).codes) == {2}


FOREIGN = """
import random
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Strange(ClassifierMixin, BaseEstimator):
    def __init__(self, answer="fine", n_jobs=-1):
        self.answer, self.n_jobs = answer, n_jobs
    def fit(self, X, y):
        if self.answer == "many lines":
            raise RuntimeError("first\\n   second <object at 0x7f00deadbeef>")
        X[:] = 0
        y[:] = 0
        return self
    def predict(self, X):
        fine = np.zeros(len(X), dtype=int)
        return {
            "fine": fine,
            "column": fine[:, None],
            "short": fine[1:],
            "unknown": fine + 7,
            "fraction": fine + 0.5,
            "nan": fine * np.nan,
            "negative": fine - 1,
            "text": np.array(["class 0"] * len(X)),
            "floats": fine.astype(float),
            "none": None,
            "drawn": np.random.randint(3, size=len(X)) if random.random() < 2 else None,
        }[self.answer]
"""


@pytest.fixture()
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "strange_package_for_tests.py").write_text(FOREIGN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "strange_package_for_tests", raising=False)
    return "strange_package_for_tests:Strange"


@pytest.mark.parametrize(
    "answer, message",
    [
        ("short", "Strange gave 29 predictions for 30 test records"),
        ("unknown", r"no class of the data: 7 \(30 of 30"),
        ("fraction", "no class of the data: 0.5"),
        ("nan", "no class of the data: nan"),
        ("negative", "no class of the data: -1"),
        ("text", "no class of the data: 'class 0'"),
        ("none", "gave one value predictions"),
        ("many lines", r"RuntimeError: first second <object at 0x\.\.\.>$"),
    ],
)
def test_wrong_predictions_are_failures(strange: str, answer: str, message: str) -> None:
    entry = learner(strange, {"answer": answer})
    with pytest.raises(LearnerError, match=message):
        session(clouds(60)).predict(entry, *halves(60), 0)


@pytest.mark.parametrize("answer", ["fine", "column", "floats"])
def test_right_predictions_of_a_foreign_class(strange: str, answer: str) -> None:
    data = clouds(60)
    opened = session(data)
    entry = learner(strange, {"answer": answer})
    assert opened._recipe(entry).make(0).n_jobs == 1
    assert opened.predict(entry, *halves(60), 0).codes.tolist() == [0] * 30
    # It overwrote what it was given; the session's own data must not have felt it.
    assert (opened.y == data.target).all() and opened.encoder().numeric.any()


def test_foreign_code_that_draws_globally_is_repeatable(strange: str) -> None:
    opened = session(clouds(60))
    entry = learner(strange, {"answer": "drawn"})
    np.random.seed(1)
    first = opened.predict(entry, *halves(60), 5).codes
    after = np.random.random()
    np.random.seed(1)
    assert np.random.random() == after
    assert (opened.predict(entry, *halves(60), 5).codes == first).all()
    assert (opened.predict(entry, *halves(60), 6).codes != first).any()


def test_settings_are_canonical_json() -> None:
    one = learner("SVC", {"C": np.float64(10), "class_weight": {2: 1, "1": 3}, "tol": np.inf})
    two = learner("SVC", {"tol": float("inf"), "class_weight": {"1": 3, "2": 1}, "C": 10.0})
    assert json.dumps(one.settings(), allow_nan=False) == json.dumps(two.settings())
    assert "it" not in one.settings().values()
    steps = learner(steps=["StandardScaler", {"SVC": {"C": 1}}]).settings()
    assert steps["steps"] == [{"StandardScaler": {}}, {"SVC": {"C": 1}}]
    with pytest.raises(UserError, match="params.kernel: a SVC cannot"):
        learner("SVC", {"kernel": SVC()}).settings()


def test_a_session_adds_little_to_the_learners_own_time() -> None:
    data = clouds(2000, 16, 4)
    opened = session(data)
    entry = learner("DecisionTreeClassifier")
    train, test = halves(2000)
    opened.predict(entry, train, test, 0)
    ratios = []
    for seed in range(20):
        start = time.perf_counter()
        found = opened.predict(entry, train, test, seed)
        whole = time.perf_counter() - start
        ratios.append(whole / (found.seconds_fit + found.seconds_predict))
    assert min(ratios) < 1.10


AT_ONCE = ["naive_bayes", "linear_discriminant", "nearest_neighbours", "majority"]


@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.parametrize("wants", [CODES, PROBABILITIES])
def test_many_fits_at_once_are_each_of_them_alone(name: str, wants: str) -> None:
    """To the last bit: what is together in an order must not be seen in a result."""
    entry = learner(name, {"features": [1, 3]} if name != "majority" else {}, engine="builtin")
    made = clouds(120, features=4)
    rng = np.random.default_rng(5)
    orders = [rng.permutation(120) for _ in range(7)]
    fits = [Fit(order[: 40 + 10 * at], order[100:], 0, wants) for at, order in enumerate(orders)]
    one_class = np.flatnonzero(made.target == 0)
    fits.insert(3, Fit(one_class[:20], one_class[20:], 0, wants))
    opened = session(made, "builtin")
    assert isinstance(opened, ManyFits)
    for some in (fits, fits[:3] + fits[4:]):
        for asked, found in zip(some, opened.predict_all(entry, some)):
            alone = opened.predict(entry, *asked)
            assert isinstance(found, Prediction)
            np.testing.assert_array_equal(found.values, alone.values)
            assert (found.beside_kind, found.warnings) == (alone.beside_kind, alone.warnings)
            if wants != CODES:
                np.testing.assert_array_equal(found.beside, alone.beside)
