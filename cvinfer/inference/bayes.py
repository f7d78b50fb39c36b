"""Bayesian readings of a difference with a region of equivalence (Benavoli and others 2017).

A difference d = loss_A - loss_B within `margin` of zero counts as none. What comes out are three
probabilities: that A is better (d < -margin), that they are equivalent, that B is better. They are
statements about the difference under a prior, and no error rates: nothing here rejects.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from cvinfer.inference import checks
from cvinfer.inference.across import Names, size, two
from cvinfer.inference.across_registry import PAIR, Across, across_test
from cvinfer.inference.checks import ZERO_VARIANCE, Floats, InputError
from cvinfer.inference.result import SAME, jsonable, unwrap
from cvinfer.losses.registry import LOWER

DRAWS = 50_000
#: Weight of the pseudo-observation at zero that is the prior, as in baycomp.
PRIOR = 0.5
_BLOCK = 5_000


@dataclass(frozen=True)
class CorrelatedT:
    """The posterior of the mean difference on one data set; arrays have the batch shape.

    Student's t with `df`, `location` and `scale`. `rho` is the correlation that it supposes.
    """

    location: Any
    scale: Any
    df: int
    rho: float
    margin: float
    p_a_better: Any
    p_equivalent: Any
    p_b_better: Any
    degenerate: Any
    cite: str = "benavoli2017"

    def as_dict(self) -> dict[str, Any]:
        return {name: jsonable(value) for name, value in vars(self).items()}


def bayes_correlated_t(d: Any, n_train: Any, n_test: Any, margin: float = 0.0) -> CorrelatedT:
    """Correlated Bayesian t-test on the differences `d` (..., count) of one data set.

    The mean difference has the posterior Student t(count - 1) about d̄ with scale² = (1/count +
    ρ/(1 - ρ)) S², ρ = n_test/(n_train + n_test) (Corani and Benavoli 2015, Machine Learning 100);
    sizes may be means over splits. Without any variation
    all probability is at d̄, and `degenerate` says so; half of it on each side if that is zero and
    there is no margin.
    """
    from scipy import special

    d = checks.differences(d, ("count", None))
    half = _margin(margin)
    train, tested = _records(n_train, "n_train"), _records(n_test, "n_test")
    count, rho = d.shape[-1], tested / (train + tested)
    location = d.mean(axis=-1)
    variance = (1.0 / count + rho / (1.0 - rho)) * d.var(axis=-1, ddof=1)
    still = variance <= ZERO_VARIANCE * np.abs(d).max(axis=-1) ** 2
    scale = np.sqrt(np.where(still, 0.0, variance))
    below = special.stdtr(count - 1, _over(-half - location, scale))
    above = special.stdtr(count - 1, _over(location - half, scale))
    if half == 0.0:
        above = 1.0 - below
    return CorrelatedT(
        location=unwrap(np.asarray(location)),
        scale=unwrap(np.asarray(scale)),
        df=count - 1,
        rho=rho,
        margin=half,
        p_a_better=unwrap(np.asarray(below)),
        p_equivalent=unwrap(np.asarray(np.maximum(0.0, 1.0 - below - above))),
        p_b_better=unwrap(np.asarray(above)),
        degenerate=unwrap(np.asarray(still)),
    )


def _over(distance: Floats, scale: Floats) -> Floats:
    """distance/scale; at scale 0 infinite with its sign, and 0 for none."""
    still = np.where(distance == 0, 0.0, np.where(distance > 0, np.inf, -np.inf))
    return checks.quotient(distance, scale, scale > 0, still)


@across_test(
    "bayes_signed_rank",
    of=PAIR,
    formula="P(Σ w_i w_j [d_i + d_j < −2 margin] is the greatest share), w ~ Dirichlet(½, 1, …, 1)",
    cite="benavoli2017",
    use="How probable it is that one of two learners is better, or that they are equivalent.",
    seeded=True,
    regional=True,
)
def bayes_signed_rank(
    values: Any,
    better: str = LOWER,
    margin: float = 0.0,
    seed: int = 0,
    draws: int = DRAWS,
    prior: float = PRIOR,
    alpha: float = 0.05,
    learners: Names = None,
) -> Across:
    """Bayesian signed-rank test of two learners on several data sets (Benavoli and others 2014).

    For weights w of the differences (and of a pseudo-difference 0, the prior), w ~ Dirichlet(prior,
    1, ..., 1), the shares of pairs whose mean difference lies below, within and above ±margin are
    found; each probability is the part of `draws` in which its share is the greatest. The rule is
    baycomp's: a mean difference on the edge counts half. Draws in which two shares are equal are
    dealt to both.
    """
    checks.alpha_level(alpha)
    table = two(values, better)
    half, weight = _margin(margin), checks.number(prior, "prior")
    if weight <= 0:
        raise InputError(f"prior must be positive, got {weight:g}")
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise InputError(f"draws must be a whole number from 1 on, got {draws!r}")
    d = np.concatenate([[0.0], table[:, 0] - table[:, 1]])
    order = np.argsort(d, kind="stable")
    sums, edge, noise = d[order, None] + d[order], 2.0 * half, SAME * size(table)
    won = np.zeros(3)
    uniform = np.random.PCG64(_stream(seed))
    for start in range(0, int(draws), _BLOCK):
        w = _dirichlet(uniform, min(_BLOCK, int(draws) - start), len(d), weight)[:, order]
        # Of a row of sums, which rises, what lies below a bound is a run from its start.
        under = np.concatenate([np.zeros((len(w), 1)), np.cumsum(w, axis=1)], axis=1)
        left = (w * _up_to(under, sums + edge, noise)).sum(axis=1)
        right = 1.0 - (w * _up_to(under, sums - edge, noise)).sum(axis=1)
        shares = np.stack([left, np.maximum(0.0, 1.0 - left - right), right], axis=1)
        shares = np.round(shares, 12)
        best = shares == shares.max(axis=1, keepdims=True)
        won += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    a_better, equivalent, b_better = (float(each) for each in won / int(draws))
    extra = {
        "p_a_better": a_better,
        "p_equivalent": equivalent,
        "p_b_better": b_better,
        "margin": half,
        "draws": int(draws),
        "prior": weight,
    }
    return Across("", None, None, None, extra=extra)


def _up_to(under: Floats, sums: Floats, noise: float) -> Floats:
    """For each i the weight of the j whose sum with it is negative, and half that of zero sums."""
    first, last = (sums < -noise).sum(axis=1), (sums <= noise).sum(axis=1)
    return np.asarray(0.5 * (under[:, first] + under[:, last]), dtype=np.float64)


def _stream(seed: Any) -> np.random.SeedSequence:
    """Draws keyed by name; raw words are what numpy keeps from version to version."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed must be a whole number from 0 on, got {seed!r}")
    words = np.frombuffer(hashlib.sha256(b"bayes_signed_rank").digest(), dtype="<u4")
    return np.random.SeedSequence(entropy=int(seed), spawn_key=tuple(int(word) for word in words))


def _dirichlet(bits: np.random.PCG64, draws: int, size: int, prior: float) -> Floats:
    """Weights (draws, size): gamma(prior) and gamma(1) variates, made from uniform words."""
    from scipy import special

    words = (bits.random_raw(draws * size) >> np.uint64(11)).reshape(draws, size)
    uniform = (words.astype(np.float64) + 0.5) * 2.0**-53
    gamma = -np.log(uniform)
    first = uniform[:, 0]
    # gamma(1/2) is half of a squared normal variate, which is quicker than its inverse.
    gamma[:, 0] = (
        0.5 * special.ndtri(first) ** 2 if prior == 0.5 else special.gammainccinv(prior, first)
    )
    return np.asarray(gamma / gamma.sum(axis=1, keepdims=True), dtype=np.float64)


def _records(value: Any, name: str) -> float:
    """How many records, in the mean over splits."""
    size_ = checks.number(value, name)
    if size_ <= 0:
        raise InputError(f"{name} must be positive, got {size_:g}")
    return size_


def _margin(margin: Any) -> float:
    half = checks.number(margin, "margin")
    if half < 0:
        raise InputError(f"margin must not be negative, got {half:g}")
    return half
