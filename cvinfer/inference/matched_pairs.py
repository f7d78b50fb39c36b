"""The score interval for a difference of two error rates on the same records (Tango 1998).

Of N records b are wrong for A only and c for B only; the difference is δ = P(only A wrong) -
P(only B wrong), positive where A is worse. Counts may be fractions: those of an effective table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvinfer.inference.checks import Bools, Floats
from cvinfer.inference.nulls import NORMAL, chi_squared

#: A bisection ends where no number lies between its two ends, mostly after some 60 halvings. Only
#: an end within rounding of zero would take more, and there the digits say nothing.
HALVINGS = 200


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """{δ in [-1, 1] : T(δ) <= χ²_{1-α}(1)} with Tango's statistic T, for any α.

    T(δ) = max(|b - c - Nδ| - κ, 0)² / (N (2p̃ + δ(1 - δ))), p̃ the likeliest P(only B wrong) under
    δ; κ is 1 with a correction for continuity and 0 without. T is 0 at (b - c)/N and does not fall
    with the distance from there, so the set is an interval. `statistic` is T(0) as the test
    computed it: whether 0 belongs to the interval is read from it, so that rounding cannot part
    the interval from the test.
    """

    only_a: Floats
    only_b: Floats
    n: Floats
    correction: float
    statistic: Floats

    def __call__(self, alpha: float) -> tuple[Floats, Floats]:
        """(lower, upper) of level 1 - alpha; both ends belong to the interval."""
        z = NORMAL.critical(alpha)
        zero_out = np.asarray(chi_squared(1).p_value(self.statistic) < alpha)
        # The lower end is the upper one with A and B exchanged.
        lower = _upper(self.only_b, self.only_a, self.n, self.correction, z, zero_out)
        upper = _upper(self.only_a, self.only_b, self.n, self.correction, z, zero_out)
        return np.asarray(0.0 - lower), upper


def restricted_variance(b: Floats, c: Floats, n: Floats, delta: Floats) -> Floats:
    """N (2p̃ + δ(1 - δ)): the variance of b - c where the difference is δ, p̃ being likeliest.

    p̃ = (√(B² - 4AC) - B)/(2A) with A = 2N, B = -b - c + (2N - b + c)δ and C = -cδ(1 - δ).
    """
    # With A and B exchanged where δ < 0, C is never positive and the root loses no digits.
    b, c = np.where(delta < 0, c, b), np.where(delta < 0, b, c)
    size = np.abs(delta)
    spread = size * (1.0 - size)
    linear = (2.0 * n - b + c) * size - (b + c)
    product = 8.0 * n * c * spread
    sum_of_both = np.sqrt(linear * linear + product) + np.abs(linear)
    # The same root of the quadratic in two forms: each without cancellation for its sign of B.
    above = np.where(linear > 0, product / np.where(linear > 0, sum_of_both, 1.0), sum_of_both)
    return np.asarray(above / 2.0 + n * spread)


def _upper(
    b: Floats, c: Floats, n: Floats, correction: float, z: Floats, zero_out: Bools
) -> Floats:
    """The largest δ that is not rejected, by bisection between one that is and one that is not."""
    distance = b - c + correction
    nearest = np.minimum(distance / n, 1.0)
    held = np.where(zero_out, nearest, np.maximum(nearest, 0.0))
    rejected = np.where(zero_out & (nearest < 0), 0.0, 1.0)
    for _ in range(HALVINGS):
        middle = (held + rejected) / 2.0
        if not ((middle > held) & (middle < rejected)).any():
            break
        inside = n * middle - distance <= z * np.sqrt(restricted_variance(b, c, n, middle))
        held, rejected = np.where(inside, middle, held), np.where(inside, rejected, middle)
    return np.asarray(held)
