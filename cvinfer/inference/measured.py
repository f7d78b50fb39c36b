"""Measured error rates: how often tests reject true hypotheses, how often intervals cover.

error_rates.json and measure_rates.json (by AUC, F1 and log loss) travel inside the package;
benchmarks/error_rates.py and benchmarks/measure_rates.py write them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Optional

#: A rate is above (below) its nominal value when it is so by more than this many standard errors.
STANDARD_ERRORS = 4.0


class MeasuredRate(NamedTuple):
    """A share of simulated data sets with its Monte Carlo standard error."""

    rate: float
    standard_error: float
    replications: int

    def above(self, nominal: float) -> bool:
        return self.rate > nominal + STANDARD_ERRORS * self.standard_error

    def below(self, nominal: float) -> bool:
        return self.rate < nominal - STANDARD_ERRORS * self.standard_error


class MeasuredSetting(NamedTuple):
    """Where rates were measured.

    `role` is "null" for the exact nulls that tests are judged by, "limit" for learners that hang
    on few records, "difference" where the learners differ, so that rejections are right.
    """

    title: str
    text: str
    role: str


def measured_settings(*roles: str, measure: Optional[str] = None) -> Mapping[str, MeasuredSetting]:
    """The settings by name, those of the given roles or all; those of another `measure`."""
    document = _document() if measure is None else _by_measure()
    found = {
        name: MeasuredSetting(each["title"], each["text"], each["role"])
        for name, each in document["settings"].items()
        if not roles or each["role"] in roles
    }
    return MappingProxyType(found)


def measured_measures() -> Mapping[str, tuple[str, ...]]:
    """The measures, beside zero_one, by which error rates were measured, each with its tests."""
    return MappingProxyType({name: tuple(each) for name, each in _by_measure()["measures"].items()})


def measured_by(measure: str, name: str, *roles: str) -> Mapping[str, MeasuredRate]:
    """Rejection rates at 5 % of a test by such a measure, as `measured_rates` has them."""
    counts = _by_measure()["measures"].get(measure, {}).get(name, {})
    wanted = measured_settings(*(roles or ("null",)), measure=measure)
    return MappingProxyType({each: _rate(counts[each]) for each in wanted if each in counts})


def measured_rates(
    name: str, *roles: str, scheme: Optional[str] = None
) -> Mapping[str, MeasuredRate]:
    """Rejection rates at 5 % of a test, or coverage at 95 % of an interval, by setting.

    Of the settings of the given roles, by default of the exact nulls ("null"). `scheme` asks for
    the rates on another scheme than the test declares. Empty where nothing was measured.
    """
    document = _document()
    if scheme is not None:
        counts = document["other_schemes"].get(name, {}).get(scheme, {})
    else:
        counts = document["tests"].get(name) or document["intervals"].get(name) or {}
    wanted = measured_settings(*(roles or ("null",)))
    return MappingProxyType({each: _rate(counts[each]) for each in wanted if each in counts})


def measured_coverage(name: str) -> Mapping[str, Mapping[str, MeasuredRate]]:
    """Coverage at 95 % of an interval for any measure: by measure and setting."""
    found = _by_measure().get("intervals", {}).get(name, {})
    return MappingProxyType(
        {
            measure: MappingProxyType({setting: _rate(each) for setting, each in counts.items()})
            for measure, counts in found.items()
        }
    )


def measured_level() -> float:
    """The level alpha at which everything was measured."""
    return float(_document()["alpha"])


def _rate(counts: Mapping[str, int]) -> MeasuredRate:
    hits = counts["covered"] if "covered" in counts else counts["rejected"]
    runs = counts["replications"]
    rate = hits / runs
    return MeasuredRate(rate, math.sqrt(rate * (1.0 - rate) / runs), runs)


def _document() -> dict[str, Any]:
    return _read("error_rates.json")


def _by_measure() -> dict[str, Any]:
    return _read("measure_rates.json")


@lru_cache(maxsize=None)
def _read(name: str) -> dict[str, Any]:
    import json

    source = resources.files("cvinfer.inference").joinpath(name)
    document: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return document
