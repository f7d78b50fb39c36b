"""The posterior reading of a contingency table (n00, n01, n10, n11): Beta distributions.

n00 counts the records that both learners get wrong, n01 those only A gets wrong, n10 those only B
gets wrong, n11 those both get right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats
from cvinfer.inference.result import unwrap


def table_posteriors(table: Any, prior: float = 1.0) -> dict[str, Any]:
    """Posteriors of e, r, q_a, q_b under Be(λ, λ) priors, `table` (..., 4) (Yang et al. 2023).

    e = P(A and B disagree) ~ Be(n01 + n10 + λ, n00 + n11 + λ); r = P(A wrong | they disagree) ~
    Be(n01 + λ, n10 + λ); q_a = P(A wrong | B right) ~ Be(n01 + λ, n11 + λ); q_b = P(A wrong | B
    wrong) ~ Be(n00 + λ, n10 + λ), λ being the `prior`. Each is a mapping with `a, b, mode, mean`;
    at λ = 1 the modes are the estimators E, R, Q_a and Q_b. A mode is NaN where the density has
    no single peak: without a record that bears on it, or with λ < 1 where both tails rise.
    `p_a_worse` = P(r > 1/2): r = 1/2 is equality of the error rates, so above 1/2 A is worse.
    Counts may be fractions (an effective table).
    """
    from scipy import special

    counts = checks.shaped(checks.floats(table, "table"), "table", (("4", 4),))
    if (counts < 0).any():
        raise checks.InputError(f"table must not be negative; one entry is {counts.min():g}")
    weight = checks.number(prior, "prior")
    if weight <= 0:
        raise checks.InputError(f"prior must be positive, got {weight:g}")
    n00, n01, n10, n11 = np.moveaxis(counts, -1, 0)
    found: dict[str, Any] = {
        "e": _beta(n01 + n10, n00 + n11, weight),
        "r": _beta(n01, n10, weight),
        "q_a": _beta(n01, n11, weight),
        "q_b": _beta(n00, n10, weight),
    }
    # P(r > 1/2) is P(1 - r < 1/2), which loses no digits where it is small.
    r = found["r"]
    return {**found, "p_a_worse": unwrap(np.asarray(special.betainc(r["b"], r["a"], 0.5)))}


def _beta(hits: Floats, misses: Floats, prior: float) -> dict[str, Any]:
    a, b = hits + prior, misses + prior
    parts = {"a": a, "b": b, "mode": beta_mode(hits, misses, prior), "mean": a / (a + b)}
    return {name: unwrap(np.asarray(value)) for name, value in parts.items()}


def beta_mode(hits: Floats, misses: Floats, prior: float) -> Floats:
    """The peak of Be(hits + prior, misses + prior); NaN where there is none, or no single one."""
    # a - 1 and b - 1 from the counts: at prior 1 the mode is hits/(hits + misses) to the last bit.
    up, down = hits + (prior - 1.0), misses + (prior - 1.0)
    inner = (up >= 0) & (down >= 0) & (up + down > 0)
    edge = np.where((up < 0) & (down >= 0), 0.0, np.where((up >= 0) & (down < 0), 1.0, np.nan))
    return checks.quotient(up, up + down, inner, edge)
