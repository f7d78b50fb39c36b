"""Measures of how tests and intervals behave over many runs."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.result import unwrap


class Rate(NamedTuple):
    """A proportion over simulated runs with its Monte Carlo standard error."""

    rate: Any
    standard_error: Any


class Skewness(NamedTuple):
    """SK1, the third standardised sample moment, and SK2 = (x̄ - mode)/s."""

    sk1: Any
    sk2: Any


def replicability(rejections: Any, runs: int) -> Any:
    """Mean over data sets of R(k, n) = (C(k,2) + C(n-k,2)) / C(n,2).

    The probability that two runs of a test on the same data agree, k of n `runs` having rejected
    (Bouckaert and Frank 2004). `rejections` has shape (..., data sets); one number is one data set.
    """
    k = checks.counts(rejections, "rejections")
    n = checks.number(checks.counts(runs, "runs"), "runs")
    if n < 2:
        raise checks.InputError(f"runs must be at least 2, got {n:g}")
    checks.at_most(k, np.asarray(n), "rejections", "runs", ("rejections", "runs"))
    agree = (k * (k - 1.0) + (n - k) * (n - k - 1.0)) / (n * (n - 1.0))
    return unwrap(np.asarray(agree.mean(axis=-1) if agree.ndim else agree))


def rejection_rate(reject: Any, axis: int = 0) -> Rate:
    """Share of rejections over runs (type I error under H0, power otherwise) with its error.

    The standard error is sqrt(p (1 - p)/runs).
    """
    values = checks.rates(reject, "reject")
    if values.ndim == 0 or values.shape[axis] == 0:
        raise checks.InputError("reject must have at least one run")
    rate = values.mean(axis=axis)
    error = np.sqrt(rate * (1.0 - rate) / values.shape[axis])
    return Rate(unwrap(np.asarray(rate)), unwrap(np.asarray(error)))


def degree_of_confidence(lower: Any, upper: Any, truth: Any, axis: int = 0) -> Rate:
    """Share of runs whose interval [lower, upper] holds `truth` (coverage), with its error."""
    low, high = checks.floats(lower, "lower"), checks.floats(upper, "upper")
    held = (low <= checks.floats(truth, "truth")) & (truth <= high)
    return rejection_rate(held, axis=axis)


def interval_length(lower: Any, upper: Any, axis: int = 0) -> Any:
    """Mean of upper - lower over runs."""
    length = checks.floats(upper, "upper") - checks.floats(lower, "lower")
    if (length < 0).any():
        raise checks.InputError("an interval has its upper end below its lower one")
    return unwrap(np.asarray(length.mean(axis=axis)))


def disagreement_variance(tables: Any) -> Any:
    """Var[E_e] over runs: how far the estimated disagreement moves (Yang et al. 2023, table 6).

    E_e = (n̄01 + n̄10)/n̄ of a run's mean table estimates e = P(A and B disagree), on the effective
    table as on the mean one; the smaller its variance, the better the partition. `tables` of
    shape (..., runs, m, 2, 4), at least 2 runs; the divisor is runs - 1. Always the disagreement
    of the two learners: it says nothing about which of them is worse.
    """
    tables = checks.tables(tables, ("runs", None), ("m", None), ("2", 2))
    average = tables.mean(axis=(-3, -2))
    disagreement = (average[..., 1] + average[..., 2]) / average.sum(axis=-1)
    return unwrap(np.asarray(disagreement.var(axis=-1, ddof=1)))


def skewness(x: Any, mode: Optional[float] = None) -> Skewness:
    """Sample skewness over the last axis (Wang et al. 2015, eq. 10 and 11).

    SK1 = n/((n-1)(n-2)) sum (x_i - x̄)³ / s³ and SK2 = (x̄ - mode)/s with s² the sample variance;
    SK2 is NaN without a `mode`.
    """
    values = checks.differences(x, ("n", None), name="x")
    n = values.shape[-1]
    if n < 3:
        raise checks.InputError(f"skewness needs at least 3 values, got {n}")
    mean = values.mean(axis=-1, keepdims=True)
    s = values.std(axis=-1, ddof=1)
    if (s <= 1e-12 * np.abs(values).max(axis=-1)).any():
        raise checks.InputError("x does not vary, so it has no skewness")
    third = np.sum((values - mean) ** 3, axis=-1) * n / ((n - 1.0) * (n - 2.0))
    center = np.nan if mode is None else checks.floats(mode, "mode")
    sk2 = (mean[..., 0] - center) / s
    return Skewness(unwrap(np.asarray(third / s**3)), unwrap(np.asarray(sk2)))
