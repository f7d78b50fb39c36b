"""From values to places on an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, Sequence

#: Per cent of the width that stay free at both ends, for half a label.
INSET = 4.0


@dataclass(frozen=True)
class Scale:
    """A linear axis over a part of the width, in per cent of it, so that it fits any width."""

    low: float
    high: float
    ticks: Sequence[float] = ()

    def at(self, value: float) -> str:
        """The place of a value as an SVG length; what lies beyond an end stays at it."""
        return f"{self.per_cent(value):.2f}%"

    def per_cent(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return INSET + (100.0 - 2.0 * INSET) * min(max(share, 0.0), 1.0)

    def width(self, lower: float, upper: float) -> str:
        return f"{self.per_cent(upper) - self.per_cent(lower):.2f}%"

    def holds(self, value: float) -> bool:
        return self.low - 1e-12 <= value <= self.high + 1e-12


def scale(values: Iterable[float], wanted: int = 5) -> Scale:
    """An axis that holds all values, with about so many round ticks inside."""
    known = [value for value in values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-12:
        room = abs(high) * 0.1 or 0.01
        low, high = low - room, high + room
    step = _step((high - low) / wanted)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(at * step, 12) for at in range(first, last + 1)]
    return Scale(ticks[0], ticks[-1], ticks)


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * 0.999)


def decimals(ticks: Sequence[float]) -> int:
    """How many decimals tell the ticks of an axis apart."""
    for places in range(0, 8):
        if all(abs(round(tick, places) - tick) < 1e-9 for tick in ticks):
            return places
    return 8
