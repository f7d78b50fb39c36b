"""Data at the edge: what plain R and Weka predict, or a clear failure; never a wrong label."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np
import pytest
from tests.engines.r.r_proof import Answer, Outcome, Study, same, spec_of, study

pytestmark = pytest.mark.usefixtures("weka")

N = 80
HALF = N // 2
#: Split 1 trains on the first half of the records, split 2 on the second.
FIRST, SECOND = ("repeated_holdout", "1", "1"), ("repeated_holdout", "2", "1")

R: dict[str, dict[str, Any]] = {
    **{
        name: {"engine": "r", "learner": name}
        for name in ("rpart", "tree", "svm", "naiveBayes", "lda", "qda", "kknn")
    },
    **{
        name: {"engine": "r", "learner": name, "params": params}
        for name, params in {
            "nnet": {"size": 2, "maxit": 40, "MaxNWts": 5000},
            "multinom": {"maxit": 40, "MaxNWts": 5000},
            "randomForest": {"ntree": 15},
            "ranger": {"num.trees": 15},
        }.items()
    },
}
NUMERIC_R = {**R, "knn": {"engine": "r", "learner": "knn", "params": {"k": 4}}}
TWO_CLASS_R = {
    **R,
    "glm": {"engine": "r", "learner": "glm"},
    "anova": {"engine": "r", "learner": "rpart", "params": {"method": "anova"}},
}
WEKA_PARAMS: Mapping[str, Mapping[str, Any]] = {
    "LMT": {"I": 5},
    "LogitBoost": {"I": 4},
    "MultilayerPerceptron": {"N": 20},
    "RandomForest": {"I": 10},
}
WEKA = {
    name: {"engine": "rweka", "learner": name, "params": WEKA_PARAMS.get(name, {})}
    for name in (
        "AdaBoostM1",
        "Bagging",
        "DecisionStump",
        "IBk",
        "J48",
        "JRip",
        "LMT",
        "Logistic",
        "LogitBoost",
        "MultilayerPerceptron",
        "NaiveBayes",
        "OneR",
        "PART",
        "RandomForest",
        "SMO",
    )
}
THREE = {**NUMERIC_R, **WEKA}
TWO = {**TWO_CLASS_R, **WEKA}

Columns = dict[str, Sequence[Any]]


def made(classes: str, lacking: str = "", nominal: bool = False) -> Columns:
    """Two features that tell of the class; the first half of the records lacks one class."""
    rng = np.random.default_rng(8)
    letters = list(classes)
    first = [letter for letter in letters if letter != lacking]
    y = np.concatenate([rng.choice(first, HALF), rng.choice(letters, N - HALF)])
    center = np.array([letters.index(each) for each in y], dtype=float)
    x = rng.normal(size=(2, N)) + 1.5 * np.array([center, -center])
    columns: Columns = {"u": np.round(x[0], 4).tolist(), "v": np.round(x[1], 4).tolist()}
    if nominal:
        columns["g"] = rng.choice(["p", "q", "r"], N).tolist()
    columns["class"] = y.tolist()
    return columns


def write(path: Path, columns: Columns, rename: Optional[Mapping[str, str]] = None) -> None:
    with open(path, "w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, quoting=csv.QUOTE_ALL)
        writer.writerow([(rename or {}).get(name, name) for name in columns])
        writer.writerows(zip(*columns.values()))


def changed(columns: Columns, **more: Sequence[Any]) -> Columns:
    """With columns more, the class staying last."""
    rest = {name: values for name, values in columns.items() if name != "class"}
    return {**rest, **more, "class": columns["class"]}


def relabelled(values: Sequence[Any], labels: Mapping[str, str]) -> list[str]:
    return [labels[value] for value in values]


#: Names of features that are no names in R, or mean something there.
ODD_NAMES = {
    "u": "a b",
    "v": "1x",
    "w1": "if",
    "w2": "class",
    "w3": "\u00e4",
    # What R makes of the name of the target.
    "w4": "the.class",
    "w5": ".",
    "w6": "log(u)",
    "w7": "a.b",
    "w8": 'q"q` \U0001f600',
    "class": "the class",
}
#: Labels in the order of their letters.
ODD_LABELS = dict(zip("abcdef", ("%", "1", "NA", "TRUE", "\u00e4", "\U0001f600")))
ODD_LEVELS = dict(zip("pqr", ("NA", "a b", "\U0001f600,'\u00e4")))
ODD_PAIR = dict(zip("ab", ("NA", "TRUE")))
ODD_PAIR_NAMES = {"u": "data", "v": "rpart", "g": "formula", "class": "if"}


def given_splits(path: Path) -> None:
    halves = [range(HALF), range(HALF, N)]
    rows = ["scheme,replication,fold,role,record"]
    for number, (train, test) in enumerate((halves, halves[::-1]), 1):
        for role, records in (("train", train), ("test", test)):
            rows += [f"repeated_holdout,{number},1,{role},{record}" for record in records]
    path.write_text("\n".join(rows) + "\n")


def edges(place: Path, sets: Mapping[str, tuple[str, str]], learners: Mapping[str, Any]) -> Study:
    """Run all learners on all sets (file and target by name), and the plain scripts on theirs."""
    given_splits(place / "given.csv")
    data = [
        {"name": name, "source": "csv", "path": path, "target": target, "missing": "keep"}
        for name, (path, target) in sets.items()
    ]
    path = spec_of(
        place,
        data,
        learners,
        tests=["repeated_holdout_t"],
        partition={"scheme": "file", "path": "given.csv"},
    )
    return study(path, "plain_r.R", "plain_rweka.R", without=["harmless"])


@pytest.fixture(scope="module")
def three(weka: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    place = tmp_path_factory.mktemp("three")
    sets = {name: (f"{name}.csv", "class") for name in ("no_b", "constant", "half_empty")}
    write(place / "no_b.csv", made("abc", "b"))
    base = made("abc")
    write(place / "constant.csv", changed(base, same=[7] * N))
    late = np.random.default_rng(2).normal(size=N).round(3).tolist()
    write(place / "half_empty.csv", changed(base, late=[""] * HALF + late[HALF:]))
    more = {f"w{at}": np.random.default_rng(at).normal(size=N).tolist() for at in range(1, 9)}
    five = changed(made("abcdef"), **more)
    write(place / "harmless.csv", five)
    odd = changed(five, **{})
    odd["class"] = relabelled(odd["class"], ODD_LABELS)
    write(place / "odd.csv", odd, ODD_NAMES)
    sets["harmless"], sets["odd"] = ("harmless.csv", "class"), ("odd.csv", "the class")
    return edges(place, sets, THREE)


@pytest.fixture(scope="module")
def two(weka: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    place = tmp_path_factory.mktemp("two")
    names = ("one_class", "unseen", "one_level")
    sets = {name: (f"{name}.csv", "class") for name in names}
    write(place / "one_class.csv", made("ab", "b"))
    base = made("ab", nominal=True)
    unseen = list(base["g"])
    unseen[HALF : HALF + 5] = ["z"] * 5
    write(place / "unseen.csv", {**base, "g": unseen})
    write(place / "one_level.csv", changed(base, only=["here"] * N))
    write(place / "harmless.csv", base)
    odd: Columns = {**base, "g": relabelled(base["g"], ODD_LEVELS)}
    odd["class"] = relabelled(base["class"], ODD_PAIR)
    write(place / "odd.csv", odd, ODD_PAIR_NAMES)
    sets["harmless"], sets["odd"] = ("harmless.csv", "class"), ("odd.csv", "if")
    return edges(place, sets, TWO)


@pytest.mark.parametrize("data", ("no_b", "constant"))
@pytest.mark.parametrize("learner", THREE)
def test_three_classes(three: Study, learner: str, data: str) -> None:
    fits, failed = same(three.found, three.plain, data, learner)
    assert (fits, failed) == (2, 2 if (learner, data) in FAILING else 0)


@pytest.mark.parametrize("data", ("one_class", "unseen", "one_level"))
@pytest.mark.parametrize("learner", TWO)
def test_two_classes(two: Study, learner: str, data: str) -> None:
    _, failed = same(two.found, two.plain, data, learner)
    assert failed == {"one_class": 1, "unseen": 1, "one_level": 2}.get(data, 0) * (
        (learner, data) in FAILING
    )


#: In plain R as well as here: constant features, small groups, one class or one level only.
FAILING = {
    *((name, "constant") for name in ("lda", "qda")),
    *((name, "one_class") for name in ("lda", "multinom", "nnet", "randomForest", "rpart", "svm")),
    *((name, "unseen") for name in ("glm", "lda", "qda")),
    *((each, "one_level") for each in ("glm", "kknn", "lda", "multinom", "nnet", "qda", "svm")),
}


@pytest.mark.parametrize("learner", THREE)
def test_a_class_without_training_records_is_never_predicted(three: Study, learner: str) -> None:
    outcomes = three.of("no_b", learner)
    assert "b" not in outcomes[FIRST].labels
    if learner in ("svm", "lda", "knn", "multinom", "IBk", "SMO"):
        # These tell the others apart, and this one too where it was learned.
        assert set(outcomes[FIRST].labels) == {"a", "c"}
        assert set(outcomes[SECOND].labels) == {"a", "b", "c"}


def test_failures_of_one_class_say_so(two: Study) -> None:
    failed = {key[1]: each.fault for key, each in two.found.items() if key[0] == "one_class"}
    for learner, fault in failed.items():
        if fault is not None:
            assert fault.endswith('(all 40 training records are of class "a")'), learner


@pytest.mark.parametrize("learner", THREE)
def test_a_feature_without_values_in_training(three: Study, learner: str) -> None:
    outcomes = three.of("half_empty", learner)
    if learner not in WEKA:
        same(three.found, three.plain, "half_empty", learner)
        return
    # Plain Weka makes a model of no records, which is none.
    fault = outcomes[FIRST].fault
    assert fault is not None
    assert "no training record is left: all 40 have a missing value" in fault
    assert outcomes[SECOND] == three.plain["half_empty", learner, SECOND]
    assert outcomes[SECOND].fault is None


def codes(outcome: Outcome, labels: Sequence[str]) -> Any:
    if outcome.fault is not None:
        return outcome.fault
    return [labels.index(label) for label in outcome.labels]


#: Weka makes the first random number of these of the text of a record, labels included.
TEXT_MATTERS = ("JRip", "RandomForest")


@pytest.mark.parametrize("learner", [name for name in THREE if name not in TEXT_MATTERS])
def test_odd_names_and_labels_change_nothing(three: Study, learner: str) -> None:
    harmless, odd = three.of("harmless", learner), three.of("odd", learner)
    for split in (FIRST, SECOND):
        assert harmless[split].records == odd[split].records
        expected = codes(harmless[split], "abcdef")
        assert codes(odd[split], list(ODD_LABELS.values())) == expected
        if learner in ("lda", "knn", "IBk"):  # every label has to come out right
            assert set(expected) == set(range(6))


@pytest.mark.parametrize("learner", [name for name in TWO if name not in TEXT_MATTERS])
def test_odd_levels_and_a_pair_of_odd_labels_change_nothing(two: Study, learner: str) -> None:
    harmless, odd = two.of("harmless", learner), two.of("odd", learner)
    for split in (FIRST, SECOND):
        expected = codes(harmless[split], "ab")
        assert codes(odd[split], list(ODD_PAIR.values())) == expected
        assert set(expected) == {0, 1}


@pytest.mark.parametrize("learner", WEKA)
def test_odd_labels_are_to_weka_what_they_are_in_plain_rweka(
    three: Study, two: Study, learner: str
) -> None:
    for each in (three, two):
        assert same(each.found, each.plain, "odd", learner) == (2, 0)


def test_a_column_of_nothing_is_a_fault_of_the_data(
    tmp_path: Path, call: Callable[..., Answer]
) -> None:
    write(tmp_path / "empty.csv", changed(made("ab"), nothing=[""] * N))
    data = {"source": "csv", "path": "empty.csv", "target": "class", "missing": "keep"}
    path = spec_of(tmp_path, data, {"rpart": R["rpart"], "J48": WEKA["J48"]})
    answer = call("validate", path, "--json")
    (fault,) = answer.faults
    assert (answer.code, fault["path"]) == (2, "data.drop")
    assert fault["message"].startswith("column 'nothing' has no value in any record")
