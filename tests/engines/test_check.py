"""Faults of a learner's entry, found before any fit, each at its place."""

from __future__ import annotations

import sys
from pathlib import Path
from types import MethodType
from typing import Any, Optional

import numpy as np
import pytest
from tests.engines.engine_data import categorical, clouds, dataset, learner, numeric

from cvinfer.data.dataset import Dataset
from cvinfer.engines import LearnerSpec, engine
from cvinfer.engines._sklearn import declared, recipes
from cvinfer.errors import Refusal


def problems(
    entry: LearnerSpec, data: Optional[Dataset] = None, allow_code: bool = False
) -> list[Refusal]:
    return engine(entry.engine).check(entry, data, allow_code)


RIGHT = [
    learner("SVC"),
    learner("SVC", {"C": 10, "kernel": "linear", "gamma": 0.5}),
    learner("KNeighborsClassifier", {"n_neighbors": 1}),
    learner("MLPClassifier", {"hidden_layer_sizes": [5, 2]}),
    learner("DecisionTreeClassifier", {"max_depth": None, "class_weight": "balanced"}),
    learner("RandomForestClassifier", {"class_weight": {"class 1": 2}}),
    learner("BaggingClassifier", {"estimator": {"SVC": {"C": 3}}}),
    learner("BaggingClassifier", {"estimator": None}),
    learner("AdaBoostClassifier", {"estimator": "DecisionTreeClassifier"}),
    learner("GridSearchCV", {"estimator": "SVC", "param_grid": [{"C": [1]}, {"gamma": [1]}]}),
    learner(steps=["StandardScaler", {"SVC": {"C": 10}}]),
    learner(steps=["SVC"]),
    # A tuple is wanted, and YAML has lists only.
    learner(steps=[{"MinMaxScaler": {"feature_range": [0, 2]}}, "SVC"]),
    learner(steps=[{"SelectFromModel": {"estimator": "LinearSVC"}}, "GaussianNB"]),
    learner(steps=[{"FeatureUnion": {"transformer_list": ["PCA", "StandardScaler"]}}, "SVC"]),
    learner(steps=["LinearDiscriminantAnalysis", "GaussianNB"]),
    learner("majority", engine="builtin"),
    learner("MeanClassifier", engine="builtin"),
    learner("FirstNearestNeighbour", {"weights": [1, 2, 3, 4]}, engine="builtin"),
    learner("least_squares", {"fit_intercept": False}, engine="builtin"),
    learner("naive_bayes", {"features": [1, 4]}, engine="builtin"),
    learner("nearest_neighbours", {"features": [2], "k": 3}, engine="builtin"),
    learner(steps=["StandardScaler", "mean"], engine="builtin"),
]


@pytest.mark.parametrize("entry", RIGHT, ids=lambda each: str(each.settings()))
def test_right_entries_have_no_problem(entry: LearnerSpec) -> None:
    assert problems(entry) == []
    assert problems(entry, clouds()) == []


P = "params"
WRONG: list[tuple[LearnerSpec, tuple[Any, ...], str, Optional[str], Optional[str]]] = [
    (learner("SCV"), ("learner",), "no learner called 'SCV'", "cvinfer list", "SVC"),
    (learner("svc"), ("learner",), "no learner called 'svc'", None, "SVC"),
    (learner("SVR"), ("learner",), "SVR is a regressor, not a classifier", None, "SVC"),
    (
        learner("RandomForestRegressor"),
        ("learner",),
        "is a regressor",
        None,
        "RandomForestClassifier",
    ),
    (learner("LinearRegression"), ("learner",), "is a regressor", None, "LogisticRegression"),
    (learner("StandardScaler"), ("learner",), "is a transformer", None, None),
    (learner("DBSCAN"), ("learner",), "DBSCAN is a clusterer", None, None),
    (learner("IsolationForest"), ("learner",), "not a classifier", None, None),
    (learner("ClassifierChain"), ("learner",), "several targets", None, None),
    (learner("majority"), ("learner",), "another engine", None, "engine: builtin"),
    (learner("SVC", engine="builtin"), ("learner",), "another engine", None, "engine: sklearn"),
    (learner("majorty", engine="builtin"), ("learner",), "no learner", "majority", "majority"),
    (learner(), (), "neither learner nor steps", None, None),
    (learner("SVC", steps=["SVC"]), ("steps",), "both learner and steps", None, None),
    (learner("SVC", package="e1071"), ("package",), "unknown key 'package'", "params", None),
    (learner("SVC", {"c": 1}), (P, "c"), "SVC has no parameter 'c'", "C, break_ties", "C"),
    (learner("SVC", {"C": "x"}), (P, "C"), "'x' is not allowed for C of SVC", "(0.0, inf)", None),
    (learner("SVC", {"C": -1}), (P, "C"), "-1 is not allowed", "a float in the range", None),
    (learner("SVC", {"tol": "1e-3"}), (P, "tol"), "'1e-3'", None, "0.001 without quotes"),
    (
        learner("SVC", {"kernel": "rfb"}),
        (P, "kernel"),
        "'rfb' is not allowed",
        "linear, poly, precomputed, rbf, sigmoid",
        "rbf",
    ),
    (learner("SVC", {"max_iter": True}), (P, "max_iter"), "true is not allowed", "an int", None),
    (learner("SVC", {"probability": 1}), (P, "probability"), "1 is not allowed", None, None),
    (
        learner("KNeighborsClassifier", {"n_neighbors": -1}),
        (P, "n_neighbors"),
        "-1 is not allowed",
        "an int in the range [1, inf)",
        None,
    ),
    (learner("KNeighborsClassifier", {"n_neighbors": 2.5}), (P, "n_neighbors"), "2.5", None, None),
    (learner("OneVsRestClassifier"), (P,), "needs the parameter 'estimator'", None, None),
    (
        learner("OneVsRestClassifier", {"estimator": {"SVC": {"C": 0}}}),
        (P, "estimator", "SVC", "C"),
        "0 is not allowed",
        None,
        None,
    ),
    (
        learner("OneVsRestClassifier", {"estimator": "SCV"}),
        (P, "estimator"),
        "no estimator called 'SCV'",
        None,
        "SVC",
    ),
    (
        learner("VotingClassifier", {"estimators": ["SVC", {"GaussianNB": {"prior": 1}}]}),
        (P, "estimators", 1, "GaussianNB", "prior"),
        "no parameter 'prior'",
        None,
        "priors",
    ),
    (learner("VotingClassifier", {"estimators": 3}), (P, "estimators"), "no list", None, None),
    (
        learner("GridSearchCV", {"estimator": "SVC", "param_grid": {"gama": [1]}}),
        (P, "param_grid", "gama"),
        "no parameter 'gama' to search",
        None,
        "gamma",
    ),
    (
        learner("GridSearchCV", {"estimator": "SVR", "param_grid": {"C": [1]}}),
        ("learner",),
        "GridSearchCV is not a classifier",
        None,
        None,
    ),
    (
        learner("SVC", {"class_weight": {"class 1": "much"}}),
        (P, "class_weight", "class 1"),
        "'much' is no weight",
        "a number >= 0",
        None,
    ),
    (
        learner("SVC", {"class_weight": {"class 9": 2}}),
        (P, "class_weight", "class 9"),
        "there is no class 'class 9'",
        "'class 0', 'class 1', 'class 2'",
        None,
    ),
    (
        learner("BaggingClassifier", {"estimator": {"SVC": {"class_weight": {"class 1": 2}}}}),
        (P, "estimator", "SVC", "class_weight"),
        "inside another",
        "balanced",
        None,
    ),
    (learner("DummyClassifier", {"constant": "no"}), (P, "constant"), "no class 'no'", None, None),
    (learner(steps=[]), ("steps",), "no steps", None, None),
    (learner(steps=["SVC", "GaussianNB"]), ("steps", 0), "does not transform", None, None),
    (learner(steps=["PCA"]), ("steps", 0), "PCA is a transformer", None, None),
    (learner(steps=["PCA", "Lasso"]), ("steps", 1), "Lasso is a regressor", None, None),
    (learner(steps=["PAC", "SVC"]), ("steps", 0), "no estimator called 'PAC'", None, "PCA"),
    (
        learner(steps=["PCA", {"SVC": {"K": 1}}]),
        ("steps", 1, "SVC", "K"),
        "no parameter 'K'",
        None,
        None,
    ),
    (learner(steps=["SVC"], params={"C": 1}), (P,), "given at each step", None, None),
    (
        learner("first_nearest_neighbour", {"v": 25}, engine="builtin"),
        (P, "v"),
        "v is for 16 features, and there are 4",
        None,
        None,
    ),
    (
        learner("first_nearest_neighbour", {"v": 0}, engine="builtin"),
        (P, "v"),
        "0 is not allowed for v",
        None,
        None,
    ),
    (
        learner("naive_bayes", {"features": [1, 5]}, engine="builtin"),
        (P, "features"),
        "features are counted from 1 to 4, and 5 is none",
        None,
        None,
    ),
    (
        learner("nearest_neighbours", {"k": 0}, engine="builtin"),
        (P, "k"),
        "0 is not allowed for k",
        None,
        None,
    ),
    (
        learner("first_nearest_neighbour", {"weights": [1, 2]}, engine="builtin"),
        (P, "weights"),
        "2 weights for 4 features",
        None,
        None,
    ),
    (
        learner("first_nearest_neighbour", {"v": 2, "omega": 2}, engine="builtin"),
        (P,),
        "are given together",
        None,
        None,
    ),
    (learner("majority", {"k": 1}, engine="builtin"), (P, "k"), "no parameter", None, None),
]


@pytest.mark.parametrize("entry, path, message, allowed, suggestion", WRONG, ids=lambda each: None)
def test_wrong_entries_have_one_problem_at_its_place(
    entry: LearnerSpec,
    path: tuple[Any, ...],
    message: str,
    allowed: Optional[str],
    suggestion: Optional[str],
) -> None:
    (found,) = problems(entry, clouds())
    assert found.path == path
    assert message in found.message
    assert (allowed or "") in (found.allowed or "")
    assert found.suggestion == suggestion


def test_a_name_that_nobody_knows_is_told_from_a_wrong_value() -> None:
    """An unknown parameter or key is pointed to by its name, a wrong one by its value."""

    def about_key(entry: LearnerSpec) -> bool:
        (found,) = problems(entry)
        return found.about_key

    assert about_key(learner("SVC", {"c": 1}))
    assert about_key(learner("SVC", package="e1071"))
    assert about_key(learner(steps=[{"PCA": {"n_component": 2}}, "SVC"]))
    assert about_key(learner("majority", {"k": 1}, engine="builtin"))
    assert not about_key(learner("SVC", {"C": -1}))
    assert not about_key(learner("SCV"))


def test_all_faults_come_at_once() -> None:
    entry = learner(steps=[{"PCA": {"n_component": 2}}, {"SVC": {"C": -1, "gama": 1}}])
    assert [each.path for each in problems(entry)] == [
        ("steps", 0, "PCA", "n_component"),
        ("steps", 1, "SVC", "C"),
        ("steps", 1, "SVC", "gama"),
    ]


def test_text_is_no_fault_because_it_is_encoded() -> None:
    data = dataset([categorical("c", ["a", "b", "a", "b"])], [0, 1, 0, 1])
    assert problems(learner("SVC"), data) == []
    weighted = learner("FirstNearestNeighbour", {"omega": 0.5}, engine="builtin")
    (found,) = problems(weighted, data)
    assert found.path == ("params", "omega") and "c is categorical" in found.message


def test_missing_values_that_nobody_takes_care_of() -> None:
    data = dataset([numeric("x", [1, np.nan, 3, 4])], [0, 1, 0, 1])
    (found,) = problems(learner("SVC"), data)
    assert "SVC takes no missing values, and there are some in x" in found.message
    assert "missing: impute" in (found.allowed or "")
    (found,) = problems(learner(steps=["StandardScaler", "SVC"]), data)
    assert found.message.startswith("SVC takes")
    assert problems(learner("HistGradientBoostingClassifier"), data) == []
    assert problems(learner(steps=["SimpleImputer", "SVC"]), data) == []
    imputed = dataset(data.features, [0, 1, 0, 1], impute=True)
    assert problems(learner("SVC"), imputed) == []


def test_foreign_code_is_not_even_imported_unless_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
    from sklearn.linear_model import LinearRegression, Perceptron

    class Mine(Perceptron):
        pass

    class Regresses(LinearRegression):
        pass

    class Bare:
        def fit(self, x, y):
            return self

    number = 3
    """
    text = "\n".join(line[4:] for line in code.splitlines())
    (tmp_path / "foreign_module_for_tests.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "foreign_module_for_tests"
    for entry in (
        learner(f"{name}:Mine"),
        learner(steps=["PCA", f"{name}:Mine"]),
        learner("BaggingClassifier", {"estimator": f"{name}:Mine"}),
        learner("BaggingClassifier", {"estimator": {f"{name}:Mine": {}}}),
    ):
        (found,) = problems(entry)
        assert "--allow-code" in (found.allowed or "")
        assert name not in sys.modules
    for entry in (
        learner(f"{name}:Mine", {"alpha": 0.1}),
        learner(steps=["PCA", f"{name}:Mine"]),
        learner("BaggingClassifier", {"estimator": f"{name}:Mine"}),
    ):
        assert problems(entry, clouds(), allow_code=True) == []
        versions = engine("sklearn").versions(entry)
        assert versions[name].startswith("sha256:")
    wrong = {
        f"{name}:Absent": "has no attribute 'Absent'",
        f"{name}:number": "is not a class",
        f"{name}:Regresses": "not a classifier",
        f"{name}:Bare": "has no get_params, set_params",
        "no_such_module_here:Thing": "No module named",
        "os;system:x": "does not name a class",
        f"{name}:": "does not name a class",
    }
    for written, message in wrong.items():
        (found,) = problems(learner(written), allow_code=True)
        assert message in found.message
    (found,) = problems(learner(f"{name}:Mine", {"alhpa": 1}), allow_code=True)
    assert found.suggestion == "alpha"


def test_versions_name_the_distribution_of_foreign_code() -> None:
    import pytest as installed

    entry = learner("pytest:Item")
    assert engine("sklearn").versions(entry)["pytest"] == installed.__version__


def test_ranges_and_words_read_the_same_in_every_version_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    found = {
        f"{cls.__name__} {name}": declared.refused(cls, name, object())
        for cls, name in [
            (SVC, "C"),
            (SVC, "degree"),
            (SVC, "shrinking"),
            (SGDClassifier, "l1_ratio"),
            (LogisticRegression, "tol"),
            (DecisionTreeClassifier, "splitter"),
        ]
    }
    assert {each: (said or "").split(" or null")[0] for each, said in found.items()} == {
        "SVC C": "a float in the range (0.0, inf)",
        "SVC degree": "an int in the range [0, inf)",
        "SVC shrinking": "true or false",
        "SGDClassifier l1_ratio": "a float in the range [0.0, 1.0]",
        "LogisticRegression tol": "a float in the range [0.0, inf)",
        "DecisionTreeClassifier splitter": "best, random",
    }
    assert declared.words(SVC, "kernel") == ["linear", "poly", "precomputed", "rbf", "sigmoid"]


def test_an_estimator_whose_default_is_refused_is_needed() -> None:
    class Wrapper:
        _parameter_constraints = {"estimator": [MethodType], "base_estimator": [MethodType, None]}

        def __init__(self, estimator: Any = None, base_estimator: Any = None) -> None:
            self.estimator, self.base_estimator = estimator, base_estimator

    assert recipes.signature_of(Wrapper) == (["base_estimator", "estimator"], ["estimator"], False)
