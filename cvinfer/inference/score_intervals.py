"""Symmetric intervals for one learner: t intervals on scores, intervals for an error rate."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import TooShort
from cvinfer.inference.checks import ZERO_VARIANCE, Bools, Floats
from cvinfer.inference.nulls import NORMAL, Null, student
from cvinfer.inference.registry import interval, needs
from cvinfer.inference.result import Estimated
from cvinfer.inference.variance import al_estimator, replication_variance
from cvinfer.inference.wong import large_enough

NO_VARIATION = "no variation: the variance estimate is zero, so the interval has no length"
SHARED_RECORDS = TooShort(
    "takes no account of the training records that its fits share", overlap=True
)
ALWAYS_SAME = "the error rate is 0 or 1: the normal interval has no length and means nothing"


@interval(
    "kfold_t_interval",
    scheme=needs("kfold", k=10),
    data="scores",
    formula="μ̂ ± t_{K−1} √(S²/K)",
    null="t(K − 1)",
    cite="wang2015",
    use="For comparison only: short, but it covers the true value too rarely.",
    kind="confidence",
    measure="F1",
    caution=SHARED_RECORDS,
)
def kfold_t_interval(scores: Any, alpha: float = 0.05, level: Optional[float] = None) -> Estimated:
    """μ̂ ± t_{K-1} sqrt(S²/K) on the K scores of one learner, shape (..., K) (Wang 2015, eq. 14).

    As printed: it may reach beyond [0, 1].
    """
    s = _scores(scores, ("K", None))
    k = s.shape[-1]
    return symmetric(
        s.mean(axis=-1),
        s.var(axis=-1, ddof=1) / k,
        student(k - 1),
        checks.confidence_level(alpha, level),
        np.abs(s).max(axis=-1),
    )


@interval(
    "five_by_two_t_interval",
    scheme=needs("random_mx2", m=5, fixed=("m",)),
    data="scores",
    formula="μ̂ ± t_5 √(mean_j s_j²)",
    null="t(5)",
    cite="wang2015",
    use="For comparison with the intervals of the F1 paper on random halves.",
    kind="confidence",
    measure="F1",
)
def five_by_two_t_interval(
    scores: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """μ̂ ± t_5 sqrt(mean_j s_j²) on the ten scores of one learner, (..., 5, 2) (eq. 16)."""
    s = _scores(scores, ("5", 5), ("2", 2))
    return symmetric(
        s.mean(axis=(-2, -1)),
        replication_variance(s).mean(axis=-1),
        student(5),
        checks.confidence_level(alpha, level),
        np.abs(s).max(axis=(-2, -1)),
    )


@interval(
    "blocked_3x2_t_interval",
    scheme=needs("blocked_mx2", m=3, fixed=("m",)),
    data="scores",
    formula="μ̂ ± t_5 √(ΣΣ(x[j,k] − μ̂)²/6)",
    null="t(5)",
    cite="wang2015",
    use="A symmetric interval for any score on balanced halves; for F1 prefer the beta prime.",
    kind="confidence",
    measure="F1",
    caution=TooShort("refers six scores that all come from the same records to t(5)"),
)
def blocked_3x2_t_interval(
    scores: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """μ̂ ± t_5 sqrt(sum (x[j,k] - μ̂)²/6) on six scores of one learner, (..., 3, 2) (eq. 17)."""
    s = _scores(scores, ("3", 3), ("2", 2))
    return symmetric(
        s.mean(axis=(-2, -1)),
        np.asarray(al_estimator(s)),
        student(5),
        checks.confidence_level(alpha, level),
        np.abs(s).max(axis=(-2, -1)),
    )


@interval(
    "error_kfold_t",
    scheme=needs("kfold", k=10),
    data="fold_errors",
    formula="p̄ ± t_{K−1} √(s²/K)",
    null="t(K − 1)",
    cite="wong2015",
    use="For the error rate of one learner when its variation between folds should count.",
    kind="confidence",
    measure="error rate",
    caution=SHARED_RECORDS,
)
def error_kfold_t(
    errors: Any, n_test: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """Fold-level interval p̄ ± t_{K-1} sqrt(s²/K) for an error rate (Wong 2015, example 1).

    `errors` are counts of shape (..., K), `n_test` the fold sizes. `extra["large_sample"]`: every
    fold has at least 5 right and 5 wrong.
    """
    errors = checks.shaped(checks.counts(errors, "errors"), "errors", (("K", None),))
    n_test = checks.sizes(n_test, "n_test")
    checks.broadcastable("errors", "n_test", errors, n_test)
    checks.at_most(errors, n_test, "errors", "n_test")
    rates = np.asarray(errors / n_test)
    k = rates.shape[-1]
    return symmetric(
        rates.mean(axis=-1),
        rates.var(axis=-1, ddof=1) / k,
        student(k - 1),
        checks.confidence_level(alpha, level),
        np.abs(rates).max(axis=-1),
        {"large_sample": large_enough(errors, n_test).all(axis=-1)},
    )


@interval(
    "error_dataset_z",
    scheme=needs("kfold", k=10),
    data="total_errors",
    formula="p̄ ± z √(p̄(1 − p̄)/n)",
    null="N(0, 1)",
    cite="wong2015",
    use="For the error rate of one learner over all records of a K-fold run.",
    kind="confidence",
    measure="error rate",
    caution=SHARED_RECORDS,
)
def error_dataset_z(
    errors: Any, n: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """Data-set-level interval p̄ ± z sqrt(p̄ (1 - p̄)/n) for an error rate (Wong 2015, theorem 1).

    `errors` is the number of wrong predictions over all n records of a K-fold run.
    """
    return _binomial(errors, n, alpha, level)


@interval(
    "error_loo_z",
    scheme=needs("loo"),
    data="total_errors",
    formula="p̄ ± z √(p̄(1 − p̄)/n)",
    null="N(0, 1)",
    cite="wong2015",
    use="For the leave-one-out error rate of one learner.",
    kind="confidence",
    measure="error rate",
    caution=SHARED_RECORDS,
)
def error_loo_z(
    errors: Any, n: Any, alpha: float = 0.05, level: Optional[float] = None
) -> Estimated:
    """Leave-one-out interval p̄ ± z sqrt(p̄ (1 - p̄)/n) for an error rate (Wong 2015, 5.1)."""
    return _binomial(errors, n, alpha, level)


def _binomial(errors: Any, n: Any, alpha: float, level: Optional[float]) -> Estimated:
    errors, n = checks.counts(errors, "errors"), checks.sizes(n, "n")
    checks.broadcastable("errors", "n", errors, n)
    checks.at_most(errors, n, "errors", "n")
    rate = np.asarray(errors / n)
    return symmetric(
        rate,
        np.asarray(rate * (1.0 - rate) / n),
        NORMAL,
        checks.confidence_level(alpha, level),
        np.ones_like(rate),
        {"large_sample": large_enough(errors, n)},
        reason=ALWAYS_SAME,
    )


def symmetric(
    center: Floats,
    variance: Floats,
    null: Null,
    level: float,
    size: Floats,
    extra: Optional[Mapping[str, Any]] = None,
    reason: str = NO_VARIATION,
) -> Estimated:
    zero: Bools = np.asarray(variance <= ZERO_VARIANCE * size**2)
    error = np.sqrt(np.where(zero, 0.0, variance))
    half = null.critical(1.0 - level) * error
    note = np.array(["", reason], dtype=object)[zero.astype(np.intp)]
    more = {"standard_error": error, "variance": variance, **(extra or {})}
    return Estimated(
        point=center,
        lower=np.asarray(center - half),
        upper=np.asarray(center + half),
        level=level,
        degenerate=zero,
        note=note,
        extra=more,
    )


def _scores(scores: Any, *axes: tuple[str, Optional[int]]) -> Floats:
    return checks.differences(scores, *axes, name="scores")
