"""R's learners predict what plain R predicts, for every record of every split."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np
import pytest
from tests.engines.r.r_proof import Answer, Study, begin, complete, r_data, same, spec_of, study

from cvinfer.engines._r import client

pytestmark = pytest.mark.usefixtures("r")

#: Numbers, numbers and two classes, logicals and many classes.
THREE = {
    "iris": r_data("datasets", "iris", "Species"),
    "Pima.tr": r_data("MASS", "Pima.tr", "type"),
    "Zoo": r_data("mlbench", "Zoo", "type"),
}
VOTES = ("mlbench", "HouseVotes84", "Class")
#: Factors with gaps, factors and numbers with their gaps filled in, ordered factors.
TWO_CLASSES = {
    "gaps": r_data(*VOTES, name="gaps", missing="keep", sample={"n": 220}),
    "filled": r_data(*VOTES, name="filled", missing="impute", sample={"n": 220}),
    "Pima.tr2": r_data("MASS", "Pima.tr2", "type", missing="impute"),
    "BreastCancer": r_data(
        "mlbench", "BreastCancer", "Class", drop=["Id"], missing="drop", sample={"n": 220}
    ),
}


def r(learner: str, params: Any = None, **more: Any) -> dict[str, Any]:
    return {"engine": "r", "learner": learner, "params": params or {}, **more}


READY = {
    **{name: r(name) for name in ("rpart", "tree", "svm", "naiveBayes", "lda", "qda", "kknn")},
    "nnet": r("nnet", {"size": 2, "maxit": 40, "MaxNWts": 5000}),
    "multinom": r("multinom", {"maxit": 40, "MaxNWts": 5000}),
    "randomForest": r("randomForest", {"ntree": 15}),
    "ranger": r("ranger", {"num.trees": 15}),
}
OF_TWO = {
    **READY,
    "glm": r("glm"),
    "anova": r("rpart", {"method": "anova"}),
    **{
        f"{name} omitting gaps": {**each, "na_action": "omit"}
        for name, each in {**READY, "glm": r("glm")}.items()
        if name in ("rpart", "naiveBayes", "glm", "svm", "randomForest")
    },
}
#: What fails on some splits, in plain R as well as here: constant or dependent features in a group,
#: a level that only test records have.
SOMETIMES = {
    ("lda", "BreastCancer"),
    ("glm", "BreastCancer"),
    ("glm omitting gaps", "BreastCancer"),
    ("qda", "filled"),
}
#: What fails on all of them.
ALWAYS = {("lda", "Zoo"), ("qda", "Zoo"), ("qda", "BreastCancer")}
#: How learners fail where test records have gaps.
ON_GAPS = {
    **dict.fromkeys(
        ("svm", "svm omitting gaps", "kknn"), "gave {full} predictions for {all} test records"
    ),
    **dict.fromkeys(
        (
            "lda",
            "nnet",
            "multinom",
            "glm",
            "glm omitting gaps",
            "randomForest omitting gaps",
        ),
        "no class for {gaps} of {all} test records",
    ),
    "qda": "(no class for {gaps} of {all} test records|rank deficiency in group)",
    "randomForest": "missing values",
    "ranger": "Missing data in columns: V",
}
WITH_ARGUMENTS = {
    "rpart with control": r("rpart", {"control": {"cp": 0, "minsplit": 5}, "maxdepth": 3}),
    "rpart with prior": r(
        "rpart", {"parms": {"prior": {"Yes": 0.8, "No": 0.2}, "split": "information"}}
    ),
    "rpart with loss": r("rpart", {"parms": {"loss": [[0, 3], [1, 0]]}}),
    "weighted svm": r(
        "svm", {"kernel": "linear", "cost": 0.5, "class.weights": {"Yes": 3, "No": 1}}
    ),
    "lda with prior": r("lda", {"prior": {"Yes": 0.9, "No": 0.1}}),
    "knn": r("knn", {"k": 4}),
    "glm": r("glm"),
    "anova": r("rpart", {"method": "anova"}),
    "probit": r("glm", {"family": {"family": "binomial", "link": "probit"}}),
    "sigmoid svm": r("svm", {"kernel": "sigmoid"}),
    "perceptron": r("nnet", {"size": 0, "skip": True, "maxit": 200}),
    "nnet with range": r("nnet", {"size": 3, "rang": 0.6, "maxit": 200}),
    "kknn with kernel": r("kknn", {"k": 3, "kernel": "triangular", "distance": 1}),
    "weighted forest": r(
        "randomForest",
        {
            "ntree": 15,
            "mtry": 2,
            "cutoff": {"No": 0.3, "Yes": 0.7},
            "sampsize": {"Yes": 10, "No": 20},
        },
    ),
    "weighted ranger": r(
        "ranger",
        {"num.trees": 15, "class.weights": {"Yes": 5, "No": 1}, "splitrule": "extratrees"},
    ),
    "probability ranger": r("ranger", {"num.trees": 15, "probability": True}),
    "code of rpart": {
        "engine": "r",
        "package": "rpart",
        "function": "rpart",
        "predict_type": "class",
        "params": {"cp": 0.001},
    },
    "scores of rpart": {"engine": "r", "package": "rpart", "function": "rpart"},
    "code of train.kknn": r("kknn::train.kknn", {"kmax": 5}),
    "code of lda": r("MASS::lda"),
}


@pytest.fixture(scope="module")
def studies(r: Path, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Study]:
    specs = [
        spec_of(tmp_path_factory.mktemp("three"), list(THREE.values()), READY),
        spec_of(tmp_path_factory.mktemp("two"), list(TWO_CLASSES.values()), OF_TWO),
        spec_of(tmp_path_factory.mktemp("arguments"), THREE["Pima.tr"], WITH_ARGUMENTS),
    ]
    begun = [begin(path, "plain_r.R", allow_code=path is specs[2]) for path in specs]
    return [complete(each) for each in begun]


@pytest.fixture(scope="module")
def three_sets(studies: Sequence[Study]) -> Study:
    return studies[0]


@pytest.fixture(scope="module")
def two_classes(studies: Sequence[Study]) -> Study:
    return studies[1]


@pytest.fixture(scope="module")
def with_arguments(studies: Sequence[Study]) -> Study:
    return studies[2]


def agree(study: Study, data: str, learner: str) -> None:
    fits, failed = same(study.found, study.plain, data, learner)
    assert fits == 6
    if (learner, data) in ALWAYS:
        assert failed == 6
    elif (learner, data) not in SOMETIMES:
        assert failed == 0


@pytest.mark.parametrize("data", THREE)
@pytest.mark.parametrize("learner", READY)
def test_numbers_logicals_and_many_classes(three_sets: Study, learner: str, data: str) -> None:
    agree(three_sets, data, learner)


@pytest.mark.parametrize("data", ("filled", "Pima.tr2", "BreastCancer"))
@pytest.mark.parametrize("learner", OF_TWO)
def test_two_classes(two_classes: Study, learner: str, data: str) -> None:
    agree(two_classes, data, learner)


def fails_on_gaps(learner: str) -> bool:
    """ranger takes missing values since its version 0.17."""
    if learner == "ranger":
        version = client.ask("versions", ["ranger"])["ranger"]
        return tuple(map(int, version.split(".")[:2])) < (0, 17)
    return learner in ON_GAPS


@pytest.mark.parametrize("learner", OF_TWO)
def test_gaps_are_the_functions_own_business(two_classes: Study, learner: str) -> None:
    fits, failed = same(two_classes.found, two_classes.plain, "gaps", learner)
    fails = fails_on_gaps(learner)
    assert (fits, failed) == (6, 6 if fails else 0)
    (votes,) = [one for one in two_classes.sets if one.name == "gaps"]
    holes = np.any([column.missing for column in votes.features], axis=0)
    for outcome in two_classes.of("gaps", learner).values():
        if fails:
            every, gaps = len(outcome.records), int(holes[list(outcome.records)].sum())
            said = ON_GAPS[learner].format(all=every, gaps=gaps, full=every - gaps)
            assert outcome.fault is not None and re.search(said, outcome.fault)


@pytest.mark.parametrize("learner", WITH_ARGUMENTS)
def test_arguments_and_functions_of_any_package(with_arguments: Study, learner: str) -> None:
    agree(with_arguments, "Pima.tr", learner)


def test_the_comparisons_can_tell_learners_apart(with_arguments: Study, three_sets: Study) -> None:
    # Equality means little where whatever one does comes to the same labels.
    plain = {name: three_sets.of("Pima.tr", name) for name in READY}
    changed = {name: with_arguments.of("Pima.tr", name) for name in WITH_ARGUMENTS}
    for name, like in (
        ("rpart with control", "rpart"),
        ("rpart with prior", "rpart"),
        ("rpart with loss", "rpart"),
        ("weighted svm", "svm"),
        ("lda with prior", "lda"),
        ("kknn with kernel", "kknn"),
        ("weighted forest", "randomForest"),
        ("weighted ranger", "ranger"),
        ("probability ranger", "ranger"),
    ):
        assert plain[like].keys() == changed[name].keys() and plain[like] != changed[name], name
    assert plain["lda"] == changed["code of lda"]


# --- functions of any package ---------------------------------------------------------------------

FIRST = {"engine": "r", "package": "cvproof", "function": "first_class"}
UNDERSTOOD = (
    "factor",
    "character",
    "scores",
    "cube",
    "frame",
    "class",
    "predictions",
    "turned",
    "turned scores",
)
REFUSED = {
    "numbers": r"an object of class integer \({0}\); class labels are needed",
    "short": r"gave {1} predictions for {0} test records",
    "long": r"gave {2} predictions for {0} test records",
    "strange": r'predicts "no such class", which is no class',
    "nameless": r"columns \(\) are not the classes",
    "none": r"gave no class for {0} of {0} test records",
    "nothing": r"predict\(\) gave nothing",
    "list": r"a list without class or predictions \(it has a\)",
    "unheard of": r"there is no type unheard of",
}


@pytest.fixture(scope="module")
def any_function(r: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    kinds = (*UNDERSTOOD, *REFUSED)
    learners: dict[str, Any] = {kind: {**FIRST, "predict_type": kind} for kind in kinds}
    learners["untyped"] = {"engine": "r", "learner": "cvproof::first_class"}
    given = {"a": 1, "b": [1, 2.5], "c": "x", "d": True, "e": ["x", "y"], "f": {"g": 1}, "h": None}
    learners["tell"] = {"engine": "r", "learner": "cvproof::tell", "params": given}
    learners["recurse"] = {"engine": "r", "learner": "cvproof::recurse"}
    path = spec_of(tmp_path_factory.mktemp("any"), THREE["iris"], learners)
    return study(path, allow_code=True, jobs=1)


@pytest.mark.parametrize("kind", [*UNDERSTOOD, "untyped"])
def test_every_form_of_predictions_that_names_classes_is_understood(
    any_function: Study, kind: str
) -> None:
    (iris,) = any_function.sets
    splits = any_function.of("iris", kind)
    assert len(splits) == 6
    plans = any_function.result.document["partitions"]
    assert [plan["scheme"] for plan in plans] == ["blocked_mx2"]
    for outcome in splits.values():
        # In the order of the records, the first training record is the first that is not tested.
        first = min(set(range(150)) - set(outcome.records))
        label = iris.classes[iris.target[first]]
        assert outcome.fault is None and set(outcome.labels) == {label}


@pytest.mark.parametrize("kind", REFUSED)
def test_all_else_is_refused_and_says_what_came(any_function: Study, kind: str) -> None:
    for outcome in any_function.of("iris", kind).values():
        assert outcome.fault is not None
        assert "cvproof::first_class" in outcome.fault
        n = len(outcome.records)
        assert re.search(REFUSED[kind].format(n, n - 1, n + 1), outcome.fault), outcome.fault


def test_arguments_arrive_as_values(any_function: Study) -> None:
    for outcome in any_function.of("iris", "tell").values():
        assert outcome.fault is not None
        kinds = "a=double1 b=double2 c=character1 d=logical1 e=character2 f=list1 h=NULL0"
        assert f"got {kinds}" in outcome.fault


def test_runaway_recursion_is_an_error_and_no_crash(any_function: Study) -> None:
    for outcome in any_function.of("iris", "recurse").values():
        assert outcome.fault is not None and "cvproof::recurse" in outcome.fault
        assert re.search("nested too deeply|stack", outcome.fault), outcome.fault
        assert "worker" not in outcome.fault and "signal" not in outcome.fault


@pytest.mark.parametrize(
    "entry, place",
    [
        (FIRST, "learners.any.function"),
        ({"engine": "r", "learner": "cvproof::first_class"}, "learners.any.learner"),
        ({"engine": "r", "package": "base", "function": "system"}, "learners.any.function"),
    ],
)
def test_functions_of_any_package_need_allow_code(
    tmp_path: Path, call: Callable[..., Answer], entry: Any, place: str
) -> None:
    path = spec_of(tmp_path, THREE["iris"], {"rpart": r("rpart"), "any": entry})
    answer = call("validate", path, "--json")
    (fault,) = answer.faults
    assert (answer.code, fault["path"]) == (2, place)
    assert "is code of an R package" in fault["message"] and "--allow-code" in fault["allowed"]
    assert fault["line"] > 1 and fault["column"] > 1
    answer = call("run", path, "--output", tmp_path / "out")
    assert answer.code == 2 and "--allow-code" in answer.err
    assert not (tmp_path / "out").exists()
