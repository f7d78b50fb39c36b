"""F1, precision and recall of one learner: posterior distributions and their intervals.

A confusion matrix is (TP, FP, FN, TN) on the last axis. The matrices of the splits become one:
those of an m×2 cross-validation by their average (Wang et al. 2015), those of K folds by their sum,
since each record is then tested once. With a Beta(λ, λ) prior precision is Beta(TP + λ, FP + λ),
recall is Beta(TP + λ, FN + λ) and F1 = 1/(1 + B'/2), B' beta prime with a = FP + FN + 2λ and
b = TP + λ.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.checks import Bools, Floats
from cvinfer.inference.mcnemar import effective_factor
from cvinfer.inference.posteriors import beta_mode
from cvinfer.inference.registry import Need, interval, needs
from cvinfer.inference.result import Estimated, unwrap

EMPTY_NOTE = "a split has TP = FP = FN = 0, where F1 does not exist"
NO_DATA_NOTE = "TP = FP = FN = 0: F1 does not exist and the interval is that of the prior"
NONE_PREDICTED_NOTE = "no record was predicted positive: F1 is 0 and precision does not exist"
NONE_POSITIVE_NOTE = "no record is positive: recall does not exist"

MICRO_NOTE = (
    "micro average of data with one label a record: every error is one FP and one FN, so that F1,"
    " precision and recall are accuracy, with the posterior Beta(right + λ, wrong + λ)"
)


class _Layout(NamedTuple):
    """How the matrices of a scheme lie.

    axes: how many axes of splits they have. folds: whether the last one are folds that test each
    record once between them. shape: the last axes in words.
    """

    need: Need
    axes: int
    folds: bool
    shape: str

    @property
    def halves(self) -> bool:
        """Whether they are those of an m×2 cross-validation."""
        return self.axes == 2 and not self.folds


#: The averaged matrices of a blocked 3×2 are what the source studies; other schemes are allowed.
LAYOUTS = {
    layout.need.scheme: layout
    for layout in (
        _Layout(needs("blocked_mx2", m=3), 2, False, "m, 2, 4"),
        _Layout(needs("kfold"), 1, True, "K, 4"),
        _Layout(needs("random_mx2"), 2, False, "m, 2, 4"),
        _Layout(needs("holdout"), 0, False, "4"),
        _Layout(needs("loo"), 1, True, "n, 4"),
        _Layout(needs("repeated_kfold"), 2, True, "R, K, 4"),
    )
}
#: Declares an interval from the quantiles of a posterior.
_posterior = functools.partial(
    interval,
    scheme=tuple(layout.need for layout in LAYOUTS.values()),
    data="confusions",
    kind="credible",
)
#: The m of the papers: (..., 3, 2, 4) and (..., 5, 2, 4) are read as m×2 without being asked.
PUBLISHED_M = (3, 5)
COUNTS = ("average", "effective")

#: Nodes of the quadrature behind the moments: exact to rounding for every a, b tried.
NODES = 64


@dataclass(frozen=True)
class F1Distribution:
    """The distribution of F1 = 1/(1 + B'/2), B' ~ beta prime(a, b); frozen, as in scipy.stats.

    Density 2^a (1-t)^(a-1) (2-t)^(-a-b) t^(b-1) / B(a, b) on (0, 1). With P ~ Beta(b, a) it is
    F1 = 2P/(1 + P), from which cdf and ppf follow exactly. `a` and `b` may be arrays.
    """

    a: Any
    b: Any

    def __post_init__(self) -> None:
        a, b = checks.floats(self.a, "a"), checks.floats(self.b, "b")
        if (a <= 0).any() or (b <= 0).any():
            raise checks.InputError("a and b must be positive")
        checks.broadcastable("a", "b", a, b)
        a, b = np.broadcast_arrays(a, b)
        object.__setattr__(self, "a", unwrap(a))
        object.__setattr__(self, "b", unwrap(b))

    def pdf(self, t: Any) -> Any:
        """Density at t; 0 outside (0, 1)."""
        return np.exp(self.logpdf(t))

    def logpdf(self, t: Any) -> Any:
        from scipy import special

        t = np.asarray(t, dtype=np.float64)
        inside = (t > 0) & (t < 1)
        s = np.where(inside, t, 0.5)
        value = (
            self.a * np.log(2.0)
            + special.xlog1py(self.a - 1.0, -s)
            - (self.a + self.b) * np.log(2.0 - s)
            + special.xlogy(self.b - 1.0, s)
            - special.betaln(self.a, self.b)
        )
        return unwrap(np.asarray(np.where(inside, value, -np.inf)))

    def cdf(self, t: Any) -> Any:
        """P(F1 <= t)."""
        from scipy import special

        t = np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0)
        return unwrap(np.asarray(special.betainc(self.b, self.a, t / (2.0 - t))))

    def sf(self, t: Any) -> Any:
        """P(F1 > t), without cancellation."""
        from scipy import special

        t = np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0)
        below = special.betainc(self.b, self.a, t / (2.0 - t))
        above = special.betainc(self.a, self.b, 2.0 * (1.0 - t) / (2.0 - t))
        # 1 - t has lost the digits of a small t, 1 - cdf those of a small tail.
        return unwrap(np.asarray(np.where(below < 0.5, 1.0 - below, above)))

    def ppf(self, q: Any) -> Any:
        """Quantile: F1_q = 1/(1 + B'_{1-q}/2)."""
        q = np.asarray(q, dtype=np.float64)
        if not ((q >= 0) & (q <= 1)).all():
            raise checks.InputError("q must lie in [0, 1]")
        p = beta_quantile(self.b, self.a, q)
        return unwrap(np.asarray(2.0 * p / (1.0 + p)))

    def mode(self) -> Any:
        """The maximum of the density (Wang et al. 2015, corollary 1).

        For a > 1, b >= 1 the root of -2t² + (5 - a - 2b)t + 2(b - 1); 1 where a <= 1 <= b, 0 where
        b < 1 <= a, NaN where the density is infinite at both ends (a < 1 and b < 1).
        """
        a, b = np.asarray(self.a), np.asarray(self.b)
        linear = a + 2.0 * b - 5.0
        root = np.sqrt(np.maximum(linear**2 + 16.0 * (b - 1.0), 0.0))
        # The two forms of the same root: each without cancellation on its side of zero.
        below = (root - linear) / 4.0
        above = checks.quotient(4.0 * (b - 1.0), linear + root, linear + root > 0, 0.0)
        inner = np.where(linear > 0, above, below)
        edge = np.where(b < 1.0, np.where(a < 1.0, np.nan, 0.0), 1.0)
        return unwrap(np.asarray(np.where((a > 1.0) & (b >= 1.0), inner, edge)))

    def moment(self, r: float) -> Any:
        """E F1^r = 2^(-b) B(b+r, a)/B(a, b) · 2F1(a+b, b+r; a+b+r; 1/2), for r > -b.

        Evaluated as E (2P/(1+P))^r over P ~ Beta(b, a) by Gauss-Jacobi quadrature, which neither
        overflows nor cancels where the printed form does (b in the thousands).
        """
        from scipy import special

        power = checks.number(r, "r")
        if (np.asarray(self.b) + power <= 0).any():
            raise checks.InputError(f"the moment of order {power:g} needs r > -b")
        if power >= 0 and power == int(power):
            nodes, weights = _beta_quadrature(np.asarray(self.b), np.asarray(self.a))
            values = (2.0 * nodes / (1.0 + nodes)) ** power
            return unwrap(np.asarray(np.sum(weights * values, axis=-1)))
        # P^r goes into the weight: what is left, (2/(1+P))^r, is analytic on [0, 1].
        nodes, weights = _beta_quadrature(np.asarray(self.b + power), np.asarray(self.a))
        mean = np.sum(weights * (2.0 / (1.0 + nodes)) ** power, axis=-1)
        # B(b + r, a)/B(b, a); a difference of logarithms would lose digits for large b.
        scale = special.poch(self.b, power) / special.poch(self.a + self.b, power)
        return unwrap(np.asarray(scale * mean))

    def mean(self) -> Any:
        return self.moment(1)

    def var(self) -> Any:
        return self._central(2)

    def std(self) -> Any:
        return np.sqrt(self.var())

    def median(self) -> Any:
        return self.ppf(0.5)

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Equal-tailed interval [F1_{α/2}, F1_{1-α/2}]."""
        alpha = 1.0 - checks.confidence_level(0.05, level)
        return self.ppf(alpha / 2.0), self.ppf(1.0 - alpha / 2.0)

    def skewness(self) -> tuple[Any, Any]:
        """(SK1, SK2): third standardised moment, and (mean - mode) / standard deviation."""
        deviation = self.std()
        return self._central(3) / deviation**3, (self.mean() - self.mode()) / deviation

    def _central(self, r: int) -> Any:
        """E (F1 - mean)^r, summed over the quadrature so that nothing cancels."""
        nodes, weights = _beta_quadrature(np.asarray(self.b), np.asarray(self.a))
        values = 2.0 * nodes / (1.0 + nodes)
        mean = np.sum(weights * values, axis=-1, keepdims=True)
        return unwrap(np.asarray(np.sum(weights * (values - mean) ** r, axis=-1)))


@_posterior(
    "f1_beta_prime",
    formula="[F1_{α/2}, F1_{1−α/2}], F1_α = 1/(1 + B′_{1−α}/2), a = FP + FN + 2λ, b = TP + λ",
    null="beta prime(a, b)",
    cite="wang2015",
    use="The recommended interval for F1: inside (0, 1) and as skewed as F1 is; near 1 on few"
    " records take prior=0.5, since prior 1 pulls it down.",
    measure="F1",
)
def f1_beta_prime(
    confusions: Any,
    prior: float = 1.0,
    alpha: float = 0.05,
    level: Optional[float] = None,
    split_axes: Optional[int] = None,
    scheme: Optional[str] = None,
    counts: str = "average",
    micro: bool = False,
) -> Estimated:
    """Interval for F1 by the beta prime distribution (Wang et al. 2015, eq. 7).

    [F1_{α/2}, F1_{1-α/2}] with F1_α = 1/(1 + B'_{1-α}/2), B' ~ beta prime(FP + FN + 2λ, TP + λ).
    `confusions` are (TP, FP, FN, TN) of the splits, which become one matrix first:

    - m×2, (..., m, 2, 4): the average. It counts n/2 records, so that intervals are longer than
      they need be (mostly 98 to 99.5 % coverage instead of 95); counts="effective" multiplies it
      by 2m/(1 + ρ1 + 2(m - 1)ρ2) at ρ1 = ρ2 = 1/2, what the 2m correlated matrices are worth.
    - K folds or leave-one-out, (..., K, 4): the sum, which counts every record once.
    - repeated K folds, (..., R, K, 4): summed over folds, averaged over replications.
    - one matrix, (4,).

    `scheme` (the name of the partition scheme) or `split_axes` (how many axes before the last are
    splits: 0, 1 or 2, two of them being m×2 where the last has length 2 and no scheme is named)
    say which; one of them must be given where the shape does not tell, as in (B, 2, 4). Without
    them (..., 3, 2, 4) and (..., 5, 2, 4) are m×2 and (..., K, 4) with another K are folds.

    `micro` says that the matrices are summed over all classes of data with one label a record.
    Then FP = FN and F1 is accuracy: the interval is that of Beta(TP + λ, FP + λ), whose
    parameters are `a` and `b`.

    The point is F1 of the one matrix and may lie outside of the interval; `a`, `b`, `mode` and
    `median` of the posterior are attributes of the result. Few errors on few records: precision =
    recall = accuracy = .95 at n = 50 is covered with probability .902 at λ = 1, .956 at λ = 1/2.
    """
    level = checks.confidence_level(alpha, level)
    one = _one_matrix(confusions, split_axes, scheme, counts)
    weight = _prior(prior)
    if micro:
        return _accuracy(one, weight, level)
    tp, fp, fn = one.matrix[..., 0], one.matrix[..., 1], one.matrix[..., 2]
    posterior = F1Distribution(fp + fn + 2.0 * weight, tp + weight)
    lower, upper = posterior.interval(level)
    total = 2.0 * tp + fp + fn
    extra = {
        "a": posterior.a,
        "b": posterior.b,
        "mode": posterior.mode(),
        "median": posterior.median(),
        "prior": weight,
    }
    kind = np.where(total == 0, 3, np.where(one.empty, 2, np.where(tp + fp == 0, 1, 0)))
    return _result(
        one,
        checks.quotient(2.0 * tp, total, total > 0, np.nan),
        (lower, upper),
        level,
        kind,
        ("", NONE_PREDICTED_NOTE, EMPTY_NOTE, NO_DATA_NOTE),
        extra,
    )


@_posterior(
    "precision_beta",
    formula="[Be_{α/2}, Be_{1−α/2}] of Be(TP + λ, FP + λ)",
    null="beta(TP + λ, FP + λ)",
    cite="goutte2005",
    use="For the precision of one learner, from the one confusion matrix that its splits make.",
    measure="precision",
)
def precision_beta(
    confusions: Any,
    prior: float = 1.0,
    alpha: float = 0.05,
    level: Optional[float] = None,
    split_axes: Optional[int] = None,
    scheme: Optional[str] = None,
    counts: str = "average",
    micro: bool = False,
) -> Estimated:
    """Interval for precision from its posterior Beta(TP + λ, FP + λ) (Goutte and Gaussier 2005).

    Shapes and options as in `f1_beta_prime`. The point is TP/(TP + FP) of the one matrix; it does
    not exist where no record was predicted positive.
    """
    one = _one_matrix(confusions, split_axes, scheme, counts)
    return _beta(one, 1, prior, alpha, level, NONE_PREDICTED_NOTE, micro)


@_posterior(
    "recall_beta",
    formula="[Be_{α/2}, Be_{1−α/2}] of Be(TP + λ, FN + λ)",
    null="beta(TP + λ, FN + λ)",
    cite="goutte2005",
    use="For the recall of one learner, from the one confusion matrix that its splits make.",
    measure="recall",
)
def recall_beta(
    confusions: Any,
    prior: float = 1.0,
    alpha: float = 0.05,
    level: Optional[float] = None,
    split_axes: Optional[int] = None,
    scheme: Optional[str] = None,
    counts: str = "average",
    micro: bool = False,
) -> Estimated:
    """Interval for recall from its posterior Beta(TP + λ, FN + λ) (Goutte and Gaussier 2005).

    Shapes and options as in `f1_beta_prime`. The point is TP/(TP + FN) of the one matrix; it does
    not exist where no record is positive.
    """
    one = _one_matrix(confusions, split_axes, scheme, counts)
    return _beta(one, 2, prior, alpha, level, NONE_POSITIVE_NOTE, micro)


def f1_scores(confusions: Any) -> Any:
    """F1 = 2TP/(2TP + FP + FN) of each matrix (..., 4); NaN where TP = FP = FN = 0.

    NaN stands for "does not exist": the intervals on scores refuse it rather than guess.
    """
    c = _confusions(confusions)
    total = 2.0 * c[..., 0] + c[..., 1] + c[..., 2]
    return unwrap(checks.quotient(2.0 * c[..., 0], total, total > 0, np.nan))


def beta_quantile(a: Any, b: Any, q: Any) -> Floats:
    """Quantile of Beta(a, b).

    Some versions of scipy give eight digits only; Newton steps on the nearer tail mend that.
    """
    from scipy import special

    a, b, q = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (a, b, q)))
    x = np.asarray(special.betaincinv(a, b, q))
    for _ in range(2):
        inside = (x > 0.0) & (x < 1.0)
        s = np.where(inside, x, 0.5)
        log_density = special.xlogy(a - 1.0, s) + special.xlog1py(b - 1.0, -s)
        density = np.exp(log_density - special.betaln(a, b))
        lower = special.betainc(a, b, s) - q
        upper = (1.0 - q) - special.betainc(b, a, 1.0 - s)
        excess = np.where(q < 0.5, lower, upper)
        step = checks.quotient(excess, density, inside & (density > 0.0), 0.0)
        x = np.where(inside & (np.abs(step) < 0.1 * np.minimum(s, 1.0 - s)), s - step, x)
    return np.asarray(x)


class _One(NamedTuple):
    """One matrix for all splits, and how it came about."""

    matrix: Floats
    #: Whether a split of several records has TP = FP = FN = 0.
    empty: Bools
    #: Whether FP = FN in every split, as in a micro average.
    balanced: Bools
    scheme: str
    counts: str


def _one_matrix(
    confusions: Any, split_axes: Optional[int], scheme: Optional[str], counts: str
) -> _One:
    c = _confusions(confusions)
    known = _scheme(c.shape, split_axes, scheme)
    layout = LAYOUTS[known]
    axes, folds = layout.axes, layout.folds
    splits = c.shape[c.ndim - 1 - axes : -1]
    if 0 in splits:
        raise checks.ShapeError(f"confusions must hold at least one split, got shape {c.shape}")
    checks.choice(counts, "counts", COUNTS)
    if counts == "effective" and not layout.halves:
        raise checks.InputError(
            'counts="effective" is for the matrices of an m×2 cross-validation, which are'
            f" averaged; by scheme or split_axes these are of {known}"
        )
    matrix = c.sum(axis=-2) if folds else c
    over = axes - folds
    matrix = matrix.mean(axis=tuple(range(-1 - over, -1)))
    if counts == "effective":
        matrix = matrix * effective_factor(splits[0])
    # A fold of one record has F1 only if that record or its prediction is positive.
    empty = (c[..., :3].sum(axis=-1) == 0) & (c.sum(axis=-1) > 1)
    every = tuple(range(-axes, 0))
    return _One(
        matrix=np.asarray(matrix),
        empty=np.asarray(empty.any(axis=every)),
        balanced=np.asarray(np.isclose(c[..., 1], c[..., 2], rtol=1e-9, atol=0.0).all(axis=every)),
        scheme=known,
        counts="sum" if folds else counts if axes else "single",
    )


def _scheme(shape: tuple[int, ...], split_axes: Optional[int], scheme: Optional[str]) -> str:
    """The scheme that confusion matrices of a shape are of, as far as it was not said."""
    if scheme is not None:
        known = checks.choice(scheme, "scheme", tuple(LAYOUTS))
        layout = LAYOUTS[known]
        axes = layout.axes
        if split_axes is not None and _whole(split_axes, "split_axes") != axes:
            raise checks.InputError(
                f"split_axes={split_axes} does not fit the scheme {known}, which has {axes}"
            )
        if len(shape) <= axes or (layout.halves and shape[-2] != 2):
            raise checks.ShapeError(
                f"confusions of {known} must have shape (..., {layout.shape}), got {shape}"
            )
        return known
    axes = _read_axes(shape) if split_axes is None else _whole(split_axes, "split_axes")
    if not 0 <= axes <= min(2, len(shape) - 1):
        raise checks.ShapeError(
            f"confusions of shape {shape} do not have {axes} split axes (split_axes)"
        )
    if axes == 2:
        return "blocked_mx2" if shape[-2] == 2 else "repeated_kfold"
    return "kfold" if axes else "holdout"


def _read_axes(shape: tuple[int, ...]) -> int:
    """How many axes before the last are splits, where the shape tells."""
    if len(shape) <= 2:
        return len(shape) - 1
    if shape[-2] != 2:
        return 1
    if shape[-3] in PUBLISHED_M:
        return 2
    raise checks.ShapeError(
        f"confusions of shape {shape} may be {shape[-3]} replications of two halves or"
        f" {shape[-3]} pairs of something else: say split_axes (how many axes before the last are"
        " splits; 0 for a batch of single matrices) or scheme"
    )


def _confusions(confusions: Any) -> Floats:
    c = checks.shaped(checks.floats(confusions, "confusions"), "confusions", (("4", 4),))
    if (c < 0).any():
        raise checks.InputError(f"confusions must not be negative; one entry is {c.min():g}")
    return c


def _beta(
    one: _One,
    missed: int,
    prior: float,
    alpha: float,
    level: Optional[float],
    reason: str,
    micro: bool,
) -> Estimated:
    """The interval for TP/(TP + column `missed`) of the one matrix."""
    level, weight = checks.confidence_level(alpha, level), _prior(prior)
    if micro:
        return _accuracy(one, weight, level)
    hits, misses = one.matrix[..., 0], one.matrix[..., missed]
    point, ends, extra = _quantiles(hits, misses, weight, level)
    kind = (hits + misses == 0).astype(np.intp)
    return _result(one, point, ends, level, kind, ("", reason), extra)


def _accuracy(one: _One, prior: float, level: float) -> Estimated:
    """Micro averages: TP records are right and FP wrong, each of these being one FN too."""
    if not one.balanced.all():
        raise checks.InputError(
            "micro averages of data with one label a record have FP = FN in every split; these"
            " matrices do not (leave micro out for the matrix of one class)"
        )
    right, wrong = one.matrix[..., 0], one.matrix[..., 1]
    point, ends, extra = _quantiles(right, wrong, prior, level)
    extra = {**extra, "mode": unwrap(beta_mode(right, wrong, prior)), "micro": True}
    none = right + wrong == 0
    words = (MICRO_NOTE, NO_DATA_NOTE)
    found = _result(one, point, ends, level, none.astype(np.intp), words, extra)
    return replace(found, degenerate=np.asarray(none))


def _quantiles(
    hits: Floats, misses: Floats, prior: float, level: float
) -> tuple[Floats, tuple[Floats, Floats], dict[str, Any]]:
    """Point, ends and what else there is to say of Beta(hits + λ, misses + λ)."""
    total = hits + misses
    a, b = hits + prior, misses + prior
    tail = (1.0 - level) / 2.0
    ends = beta_quantile(a, b, tail), beta_quantile(a, b, 1.0 - tail)
    extra = {"a": unwrap(a), "b": unwrap(b), "median": unwrap(beta_quantile(a, b, 0.5))}
    return checks.quotient(hits, total, total > 0, np.nan), ends, {**extra, "prior": prior}


def _result(
    one: _One,
    point: Floats,
    ends: tuple[Any, Any],
    level: float,
    kind: Any,
    words: tuple[str, ...],
    extra: dict[str, Any],
) -> Estimated:
    note = np.array(words, dtype=object)[np.asarray(kind, dtype=np.intp)]
    return Estimated(
        point=np.asarray(point),
        lower=np.asarray(ends[0]),
        upper=np.asarray(ends[1]),
        level=level,
        degenerate=np.asarray(kind > 0),
        note=note,
        extra={**extra, "counts": one.counts},
        scheme=one.scheme,
    )


def _whole(value: Any, name: str) -> int:
    number = checks.number(value, name)
    if number != int(number):
        raise checks.InputError(f"{name} must be a whole number, got {number:g}")
    return int(number)


def _prior(prior: Any) -> float:
    value = checks.number(prior, "prior")
    if value <= 0:
        raise checks.InputError(f"prior must be positive, got {value:g}")
    return value


def _beta_quadrature(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Nodes in (0, 1) and weights summing to 1 of Gauss quadrature for Beta(p, q).

    Golub and Welsch on the Jacobi recurrence: eigenvalues are the nodes, squared first components
    of the eigenvectors the weights. Works on arrays and never forms B(p, q).
    """
    k = np.arange(NODES, dtype=np.float64)
    alpha, beta = (q - 1.0)[..., None], (p - 1.0)[..., None]
    total = alpha + beta
    twice = 2.0 * k + total
    numerator = beta**2 - alpha**2
    diagonal = np.where(
        k == 0,
        (beta - alpha) / (total + 2.0),
        numerator / np.where(k == 0, 1.0, twice * (twice + 2.0)),
    )
    i, s = k[1:], twice[..., 1:]
    product = 4.0 * i * (i + alpha) * (i + beta) * (i + total)
    # At i = 1 the factors (i + total) and (s - 1) are equal and cancel; both may be zero.
    first = 4.0 * (1.0 + alpha) * (1.0 + beta) / ((total + 2.0) ** 2 * (total + 3.0))
    others = product / np.where(i == 1, 1.0, s**2 * (s + 1.0) * np.where(i == 1, 1.0, s - 1.0))
    off = np.sqrt(np.where(i == 1, first, others))
    matrix = np.zeros((*diagonal.shape, NODES))
    index = np.arange(NODES)
    matrix[..., index, index] = diagonal
    matrix[..., index[1:], index[:-1]] = off
    matrix[..., index[:-1], index[1:]] = off
    nodes, vectors = np.linalg.eigh(matrix)
    weights = vectors[..., 0, :] ** 2
    return np.clip((1.0 + nodes) / 2.0, 0.0, 1.0), weights / weights.sum(axis=-1, keepdims=True)
