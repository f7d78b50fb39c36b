"""The studies of error rates by measure: what is kept is of our specs, and what is read of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import study_rates

from cvinfer import inference
from cvinfer.inference import measured_by, measured_coverage, measured_measures, measured_settings
from cvinfer.inference.measured import LIBERAL, STUDIED, holds_by, studies
from cvinfer.inference.recommended import held_by, recommended_by
from cvinfer.inference.takes import VALUES, takes
from cvinfer.losses import loss
from cvinfer.spec.finished import read_kind
from cvinfer.studies.load import load_study

SPECS = study_rates.specs()
KEPT = [
    (path, file)
    for path in SPECS
    for file in [study_rates.OUTPUT / path.parent.name / f"{path.stem}.json"]
    if file.exists()
]


def test_every_null_and_difference_is_kept() -> None:
    assert {path.parent.name for path in SPECS} == set(STUDIED)
    lacking = [path for path in SPECS if path not in [spec for spec, _ in KEPT]]
    assert [path for path in lacking if path.parent.name != "coverage"] == []
    for role in STUDIED:
        for learner, document in studies(role).items():
            assert (study_rates.SPECS / role / f"{learner}.yaml").exists()
            assert document["name"] == f"rates-{role}-{learner}".replace("_", "-")


@pytest.mark.parametrize("spec, file", KEPT, ids=lambda each: f"{each.parent.name}/{each.stem}")
def test_what_is_kept_is_a_study_of_its_spec(spec: Any, file: Any) -> None:
    """Valid under the schema, of the same settings, and of a thousand replications of a null."""
    from cvinfer.studies.document import settings_hash

    document = read_kind(file, "study")
    study = load_study(spec)
    assert document["settings"] == settings_hash(study.written, study.resolved)
    assert document["failures"] == []
    least = 1000 if spec.parent.name == "null" else 200
    assert document["ranges"][0][0] == 1 and document["ranges"][0][1] >= least


def test_the_first_replications_come_out_as_they_are_kept(tmp_path: Any) -> None:
    """Sums of estimates to the last bit would need all replications; of a few the draws do."""
    made = study_rates.main(
        ["null/naive_bayes", "--replications", "3", "--jobs", "1"]
        + ["--store", str(tmp_path / "store.sqlite"), "--output", str(tmp_path)]
    )
    assert made == 0
    found = read_kind(tmp_path / "null" / "naive_bayes.json", "study")
    kept = read_kind(study_rates.OUTPUT / "null" / "naive_bayes.json", "study")
    assert found["settings"] == kept["settings"]
    places = [[(c["at"], c["name"], c["measure"]) for c in each["cells"]] for each in (found, kept)]
    assert places[0] == places[1]


def test_nulls_are_exact() -> None:
    """A and B follow one rule on different features of one law, as many of them."""
    for role, same in (("null", True), ("difference", False)):
        for document in studies(role).values():
            a, b = (dict(document["spec"]["learners"][name]) for name in "AB")
            seen = [each.pop("params")["features"] for each in (a, b)]
            assert a == b and not set(seen[0]) & set(seen[1])
            assert (len(seen[0]) == len(seen[1])) is same
            population = document["study"]["population"]
            # One mean for all features of a class.
            assert {type(population[key]) for key in ("mu0", "mu1")} <= {int, float}


def test_every_test_that_takes_values_of_one_partition_was_measured_by_every_measure() -> None:
    wanted = {
        name
        for name, declared in inference.tests().items()
        if takes(declared) == VALUES and len(declared.needs) == 1
    }
    assert set(measured_measures()) == {"auc", "f1", "log_loss"}
    assert len(measured_settings("null", measure="auc")) == 9
    for measure, tests in measured_measures().items():
        assert set(tests) == wanted
        for name in tests:
            assert set(measured_by(measure, name)) == set(measured_settings("null", measure="auc"))
            assert measured_by(measure, name, "difference")


def test_rates_are_those_of_the_cells() -> None:
    (cell,) = (
        each
        for each in studies("null")["nearest_neighbours"]["cells"]
        if each["at"] == {"study.draw.n": 300}
        and (each["name"], each.get("measure")) == ("blocked_3x2_t", "f1")
    )
    rate = measured_by("f1", "blocked_3x2_t")["nearest_neighbours_300"]
    assert rate.rate == cell["rate"] and rate.upper == cell["upper"]
    assert rate.standard_error == pytest.approx(cell["se"])


def test_a_test_holds_where_half_as_much_again_is_ruled_out() -> None:
    for measure, tests in measured_measures().items():
        for name in tests:
            highest = max(rate.upper for rate in measured_by(measure, name).values())
            assert holds_by(measure, name) is (highest <= LIBERAL * 0.05)
            assert (name in held_by(measure)) is holds_by(measure, name)
    # Too lenient by any measure: they take what is not independent for independent.
    for measure in measured_measures():
        assert not {"repeated_holdout_t", "combined_5x2_t"} & set(held_by(measure))
    assert not holds_by("mcc", "blocked_3x2_t") and not holds_by("auc", "bcv_5x2_mcnemar")


def test_what_is_recommended_held_and_finds_most() -> None:
    def found(measure: str, name: str) -> float:
        rates = measured_by(measure, name, "difference").values()
        return sum(each.rate for each in rates) / len(rates)

    for measure in measured_measures():
        held = held_by(measure)
        best = recommended_by(measure)
        assert (best is None) is (not held)
        assert best is None or found(measure, best) == max(found(measure, each) for each in held)
    assert recommended_by("mcc") is None


def test_other_rates_are_another_recommendation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is written down anywhere."""
    from cvinfer.inference import recommended

    monkeypatch.setattr(recommended, "holds_by", lambda measure, name: name == "kfold_t")
    assert recommended_by("auc") == "kfold_t"
    monkeypatch.setattr(recommended, "holds_by", lambda measure, name: False)
    assert recommended_by("auc") is None


def test_coverage_is_by_measures_that_an_interval_takes() -> None:
    names = [name for name, each in inference.intervals().items() if each.measure == "any"]
    for name in names if studies("coverage") else ():
        by_measure = measured_coverage(name)
        per_record = name == "nested_cv_interval"
        assert set(by_measure) == {
            each
            for each in ("zero_one", "auc", "f1", "log_loss")
            if loss(each).per_record or not per_record
        }
        assert all(0 < rate.rate <= 1 for rates in by_measure.values() for rate in rates.values())


def test_files_are_as_the_project_writes_them() -> None:
    from cvinfer.studies.files import study_text

    for _, file in KEPT:
        text = file.read_text(encoding="utf-8")
        assert text == study_text(json.loads(text))
