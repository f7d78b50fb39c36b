"""The z-test family (differences are loss_A - loss_B; positive: A is worse)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Optional

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import Caution
from cvinfer.inference.checks import Bools, Floats
from cvinfer.inference.folds import fold_codes, fold_sums
from cvinfer.inference.nulls import NORMAL
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Finding, no_statistic, studentised
from cvinfer.inference.variance import of_halves

POOLED_NOTE = (
    "the pooled error rate is 0 or 1: both learners are always right or always wrong,"
    " so there is nothing to test; p is set to 1"
)


@test(
    "proportion_z",
    scheme=needs("holdout", n1=Fraction(2, 3)),
    data="table",
    formula="z = (p_A − p_B) / √(2 p̄(1 − p̄)/n2)",
    null="N(0, 1)",
    cite="dietterich1998",
    use="Only for learners tested on different records; on the same records McNemar is right.",
    caution=Caution(
        "takes the two proportions for independent though both learners are tested on the same"
        " records",
        explains=False,
    ),
)
def proportion_z(table: Any, alpha: float = 0.05) -> Finding:
    """Test for the difference of two proportions on one hold-out (Dietterich 1998).

    z = (p_A - p_B) / sqrt(2 p̄ (1 - p̄) / n2) ~ N(0, 1), p the error rates of A and B on the n2
    test records, p̄ their mean; `table` is (n00, n01, n10, n11) of shape (..., 4).
    Positive: A is worse.
    """
    table = checks.tables(table, name="table")
    n2 = table.sum(axis=-1)
    rate_a = (table[..., 0] + table[..., 1]) / n2
    rate_b = (table[..., 0] + table[..., 2]) / n2
    return pooled_z(rate_a, rate_b, n2, alpha)


@test(
    "conservative_z",
    scheme=(
        needs("repeated_holdout", j=15, n1=Fraction(9, 10)),
        needs("paired_halves", m=10, j=15),
    ),
    data="differences_and_halves",
    formula="z = (d̄ − μ0) / √(Σ_m (d̄_m − d̄_m^c)²/(2M))",
    null="N(0, 1)",
    cite="nadeau2003",
    use="When an overestimated variance is wanted at any price: M·2·J further fits per learner.",
)
def conservative_z(d: Any, halves: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """Conservative Z-test (Nadeau and Bengio 2003).

    z = (d̄ - mu0) / sqrt(sum_m (d̄_m - d̄_m^c)² / (2 M)) ~ N(0, 1). `d` of shape (..., J) are the
    hold-out differences on all the data, `halves` of shape (..., M, 2) the mean difference inside
    each half of each of M random halvings. Positive: A is worse.
    """
    found = of_halves(d, halves, "d")
    j, halvings = found.shape
    return studentised(
        found.center,
        found.variance,
        NORMAL,
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=found.size,
        extra={"shape": (j,), "halvings": halvings},
    )


@test(
    "cvci_z",
    scheme=needs("kfold", k=10),
    data="losses_and_folds",
    formula="z = √n (d̄_n − μ0) / σ_out, σ²_out = mean (d_i − d̄_n)²",
    null="N(0, 1)",
    cite="bayle2020",
    use="For stable learners on large data: one K-fold run and a central limit theorem behind it.",
    caution=Caution(
        "takes the losses of all records for independent though their training sets overlap, which"
        " rests on relative stability, and that can fail where both learners are stable (Bayle,"
        " Janson and Mackey 2025)",
        overlap=True,
    ),
)
def cvci_z(
    loss_a: Any,
    loss_b: Any,
    folds: Any,
    variance: str = "out",
    bounds: Optional[tuple[float, float]] = (0.0, 1.0),
    mu0: float = 0.0,
    alpha: float = 0.05,
) -> Finding:
    """K-fold cross-validation z-test by the central limit theorem of Bayle et al. (2020).

    z = sqrt(n) (d̄_n - mu0) / σ ~ N(0, 1) with d_i = loss_a[i] - loss_b[i] of record i in the
    fold that tests it and d̄_n their mean. variance="out": σ² = mean (d_i - d̄_n)². "in": the mean
    over folds of the sample variance (divisor size - 1) inside each fold. Losses have shape
    (..., n), `folds` is the fold number per record, (n,) or (..., n). `bounds` are those of the
    loss. `extra["target"]`: what is estimated is the mean error difference of the very K pairs of
    models that were fitted, not that of the learners over all training sets. Positive: A is worse.
    The theorem needs a comparison that is relatively stable, and two learners that are stable each
    by itself need not make one (bayle2025).
    """
    loss_a = checks.shaped(checks.losses(loss_a, "loss_a", bounds), "loss_a", (("n", None),))
    loss_b = checks.shaped(checks.losses(loss_b, "loss_b", bounds), "loss_b", (("n", None),))
    checks.broadcastable("loss_a", "loss_b", loss_a, loss_b)
    d = np.asarray(loss_a - loss_b)
    checks.choice(variance, "variance", ("out", "in"))
    center = d.mean(axis=-1)
    if variance == "out":
        _, k = fold_codes(folds, d.shape)
        sigma2 = d.var(axis=-1)
    else:
        per_fold = fold_sums(d, folds)
        k = per_fold.sizes.shape[-1]
        if (per_fold.sizes < 2).any():
            raise checks.InputError('variance="in" needs at least two records in every fold')
        inside = per_fold.squares / (per_fold.sizes - 1.0)
        sigma2 = inside.mean(axis=-1)
    n = d.shape[-1]
    return studentised(
        center,
        sigma2 / n,
        NORMAL,
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        # Not max|d|: the rounding noise of a - b has the size of the losses themselves.
        size=np.maximum(np.abs(loss_a).max(axis=-1), np.abs(loss_b).max(axis=-1)),
        extra={
            "shape": (k,),
            "n": n,
            # Not the mean over all training sets of that size, which other tests speak of.
            "target": f"the mean error of the {k} fitted models",
            "loss_a": np.broadcast_to(loss_a, d.shape).mean(axis=-1),
            "loss_b": np.broadcast_to(loss_b, d.shape).mean(axis=-1),
        },
    )


def pooled_z(
    rate_a: Floats, rate_b: Floats, n: Floats, alpha: float, large_sample: Optional[Bools] = None
) -> Finding:
    """(p_A - p_B) / sqrt(2 p̄ (1 - p̄) / n) ~ N(0, 1), none where p̄ is 0 or 1."""
    alpha = checks.alpha_level(alpha)
    difference = np.asarray(rate_a - rate_b)
    pooled = (rate_a + rate_b) / 2.0
    variance = np.asarray(2.0 * pooled * (1.0 - pooled) / n)
    none = np.asarray((pooled <= 0.0) | (pooled >= 1.0))
    raw = checks.quotient(difference, np.sqrt(variance), ~none, 0.0)
    statistic, p_value, note = no_statistic(raw, none, NORMAL, POOLED_NOTE)
    extra: dict[str, Any] = {"loss_a": rate_a, "loss_b": rate_b}
    if large_sample is not None:
        extra["large_sample"] = large_sample
    return Finding(
        estimate=difference,
        variance=variance,
        statistic=statistic,
        null=NORMAL,
        p_value=p_value,
        degenerate=none,
        note=note,
        alpha=alpha,
        center=difference,
        standard_error=np.sqrt(variance),
        size=np.maximum(rate_a, rate_b),
        extra=extra,
    )
