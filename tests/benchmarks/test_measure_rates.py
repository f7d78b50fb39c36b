"""The error rates by measure: learners and values are scikit-learn's, the file is of our tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import exact_null
import measure_rates
import numpy as np
import pytest

from cvinfer.inference import measured_by, measured_coverage, measured_measures
from cvinfer.inference.recommended import held_by, recommended_by
from cvinfer.partitions import make_partition

DOCUMENT = json.loads(measure_rates.OUTPUT.read_text(encoding="utf-8"))


def scikit(name: str) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    return {
        "naive_bayes": GaussianNB(var_smoothing=0),
        "discriminant": LinearDiscriminantAnalysis(solver="lsqr"),
        "neighbours": KNeighborsClassifier(measure_rates.VOTES),
    }[name]


@pytest.mark.parametrize("name", measure_rates.LEARNERS)
def test_learners_and_values_are_those_of_scikit_learn(name: str) -> None:
    from sklearn.metrics import f1_score, log_loss, roc_auc_score

    x, y = exact_null.population(np.random.default_rng(3), 80, features=2)
    partitions = [make_partition("kfold", 80, k=4), make_partition("random_mx2", 80, m=2)]
    layout, where = measure_rates.together(partitions)
    found = measure_rates.values(measure_rates.LEARNERS[name][1](x, y, layout), y, layout)
    assert [place.stop - place.start for place in where] == [4, 4]
    splits = [split for partition in partitions for split in partition.splits]
    for at, split in enumerate(splits):
        learner = scikit(name).fit(x[split.train], y[split.train])
        p = learner.predict_proba(x[split.test])[:, 1]
        clipped = np.clip(p, measure_rates.NEAREST, 1 - measure_rates.NEAREST)
        truth = y[split.test]
        expected = [
            roc_auc_score(truth, p),
            f1_score(truth, p > 0.5),
            log_loss(truth, np.stack([1 - clipped, clipped], axis=1)),
        ]
        assert found[:, at] == pytest.approx(expected, rel=1e-7)


def test_a_split_of_one_class_has_no_area() -> None:
    x = np.arange(6.0)[:, None]
    y = np.array([0, 1, 0, 1, 1, 1])
    training = np.array([[1, 1, 1, 1, 0, 0]], dtype=bool)
    layout = exact_null.Layout(training, np.zeros(2, int), np.array([4, 5]), np.zeros(1, int))
    area, f1, loss = measure_rates.values(np.array([0.2, 0.7]), y, layout)[:, 0]
    assert np.isnan(area) and f1 == pytest.approx(2 / 3) and np.isfinite(loss) and len(x) == 6


def test_the_file_has_every_test_in_every_setting() -> None:
    names = set(DOCUMENT["settings"])
    assert names <= {each.name for each in measure_rates.SETTINGS} and len(names) >= 6
    assert set(DOCUMENT["measures"]) == set(measured_measures()) == set(measure_rates.MEASURES)
    for measure, tests in DOCUMENT["measures"].items():
        assert set(tests) == set(measure_rates.measured_tests()), measure
        for counts in tests.values():
            assert set(counts) == names
    for name, by_measure in DOCUMENT.get("intervals", {}).items():
        assert set(measured_coverage(name)) == set(by_measure)


def test_counts_do_not_depend_on_the_pieces(tmp_path: Path) -> None:
    setting = measure_rates.Setting("naive_bayes", 100)
    whole = measure_rates.measure(setting, range(6), 1)
    pieces = [measure_rates.measure(setting, range(a, b), 1) for a, b in ((0, 2), (2, 6))]
    assert measure_rates.added(pieces[0], pieces[1]) == whole
    file = tmp_path / "rates.json"
    file.write_text(json.dumps(measure_rates.written(whole, [setting], 1)))
    assert measure_rates.known_counts(file, 1, False) == (whole, {setting.name})
    assert measure_rates.known_counts(file, 2, False) == ({}, set())


def test_what_is_recommended_held_everywhere() -> None:
    for measure, tests in measured_measures().items():
        held = [
            name
            for name in tests
            if not any(rate.above(0.05) for rate in measured_by(measure, name).values())
        ]
        assert held and held_by(measure) == held
        assert recommended_by(measure, [held[-1]]) == held[-1]
        assert recommended_by(measure, ["combined_5x2_t"]) in (*held, None)
    assert recommended_by("mcc", ["blocked_3x2_t"]) is None
