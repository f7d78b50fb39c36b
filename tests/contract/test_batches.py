"""One call on a batch is the loop of single calls, for everything that is registered."""

from __future__ import annotations

import inspect
import itertools
import json
import time

import numpy as np
import pytest

from tests.contract.examples import EXAMPLES, INTERVALS, TESTS
from cvinfer import inference

pytestmark = pytest.mark.filterwarnings("error")

BATCHES = [(), (7,), (3, 4)]
CASES = [(name, options) for name, e in EXAMPLES.items() for options in ({}, *e.variants)]
TEST_CASES = [(name, options) for name, options in CASES if name in TESTS]
TEST_FIELDS = (
    *("estimate", "variance", "standard_error", "statistic", "p_value"),
    *("reject", "degenerate", "note"),
)
INTERVAL_FIELDS = ("point", "lower", "upper", "degenerate", "note")


def seeded(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def test_every_registered_name_has_an_example():
    assert set(inference.tests()) == set(TESTS)
    assert set(inference.intervals()) == set(INTERVALS)


def parts_of(result) -> dict[str, object]:
    """Everything a result says that may differ from one comparison to the next."""
    fields = TEST_FIELDS if isinstance(result, inference.Inference) else INTERVAL_FIELDS
    parts = {field: getattr(result, field) for field in fields}
    if isinstance(result, inference.Inference):
        ends = result.interval()
        wide = result.interval(level=0.999)
        assert (ends is None) == (wide is None)
        if ends is not None:
            parts.update(lower=ends[0], upper=ends[1], lower_999=wide[0], upper_999=wide[1])
        parts["df"] = result.df
        assert result.null.df is result.df
    parts.update(flattened("extra", result.extra))
    return parts


def flattened(place: str, values) -> dict[str, object]:
    """The entries of a mapping and of the mappings in it."""
    found: dict[str, object] = {}
    for key, value in values.items():
        inner = f"{place}[{key}]"
        found.update(flattened(inner, value) if isinstance(value, dict) else {inner: value})
    return found


def assert_same(got, expected, place: str) -> None:
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, place
    if got.dtype.kind == "f" or expected.dtype.kind == "f":
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-15, err_msg=place)
    else:
        assert np.array_equal(got, expected), place


def assert_row_is_single(batch_parts, batch, index, single_parts) -> None:
    assert batch_parts.keys() == single_parts.keys()
    for part, value in batch_parts.items():
        single = single_parts[part]
        if isinstance(value, np.ndarray):
            assert value.shape == batch + np.shape(single), part
            assert_same(value[index], single, f"{part} at {index}")
        else:
            # Set by the shape or by an option: the same for every comparison.
            assert type(value) is type(single) and value == single, part


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("name, options", CASES)
def test_batch_is_the_loop_of_single_calls(name, options, batch):
    example = EXAMPLES[name]
    data = example.draw(seeded(name), batch)
    whole = parts_of(inference.infer(name, *data, **options))
    for index in itertools.product(*map(range, batch)):
        single = inference.infer(name, *example.row(data, index), **options)
        assert_row_is_single(whole, batch, index, parts_of(single))


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("name", EXAMPLES)
def test_results_have_the_batch_shape(name, batch):
    result = inference.infer(name, *EXAMPLES[name].draw(seeded(name), batch))
    fields = TEST_FIELDS if name in TESTS else INTERVAL_FIELDS
    for field in fields:
        value = getattr(result, field)
        if value is None:
            assert field in ("variance", "standard_error"), field
            continue
        assert np.shape(value) == batch, field
        assert isinstance(value, np.ndarray) == (batch != ()), field
    if name in TESTS and result.interval() is not None:
        assert all(np.shape(end) == batch for end in result.interval())


@pytest.mark.parametrize("name", EXAMPLES)
def test_empty_batch_gives_an_empty_result(name):
    data = list(EXAMPLES[name].draw(seeded(name), (0,)))
    if name == "cvci_z":
        # Fold numbers without a single row name no folds; those shared by all rows do.
        data[2] = np.arange(40) % 5
    result = inference.infer(name, *data)
    fields = TEST_FIELDS if name in TESTS else INTERVAL_FIELDS
    assert {np.shape(getattr(result, f)) for f in fields if getattr(result, f) is not None} == {
        (0,)
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_drawn_examples_are_not_degenerate(name):
    result = inference.infer(name, *EXAMPLES[name].draw(seeded(name), (50,)))
    assert not result.degenerate.any()
    assert (result.note == "").all()


@pytest.mark.parametrize("name", EXAMPLES)
def test_lists_and_integers_do_as_well_as_arrays(name):
    data = EXAMPLES[name].draw(seeded(name), (4,))
    nested = [np.asarray(value).tolist() for value in data]
    expected = inference.infer(name, *data)
    assert inference.infer(name, *nested).as_dict() == expected.as_dict()


@pytest.mark.parametrize("name", EXAMPLES)
def test_data_are_left_as_they_were(name):
    data = EXAMPLES[name].draw(seeded(name), (4,))
    before = [np.array(value) for value in data]
    for value in data:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    inference.infer(name, *data)
    assert all(np.array_equal(now, was) for now, was in zip(data, before))


@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
@pytest.mark.parametrize("name, options", CASES)
def test_json_holds_no_nan(name, options, batch):
    result = inference.infer(name, *EXAMPLES[name].draw(seeded(name), batch), **options)
    plain = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert plain["name"] == name
    if name in TESTS:
        assert np.allclose(plain["p_value"], result.p_value)
        assert plain["reject"] == np.asarray(result.reject).tolist()
        assert plain["null"]["family"] in ("t", "normal", "F", "chi2")
        assert (plain["interval"] is None) == (result.interval() is None)
    else:
        assert np.allclose(plain["lower"], result.lower)


@pytest.mark.parametrize("name, options", TEST_CASES)
def test_decision_follows_p_and_the_interval(name, options):
    data = EXAMPLES[name].draw(seeded(name), (400,))
    result = inference.infer(name, *data, **options)
    alpha, mu0 = options.get("alpha", 0.05), options.get("mu0", 0.0)
    assert result.alpha == alpha
    assert np.array_equal(result.reject, result.p_value < alpha)
    assert ((result.p_value >= 0) & (result.p_value <= 1)).all()
    critical = result.null.critical(alpha)
    assert np.array_equal(result.reject, np.abs(result.statistic) > critical)
    if result.interval() is not None:
        lower, upper = result.interval()
        assert np.array_equal(result.reject, (mu0 < lower) | (mu0 > upper))
        if result.standard_error is not None:
            np.testing.assert_allclose((upper - lower) / 2, critical * result.standard_error)


@pytest.mark.parametrize("name", EXAMPLES)
def test_alpha_and_level_give_nested_intervals(name):
    data = EXAMPLES[name].draw(seeded(name), (20,))
    ends = []
    for alpha in (0.5, 0.1, 0.01):
        result = inference.infer(name, *data, alpha=alpha)
        if name in INTERVALS:
            assert result.level == pytest.approx(1 - alpha, abs=1e-15)
            same = inference.infer(name, *data, level=1 - alpha)
            assert_same(same.lower, result.lower, "lower")
            ends.append((result.lower, result.upper))
        elif result.interval() is not None:
            default = inference.infer(name, *data).interval(level=1 - alpha)
            for got, expected in zip(result.interval(), default):
                np.testing.assert_allclose(got, expected, rtol=1e-9)
            ends.append(result.interval())
    for (lower, upper), (wider_lower, wider_upper) in zip(ends, ends[1:]):
        assert ((wider_lower < lower) & (upper < wider_upper)).all()


@pytest.mark.parametrize("name", INTERVALS)
def test_point_lies_inside_its_interval(name):
    result = inference.infer(name, *EXAMPLES[name].draw(seeded(name), (50,)))
    assert ((result.lower < result.point) & (result.point < result.upper)).all()


@pytest.mark.parametrize("name, options", TEST_CASES)
def test_direction_is_the_sign_of_the_estimate(name, options):
    data = EXAMPLES[name].draw(seeded(name), (50,))
    result = inference.infer(name, *data, **options)
    assert np.array_equal(result.direction, np.sign(result.estimate))
    assert result.direction.dtype.kind == "i"
    single = inference.infer(name, *EXAMPLES[name].row(data, (7,)), **options)
    assert single.direction == result.direction[7] and np.ndim(single.direction) == 0


def test_rounding_noise_is_no_difference():
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point.
    noise = inference.kfold_t([0.1, 0.2, -0.3])
    assert noise.estimate != 0 and noise.direction == 0
    assert str(noise).startswith("kfold_t: no difference (95% interval of A - B -")
    assert "worse" not in str(noise)
    halves = inference.combined_5x2_f(np.tile([0.1, 0.2, -0.3, 0.1, -0.1], (2, 1)).T - 1e-18)
    assert halves.direction == 0 and "no difference, statistic" in str(halves)
    small = inference.kfold_t([1e-9, 2e-9, -1e-9])
    assert small.direction == 1 and "A is worse by 6.667e-10" in str(small)
    thirds = [(1, 1, 0, 1), (1, 0, 1, 4), (1, 1, 0, 4), (1, 0, 1, 1)]
    table = inference.naive_kfold_mcnemar(thirds)
    assert table.direction == 0 and "no difference, statistic" in str(table)


@pytest.mark.parametrize("name", ["kfold_t", "cvci_z", "bcv_5x2_mcnemar"])
def test_a_result_is_shown_with_its_interval(name):
    result = inference.infer(name, *EXAMPLES[name].draw(seeded(name)), alpha=0.1)
    lower, upper = result.interval()
    assert f" (90% interval of A - B {lower:.4g} to {upper:.4g}), statistic " in str(result)
    assert f"is worse by {abs(result.estimate):.4g} (" in str(result)


def test_every_null_distribution_has_the_family_it_declares():
    families = {"t(": "t", "N(": "normal", "F(": "F", "χ²": "chi2"}
    for name, declared in inference.tests().items():
        result = inference.infer(name, *EXAMPLES[name].draw(seeded(name)))
        assert result.null.family == families[declared.null[:2]], name
        assert result.cite == declared.cite
        assert result.scheme == " + ".join(need.scheme for need in declared.needs)


def test_mu0_is_taken_exactly_where_a_mean_is_tested():
    # A null of equal proportions leaves no other value to test: those have no mu0.
    without = {"proportion_z", "wong_independent_z", "loo_independent_z"}
    without |= {"holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar"}
    for name, declared in inference.tests().items():
        parameters = inspect.signature(declared.function).parameters
        assert parameters["alpha"].default == 0.05, name
        assert ("mu0" in parameters) == (name not in without), name
        if "mu0" in parameters:
            assert parameters["mu0"].default == 0.0, name


def test_twenty_thousand_replications_take_seconds():
    batches = {name: e.draw(seeded(name), (20_000,)) for name, e in EXAMPLES.items()}
    inference.infer("kfold_t", *EXAMPLES["kfold_t"].draw(seeded("warm")))
    start = time.process_time()
    for name, data in batches.items():
        assert len(inference.infer(name, *data).note) == 20_000
    assert time.process_time() - start < 6.0
