"""What a study adds up, and the cells that come of it.

A state is a handful of counts and exact sums (`exact`), so that states of other replications of
the same study can be added and give what one run of all of them would have given, to the last bit.
Its cells are derived from it and from nothing else. Each kind of state is one class; `KINDS` finds
it by the word that its first cell carries.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Callable, ClassVar, Iterable, Mapping, Optional, Sequence, Type

import numpy as np
from numpy.typing import NDArray

from cvinfer.documents import JsonObject
from cvinfer.studies.exact import Exact, exact, plus, value

#: Replications are told apart by their number modulo this, for standard errors by leaving out.
GROUPS = 20
#: The histogram of a statistic: from -HALF to HALF in steps of WIDTH.
WIDTH, HALF = 0.25, 20.0
BINS = int(2 * HALF / WIDTH)
#: Two-sided 95 % of the normal law, for Wilson's interval.
Z95 = 1.959963984540054

#: Replications of a cross-validation, or partitions of a data set, are never more.
MOST = 10_000

Cell = dict[str, Any]
Floats = NDArray[np.float64]


@dataclass
class State:
    """Counts and sums of one cell, or of a family of them; `about` says of which."""

    kind: ClassVar[str] = ""
    about: JsonObject
    counts: Counter[str] = field(default_factory=Counter)
    sums: dict[str, Exact] = field(default_factory=dict)

    def add(self, name: str, values: Iterable[float]) -> None:
        self.sums[name] = plus(self.sums.get(name, ()), exact(values))

    def count(self, **numbers: int) -> None:
        for name, number in numbers.items():
            self.counts[name] += int(number)

    def grouped(self, name: str, values: Floats, numbers: NDArray[np.int64]) -> None:
        """The sums of some replications, told apart by their numbers modulo GROUPS."""
        for group in range(GROUPS):
            inside = values[(numbers - 1) % GROUPS == group]
            if inside.size:
                self.add(f"{name}/{group}", inside.tolist())

    def joined(self, other: "State") -> "State":
        """Both together."""
        found = type(self)(self.about, self.counts + other.counts)
        found.counts.update({key: 0 for key in {*self.counts, *other.counts}})
        for name in {*self.sums, *other.sums}:
            found.sums[name] = plus(self.sums.get(name, ()), other.sums.get(name, ()))
        return found

    def mean(self, name: str, count: int) -> Optional[float]:
        return value(self.sums.get(name, ())) / count if count else None

    def total(self, name: str, without: Optional[int] = None) -> float:
        """A grouped sum, with or without one of the groups."""
        parts = [
            self.sums.get(f"{name}/{group}", []) for group in range(GROUPS) if group != without
        ]
        return value(plus(*parts))

    def cells(self) -> list[Cell]:
        """What is told; the first cell carries the state."""
        found = self.derived()
        for at, cell in enumerate(found):
            cell["sums"] = self.written() if at == 0 else {}
        return found

    def derived(self) -> list[Cell]:
        raise NotImplementedError

    def written(self) -> JsonObject:
        return {
            "state": self.kind,
            "about": dict(self.about),
            "counts": {name: self.counts[name] for name in sorted(self.counts)},
            "sums": {name: self.sums[name] for name in sorted(self.sums)},
        }

    def jackknife(
        self, derive: Callable[[Optional[int]], Optional[float]]
    ) -> tuple[Optional[float], Optional[float]]:
        """A value made of grouped sums, and its standard error by leaving out each group."""
        whole = derive(None)
        if whole is None:
            return None, None
        parts = [derive(group) for group in range(GROUPS)]
        known = [part for part in parts if part is not None]
        if len(known) < GROUPS:
            return whole, None
        centre = math.fsum(known) / GROUPS
        spread = math.fsum((part - centre) ** 2 for part in known)
        return whole, math.sqrt(spread * (GROUPS - 1) / GROUPS)

    @property
    def place(self) -> Cell:
        """Whose cell it is: everything of `about` but what says how it was made."""
        return {key: each for key, each in self.about.items() if key != "settings"}


def wilson(successes: float, trials: float) -> tuple[Optional[float], Optional[float]]:
    """Wilson's 95 % interval of a share."""
    if trials <= 0:
        return None, None
    share = successes / trials
    centre = share + Z95**2 / (2 * trials)
    half = Z95 * math.sqrt(share * (1 - share) / trials + Z95**2 / (4 * trials**2))
    scale = 1 + Z95**2 / trials
    # At the ends it is 0 and 1 to the last bit, so that the share itself is always inside.
    lower = (centre - half) / scale if successes > 0 else 0.0
    upper = (centre + half) / scale if successes < trials else 1.0
    return max(0.0, lower), min(1.0, upper)


def binomial_error(successes: int, trials: int) -> Optional[float]:
    """√(p̂(1 − p̂)/R)."""
    if trials <= 0:
        return None
    share = successes / trials
    return math.sqrt(share * (1 - share) / trials)


class TestState(State):
    """A test: how often it rejected, and what it estimated.

    counts: replications, decisions (one for each time a replication was partitioned), rejections,
    ties, degenerate, failed (replications without a result), `k=…` how many data sets had so many
    rejections, `bin=…` of the histogram, `critical=…` decisions by their critical value. sums:
    estimate, loss_a, loss_b; grouped estimate, estimate², variance.
    """

    __test__ = False
    kind = "test"

    def derived(self) -> list[Cell]:
        counts, settings = self.counts, self.about["settings"]
        decisions = counts["decisions"]
        rate = counts["rejections"] / decisions if decisions else None
        error, (lower, upper) = self._error(rate), (None, None)
        if settings["partitions"] == 1:
            lower, upper = wilson(counts["rejections"], decisions)
        elif rate is not None:
            # As many trials as would vary like that; where nothing varied, each data set is one.
            sets = sum(self._sets().values())
            trials = rate * (1 - rate) / error**2 if error else sets
            lower, upper = wilson(rate * trials, trials)
        cell: Cell = {
            **self.place,
            "replications": counts["replications"],
            "rejections": counts["rejections"],
            "rate": rate,
            "se": error,
            "lower": lower,
            "upper": upper,
            "ties": counts["ties"],
            "degenerate": counts["degenerate"],
            "failed": counts["failed"],
            "estimate": self.mean("estimate", decisions),
            "loss_a": self.mean("loss_a", decisions),
            "loss_b": self.mean("loss_b", decisions),
            "alpha": settings["alpha"],
        }
        if settings["partitions"] > 1:
            cell["partitions"] = settings["partitions"]
        if settings.get("histogram"):
            cell["histogram"] = self._histogram()
            cell["critical"] = self._critical()
        return [cell, *self._quantities()]

    def _error(self, rate: Optional[float]) -> Optional[float]:
        """Of partitions of one data set the decisions belong together: sets are what varies."""
        if self.about["settings"]["partitions"] == 1:
            return binomial_error(self.counts["rejections"], self.counts["decisions"])
        sets, times = self._sets(), self.about["settings"]["partitions"]
        count = sum(sets.values())
        if count < 2 or rate is None:
            return None
        spread = math.fsum(number * (k / times - rate) ** 2 for k, number in sets.items())
        return math.sqrt(spread / (count - 1) / count)

    def _sets(self) -> dict[int, int]:
        """How many data sets had k rejections."""
        found = {int(key[2:]): n for key, n in self.counts.items() if key.startswith("k=")}
        return dict(sorted(found.items()))

    def _quantities(self) -> list[Cell]:
        found = []
        settings = self.about["settings"]
        if settings["partitions"] > 1:
            found.append(self._replicability())
        if settings.get("variances"):
            found += self._ratios()
        return found

    def _replicability(self) -> Cell:
        """R(k, n) = (C(k, 2) + C(n − k, 2))/C(n, 2), averaged over the data sets."""
        n = self.about["settings"]["partitions"]
        sets = self._sets()
        count = sum(sets.values())
        each = {k: (math.comb(k, 2) + math.comb(n - k, 2)) / math.comb(n, 2) for k in sets}
        found = math.fsum(sets[k] * each[k] for k in sets) / count if count else None
        error = None
        if count > 1 and found is not None:
            spread = math.fsum(sets[k] * (each[k] - found) ** 2 for k in sets)
            error = math.sqrt(spread / (count - 1) / count)
        return self._quantity("replicability", found, error)

    def _ratios(self) -> list[Cell]:
        """Var(μ̂)/E(σ̂²), and by how much σ̂² is too small: ρ = 1 − E(σ̂²)/Var(μ̂)."""

        def parts(without: Optional[int]) -> Optional[tuple[float, float]]:
            count = self.total("count", without)
            if count < 2 or self.total("variances", without) < count:
                return None
            first = self.total("estimate", without)
            square = self.total("estimate2", without)
            return (square - first**2 / count) / (count - 1), self.total("var", without) / count

        def ratio(without: Optional[int]) -> Optional[float]:
            found = parts(without)
            return found[0] / found[1] if found and found[1] > 0 else None

        def short(without: Optional[int]) -> Optional[float]:
            found = parts(without)
            return 1 - found[1] / found[0] if found and found[0] > 0 else None

        def spread(without: Optional[int]) -> Optional[float]:
            found = parts(without)
            return found[0] if found else None

        named = (("political_ratio", ratio), ("rho", short), ("variance", spread))
        return [self._quantity(name, *self.jackknife(derive)) for name, derive in named]

    def _quantity(self, name: str, found: Optional[float], error: Optional[float]) -> Cell:
        place = {**self.place, "kind": "quantity", "name": name, "of": self.about["name"]}
        return {
            **place,
            "replications": self.counts["replications"],
            "value": found,
            "se": error,
        }

    def _critical(self) -> Optional[list[float]]:
        """Where the test begins to reject: one value or two; None where they vary."""
        found = [key[9:] for key, n in self.counts.items() if key.startswith("critical=") and n]
        if len(found) != 1 or found == ["differs"]:
            return None
        only = float(found[0])
        return [only] if only >= 0 else [only, -only]

    def _histogram(self) -> JsonObject:
        counts = [self.counts.get(f"bin={at}", 0) for at in range(BINS)]
        return {
            "start": -HALF,
            "width": WIDTH,
            "counts": counts,
            "below": self.counts.get("bin=below", 0),
            "above": self.counts.get("bin=above", 0),
        }


class IntervalState(State):
    """An interval: how often it held the truth of its replication, and how long it was."""

    kind = "interval"

    def derived(self) -> list[Cell]:
        counts = self.counts
        made = counts["replications"] - counts["failed"]
        rate = counts["covered"] / made if made else None
        lower, upper = wilson(counts["covered"], made)
        length, length_error = mean_and_error(self, "length", made)
        return [
            {
                **self.place,
                "replications": counts["replications"],
                "covered": counts["covered"],
                "rate": rate,
                "se": binomial_error(counts["covered"], made),
                "lower": lower,
                "upper": upper,
                "length": length,
                "length_se": length_error,
                "outside": counts["outside"] / made if made else None,
                "degenerate": counts["degenerate"],
                "failed": counts["failed"],
                "truth": self.mean("truth", made),
                "level": self.about["settings"]["level"],
            }
        ]


class MeanState(State):
    """The mean of something that each replication has."""

    kind = "mean"

    def derived(self) -> list[Cell]:
        made = self.counts["made"]
        found, error = mean_and_error(self, "value", made)
        replications = self.counts["replications"]
        return [{**self.place, "replications": replications, "value": found, "se": error}]


class ComponentsState(State):
    """Variance components of an m×2 cross-validation over replications, and L and AL against them.

    Grouped sums: count, `d…` of each half of each replication, square, within and between (sums of
    products in and across replications), l and al.
    """

    kind = "components"

    def derived(self) -> list[Cell]:
        m = int(self.about["settings"]["m"])
        names = ("sigma1_sq", "sigma2_sq", "sigma3_sq", "rho1", "rho2", "variance", "l", "al")
        found = []
        for at, name in enumerate(names):

            def derive(without: Optional[int], at: int = at) -> Optional[float]:
                parts = self._parts(m, without)
                return None if parts is None else parts[at]

            shown = self.about["settings"].get("names", {}).get(name, name)
            value_, error = self.jackknife(derive)
            place = {**self.place, "name": shown}
            count = self.counts["replications"]
            found.append({**place, "replications": count, "value": value_, "se": error})
        return found

    def _parts(self, m: int, without: Optional[int]) -> Optional[Sequence[Optional[float]]]:
        count = self.total("count", without)
        if count < 2:
            return None
        means = np.array([self.total(f"d{at}", without) for at in range(2 * m)]) / count
        pairs = np.outer(means, means) * count
        trace = float(np.trace(pairs))
        inside = 2 * math.fsum(pairs[at, at + 1] for at in range(0, 2 * m, 2))
        across = float(pairs.sum()) - trace - inside
        centred = (
            self.total("square", without) - trace,
            self.total("within", without) - inside,
            self.total("between", without) - across,
        )
        free = count - 1
        sigma1 = centred[0] / free / (2 * m)
        sigma2 = centred[1] / free / (2 * m)
        sigma3 = centred[2] / free / (4 * m * (m - 1))
        variance = sum(centred) / free / (4 * m * m)
        rho1, rho2 = (sigma2 / sigma1, sigma3 / sigma1) if sigma1 > 0 else (None, None)
        estimators = (self.total("l", without) / count, self.total("al", without) / count)
        return (sigma1, sigma2, sigma3, rho1, rho2, variance, *estimators)


def mean_and_error(state: State, name: str, count: int) -> tuple[Optional[float], Optional[float]]:
    """Mean and its standard error from the sums `name` and `name2`, of squares."""
    if not count:
        return None, None
    mean = value(state.sums.get(name, ())) / count
    if count < 2:
        return mean, None
    spread = value(state.sums.get(f"{name}2", ())) - count * mean**2
    return mean, math.sqrt(max(spread, 0.0) / (count - 1) / count)


class FixedState(State):
    """A number that all replications share: made before them, it is the same in every part."""

    kind = "fixed"

    def joined(self, other: State) -> State:
        return self

    def derived(self) -> list[Cell]:
        return [{**self.place, **self.about["settings"]}]


KINDS: Mapping[str, Type[State]] = {
    each.kind: each for each in (TestState, IntervalState, MeanState, ComponentsState, FixedState)
}


#: What every state says of itself.
_ABOUT: Mapping[str, type] = {"at": dict, "kind": str, "name": str, "settings": dict}


def read(written: JsonObject) -> State:
    """A state from what a cell carries; raises `ValueError` where it is none."""
    about = written["about"]
    settings = about["settings"]
    if not all(isinstance(about[key], kind) for key, kind in _ABOUT.items()):
        raise ValueError("it does not say what it is about")
    for name in ("m", "partitions"):
        if not 1 <= int(settings.get(name, 1)) <= MOST:
            raise ValueError(f"{name} cannot be")
    found = KINDS[written["state"]](written["about"], Counter(written["counts"]))
    found.sums = {name: [float(part) for part in parts] for name, parts in written["sums"].items()}
    return found
