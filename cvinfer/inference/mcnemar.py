"""The McNemar family on contingency tables (n00, n01, n10, n11).

n00 counts the records that both learners get wrong, n01 those only A gets wrong, n10 those only B
gets wrong, n11 those both get right. Estimates are (n01 - n10)/n2: positive, A is worse.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Optional, Union

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import OnRandomHalves, Powerless
from cvinfer.inference.checks import Bools, Floats
from cvinfer.inference.matched_pairs import ScoreInterval
from cvinfer.inference.nulls import Null, chi_squared
from cvinfer.inference.posteriors import table_posteriors
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Ends, Finding, no_statistic

CONTINUITY = ("clipped", "printed", "none")
DISCORDANT_NOTE = (
    "no discordant record: the learners are right and wrong on the same records,"
    " so there is nothing to test; p is set to 1"
)


@test(
    "holdout_mcnemar",
    scheme=needs("holdout", n1=Fraction(2, 3)),
    data="table",
    formula="χ² = max(|n01 − n10| − 1, 0)² / (n01 + n10)",
    null="χ²(1)",
    cite="dietterich1998",
    use="When each learner can be fitted only once.",
    interval_cite="tango1998",
    discordant=True,
)
def holdout_mcnemar(table: Any, continuity: str = "clipped", alpha: float = 0.05) -> Finding:
    """McNemar's test on one hold-out (McNemar 1947, Dietterich 1998).

    χ² = max(|n01 - n10| - 1, 0)² / (n01 + n10) ~ χ²(1); `table` of shape (..., 4).
    `extra["p_exact"]` is the two-sided exact binomial p. The estimate is positive where A is
    worse; χ² has no sign. `interval()` holds the differences that the same test does not reject
    (Tango 1998; see `bcv_5x2_mcnemar`, here with t = 1).
    """
    table = checks.tables(table, name="table")
    statistic = _chi_squared(table, 1.0, continuity)
    extra = {"shape": (), "p_exact": exact_p(table)}
    none = _no_discordant(table)
    ends = _score_interval(table, 1.0, continuity)
    return _finding(_rates(table, ()), statistic, chi_squared(1), none, alpha, extra, ends)


@test(
    "naive_kfold_mcnemar",
    scheme=needs("kfold", k=10),
    data="tables",
    formula="χ² = Σ_k max(|n01,k − n10,k| − 1, 0)² / (n01,k + n10,k)",
    null="χ²(K)",
    cite="yang2023",
    use="Not recommended: it hardly ever rejects; here for comparison.",
    has_interval=False,
    discordant=True,
    caution=Powerless(
        "adds up the statistics of the folds, each with a continuity correction", overlap=True
    ),
)
def naive_kfold_mcnemar(tables: Any, continuity: str = "clipped", alpha: float = 0.05) -> Finding:
    """Sum of the K fold statistics as if they were independent (Yang et al. 2023, eq. 5).

    χ² = sum_k max(|n01 - n10| - 1, 0)² / (n01 + n10) ~ χ²(K); a fold without discordant records
    adds 0. `tables` of shape (..., K, 4). `extra["p_informative"]` counts only the folds with
    discordant records as degrees of freedom. The estimate is positive where A is worse.
    """
    tables = checks.tables(tables, ("K", None))
    per_fold = _chi_squared(tables, 1.0, continuity)
    statistic = per_fold.sum(axis=-1)
    informative = np.sum(tables[..., 1] + tables[..., 2] > 0, axis=-1)
    none = np.asarray(informative == 0)
    k = tables.shape[-2]
    p_informative = chi_squared(np.maximum(informative, 1)).p_value(statistic)
    extra = {
        "shape": (k,),
        "informative_folds": informative,
        "p_informative": np.where(none, 1.0, p_informative),
    }
    return _finding(_rates(tables, -1), statistic, chi_squared(k), none, alpha, extra)


@test(
    "bcv_5x2_mcnemar",
    scheme=needs("blocked_mx2", m=5, also=("random_mx2",)),
    data="tables",
    formula="χ² = t · max(|n̄01 − n̄10| − 1/t, 0)² / (n̄01 + n̄10), t = 2m/(1 + ρ1 + 2(m − 1)ρ2)",
    null="χ²(1)",
    cite="yang2023",
    use="The recommended test: ten fits per learner, and few false claims where that was measured.",
    interval_cite="tango1998",
    discordant=True,
    caution=OnRandomHalves(
        "is made for halves whose training sets overlap in n/4 records, and random halves overlap"
        " in more or less, in n/2 where one is repeated (rcp)"
    ),
)
def bcv_5x2_mcnemar(
    tables: Any,
    rho1: float = 0.5,
    rho2: float = 0.5,
    continuity: str = "clipped",
    alpha: float = 0.05,
) -> Finding:
    """McNemar's test on the effective table of a blocked m×2 cross-validation (Yang et al. 2023).

    χ² = t max(|n̄01 - n̄10| - 1/t, 0)² / (n̄01 + n̄10) ~ χ²(1) with the mean table n̄ of the 2m
    splits and t = 2m / (1 + rho1 + 2 (m - 1) rho2), 20/11 for m = 5 and rho1 = rho2 = 1/2.
    `tables` of shape (..., m, 2, 4), m at least 2. The estimate is positive where A is worse.
    Tables of a random m×2 are taken when one is asked for, to study what the blocks are good for:
    rho2 <= 1/2 is a bound for balanced halves, not for random ones that happen to overlap more.

    `interval()` is for the difference δ of the error rates (A - B): all δ that the score form of
    the statistic on the effective table does not reject (Tango 1998). With b = t n̄01, c = t n̄10,
    N = t n̄ it is T(δ) = max(|b - c - Nδ| - κ, 0)² / (N (2p̃ + δ(1 - δ))) <= χ²_{1-α}(1), p̃ the
    likeliest P(only B wrong) under δ, κ = 1 with a correction for continuity, 0 with "none". T(0)
    is the statistic of the test, so 0 lies outside exactly where H0 is rejected. "printed" has the
    interval of "clipped": where its uncut correction overshoots (|b - c| < 1) H0 may be rejected
    although b and c hardly differ, and 0 stays inside. Without discordant records the interval
    exists and holds 0.

    `extra["posteriors"]` is `table_posteriors` of the effective table with prior 1.
    """
    tables = checks.tables(tables, ("m", None), ("2", 2))
    m = tables.shape[-3]
    factor = effective_factor(m, rho1, rho2)
    average = tables.mean(axis=(-3, -2))
    statistic = _chi_squared(average, factor, continuity)
    effective = factor * average
    extra = {
        "shape": (m, 2),
        "factor": factor,
        "effective_table": effective,
        "n_effective": effective.sum(axis=-1),
        "posteriors": table_posteriors(effective),
    }
    rates = _rates(tables, (-2, -1))
    none = _no_discordant(average)
    ends = _score_interval(average, factor, continuity)
    return _finding(rates, statistic, chi_squared(1), none, alpha, extra, ends)


def effective_factor(m: int, rho1: float = 0.5, rho2: float = 0.5) -> float:
    """t = 2m / (1 + rho1 + 2 (m - 1) rho2): how many independent halves the 2m tables are worth.

    From Var(E) = σ² (1 + rho1 + 2 (m - 1) rho2) / (2m) (Yang et al. 2023, theorems 1, 3).
    """
    count = checks.number(checks.sizes(m, "m"), "m")
    rho1 = checks.correlation(rho1, "rho1", below=1.0 + 1e-9)
    rho2 = checks.correlation(rho2, "rho2", below=1.0 + 1e-9)
    spread = 1.0 + rho1 + 2.0 * (count - 1.0) * rho2
    if spread <= 0:
        raise checks.InputError(
            f"rho1 = {rho1:g} and rho2 = {rho2:g} give no positive variance at m = {count:g}"
        )
    return 2.0 * count / spread


def effective_table(tables: Any, rho1: float = 0.5, rho2: float = 0.5) -> Any:
    """The effective table t·n̄ of tables (..., m, 2, 4) (Yang et al. 2023, theorem 3)."""
    tables = checks.tables(tables, ("m", None), ("2", 2))
    return tables.mean(axis=(-3, -2)) * effective_factor(tables.shape[-3], rho1, rho2)


def exact_p(table: Floats) -> Floats:
    """Two-sided exact binomial p of McNemar's test: 2 P(X <= min(n01, n10)), X ~ B(n, 1/2)."""
    from scipy import special

    only_a, only_b = table[..., 1], table[..., 2]
    total = only_a + only_b
    tail = special.bdtr(np.minimum(only_a, only_b), total.astype(np.int64), 0.5)
    return np.minimum(1.0, 2.0 * np.asarray(tail))


def _chi_squared(table: Floats, factor: float, continuity: str) -> Floats:
    """factor · (|n01 - n10| - c)² / (n01 + n10), c = 1/factor; 0 where nothing is discordant."""
    checks.choice(continuity, "continuity", CONTINUITY)
    distance = np.abs(table[..., 1] - table[..., 2])
    if continuity != "none":
        distance = distance - 1.0 / factor
    if continuity == "clipped":
        distance = np.maximum(distance, 0.0)
    total = table[..., 1] + table[..., 2]
    return checks.quotient(factor * distance**2, total, total > 0, 0.0)


def _score_interval(table: Floats, factor: float, continuity: str) -> ScoreInterval:
    """The differences that are not rejected on the table times `factor`, never overshooting."""
    form = "none" if continuity == "none" else "clipped"
    # Summed in pairs, so that exchanging A and B turns the interval's sign to the last bit.
    total = (table[..., 0] + table[..., 3]) + (table[..., 1] + table[..., 2])
    return ScoreInterval(
        only_a=factor * table[..., 1],
        only_b=factor * table[..., 2],
        n=factor * total,
        correction=0.0 if form == "none" else 1.0,
        statistic=_chi_squared(table, factor, form),
    )


def _no_discordant(table: Floats) -> Bools:
    return np.asarray(table[..., 1] + table[..., 2] == 0)


def _rates(tables: Floats, splits: Union[int, tuple[int, ...]]) -> tuple[Floats, Floats, Floats]:
    """Mean error rates of A and B over the axes of the splits, and their mean difference.

    The difference is averaged by itself, so that it is the d̄ of the other tests to the last bit.
    """
    n2 = tables.sum(axis=-1)
    rate_a = np.mean((tables[..., 0] + tables[..., 1]) / n2, axis=splits)
    rate_b = np.mean((tables[..., 0] + tables[..., 2]) / n2, axis=splits)
    difference = np.mean((tables[..., 1] - tables[..., 2]) / n2, axis=splits)
    return np.asarray(rate_a), np.asarray(rate_b), np.asarray(difference)


def _finding(
    rates: tuple[Floats, Floats, Floats],
    statistic: Floats,
    null: Null,
    none: Bools,
    alpha: float,
    extra: dict[str, Any],
    ends: Optional[Ends] = None,
) -> Finding:
    rate_a, rate_b, difference = rates
    statistic, p_value, note = no_statistic(statistic, none, null, DISCORDANT_NOTE)
    return Finding(
        estimate=difference,
        variance=None,
        statistic=statistic,
        null=null,
        p_value=p_value,
        degenerate=none,
        note=note,
        alpha=checks.alpha_level(alpha),
        ends=ends,
        extra={**extra, "loss_a": rate_a, "loss_b": rate_b},
    )
