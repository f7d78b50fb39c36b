"""The populations: their laws by moments and by hand, and their keyed streams."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from cvinfer.data import Dataset, load
from cvinfer.data.populations import (
    draw,
    exp6_class,
    exp6_grid,
    generator,
    outcomes,
    populations,
)
from cvinfer.errors import UserError

Fault = Callable[..., UserError]


def sample(name: str, n: int, **parameters: Any) -> tuple[np.ndarray, np.ndarray]:
    drawn = draw(name, n, np.random.default_rng(5), **parameters)
    return drawn.features, drawn.target


def test_every_population_is_a_data_set(tmp_path: Path) -> None:
    shapes = {
        "two_gaussians": (200, 2, 2),
        "exp6": (300, 2, 6),
        "simple": (1000, 1, 2),
        "s0_example1": (200, 10, 2),
        "s0_example2": (512, 5, 2),
        "s0_experiment1_small": (40, 3, 2),
        "s0_experiment1_large": (1024, 300, 2),
        "s0_experiment2": (150, 5, 2),
        "s0_experiment3": (40, 5, 2),
    }
    assert {name for name, one in populations.items() if one.law is not None} == set(shapes)
    for name, (n, p, k) in shapes.items():
        data = load({"source": "synthetic", "population": name}, tmp_path, 3)
        assert isinstance(data, Dataset) and data.name == name
        assert (data.n, len(data.features), data.n_classes) == (n, p, k)
        assert data.features[-1].name == f"x{p}" and data.target_name == "y"


def test_streams_are_keyed_by_seed_and_name(tmp_path: Path) -> None:
    def drawn(seed: int, name: str) -> np.ndarray:
        data = load({"source": "synthetic", "population": name, "n": 50}, tmp_path, seed)
        assert isinstance(data, Dataset)
        return np.asarray(data.features[0].values)

    assert (drawn(1, "s0_experiment2") == drawn(1, "s0_experiment2")).all()
    assert (drawn(1, "s0_experiment2") != drawn(2, "s0_experiment2")).any()
    # One law under two names: two streams.
    assert (drawn(1, "s0_experiment2") != drawn(1, "s0_experiment3")).all()
    again = draw("simple", 50, generator(1, "simple"))
    assert (again.features[:, 0] == drawn(1, "simple")).all()


def moments(x: np.ndarray, mean: Any, variance: float) -> None:
    """Mean and covariance within five standard errors."""
    n = len(x)
    assert np.abs(x.mean(axis=0) - mean).max() < 5 * math.sqrt(variance / n)
    covariance = np.atleast_2d(np.cov(x.T))
    wanted = variance * np.eye(x.shape[1])
    assert np.abs(covariance - wanted).max() < 5 * variance * math.sqrt(2 / n)


@pytest.mark.parametrize("name, dim", [("s0_example1", 10), ("s0_experiment2", 5)])
def test_two_gaussians_of_s0(name: str, dim: int) -> None:
    x, y = sample(name, 40_000)
    assert x.shape == (40_000, dim) and y.sum() == 20_000
    moments(x[y == 0], 0.0, 1.0)
    moments(x[y == 1], 1.0, 2.0)


def test_two_gaussians_with_parameters() -> None:
    x, y = sample("two_gaussians", 30_000)
    moments(x[y == 0], 0.0, 1.0)
    moments(x[y == 1], 1.0, 1 / 6)
    x, y = sample("two_gaussians", 30_000, mu0=[1, 2, 3], mu1=-1, sigma0=0.25, sigma1=4)
    moments(x[y == 0], [1, 2, 3], 0.25)
    moments(x[y == 1], [-1, -1, -1], 4.0)
    assert sample("two_gaussians", 31, dim=4)[0].shape == (31, 4)
    assert np.bincount(sample("two_gaussians", 31)[1]).tolist() == [15, 16]


@pytest.mark.parametrize("name, each", [("s0_experiment1_small", 1), ("s0_experiment1_large", 100)])
def test_experiment_1(name: str, each: int) -> None:
    x, y = sample(name, 20_000)
    assert y.sum() == 10_000
    moments(x[y == 1], 0.0, 1.0)
    moments(x[y == 0], np.repeat([0.4, 0.3, 0.0], each), 1.0)


def test_simple() -> None:
    x, y = sample("simple", 40_000, delta=0.7)
    assert abs(y.mean() - 0.5) < 0.0125
    moments(x[y == 0], 0.0, 1.0)
    moments(x[y == 1], 0.7, 1.0)


def test_logistic_law() -> None:
    x, y = sample("s0_example2", 60_000)
    moments(x, 0.0, 1.0)
    score = 1 + 1.5 * x.sum(axis=1)
    law = 1 / (1 + np.exp(-score))
    for weight in (np.ones(60_000), score, *x.T):
        spread = math.sqrt((law * (1 - law) * weight**2).sum())
        assert abs(((y - law) * weight).sum()) < 5 * spread
    for low in (-4, -2, -1, 0, 1, 2, 4):
        near = np.abs(score - low) < 0.5
        probability = 1 / (1 + np.exp(-score[near]))
        error = np.sqrt((probability * (1 - probability)).sum()) / near.sum()
        assert abs(y[near].mean() - probability.mean()) < 5 * error


def test_exp6_grid_by_hand() -> None:
    """The six lines in exact arithmetic (the sine apart), point by point."""
    from fractions import Fraction

    grid = exp6_grid()
    assert grid.features.shape == (22_801, 2) and len(set(map(tuple, grid.features))) == 22_801
    twice = 0
    for (x1, x2), code in zip(grid.features.tolist(), grid.target.tolist()):
        x, y = Fraction(round(10 * x1), 10), Fraction(round(10 * x2), 10)
        a = y >= x * x - 4 * x + 6
        b = x2 >= 4 * math.sin(x1 / 2) + 8
        c = y >= -(x * x - 108 * x + 236) / 25
        lines = [
            a and b,
            not a and b and c,
            a and not b,
            not a and not b and c,
            b and not c,
            not b and not c,
        ]
        assert lines.index(True) == code
        twice += sum(lines) == 2
        assert sum(lines) in (1, 2)
    # The contract counts 166 grid points that satisfy two lines.
    assert twice == 166


def test_exp6_is_uniform_on_the_grid() -> None:
    x, y = sample("exp6", 50_000)
    tenths = np.rint(10 * x).astype(np.int64)
    assert np.array_equal(tenths / 10, x) and tenths.min() == 0 and tenths.max() == 150
    assert np.array_equal(exp6_class(tenths), y)
    counts = np.bincount(tenths.ravel(), minlength=151)
    expected = 100_000 / 151
    # Pearson's statistic on 150 degrees of freedom; 237 is beyond the 1e-5 quantile.
    assert ((counts - expected) ** 2 / expected).sum() < 237


@pytest.mark.parametrize(
    "options, path, words",
    [
        ({"population": "exp6", "delta": 1}, ("delta",), "no parameter 'delta'"),
        ({"population": "simple", "n": 1}, ("n",), "at least 2"),
        ({"population": "two_gaussians", "sigma1": 0}, ("sigma1",), "above 0"),
        ({"population": "two_gaussians", "mu0": [1, 2], "dim": 3}, ("mu0",), "2 number(s)"),
        ({"population": "two_gaussians", "mu0": [1, "2"]}, ("mu0",), "finite number"),
        ({"population": "two_gaussians", "mu1": float("nan")}, ("mu1",), "finite number"),
        ({"population": "two_gaussians", "dim": 0}, ("dim",), "from 1 on"),
    ],
)
def test_faults(
    fault: Fault, options: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    found = fault(source="synthetic", **options)
    assert words in str(found) and found.path == path


# --- losses alone ---------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 0.4])
def test_epsilon_has_its_error_rates(epsilon: float) -> None:
    codes = outcomes("epsilon", 4000, 61, np.random.default_rng(4), epsilon=epsilon)
    assert codes.shape == (4000, 61) and codes.dtype == np.int8
    assert set(np.unique(codes)) == {0, 1, 2, 3}
    wrong_a, wrong_b = codes < 2, codes % 2 == 0
    low, high = epsilon / 2, 3 * epsilon / 2
    for part, rates in ((slice(0, 30), (low, high)), (slice(30, 61), (high, low))):
        for wrong, rate in zip((wrong_a, wrong_b), rates):
            found, count = wrong[:, part].mean(), wrong[:, part].size
            assert abs(found - rate) < 4 * math.sqrt(rate * (1 - rate) / count)
        both = (wrong_a & wrong_b)[:, part]
        assert abs(both.mean() - low * high) < 4 * math.sqrt(low * high / both.size)


def test_epsilon_is_refused_where_records_are_wanted(fault: Fault) -> None:
    error = fault(source="synthetic", population="epsilon")
    assert error.path == ("population",) and "brings the losses of two learners" in str(error)


@pytest.mark.parametrize(
    "n, parameters, path, words",
    [
        (1, {}, ("n",), "at least 2 are needed"),
        (300, {"epsilon": 0.7}, ("epsilon",), "between 0 and 2/3, not 0.7"),
        (300, {"epsilon": -0.1}, ("epsilon",), "between 0 and 2/3"),
        (300, {"epsilon": "much"}, ("epsilon",), "must be a finite number"),
        (300, {"delta": 1}, ("delta",), "has no parameter 'delta'"),
    ],
)
def test_losses_that_cannot_be_drawn(n: int, parameters: Any, path: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        populations["epsilon"].check_losses(n, parameters)
    assert caught.value.path == path
    populations["epsilon"].check_losses(300, {"epsilon": 2 / 3})


def test_a_population_of_records_has_no_losses() -> None:
    with pytest.raises(UserError, match="'simple' brings no losses"):
        outcomes("simple", 1, 10, np.random.default_rng(0))
