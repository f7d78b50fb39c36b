"""Faults of R's and Weka's learners are found before any fit, each at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Optional

import pytest
from tests.engines.r.r_proof import Answer, r_data, spec_of, study

from cvinfer.engines._r.client import known

pytestmark = pytest.mark.usefixtures("weka")

IRIS = r_data("datasets", "iris", "Species")
HEAD = """\
cvinfer: 1
data: {source: r, package: datasets, dataset: iris, target: Species}
learners:
  majority: {engine: builtin, learner: majority}
"""


#: The flowers 102 and 143 are alike.
OF_IRIS = (
    "  note: iris: 2 of 150 records equal another one in every feature and in class; splits train"
    " on some of them and test the others"
)


def fault_of(
    call: Callable[..., Answer], directory: Path, entry: str, *words: str, head: str = HEAD
) -> dict[str, Any]:
    """The one fault of a spec with this entry of `learners`, which is in line 5."""
    path = directory / "spec.yaml"
    path.write_text(f"{head}  bad: {entry}\ntests: [kfold_t]\n", encoding="utf-8")
    answer = call("validate", path, "--json", *words)
    assert answer.code == 2, answer
    (fault,) = answer.faults
    assert fault["line"] == 5
    # The place is that of the word itself.
    assert fault["source_line"] == f"  bad: {entry}"
    text = call("validate", path, *words)
    assert text.code == 2 and f"spec.yaml:5:{fault['column']}: " in text.out
    return fault


def told(fault: Any, path: str, said: str, meant: Optional[str]) -> None:
    assert fault["path"] == ".".join(filter(None, ("learners.bad", path)))
    assert said in fault["message"]
    if meant is not None:
        assert fault["suggestion"] == meant


@pytest.mark.parametrize(
    "entry, path, said, meant",
    [
        ("{engine: r, learner: rprat}", "learner", "has no learner 'rprat'", "rpart"),
        ("{engine: r, learner: SVM}", "learner", "has no learner 'SVM'", "svm"),
        ("{engine: r, learner: randomforest}", "learner", "no learner", "randomForest"),
        ("{engine: r, learner: 'svm()'}", "learner", "no learner 'svm()'", "svm"),
        ("{engine: r, learner: ''}", "learner", "", None),
        ("{engine: r}", "", "learner is missing", None),
        ("{engine: rweka}", "", "learner is missing", None),
        ("{engine: rweka, learner: J84}", "learner", "no classifier called 'J84'", "J48"),
        ("{engine: rweka, learner: j48}", "learner", "no classifier called 'j48'", "J48"),
        ("{engine: rweka, learner: weka.classifiers.trees.J84}", "learner", "J84", None),
        ("{engine: rweka, learner: weka.core.Instances}", "learner", "not a Weka classifier", None),
        (
            "{engine: rweka, learner: weka.classifiers.RandomizableClassifier}",
            "learner",
            "is abstract",
            None,
        ),
        ("{engine: rweka, learner: java.lang.Runtime}", "learner", "not a Weka classifier", None),
        ("{engine: rweka, learner: LinearRegression}", "learner", "predicts numbers", None),
        (
            "{engine: r, learner: rpart, params: {minsplt: 5}}",
            "params.minsplt",
            "minsplt",
            "minsplit",
        ),
        ("{engine: r, learner: svm, params: {costs: 5}}", "params.costs", "'costs'", "cost"),
        ("{engine: r, learner: ranger, params: {ntree: 5}}", "params.ntree", "no parameter", None),
        (
            "{engine: r, learner: randomForest, params: {num.trees: 5}}",
            'params["num.trees"]',
            "",
            None,
        ),
        (
            "{engine: r, learner: rpart, params: {method: classes}}",
            "params.method",
            "classes",
            "class",
        ),
        (
            "{engine: r, learner: rpart, params: {method: poisson}}",
            "params.method",
            "poisson",
            None,
        ),
        (
            "{engine: r, learner: rpart, params: {formula: y}}",
            "params.formula",
            "cvinfer gives it",
            None,
        ),
        (
            "{engine: r, learner: svm, params: {data: iris}}",
            "params.data",
            "cvinfer gives it",
            None,
        ),
        (
            "{engine: r, learner: lda, params: {subset: 1}}",
            "params.subset",
            "cvinfer gives it",
            None,
        ),
        ("{engine: r, learner: lda, params: {CV: true}}", "params.CV", "no parameter 'CV'", None),
        ("{engine: r, learner: nnet}", "params", "nnet needs size", None),
        ("{engine: r, learner: nnet, params: {maxit: 5}}", "params", "nnet needs size", None),
        ("{engine: r, learner: rpart, params: [1]}", "params", "wrong type", None),
        ("{engine: r, learner: rpart, params: '-C 1'}", "params", "wrong type", None),
        ("{engine: r, learner: glm}", "learner", "for two classes, and there are 3", None),
        (
            "{engine: r, learner: rpart, params: {method: anova}}",
            "params.method",
            "anova is for two classes, and there are 3",
            None,
        ),
        ("{engine: r, learner: rpart, na_action: drop}", "na_action", "'drop' is not known", None),
        ("{engine: r, learner: rpart, na_action: omitt}", "na_action", "'omitt'", "omit"),
        ("{engine: r, learner: rpart, na_actoin: omit}", "na_actoin", "unknown key", "na_action"),
        ("{engine: r, learner: rpart, seeding: fit}", "seeding", "unknown key", None),
        ("{engine: r, learner: rpart, predict_type: prob}", "predict_type", "knows its own", None),
        ("{engine: r, package: rpart}", "", "package is there, but not function", None),
        ("{engine: r, function: rpart}", "", "function is there, but not package", None),
        ("{engine: r, steps: [rpart]}", "steps", "has no steps", None),
        ("{engine: rweka, steps: [J48]}", "steps", "has no steps", None),
    ],
)
def test_wrong_names_and_arguments(
    tmp_path: Path,
    call: Callable[..., Answer],
    entry: str,
    path: str,
    said: str,
    meant: Optional[str],
) -> None:
    told(fault_of(call, tmp_path, entry), path, said, meant)


@pytest.mark.parametrize(
    "entry, path, said",
    [
        ("{engine: rweka, learner: J48, params: {Z: 3}}", "params.Z", "-Z"),
        ("{engine: rweka, learner: J48, params: '-Z 3'}", "params", "-Z"),
        ("{engine: rweka, learner: J48, params: [-Z, 3]}", "params", "-Z"),
        ("{engine: rweka, learner: J48, options: '-Z 3'}", "options", "-Z"),
        ("{engine: rweka, learner: J48, params: {C: many}}", "params.C", "many"),
        ("{engine: rweka, learner: J48, params: {M: 2.5}}", "params.M", "2.5"),
        ("{engine: rweka, learner: J48, params: {C: 0.1, U: true}}", "params", "npruned"),
        ("{engine: rweka, learner: J48, params: '-C 0.1 -U'}", "params", "npruned"),
        ("{engine: rweka, learner: J48, params: {C: 1.5}}", "params", "smaller than one"),
        ("{engine: rweka, learner: IBk, params: {K: x}}", "params.K", "x"),
        ("{engine: rweka, learner: IBk, params: {W: x}}", "params", "x"),
        (
            "{engine: rweka, learner: SMO, params: {K: weka.nothing.Kernel}}",
            "params",
            "weka.nothing",
        ),
        ("{engine: rweka, learner: Bagging, params: {W: {J48: {Z: 1}}}}", "params", "-Z"),
        ("{engine: rweka, learner: Bagging, params: {W: NoSuchTree}}", "params", "NoSuchTree"),
        ("{engine: rweka, learner: Bagging, params: {W: {J48: {}, OneR: {}}}}", "params.W", "Name"),
        ("{engine: rweka, learner: J48, params: {C: [true, {}]}}", "params.C", "Name"),
        ("{engine: rweka, learner: J48, params: '-C \"0.1'}", "params", "quote"),
        ("{engine: rweka, learner: J48, na_action: none}", "na_action", "'none' is not known"),
        (
            "{engine: rweka, learner: J48, seeding: sometimes}",
            "seeding",
            "'sometimes' is not known",
        ),
        ("{engine: rweka, learner: J48, seeding: true}", "seeding", "True is not known"),
        ("{engine: rweka, learner: J48, seed: 3}", "seed", "unknown key"),
    ],
)
def test_wrong_options_of_weka(
    tmp_path: Path, call: Callable[..., Answer], entry: str, path: str, said: str
) -> None:
    fault = fault_of(call, tmp_path, entry)
    assert fault["path"].startswith(f"learners.bad.{path}")
    assert said in fault["message"]


def test_wekas_own_options_are_offered(tmp_path: Path, call: Callable[..., Answer]) -> None:
    fault = fault_of(call, tmp_path, "{engine: rweka, learner: JRip, params: {Z: 3}}")
    for flag in ("-F <number of folds>", "-N <min. weights>", "-O <number of runs>", "-S <seed>"):
        assert flag in fault["allowed"]


def test_two_faults_are_told_at_once(tmp_path: Path, call: Callable[..., Answer]) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        HEAD + "  one: {engine: r, learner: nnet, params: {sise: 3}}\n"
        "  two: {engine: rweka, learner: J48, params: {Z: 1}, na_action: no}\n"
        "  three: {engine: r, learner: glm, params: {weights: 1}}\n"
        "tests: [kfold_t]\n"
    )
    answer = call("validate", path, "--json")
    assert answer.code == 2
    places = {(fault["line"], fault["path"]) for fault in answer.faults}
    assert places >= {
        (5, "learners.one.params.sise"),
        (5, "learners.one.params"),
        (6, "learners.two.na_action"),
        (7, "learners.three.params.weights"),
        (7, "learners.three.learner"),
    }


def test_knn_takes_no_factors(tmp_path: Path, call: Callable[..., Answer]) -> None:
    knn = "{engine: r, learner: knn}"
    path = tmp_path / "good.yaml"
    path.write_text(f"{HEAD}  good: {knn}\ntests: [kfold_t]\n")
    assert call("validate", path).code == 0
    head = (
        "cvinfer: 1\n"
        "data: {source: r, package: mlbench, dataset: HouseVotes84, target: Class}\n"
        "learners:\n"
        "  rpart: {engine: r, learner: rpart}\n"
    )
    fault = fault_of(call, tmp_path, knn, head=head)
    assert fault["path"] == "learners.bad.learner"
    assert "knn needs numeric features, and V1, V2, V3, V4, V5 and more" in fault["message"]


@pytest.mark.parametrize(
    "entry",
    [
        "{engine: r, learner: rpart, params: {control: {cp: 0.1}}, na_action: omit}",
        "{engine: r, learner: nnet, params: {size: 2, decay: 0.1}}",
        "{engine: r, learner: svm, params: {class.weights: {setosa: 2, virginica: 3}}}",
        "{engine: rweka, learner: J48, params: '-C 0.1 -M 3', seeding: none, na_action: pass}",
        "{engine: rweka, learner: J48, options: [-C, 0.1]}",
        "{engine: rweka, learner: weka.classifiers.bayes.BayesNet}",
        "{engine: rweka, learner: BayesNet, seeding: fit}",
        "{engine: rweka, learner: AdaBoostM1, params: {W: {J48: {M: 3}}, I: 5}}",
    ],
)
def test_right_entries_are_fine(tmp_path: Path, call: Callable[..., Answer], entry: str) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"{HEAD}  good: {entry}\ntests: [kfold_t]\n")
    answer = call("validate", path)
    assert (answer.code, answer.out.strip()) == (0, f"{path}: ok\n{OF_IRIS}")


# --- no text of a spec is code --------------------------------------------------------------------


def code(directory: Path) -> str:
    """R code that leaves a file, should it ever be run."""
    return f"file.create('{directory}/marked')"


def test_names_with_code_in_them_are_only_names(
    tmp_path: Path, call: Callable[..., Answer]
) -> None:
    nasty = code(tmp_path)
    entries: list[dict[str, Any]] = [
        {"engine": "r", "learner": nasty},
        {"engine": "r", "learner": f"rpart({nasty})"},
        {"engine": "r", "learner": f"base::{nasty}"},
        {"engine": "r", "learner": f"{nasty}::rpart"},
        {"engine": "r", "package": "rpart", "function": nasty},
        {"engine": "r", "package": nasty, "function": "rpart"},
        {"engine": "r", "learner": "rpart", "params": {nasty: 1}},
        {"engine": "rweka", "learner": nasty},
        {"engine": "rweka", "learner": "J48", "params": {nasty: 1}},
        {"engine": "rweka", "learner": "J48", "params": f"-C {nasty}"},
        {"engine": "rweka", "learner": "Bagging", "params": {"W": {nasty: {}}}},
    ]
    for entry in entries:
        path = spec_of(
            tmp_path / "spec",
            IRIS,
            {"A": {**entry}, "B": {"engine": "builtin", "learner": "majority"}},
        )
        assert call("validate", path, "--allow-code").code == 2, entry
    for key in ("package", "dataset", "target"):
        path = spec_of(
            tmp_path / "spec",
            {**IRIS, key: nasty},
            {name: {"engine": "builtin", "learner": name} for name in ("majority", "mean")},
        )
        assert call("validate", path).code == 2
    assert not (tmp_path / "marked").exists()


def test_values_with_code_in_them_are_only_values(
    tmp_path: Path, call: Callable[..., Answer]
) -> None:
    """Every argument of every ready-made learner, given R code and the name of a function."""
    nasty = code(tmp_path)
    needed = {"nnet": {"size": 1}}
    learners: dict[str, Any] = {}
    for name, entry in known("learners").items():
        for argument in entry["arguments"]:
            if argument in entry["choices"]:
                continue
            values: list[Any] = [nasty, "quit", {"a": nasty, "b": ["quit"]}]
            if argument == "control":  # nor does it smuggle in what is not the user's to give
                hidden = ("formula", "data", "subset", "weights", "na.action", "method", "family")
                values += [{key: value} for key in hidden for value in (nasty, "quit")]
            if argument == "contrasts":  # R looks these up by name and calls what it finds
                values += [{"g": "stop"}, {"unordered": "stop", "ordered": "stop"}]
            for number, value in enumerate(values):
                params = {**needed.get(name, {}), argument: value}
                learners[f"{name} {argument} {number}"] = {
                    "engine": "r",
                    "learner": name,
                    "params": params,
                }
    assert len(learners) > 300
    data = {"source": "csv", "path": "data.csv", "target": nasty}
    rows = [f"{i % 7},{i * i % 11},{'pqr'[i % 3]},{nasty if i % 2 else 'b'}" for i in range(24)]
    header = f"x,{nasty} + 1,g,{nasty}"
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "data.csv").write_text("\n".join([header, *rows]) + "\n")
    path = spec_of(tmp_path / "spec", data, learners, tests=["holdout_mcnemar"])
    # Some are refused at once.
    answer = call("validate", path, "--json")
    assert answer.code in (0, 2)
    for fault in answer.faults:
        learners.pop(fault["path"].split('"')[1], None)
    assert len(learners) > 250
    found = study(spec_of(tmp_path / "spec", data, learners, tests=["holdout_mcnemar"]))
    assert not (tmp_path / "marked").exists()
    said = [outcome.fault for outcome in found.found.values() if outcome.fault]
    assert len(said) > 100 and not [text for text in said if "R ended" in text or "quit()" in text]
    # What stop() says where it is called with the levels of g.
    assert not [text for text in said if "pqrTRUE" in text]


def test_values_for_functions_of_any_package_are_only_values(tmp_path: Path) -> None:
    nasty = code(tmp_path)
    learners = {
        "tell": {"engine": "r", "learner": "cvproof::tell", "params": {"a": nasty, nasty: "b"}},
        "type": {
            "engine": "r",
            "package": "cvproof",
            "function": "first_class",
            "predict_type": nasty,
            "params": {"a": nasty},
        },
    }
    path = spec_of(tmp_path / "spec", IRIS, learners, tests=["holdout_mcnemar"])
    found = study(path, allow_code=True, jobs=1)
    faults = {key[1]: outcome.fault or "" for key, outcome in found.found.items()}
    assert f"got a=character1 {nasty}=character1" in faults["tell"]
    assert f"there is no type {nasty}" in faults["type"]
    assert not (tmp_path / "marked").exists()
