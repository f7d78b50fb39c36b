"""Variances of cross-validated differences: estimators, components and what they are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats
from cvinfer.inference.folds import fold_sums
from cvinfer.inference.result import unwrap


def replication_variance(d: Floats) -> Floats:
    """s_j² = sum_k (d[j,k] - d̄_j)² of each replication; `d` (..., m, 2) gives (..., m)."""
    return np.asarray((d[..., 0] - d[..., 1]) ** 2 / 2.0)


class Halved(NamedTuple):
    """A mean over hold-outs, with a variance from halves of the data that cannot be too small."""

    center: Floats
    variance: Floats
    size: Floats
    #: How many values, and how many halvings.
    shape: tuple[int, int]


def of_halves(values: Any, halves: Any, name: str) -> Halved:
    """The mean of `values` (..., J) and sum_m (x̄_m - x̄_m^c)² / (2 M) of `halves` (..., M, 2).

    `halves` hold the mean value inside each half of each of M random halvings; `name` is what the
    values are called (Nadeau and Bengio 2003).
    """
    x, pairs = checks.floats(values, name), checks.floats(halves, "halves")
    if x.ndim < 1 or x.shape[-1] < 1:
        raise checks.ShapeError(f"{name} must have shape (..., J), got {x.shape}")
    if pairs.ndim < 2 or pairs.shape[-1] != 2 or pairs.shape[-2] < 1:
        raise checks.ShapeError(f"halves must have shape (..., M, 2), got {pairs.shape}")
    center = x.mean(axis=-1)
    variance = np.asarray(replication_variance(pairs).mean(axis=-1))
    checks.broadcastable(name, "halves", center, variance)
    size = np.maximum(np.abs(x).max(axis=-1), np.abs(pairs).max(axis=(-2, -1)))
    center, variance = np.broadcast_arrays(center, variance)
    return Halved(center, variance, size, (x.shape[-1], pairs.shape[-2]))


def l_estimator(d: Any) -> Any:
    """The L estimator of Var(d̄) for a blocked m×2 cross-validation, `d` of shape (..., m, 2).

    L = sum_j s_j² / (2m), with m degrees of freedom; for m = 3 the sum of squares within
    replications over 6 (Wang et al. 2014, eq. 4.1). E(L) = σ1² (1 - ρ1)/2 for every m, which is
    Var(d̄) at ρ1 = 0 and ρ2 = 1/2. It neglects the differences between replications.
    """
    d = checks.differences(d, ("m", None), ("2", 2))
    return unwrap(np.asarray(replication_variance(d).sum(axis=-1) * (1.0 / (2.0 * d.shape[-2]))))


def al_estimator(d: Any, lam: Optional[float] = None) -> Any:
    """The AL estimator of Var(d̄): L + lam · S², S² the sample variance of the m means d̄_j.

    `lam` is (m - 1)/m unless given: then it is sum (d[j,k] - d̄)² / (2m) with 2m - 1 degrees of
    freedom, for m = 3 with lam = 2/3 as printed (Wang et al. 2014, eq. 4.3). `d` of shape
    (..., m, 2). E(AL) = σ1² ((1 - ρ1)/2 + lam ((1 + ρ1)/2 - ρ2)), which exceeds Var(d̄) where
    rho1 + 4 rho2 < 2 (m = 3, lam = 2/3).
    """
    d = checks.differences(d, ("m", None), ("2", 2))
    m = d.shape[-2]
    weight = (m - 1.0) / m if lam is None else checks.number(lam, "lam")
    if weight < 0:
        raise checks.InputError(f"lam must not be negative, got {weight:g}")
    between = d.mean(axis=-1).var(axis=-1, ddof=1)
    return unwrap(np.asarray(l_estimator(d) + weight * between))


def mx2_variance(sigma1_sq: Any, rho1: Any, rho2: Any, m: Any) -> Any:
    """Var(d̄) = σ1²/(2m) · (1 + ρ1 + 2(m - 1)ρ2) of an m×2 cross-validation.

    σ1² is the variance of one d[j,k], ρ1 the correlation of the two halves of a replication, ρ2
    that of two halves of different replications (Wang et al. 2014, eq. 3.2 for m = 3).
    """
    sigma1_sq = checks.floats(sigma1_sq, "sigma1_sq")
    if (sigma1_sq < 0).any():
        raise checks.InputError(f"sigma1_sq must not be negative, got {sigma1_sq.min():g}")
    m = checks.sizes(m, "m")
    rho1, rho2 = checks.floats(rho1, "rho1"), checks.floats(rho2, "rho2")
    return unwrap(np.asarray(sigma1_sq / (2.0 * m) * (1.0 + rho1 + 2.0 * (m - 1.0) * rho2)))


class VarianceComponents(NamedTuple):
    """σ1², σ2² (within a replication), σ3² (between replications) and their ratios to σ1²."""

    sigma1_sq: Any
    sigma2_sq: Any
    sigma3_sq: Any
    rho1: Any
    rho2: Any


def variance_components(d: Any) -> VarianceComponents:
    """Components of Var(d̄) from repeated experiments, `d` of shape (..., runs, m, 2).

    σ1² is the mean variance over runs of one d[j,k]; σ2² the mean covariance of the two halves of a
    replication; σ3² the mean covariance of halves of different replications; ρ1 = σ2²/σ1²,
    ρ2 = σ3²/σ1² (Wang et al. 2014, definition 1). Divisors are runs - 1.
    """
    d = checks.differences(d, ("runs", None), ("m", None), ("2", 2))
    runs, m = d.shape[-3], d.shape[-2]
    centred = (d - d.mean(axis=-3, keepdims=True)).reshape(*d.shape[:-2], 2 * m)
    covariance = np.swapaxes(centred, -1, -2) @ centred / (runs - 1.0)
    trace = np.trace(covariance, axis1=-2, axis2=-1)
    first = np.arange(0, 2 * m, 2)
    within = 2.0 * covariance[..., first, first + 1].sum(axis=-1)
    between = covariance.sum(axis=(-2, -1)) - trace - within
    sigma1_sq = trace / (2.0 * m)
    if (sigma1_sq <= 0).any():
        raise checks.InputError("d does not vary over the runs, so there are no correlations")
    sigma2_sq = within / (2.0 * m)
    sigma3_sq = between / (4.0 * m * (m - 1.0))
    parts = (sigma1_sq, sigma2_sq, sigma3_sq, sigma2_sq / sigma1_sq, sigma3_sq / sigma1_sq)
    return VarianceComponents(*(unwrap(np.asarray(part)) for part in parts))


@dataclass(frozen=True)
class ThetaEstimates:
    """s1, s2, s3 and θ1..θ5 of Grandvalet and Bengio (2006); n records in folds of m."""

    s1: Any
    s2: Any
    s3: Any
    theta1: Any
    theta2: Any
    theta3: Any
    theta4: Any
    theta5: Any
    n: int
    m: int

    def biases(self, mu: float, omega: float, gamma: float) -> dict[str, float]:
        """Bias of each θ under mean `mu`, covariance `omega` within and `gamma` between folds."""
        n, m = self.n, self.m
        return {
            "theta1": mu**2,
            "theta2": -omega,
            "theta3": -gamma,
            "theta4": -(m * omega + (n - m) * gamma) / n,
            "theta5": -((m - 1) * omega + (n - m) * gamma) / (n - 1),
        }


def theta_estimates(e: Any, folds: Any) -> ThetaEstimates:
    """Quadratic estimates of the variance of the K-fold mean (Grandvalet and Bengio 2006).

    `e` of shape (..., n) are residuals (losses, or loss_A - loss_B), `folds` the fold number per
    record; all folds must have the same size m of at least 2. s1 is the mean of e_i², s2 the mean
    of e_i e_j within folds, s3 between folds; θ1 = μ̂² (assumes μ = 0), θ2 (ω = 0),
    θ3 = sum (μ̂_k - μ̂)²/(K(K - 1)) (γ = 0), θ4 (γ = -mω/(n - m)), θ5 the variance of the mean of
    uncorrelated residuals. `biases` of the result gives the bias of each.
    """
    e = checks.differences(e, ("n", None), name="e")
    per_fold = fold_sums(e, folds)
    m = int(per_fold.sizes.flat[0])
    if (per_fold.sizes != m).any() or m < 2:
        least, most = per_fold.sizes.min(), per_fold.sizes.max()
        raise checks.InputError(
            f"folds must all have the same size of at least 2, got {least:g} to {most:g} records"
        )
    n = e.shape[-1]
    squares = np.sum(e**2, axis=-1)
    fold_squares = np.sum(per_fold.sums**2, axis=-1)
    total = e.sum(axis=-1) ** 2
    s1 = squares / n
    s2 = (fold_squares - squares) / (n * (m - 1.0))
    s3 = (total - fold_squares) / (n * (n - m))
    thetas = {
        "theta1": (s1 + (m - 1) * s2 + (n - m) * s3) / n,
        "theta2": (s1 - (n + 1 - m) * s2 + (n - m) * s3) / n,
        "theta3": (s1 + (m - 1) * s2 - m * s3) / n,
        "theta4": (s1 - s2) / n,
        "theta5": (s1 - ((m - 1) * s2 + (n - m) * s3) / (n - 1)) / n,
    }
    parts = {"s1": s1, "s2": s2, "s3": s3, **thetas}
    return ThetaEstimates(n=n, m=m, **{name: unwrap(np.asarray(v)) for name, v in parts.items()})


def block_rho_to_rho(block_rho: Any, k: Any) -> Any:
    """ρ = K ρ1 / (1 + (K - 1) ρ1): covariance of two folds over the variance of the mean of K."""
    rho1, folds = _block(block_rho, "block_rho"), checks.sizes(k, "k")
    spread = 1.0 + (folds - 1.0) * rho1
    if (spread <= 0).any():
        raise checks.InputError(
            f"block_rho must exceed -1/(K - 1); got {rho1.min():g} with K = {folds.max():g}"
        )
    return unwrap(np.asarray(folds * rho1 / spread))


def rho_to_block_rho(rho: Any, k: Any) -> Any:
    """ρ1 = ρ / (K - (K - 1) ρ), the inverse of `block_rho_to_rho`."""
    value, folds = checks.floats(rho, "rho"), checks.sizes(k, "k")
    if (value > 1).any():
        raise checks.InputError(f"rho must not exceed 1, got {value.max():g}")
    return unwrap(np.asarray(value / (folds - (folds - 1.0) * value)))


def political_ratio(
    test: str,
    rho1: Any = 0.0,
    rho2: Any = 0.0,
    *,
    k: int = 2,
    lam: float = 2 / 3,
    rho: float = 0.7,
    block_rho: float = 0.5,
    j: int = 15,
    n_train: int = 9,
    n_test: int = 1,
) -> Any:
    """Var(μ̂) / E(σ̂²) of a t-test: liberal above 1, else conservative (Wang et al. 2014, table 5).

    `rho1` is the correlation of two differences of one replication (of two folds for the K-fold
    tests, of two hold-outs for the repeated hold-out tests), `rho2` that of differences of two
    replications. Further options: `k` folds, `lam` of the AL estimator, `rho` or `block_rho` that
    the corrected K-fold or two-fold test assumes, `j` hold-outs with `n_train` and `n_test`.
    """
    r1, r2 = _block(rho1, "rho1"), checks.floats(rho2, "rho2")
    folds = (1.0 + (k - 1.0) * r1) / (1.0 - r1)
    two_folds = (1.0 + r1) / (1.0 - r1)
    holdouts = (1.0 + (j - 1.0) * r1) / (1.0 - r1)
    ratios = {
        "kfold_t": folds,
        "wong_matched_t": folds,
        "corrected_kfold_t": folds * (1.0 - rho),
        "corrected_2fold_t": two_folds * (1.0 - block_rho) / (1.0 + block_rho),
        "dietterich_5x2_t": 1.0 / (1.0 - r1) + 0.0 * r2,
        "combined_5x2_t": (1.0 + r1 + 8.0 * r2) / (1.0 - r1),
        "blocked_3x2_t": (1.0 + r1 + 4.0 * r2)
        / (3.0 + 3.0 * lam + 3.0 * (lam - 1.0) * r1 - 6.0 * lam * r2),
        "repeated_holdout_t": holdouts,
        "corrected_repeated_holdout_t": holdouts / (1.0 + j * n_test / n_train),
    }
    if test not in ratios:
        raise checks.InputError(
            f"there is no political ratio for {test!r}; it is defined for {', '.join(ratios)}"
        )
    return unwrap(np.asarray(ratios[test]))


def _block(value: Any, name: str) -> Floats:
    """A correlation array in [-1, 1)."""
    array = checks.floats(value, name)
    outside = (array < -1) | (array >= 1)
    if outside.any():
        raise checks.InputError(f"{name} must lie in [-1, 1), got {array[outside].flat[0]:g}")
    return array
