"""The t-test family on split differences d, mean loss of A minus that of B (positive: A worse)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import REPLICATIONS_OVERLAP, Caution, overlap
from cvinfer.inference.checks import Floats
from cvinfer.inference.nulls import student
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Finding, studentised, unwrap
from cvinfer.inference.variance import al_estimator, block_rho_to_rho, replication_variance

TWO_THIRDS = Fraction(2, 3)
NINE_TENTHS = Fraction(9, 10)

TRAINING_SETS_MATTER = Caution(
    "takes n2/(n1 + n2) for the correlation of two splits, which is too little for learners that"
    " change much with their training set"
)


@test(
    "repeated_holdout_t",
    scheme=needs("repeated_holdout", j=15, n1=TWO_THIRDS),
    data="differences",
    formula="t = (d̄ − μ0) / √(S²/J)",
    null="t(J − 1)",
    cite="dietterich1998",
    use="Only to reproduce older work: overlapping hold-outs make it reject far too often.",
    caution=overlap(),
)
def repeated_holdout_t(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """Paired t-test over J hold-outs, as if they were independent (Dietterich 1998).

    t = (d̄ - mu0) / sqrt(S²/J) ~ t(J - 1), S² the sample variance of the J differences `d`
    of shape (..., J). Positive: A is worse.
    """
    return _mean_t(checks.differences(d, ("J", None)), mu0, alpha, 1.0)


@test(
    "kfold_t",
    scheme=needs("kfold", k=10),
    data="differences",
    formula="t = (d̄ − μ0) / √(S²/K)",
    null="t(K − 1)",
    cite="dietterich1998",
    use="As the familiar yardstick; it ignores the overlap of training sets and is liberal.",
    caution=overlap(two_folds=True),
)
def kfold_t(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """Paired t-test over the K folds (Dietterich 1998).

    t = (d̄ - mu0) / sqrt(S²/K) ~ t(K - 1), S² the sample variance of the K differences `d`
    of shape (..., K). Positive: A is worse.
    """
    return _mean_t(checks.differences(d, ("K", None)), mu0, alpha, 1.0)


@test(
    "corrected_kfold_t",
    scheme=needs("kfold", k=10),
    data="differences",
    formula="t = (d̄ − μ0) / √(S²/(K(1 − ρ))), ρ = 0.7 or ρ = Kρ1/(1 + (K − 1)ρ1)",
    null="t(K − 1)",
    cite="grandvalet2006",
    use="When only one K-fold run is at hand and a false claim costs more than a missed one.",
    caution=Caution(
        "takes the folds for independent with ρ = 0, as kfold_t does, though their training sets"
        " overlap",
        lambda result: result["extra"].get("rho") == 0.0 and list(result["shape"]) != [2],
        where="with ρ = 0, but for K = 2",
        rates_of="kfold_t",
    ),
)
def corrected_kfold_t(
    d: Any,
    rho: float = 0.7,
    block_rho: Optional[float] = None,
    mu0: float = 0.0,
    alpha: float = 0.05,
) -> Finding:
    """K-fold t-test allowing for the correlation of folds (Grandvalet and Bengio 2006, eq. 9).

    t = (d̄ - mu0) / sqrt(S² / (K (1 - rho))) ~ t(K - 1). `rho` is the covariance of two folds
    over the variance of the mean; `block_rho` gives it as the correlation of two folds instead.
    `extra["rho_alpha"]` is the supremum of the rho at which H0 is still rejected.
    Positive: A is worse.
    """
    d = checks.differences(d, ("K", None))
    if block_rho is not None:
        # A ratio to the variance of the mean: below -1 where folds are negatively correlated.
        rho = float(block_rho_to_rho(checks.correlation(block_rho, "block_rho"), d.shape[-1]))
    else:
        rho = checks.correlation(rho, "rho")
    bound = rho_alpha(d, mu0=mu0, alpha=alpha)
    return _mean_t(d, mu0, alpha, 1.0 / (1.0 - rho), extra={"rho": rho, "rho_alpha": bound})


@test(
    "corrected_2fold_t",
    scheme=needs("kfold", k=2, fixed=("k",)),
    data="differences",
    formula="t = (d̄ − μ0) / √(S²(1 + ρ1)/(2(1 − ρ1))), ρ1 = 1/2: variance 1.5 S²",
    null="t(1)",
    cite="wang2014",
    use="To compare with the two-fold tests of the blocked 3×2 paper; one run, little power.",
)
def corrected_2fold_t(
    d: Any, block_rho: float = 0.5, mu0: float = 0.0, alpha: float = 0.05
) -> Finding:
    """Two-fold t-test corrected for the correlation of the two folds (Wang et al. 2014, 5.3).

    t = (d̄ - mu0) / sqrt(S² (1 + ρ1) / (2 (1 - ρ1))) ~ t(1): the corrected K-fold t with K = 2 and
    block correlation ρ1 = 1/2, where the variance is 1.5 S². `d` has shape (..., 2).
    Positive: A is worse.
    """
    d = checks.differences(d, ("2", 2))
    block_rho = checks.correlation(block_rho, "block_rho")
    rho = float(block_rho_to_rho(block_rho, 2))
    return _mean_t(d, mu0, alpha, 1.0 / (1.0 - rho), extra={"rho": rho, "block_rho": block_rho})


@test(
    "corrected_repeated_holdout_t",
    scheme=needs("repeated_holdout", j=15, n1=NINE_TENTHS),
    data="differences_and_sizes",
    formula="t = (d̄ − μ0) / √((1/J + n2/n1) S²)",
    null="t(J − 1)",
    cite="nadeau2003",
    use="On random hold-outs, when 15 fits per learner are affordable.",
    caution=TRAINING_SETS_MATTER,
)
def corrected_repeated_holdout_t(
    d: Any, n_train: int, n_test: int, mu0: float = 0.0, alpha: float = 0.05
) -> Finding:
    """Repeated hold-out t-test with the corrected variance (Nadeau and Bengio 2003).

    t = (d̄ - mu0) / sqrt((1/J + n_test/n_train) S²) ~ t(J - 1); `d` of shape (..., J).
    Positive: A is worse.
    """
    d = checks.differences(d, ("J", None))
    factor = 1.0 + d.shape[-1] * _size_ratio(n_train, n_test)
    return _mean_t(d, mu0, alpha, factor)


@test(
    "corrected_repeated_kfold_t",
    scheme=needs("repeated_kfold", r=10, k=10),
    data="differences_and_sizes",
    formula="t = (d̄ − μ0) / √((1/(RK) + n2/n1) S²)",
    null="t(RK − 1)",
    cite="bouckaert2004",
    use="When replicability matters most and 100 fits per learner are affordable.",
    caution=TRAINING_SETS_MATTER,
)
def corrected_repeated_kfold_t(
    d: Any, n_train: int, n_test: int, mu0: float = 0.0, alpha: float = 0.05
) -> Finding:
    """Repeated K-fold t-test with the corrected variance (Bouckaert and Frank 2004).

    t = (d̄ - mu0) / sqrt((1/(RK) + n_test/n_train) S²) ~ t(RK - 1), S² over all R·K differences
    of `d`, shape (..., R, K). Positive: A is worse.
    """
    d = shaped_runs(d)
    shape = d.shape[-2:]
    factor = 1.0 + shape[0] * shape[1] * _size_ratio(n_train, n_test)
    flat = d.reshape(*d.shape[:-2], shape[0] * shape[1])
    return _mean_t(flat, mu0, alpha, factor, extra={"shape": shape})


@test(
    "dietterich_5x2_t",
    scheme=needs("random_mx2", m=5, fixed=("m",)),
    data="differences",
    formula="t = (d[1,1] − μ0) / √(mean_j s_j²)",
    null="t(5)",
    cite="dietterich1998",
    use="Cheap and well known; it throws nine of ten differences away, so power is modest.",
    caution=REPLICATIONS_OVERLAP,
)
def dietterich_5x2_t(
    d: Any, pick: tuple[int, int] = (0, 0), mu0: float = 0.0, alpha: float = 0.05
) -> Finding:
    """The 5×2 cv paired t-test (Dietterich 1998).

    t = (d[pick] - mu0) / sqrt(mean_j s_j²) ~ t(5), s_j² = sum_k (d[j,k] - d̄_j)²; `d` of shape
    (..., 5, 2). The estimate is the mean of all ten, the interval is centred on the one picked.
    Positive: A is worse.
    """
    d = checks.differences(d, ("5", 5), ("2", 2))
    j, k = _pick(pick)
    s2 = replication_variance(d).mean(axis=-1)
    return studentised(
        d[..., j, k],
        s2,
        student(5),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=(-2, -1)),
        estimate=d.mean(axis=(-2, -1)),
        extra={"shape": (5, 2), "picked": d[..., j, k]},
    )


@test(
    "combined_5x2_t",
    scheme=needs("random_mx2", m=5, fixed=("m",)),
    data="differences",
    formula="t = (Σ(d[j,k] − μ0)/√10) / √(mean_j s_j²)",
    null="t(5)",
    cite="yildiz2013",
    use="For comparison with its paper; it ignores the correlation of replications and is liberal.",
    caution=overlap(),
)
def combined_5x2_t(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """The combined 5×2 cv t-test (Yildiz 2013).

    t = (sum (d[j,k] - mu0) / sqrt(10)) / sqrt(mean_j s_j²) ~ t(5); `d` of shape (..., 5, 2).
    `variance` is mean_j s_j²; the standard error of the mean difference is sqrt(variance / 10).
    Positive: A is worse.
    """
    d = checks.differences(d, ("5", 5), ("2", 2))
    s2 = replication_variance(d).mean(axis=-1)
    return studentised(
        d.mean(axis=(-2, -1)),
        s2 / 10.0,
        student(5),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=(-2, -1)),
        denominator=s2,
        extra={"shape": (5, 2)},
    )


@test(
    "blocked_3x2_t",
    scheme=needs("blocked_mx2", m=3, fixed=("m",)),
    data="differences",
    formula="t = (d̄ − μ0) / √Var_AL, λ = 2/3: Var_AL = ΣΣ(d[j,k] − d̄)²/6",
    null="t(5)",
    cite="wang2014",
    use="Six fits per learner on balanced halves, when fits are expensive.",
    caution=Caution("refers six differences that all come from the same records to t(5)"),
)
def blocked_3x2_t(d: Any, lam: float = 2 / 3, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """The blocked 3×2 cv t-test (Wang et al. 2014).

    t = (d̄ - mu0) / sqrt(Var_AL) ~ t(5), Var_AL the AL estimator with weight `lam`; with
    lam = 2/3 it is the sum of squares about d̄ over 6. lam = 0 is the L estimator, which has
    3 degrees of freedom. `d` of shape (..., 3, 2). Positive: A is worse.
    """
    d = checks.differences(d, ("3", 3), ("2", 2))
    variance = al_estimator(d, lam)
    return studentised(
        d.mean(axis=(-2, -1)),
        np.asarray(variance),
        student(3 if lam == 0 else 5),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=(-2, -1)),
        extra={"shape": (3, 2), "lam": float(lam)},
    )


def rho_alpha(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Any:
    """ρ_α = 1 - (t_crit / t_0)², t_0 the plain K-fold t of `d` with shape (..., K).

    The supremum of the correlations ρ at which the corrected K-fold t-test still rejects H0, so
    the minimum at which it accepts (Grandvalet and Bengio 2006). Negative: not even the plain
    test rejects; -inf where t_0 = 0; NaN where the variance is zero and no t_0 exists.
    """
    d = checks.differences(d, ("K", None))
    plain = _mean_t(d, mu0, alpha, 1.0)
    critical = plain.null.critical(plain.alpha)
    with np.errstate(divide="ignore"):
        bound = 1.0 - (critical / np.abs(plain.statistic)) ** 2
    return unwrap(np.where(plain.degenerate, np.nan, bound))


def _mean_t(
    d: Floats, mu0: float, alpha: float, factor: float, extra: Optional[Mapping[str, Any]] = None
) -> Finding:
    """(d̄ - mu0) / sqrt(factor · S² / count) ~ t(count - 1) over the last axis."""
    count = d.shape[-1]
    return studentised(
        d.mean(axis=-1),
        factor * d.var(axis=-1, ddof=1) / count,
        student(count - 1),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=-1),
        extra={"shape": (count,), **(extra or {})},
    )


def shaped_runs(d: Any) -> Floats:
    """Differences of shape (..., R, K): one run is enough, but K must be at least 2."""
    array = checks.differences(d, ("K", None))
    if array.ndim < 2 or array.shape[-2] < 1:
        raise checks.ShapeError(f"d must have shape (..., R, K), got {array.shape}")
    return array


def _size_ratio(n_train: Any, n_test: Any) -> float:
    train = checks.number(checks.sizes(n_train, "n_train"), "n_train")
    return checks.number(checks.sizes(n_test, "n_test"), "n_test") / train


def _pick(pick: tuple[int, int]) -> tuple[int, int]:
    try:
        j, k = (int(i) for i in pick)
    except (TypeError, ValueError):
        raise checks.InputError(f"pick must be (replication, half), got {pick!r}") from None
    if not (0 <= j < 5 and 0 <= k < 2):
        raise checks.InputError(f"pick must be (0..4, 0..1), got {pick!r}")
    return j, k
