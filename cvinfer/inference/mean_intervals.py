"""Intervals for one learner's mean value of any measure, be it a loss or a score of each split."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats
from cvinfer.inference.nulls import NORMAL, student
from cvinfer.inference.registry import ANY_MEASURE, interval, needs
from cvinfer.inference.result import Estimated
from cvinfer.inference.score_intervals import symmetric
from cvinfer.inference.variance import of_halves

#: Fewer folds, and nothing is left to train on without two of them.
LEAST_FOLDS = 3
FEW = "every fold must test at least two records: the variance of one loss does not exist"


@interval(
    "corrected_resampled_interval",
    scheme=(
        needs("repeated_holdout", j=15, n1=Fraction(9, 10)),
        needs("repeated_kfold", r=10, k=10),
    ),
    data="values_and_sizes",
    formula="x̄ ± t_{J−1} √((1/J + n2/n1) S²)",
    null="t(J − 1)",
    cite="nadeau2003",
    use="For one learner and any measure, when 15 fits are affordable.",
    kind="confidence",
    measure=ANY_MEASURE,
)
def corrected_resampled_interval(
    values: Any, n_train: Any, n_test: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """x̄ ± t_{J-1} sqrt((1/J + n_test/n_train) S²) on the values of J splits (Nadeau, Bengio 2003).

    `values` of shape (..., J); S² is their sample variance. Splits of a repeated K-fold are J = R·K
    values in a row.
    """
    x = checks.differences(values, ("J", None), name="values")
    train, test = checks.sizes(n_train, "n_train"), checks.sizes(n_test, "n_test")
    checks.broadcastable("n_train", "n_test", train, test)
    j = x.shape[-1]
    center, spread = x.mean(axis=-1), x.var(axis=-1, ddof=1)
    ratio = np.asarray(test / train)
    checks.broadcastable("values", "n_test", center, ratio)
    center, variance = np.broadcast_arrays(center, (1.0 / j + ratio) * spread)
    return symmetric(
        center,
        variance,
        student(j - 1),
        checks.confidence_level(alpha, level),
        np.abs(x).max(axis=-1),
    )


@interval(
    "conservative_interval",
    scheme=(
        needs("repeated_holdout", j=15, n1=Fraction(9, 10)),
        needs("paired_halves", m=10, j=15),
    ),
    data="values_and_halves",
    formula="x̄ ± z √(Σ_m (x̄_m − x̄_m^c)²/(2M))",
    null="N(0, 1)",
    cite="nadeau2003",
    use="For any measure when an overestimated variance is wanted at any price: M·2·J more fits.",
    kind="confidence",
    measure=ANY_MEASURE,
    together=True,
)
def conservative_interval(
    values: Any, halves: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """x̄ ± z sqrt(sum_m (x̄_m - x̄_m^c)² / (2 M)) (Nadeau and Bengio 2003).

    `values` of shape (..., J) are those of hold-outs on all the data, `halves` of shape (..., M, 2)
    the mean value inside each half of each of M random halvings.
    """
    found = of_halves(values, halves, "values")
    return symmetric(
        found.center,
        found.variance,
        NORMAL,
        checks.confidence_level(alpha, level),
        found.size,
        {"halvings": found.shape[1]},
    )


@interval(
    "nested_cv_interval",
    scheme=needs("nested_cv", r=10, k=5),
    data="nested_losses",
    formula="Err_NCV − bias ± z √((K − 1)/K · MSE), between SE and √K SE",
    null="N(0, 1)",
    cite="bates2024",
    use="For any loss that each record has, when R·K² fits are affordable.",
    kind="confidence",
    measure=ANY_MEASURE,
)
def nested_cv_interval(
    losses: Any, folds: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """Interval by nested cross-validation (Bates, Hastie and Tibshirani 2024).

    `losses` of shape (..., R, K, n) hold for each repetition and outer fold k the loss of every
    record: those of fold k by the fit without fold k (the outer losses), those of another fold j
    by the fit without k and j (the inner ones). `folds` of shape (..., R, n) number the folds
    from 0. With a = (mean inner - mean outer)² and b = the sample variance of the outer losses over
    their number, MSE is the mean of a - b over all outer folds, and the interval is

        Err_NCV - bias ± z sqrt((K - 1)/K MSE), bias = (1 + (K - 2)/K) (Err_NCV - Err_CV),

    Err_NCV the mean of all inner losses and Err_CV that of all outer ones. The standard error is
    never below SE, that of all inner losses were they n independent ones, nor above sqrt(K) SE.
    """
    x = checks.floats(losses, "losses")
    if x.ndim < 3 or x.shape[-3] < 1 or x.shape[-2] < LEAST_FOLDS:
        raise checks.ShapeError(
            f"losses must have shape (..., R, K, n) with K at least {LEAST_FOLDS}, got {x.shape}"
        )
    outer = _outer(folds, x.shape)
    inner = ~outer
    sizes, others = outer.sum(axis=-1), inner.sum(axis=-1)
    if (sizes < 2).any():
        raise checks.InputError(FEW)
    mean_outer = np.where(outer, x, 0.0).sum(axis=-1) / sizes
    mean_inner = np.where(inner, x, 0.0).sum(axis=-1) / others
    squares = np.where(outer, (x - mean_outer[..., None]) ** 2, 0.0).sum(axis=-1)
    inside = np.where(inner, (x - mean_inner[..., None]) ** 2, 0.0).sum(axis=-1)
    found = Moments(mean_outer, squares, sizes, mean_inner, inside, others)
    return _nested(found, np.abs(x).max(axis=(-3, -2, -1)), alpha, level)


def nested_cv_moments(
    means: Any, squares: Any, sizes: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """The same from the mean loss in each split, and the mean of its squares.

    `means` and `squares` of shape (..., R, K, K) have at [r, k, j] fold j of repetition r, tested
    by the fit without fold k, and without j where that is another; `sizes` its records.
    """
    m, q = checks.floats(means, "means"), checks.floats(squares, "squares")
    count = np.broadcast_to(checks.sizes(sizes, "sizes"), m.shape)
    k = m.shape[-1]
    if m.ndim < 3 or m.shape[-2] != k or k < LEAST_FOLDS or q.shape != m.shape:
        raise checks.ShapeError(
            f"means and squares must have shape (..., R, K, K) with K at least {LEAST_FOLDS}, got"
            f" {m.shape} and {q.shape}"
        )
    outer = np.eye(k)
    if ((count < 2) & (outer > 0)).any():
        raise checks.InputError(FEW)
    at_outer, at_inner = count * outer, count * (1.0 - outer)
    sizes_outer, sizes_inner = at_outer.sum(axis=-1), at_inner.sum(axis=-1)
    mean_outer = (m * outer).sum(axis=-1)
    mean_inner = (m * at_inner).sum(axis=-1) / sizes_inner
    found = Moments(
        mean_outer,
        np.maximum((q * at_outer).sum(axis=-1) - sizes_outer * mean_outer**2, 0.0),
        sizes_outer,
        mean_inner,
        np.maximum((q * at_inner).sum(axis=-1) - sizes_inner * mean_inner**2, 0.0),
        sizes_inner,
    )
    return _nested(found, np.sqrt(q.max(axis=(-3, -2, -1))), alpha, level)


class Moments(NamedTuple):
    """Losses of nested cross-validation, (..., R, K): outer ones and the inner ones beside them.

    Means, sums of squares about them, and numbers of losses.
    """

    mean_outer: Any
    spread_outer: Any
    sizes: Any
    mean_inner: Any
    spread_inner: Any
    others: Any


def _nested(found: Moments, size: Any, alpha: float, level: Optional[float]) -> Estimated:
    """The interval of nested cross-validation; `size` is how large losses are."""
    mean_outer, spread_outer, sizes, mean_inner, spread_inner, others = found
    k = mean_outer.shape[-1]
    records = sizes.sum(axis=(-2, -1))
    n = records / mean_outer.shape[-2]
    a, b = (mean_inner - mean_outer) ** 2, spread_outer / (sizes - 1) / sizes
    mse = (k - 1) / k * (a - b).mean(axis=(-2, -1))
    err_ncv = (mean_inner * others).sum(axis=(-2, -1)) / others.sum(axis=(-2, -1))
    err_cv = (mean_outer * sizes).sum(axis=(-2, -1)) / records
    spread = spread_inner + others * (mean_inner - err_ncv[..., None, None]) ** 2
    naive = spread.sum(axis=(-2, -1)) / (others.sum(axis=(-2, -1)) - 1) / n
    bias = (1.0 + (k - 2) / k) * (err_ncv - err_cv)
    return symmetric(
        np.asarray(err_ncv - bias),
        np.asarray(np.clip(mse, naive, k * naive)),
        NORMAL,
        checks.confidence_level(alpha, level),
        size,
        {
            "err_ncv": err_ncv,
            "err_cv": err_cv,
            "bias": bias,
            "mse": mse,
            "naive_variance": naive,
            "restricted": np.asarray((mse < naive) | (mse > k * naive)),
        },
    )


def _outer(folds: Any, shape: tuple[int, ...]) -> checks.Bools:
    """Which losses are outer ones, in the `shape` (..., R, K, n) of all."""
    codes: Floats = checks.floats(folds, "folds")
    *_, r, k, n = shape
    if codes.ndim < 2 or codes.shape[-2:] != (r, n):
        raise checks.ShapeError(f"folds must have shape (..., {r}, {n}), got {codes.shape}")
    if not np.isin(codes, np.arange(k)).all():
        raise checks.InputError(f"folds must be whole numbers from 0 to {k - 1}")
    try:
        return np.broadcast_to(codes[..., None, :] == np.arange(k)[:, None], shape)
    except ValueError:
        raise checks.ShapeError(
            f"folds of shape {codes.shape} do not fit losses of shape {shape}"
        ) from None
