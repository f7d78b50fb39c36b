"""The synthetic populations of the papers: laws from which records, or losses, are drawn.

S0, S1, S3 are the papers on the blocked 3×2 t test, the 5×2 BCV McNemar test and the F1 interval.
`draw` takes any numpy generator, so that a simulation can draw many data sets; one data set of a
spec is drawn from the generator of its seed and the population's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.partitions.streams import stream
from cvinfer.registry import Registry

__all__ = [
    "Draw",
    "Population",
    "draw",
    "exp6_class",
    "exp6_grid",
    "generator",
    "outcomes",
    "populations",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Outcomes = NDArray[np.int8]


@dataclass(frozen=True)
class Draw:
    """Records of a population: features (n, p), class codes (n,), class labels."""

    features: Floats
    target: Codes
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Population:
    """A population by name.

    n: the papers' number of records, taken when none is given. parameters: those that may be set,
    with their defaults. law: from a generator, n and the parameters to records; None where there
    are none, only losses. classes: the labels of all records. census: every record that there can
    be, each once, where they can be told. losses: from a generator, a number of replications, n and
    the parameters to the outcome of each record, (replications, n): 0 both learners wrong, 1 only A
    wrong, 2 only B wrong, 3 both right. Such a population brings the losses of two learners itself.
    """

    name: str
    description: str
    n: int
    parameters: Mapping[str, Any]
    law: Callable[..., Draw] | None
    classes: tuple[str, ...] = ("0", "1")
    census: Callable[[], Draw] | None = None
    losses: Callable[..., Outcomes] | None = None

    def check_losses(self, n: int, parameters: Mapping[str, Any]) -> None:
        """Refuse a number of records or parameters for which losses cannot be drawn."""
        outcomes(self.name, 0, n, np.random.Generator(np.random.PCG64(0)), **parameters)


#: Every population by its name, in the order of the papers.
populations: Registry[Population] = Registry("population", beyond=(__name__,))


def _add(
    name: str,
    description: str,
    n: int,
    law: Callable[..., Draw],
    *,
    classes: tuple[str, ...] = ("0", "1"),
    census: Callable[[], Draw] | None = None,
    **parameters: Any,
) -> None:
    population = Population(
        name, description, n, MappingProxyType(parameters), law, classes, census
    )
    populations.add(name, population, __name__)


def generator(seed: int, name: str) -> np.random.Generator:
    """The generator of a population for a seed; no other name shares its stream."""
    return np.random.Generator(stream(seed, "population", name))


def draw(name: str, n: int | None, rng: np.random.Generator, **parameters: Any) -> Draw:
    """n records of the population; parameters it does not have are refused."""
    found = populations.find(name, ("population",))
    if found.law is None:
        fault = (
            f"{name!r} has no features to learn from: it brings the losses of two learners itself,"
            " which a study can take"
        )
        with_records = [each for each, other in populations.items() if other.law is not None]
        raise UserError(fault, ("population",), ", ".join(with_records))
    size, given = _checked(found, n, parameters)
    return found.law(rng, size, **given)


def outcomes(
    name: str, replications: int, n: int | None, rng: np.random.Generator, **parameters: Any
) -> Outcomes:
    """What two learners make of n records, (replications, n); see `Population.losses`."""
    found = populations.find(name, ("population",))
    if found.losses is None:
        with_losses = [each for each, other in populations.items() if other.losses is not None]
        fault = f"the population {name!r} brings no losses"
        raise UserError(fault, ("population",), ", ".join(with_losses))
    size, given = _checked(found, n, parameters)
    return found.losses(rng, replications, size, **given)


def _checked(
    found: Population, n: int | None, parameters: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """The number of records, and all parameters."""
    for key in parameters:
        if key not in found.parameters:
            fault = f"population {found.name!r} has no parameter {key!r}"
            raise UserError(fault, (key,), ", ".join(found.parameters) or "none")
    size = found.n if n is None else n
    if size < 2:
        raise UserError(f"n = {size} records; at least 2 are needed", ("n",))
    return size, {**found.parameters, **parameters}


# Two Gaussian populations -------------------------------------------------------------------------


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UserError(f"{key} must be a finite number, not {value!r}", (key,))
    return float(value)


def _vector(key: str, value: Any, dim: int) -> Floats:
    if isinstance(value, (list, tuple)):
        found = np.array([_number(key, entry) for entry in value])
        if len(found) != dim:
            raise UserError(f"{key} holds {len(found)} number(s), but dim = {dim}", (key,))
        return found
    return np.full(dim, _number(key, value))


def _dimension(dim: Any, *means: Any) -> int:
    if dim is None:
        lengths = [len(mean) for mean in means if isinstance(mean, (list, tuple))]
        dim = lengths[0] if lengths else 2
    if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
        raise UserError(f"dim must be a whole number from 1 on, not {dim!r}", ("dim",))
    return int(dim)


def _two_gaussians(
    rng: np.random.Generator, n: int, mu0: Any, mu1: Any, sigma0: Any, sigma1: Any, dim: Any
) -> Draw:
    """X | Y = k ~ N(mu_k, sigma_k I), n/2 records of each class; class 1 has the odd one.

    sigma_k scales the identity matrix of the covariance: it is a variance, not a deviation.
    """
    size = _dimension(dim, mu0, mu1)
    limits.room(n * size, f"{n:,} records of {limits.shown_count(size)} features", ("dim",))
    means = np.stack([_vector("mu0", mu0, size), _vector("mu1", mu1, size)])
    variances = np.array([_number("sigma0", sigma0), _number("sigma1", sigma1)])
    for key, variance in zip(("sigma0", "sigma1"), variances):
        if variance <= 0:
            raise UserError(f"{key} must be a variance above 0, not {variance:g}", (key,))
    target = (np.arange(n) >= n // 2).astype(np.int32)
    noise = rng.standard_normal((n, size))
    features = means[target] + np.sqrt(variances)[target][:, None] * noise
    return Draw(features, target, ("0", "1"))


def _shifted(rng: np.random.Generator, n: int, each: int) -> Draw:
    """Y = 1: all standard normal. Y = 0: `each` features each with mean 0.4, 0.3 and 0."""
    shift = np.repeat([0.4, 0.3, 0.0], each)
    target = (np.arange(n) >= n // 2).astype(np.int32)
    features = rng.standard_normal((n, 3 * each)) + np.where(target[:, None] == 0, shift, 0.0)
    return Draw(features, target, ("0", "1"))


# Other laws ---------------------------------------------------------------------------------------


def _logistic(rng: np.random.Generator, n: int) -> Draw:
    """Five standard normal features; P(Y = 1 | x) = 1 / (1 + exp(-(1 + 1.5 Σ x_i)))."""
    features = rng.standard_normal((n, 5))
    score = 1.0 + 1.5 * features.sum(axis=1)
    target = (rng.random(n) * (1.0 + np.exp(-score)) < 1.0).astype(np.int32)
    return Draw(features, target, ("0", "1"))


def exp6_class(tenths: NDArray[np.int64]) -> Codes:
    """Class code (0 for Y1) of grid points given as tenths (10 x1, 10 x2) on the last axis.

    S1 eq. 16 and 17, read top to bottom. The two parabolas are compared in whole numbers, so that
    points on them fall on the right side: f1 times 100, f3 times 2500.
    """
    k, j = tenths[..., 0].astype(np.int64), tenths[..., 1].astype(np.int64)
    above1 = 10 * j >= k * k - 40 * k + 600
    above2 = j / 10 >= 4 * np.sin(k / 20) + 8
    above3 = 250 * j >= -(k * k - 1080 * k + 23600)
    lines = [
        above1 & above2,
        ~above1 & above2 & above3,
        above1 & ~above2,
        ~above1 & ~above2 & above3,
        above2 & ~above3,
        ~above2 & ~above3,
    ]
    return np.select(lines, range(6), default=-1).astype(np.int32)


_EXP6 = tuple(f"Y{number}" for number in range(1, 7))


def exp6_grid() -> Draw:
    """All 151 × 151 points of the EXP6 grid, on which S1 takes true error rates."""
    tenths = np.stack(np.meshgrid(np.arange(151), np.arange(151), indexing="ij"), axis=-1)
    tenths = tenths.reshape(-1, 2)
    return Draw(tenths / 10, exp6_class(tenths), _EXP6)


def _exp6(rng: np.random.Generator, n: int) -> Draw:
    """x1, x2 uniform on the grid 0, 0.1, ..., 15; class by three curves."""
    tenths = rng.integers(0, 151, size=(n, 2))
    return Draw(tenths / 10, exp6_class(tenths), _EXP6)


_SIMPLE = ("Y1", "Y2")


def _simple(rng: np.random.Generator, n: int, delta: Any) -> Draw:
    """Class by a fair coin; x | Y1 ~ N(0, 1), x | Y2 ~ N(delta, 1)."""
    target = (rng.random(n) < 0.5).astype(np.int32)
    features = rng.standard_normal((n, 1)) + _number("delta", delta) * target[:, None]
    return Draw(features, target, _SIMPLE)


_add(
    "two_gaussians",
    "classes 0 and 1 from N(mu0, sigma0 I) and N(mu1, sigma1 I), n/2 records each; the defaults "
    "are S0 table 6, simulation 1",
    200,
    _two_gaussians,
    mu0=0.0,
    mu1=1.0,
    sigma0=1.0,
    sigma1=1 / 6,
    dim=None,
)
_add(
    "exp6",
    "six classes on a grid of two features (S1)",
    300,
    _exp6,
    classes=_EXP6,
    census=exp6_grid,
)
_add(
    "simple",
    "N(0, 1) against N(delta, 1), class by a fair coin (S1)",
    1000,
    _simple,
    classes=_SIMPLE,
    delta=0.0,
)


def _fixed_gaussians(dim: int) -> Callable[[np.random.Generator, int], Draw]:
    return lambda rng, n: _two_gaussians(rng, n, 0.0, 1.0, 1.0, 2.0, dim)


_add(
    "s0_example1",
    "N(0, I) against N(1, 2I) in 10 dimensions (S0 example 1)",
    200,
    _fixed_gaussians(10),
)
_add("s0_example2", "logistic law on 5 normal features (S0 example 2)", 512, _logistic)
_add(
    "s0_experiment1_small",
    "means shifted by 0.4, 0.3, 0 in 3 features (S0 experiment 1)",
    40,
    lambda rng, n: _shifted(rng, n, 1),
)
_add(
    "s0_experiment1_large",
    "means shifted by 0.4, 0.3, 0 in 300 features (S0 experiment 1)",
    1024,
    lambda rng, n: _shifted(rng, n, 100),
)
_add(
    "s0_experiment2",
    "N(0, I) against N(1, 2I) in 5 dimensions (S0 experiment 2)",
    150,
    _fixed_gaussians(5),
)
_add("s0_experiment3", "the law of s0_experiment2 (S0 experiment 3)", 40, _fixed_gaussians(5))


# Losses alone -------------------------------------------------------------------------------------


def _epsilon(rng: np.random.Generator, replications: int, n: int, epsilon: Any) -> Outcomes:
    """On the first half of the records A errs with probability ε/2 and B with 3ε/2, on the second
    the other way round: both have the error rate ε, and no training set changes anything."""
    rate = _number("epsilon", epsilon)
    if not 0 <= rate <= 2 / 3:
        fault = f"epsilon must be between 0 and 2/3, not {rate:g}: 3/2 of it is an error rate"
        raise UserError(fault, ("epsilon",))
    rate_a = np.where(np.arange(n) < n // 2, rate / 2, 3 * rate / 2).astype(np.float32)
    rate_b = 2 * np.float32(rate) - rate_a
    right_a = rng.random((replications, n), dtype=np.float32) >= rate_a
    right_b = rng.random((replications, n), dtype=np.float32) >= rate_b
    return (2 * right_a.view(np.int8) + right_b.view(np.int8)).astype(np.int8)


populations.add(
    "epsilon",
    Population(
        "epsilon",
        "losses of two learners that err equally often, mostly on other records (S1)",
        300,
        MappingProxyType({"epsilon": 0.1}),
        None,
        losses=_epsilon,
    ),
    __name__,
)
