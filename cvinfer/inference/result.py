"""What a test and an interval return."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple, Optional

import numpy as np

from cvinfer.inference.checks import (
    ZERO_VARIANCE,
    Bools,
    Floats,
    confidence_level,
    quotient,
)
from cvinfer.inference.nulls import Null

#: Relative distance within which an estimate counts as equal to `mu0`.
SAME = 1e-12

EQUAL_NOTE = (
    "no variation: the variance estimate is zero and the difference equals the hypothesised value,"
    " so there is nothing to test; p is set to 1"
)
TIES_NOTE = (
    "ties: the variance estimate is zero while the difference is not, so the null distribution"
    " does not apply; p = 0 is a limit only and H0 is not rejected"
)


#: From alpha to (lower, upper), where an interval is not centre ± critical value · error. It must
#: survive pickling: a frozen dataclass with `__call__`, not a closure.
Ends = Callable[[float], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Finding:
    """The numbers of one test before its name, source and scheme are attached.

    The interval for the difference is `ends`, or `center` with `standard_error`, or there is none.
    `size` is that of the differences (or of the losses): an estimate so much smaller that it may
    be the rounding error of a sum of such numbers is no difference.
    """

    estimate: Floats
    variance: Optional[Floats]
    statistic: Floats
    null: Null
    p_value: Floats
    degenerate: Bools
    note: np.ndarray[Any, Any]
    alpha: float
    center: Optional[Floats] = None
    standard_error: Optional[Floats] = None
    ends: Optional[Ends] = None
    size: Optional[Floats] = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Estimated:
    """The numbers of one interval before its name, source, kind and scheme are attached.

    `scheme` is what the data showed of it, where the interval is valid on several.
    """

    point: Any
    lower: Any
    upper: Any
    level: float
    degenerate: Any
    note: Any
    extra: Mapping[str, Any] = field(default_factory=dict)
    scheme: Optional[str] = None


class ConfidenceInterval(NamedTuple):
    """The ends of an interval for the difference, under scipy's names."""

    low: Any
    high: Any


@dataclass(frozen=True, eq=False, repr=False)
class Inference:
    """The outcome of one test; every array has the batch shape (a scalar where there is none).

    Differences are loss_A - loss_B: **positive means A is worse**.

    `variance` is the squared denominator of a t or z statistic, the denominator of an F, None
    for a chi-squared; `standard_error` belongs to the difference that `interval` is centred on.
    A statistic that does not exist is NaN here and null in JSON, always with `degenerate` set.
    """

    name: str
    estimate: Any
    variance: Any
    statistic: Any
    null: Null
    df: Any
    p_value: Any
    reject: Any
    degenerate: Any
    note: Any
    cite: str
    alpha: float
    scheme: str
    shape: tuple[int, ...]
    standard_error: Any
    extra: Mapping[str, Any]
    _center: Any = None
    _ends: Optional[Ends] = None
    _size: Any = None

    @property
    def direction(self) -> Any:
        """Sign of the estimate: 1 where A is worse, -1 where B is, 0 where neither is.

        An estimate below 1e-12 of the size of the differences or the mean losses is rounding
        noise, not a difference.
        """
        sizes = (self._size, self.extra.get("loss_a"), self.extra.get("loss_b"))
        scale = np.zeros(np.shape(self.estimate))
        for size in sizes:
            scale = np.maximum(scale, 0.0 if size is None else np.abs(size))
        noise = np.abs(self.estimate) <= SAME * scale
        return unwrap(np.where(noise, 0, np.sign(self.estimate)).astype(np.int64))

    def interval(self, level: Optional[float] = None) -> Optional[tuple[Any, Any]]:
        """Confidence interval (lower, upper) for the difference; None where the test has none.

        It inverts the test: H0 is rejected at alpha exactly when `mu0` lies outside the interval
        of level 1 - alpha. Degenerate results aside: a t or z interval then has length zero, the
        score interval of a McNemar test without discordant records holds 0.
        """
        alpha = self.alpha if level is None else 1.0 - confidence_level(self.alpha, level)
        if self._ends is not None:
            lower, upper = self._ends(alpha)
            return unwrap(lower), unwrap(upper)
        if self._center is None or self.standard_error is None:
            return None
        half = self.null.critical(alpha) * self.standard_error
        return unwrap(self._center - half), unwrap(self._center + half)

    @property
    def pvalue(self) -> Any:
        """`p_value` by scipy's name."""
        return self.p_value

    def confidence_interval(
        self, confidence_level: Optional[float] = None
    ) -> Optional[ConfidenceInterval]:
        """`interval` as results of scipy give it, with `low` and `high`; 1 - alpha by default."""
        found = self.interval(confidence_level)
        return None if found is None else ConfidenceInterval(*found)

    def __getstate__(self) -> dict[str, Any]:
        return _picklable(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "extra": MappingProxyType(state["extra"])})

    def with_extra(self, **more: Any) -> "Inference":
        """The same result with more entries in `extra`."""
        return replace(self, extra=MappingProxyType({**self.extra, **more}))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: null where a number does not exist or is not finite."""
        interval = self.interval()
        numbers = ("name", "estimate", "variance", "standard_error", "statistic")
        plain = {key: jsonable(getattr(self, key)) for key in numbers}
        plain["null"] = {
            "family": self.null.family,
            "parameters": [jsonable(p) for p in self.null.parameters],
        }
        facts = (
            "df",
            "p_value",
            "reject",
            "degenerate",
            "note",
            "cite",
            "alpha",
            "scheme",
            "shape",
        )
        plain.update({key: jsonable(getattr(self, key)) for key in facts})
        plain["interval"] = None if interval is None else [jsonable(end) for end in interval]
        plain["extra"] = {key: jsonable(value) for key, value in self.extra.items()}
        return plain

    def __repr__(self) -> str:
        return f"<Inference {self.name}: {_summary(self)}>"

    def __str__(self) -> str:
        return f"{self.name}: {_summary(self)}"


@dataclass(frozen=True, eq=False, repr=False)
class Interval:
    """An interval for one learner: `point` with `lower` and `upper` at `level`.

    `kind` is "confidence", or "credible" where the ends are quantiles of a posterior.

    `degenerate` marks results whose point or length does not mean what it seems; `note` says why.
    Entries of `extra` (for example `a`, `b`, `mode` of the F1 interval) are attributes too.
    """

    name: str
    point: Any
    lower: Any
    upper: Any
    level: float
    degenerate: Any
    note: Any
    cite: str
    scheme: str
    extra: Mapping[str, Any]
    kind: str = "confidence"

    def __getattr__(self, name: str) -> Any:
        # "extra" itself is looked up here while a copy is being made and has none yet.
        if not name.startswith("_") and name != "extra" and name in self.extra:
            return self.extra[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        return _picklable(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "extra": MappingProxyType(state["extra"])})

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: null where a number does not exist or is not finite."""
        keys = ("name", "kind", "point", "lower", "upper", "level", "degenerate", "note", "cite")
        plain = {key: jsonable(getattr(self, key)) for key in (*keys, "scheme")}
        plain["extra"] = {key: jsonable(value) for key, value in self.extra.items()}
        return plain

    def __repr__(self) -> str:
        if np.ndim(self.point):
            return f"<Interval {self.name}: batch {np.shape(self.point)}>"
        text = f"{self.point:.4g} in [{self.lower:.4g}, {self.upper:.4g}] at {self.level:g}"
        return f"<Interval {self.name}: {text}{f' ({self.note})' if self.note else ''}>"


def studentised(
    center: Floats,
    variance: Floats,
    null: Null,
    *,
    mu0: float,
    alpha: float,
    size: Floats,
    estimate: Optional[Floats] = None,
    denominator: Optional[Floats] = None,
    extra: Optional[Mapping[str, Any]] = None,
) -> Finding:
    """(center - mu0) / sqrt(variance) against a t or normal distribution.

    `size` is max|d|, the yardstick of the zero-variance rule; `denominator` the squared
    denominator as the test's formula writes it, where that is not the variance of `center`.
    """
    written = variance if denominator is None else denominator
    zero = np.asarray(written <= ZERO_VARIANCE * size**2)
    shift = center - mu0
    equal = np.abs(shift) <= SAME * np.maximum(size, abs(mu0))
    infinite = np.where(shift < 0, -np.inf, np.inf)
    statistic = quotient(shift, np.sqrt(variance), ~zero, np.where(equal, np.nan, infinite))
    return Finding(
        estimate=center if estimate is None else estimate,
        variance=written,
        statistic=statistic,
        null=null,
        p_value=_decided(null.p_value(statistic), zero, equal),
        degenerate=zero,
        note=notes(zero, equal),
        alpha=alpha,
        center=center,
        standard_error=np.sqrt(np.where(zero, 0.0, variance)),
        size=size,
        extra=extra or {},
    )


def ratio(
    numerator: Floats,
    denominator: Floats,
    null: Null,
    *,
    alpha: float,
    size: Floats,
    estimate: Floats,
    mu0: float,
) -> Finding:
    """numerator / denominator against an F distribution; the same zero-variance rule."""
    zero = np.asarray(denominator <= ZERO_VARIANCE * size**2)
    equal = np.abs(estimate - mu0) <= SAME * np.maximum(size, abs(mu0))
    statistic = quotient(numerator, denominator, ~zero, np.where(equal, np.nan, np.inf))
    return Finding(
        estimate=estimate,
        variance=denominator,
        statistic=statistic,
        null=null,
        p_value=_decided(null.p_value(statistic), zero, equal),
        degenerate=zero,
        note=notes(zero, equal),
        alpha=alpha,
        size=size,
    )


def no_statistic(
    statistic: Floats, none: Bools, null: Null, reason: str
) -> tuple[Floats, Floats, np.ndarray[Any, Any]]:
    """Statistic, p and note where the statistic may not exist (`none`): NaN, 1, the reason."""
    statistic = np.where(none, np.nan, statistic)
    p_value = np.where(none, 1.0, null.p_value(statistic))
    return statistic, p_value, np.array(["", reason], dtype=object)[none.astype(np.intp)]


def notes(zero: Bools, equal: Bools) -> np.ndarray[Any, Any]:
    """The note of section 6 for each entry; entries share the same strings."""
    kinds = np.array(["", TIES_NOTE, EQUAL_NOTE], dtype=object)
    return np.asarray(kinds[zero.astype(np.intp) + (zero & equal)], dtype=object)


def unwrap(value: Any) -> Any:
    """A numpy scalar (or the object inside) instead of an array without axes."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def jsonable(value: Any) -> Any:
    """Python values only; NaN and infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _picklable(state: Mapping[str, Any]) -> dict[str, Any]:
    """A read-only view cannot travel to another process; its content can."""
    return {**state, "extra": dict(state["extra"])}


def _decided(p_value: Floats, zero: Bools, equal: Bools) -> Floats:
    return np.where(zero, np.where(equal, 1.0, 0.0), p_value)


def _summary(result: Inference) -> str:
    if np.ndim(result.p_value):
        rejected = int(np.sum(result.reject))
        count = int(np.size(result.p_value))
        return f"batch {np.shape(result.p_value)}, {rejected} of {count} rejected"
    p = "p < 0.001" if result.p_value < 0.001 else f"p = {result.p_value:.3f}"
    worse = "no difference"
    if result.direction:
        worse = f"{'A' if result.direction > 0 else 'B'} is worse by {abs(result.estimate):.4g}"
    ends = result.interval()
    # A degenerate t or z has an interval without length: its note says more.
    if ends is not None and ends[0] < ends[1]:
        level = f"{100.0 * (1.0 - result.alpha):.4g}%"
        worse += f" ({level} interval of A - B {ends[0]:.4g} to {ends[1]:.4g})"
    verdict = "rejected" if result.reject else "not rejected"
    text = f"{worse}, statistic {result.statistic:.4g} ~ {result.null}, {p}; H0 {verdict}"
    text += f" at {result.alpha:g}"
    return f"{text} ({result.note})" if result.note else text
