"""Cautions rest on measured rates, and whatever was measured to go wrong has one."""

from __future__ import annotations

import json
import re
from importlib import resources

import numpy as np
import pytest

from tests.contract.examples import EXAMPLES, TESTS
from cvinfer import inference
from cvinfer.inference.cautions import Caution, percent, spread
from cvinfer.inference.measured import MeasuredRate
from cvinfer.inference.recommended import recommended_on
from cvinfer.spec.model import RECOMMENDED_TESTS

ALPHA = 0.05
PROCEDURES = {**inference.tests(), **inference.intervals()}
CAUTIONED = {name: item for name, item in PROCEDURES.items() if item.caution is not None}
FILE = resources.files("cvinfer.inference").joinpath("error_rates.json")
DOCUMENT = json.loads(FILE.read_text(encoding="utf-8"))
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?= %| to [\d.]+ %)")


def counted(name: str) -> dict[str, dict[str, int]]:
    """Every entry of the file that belongs to a procedure, read without the code under test."""
    others = DOCUMENT["other_schemes"].get(name, {})
    return {
        **DOCUMENT["tests"].get(name, {}),
        **DOCUMENT["intervals"].get(name, {}),
        **{f"{scheme}, {at}": c for scheme, each in others.items() for at, c in each.items()},
    }


def share(counts: dict[str, int]) -> float:
    return counts.get("rejected", counts.get("covered")) / counts["replications"]


def result_of(name: str, **changed) -> dict:
    plain = inference.infer(name, *EXAMPLES[name].draw(np.random.default_rng(3))).as_dict()
    return {**plain, **changed}


def told(name: str, **changed):
    about = inference.caution if name in TESTS else inference.interval_caution
    return about(result_of(name, **changed))


def test_the_file_has_every_registered_test_and_no_other():
    assert set(DOCUMENT["tests"]) == set(inference.tests())
    assert set(DOCUMENT["intervals"]) <= set(inference.intervals())
    settings = set(DOCUMENT["settings"])
    assert all(set(each) == settings for each in DOCUMENT["tests"].values())


def test_the_file_counts():
    for name in PROCEDURES:
        for setting, counts in counted(name).items():
            hits = counts.get("rejected", counts.get("covered"))
            assert all(isinstance(count, int) for count in counts.values()), (name, setting)
            assert 0 <= hits <= counts["replications"], (name, setting)
            assert hits <= counts["replications"] - counts.get("degenerate", 0), (name, setting)
    assert DOCUMENT["alpha"] == ALPHA


def test_every_setting_has_a_sentence():
    for setting in DOCUMENT["settings"].values():
        assert setting["text"].endswith(".") and setting["title"]
        assert setting["role"] in ("null", "limit", "difference")


@pytest.mark.parametrize("name", CAUTIONED)
def test_every_caution_names_rates_that_stand_in_the_file(name):
    item = CAUTIONED[name]
    text = item.caution.text(name)
    of = item.caution.rates_of or name
    known = {percent(share(c)) for c in counted(of).values()}
    known |= {percent(ALPHA), percent(1 - ALPHA)}
    named = NUMBER.findall(text)
    assert len(named) >= 2, text
    assert [number for number in named if f"{number} %" not in known] == []
    assert "docs/tests.md" in text and not text.endswith(".") and "\n" not in text


@pytest.mark.parametrize("name", inference.tests())
def test_a_test_that_rejects_too_often_has_a_caution(name):
    nulls = [s for s, about in DOCUMENT["settings"].items() if about["role"] == "null"]
    for setting in nulls:
        counts = DOCUMENT["tests"][name][setting]
        rate = share(counts)
        if rate > ALPHA + 4 * np.sqrt(rate * (1 - rate) / counts["replications"]):
            assert PROCEDURES[name].caution is not None, (name, setting, rate)
            assert told(name) is not None, (name, setting, rate)


@pytest.mark.parametrize("name", DOCUMENT["intervals"])
def test_an_interval_that_covers_too_rarely_has_a_caution(name):
    for setting, counts in DOCUMENT["intervals"][name].items():
        rate = share(counts)
        if rate < 1 - ALPHA - 4 * np.sqrt(rate * (1 - rate) / counts["replications"]):
            assert told(name) is not None, (name, setting, rate)


def test_the_test_that_decides_where_none_is_named_has_no_caution():
    assert told(RECOMMENDED_TESTS[0]) is None


@pytest.mark.parametrize("name", ["kfold_t", "wong_matched_t"])
def test_two_folds_do_not_overlap(name):
    assert "overlap" in told(name)
    assert told(name, shape=[2]) is None


def test_hold_outs_overlap_however_many_there_are():
    assert "overlap" in told("repeated_holdout_t", shape=[2])


def test_corrected_kfold_t_without_its_correction_is_kfold_t():
    assert told("corrected_kfold_t") is None
    assert told("corrected_kfold_t", extra={"rho": 0.0}, shape=[2]) is None
    plain = told("corrected_kfold_t", extra={"rho": 0.0})
    assert spread(inference.measured_rates("kfold_t").values()) in plain


def test_the_blocked_test_on_random_halves():
    assert told("bcv_5x2_mcnemar", scheme="blocked_mx2") is None
    text = told("bcv_5x2_mcnemar", scheme="random_mx2")
    rates = inference.measured_rates("bcv_5x2_mcnemar", scheme="random_mx2")
    assert rates and spread(rates.values()) in text
    assert "is made for halves whose training sets overlap in n/4" in text and "rcp" in text


@pytest.mark.parametrize(
    "counts, words",
    [
        ((90, 100), "so it rejects too often: 9 to 10 % of true hypotheses at 5 %"),
        ((45, 100), "so it can reject too often: 4.5 to 10 % of true hypotheses at 5 %"),
        ((45, 51), "; in simulations it rejected 4.5 to 5.1 % of true hypotheses at 5 %"),
    ],
)
def test_the_words_follow_from_the_rates(counts, words, monkeypatch):
    rates = {str(c): MeasuredRate(c / 1000, 0.007, 1000) for c in counts}
    monkeypatch.setattr(Caution, "rates", lambda self, name, *roles: rates)
    assert words in Caution("is what it is").text("kfold_t")


def test_measured_rates_are_counts_over_replications():
    for name in ("kfold_t", "error_kfold_t"):
        rates = inference.measured_rates(name, "null", "limit")
        assert rates
        for setting, rate in rates.items():
            counts = counted(name)[setting]
            assert rate.rate == share(counts)
            assert rate.replications == counts["replications"]
            expected = np.sqrt(rate.rate * (1 - rate.rate) / rate.replications)
            assert rate.standard_error == pytest.approx(expected, rel=1e-12)
    assert set(inference.measured_rates("kfold_t")) == set(inference.measured_settings("null"))
    assert inference.measured_rates("f1_beta_prime") == {}


def test_percentages_have_two_digits():
    assert [percent(x) for x in (0.0, 0.00025, 0.0935, 0.2749, 1.0)] == [
        *("0 %", "0.025 %", "9.3 %", "27 %", "100 %"),
    ]


def test_the_recommended_test_finds_most_of_those_that_keep_their_level():
    """Why it is recommended, as docs/tests.md says."""
    power = {
        name: next(iter(inference.measured_rates(name, "difference").values())).rate
        for name in inference.tests()
        if not any(rate.above(ALPHA) for rate in inference.measured_rates(name).values())
    }
    assert max(power, key=power.get) == RECOMMENDED_TESTS[0]


OVERLAPPING = (
    "cvci_z",
    "wong_independent_z",
    "loo_independent_z",
    "dietterich_5x2_t",
    "combined_5x2_f",
    "calibrated_5x2_bcv_f",
)


@pytest.mark.parametrize("name", OVERLAPPING)
def test_tests_that_take_overlapping_fits_for_independent_say_so(name):
    assert "training sets overlap" in told(name)


@pytest.mark.parametrize(
    "partitions, name",
    [
        ([("holdout", {"n1": 0})], "holdout_mcnemar"),
        ([("kfold", {"k": 10})], "corrected_kfold_t"),
        ([("kfold", {"k": 5})], "corrected_kfold_t"),
        ([("kfold", {"k": 2})], "corrected_2fold_t"),
        ([("blocked_mx2", {"m": 5})], RECOMMENDED_TESTS[0]),
        ([("kfold", {"k": 10}), ("blocked_mx2", {"m": 5})], RECOMMENDED_TESTS[0]),
        # None keeps its level there; this one comes nearest.
        ([("random_mx2", {"m": 5})], RECOMMENDED_TESTS[0]),
        ([("repeated_holdout", {"j": 15})], "corrected_repeated_holdout_t"),
        # Both reject alike; the order of the registry decides.
        ([("loo", {})], "loo_matched_t"),
        ([("paired_halves", {"m": 10, "j": 15})], None),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_recommended_on_a_partition_follows_from_the_rates(partitions, name):
    def valid(test):
        return all(any(need.accepts(*each) for each in partitions) for need in test.needs)

    once = [test for test in inference.tests().values() if len(set(map(str, test.needs))) == 1]
    once = [test for test in once if len(test.needs) == 1]
    found = recommended_on(partitions, filter(valid, once))
    assert (found and found.name) == name


def test_a_test_whose_rates_change_is_no_longer_recommended(monkeypatch):
    """No list of names is behind it: other rates, another test."""
    import cvinfer.inference.recommended as rule

    def rates(name, *roles, scheme=None):
        rate = 0.3 if name == "corrected_kfold_t" else 0.04
        rate += 0.1 * (name == "cvci_z") * ("difference" in roles)
        return {"here": MeasuredRate(rate, 0.004, 3000)}

    monkeypatch.setattr(rule, "measured_rates", rates)
    valid = [test for test in inference.tests().values() if test.scheme == "kfold(k=10)"]
    assert recommended_on([("kfold", {"k": 10})], valid).name == "cvci_z"


def test_a_caution_without_measured_rates_gives_its_reason():
    assert Caution("takes too much").text("measured_by_nobody") == "takes too much"
