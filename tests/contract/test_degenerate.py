"""Degenerate inputs are decided, row by row of the policy, and never left to NaN."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.contract.examples import EXAMPLES, INTERVALS, TESTS
from cvinfer import inference

# Warnings are errors: a division by zero must have been decided before it happens.
pytestmark = pytest.mark.filterwarnings("error")

TEST_CASES = [(name, case) for name, e in TESTS.items() for case in e.degenerate]
INTERVAL_CASES = [(name, case) for name, e in INTERVALS.items() for case in e.degenerate]
ids = [f"{name}: {case.label}" for name, case in TEST_CASES]
interval_ids = [f"{name}: {case.label}" for name, case in INTERVAL_CASES]


def test_every_procedure_has_a_degenerate_example():
    with_one = {name for name, example in EXAMPLES.items() if example.degenerate}
    assert with_one == {*inference.tests(), *inference.intervals()}


def assert_decided(result, case) -> None:
    assert result.degenerate
    assert not result.reject
    assert result.p_value == case.p_value
    np.testing.assert_equal(float(result.statistic), case.statistic)
    assert result.note
    assert ("ties" in result.note) == np.isinf(case.statistic)
    if np.isinf(case.statistic):
        assert "not rejected" in result.note
    else:
        assert "p is set to 1" in result.note
    if result.interval() is not None:
        lower, upper = result.interval()
        if result.standard_error is None:
            # A score interval exists without discordant records, and holds 0.
            assert -1 <= lower < 0 < upper <= 1
        else:
            assert lower == upper
            assert np.isfinite(lower)


@pytest.mark.parametrize("name, case", TEST_CASES, ids=ids)
def test_degenerate_tests_are_never_rejected(name, case):
    assert_decided(inference.infer(name, *case.data, **case.options), case)


@pytest.mark.parametrize("alpha", [1e-12, 0.3, 1 - 1e-12])
@pytest.mark.parametrize("name, case", TEST_CASES, ids=ids)
def test_at_no_level(name, case, alpha):
    assert not inference.infer(name, *case.data, **case.options, alpha=alpha).reject


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize(
    "name", [n for n, e in TESTS.items() if e.arguments[0].kind == "difference"]
)
def test_copies_of_a_number_at_any_scale(name, scale):
    # Ten copies of 0.3 have a sample variance of 3e-33, not of zero.
    for value in (0.3, 0.1, 1 / 3, -0.7):
        data = tuple(
            np.full_like(v, value * scale) if np.ndim(v) else v
            for v in EXAMPLES[name].degenerate[1].data
        )
        result = inference.infer(name, *data)
        assert result.degenerate and not result.reject and result.p_value == 0.0
        result = inference.infer(name, *data, mu0=value * scale)
        assert result.degenerate and not result.reject and result.p_value == 1.0
        assert np.isnan(result.statistic)


@pytest.mark.parametrize("name, case", TEST_CASES, ids=ids)
def test_only_the_degenerate_rows_of_a_batch_are_degenerate(name, case):
    example = EXAMPLES[name]
    data = example.draw(np.random.default_rng(3), (3, 4))
    data = example.with_row(data, (0, 1), case.data)
    data = example.with_row(data, (2, 3), case.data)
    result = inference.infer(name, *data, **case.options)
    expected = np.zeros((3, 4), dtype=bool)
    expected[0, 1] = expected[2, 3] = True
    assert np.array_equal(result.degenerate, expected)
    assert np.array_equal(result.note != "", expected)
    assert not result.reject[expected].any()
    assert (result.p_value[expected] == case.p_value).all()
    assert np.isfinite(result.statistic[~expected]).all()
    single = inference.infer(name, *case.data, **case.options)
    for row in ((0, 1), (2, 3)):
        assert result.note[row] == single.note
        np.testing.assert_equal(float(result.statistic[row]), float(single.statistic))
        df = result.df[row] if isinstance(result.df, np.ndarray) else result.df
        assert df == single.df


@pytest.mark.parametrize("name, case", TEST_CASES + INTERVAL_CASES, ids=ids + interval_ids)
def test_degenerate_results_in_json(name, case):
    result = inference.infer(name, *case.data, **case.options)
    plain = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert plain["degenerate"] is True
    assert plain["note"]
    if name in TESTS:
        assert plain["statistic"] is None
        assert plain["p_value"] == case.p_value
        assert plain["reject"] is False
    batch = inference.infer(
        name,
        *EXAMPLES[name].with_row(
            EXAMPLES[name].draw(np.random.default_rng(4), (3,)), (1,), case.data
        ),
        **case.options,
    )
    assert json.loads(json.dumps(batch.as_dict(), allow_nan=False))["degenerate"] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("name, case", TEST_CASES + INTERVAL_CASES, ids=ids + interval_ids)
def test_degenerate_results_can_be_shown(name, case):
    result = inference.infer(name, *case.data, **case.options)
    assert name in repr(result) and result.note in repr(result)
    assert name in str(result)


@pytest.mark.parametrize("name, case", INTERVAL_CASES, ids=interval_ids)
def test_degenerate_intervals(name, case):
    result = inference.infer(name, *case.data, **case.options)
    assert result.degenerate and result.note
    assert np.isfinite([result.lower, result.upper]).all()
    example = EXAMPLES[name]
    data = example.with_row(example.draw(np.random.default_rng(5), (4,)), (2,), case.data)
    batch = inference.infer(name, *data, **case.options)
    assert batch.degenerate.tolist() == [False, False, True, False]
    assert (batch.note != "").tolist() == [False, False, True, False]
    np.testing.assert_equal(float(batch.point[2]), float(result.point))


@pytest.mark.parametrize("name", [n for n, e in INTERVALS.items() if n not in ("f1_beta_prime",)])
def test_intervals_without_variation_have_no_length(name):
    for case in EXAMPLES[name].degenerate:
        result = inference.infer(name, *case.data)
        if "beta" in name:
            assert np.isnan(result.point) and result.lower < result.upper
        else:
            assert result.lower == result.upper == result.point


def test_a_fold_without_discordant_records_adds_nothing():
    rng = np.random.default_rng(6)
    tables = rng.integers(1, 15, (10, 4))
    tables[4, 1:3] = 0
    result = inference.infer("naive_kfold_mcnemar", tables)
    others = inference.infer("naive_kfold_mcnemar", np.delete(tables, 4, axis=0))
    assert not result.degenerate and result.note == ""
    assert result.statistic == pytest.approx(others.statistic, rel=1e-14)
    assert (result.df, others.df) == (10, 9)
    assert result.extra["informative_folds"] == 9
    assert result.extra["p_informative"] == pytest.approx(others.p_value, rel=1e-14)


def test_p_informative_without_any_discordant_record():
    case = EXAMPLES["naive_kfold_mcnemar"].degenerate[0]
    result = inference.infer("naive_kfold_mcnemar", *case.data)
    assert result.extra["p_informative"] == 1.0
    assert result.extra["informative_folds"] == 0
    case = EXAMPLES["holdout_mcnemar"].degenerate[0]
    for continuity in ("clipped", "printed", "none"):
        result = inference.infer("holdout_mcnemar", *case.data, continuity=continuity)
        assert result.extra["p_exact"] == 1.0
        assert np.isnan(result.statistic)


def test_five_by_two_halves_that_agree_are_ties():
    # The replications differ, yet no s_j² does from zero: the null distribution does not apply.
    d = np.repeat([[0.1], [0.2], [0.05], [0.3], [0.0]], 2, axis=1)
    for name in ("dietterich_5x2_t", "combined_5x2_t", "combined_5x2_f", "calibrated_5x2_bcv_f"):
        result = inference.infer(name, d)
        assert result.degenerate and not result.reject
        assert result.statistic == np.inf and result.p_value == 0.0
    moved = inference.infer("dietterich_5x2_t", d, pick=(4, 1))
    assert moved.degenerate and np.isnan(moved.statistic) and moved.p_value == 1.0


def test_rho_alpha_where_it_does_not_exist():
    result = inference.infer("corrected_kfold_t", np.full(10, 0.3))
    assert np.isnan(result.extra["rho_alpha"])
    assert result.as_dict()["extra"]["rho_alpha"] is None
    balanced = inference.infer("corrected_kfold_t", [-0.1, 0.1, -0.2, 0.2])
    assert not balanced.degenerate and balanced.p_value == 1.0
    assert balanced.extra["rho_alpha"] == -np.inf
    assert balanced.as_dict()["extra"]["rho_alpha"] is None


def test_welch_without_variation_has_its_limiting_degrees_of_freedom():
    result = inference.infer("wong_welch_t", [0.3] * 10, [0.1] * 7)
    assert result.degenerate and result.df == 15
    one_sided = inference.infer("wong_welch_t", [0.3, 0.4, 0.2], [0.1] * 7)
    assert not one_sided.degenerate and one_sided.df == pytest.approx(2.0, rel=1e-9)


def test_f1_rows():
    split = [5, 2, 3, 9]
    none_predicted = [0, 0, 4, 9]
    empty = [0, 0, 0, 9]

    result = inference.infer("f1_beta_prime", none_predicted)
    assert result.point == 0.0 and "no record was predicted positive" in result.note
    assert result.degenerate
    precision = inference.infer("precision_beta", none_predicted)
    assert precision.degenerate and np.isnan(precision.point) and "predicted" in precision.note
    assert precision.as_dict()["point"] is None
    recall = inference.infer("recall_beta", none_predicted)
    assert recall.point == 0.0 and not recall.degenerate

    result = inference.infer("f1_beta_prime", [split, empty, split])
    assert result.degenerate and "a split has TP = FP = FN = 0" in result.note
    result = inference.infer("f1_beta_prime", [empty, empty])
    assert result.degenerate and np.isnan(result.point) and "does not exist" in result.note
    assert result.as_dict()["point"] is None
    result = inference.infer("f1_beta_prime", empty)
    assert result.degenerate and np.isnan(result.point)

    result = inference.infer("f1_beta_prime", [split, split, empty], split_axes=0)
    assert result.degenerate.tolist() == [False, False, True]
    assert np.isnan(result.point).tolist() == [False, False, True]

    # A fold of one record is no split that could have had an F1.
    single = [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
    assert not inference.infer("f1_beta_prime", single).degenerate
    assert not inference.infer("f1_beta_prime", single, scheme="loo").degenerate

    scores = inference.f1_scores([split, none_predicted, empty])
    assert scores[0] == pytest.approx(10 / 15) and scores[1] == 0.0 and np.isnan(scores[2])
    with pytest.raises(inference.InputError, match="must be finite"):
        inference.infer("kfold_t_interval", scores)
