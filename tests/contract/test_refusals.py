"""What a procedure cannot use it refuses: a ValueError with its name, and its scheme for shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contract.examples import EXAMPLES, INTERVALS, TESTS
from cvinfer import inference
from cvinfer.inference import InputError, ShapeError

pytestmark = pytest.mark.filterwarnings("error")

BAD_ALPHAS = [0, 1, -0.1, 1.5, float("nan"), float("inf"), "x", None, [0.05, 0.1]]
BAD_OPTIONS = [(name, options) for name, e in EXAMPLES.items() for options in e.bad_options]
WITH_MU0 = [name for name in TESTS if "mu0" in TESTS[name].variants[0]]


def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def refusal(name, *data, **options) -> str:
    with pytest.raises(InputError) as caught:
        inference.infer(name, *data, **options)
    assert isinstance(caught.value, ValueError)
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    return message


@pytest.mark.parametrize("alpha", BAD_ALPHAS, ids=str)
@pytest.mark.parametrize("name", EXAMPLES)
def test_alpha_outside_0_1(name, alpha):
    assert "alpha" in refusal(name, *EXAMPLES[name].draw(rng()), alpha=alpha)


@pytest.mark.parametrize("mu0", [float("nan"), float("inf"), "x", None, [0.0, 0.1]], ids=str)
@pytest.mark.parametrize("name", WITH_MU0)
def test_mu0_is_one_finite_number(name, mu0):
    assert "mu0" in refusal(name, *EXAMPLES[name].draw(rng()), mu0=mu0)


@pytest.mark.parametrize("name, options", BAD_OPTIONS, ids=str)
def test_options_out_of_range(name, options):
    message = refusal(name, *EXAMPLES[name].draw(rng()), **options)
    # Narrow bounds are fine in themselves: then it is the loss that lies outside.
    named = ["loss_a" if value == (0.0, 0.5) else option for option, value in options.items()]
    assert all(option in message for option in named)


@pytest.mark.parametrize("name", EXAMPLES)
def test_wrong_shapes_name_the_scheme(name):
    declared = inference.procedure(name)
    seen = 0
    for place, data in EXAMPLES[name].misshapen(rng()):
        seen += 1
        try:
            message = refusal(name, *data)
        except pytest.fail.Exception:
            pytest.fail(f"{name} accepts {place}")
        assert declared.scheme in message, place
        with pytest.raises(ShapeError):
            inference.infer(name, *data)
    assert seen or not any(argument.axes for argument in EXAMPLES[name].arguments)


@pytest.mark.parametrize("name", [name for name, e in EXAMPLES.items() if len(e.arguments) > 1])
def test_batches_that_do_not_fit_each_other(name):
    example = EXAMPLES[name]
    batched = [at for at, argument in enumerate(example.arguments) if argument.batched]
    for at in batched[1:]:
        data = list(example.draw(rng(), (3,)))
        data[at] = example.draw(rng(), (2,))[at]
        assert inference.procedure(name).scheme in refusal(name, *data)


@pytest.mark.parametrize("name", EXAMPLES)
def test_entries_that_are_not_of_their_kind(name):
    for place, data in EXAMPLES[name].spoilt(rng()):
        try:
            refusal(name, *data)
        except pytest.fail.Exception:
            pytest.fail(f"{name} accepts {place}")


@pytest.mark.parametrize(
    "bad",
    [
        "words",
        ["a", "b"],
        None,
        {"a": 1},
        [[0.1, 0.2], [0.3]],
        1j,
        np.array([0.1 + 1j, 0.2, 0.3]),
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        pytest.param(object(), id="an object"),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_not_numbers(name, bad):
    example = EXAMPLES[name]
    for at, argument in enumerate(example.arguments):
        if bad is None and argument.name in ("n_test_a", "n_test_b"):
            continue  # the two that may be left out
        data = list(example.draw(rng()))
        data[at] = bad
        assert argument.name in refusal(name, *data)


@pytest.mark.parametrize("name", ["wong_matched_t", "loo_independent_z", *INTERVALS])
def test_more_errors_than_records(name):
    example = EXAMPLES[name]
    for at, argument in enumerate(example.arguments):
        if argument.kind != "count":
            continue
        data = list(example.draw(rng(), (3,)))
        data[at] = np.array(data[at])
        data[at][(-1,) * data[at].ndim] = 31
        assert "31 errors" in refusal(name, *data)


@pytest.mark.parametrize(
    "name", ["proportion_z", "holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar"]
)
def test_a_table_without_records(name):
    data = np.array(EXAMPLES[name].draw(rng(), (3,))[0])
    data[(1,) + (0,) * (data.ndim - 2)] = 0
    assert "at least one record" in refusal(name, data)


def test_folds_of_cvci():
    loss_a, loss_b, folds = EXAMPLES["cvci_z"].draw(rng(), (3,))
    assert "at least 2 folds" in refusal("cvci_z", loss_a, loss_b, np.zeros_like(folds))
    uneven = np.where(np.arange(3)[:, None] == 1, np.minimum(folds, 3), folds)
    message = refusal("cvci_z", loss_a, loss_b, uneven, variance="in")
    assert "same set of fold numbers" in message
    single = np.arange(40) // 39
    assert "two records" in refusal("cvci_z", loss_a, loss_b, single, variance="in")


def test_wong_welch_takes_both_fold_sizes_or_none():
    errors_a, errors_b, n_test_a, n_test_b = EXAMPLES["wong_welch_t"].draw(rng())
    assert "large_sample" not in inference.infer("wong_welch_t", errors_a, errors_b).extra
    for sizes in ({"n_test_a": n_test_a}, {"n_test_b": n_test_b}):
        assert "n_test_b" in refusal("wong_welch_t", errors_a, errors_b, **sizes)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, float("nan"), "x", [0.9, 0.95]], ids=str)
def test_level_of_a_result(level):
    for name in ("kfold_t", "combined_5x2_f"):
        result = inference.infer(name, *EXAMPLES[name].draw(rng()))
        with pytest.raises(InputError, match="level must lie strictly between 0 and 1"):
            result.interval(level=level)


def test_f1_distribution_refuses():
    for a, b in [(0, 1), (1, -1), (np.nan, 1), (1, np.inf), ("x", 1), ([1, 2], [1, 2, 3])]:
        with pytest.raises(InputError):
            inference.F1Distribution(a, b)
    posterior = inference.F1Distribution(3.0, 4.0)
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(InputError, match="q must lie"):
            posterior.ppf(q)
    for level in (0, 1, 1.5, np.nan, "x"):
        with pytest.raises(InputError, match="level"):
            posterior.interval(level)
    with pytest.raises(InputError, match="r > -b"):
        posterior.moment(-4)


def test_variances_and_measures_refuse():
    d = np.zeros((4, 3, 2))
    refused = [
        (inference.l_estimator, (np.zeros((3, 3)),)),
        (inference.l_estimator, (np.full((3, 2), np.nan),)),
        (inference.al_estimator, (np.zeros((3, 2)), -1.0)),
        (inference.al_estimator, (np.zeros(6),)),
        (inference.variance_components, (d,)),
        (inference.variance_components, (d[0],)),
        (inference.mx2_variance, (-1.0, 0.5, 0.5, 3)),
        (inference.mx2_variance, (1.0, np.nan, 0.5, 3)),
        (inference.mx2_variance, (1.0, 0.5, 0.5, 0)),
        (inference.theta_estimates, (np.arange(6.0), [0, 0, 0, 0, 1, 1])),
        (inference.theta_estimates, (np.arange(6.0), np.arange(6))),
        (inference.effective_factor, (0,)),
        (inference.effective_factor, (5, 2.0)),
        (inference.effective_table, (np.zeros((5, 2, 4)),)),
        (inference.effective_table, (np.ones((5, 3, 4)),)),
        (inference.block_rho_to_rho, (1.0, 10)),
        (inference.block_rho_to_rho, (-0.5, 10)),
        (inference.rho_to_block_rho, (1.5, 10)),
        (inference.rho_alpha, ([0.1],)),
        (inference.rho_alpha, ([0.1, np.nan],)),
        (inference.political_ratio, ("holdout_mcnemar",)),
        (inference.political_ratio, ("kfold_t", 1.0)),
        (inference.replicability, ([3, 11], 10)),
        (inference.replicability, ([3, -1], 10)),
        (inference.replicability, ([3, 2.5], 10)),
        (inference.replicability, ([1], 1)),
        (inference.rejection_rate, ([],)),
        (inference.rejection_rate, ([2.0],)),
        (inference.interval_length, ([1.0], [0.0])),
        (inference.degree_of_confidence, ([0.0], [1.0], np.nan)),
        (inference.skewness, ([1.0, 2.0],)),
        (inference.skewness, ([0.3] * 10,)),
        (inference.f1_scores, ([1, 2, 3],)),
        (inference.f1_scores, ([1, 2, -3, 4],)),
    ]
    for function, arguments in refused:
        with pytest.raises(InputError):
            function(*arguments)
            pytest.fail(f"{function.__name__}{arguments} is accepted")


def test_refusals_name_what_was_given():
    with pytest.raises(InputError, match="11 rejections of 10 runs"):
        inference.replicability([3, 11], 10)
    with pytest.raises(InputError, match="kfold_t: alpha must be a finite number, got nan"):
        inference.infer("kfold_t", [0.1, 0.2], alpha=float("nan"))


@pytest.mark.parametrize("name", ["f1_beta_prime", "precision_beta", "recall_beta"])
@pytest.mark.parametrize("shape", [(7, 2, 4), (2, 2, 4), (1, 2, 4), (3, 4, 2, 4), (0, 2, 4)])
def test_matrices_whose_splits_the_shape_does_not_tell(name, shape):
    matrices = rng().integers(1, 30, shape)
    message = refusal(name, matrices)
    assert "split_axes" in message and str(shape) in message and "scheme" in message
    batch = inference.infer(name, matrices, split_axes=0)
    assert np.shape(batch.point) == shape[:-1]
    folds = inference.infer(name, matrices, split_axes=1)
    assert np.shape(folds.point) == shape[:-2] and folds.scheme == "kfold"
    if 0 not in shape:
        halves = inference.infer(name, matrices, split_axes=2)
        assert np.shape(halves.point) == shape[:-3] and halves.scheme == "blocked_mx2"


@pytest.mark.parametrize("name", ["f1_beta_prime", "precision_beta", "recall_beta"])
def test_matrices_that_do_not_fit_their_scheme(name):
    for shape, scheme, wanted in [
        ((5, 4), "blocked_mx2", "m, 2, 4"),
        ((5, 3, 4), "random_mx2", "m, 2, 4"),
        ((4,), "kfold", "K, 4"),
        ((4,), "loo", "n, 4"),
        ((9, 4), "repeated_kfold", "R, K, 4"),
    ]:
        message = refusal(name, rng().integers(1, 30, shape), scheme=scheme)
        assert f"confusions of {scheme} must have shape (..., {wanted}), got {shape}" in message
