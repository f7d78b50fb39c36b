"""Distributions and comparisons in plain Python, sharing nothing with the code under test.

Only `math`, `fractions` and `statistics`: p-values come from finite series, critical values from
bisection, so a mistake in a scipy call of the package cannot repeat itself here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

Number = Union[int, float, Fraction]

#: What a derivation in exact arithmetic must agree to.
EXACT = 1e-12


def decimals(text: str) -> list[Fraction]:
    """Fractions from decimals separated by blanks."""
    return [Fraction(word) for word in text.split()]


def floats(values: Iterable[Number]) -> list[float]:
    return [float(value) for value in values]


def mean(values: Iterable[Number]) -> Fraction:
    values = [Fraction(value) for value in values]
    return sum(values, Fraction(0)) / len(values)


def squares(values: Iterable[Number]) -> Fraction:
    """Sum of squares about the mean."""
    values = [Fraction(value) for value in values]
    centre = mean(values)
    return sum(((value - centre) ** 2 for value in values), Fraction(0))


def sample_variance(values: Iterable[Number]) -> Fraction:
    values = list(values)
    return squares(values) / (len(values) - 1)


def student_p(t: float, df: int) -> float:
    """P(|T| > |t|) for whole df: the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    theta = math.atan(abs(t) / math.sqrt(df))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = df % 2
    term, total = (cosine, cosine) if odd else (1.0, 1.0)
    start = 3 if odd else 2
    if df == 1:
        return 1.0 - 2.0 * theta / math.pi
    for power in range(start, df - 1, 2):
        term *= cosine**2 * (power - 1) / power
        total += term
    inside = (theta + sine * total) * 2.0 / math.pi if odd else sine * total
    return 1.0 - inside


def normal_p(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2.0))


def chi_squared_p(x: float, df: int) -> float:
    """P(X > x) for whole df (Abramowitz and Stegun 26.4.4 and 26.4.5)."""
    half = x / 2.0
    if df % 2 == 0:
        return math.exp(-half) * sum(half**i / math.factorial(i) for i in range(df // 2))
    tail = sum(half ** (i - 0.5) / math.gamma(i + 0.5) for i in range(1, (df + 1) // 2))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * tail


def fisher_p(x: float, df1: int, df2: int) -> float:
    """P(F > x) for even df1: a finite sum of the incomplete beta function."""
    a, b = df2 / 2.0, df1 // 2
    y = df2 / (df2 + df1 * x)
    term = total = 1.0
    for j in range(1, b):
        term *= (a + j - 1) / j * (1.0 - y)
        total += term
    return y**a * total


def solve(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """The x in [low, high] at which a falling function is `target`, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2.0
        if function(middle) > target:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def student_critical(alpha: float, df: int) -> float:
    return solve(lambda t: student_p(t, df), alpha, 0.0, 2000.0)


def normal_critical(alpha: float) -> float:
    return NormalDist().inv_cdf(1.0 - alpha / 2.0)


def close(actual: Any, expected: Any, rtol: float = EXACT) -> None:
    """Relative comparison only: no absolute tolerance that would let small numbers through."""
    if isinstance(expected, (list, tuple)):
        expected = np.array([float(value) for value in expected])
    elif isinstance(expected, Fraction):
        expected = float(expected)
    np.testing.assert_allclose(np.asarray(actual, dtype=float), expected, rtol=rtol, atol=0.0)


def check_student(
    result: Any,
    centre: Fraction,
    variance: Fraction,
    df: int,
    mu0: Number = 0,
    estimate: Optional[Fraction] = None,
    written: Optional[Fraction] = None,
) -> None:
    """Everything that a t-test reports, from its exact centre and the exact variance of that."""
    _check(result, centre, variance, mu0, estimate, written)
    assert result.null.family == "t"
    close(result.df, df)
    statistic = float(centre - Fraction(mu0)) / math.sqrt(variance)
    close(result.p_value, student_p(statistic, df))
    assert result.reject == (student_p(statistic, df) < 0.05)
    for level in (0.95, 0.9):
        _interval(result, level, centre, variance, student_critical(1.0 - level, df))


def check_normal(result: Any, centre: Fraction, variance: Fraction, mu0: Number = 0) -> None:
    """The same for a z-test."""
    _check(result, centre, variance, mu0, None, None)
    assert result.null.family == "normal" and result.df is None
    statistic = float(centre - Fraction(mu0)) / math.sqrt(variance)
    close(result.p_value, normal_p(statistic))
    assert result.reject == (normal_p(statistic) < 0.05)
    for level in (0.95, 0.9):
        _interval(result, level, centre, variance, normal_critical(1.0 - level))


def check_chi_squared(result: Any, estimate: Fraction, statistic: Fraction, df: int) -> None:
    """A chi-squared test has a sign only in its estimate and no variance."""
    close(result.estimate, estimate)
    close(result.statistic, statistic)
    assert result.null.family == "chi2" and result.df == df
    close(result.p_value, chi_squared_p(float(statistic), df))
    assert result.reject == (chi_squared_p(float(statistic), df) < 0.05)
    assert result.variance is None and not result.degenerate


def check_score_interval(result: Any, b: Fraction, c: Fraction, n: Fraction, kappa: int) -> None:
    """Both ends of a McNemar test's interval at two levels, from the likelihood of the table."""
    for level in (0.95, 0.9):
        low, high = result.interval() if level == 0.95 else result.interval(level)
        z = normal_critical(1.0 - level)
        # Tango 1998: the lower end is the upper one, sign turned, with A and B exchanged.
        expected = (-score_upper(c, b, n, kappa, z), score_upper(b, c, n, kappa, z))
        close((low, high), expected)


def score_upper(b: Fraction, c: Fraction, n: Fraction, kappa: int, z: float) -> float:
    """The d at which (n d - b + c - kappa)/√(n (p01 + p10 - d²)) is z; p10 = p, p01 = p + d.

    p is where the slope of the log likelihood b ln(p + d) + c ln p + (n - b - c) ln(1 - 2p - d)
    is zero, found by bisection, so that the closed form under test is not used.
    """
    only_a, only_b, total = float(b), float(c), float(n)

    def slope(p: float, d: float) -> float:
        if p <= max(0.0, -d) or 2.0 * p + d >= 1.0:
            return math.inf if p <= max(0.0, -d) else -math.inf
        rest = 2.0 * (total - only_a - only_b) / (1.0 - 2.0 * p - d)
        return only_a / (p + d) + only_b / p - rest

    def shortfall(d: float) -> float:
        p = solve(lambda p: slope(p, d), 0.0, max(0.0, -d), (1.0 - d) / 2.0)
        error = math.sqrt(total * (2.0 * p + d * (1.0 - d)))
        return z * error - (total * d - only_a + only_b - kappa)

    return solve(shortfall, 0.0, (only_a - only_b + kappa) / total, 1.0)


def _check(
    result: Any,
    centre: Fraction,
    variance: Fraction,
    mu0: Number,
    estimate: Optional[Fraction],
    written: Optional[Fraction],
) -> None:
    assert not result.degenerate
    close(result.estimate, centre if estimate is None else estimate)
    close(result.variance, variance if written is None else written)
    close(result.standard_error, math.sqrt(variance))
    close(result.statistic, float(centre - Fraction(mu0)) / math.sqrt(variance))


def _interval(
    result: Any, level: float, centre: Fraction, variance: Fraction, critical: float
) -> None:
    half = critical * math.sqrt(variance)
    low, high = result.interval() if level == 0.95 else result.interval(level)
    close((low, high), (float(centre) - half, float(centre) + half))
