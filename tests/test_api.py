"""Comparisons of estimators that are objects, on data in memory."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import cvinfer
from cvinfer.errors import UserError
from cvinfer.spec import SpecError

pytest.importorskip("sklearn")
from scipy.sparse import csr_matrix  # type: ignore[import]  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.dummy import DummyClassifier  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.naive_bayes import GaussianNB, MultinomialNB  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

from cvinfer.data.memory import in_memory  # noqa: E402
from cvinfer.engines._sklearn.objects import as_entry, handed  # noqa: E402

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
FAST = {"partition": {"scheme": "kfold", "k": 3}, "tests": ["kfold_t"], "jobs": 1}


class Nearest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The nearest class mean; `seen` notes which labels it was given."""

    def __init__(self, shift: Any = None) -> None:
        self.shift = shift

    def fit(self, X: Any, y: Any) -> Nearest:
        self.classes_ = np.unique(y)
        X = np.asarray(X if self.shift is None else self.shift(X))
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X: Any) -> Any:
        X = np.asarray(X)
        return self.classes_[((X[:, None] - self.means_) ** 2).sum(axis=-1).argmin(axis=1)]


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """The same comparison of objects and through a spec."""
    tree = DecisionTreeClassifier(max_features=1, max_depth=2)
    knn = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    objects = cvinfer.compare(X, NAMES[Y], {"tree": tree, "1-NN": knn}, seed=3, name="iris", **FAST)
    spec = {
        "cvinfer": 1,
        "data": {"source": "sklearn", "dataset": "iris"},
        "learners": {
            "tree": {
                "engine": "sklearn",
                "learner": "DecisionTreeClassifier",
                "params": {"max_features": 1, "max_depth": 2},
            },
            "1-NN": {
                "engine": "sklearn",
                "steps": ["StandardScaler", {"KNeighborsClassifier": {"n_neighbors": 1}}],
            },
        },
        "seed": 3,
        **{key: value for key, value in FAST.items() if key != "jobs"},
    }
    assert not hasattr(tree, "tree_") and not hasattr(knn, "n_features_in_")
    return objects, cvinfer.run(spec, jobs=1)


def test_the_numbers_are_those_of_the_spec(both: tuple[Any, Any]) -> None:
    objects, through_spec = both
    (one,), (other,) = objects.comparisons, through_spec.comparisons
    assert one == other
    assert objects.verdicts[0]["estimate"] != 0
    shown = objects.document["spec"]
    assert shown["learners"] == through_spec.document["spec"]["learners"]
    assert shown["data"] == [{"source": "memory", "name": "iris"}]


def test_a_result_that_is_run_again_says_where_its_data_were(both: tuple[Any, Any]) -> None:
    with pytest.raises(SpecError, match="in the memory of a Python session.*cvinfer.compare"):
        cvinfer.run(both[0].document["spec"])


def test_objects_that_no_spec_can_name() -> None:
    scale = 2.0

    class Local(Nearest):
        """A class of a function, as of a notebook."""

    learners = {
        "own": Nearest(),
        "local": Local(lambda values: scale * values / scale),
        "named steps": Pipeline([("z", StandardScaler()), ("nb", GaussianNB())]),
        "search": GridSearchCV(Pipeline([("k", KNeighborsClassifier())]), {"k__n_neighbors": [1]}),
        "spec": {"engine": "builtin", "learner": "mean"},
    }
    found = cvinfer.compare(X, Y + 10, learners, compare={"each": ["own"], "against": [
        "local", "named steps", "search", "spec"]}, **FAST)  # fmt: skip
    assert not found.failed
    by_b = {each["b"]: each["estimate"] for each in found.verdicts}
    assert by_b["local"] == by_b["spec"] == 0  # all three are the nearest mean
    shown = found.document["spec"]["learners"]
    assert shown["local"]["engine"] == "object" and "0x" not in str(shown)
    assert shown["search"]["params"]["param_grid"] == {"k__n_neighbors": [1]}
    assert shown["spec"]["engine"] == "builtin"


def test_sparse_features_and_texts() -> None:
    counts = np.round(X * 10)
    learners = {"nb": MultinomialNB(), "none": DummyClassifier()}
    dense = cvinfer.compare(counts, Y, learners, **FAST)
    sparse = cvinfer.compare(csr_matrix(counts), Y, learners, **FAST)
    assert sparse.verdicts[0]["estimate"] == dense.verdicts[0]["estimate"] != 0
    assert sparse.document["data"][0]["n"] == 150
    assert in_memory(csr_matrix(counts), Y).sha256 == in_memory(csr_matrix(counts), Y).sha256
    texts = ["good word"] * 10 + ["bad word"] * 10
    data = in_memory(texts, [0] * 10 + [1] * 10)
    assert not data.whole and data.n == 20


def test_frames_with_categories_and_groups() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["kind"] = pandas.Categorical(np.where(X[:, 0] > 5, "long", "short"))
    frame["patient"] = np.arange(150) // 3
    data = in_memory(frame, pandas.Series(NAMES[Y]), groups="patient")
    assert [column.kind for column in data.features] == ["numeric"] * 4 + ["categorical"]
    assert data.group_column == "patient" and "patient" not in data.X.columns
    assert as_entry(DecisionTreeClassifier(), data).get("encode") is None  # type: ignore
    learners = {"tree": DecisionTreeClassifier(max_depth=1), "none": DummyClassifier()}
    found = cvinfer.compare(frame, NAMES[Y], learners, groups="patient", **FAST)
    (used,) = found.document["partitions"]
    assert used["options"]["groups"] == "patient"


def test_splitters_and_spec_errors() -> None:
    learners = {"tree": DecisionTreeClassifier(), "nb": GaussianNB()}
    found = cvinfer.compare(
        X, Y, learners, partition=cvinfer.KFold(3, stratify=True), primary="kfold_t", jobs=1
    )
    assert found.document["spec"]["partition"] == [{"scheme": "kfold", "k": 3, "stratify": True}]
    assert [each["test"] for each in found.comparisons] == ["kfold_t"]
    for options, said in (
        ({"tests": ["no_t"]}, "no_t"),
        ({"partition": cvinfer.KFold(random_state=7)}, "is another seed than seed = 0"),
        ({"partition": cvinfer.KFold().partition(X)}, "give its scheme"),
        ({"nonsense": 1}, "nonsense"),
    ):
        with pytest.raises(
            UserError if "seed" in said or "give" in said else SpecError, match=said
        ):
            cvinfer.compare(X, Y, learners, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "learner, said",
    [
        (Nearest, "Nearest is a class; hand over an object"),
        (LinearRegression(), "a regressor, no classifier"),
        (object(), "no fit and no predict"),
    ],
)
def test_what_is_no_learner_is_refused(learner: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        cvinfer.compare(X, Y, {"a": learner, "b": GaussianNB()})


def test_what_cannot_travel_is_refused_with_the_remedy() -> None:
    with pytest.raises(UserError, match="cannot be sent to worker processes.*opened in fit"):
        handed("a", _Holds(threading.Lock()))


class _Holds:
    """No estimator of scikit-learn, and with something that is of this process alone."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def __deepcopy__(self, memo: Any) -> _Holds:
        return self

    fit = predict = None


@pytest.mark.parametrize(
    "features, labels, said",
    [
        (X, Y[:-1], "X has 150 records, y has 149"),
        (X[:, 0], Y, "a row for each record"),
        (X, np.where(Y == 1, np.nan, 1.0), "y is missing in 50 of 150"),
        (X, X[:, 0], "no class labels"),
        (X, np.zeros(150), "only the class '0'"),
        (X, np.array([1, "1"] * 75, dtype=object), "use one of them"),
        (np.where(X > 7, np.inf, X), Y, "an infinite number in column 'x0'"),
    ],
)
def test_data_that_are_none_are_refused(features: Any, labels: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        in_memory(features, labels)


def test_what_a_spec_can_say_becomes_its_entry() -> None:
    assert as_entry(KNeighborsClassifier(3)) == {
        "engine": "sklearn",
        "learner": "KNeighborsClassifier",
        "params": {"n_neighbors": 3},
    }
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": np.array([1, 2])}, cv=2)
    assert as_entry(search) == {
        "engine": "sklearn",
        "learner": "GridSearchCV",
        "params": {
            "estimator": "DecisionTreeClassifier",
            "param_grid": {"max_depth": [1, 2]},
            "cv": 2,
        },
    }
    assert as_entry(DecisionTreeClassifier(class_weight={0: 2})) is None
    assert as_entry(DecisionTreeClassifier(random_state=np.random.RandomState(0))) is None
    assert as_entry(Nearest()) is None


def test_fingerprints_of_objects_are_in_keys_alone() -> None:
    one, other = handed("a", Nearest(np.sin)), handed("a", Nearest(np.cos))
    assert one.fingerprint != other.fingerprint
    assert handed("a", Nearest(np.sin)).fingerprint == one.fingerprint
    assert "sha256" not in str(one.settings())


def test_the_functions_of_the_package_have_their_own_signatures() -> None:
    import inspect

    assert "overrides" in inspect.signature(cvinfer.run).parameters
    assert list(inspect.signature(cvinfer.compare).parameters)[:3] == ["X", "y", "learners"]
    assert "Compare classifiers" in (cvinfer.compare.__doc__ or "")
