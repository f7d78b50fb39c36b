"""A paired t-test over interleaved folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.cautions import overlap
from cvinfer.inference.nulls import student
from cvinfer.inference.registry import needs, test
from cvinfer.inference.result import Finding, studentised


@test(
    "interleaved_t",
    scheme=needs("interleaved", k=5),
    data="differences",
    formula="t = (d̄ − μ0) / √(S²/K)",
    null="t(K − 1)",
    cite="student1908",
    use="As an example of a plug-in; it ignores the overlap of training sets.",
    caution=overlap(),
)
def interleaved_t(d: Any, mu0: float = 0.0, alpha: float = 0.05) -> Finding:
    """Paired t-test over K folds, as if they were independent (Student 1908).

    t = (d̄ - mu0) / sqrt(S²/K) ~ t(K - 1), S² the sample variance of the K differences `d` of
    shape (..., K). Positive: A is worse.
    """
    d = checks.differences(d, ("K", None))
    count = d.shape[-1]
    return studentised(
        d.mean(axis=-1),
        d.var(axis=-1, ddof=1) / count,
        student(count - 1),
        mu0=checks.number(mu0, "mu0"),
        alpha=checks.alpha_level(alpha),
        size=np.abs(d).max(axis=-1),
        extra={"shape": (count,)},
    )
