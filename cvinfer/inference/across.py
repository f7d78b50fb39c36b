"""Learners over many data sets: mean ranks, and what tests make of them (Demšar 2006, JMLR 7).

Every function takes `values`, data sets × learners: one value for each data set, never one for each
split, for splits of one data set are no sample of data sets. With `better="lower"` (the default:
losses) the smallest value of a row has rank 1, with "higher" the greatest. Values that differ by
less than 1e-12 of the greatest are the same number, and share their ranks.
"""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.across_registry import CONTROL, SEVERAL, TWO, Across, across_test
from cvinfer.inference.checks import Floats, InputError
from cvinfer.inference.correction import corrected_p
from cvinfer.inference.result import SAME
from cvinfer.losses.registry import HIGHER, LOWER

#: What the columns are called.
Names = Optional[Sequence[str]]

#: Up to here R's `wilcox.test` takes the exact distribution.
EXACT_BELOW = 50


def ranks(values: Any, better: str = LOWER) -> Floats:
    """The rank of each learner on each data set, 1 for the best; equal values share theirs."""
    from scipy import stats

    table = _table(values, 1, better)
    steady = np.round(table / (size(table) or 1.0), 12)
    return np.asarray(stats.rankdata(steady, axis=-1), dtype=np.float64)


def mean_ranks(values: Any, better: str = LOWER) -> Floats:
    """The mean rank of each learner over the data sets."""
    return np.asarray(ranks(values, better).mean(axis=0), dtype=np.float64)


@across_test(
    "wilcoxon",
    of=TWO,
    formula="V = sum of the ranks of |d| with d > 0",
    cite="wilcoxon1945",
    use="Two learners on several data sets.",
)
def wilcoxon(
    values: Any, better: str = LOWER, alpha: float = 0.05, learners: Names = None
) -> Across:
    """Wilcoxon's signed ranks of the differences of two learners, positive where A is worse.

    As R's `wilcox.test(paired = TRUE)`: differences of zero are left out; the distribution is
    exact below 50 differences without zeros and ties, and else normal with a correction for ties
    and for continuity. The statistic is V, the sum of the ranks of positive differences.
    """
    from scipy import stats

    checks.alpha_level(alpha)
    table = two(values, better)
    every = np.round((table[:, 0] - table[:, 1]) / (size(table) or 1.0), 12)
    d = every[every != 0]
    n = len(d)
    extra = {"n": n, "zeros": len(every) - n}
    if n == 0:
        note = "the learners have the same value on every data set; p is set to 1"
        return Across("", None, None, 1.0, degenerate=True, note=note, extra=extra)
    rank = stats.rankdata(np.abs(d))
    v = float(rank[d > 0].sum())
    ties = np.unique(np.abs(d), return_counts=True)[1].astype(float)
    exact = n < EXACT_BELOW and not extra["zeros"] and len(ties) == n
    p = _exact_signed_rank(v, n) if exact else _normal_signed_rank(v, n, ties)
    return Across("", v, None, p, extra={**extra, "exact": exact})


def _exact_signed_rank(v: float, n: int) -> float:
    """Two-sided p: twice the smaller tail of the sum of a random subset of 1..n."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    share = ways / ways.sum()
    at = round(v)
    return float(min(1.0, 2.0 * min(share[: at + 1].sum(), share[at:].sum())))


def _normal_signed_rank(v: float, n: int, ties: Floats) -> float:
    from scipy import special

    centre = v - n * (n + 1) / 4.0
    variance = n * (n + 1) * (2 * n + 1) / 24.0 - float((ties**3 - ties).sum()) / 48.0
    z = (centre - math.copysign(0.5, centre) * (centre != 0)) / math.sqrt(variance)
    return float(min(1.0, 2.0 * special.ndtr(-abs(z))))


@across_test(
    "friedman",
    of=SEVERAL,
    formula="χ²_F = 12N/(k(k + 1)) (Σ R_j² − k(k + 1)²/4), corrected for ties",
    cite="friedman1937",
    use="Whether several learners differ at all over several data sets.",
)
def friedman(
    values: Any, better: str = LOWER, alpha: float = 0.05, learners: Names = None
) -> Across:
    """Friedman's test of k learners on N data sets, with the correction for ties of R.

    χ²_F ~ χ²(k − 1); the correction divides by 1 − Σ (t³ − t)/(N k (k² − 1)) over all ties t.
    """
    rank, _ = _ranked(values, better, alpha)
    statistic = _friedman(rank)
    df = rank.shape[1] - 1
    if statistic is None:
        return Across("", None, df, 1.0, degenerate=True, note=ALL_TIED)
    from scipy import special

    return Across("", statistic, df, float(special.chdtrc(df, statistic)))


ALL_TIED = "the learners have the same value on every data set; p is set to 1"


def _friedman(rank: Floats) -> Optional[float]:
    """χ²_F; None where all learners share all ranks."""
    n, k = rank.shape
    middle = (k + 1) / 2.0
    spread = float(((rank - middle) ** 2).sum())
    if spread == 0.0:
        return None
    # The sum of squares has the ties in it: without any it is N k (k² − 1)/12.
    between = float(((rank.mean(axis=0) - middle) ** 2).sum())
    return n * n * (k - 1) * between / spread


@across_test(
    "iman_davenport",
    of=SEVERAL,
    formula="F = (N − 1) χ²_F / (N(k − 1) − χ²_F)",
    cite="iman1980",
    use="As Friedman's test, which is too cautious.",
)
def iman_davenport(
    values: Any, better: str = LOWER, alpha: float = 0.05, learners: Names = None
) -> Across:
    """Iman and Davenport's F of Friedman's χ²_F, with k − 1 and (k − 1)(N − 1) degrees of freedom.

    Where all data sets rank the learners alike it is infinite, and has no distribution.
    """
    from scipy import special

    rank, _ = _ranked(values, better, alpha)
    n, k = rank.shape
    df = (k - 1, (k - 1) * (n - 1))
    found = _friedman(rank)
    if found is None:
        return Across("", None, df, 1.0, degenerate=True, note=ALL_TIED)
    left = n * (k - 1) - found
    if left <= SAME * n * (k - 1):
        note = (
            "every data set ranks the learners alike, so that F is infinite; p = 0 is a limit"
            " only: read friedman"
        )
        return Across("", None, df, 0.0, degenerate=True, note=note)
    statistic = (n - 1) * found / left
    return Across("", statistic, df, float(special.fdtrc(*df, statistic)))


@across_test(
    "nemenyi",
    of=SEVERAL,
    formula="CD = q_α √(k(k + 1)/(6N))",
    cite="hollander2013",
    use="Which of several learners differ, each pair with each other.",
)
def nemenyi(
    values: Any, better: str = LOWER, alpha: float = 0.05, learners: Names = None
) -> Across:
    """Nemenyi's critical difference of mean ranks, and a p-value for each pair.

    q_α is the quantile of the studentised range of k at infinite degrees of freedom over √2.
    """
    rank, level = _ranked(values, better, alpha)
    n, k = rank.shape
    names, error = _names(learners, k), _rank_error(n, k)
    means = rank.mean(axis=0)
    q = studentised_range_quantile(1.0 - level, k) / math.sqrt(2.0)
    pairs = [
        {
            "pair": [names[i], names[j]],
            "difference": float(means[i] - means[j]),
            "p_value": 1.0
            - studentised_range(abs(float(means[i] - means[j])) / error * math.sqrt(2.0), k),
        }
        for i in range(k)
        for j in range(i + 1, k)
    ]
    extra = {"q": q, "critical_difference": q * error, "alpha": level, "pairs": pairs}
    return Across("", None, None, None, extra=extra)


@across_test(
    "holm_control",
    of=CONTROL,
    formula="z = (R_i − R_control) / √(k(k + 1)/(6N)), corrected by Holm",
    cite="garcia2010",
    use="Which of several learners differ from one that was chosen beforehand.",
)
def holm_control(
    values: Any, control: int = 0, better: str = LOWER, alpha: float = 0.05, learners: Names = None
) -> Across:
    """Each learner against the one in column `control`: z of mean ranks, p corrected by Holm.

    A positive z says that the learner is worse than the control.
    """
    from scipy import special

    rank, level = _ranked(values, better, alpha)
    n, k = rank.shape
    if isinstance(control, bool) or not isinstance(control, (int, np.integer)):
        raise InputError(f"control must be the number of a column, got {control!r}")
    if not 0 <= control < k:
        raise InputError(f"control must be a column from 0 to {k - 1}, got {control}")
    names, means = _names(learners, k), rank.mean(axis=0)
    others = [j for j in range(k) if j != control]
    z = [float(means[j] - means[control]) / _rank_error(n, k) for j in others]
    p = [float(2.0 * special.ndtr(-abs(each))) for each in z]
    against = [
        {"learner": names[j], "statistic": each, "p_value": raw, "p_corrected": corrected}
        for j, each, raw, corrected in zip(others, z, p, corrected_p(p, "holm"))
    ]
    extra = {"control": names[control], "alpha": level, "against": against}
    return Across("", None, None, None, extra=extra)


def studentised_range(q: float, k: int) -> float:
    """P(range of k independent N(0, 1) <= q): the studentised range at infinite df.

    k ∫ φ(z) (Φ(z) − Φ(z − q))^(k−1) dz by the trapezoidal rule, which converges faster than any
    power of its step on an integrand that is smooth and falls as φ does.
    """
    from scipy import special

    if q <= 0:
        return 0.0
    z = np.linspace(-9.0, 9.0 + q, 4001)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    inside = special.ndtr(z) - special.ndtr(z - q)
    return float(min(1.0, k * (density * inside ** (k - 1)).sum() * (z[1] - z[0])))


def studentised_range_quantile(level: float, k: int) -> float:
    """The q with P(range <= q) = level."""
    from scipy import optimize

    return float(optimize.brentq(lambda q: studentised_range(q, k) - level, 1e-9, 40.0, xtol=1e-13))


def _names(learners: Names, k: int) -> list[Any]:
    """What columns are called; their numbers where that is not said."""
    names: list[Any] = [*range(k)] if learners is None else [*learners]
    if len(names) != k:
        raise InputError(f"learners must be {k} names, got {len(names)}")
    return names


def _rank_error(n: int, k: int) -> float:
    return math.sqrt(k * (k + 1) / (6.0 * n))


def _table(values: Any, least: int, better: str, learners: Optional[int] = None) -> Floats:
    """Values with the smallest the best."""
    checks.choice(better, "better", (LOWER, HIGHER))
    table = checks.floats(values, "values")
    if table.ndim != 2 or table.shape[0] < least or table.shape[1] < 2:
        raise InputError(
            f"values must be data sets × learners, at least {least} × 2, got shape {table.shape}"
        )
    if learners is not None and table.shape[1] != learners:
        raise InputError(f"values must be of {learners} learners, got {table.shape[1]}")
    return -table if better == HIGHER else table


def _ranked(values: Any, better: str, alpha: float) -> tuple[Floats, float]:
    """The ranks on two data sets or more, and the level."""
    level = checks.alpha_level(alpha)
    return ranks(_table(values, 2, better)), level


def two(values: Any, better: str) -> Floats:
    """Values of two learners, the smaller the better."""
    return _table(values, 1, better, learners=2)


def size(table: Floats) -> float:
    """The greatest of some values; what is smaller than 1e-12 of it is noise."""
    return float(np.abs(table).max(initial=0.0))
