"""Wong's tests for K-fold and leave-one-out cross-validation, as differences of error rates.

The paper compares accuracies; here the sign is turned, so that positive means A is worse, as
everywhere. The large-sample conditions are reported, and no fold is ever dropped because of them.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import Caution, overlap
from cvinfer.inference.checks import Bools, Floats
from cvinfer.inference.nulls import student
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Finding, studentised
from cvinfer.inference.z_tests import pooled_z

#: Wong's large-sample conditions: at least this many right and this many wrong.
LARGE = 5

TWO_SAMPLES = Caution(
    "takes the predictions for independent though the training sets overlap and both learners are"
    " tested on the same records",
    overlap=True,
)


def large_enough(errors: Floats, n: Floats) -> Bools:
    """At least 5 wrong and 5 right."""
    return np.asarray((errors >= LARGE) & (n - errors >= LARGE))


@test(
    "wong_matched_t",
    scheme=needs("kfold", k=10),
    data="error_counts",
    formula="t = (d̄ − μ0) / √(S²/K), d_j = (errors_A,j − errors_B,j)/n_j",
    null="t(K − 1)",
    cite="wong2015",
    use="As kfold_t, when the report should say whether every fold was a large sample.",
    caution=overlap(two_folds=True),
)
def wong_matched_t(
    errors_a: Any, errors_b: Any, n_test: Any, mu0: float = 0.0, alpha: float = 0.05
) -> Finding:
    """Matched-sample t-test over K folds with large-sample conditions (Wong 2015, theorem 2).

    t = (d̄ - mu0) / sqrt(S²/K) ~ t(K - 1) with d_j = (errors_a[j] - errors_b[j]) / n_test[j].
    Error counts have shape (..., K), `n_test` is (K,), (..., K) or one number.
    `extra["large_sample"]`: every fold has at least 5 right and 5 wrong for both learners;
    `extra["large_folds"]` says it per fold. Positive: A is worse.
    """
    errors_a = checks.shaped(checks.counts(errors_a, "errors_a"), "errors_a", (("K", None),))
    errors_b = checks.shaped(checks.counts(errors_b, "errors_b"), "errors_b", (("K", None),))
    n_test = checks.sizes(n_test, "n_test")
    checks.broadcastable("errors_a, errors_b", "n_test", errors_a, errors_b, n_test)
    checks.at_most(errors_a, n_test, "errors_a", "n_test")
    checks.at_most(errors_b, n_test, "errors_b", "n_test")
    rate_a, rate_b = np.broadcast_arrays(errors_a / n_test, errors_b / n_test)
    d = rate_a - rate_b
    large = large_enough(errors_a, n_test) & large_enough(errors_b, n_test)
    large = np.broadcast_to(large, d.shape)
    k = d.shape[-1]
    return studentised(
        d.mean(axis=-1),
        d.var(axis=-1, ddof=1) / k,
        student(k - 1),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.maximum(rate_a.max(axis=-1), rate_b.max(axis=-1)),
        extra={
            "shape": (k,),
            "large_sample": large.all(axis=-1),
            "large_folds": large,
            "loss_a": rate_a.mean(axis=-1),
            "loss_b": rate_b.mean(axis=-1),
        },
    )


@test(
    "wong_independent_z",
    scheme=(needs("kfold", k=10), needs("kfold", k=10)),
    data="error_rates",
    formula="z = (p̄_A − p̄_B) / √(2 p̄(1 − p̄)/n)",
    null="N(0, 1)",
    cite="wong2015",
    use="When each learner was tested on folds of its own.",
    caution=TWO_SAMPLES,
)
def wong_independent_z(error_a: Any, error_b: Any, n: Any, alpha: float = 0.05) -> Finding:
    """Independent-sample z-test for K-fold error rates (Wong 2015, theorem 3).

    z = (p̄_A - p̄_B) / sqrt(2 p̄ (1 - p̄) / n) ~ N(0, 1), p̄_A and p̄_B the error rates over n
    records, p̄ their mean. `extra["large_sample"]`: n·rate and n·(1 - rate) at least 5 for both.
    Positive: A is worse.
    """
    error_a, error_b = checks.rates(error_a, "error_a"), checks.rates(error_b, "error_b")
    n = checks.sizes(n, "n")
    checks.broadcastable("error_a, error_b", "n", error_a, error_b, n)
    error_a, error_b, n = np.broadcast_arrays(error_a, error_b, n)
    # A count that is off a whole number by rounding only must still reach the bound of 5.
    large = large_enough(np.round(error_a * n, 9), n) & large_enough(np.round(error_b * n, 9), n)
    return pooled_z(error_a, error_b, n, alpha, large_sample=large)


@test(
    "wong_welch_t",
    scheme=(needs("kfold", k=10), needs("kfold", k=10)),
    data="fold_error_rates",
    formula="t = (p̄_A − p̄_B − μ0) / √(s_A²/k + s_B²/q)",
    null="t(Welch–Satterthwaite)",
    cite="wong2015",
    use="When each learner was tested on folds of its own, perhaps of different number.",
    caution=overlap(),
)
def wong_welch_t(
    errors_a: Any,
    errors_b: Any,
    n_test_a: Optional[Any] = None,
    n_test_b: Optional[Any] = None,
    mu0: float = 0.0,
    alpha: float = 0.05,
) -> Finding:
    """Welch's t-test on the fold error rates of two learners (Wong 2015, 4.2).

    t = (p̄_A - p̄_B - mu0) / sqrt(s_A²/k + s_B²/q) with the degrees of freedom of Welch and
    Satterthwaite. `errors_a` are rates of shape (..., k), `errors_b` (..., q). Given the fold sizes
    `n_test_a` and `n_test_b`, `extra["large_sample"]` tells whether every fold has at least 5
    right and 5 wrong. Positive: A is worse.
    """
    errors_a = checks.shaped(checks.rates(errors_a, "errors_a"), "errors_a", (("k", None),))
    errors_b = checks.shaped(checks.rates(errors_b, "errors_b"), "errors_b", (("q", None),))
    k, q = errors_a.shape[-1], errors_b.shape[-1]
    rate_a, rate_b = errors_a.mean(axis=-1), errors_b.mean(axis=-1)
    checks.broadcastable("errors_a", "errors_b", rate_a, rate_b)
    share_a, share_b = errors_a.var(axis=-1, ddof=1) / k, errors_b.var(axis=-1, ddof=1) / q
    variance = np.asarray(share_a + share_b)
    size = np.maximum(np.abs(errors_a).max(axis=-1), np.abs(errors_b).max(axis=-1))
    weight = np.asarray(share_a**2 / (k - 1.0) + share_b**2 / (q - 1.0))
    # Without any variance there are no degrees of freedom; k + q - 2 is their upper limit.
    some = np.asarray(variance > checks.ZERO_VARIANCE * size**2) & (weight > 0)
    df = checks.quotient(variance**2, weight, some, k + q - 2.0)
    extra: dict[str, Any] = {"shape": (k, q), "loss_a": rate_a, "loss_b": rate_b}
    if (n_test_a is None) != (n_test_b is None):
        raise checks.InputError("n_test_a and n_test_b must be given together")
    if n_test_a is not None:
        large_a = _large_rates(errors_a, n_test_a, "errors_a", "n_test_a")
        extra["large_sample"] = large_a & _large_rates(errors_b, n_test_b, "errors_b", "n_test_b")
    return studentised(
        np.asarray(rate_a - rate_b),
        variance,
        student(df[()]),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=size,
        extra=extra,
    )


@test(
    "loo_matched_t",
    scheme=needs("loo"),
    data="record_differences",
    formula="t = (ȳ − μ0) / √(s_y²/n)",
    null="t(n − 1)",
    cite="wong2015",
    use="For data too small to split otherwise, with at least five records of each outcome.",
    caution=overlap(),
)
def loo_matched_t(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """Matched-sample t-test for leave-one-out (Wong 2015, theorem 4).

    t = (ȳ - mu0) / sqrt(s_y²/n) ~ t(n - 1), y_i = loss_A - loss_B of record i in {-1, 0, 1}; `d` of
    shape (..., n). `extra["large_sample"]`: at least 5 records of each of the three outcomes,
    counted in `extra["outcomes"]` (B worse, equal, A worse). Positive: A is worse.
    """
    d = checks.differences(d, ("n", None))
    if not np.isin(d, (-1.0, 0.0, 1.0)).all():
        raise checks.InputError("d must hold -1, 0 and 1 only: 0/1 loss of A minus that of B")
    outcomes = np.stack([(d == value).sum(axis=-1) for value in (-1, 0, 1)], axis=-1)
    n = d.shape[-1]
    return studentised(
        d.mean(axis=-1),
        d.var(axis=-1, ddof=1) / n,
        student(n - 1),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=-1),
        extra={
            "shape": (n,),
            "large_sample": (outcomes >= LARGE).all(axis=-1),
            "outcomes": outcomes,
        },
    )


@test(
    "loo_independent_z",
    scheme=needs("loo"),
    data="total_error_counts",
    formula="z = (p̄_A − p̄_B) / √(2 p̄(1 − p̄)/n)",
    null="N(0, 1)",
    cite="wong2015",
    use="For leave-one-out results of learners that can be taken as independent.",
    caution=TWO_SAMPLES,
)
def loo_independent_z(errors_a: Any, errors_b: Any, n: Any, alpha: float = 0.05) -> Finding:
    """Independent-sample z-test for leave-one-out (Wong 2015, 5.2).

    z = (p̄_A - p̄_B) / sqrt(2 p̄ (1 - p̄) / n) ~ N(0, 1) from error counts over n records.
    `extra["large_sample"]`: at least 5 right and 5 wrong for both. Positive: A is worse.
    """
    errors_a = checks.counts(errors_a, "errors_a")
    errors_b = checks.counts(errors_b, "errors_b")
    n = checks.sizes(n, "n")
    checks.broadcastable("errors_a, errors_b", "n", errors_a, errors_b, n)
    checks.at_most(errors_a, n, "errors_a", "n")
    checks.at_most(errors_b, n, "errors_b", "n")
    errors_a, errors_b, n = np.broadcast_arrays(errors_a, errors_b, n)
    large = large_enough(errors_a, n) & large_enough(errors_b, n)
    return pooled_z(errors_a / n, errors_b / n, n, alpha, large_sample=large)


def _large_rates(rates: Floats, n_test: Any, name: str, sizes_name: str) -> Bools:
    sizes = checks.sizes(n_test, sizes_name)
    checks.broadcastable(name, sizes_name, rates, sizes)
    return np.asarray(large_enough(np.round(rates * sizes, 9), sizes).all(axis=-1))
