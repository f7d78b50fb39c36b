"""The exact-null simulation: its batches are the plain way of doing it, and its nulls are nulls."""

from __future__ import annotations

import copy
import json
import math

import epsilon
import error_rates
import exact_null
import numpy as np
import pytest

from cvinfer import inference
from cvinfer.inference import compare, compare_losses
from cvinfer.partitions import make_partition

SEED = 5
NUMBERS = range(2)


def nearest_of(x, y, chosen, test):
    """The class of the nearest of the chosen records."""
    return y[chosen][[np.linalg.norm(x[chosen] - each, axis=1).argmin() for each in x[test]]]


def nearest_mean(x, y, train, test):
    classes = np.unique(y[train])
    means = [x[train][y[train] == c].mean(axis=0) for c in classes]
    away = [np.linalg.norm(x[test] - mean, axis=1) for mean in means]
    return classes[np.argmin(away, axis=0)]


def nearest_first(x, y, train, test):
    first = [train[y[train] == c][0] for c in np.unique(y[train])]
    return nearest_of(x, y, np.array(first), test)


PLAIN_RULES = {
    exact_null.mean_rule: nearest_mean,
    exact_null.nearest_neighbour: nearest_of,
    exact_null.first_records: nearest_first,
}
#: Every rule, on as few records as the schemes allow: the plain way fits a thousand times.
SMALL = [
    exact_null.Setting("small_means", "", 40, "", rule=exact_null.mean_rule),
    exact_null.Setting("small_neighbours", "", 40, "", rule=exact_null.nearest_neighbour),
    exact_null.Setting("small_first", "", 40, "", rule=exact_null.first_records),
    exact_null.Setting("small_epsilon", "", 60, ""),
]


def plain_inferences(setting, number, procedures):
    """One replication through partitions, fits split by split, and `compare`."""
    generator = exact_null.generator_of(SEED, setting.name, number)
    if setting.rule is None:
        codes = epsilon.population(generator, 1, setting.n)[0]
        losses = [(codes < 2).astype(float), (codes % 2 == 0).astype(float)]
    else:
        x, y = exact_null.population(generator, setting.n)
    needs = {k: n for each in procedures.values() for k, n in keyed(each.needs).items()}
    partitions = exact_null.partitions(needs, setting.n, int(generator.integers(2**62)))
    found = {}
    for name, declared in procedures.items():
        own = [partitions[key] for key in keyed(declared.needs)]
        if setting.rule is None:
            values = [[[loss[s.test] for s in p.splits] for p in own] for loss in losses]
            found[name] = compare_losses(name, own, *unpaired(values))
            continue
        fit = PLAIN_RULES[setting.rule]
        values = [
            [[fit(x[:, seen], y, s.train, s.test) for s in partition.splits] for partition in own]
            for seen in (slice(0, 2), slice(2, 4))
        ]
        found[name] = compare(name, own, y, *unpaired(values))
    return found


def keyed(needs):
    return dict(zip(exact_null.keys_of(needs), needs))


def unpaired(values):
    """`compare` takes the predictions of a single partition without a list around them."""
    return [each[0] if len(each) == 1 else each for each in values]


@pytest.mark.parametrize("setting", SMALL, ids=lambda setting: setting.name)
def test_a_batch_is_the_plain_way_replication_by_replication(setting, monkeypatch):
    # So few that the search beyond them is needed as well.
    monkeypatch.setattr(exact_null, "NEIGHBOURS", 3)
    procedures = inference.tests()
    needs = {k: n for each in procedures.values() for k, n in keyed(each.needs).items()}
    batches = exact_null.replicate(setting, needs, NUMBERS, SEED)
    plain = [plain_inferences(setting, number, procedures) for number in NUMBERS]
    for name, declared in procedures.items():
        batch = exact_null.decide(name, [batches[key] for key in keyed(declared.needs)])
        single = [each[name] for each in plain]
        assert np.array_equal(batch.reject, [each.reject for each in single]), name
        assert np.array_equal(batch.degenerate, [each.degenerate for each in single]), name
        np.testing.assert_allclose(
            batch.p_value, [each.p_value for each in single], rtol=1e-9, err_msg=name
        )


def test_the_nulls_are_nulls():
    """A, B and C err alike, each as often as the rule errs on fresh records."""
    setting = exact_null.SETTINGS["mean_rule_200"]
    places = exact_null.layout(make_partition("kfold", setting.n, k=10))
    wrong = []
    for number in range(300):
        generator = exact_null.generator_of(SEED, setting.name, number)
        x, y = exact_null.population(generator, setting.n)
        wrong.append(
            [
                np.mean(setting.rule(x[:, seen], y)(places) != y[places.record])
                for seen in exact_null.SEEN
            ]
        )
    rates = np.array(wrong)
    error = rates.std(axis=0) / np.sqrt(len(rates))
    truth = exact_null.true_scores(setting, 180, SEED, 0.0015)
    assert (abs(rates.mean(axis=0) - truth["error"]) < 5 * error).all()
    # The mean rule loses little against the best one, Φ(-δ √2), and F1 is about 1 - error then.
    best = 0.5 * math.erfc(exact_null.DELTA)
    assert exact_null.best_error(2) == pytest.approx(best, rel=1e-12)
    assert best - 0.005 < truth["error"] < best + 0.01
    assert truth["F1"] == pytest.approx(1 - truth["error"], abs=0.01)


def test_settings_and_replications_draw_their_own_numbers():
    keys = [("mean_rule_200", 0), ("mean_rule_200", 1), ("mean_rule_40", 0)]
    drawn = {exact_null.generator_of(SEED, *key).random() for key in keys}
    assert len(drawn) == len(keys)


def test_own_folds_are_other_folds():
    declared = inference.procedure("wong_welch_t")
    own = exact_null.partitions(keyed(declared.needs), 60, seed=3)
    first, second = own.values()
    assert first.scheme == second.scheme == "kfold"
    assert first != second


def test_a_class_without_training_records_is_never_predicted():
    x, y = np.array([[-9.0], [-8.0], [0.1], [0.2]]), np.array([0, 0, 1, 1])
    places = exact_null.Layout(
        np.array([[True, True, False, False]]), np.array([0, 0]), np.array([2, 3]), np.array([0])
    )
    for rule in PLAIN_RULES:
        assert rule(x, y)(places).tolist() == [0, 0]


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(error_rates, "BATCH", 3)
    monkeypatch.setattr(error_rates, "TRUTH_ERROR", 0.1)


def measured(path, *pieces):
    for replications in pieces:
        error_rates.main(
            ["--replications", str(replications), "--settings", "mean_rule_40"]
            + ["--output", str(path)]
        )
    return json.loads(path.read_text(encoding="utf-8"))


def test_pieces_add_up_to_the_whole(tmp_path, small_batches, capsys):
    at_once = measured(tmp_path / "whole.json", 8)
    assert measured(tmp_path / "pieces.json", 2, 5, 8) == at_once
    assert at_once["tests"]["kfold_t"]["mean_rule_40"]["replications"] == 8
    error = capsys.readouterr().err
    assert "mean_rule_40: 8 of 8" in error


def test_a_setting_that_has_changed_is_measured_anew(tmp_path, small_batches):
    path = tmp_path / "rates.json"
    document = measured(path, 4)
    changed = copy.deepcopy(document)
    changed["tests"].pop("kfold_t")
    path.write_text(json.dumps(changed), encoding="utf-8")
    assert measured(path, 4) == document
    changed = copy.deepcopy(document)
    changed["settings"]["mean_rule_40"]["text"] = "Something else."
    path.write_text(json.dumps(changed), encoding="utf-8")
    assert measured(path, 4) == document


def test_an_interrupted_run_leaves_the_file_alone_and_goes_on(tmp_path, small_batches, monkeypatch):
    path = tmp_path / "rates.json"
    whole = measured(tmp_path / "whole.json", 7)
    before = measured(path, 1)
    starts = []
    monkeypatch.setattr(error_rates, "measure", stopped_once(error_rates.measure, 4, starts))
    with pytest.raises(KeyboardInterrupt):
        measured(path, 7)
    assert json.loads(path.read_text(encoding="utf-8")) == before
    assert measured(path, 7) == whole
    assert starts == [1, 4, 4]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rates.json", "whole.json"]


def stopped_once(measure, at, starts):
    """`measure`, interrupted when it first comes to replication `at`."""

    def stopping(setting, numbers, seed, truth):
        starts.append(numbers.start)
        if numbers.start == at and starts.count(at) == 1:
            raise KeyboardInterrupt
        return measure(setting, numbers, seed, truth)

    return stopping


def test_a_setting_measured_again_leaves_the_others(tmp_path, small_batches):
    path = tmp_path / "rates.json"
    document = measured(path, 2)
    other = {**document["settings"]["mean_rule_40"], "text": "Another."}
    document["settings"]["epsilon"] = other
    path.write_text(json.dumps(document), encoding="utf-8")
    again = ["--again", "--settings", "mean_rule_40", "--replications", "1"]
    error_rates.main([*again, "--output", str(path)])
    changed = json.loads(path.read_text(encoding="utf-8"))
    assert changed["settings"]["epsilon"] == other
    assert changed["tests"]["kfold_t"]["mean_rule_40"]["replications"] == 1


def test_another_seed_is_refused(tmp_path, small_batches):
    path = tmp_path / "rates.json"
    measured(path, 1)
    with pytest.raises(SystemExit, match="was measured with --seed 2024.*--again"):
        error_rates.main(["--seed", "1", "--output", str(path)])


def test_the_file_of_the_package_has_the_settings_of_the_code():
    document = json.loads(error_rates.OUTPUT.read_text(encoding="utf-8"))
    described = {
        name: {key: each[key] for key in ("title", "text", "role")}
        for name, each in document["settings"].items()
    }
    assert described == {
        name: {"title": each.title, "text": each.text, "role": each.role}
        for name, each in exact_null.SETTINGS.items()
    }
    assert all(error_rates.done(document, each) for each in exact_null.SETTINGS.values())


@pytest.mark.long
def test_the_file_of_the_package_is_what_the_code_measures():
    """The rates of 400 further data sets are within four standard errors of the file's."""
    document = json.loads(error_rates.OUTPUT.read_text(encoding="utf-8"))
    setting = exact_null.SETTINGS["mean_rule_40"]
    fresh = error_rates.measure(setting, range(400), SEED, {})
    for name, each in fresh["tests"].items():
        counts, known = each[setting.name], document["tests"][name][setting.name]
        runs, total = counts["replications"], known["replications"]
        pooled = (counts["rejected"] + known["rejected"] + 1) / (runs + total + 2)
        error = np.sqrt(pooled * (1 - pooled) * (1 / runs + 1 / total))
        distance = counts["rejected"] / runs - known["rejected"] / total
        assert abs(distance) <= 4 * error, name
