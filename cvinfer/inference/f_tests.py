"""The F-test family on the ten differences of a 5×2 cross-validation (positive: A is worse)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import REPLICATIONS_OVERLAP
from cvinfer.inference.nulls import Null, fisher
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Finding, ratio
from cvinfer.inference.variance import replication_variance


@test(
    "combined_5x2_f",
    scheme=needs("random_mx2", m=5, fixed=("m",)),
    data="differences",
    formula="F = (Σ(d[j,k] − μ0)²/10) / (mean_j s_j²)",
    null="F(10, 5)",
    cite="alpaydin1999",
    use="The usual 5×2 test on random halves: less arbitrary than Dietterich's t.",
    has_interval=False,
    caution=REPLICATIONS_OVERLAP,
)
def combined_5x2_f(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """The combined 5×2 cv F-test (Alpaydin 1999).

    F = (sum (d[j,k] - mu0)² / 10) / mean_j s_j² ~ F(10, 5), s_j² = sum_k (d[j,k] - d̄_j)²;
    `d` of shape (..., 5, 2). The estimate d̄ is positive where A is worse; F has no sign, and a
    rejection does not say that d̄ differs from mu0. `extra["replication_means"]` are the five d̄_j:
    only where all lie on one side of mu0 does a rejection name the worse learner.
    """
    return _five_by_two_f(d, mu0, alpha, fisher(10, 5))


@test(
    "calibrated_5x2_bcv_f",
    scheme=needs("blocked_mx2", m=5, fixed=("m",)),
    data="differences",
    formula="F = (Σ(d[j,k] − μ0)²/10) / (mean_j s_j²)",
    null="F(7, 5)",
    cite="wang2017",
    use="The 5×2 F-test for balanced halves, with degrees of freedom calibrated for them.",
    has_interval=False,
    caution=REPLICATIONS_OVERLAP,
)
def calibrated_5x2_bcv_f(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """The calibrated F-test on a blocked 5×2 cross-validation (Wang, Li and Li 2017).

    F = (sum (d[j,k] - mu0)² / 10) / mean_j s_j² ~ F(7, 5), the statistic of the combined 5×2 cv
    F-test; `d` of shape (..., 5, 2). The estimate d̄ is positive where A is worse; F has no sign:
    see there for `extra["replication_means"]`, the five d̄_j.
    """
    return _five_by_two_f(d, mu0, alpha, fisher(7, 5))


def _five_by_two_f(d: Any, mu0: float, alpha: float, null: Null) -> Finding:
    d = checks.differences(d, ("5", 5), ("2", 2))
    mu0 = checks.number(mu0, "mu0")
    finding = ratio(
        np.mean((d - mu0) ** 2, axis=(-2, -1)),
        replication_variance(d).mean(axis=-1),
        null,
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=(-2, -1)),
        estimate=d.mean(axis=(-2, -1)),
        mu0=mu0,
    )
    extra = {"shape": (5, 2), "replication_means": d.mean(axis=-1)}
    return replace(finding, extra=extra)
