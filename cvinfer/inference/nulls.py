"""The null distributions of the tests; scipy is loaded when one is first evaluated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cvinfer.inference.checks import Floats


class Null(NamedTuple):
    """A null distribution: `family` ("t", "normal", "F" or "chi2") and its parameters.

    The parameters are degrees of freedom; for Welch's t they are an array of the batch shape.
    """

    family: str
    parameters: tuple[Any, ...]

    def __str__(self) -> str:
        if self.family == "normal":
            return "N(0, 1)"
        inside = ", ".join(_short(p) for p in self.parameters)
        return f"{'χ²' if self.family == 'chi2' else self.family}({inside})"

    @property
    def df(self) -> Any:
        """Degrees of freedom: a number, an array, a pair for F, None for the normal."""
        if not self.parameters:
            return None
        return self.parameters[0] if len(self.parameters) == 1 else self.parameters

    @property
    def two_sided(self) -> bool:
        """Whether a test rejects where |statistic| is large, and not the statistic alone."""
        return self.family in ("t", "normal")

    def p_value(self, statistic: Floats) -> Floats:
        """Two-sided for t and normal; upper tail for F and chi-squared."""
        from scipy import special

        if self.family == "t":
            return np.asarray(2.0 * special.stdtr(self.parameters[0], -np.abs(statistic)))
        if self.family == "normal":
            return np.asarray(2.0 * special.ndtr(-np.abs(statistic)))
        if self.family == "F":
            return np.asarray(special.fdtrc(*self.parameters, statistic))
        return np.asarray(special.chdtrc(self.parameters[0], statistic))

    def critical(self, alpha: float) -> Floats:
        """The value that |statistic| (t, normal) or the statistic (F, chi2) must exceed."""
        from scipy import special

        if self.family == "normal":
            return np.asarray(-special.ndtri(alpha / 2.0))
        if self.family == "t":
            return _t_critical(np.asarray(self.parameters[0], dtype=np.float64), alpha)
        if self.family == "F":
            return np.asarray(special.fdtri(*self.parameters, 1.0 - alpha))
        return np.asarray(special.chdtri(self.parameters[0], alpha))


def _t_critical(df: Floats, alpha: float) -> Floats:
    """The upper alpha/2 point of t(df).

    Some versions of scipy give nine digits only; two Newton steps on the tail mend that.
    """
    from scipy import special

    x = -np.asarray(special.stdtrit(df, alpha / 2.0))
    constant = special.gammaln((df + 1.0) / 2.0) - special.gammaln(df / 2.0)
    constant = constant - 0.5 * np.log(df * np.pi)
    for _ in range(2):
        density = np.exp(constant - (df + 1.0) / 2.0 * np.log1p(x * x / df))
        x = x + (special.stdtr(df, -x) - alpha / 2.0) / density
    return np.asarray(x)


NORMAL = Null("normal", ())


def student(df: Any) -> Null:
    return Null("t", (df,))


def fisher(df1: int, df2: int) -> Null:
    return Null("F", (df1, df2))


def chi_squared(df: Any) -> Null:
    return Null("chi2", (df,))


def _short(parameter: Any) -> str:
    if np.ndim(parameter):
        return "df per comparison"
    return f"{float(parameter):.6g}"
