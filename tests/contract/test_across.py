"""What holds for every test across data sets, found by itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cvinfer.inference as ci
from cvinfer.inference.across_registry import CONTROL, PAIR, TWO
from tests.contract.test_registry import GOLDEN, golden_names

TESTS = dict(ci.across_tests())


def columns(name: str) -> int:
    return 2 if TESTS[name].of in (TWO, PAIR) else 4


def found(name: str, values: Any, **options: Any) -> dict[str, Any]:
    if TESTS[name].of == CONTROL:
        options.setdefault("control", 0)
    if TESTS[name].seeded:
        options.setdefault("draws", 400)
    return dict(TESTS[name].function(values, **options).as_dict())


def test_every_one_has_a_golden_number_and_a_reference() -> None:
    marked = {
        name for path in GOLDEN.glob("*.py") for name in golden_names(path.read_text("utf-8"))
    }
    assert set(TESTS) - marked == set()
    assert {each.cite for each in TESTS.values()} <= set(ci.citation_keys())
    assert all(getattr(ci, name) is each.function for name, each in TESTS.items())


@pytest.mark.parametrize("name", TESTS)
def test_scale_and_order_of_data_sets_do_not_matter(name: str) -> None:
    values = np.random.default_rng(3).integers(1, 40, (9, columns(name))).astype(float)
    wanted = found(name, values)
    keys = ("statistic", "df", "p_value")
    if TESTS[name].seeded:
        keys += ("p_a_better", "p_equivalent", "p_b_better")
    else:
        other = found(name, values[::-1] * 0.01)
        assert other["df"] == wanted["df"]
        for key in ("statistic", "p_value"):
            assert other[key] == (wanted[key] and pytest.approx(wanted[key]))
    turned = found(name, -values, better="higher")
    assert [turned[key] for key in keys] == [wanted[key] for key in keys]


@pytest.mark.parametrize("name", TESTS)
def test_nothing_but_ties_is_no_difference(name: str) -> None:
    result = found(name, np.full((6, columns(name)), 0.25))
    assert result["p_value"] in (1.0, None)
    assert result["degenerate"] == (result["p_value"] == 1.0)
    for key in ("pairs", "against"):
        assert all(each["p_value"] > 0.999 for each in result.get(key, ()))
    assert result.get("p_a_better") == result.get("p_b_better")


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize(
    "values, why",
    [([1.0, 2.0], "data sets × learners"), ([[1.0, math.nan]] * 3, "finite"), ("text", "numbers")],
)
def test_wrong_values_are_refused_by_name(name: str, values: Any, why: str) -> None:
    with pytest.raises(ci.InputError, match=f"{name}.*{why}"):
        found(name, values)


@pytest.mark.parametrize(
    "options, why",
    [({"control": 4}, "from 0 to 3"), ({"learners": ["a"]}, "4 names"), ({"alpha": 2}, "alpha")],
)
def test_wrong_options_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ci.InputError, match=why):
        ci.holm_control(np.eye(4), **options)


@pytest.mark.parametrize("options", [{"margin": -1}, {"prior": 0}, {"draws": 0}, {"seed": -1}])
def test_wrong_options_of_draws_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ci.InputError):
        ci.bayes_signed_rank(np.eye(2), **options)


def test_draws_belong_to_the_seed() -> None:
    values = np.random.default_rng(0).random((7, 2))
    first, again, other = (
        ci.bayes_signed_rank(values, seed=seed).extra["p_a_better"] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert other == pytest.approx(first, abs=0.015)


def test_perfect_agreement_makes_f_infinite_and_says_so() -> None:
    values = np.tile([0.1, 0.2, 0.3], (5, 1))
    result = ci.iman_davenport(values)
    assert result.degenerate and result.statistic is None and "friedman" in result.note
    assert ci.friedman(values).p_value == pytest.approx(math.exp(-5), rel=1e-12)  # χ² 10 on 2 df


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 9), st.integers(2, 6), st.integers(0, 10**6))
def test_mean_ranks_add_up(data_sets: int, learners: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (data_sets, learners))
    ranks = ci.mean_ranks(values)
    assert ranks.sum() == pytest.approx(learners * (learners + 1) / 2)
    assert ci.mean_ranks(values, "higher") == pytest.approx(learners + 1 - ranks)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=12),
    st.floats(0, 0.5),
)
def test_posterior_of_one_data_set(d: list[float], margin: float) -> None:
    one = ci.bayes_correlated_t(d, 90, 10, margin)
    other = ci.bayes_correlated_t([-each for each in d], 90, 10, margin)
    assert one.p_a_better + one.p_equivalent + one.p_b_better == pytest.approx(1.0)
    assert one.p_a_better == pytest.approx(other.p_b_better, abs=1e-12)
    if len(set(d)) == 1:
        assert one.degenerate and {one.p_a_better, one.p_b_better} <= {0.0, 0.5, 1.0}


def test_posteriors_of_many_are_those_of_each() -> None:
    d = np.random.default_rng(5).normal(size=(3, 10))
    many = ci.bayes_correlated_t(d, 90, 10, 0.1)
    each = [ci.bayes_correlated_t(row, 90, 10, 0.1).p_equivalent for row in d]
    assert many.p_equivalent.tolist() == each
