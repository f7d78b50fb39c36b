"""Weka's learners predict what plain RWeka predicts, for every record of every split."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engines.r.r_proof import Study, begin, complete, r_data, same, spec_of

pytestmark = pytest.mark.usefixtures("weka")

#: Numeric with many classes, nominal with gaps and many classes, nominal with gaps, mixed, numeric.
DATA = {
    "LetterRecognition": r_data(
        "mlbench", "LetterRecognition", "lettr", sample={"n": 208, "stratify": True}
    ),
    "Soybean": r_data("mlbench", "Soybean", "Class"),
    "HouseVotes84": r_data("mlbench", "HouseVotes84", "Class"),
    "Ionosphere": r_data("mlbench", "Ionosphere", "Class"),
    "Vehicle": r_data("mlbench", "Vehicle", "Class", sample={"n": 400}),
}


def weka(learner: str, params: Any = None, **more: Any) -> dict[str, Any]:
    return {"engine": "rweka", "learner": learner, "params": params or {}, **more}


EVERYWHERE = {
    **{name: weka(name) for name in ("J48", "JRip", "SMO", "IBk")},
    # Without a limit it takes a minute where there are many classes.
    "short Logistic": weka("Logistic", {"M": 3}),
}
RBF = "weka.classifiers.functions.supportVector.RBFKernel"
STUMP = "weka.classifiers.trees.DecisionStump"
CHOSEN = {
    "Logistic": weka("Logistic"),
    "J48 with gaps": weka("J48", na_action="pass"),
    "JRip with gaps": weka("JRip", na_action="pass"),
    "IBk with gaps": weka("IBk", na_action="pass"),
    "J48 by mapping": weka("J48", {"C": 0.1, "M": 5, "A": True, "U": False}),
    "J48 by flags": weka("J48", "-U -M 4"),
    "3-NN": weka("weka.classifiers.lazy.IBk", ["-K", 3, "-I"]),
    "SMO with RBF": weka("SMO", {"C": 2, "K": {RBF: {"G": 0.05}}}),
    "forest of seed 7": weka("RandomForest", {"I": 8, "S": 7}),
    "bagged J48": weka("Bagging", {"I": 4, "S": 3, "W": {"J48": {"M": 5}}}),
    "boosted stumps": weka("AdaBoostM1", f"-I 6 -S 2 -W {STUMP}"),
    "boosted J48": weka("AdaBoostM1", {"I": 3, "S": 2, "W": {"J48": {"C": 0.1}}}),
    # These get the seed of each fit.
    "forest": weka("RandomForest", {"I": 8}),
    "seeded JRip": weka("JRip", seeding="fit"),
    "bagged trees": weka("Bagging", {"I": 4, "W": "REPTree"}),
    "LogitBoost": weka("LogitBoost", {"I": 4}),
    "perceptron": weka("MultilayerPerceptron", {"N": 5, "H": 3}),
    **{name: weka(name) for name in ("NaiveBayes", "OneR", "PART", "DecisionStump")},
    "BayesNet": weka("weka.classifiers.bayes.BayesNet"),
    "LMT": weka("LMT", {"I": 5}),
}


@pytest.fixture(scope="module")
def studies(weka: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Study]:
    one = spec_of(tmp_path_factory.mktemp("everywhere"), list(DATA.values()), EVERYWHERE)
    two = spec_of(tmp_path_factory.mktemp("chosen"), DATA["HouseVotes84"], CHOSEN)
    begun = begin(one, "plain_rweka.R"), begin(two, "plain_rweka.R")
    return complete(begun[0]), complete(begun[1])


@pytest.fixture(scope="module")
def everywhere(studies: tuple[Study, Study]) -> Study:
    return studies[0]


@pytest.fixture(scope="module")
def chosen(studies: tuple[Study, Study]) -> Study:
    return studies[1]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("learner", EVERYWHERE)
def test_predictions_are_those_of_plain_rweka(everywhere: Study, learner: str, data: str) -> None:
    assert same(everywhere.found, everywhere.plain, data, learner) == (6, 0)


@pytest.mark.parametrize("learner", CHOSEN)
def test_options_seeds_and_gaps_mean_what_they_mean_in_rweka(chosen: Study, learner: str) -> None:
    assert same(chosen.found, chosen.plain, "HouseVotes84", learner) == (6, 0)


def test_the_comparisons_can_tell_learners_apart(everywhere: Study, chosen: Study) -> None:
    # Equality means little where whatever one does comes to the same labels.
    votes = "HouseVotes84"
    different = [
        (everywhere.of(votes, "J48"), chosen.of(votes, "J48 with gaps")),
        (everywhere.of(votes, "JRip"), chosen.of(votes, "JRip with gaps")),
        (everywhere.of(votes, "JRip"), chosen.of(votes, "seeded JRip")),
        (everywhere.of(votes, "IBk"), chosen.of(votes, "IBk with gaps")),
        (everywhere.of(votes, "IBk"), chosen.of(votes, "3-NN")),
        (everywhere.of(votes, "J48"), chosen.of(votes, "J48 by mapping")),
        (everywhere.of(votes, "SMO"), chosen.of(votes, "SMO with RBF")),
        (chosen.of(votes, "J48 by mapping"), chosen.of(votes, "J48 by flags")),
        (chosen.of(votes, "forest"), chosen.of(votes, "forest of seed 7")),
        (chosen.of(votes, "bagged J48"), chosen.of(votes, "bagged trees")),
        (chosen.of(votes, "boosted J48"), chosen.of(votes, "boosted stumps")),
    ]
    for one, other in different:
        assert one.keys() == other.keys() and one != other
