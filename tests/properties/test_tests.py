"""What must hold for the tests whatever the data are."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.contract.examples import EXAMPLES, INTERVALS, TESTS
from cvinfer import inference
from cvinfer.inference.nulls import NORMAL, chi_squared, fisher, student
from tests.properties.drawn import assert_close, assert_same_test, data_of, moderate

pytestmark = pytest.mark.filterwarnings("error")

ON_DIFFERENCES = [n for n, e in TESTS.items() if e.arguments[0].kind == "difference"]
SIGNED = ("t", "normal")
CONTINUITY = ("clipped", "printed", "none")
hypothesised = st.sampled_from([0.0, 0.05, -0.1, 0.3])


def with_mu0(name, mu0):
    function = inference.procedure(name).function
    return {"mu0": mu0} if "mu0" in inspect.signature(function).parameters else {}


@pytest.mark.parametrize("name", TESTS)
@moderate
@given(data=st.data(), mu0=hypothesised)
def test_swapping_a_and_b_negates_the_estimate_and_keeps_p(name, data, mu0):
    values = data.draw(data_of(name))
    one = inference.infer(name, *values, **with_mu0(name, mu0))
    other = inference.infer(name, *TESTS[name].swap(values), **with_mu0(name, -mu0))
    assert_close(other.estimate, -one.estimate)
    assert_close(other.p_value, one.p_value)
    sign = -1.0 if one.null.family in SIGNED else 1.0
    assert_close(other.statistic, sign * one.statistic)
    assert one.degenerate == other.degenerate and one.reject == other.reject
    assert one.note == other.note
    if one.variance is not None:
        assert_close(other.variance, one.variance)
    if one.interval() is not None:
        assert_close(other.interval(), [-end for end in one.interval()[::-1]])
    if "loss_a" in one.extra:
        assert_close(
            [other.extra["loss_a"], other.extra["loss_b"]],
            [one.extra["loss_b"], one.extra["loss_a"]],
        )
    if "effective_table" in one.extra:
        assert_close(other.extra["effective_table"], one.extra["effective_table"][[0, 2, 1, 3]])
    for key in ("p_exact", "p_informative", "rho_alpha", "large_sample", "n_effective"):
        if key in one.extra:
            assert_close(other.extra[key], one.extra[key], key)


def permuted(example, values, axis, order):
    """Every argument with the named axis taken in another order."""
    changed = []
    for argument, value in zip(example.arguments, values):
        names = [a.name for a in argument.axes]
        if axis in names:
            at = names.index(axis) - len(names)
            value = np.take(value, order, axis=at)
        changed.append(value)
    return tuple(changed)


@pytest.mark.parametrize("name", [name for name, e in EXAMPLES.items() if e.symmetric])
@moderate
@given(data=st.data(), mu0=hypothesised)
def test_permuting_folds_changes_nothing(name, data, mu0):
    example = EXAMPLES[name]
    values = data.draw(data_of(name))
    lengths = {}
    for argument, value in zip(example.arguments, values):
        names = [axis.name for axis in argument.axes]
        lengths.update(zip(names, np.shape(value)))
    lengths.pop("4", None)
    changed = values
    for axis, length in lengths.items():
        changed = permuted(example, changed, axis, data.draw(st.permutations(range(length))))
    options = with_mu0(name, mu0) if name in TESTS else {}
    one, other = (inference.infer(name, *v, **options) for v in (values, changed))
    if name in TESTS:
        assert_same_test(other, one, "estimate")
        assert_close(0 if one.variance is None else other.variance, one.variance or 0)
    else:
        for field in ("point", "lower", "upper"):
            assert_close(getattr(other, field), getattr(one, field), field)
        assert other.degenerate == one.degenerate and other.note == one.note


@moderate
@given(data=st.data())
def test_dietterich_depends_on_the_order_through_its_pick_only(data):
    (d,) = data.draw(data_of("dietterich_5x2_t"))
    j, k = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 1))
    order = data.draw(st.permutations(range(5)))
    flip = data.draw(st.booleans())
    moved = d[order][:, ::-1] if flip else d[order]
    one = inference.infer("dietterich_5x2_t", d, pick=(j, k))
    other = inference.infer("dietterich_5x2_t", moved, pick=(order.index(j), 1 - k if flip else k))
    assert_same_test(other, one, "estimate", "variance")
    assert one.extra["picked"] == other.extra["picked"] == d[j, k]


@pytest.mark.parametrize(
    "name",
    [
        *("combined_5x2_t", "combined_5x2_f", "calibrated_5x2_bcv_f", "blocked_3x2_t"),
        *("bcv_5x2_mcnemar", "conservative_z", "five_by_two_t_interval", "f1_beta_prime"),
    ],
)
@moderate
@given(data=st.data())
def test_the_two_halves_of_a_replication_can_change_places(name, data):
    values = list(data.draw(data_of(name)))
    at = 1 if name == "conservative_z" else 0
    # Axes (..., m, 2) or (..., m, 2, 4): the replications are the axis of the flips.
    entries = 1 if EXAMPLES[name].arguments[at].axes[-1].name == "4" else 0
    m = values[at].shape[-2 - entries]
    flips = data.draw(hnp.arrays(np.bool_, m)).reshape((m, 1) + (1,) * entries)
    changed = list(values)
    changed[at] = np.where(flips, np.flip(values[at], axis=-1 - entries), values[at])
    one, other = inference.infer(name, *values), inference.infer(name, *changed)
    if name in TESTS:
        assert_same_test(other, one, "estimate")
    else:
        assert_close([other.lower, other.upper], [one.lower, one.upper])


@pytest.mark.parametrize("name", ON_DIFFERENCES)
@moderate
@given(data=st.data(), mu0=hypothesised, scale=st.floats(1e-4, 1e4))
def test_scaling_differences_scales_the_estimate_and_keeps_t(name, data, mu0, scale):
    values = data.draw(data_of(name))
    kinds = [argument.kind for argument in TESTS[name].arguments]
    scaled = [scale * v if kind == "difference" else v for v, kind in zip(values, kinds)]
    one = inference.infer(name, *values, mu0=mu0)
    other = inference.infer(name, *scaled, mu0=scale * mu0)
    assert_same_test(other, one)
    assert_close(other.estimate / scale, one.estimate)
    if one.null.family in SIGNED:
        assert_close(other.variance / scale**2, one.variance)
        assert_close(np.array(other.interval()) / scale, one.interval())


@pytest.mark.parametrize("name", ON_DIFFERENCES)
@moderate
@given(data=st.data(), mu0=hypothesised)
def test_mu0_is_a_shift_of_the_differences(name, data, mu0):
    values = data.draw(data_of(name))
    one = inference.infer(name, *values, mu0=mu0)
    other = inference.infer(name, values[0] - mu0, *values[1:])
    assert one.degenerate == other.degenerate
    assert_close(other.estimate, one.estimate - mu0)
    assert_close(other.statistic, one.statistic)
    assert_close(other.p_value, one.p_value)


@pytest.mark.parametrize("name", TESTS)
@moderate
@given(data=st.data(), mu0=hypothesised)
def test_a_result_is_decided_whatever_the_data(name, data, mu0):
    values = data.draw(data_of(name, batch=(3,)))
    result = inference.infer(name, *values, **with_mu0(name, mu0))
    assert ((result.p_value >= 0) & (result.p_value <= 1)).all()
    assert not (result.reject & result.degenerate).any()
    assert np.array_equal(result.degenerate, result.note != "")
    assert np.array_equal(np.isfinite(result.statistic), ~result.degenerate)
    assert np.isfinite(result.estimate).all()
    clear = ~result.degenerate & (np.abs(result.p_value - 0.05) > 1e-9)
    assert np.array_equal(result.reject[clear], result.p_value[clear] < 0.05)
    if result.interval() is not None:
        lower, upper = result.interval()
        outside = (lower > mu0) | (upper < mu0)
        if with_mu0(name, mu0):
            assert np.array_equal(outside[clear], result.reject[clear])


@pytest.mark.parametrize("name", INTERVALS)
@moderate
@given(data=st.data())
def test_an_interval_is_decided_whatever_the_data(name, data):
    given_data = data.draw(data_of(name, batch=(3,)))
    if name == "nested_cv_interval":
        # Folds of fewer than two records are refused, as a variance of one loss does not exist.
        losses, folds = (np.repeat(each, 2 * each.shape[-1], axis=-1) for each in given_data)
        k, n = losses.shape[-2:]
        given_data = (losses, np.broadcast_to(np.arange(n) % k, folds.shape))
        assume(n >= 2 * k)
    result = inference.infer(name, *given_data)
    assert np.isfinite(result.lower).all() and np.isfinite(result.upper).all()
    assert (result.lower <= result.upper).all()
    assert (result.degenerate <= (result.note != "")).all()
    assert (np.isnan(result.point) <= result.degenerate).all()


@pytest.mark.parametrize("name", [name for name in TESTS if name != "wong_welch_t"])
@moderate
@given(data=st.data())
def test_p_falls_as_the_statistic_moves_away(name, data):
    # Welch's degrees of freedom differ from row to row; its distribution is tried below.
    values = data.draw(data_of(name, batch=(12,)))
    result = inference.infer(name, *values)
    size, p = np.abs(result.statistic), result.p_value
    size, p = size[~result.degenerate], p[~result.degenerate]
    order = np.argsort(size)
    assert (np.diff(p[order]) <= 1e-15).all()
    far = np.diff(size[order]) > 1e-6
    assert (np.diff(p[order])[far & (p[order][1:] > 1e-300)] < 0).all()


nulls = st.one_of(
    st.just(NORMAL),
    st.floats(1, 200).map(student),
    st.tuples(st.integers(1, 20), st.integers(1, 20)).map(lambda df: fisher(*df)),
    st.integers(1, 30).map(chi_squared),
)


@settings(deadline=None)
@given(null=nulls, alpha=st.floats(1e-6, 0.9))
def test_critical_values_invert_p(null, alpha):
    critical = null.critical(alpha)
    assert null.p_value(critical) == pytest.approx(alpha, rel=1e-6)
    steps = critical * np.linspace(0.0, 3.0, 50)
    assert (np.diff(null.p_value(steps)) < 0).all()
    assert null.p_value(np.float64(0.0)) == pytest.approx(1.0)


# --- corrections ------------------------------------------------------------------------------


@moderate
@given(data=st.data(), rho=st.floats(0, 0.99))
def test_corrected_t_tests_never_have_a_smaller_p(data, rho):
    (d,) = data.draw(data_of("kfold_t"))
    plain = inference.infer("kfold_t", d)
    assume(not plain.degenerate)
    corrected = [
        inference.infer("corrected_kfold_t", d, rho=rho),
        inference.infer("corrected_kfold_t", d, block_rho=rho),
        inference.infer("corrected_repeated_holdout_t", d, 90, 10),
        inference.infer("corrected_repeated_kfold_t", d[None], 90, 10),
    ]
    if len(d) == 2:
        corrected.append(inference.infer("corrected_2fold_t", d, block_rho=rho))
    for result in corrected:
        assert result.p_value >= plain.p_value - 1e-15
        assert abs(result.statistic) <= abs(plain.statistic)
        assert result.estimate == pytest.approx(plain.estimate)
    assert_same_test(inference.infer("corrected_kfold_t", d, rho=0.0), plain, "variance")


@moderate
@given(data=st.data(), rho=st.floats(0, 0.99), alpha=st.sampled_from([0.01, 0.05, 0.5]))
def test_rho_alpha_parts_rejection_from_acceptance(data, rho, alpha):
    (d,) = data.draw(data_of("corrected_kfold_t"))
    result = inference.infer("corrected_kfold_t", d, rho=rho, alpha=alpha)
    assume(not result.degenerate)
    bound = result.extra["rho_alpha"]
    assert_close(inference.rho_alpha(d, alpha=alpha), bound)
    assume(abs(bound - rho) > 1e-9)
    assert result.reject == (rho < bound)


@moderate
@given(data=st.data())
def test_continuity_only_ever_raises_p_when_clipped(data):
    for name in ("holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar"):
        (tables,) = data.draw(data_of(name))
        clipped, printed, none = (
            inference.infer(name, tables, continuity=continuity) for continuity in CONTINUITY
        )
        assume(not none.degenerate)
        assert clipped.p_value >= none.p_value - 1e-15
        # Below the correction the printed formula overshoots; clipped is never above it.
        assert clipped.statistic <= printed.statistic + 1e-12
        assert clipped.estimate == printed.estimate == none.estimate


# --- tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar"])
@moderate
@given(data=st.data(), continuity=st.sampled_from(CONTINUITY))
def test_mcnemar_looks_at_discordant_records_only(name, data, continuity):
    (tables,) = data.draw(data_of(name))
    agreeing = data.draw(hnp.arrays(np.int64, (*tables.shape[:-1], 2), elements=st.integers(1, 9)))
    changed = tables.copy()
    changed[..., [0, 3]] = agreeing
    one, other = (inference.infer(name, t, continuity=continuity) for t in (tables, changed))
    assert_same_test(other, one)
    for key in ("p_exact", "p_informative", "informative_folds"):
        if key in one.extra:
            assert_close(other.extra[key], one.extra[key])


LEVELS = st.one_of(
    st.sampled_from([0.5, 0.9, 0.95, 0.99, 1 - 1e-9]),
    st.floats(0.001, 0.999, allow_subnormal=False),
)


@pytest.mark.parametrize("name", ["holdout_mcnemar", "bcv_5x2_mcnemar"])
@moderate
@given(data=st.data(), continuity=st.sampled_from(CONTINUITY), level=LEVELS)
def test_zero_lies_outside_the_interval_exactly_where_mcnemar_rejects(
    name, data, continuity, level
):
    (tables,) = data.draw(data_of(name, (8,)))
    scale = data.draw(st.sampled_from([1, 3, 1_000_003]))
    result = inference.infer(name, tables * scale, continuity=continuity, alpha=1.0 - level)
    lower, upper = result.interval(level)
    assert ((-1 <= lower) & (lower <= upper) & (upper <= 1)).all()
    outside = (lower > 0) | (upper < 0)
    if continuity == "printed":
        # An uncut correction may reject counts that hardly differ; the interval is the clipped one.
        clipped = inference.infer(name, tables * scale, alpha=1.0 - level)
        assert np.array_equal(outside, clipped.reject)
        assert_close(clipped.interval(level), result.interval(level))
        assert not (outside & ~result.reject).any()
    else:
        assert np.array_equal(outside, result.reject)
    discordant = tables[..., 1] - tables[..., 2]
    only_a_less_only_b = discordant.reshape(8, -1).sum(axis=-1)
    assert (~outside | (np.sign(only_a_less_only_b) == np.sign(lower + upper))).all()


@pytest.mark.parametrize("name", ["holdout_mcnemar", "bcv_5x2_mcnemar"])
@moderate
@given(data=st.data(), continuity=st.sampled_from(CONTINUITY), level=LEVELS)
def test_score_intervals_are_antisymmetric_nested_and_hold_what_is_not_rejected(
    name, data, continuity, level
):
    (tables,) = data.draw(data_of(name, (8,)))
    result = inference.infer(name, tables, continuity=continuity)
    lower, upper = result.interval(level)
    swapped = inference.infer(name, tables[..., [0, 2, 1, 3]], continuity=continuity)
    # Bit for bit: nobody is A.
    assert np.array_equal(swapped.interval(level)[0], -upper)
    assert np.array_equal(swapped.interval(level)[1], -lower)
    wider = result.interval((1.0 + level) / 2.0)
    assert ((wider[0] <= lower) & (upper <= wider[1])).all()
    effective = result.extra.get("effective_table", tables)
    n = effective.sum(axis=-1)
    difference = (effective[..., 1] - effective[..., 2]) / n
    assert ((lower <= difference + 1e-12) & (difference - 1e-12 <= upper)).all()
    # T of the definition on both sides of each end.
    critical = NORMAL.critical(1.0 - level) ** 2
    kappa = float(continuity != "none")
    for end, away in ((lower, -1e-6), (upper, 1e-6)):
        inside, beyond = (tango(effective, kappa, end + step) for step in (-away / 1e3, away))
        assert (inside <= critical * (1 + 1e-6) + 1e-9).all()
        inner = (end + away > -1) & (end + away < 1)
        assert (beyond[inner] > critical * (1 - 1e-6)).all()


def tango(table, kappa, delta):
    """T(δ) as Tango (1998) writes it, in plain steps."""
    b, c, n = table[..., 1], table[..., 2], table.sum(axis=-1)
    delta = np.clip(delta, -1, 1)
    quadratic, linear = 2 * n, -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    discriminant = np.maximum(linear**2 - 4 * quadratic * constant, 0)
    p = (np.sqrt(discriminant) - linear) / (2 * quadratic)
    distance = np.maximum(np.abs(b - c - n * delta) - kappa, 0)
    variance = n * (2 * p + delta * (1 - delta))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(distance == 0, 0.0, distance**2 / np.maximum(variance, 0))


@moderate
@given(data=st.data(), continuity=st.sampled_from(CONTINUITY))
def test_bcv_mcnemar_depends_on_totals_only(data, continuity):
    (tables,) = data.draw(data_of("bcv_5x2_mcnemar"))
    gathered = np.zeros_like(tables)
    gathered[..., 3] = 1
    gathered[0, 0, 1:3] = tables[..., 1:3].sum(axis=(0, 1))
    one, other = (
        inference.infer("bcv_5x2_mcnemar", t, continuity=continuity) for t in (tables, gathered)
    )
    assert_same_test(other, one)


@moderate
@given(data=st.data(), times=st.integers(1, 9))
def test_multiplying_tables_multiplies_the_uncorrected_statistic(data, times):
    for name in ("holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar"):
        (tables,) = data.draw(data_of(name))
        one = inference.infer(name, tables, continuity="none")
        many = inference.infer(name, times * tables, continuity="none")
        assert_close(many.estimate, one.estimate)
        assert_close(many.statistic, times * one.statistic)
        assert many.degenerate == one.degenerate
        # The correction of 1 loses weight as the counts grow.
        few, more = (inference.infer(name, t).statistic for t in (tables, times * tables))
        assert np.isnan(few) or more >= times * few - 1e-9
    (table,) = data.draw(data_of("proportion_z"))
    one, many = (inference.infer("proportion_z", t) for t in (table, times * table))
    assert_close(many.statistic, np.sqrt(times) * one.statistic)
    assert_close(many.estimate, one.estimate)


@moderate
@given(data=st.data())
def test_the_effective_table_adds_up(data):
    (tables,) = data.draw(data_of("bcv_5x2_mcnemar"))
    m = len(tables)
    result = inference.infer("bcv_5x2_mcnemar", tables)
    total = result.extra["effective_table"].sum()
    assert_close(total, result.extra["n_effective"])
    assert_close(total, inference.effective_factor(m) * tables.sum() / (2 * m))
    assert_close(result.extra["effective_table"], inference.effective_table(tables))
    assert result.extra["factor"] == inference.effective_factor(m)
    # Fully correlated splits are worth one of them, uncorrelated ones all 2m.
    assert_close(inference.effective_table(tables, 1, 1), tables.mean(axis=(0, 1)))
    assert_close(inference.effective_table(tables, 0, 0), tables.sum(axis=(0, 1)))


def test_effective_factor_of_the_5x2():
    assert inference.effective_factor(5) == pytest.approx(20 / 11, rel=1e-15)


@moderate
@given(
    m=st.integers(1, 20),
    rho1=st.floats(0, 1),
    rho2=st.floats(0, 1),
    more=st.floats(0, 1),
)
def test_effective_factor_falls_with_correlation(m, rho1, rho2, more):
    factor = inference.effective_factor(m, rho1, rho2)
    assert 1.0 - 1e-12 <= factor <= 2 * m
    assert inference.effective_factor(m, max(rho1, more), rho2) <= factor
    assert inference.effective_factor(m, rho1, max(rho2, more)) <= factor
    variance = inference.mx2_variance(1.0, rho1, rho2, m)
    assert factor * variance == pytest.approx(1.0)


# --- the tests among themselves ----------------------------------------------------------------


@moderate
@given(data=st.data())
def test_wong_matched_is_the_kfold_t(data):
    errors_a, errors_b, n_test = data.draw(data_of("wong_matched_t"))
    d = (errors_a - errors_b) / n_test
    one = inference.infer("wong_matched_t", errors_a, errors_b, n_test)
    other = inference.infer("kfold_t", d)
    assert_same_test(one, other, "estimate", "variance")


@moderate
@given(data=st.data())
def test_combined_f_is_below_the_combined_t_and_shares_its_denominator(data):
    (d,) = data.draw(data_of("combined_5x2_f"))
    t, f = inference.infer("combined_5x2_t", d), inference.infer("combined_5x2_f", d)
    calibrated = inference.infer("calibrated_5x2_bcv_f", d)
    assert_close(t.variance, f.variance)
    assert_close(calibrated.statistic, f.statistic)
    assume(not f.degenerate)
    # 10 F = Σd²/s², t² = (Σd)²/(10 s²), and (Σd)² <= 10 Σd².
    assert t.statistic**2 <= 10.0 * f.statistic + 1e-9


@moderate
@given(data=st.data())
def test_loo_differences_and_counts_agree(data):
    (d,) = data.draw(data_of("loo_matched_t"))
    result = inference.infer("loo_matched_t", d)
    outcomes = result.extra["outcomes"]
    assert outcomes.tolist() == [int((d == value).sum()) for value in (-1, 0, 1)]
    assert result.extra["large_sample"] == (outcomes.min() >= 5)
    assert_same_test(result, inference.infer("kfold_t", d), "estimate")


@moderate
@given(data=st.data(), names=st.permutations([3, 11, -4]))
def test_fold_numbers_are_names_only(data, names):
    loss_a, loss_b, folds = data.draw(data_of("cvci_z"))
    renamed = np.array(names)[folds]
    for variance in ("out", "in"):
        one, other = (
            inference.infer("cvci_z", loss_a, loss_b, f, variance=variance)
            for f in (folds, renamed)
        )
        assert_same_test(other, one, "estimate", "variance")


@moderate
@given(data=st.data(), constant=st.integers(-64, 64))
def test_a_constant_added_to_both_losses_cancels(data, constant):
    loss_a, loss_b, folds = data.draw(data_of("cvci_z"))
    c = constant / 16
    for variance in ("out", "in"):
        one = inference.infer("cvci_z", loss_a, loss_b, folds, variance=variance)
        other = inference.infer(
            "cvci_z", loss_a + c, loss_b + c, folds, variance=variance, bounds=(c, 1 + c)
        )
        assert_same_test(other, one, "estimate", "variance")
        assert_close(other.extra["loss_a"], one.extra["loss_a"] + c)


@moderate
@given(data=st.data())
def test_variance_in_is_the_mean_of_the_fold_variances(data):
    loss_a, loss_b, folds = data.draw(data_of("cvci_z"))
    d = loss_a - loss_b
    result = inference.infer("cvci_z", loss_a, loss_b, folds, variance="in")
    by_hand = np.mean([d[folds == fold].var(ddof=1) for fold in np.unique(folds)]) / len(d)
    assert_close(result.variance, by_hand)
