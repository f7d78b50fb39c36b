"""The test to recommend on partitions that are there already, by the measured error rates.

docs/decisions/recommended-on-a-partition.md says why it is chosen so, and
docs/decisions/recommended-by-measure.md by what other measures than zero_one are judged.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence

from cvinfer.inference.measured import (
    STANDARD_ERRORS,
    MeasuredRate,
    holds_by,
    measured_by,
    measured_level,
    measured_measures,
    measured_rates,
)
from cvinfer.inference.registry import Procedure

#: A scheme and its options.
Partition = tuple[str, Mapping[str, Any]]


class _Candidate(NamedTuple):
    """A test with its rates where both learners err alike, and where they differ."""

    name: str
    nulls: Sequence[MeasuredRate]
    power: MeasuredRate
    keeps_its_level: bool
    measured_there: bool

    @property
    def worst(self) -> MeasuredRate:
        return max(self.nulls, key=lambda each: each.rate)


def recommended_on(
    partitions: Sequence[Partition], valid: Iterable[Procedure], measure: Optional[str] = None
) -> Optional[Procedure]:
    """The best of the tests that are `valid` on these partitions; None if none was measured.

    Of those that keep their level wherever that was measured, the one that finds most, those
    first that were measured with just these options. If none keeps it, the one that comes nearest.
    Between rates that chance may have set apart the order of the registry decides. The rates are
    those by `measure`, where some were measured by it, otherwise those by zero_one.
    """
    known = {test.name: test for test in valid}
    made = (_candidate(test, partitions, measure) for test in known.values())
    found = [each for each in made if each is not None]
    keeping = [each for each in found if each.keeps_its_level]
    keeping = [each for each in keeping if each.measured_there] or keeping
    if keeping:
        best = _first(keeping, [each.power for each in keeping], sign=1.0)
    elif found:
        best = _first(found, [each.worst for each in found], sign=-1.0)
    else:
        return None
    return known[best.name]


def held_by(measure: str) -> list[str]:
    """The tests that hold in all nulls in which they were measured by a measure."""
    return [name for name in measured_measures().get(measure, ()) if holds_by(measure, name)]


def recommended_by(measure: str) -> Optional[str]:
    """The test to recommend by a measure other than zero_one, where every scheme can be drawn.

    Of those that held everywhere the one that finds most of the true differences, on average over
    all in which it was measured. None where none held, or nothing was measured by it.
    """
    found = {name: measured_by(measure, name, "difference").values() for name in held_by(measure)}
    powers = {
        name: math.fsum(each.rate for each in rates) / len(rates)
        for name, rates in found.items()
        if rates
    }
    return max(powers, key=lambda name: powers[name]) if powers else None


def _candidate(
    test: Procedure, partitions: Sequence[Partition], measure: Optional[str]
) -> Optional[_Candidate]:
    there = [scheme for scheme, _ in partitions]
    lacking = [need for need in test.needs if need.scheme not in there]
    # On a scheme that a test takes only when asked, it has other rates.
    scheme = next((name for need in lacking for name in need.also if name in there), None)
    if measure in measured_measures() and measured_by(str(measure), test.name, "difference"):
        nulls = measured_by(str(measure), test.name)
        keeps = holds_by(str(measure), test.name)
        differences = measured_by(str(measure), test.name, "difference")
    else:
        nulls = measured_rates(test.name, scheme=scheme)
        differences = measured_rates(test.name, "difference", scheme=scheme)
        keeps = not any(rate.above(measured_level()) for rate in nulls.values())
    if not nulls or not differences:
        return None
    same = all(
        any(_has(options, need.options) for name, options in partitions if name == need.scheme)
        for need in test.needs
    )
    power = min(differences.values(), key=lambda each: each.rate)
    return _Candidate(test.name, list(nulls.values()), power, keeps, same)


def _has(options: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(options.get(name) == value for name, value in wanted.items())


def _first(
    candidates: Sequence[_Candidate], rates: Sequence[MeasuredRate], sign: float
) -> _Candidate:
    """The first whose rate is not surely behind the largest (or with sign -1 the smallest)."""
    top = max(rates, key=lambda each: sign * each.rate)
    for candidate, rate in zip(candidates, rates):
        error = math.hypot(rate.standard_error, top.standard_error)
        if sign * (top.rate - rate.rate) <= STANDARD_ERRORS * error:
            return candidate
    raise AssertionError("the best is not behind itself")
