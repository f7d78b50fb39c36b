"""What the reader of a result has to know of its test or interval, with the measured rates.

A caution is declared with its test: `@test(..., caution=Caution("takes ..."))`. Its reason is
written there; every number in it comes from error_rates.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Iterable, Mapping, Optional

from cvinfer.inference.measured import (
    MeasuredRate,
    holds_by,
    measured_by,
    measured_level,
    measured_rates,
    measured_settings,
)

Result = Mapping[str, Any]
WHERE = "docs/tests.md"


def _always(result: Result) -> bool:
    return True


@dataclass(frozen=True)
class Caution:
    """Why a test may reject true hypotheses too often, and how often it did.

    `reason` goes on from the name of the test ("takes ..."); `explains` False where it is not known
    to be what makes the rates. `applies` tells from a result as plain values whether the caution
    is for it, and `where` says the same in words. The rates are those of the test, or of the test
    `rates_of` where the two are the same. `overlap` says that the test takes no account at all of
    training sets that overlap.
    """

    reason: str
    applies: Callable[[Result], bool] = _always
    where: str = ""
    rates_of: Optional[str] = None
    explains: bool = True
    overlap: bool = False

    #: Another scheme than the test declares, on which it was measured too.
    scheme: ClassVar[Optional[str]] = None

    def rates(self, name: str, *roles: str) -> Mapping[str, MeasuredRate]:
        """The measured rates that the caution for the procedure `name` rests on."""
        return measured_rates(self.rates_of or name, *roles)

    def text(self, name: str) -> str:
        """The caution for the procedure `name`, one sentence without its subject and full stop."""
        alpha = measured_level()
        rates = self.rates(name).values()
        if not rates:  # nobody has measured the test of a plug-in
            return self.reason
        above = [rate.above(alpha) for rate in rates]
        share = f"{spread(rates)} of true hypotheses at {percent(alpha)}"
        so = f"{self.reason}{', so' if self.explains else ';'} it"
        if all(above):
            told = f"{so} rejects too often: {share} in simulations"
        elif any(above):
            told = f"{so} can reject too often: {share} in simulations"
        else:
            told = f"{self.reason}; in simulations it rejected {share}"
        return f"{told} ({WHERE})"


@dataclass(frozen=True)
class OnRandomHalves(Caution):
    """How often a test for balanced halves rejects true hypotheses on random ones."""

    applies: Callable[[Result], bool] = lambda result: str(result["scheme"]) == "random_mx2"
    where: str = "on random_mx2"

    scheme: ClassVar[Optional[str]] = "random_mx2"

    def rates(self, name: str, *roles: str) -> Mapping[str, MeasuredRate]:
        return measured_rates(name, *roles, scheme=self.scheme)

    def text(self, name: str) -> str:
        alpha, balanced = percent(measured_level()), measured_rates(name)
        return (
            f"{self.reason}; in simulations it rejected {spread(self.rates(name).values())} of true"
            f" hypotheses at {alpha}, on balanced halves {spread(balanced.values())} ({WHERE})"
        )


@dataclass(frozen=True)
class Powerless(Caution):
    """Why a test hardly ever rejects, and how seldom it did."""

    def text(self, name: str) -> str:
        alpha = percent(measured_level())
        true = spread(self.rates(name).values())
        false = spread(self.rates(name, "difference").values())
        return (
            f"{self.reason}, so it hardly ever rejects anything: {true} of true hypotheses at"
            f" {alpha}, and {false} of false ones, in simulations ({WHERE})"
        )


@dataclass(frozen=True)
class TooShort(Caution):
    """Why an interval is too short for learners that depend on few records: how often it held."""

    def text(self, name: str) -> str:
        level = 1.0 - measured_level()
        few, others = self.rates(name, "limit"), self.rates(name)
        short = "is too short for learners that depend on few records"
        if any(rate.below(level) for rate in others.values()):
            short = "can be too short, the more so for learners that depend on few records"
        return (
            f"{self.reason}, so it {short}: at {percent(level)} it held the true value in"
            f" {spread(few.values())} ({_learners(few)}) and {spread(others.values())}"
            f" ({_learners(others)}) of the data sets in simulations ({WHERE})"
        )


def _not_two_folds(result: Result) -> bool:
    return list(result["shape"]) != [2]


def overlap(two_folds: bool = False) -> Caution:
    """For tests that take splits for independent; with `two_folds` not on two folds.

    The training sets of two folds are disjoint.
    """
    reason = "takes the splits for independent though their training sets overlap"
    if two_folds:
        return Caution(reason, _not_two_folds, "not with K = 2", overlap=True)
    return Caution(reason, overlap=True)


REPLICATIONS_OVERLAP = Caution(
    "takes the five replications for independent though their training sets overlap", overlap=True
)


#: The measure that error rates were measured by.
MEASURED_BY = "zero_one"


def caution(inference: Result, measure: str = MEASURED_BY) -> Optional[str]:
    """What is to be known of a test's result, given as `Inference.as_dict()`; None if nothing.

    One sentence that goes on from the name of the test, without a full stop. Where error rates were
    not measured by that measure, this is the first thing to be known.
    """
    from cvinfer.inference.registry import procedure

    name = str(inference["name"])
    declared = procedure(name).caution
    told = declared.text(name) if declared is not None and declared.applies(inference) else None
    if measure == MEASURED_BY:
        return told
    rates = measured_by(measure, name).values()
    if rates:
        if holds_by(measure, name):
            return None
        return (
            f"by {measure} it can reject too often: {spread(rates)} of true hypotheses at"
            f" {percent(measured_level())} in simulations ({WHERE})"
        )
    return unmeasured(measure) if told is None else f"{unmeasured(measure)}; by zero_one it {told}"


def unmeasured(measure: str) -> str:
    """That nobody knows how often a test errs by a measure."""
    return f"was not measured by {measure}, so that its error rates are not known ({WHERE})"


def interval_caution(result: Result) -> Optional[str]:
    """The same for an interval for one learner, given as `Interval.as_dict()`."""
    return caution(result)


def _learners(settings: Iterable[str]) -> str:
    """The learners of settings whose titles are "learner, n = records"."""
    titles = measured_settings()
    return ", ".join(dict.fromkeys(titles[each].title.partition(",")[0] for each in settings))


def percent(share: float) -> str:
    """0.0935 as "9.4 %", two digits."""
    return f"{float(f'{100.0 * share:.2g}'):g} %"


def spread(rates: Iterable[MeasuredRate]) -> str:
    """The lowest and the highest rate: "9.4 to 27 %"."""
    shares = sorted(each.rate for each in rates)
    low, high = percent(shares[0]), percent(shares[-1])
    return high if low == high else f"{low[:-2]} to {high}"
