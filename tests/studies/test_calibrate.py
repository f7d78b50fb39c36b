"""Calibration against rules whose rates of false claims are known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from cvinfer.errors import CvinferError, UserError
from cvinfer.execute.replications.recipe import Recipe, draw
from cvinfer.report import render
from cvinfer.report.kinds import kind_of
from cvinfer.runner import load
from cvinfer.schemas import schema
from cvinfer.spec import SpecError
from cvinfer.studies.calibrate import calibrate, chosen, recommended, stretch
from cvinfer.studies.files import study_text

#: Rules that learn nothing: one says the first class, one the second, one anything.
RULES = {
    "zero": {
        "engine": "sklearn",
        "learner": "DummyClassifier",
        "params": {"strategy": "constant", "constant": "a"},
    },
    "one": {
        "engine": "sklearn",
        "learner": "DummyClassifier",
        "params": {"strategy": "constant", "constant": "b"},
    },
    "coin": {"engine": "sklearn", "learner": "DummyClassifier", "params": {"strategy": "uniform"}},
}
SETS = 120
N = 240


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of which 100 of 240 are of the second class."""
    path = tmp_path_factory.mktemp("calibrate")
    rows = [f"{at % 7},{at // 4},{'b' if at % 12 < 5 else 'a'}" for at in range(N)]
    (path / "records.csv").write_text("x,z,y\n" + "\n".join(rows) + "\n")
    return path


def spec_of(place: Path, learners: list[str], tests: list[str]) -> dict[str, Any]:
    return {
        "cvinfer": 1,
        "name": "rules",
        "data": {
            "source": "csv",
            "path": str(place / "records.csv"),
            "target": "y",
            "name": "rows",
        },
        "learners": {name: RULES[name] for name in learners},
        "tests": tests,
        "seed": 2,
    }


@pytest.fixture(scope="module")
def rules(place: Path) -> Any:
    spec = spec_of(
        place, ["zero", "one"], ["cvci_z", "naive_kfold_mcnemar", "calibrated_5x2_bcv_f"]
    )
    return calibrate(spec, SETS, jobs=1).document


def entry_of(document: Any, test: str, part: str = "tests") -> Any:
    (found,) = [entry for entry in document[part] if entry["test"] == test]
    return found


def sets_of(place: Path) -> Any:
    """How many of each set are of the second class, drawn here once more."""
    loaded = load(spec_of(place, ["zero", "one"], ["cvci_z"]))
    (records,) = loaded.sets
    recipe = Recipe(records, N // 2, False, 2, 1, (), paired=True)  # type: ignore[arg-type]
    sets = [draw(recipe, number).records for number in range(1, SETS + 1)]
    for first, second in zip(sets[::2], sets[1::2]):
        assert not set(first.tolist()) & set(second.tolist())
    codes = records.truth
    return np.array([(codes[each] == 1).sum() for each in sets])


def test_false_claims_of_a_rule_without_learning(rules: Any, place: Path) -> None:
    """d is +1 on records of the second class, else -1: everything follows from their number."""
    seconds = sets_of(place)
    half = N // 2
    x = 2 * seconds / half - 1
    entry = entry_of(rules, "cvci_z")
    true = 2 * 100 / N - 1
    assert entry["truth"] == pytest.approx(true, abs=4 * entry["truth_se"])
    assert entry["trained_on"] == half * 9 // 10
    # Half of all records: what one set has too much, the other lacks.
    assert entry["stretch"] == pytest.approx(math.sqrt(2), rel=1e-9)
    away = np.abs(x - entry["truth"]) * math.sqrt(2)
    claims = away > 1.959963984540054 * np.sqrt((1 - x**2) / half)
    assert entry["false_claims"] == claims.sum()
    assert entry["rate"] == claims.mean()
    raw = np.abs(x - entry["truth"]) > 1.959963984540054 * np.sqrt((1 - x**2) / half)
    assert entry["unstretched"] == pytest.approx(raw.mean())
    assert entry["length"] == pytest.approx(
        np.mean(2 * 1.959963984540054 * np.sqrt((1 - x**2) / half))
    )
    # The normal interval of a mean: 5 % in an endless population, fewer where half is drawn.
    assert entry["lower"] < 0.05 < entry["upper"]
    assert entry["unstretched"] < entry["rate"]


def test_power_is_the_share_that_rejects_no_difference(rules: Any, place: Path) -> None:
    x = 2 * sets_of(place) / (N // 2) - 1
    entry = entry_of(rules, "cvci_z")
    reject = np.abs(x) > 1.959963984540054 * np.sqrt((1 - x**2) / (N // 2))
    assert entry["rejections"] == reject.sum()


def test_what_a_test_claims_by(rules: Any) -> None:
    assert [entry["by"] for entry in rules["tests"]] == ["interval", None, "mu0"]
    unknown = entry_of(rules, "naive_kfold_mcnemar")
    assert (unknown["rate"], unknown["false_claims"], unknown["stretch"]) == (None, None, None)
    assert unknown["failed"] == 0 and unknown["power"] is not None
    held = {entry["test"]: entry["held"] for entry in rules["choice"]}
    assert held["naive_kfold_mcnemar"] is None
    assert "nothing is known of false claims" in render(rules, "text").replace("\n  ", " ")


def test_a_random_learner_against_itself(place: Path) -> None:
    """Coins: both seeds are right on half of the records, whatever the records are."""
    spec = spec_of(place, ["zero", "coin"], ["blocked_3x2_t", "kfold_t"])
    document = calibrate(spec, 40, n=60, jobs=1).document
    assert document["data"][0]["random"] == ["coin"]
    assert document["data"][0]["drawn"] == 60
    assert [(entry["learner"], entry["test"]) for entry in document["same"]] == [
        ("coin", "blocked_3x2_t"),
        ("coin", "kfold_t"),
    ]
    for entry in document["same"]:
        assert 0 < entry["replications"] - entry["degenerate"]
        assert entry["rate"] <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 40)
    assert "coin against itself" in render(document, "text").replace("\n  ", " ")
    faults = Draft202012Validator(schema("calibrate")).iter_errors(document)
    assert [each.message for each in faults] == []


def test_the_same_seed_would_show_nothing(rules: Any) -> None:
    assert rules["data"][0]["random"] == [] and rules["same"] == []
    assert "No learner is random" in render(rules, "text")


def test_the_document_is_valid_and_shown(rules: Any) -> None:
    assert [e.message for e in Draft202012Validator(schema("calibrate")).iter_errors(rules)] == []
    assert kind_of(rules).name == "calibrate"
    text = " ".join(render(rules, "text").split())
    assert text.startswith("Take ") or text.startswith("None of 2 tests held")
    assert "What it does not show" in text and "120 of the 240 records of rows" in text
    assert "| Test |" in render(rules, "markdown")
    assert render(rules, "csv").count("\n") == 1 + 3
    assert "\\begin" in render(rules, "latex")


def test_same_bytes_with_two_workers_and_after_a_stop(place: Path, tmp_path: Path) -> None:
    from tests.studies.test_stability import Stopped

    spec = spec_of(place, ["zero", "coin"], ["blocked_3x2_t"])
    store = tmp_path / "store.sqlite"
    with pytest.raises(KeyboardInterrupt):
        calibrate(spec, 24, n=40, jobs=2, store=store, progress=Stopped(2))
    two = calibrate(spec, 24, n=40, jobs=2, store=store)
    assert two.outcome.reused >= 1
    one = calibrate(spec, 24, n=40, jobs=1)
    assert study_text(one.document) == study_text(two.document)
    again = calibrate(spec, 24, n=40, jobs=1, store=store)
    assert again.outcome.fitted == 0
    assert study_text(one.document) == study_text(again.document)


# --- the stretch ----------------------------------------------------------------------------------


def test_stretch_of_a_mean_is_that_of_a_finite_population() -> None:
    """1/√(1 - s/N) for s of N records, at any share."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=300)
    for share in (0.5, 0.2):
        size = int(300 * share)
        first, second = [], []
        for _ in range(4000):
            order = rng.permutation(300)
            first.append(float(values[order[:size]].mean()))
            second.append(float(values[order[size : 2 * size]].mean()))
        assert stretch(first, second) == pytest.approx(1 / math.sqrt(1 - share), rel=0.03)


def test_stretch_of_what_hangs_on_no_record_is_none() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(2, 20_000)).tolist()
    assert stretch(first, second) == pytest.approx(1, abs=0.02)
    assert stretch([0.1, 0.1], [0.1, 0.1]) == 1.0
    assert stretch([0.1], [0.2]) == 1.0


# --- the choice -----------------------------------------------------------------------------------


def made(test: str, above: Any, power: float, length: Any, **more: Any) -> dict[str, Any]:
    rate = None if above is None else 0.05 + above * 0.0154
    return {
        "test": test,
        "options": {},
        "above": above,
        "rate": rate,
        "power": power,
        "length": length,
        **more,
    }


def advised(*entries: Any, same: Any = ()) -> Any:
    return recommended(chosen(entries, same), 200)


def test_most_powerful_of_those_that_held() -> None:
    found = advised(
        made("weak", 0, 0.3, 0.1), made("strong", 1, 0.8, 0.2), made("bad", 5, 0.9, 0.1)
    )
    assert found == {"test": "strong", "options": {}, "why": "most"}


def test_shortest_interval_where_power_tells_nothing() -> None:
    found = advised(made("long", 0, 0.52, 0.3), made("short", 0, 0.5, 0.2), made("f", 0, 0.5, None))
    assert found == {"test": "short", "options": {}, "why": "shortest"}
    assert advised(made("f", 0, 0.5, None), made("g", 0, 0.5, None))["why"] == "first"


def test_none_held() -> None:
    assert advised(made("bad", 2.5, 0.9, 0.1), made("unknown", None, 0.9, 0.1)) is None
    assert advised(made("good", 1.9, 0.9, 0.1))["why"] == "only"


def test_one_bad_pair_is_enough() -> None:
    many = [made("test", 0.0, 0.9, 0.1) for _ in range(9)]
    assert advised(*many, made("test", 2.9, 0.9, 0.1)) is not None
    assert advised(*many, made("test", 3.1, 0.9, 0.1)) is None
    assert advised(*many, same=[made("test", 4.0, 0.9, 0.1)]) is None


def test_words_where_none_held(rules: Any) -> None:
    choice = [
        {**entry, "held": None if entry["held"] is None else False} for entry in rules["choice"]
    ]
    said = kind_of(rules).opening({**rules, "choice": choice, "recommended": None})
    assert said[0].startswith("None of 2 tests held")
    assert said[1].startswith("Did not hold, with the rate of false claims: CVCI z (")


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("replications", [10**12, 1, 0, -2, False, "200"])
def test_replications_that_cannot_be(replications: Any) -> None:
    with pytest.raises(UserError, match="a whole number from 2 to 100,000"):
        calibrate({"no": "spec"}, replications)


@pytest.mark.parametrize("n", [10**12, 9, -1, "half"])
def test_sizes_that_cannot_be(n: Any) -> None:
    with pytest.raises(UserError, match="a whole number from 10"):
        calibrate({"no": "spec"}, 20, n)


def test_more_than_half_is_refused(place: Path) -> None:
    spec = spec_of(place, ["zero", "one"], ["kfold_t"])
    with pytest.raises(UserError, match="n cannot be 121: rows has 240 records.* at most 120"):
        calibrate(spec, 20, 121)


def test_a_partition_that_sets_cannot_have(place: Path) -> None:
    spec = {
        **spec_of(place, ["zero", "one"], ["kfold_t"]),
        "partition": {"scheme": "kfold", "k": 50},
    }
    with pytest.raises(CvinferError, match="on sets of 20 records of rows"):
        calibrate(spec, 20, 20)


def test_groups_are_refused(place: Path) -> None:
    spec = spec_of(place, ["zero", "one"], ["kfold_t"])
    data = {**spec["data"], "groups": "z"}
    with pytest.raises(SpecError, match="rows has groups"):
        calibrate({**spec, "data": data}, 20)
