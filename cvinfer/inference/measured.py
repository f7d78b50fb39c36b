"""Measured error rates: how often tests reject true hypotheses, how often intervals cover.

error_rates.json, which benchmarks/error_rates.py writes, and the studies in `rates` (by AUC, F1 and
log loss) travel inside the package. The studies are those of specs/rates, one for each learner:
exact nulls, true differences, and the coverage of intervals, each in a folder of its own.
"""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Optional, Sequence

#: A rate is above (below) its nominal value when it is so by more than this many standard errors.
STANDARD_ERRORS = 4.0
#: By a measure a test holds where more than this times alpha can be ruled out (Bradley 1978: an
#: error rate between half of alpha and 1.5 alpha is robust by the liberal criterion).
LIBERAL = 1.5
#: The folders of studies, by their roles.
STUDIED = ("null", "difference", "coverage")
#: Where on the grid of a study its number of records stands.
RECORDS = "study.draw.n"


class MeasuredRate(NamedTuple):
    """A share of simulated data sets with its Monte Carlo standard error.

    upper: of a study, the upper end of Wilson's 95 % interval.
    """

    rate: float
    standard_error: float
    replications: int
    upper: float = math.nan

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


def holds_by(measure: str, name: str) -> bool:
    """Whether a test holds by a measure: in no null it may reject more than LIBERAL times alpha.

    That is, the upper end of Wilson's 95 % interval of each rate is no higher. False where nothing
    was measured.
    """
    rates = measured_by(measure, name).values()
    limit = LIBERAL * measured_level()
    return bool(rates) and all(each.upper <= limit for each in rates)


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


def _rate(counts: Mapping[str, Any]) -> MeasuredRate:
    hits = counts["covered"] if "covered" in counts else counts["rejected"]
    runs = counts["replications"]
    rate = hits / runs
    error = math.sqrt(rate * (1.0 - rate) / runs)
    return MeasuredRate(rate, error, runs, counts.get("upper", math.nan))


@lru_cache(maxsize=None)
def _document() -> dict[str, Any]:
    return _read(resources.files("cvinfer.inference").joinpath("error_rates.json"))


def studies(role: str) -> Mapping[str, Mapping[str, Any]]:
    """The studies of a role as they are kept, by the name of the learner."""
    folder = resources.files("cvinfer.inference").joinpath("rates").joinpath(role)
    if not folder.is_dir():
        return {}
    files = sorted((each for each in folder.iterdir()), key=lambda each: each.name)
    return {each.name[: -len(".json")]: _read(each) for each in files if ".json" in each.name}


@lru_cache(maxsize=None)
def _by_measure() -> dict[str, Any]:
    """Settings, and counts of tests and intervals by measure, name and setting, of all studies."""
    found: dict[str, Any] = {"settings": {}, "measures": {}, "intervals": {}}
    for role in STUDIED:
        for learner, document in studies(role).items():
            for cell in sorted(document["cells"], key=lambda each: int(each["at"][RECORDS])):
                _add(found, role, learner, document, cell)
    return found


def _add(
    found: dict[str, Any],
    role: str,
    learner: str,
    document: Mapping[str, Any],
    cell: Mapping[str, Any],
) -> None:
    n = int(cell["at"][RECORDS])
    name = f"{learner}_{n}" + "_difference" * (role == "difference")
    made = {"replications": cell["replications"] - cell.get("failed", 0)}
    if cell["kind"] == "test":
        counts = {**made, "rejected": cell["rejections"], "upper": cell["upper"]}
        by_test = found["measures"].setdefault(cell["measure"], {})
        by_test.setdefault(cell["name"], {})[name] = counts
    elif cell["kind"] == "interval" and made["replications"]:
        by_measure = found["intervals"].setdefault(cell["name"], {})
        by_measure.setdefault(cell["measure"], {})[name] = {**made, "covered": cell["covered"]}
    if role != "coverage":  # its learners are those of the nulls
        found["settings"].setdefault(name, _setting(role, document, n))


def _setting(role: str, document: Mapping[str, Any], n: int) -> dict[str, str]:
    """A setting in words, as the study's own spec has it."""
    population, learners = document["study"]["population"], document["spec"]["learners"]
    rule = str(learners["A"]["learner"]).replace("_", " ").replace("bayes", "Bayes")
    seen = {name: each["params"]["features"] for name, each in learners.items()}
    text = (
        f"half of the records in each class; {population['dim']} features, independent given the"
        f" class, N({population['mu0']:g}, {population['sigma0']:g}) in the one and"
        f" N({population['mu1']:g}, {population['sigma1']:g}) in the other; A sees"
        f" {_features(seen['A'])}, B {_features(seen['B'])}."
    )
    return {"title": f"{rule}, n = {n:,}", "text": text.replace("-", "\u2212"), "role": role}


def _features(numbers: Sequence[int]) -> str:
    names = [f"x{number}" for number in numbers]
    return " and ".join(names) if len(names) > 1 else f"{names[0]} alone"


def _read(source: Any) -> dict[str, Any]:
    import json

    document: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return document
