"""Calibration: do the tests hold on these data with these learners?

The records are taken for the population. Sets of n' of them are drawn, every test is made on every
set, and what it claims of the difference is held against the true one: that of the learners at the
test's own training size, measured on the records that they were not trained on. Sets that are a
good part of a population lie closer to it than sets of an endless one; how that is made up for, and
why the truth is measured as it is, docs/decisions/calibration.md tells.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from cvinfer.analysis.document import data_facts, plain
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute.work import Outcome
from cvinfer.inference import procedure
from cvinfer.limits import limited
from cvinfer.partitions import Partition
from cvinfer.planning import Use
from cvinfer.spec.model import LANGUAGE_VERSION
from cvinfer.studies.comparison import Comparison, load_comparison, refuse_too_much, whole_number
from cvinfer.studies.decisions import Decision, decisions, takes
from cvinfer.studies.document import failure_warnings, told_failures
from cvinfer.studies.evaluate import Parts
from cvinfer.studies.files import write_calibrate_files
from cvinfer.studies.frame import Finished, Means, framed
from cvinfer.studies.gather import Gathered, Whole, crossed
from cvinfer.studies.gather import Source as Blocks
from cvinfer.studies.model import Point, Range
from cvinfer.studies.plan import (
    PlannedPoint,
    Splits,
    StudyPlan,
    learners_used,
    partitions_of,
    plan_study,
)
from cvinfer.studies.states import binomial_error, wilson
from cvinfer.studies.work import Worked, all_versions, make, stretches, told

if TYPE_CHECKING:
    from cvinfer.execute.backends.base import Opener
    from cvinfer.execute.store import Store
    from cvinfer.progress import Progress
    from cvinfer.spec.load import Source

#: Sets that are drawn where nobody says how many, and the most that are.
REPLICATIONS, MOST_REPLICATIONS = 200, 100_000
#: The smallest set that is drawn.
SMALLEST = 10
#: A test did not hold where its mean rate of false claims is above alpha by more than so many
#: standard errors, or one of its rates by more than so many.
CHANCE_MEAN, CHANCE_ONE = 2.0, 3.0
#: The number of a second seed for the same splits.
SECOND = 1


def calibrate(
    source: "Source",
    replications: int = REPLICATIONS,
    n: Optional[int] = None,
    *,
    overrides: Sequence[str] = (),
    base: Optional[Path] = None,
    jobs: Optional[int] = None,
    output: Optional[Union[str, Path]] = None,
    store: Optional[Union[str, Path]] = None,
    progress: "Optional[Progress]" = None,
    fail_fast: bool = False,
    allow_code: bool = False,
    write: bool = False,
    max_bytes: Optional[int] = None,
    max_fits: Optional[int] = None,
    backend: "Optional[Opener]" = None,
) -> Finished:
    """Measure how often the tests of a comparison claim what is not so, on its own records.

    n: records of each set, at most half of those there are, which is the default. The other options
    are those of `cvinfer.run`.
    """
    means = Means(jobs, output, store, progress, fail_fast, write, backend)
    replications = whole_number(replications, 2, MOST_REPLICATIONS, "replications")
    if n is not None:
        n = whole_number(n, SMALLEST, 10**9, "n")
    with limited(max_bytes, max_fits):
        comparison = load_comparison(
            source, overrides, allow_code, base, "made for sets that are drawn"
        )
        _refuse_groups(comparison)
        sizes = [_drawn(comparison, number, n) for number in range(len(comparison.sets))]
        first = [_checked(comparison, number, size) for number, size in enumerate(sizes)]
        points = [*first, *_truth_points(comparison, first)]
        seconds = [_second(comparison, point) for point in first]
        refuse_too_much([*points, *seconds], replications, f"{replications:,} replications")
    wanted = Range(1, replications)

    def work(open_store: "Store", means: Means) -> tuple[JsonObject, Outcome]:
        def made(plan: StudyPlan, first_only: Sequence[int] = ()) -> Worked:
            return make(plan, wanted, open_store, means, first_only)

        # Which learners are random shows on the first set; only those need a second seed on all.
        plan = plan_study(comparison.study([*points, *seconds], replications))
        twins = [at for at, recipe in enumerate(plan.recipes) if recipe.twin]
        worked = made(plan, twins)
        random = [
            _random(plan, at, len(points) + at, worked, open_store) for at in range(len(first))
        ]
        outcome = worked.outcome
        again = [_second(comparison, point, names) for point, names in zip(first, random) if names]
        if again:
            plan = plan_study(comparison.study([*points, *again], replications))
            worked = made(plan)
            outcome = _stages(outcome, worked.outcome)
        found = _Calibration(comparison, plan, wanted, worked, open_store, random)
        return found.document(), outcome

    return framed(comparison.spec, means, work, write_calibrate_files)


# --- what is drawn --------------------------------------------------------------------------------


def _refuse_groups(comparison: Comparison) -> None:
    for number, one in enumerate(comparison.sets):
        if one.groupings:
            raise comparison.asked.refuse(
                ("data", number),
                f"{one.name} has groups, and records are drawn one by one: those of a group would"
                " be both in a set and among the records that the truth is measured on",
                "data without groups",
            )


def _drawn(comparison: Comparison, number: int, n: Optional[int]) -> int:
    one = comparison.sets[number]
    most = one.n // 2
    if most < SMALLEST:
        message = f"{one.name} has {one.n} records, too few to draw sets of half of them"
        raise comparison.asked.refuse(("data", number), message, f"at least {2 * SMALLEST}")
    if n is not None and n > most:
        raise UserError(
            f"n cannot be {n:,}: {one.name} has {one.n:,} records, and as many as are drawn must be"
            " left over to measure the truth on",
            allowed=f"at most {most:,}",
        )
    return most if n is None else n


def _checked(comparison: Comparison, number: int, n: int) -> Point:
    """The comparison on a set; what cannot be partitioned with so few records is refused."""
    point = comparison.point(number, n, paired=True)
    try:
        partitions_of(point, 1)
    except UserError as error:
        message = f"on sets of {n:,} records of {comparison.sets[number].name}: {error.message}"
        raise comparison.asked.refuse(error.path or (), message, error.allowed) from None
    return point


def _truth_points(comparison: Comparison, points: Sequence[Point]) -> Iterator[Point]:
    """For each training size of a test a point whose learners are trained on so many records."""
    for number, point in enumerate(points):
        partitions, uses, _ = partitions_of(point, 1)
        sizes = sorted({training_size(partitions[use.partitions[0]]) for use in uses})
        for size in sizes:
            made = comparison.point(number, size, truth=True)
            yield replace(made, at={**made.at, "n": size})


def _second(
    comparison: Comparison, point: Point, learners: Optional[Sequence[str]] = None
) -> Point:
    """The same sets and splits as those of a point, with other seeds for the learners."""
    spec = point.spec
    names = list(dict.fromkeys(name for pair in spec.of_two for name in pair))
    pairs = tuple((name, None) for name in (names if learners is None else learners))
    return replace(point, spec=replace(spec, pairs=pairs), twin=SECOND)


def training_size(partition: Partition) -> int:
    """How many records learners are trained on, in the mean over the splits."""
    return int(round(float(partition.sizes.reshape(-1, 2)[:, 0].mean())))


def stretch(first: Sequence[float], second: Sequence[float]) -> float:
    """By how much the distance of a set from the truth is short of one in an endless population.

    `first` and `second` are the estimates on pairs of sets without a common record. What one set
    has, the other lacks, so that they differ from the truth in opposite ways, and each by less than
    it would if there were no end of records: then they would be independent. Half the mean square
    of their difference is the variance that they would have; it is 1 - r times theirs, r their
    correlation. For a mean of s of N records 1 - r = 1/(1 - s/N).
    """
    if len(first) < 2:
        return 1.0
    every = np.array([*first, *second])
    variance = float(every.var())
    if variance <= 0.0:
        return 1.0
    free = float(np.mean((np.array(first) - np.array(second)) ** 2)) / 2.0
    # Chance may put a correlation outside of what can be.
    return math.sqrt(min(max(free / variance, 1.0), 2.0))


# --- what comes of it -----------------------------------------------------------------------------


class _Truth(NamedTuple):
    """A true difference with its standard error over the replications."""

    value: Optional[float]
    se: Optional[float]


@dataclass
class _Results:
    """One test of one pair on all sets, None where a fit failed; a degenerate one claims nothing.

    by: what it claims by, an interval or another hypothesis than no difference; None without.
    """

    about: JsonObject
    by: Optional[str]
    truth: Optional[_Truth]
    found: list[Optional[Decision]] = field(default_factory=list)

    @property
    def made(self) -> list[Decision]:
        return [each for each in self.found if each is not None]

    @property
    def checked(self) -> bool:
        return self.truth is not None and self.by is not None

    def told(self) -> JsonObject:
        made = self.made
        away = self._stretch()
        rejections = sum(bool(each.inference.reject) for each in made)
        truth = _Truth(None, None) if self.truth is None else self.truth
        plain_claims = self.claims(1.0)
        known = [each for each in plain_claims if each is not None]
        lengths = [float(high - low) for low, high in filter(None, map(_ends, made))]
        return {
            **self.about,
            "by": self.by,
            "truth": truth.value,
            "truth_se": truth.se,
            "stretch": away if self.checked else None,
            **_counted(self.claims(away), self.about["alpha"]),
            "failed": len(self.found) - len(made),
            "degenerate": sum(bool(each.inference.degenerate) for each in made),
            "unstretched": sum(known) / len(known) if known else None,
            "length": _mean(lengths) if self.by == "interval" else None,
            "estimate": _mean([float(each.inference.estimate) for each in made]),
            "rejections": rejections,
            "power": rejections / len(made) if made else None,
            "power_se": binomial_error(rejections, len(made)),
        }

    def rejected(self) -> JsonObject:
        """Where every rejection is false."""
        claims = [None if each is None else bool(each.inference.reject) for each in self.found]
        return {
            **self.about,
            **_counted(claims, self.about["alpha"]),
            "failed": len(self.found) - len(self.made),
            "degenerate": sum(bool(each.inference.degenerate) for each in self.made),
        }

    def claims(self, away: float) -> list[Optional[bool]]:
        """Whether each result says that the difference is not the true one, so far away."""
        if self.truth is None or self.truth.value is None or self.by is None:
            return [None] * len(self.found)
        true = self.truth.value
        return [
            None if each is None else _claims(each, each.centre - (each.centre - true) * away)
            for each in self.found
        ]

    def _stretch(self) -> float:
        pairs = [
            (one.centre, other.centre)
            for one, other in zip(self.found[::2], self.found[1::2])
            if one is not None and other is not None
        ]
        return stretch([one for one, _ in pairs], [other for _, other in pairs])


def _ends(found: Decision) -> Optional[tuple[float, float]]:
    """The interval of a result; None where it has none, or is degenerate."""
    ends = found.inference.interval() if found.declared.has_interval else None
    if ends is None or found.inference.degenerate or not all(map(math.isfinite, ends)):
        return None
    return float(ends[0]), float(ends[1])


def _claims(found: Decision, value: float) -> bool:
    """Whether a result says that the difference is not `value`."""
    if found.inference.degenerate:
        return False
    ends = _ends(found)
    if ends is not None:
        return not ends[0] <= value <= ends[1]
    return takes(found.declared, "mu0") and found.rejects(value)


def _counted(claims: Sequence[Optional[bool]], alpha: float) -> JsonObject:
    """False claims with their rate.

    The sets of a pair belong together: what one has too much of the other has too little. So many
    sets are worth as many as `trials`, fewer where both of a pair tend to claim what is not so.
    """
    known = [each for each in claims if each is not None]
    count, made = sum(known), len(known)
    both = [(a, b) for a, b in zip(claims[::2], claims[1::2]) if a is not None and b is not None]
    rate = count / made if made else None
    alike = 1.0
    if rate is not None and both and 0.0 < rate < 1.0:
        together = sum(a and b for a, b in both) / len(both)
        alike = min(max((together - rate**2) / (rate * (1.0 - rate)), 0.0), 1.0)
    trials = made / (1.0 + alike)
    lower, upper = wilson((rate or 0.0) * trials, trials)
    error, above = None, None
    if rate is not None:
        error = math.sqrt(rate * (1.0 - rate) / trials)
        above = (rate - alpha) / math.sqrt(alpha * (1.0 - alpha) / trials)
    return {
        "replications": len(claims),
        "false_claims": count if made else None,
        "rate": rate,
        "se": error,
        "lower": lower,
        "upper": upper,
        "above": above,
    }


def _mean(values: Sequence[float]) -> Optional[float]:
    return math.fsum(values) / len(values) if values else None


def _random(plan: StudyPlan, base: int, twin: int, worked: Worked, store: "Store") -> list[str]:
    """The learners of a point that another seed makes predict something else, on the first set."""
    first, second = (
        Gathered(
            Blocks(plan, plan.points[at], worked.blocks, store, {}, worked.outcome.failures),
            Range(1, 1),
        )
        for at in (base, twin)
    )
    found = []
    for name in learners_used(plan.points[twin]):
        schemes = dict.fromkeys(each.scheme for each in plan.points[base].splits)
        if any(_differ(first.whole(name, at), second.whole(name, at)) for at in schemes):
            found.append(name)
    return found


def _differ(one: Whole, other: Whole) -> bool:
    """Whether two learners err on other records of the first set; blocks may hold further sets."""
    size = int(other.test[0].sum())
    lost = one.failed[0].any() or other.failed[0].any()
    return not lost and bool((one.losses[:size] != other.losses[:size]).any())


def _stages(one: Outcome, other: Outcome) -> Outcome:
    """Two stages of the same work; what the second reused of the first was made here."""
    return Outcome(
        failures={**one.failures, **other.failures},
        reused=max(other.reused - one.fitted, 0),
        fitted=one.fitted + other.fitted,
        damaged=one.damaged + other.damaged,
        seconds=one.seconds + other.seconds,
        startup=one.startup + other.startup,
        working=one.working + other.working,
        place=other.place or one.place,
    )


@dataclass
class _Calibration:
    comparison: Comparison
    plan: StudyPlan
    wanted: Range
    worked: Worked
    store: "Store"
    random: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        lost = self.worked.outcome.failures
        self.sources = [
            Blocks(self.plan, planned, self.worked.blocks, self.store, {}, lost)
            for planned in self.plan.points
        ]

    @property
    def base(self) -> Sequence[PlannedPoint]:
        return self.plan.points[: len(self.comparison.sets)]

    def document(self) -> JsonObject:
        spec = self.comparison.spec
        tests: list[JsonObject] = []
        same: list[JsonObject] = []
        for number in range(len(self.base)):
            tests += self._tests(number)
            same += self._same(number)
        rows = [row for source in self.sources for row in told(source.planned, source.messages)]
        failures = told_failures(rows, [planned.point.at for planned in self.plan.points])
        choice = chosen(tests, same)
        return {
            "cvinfer": LANGUAGE_VERSION,
            "name": spec.name,
            "calibrate": {"replications": self.wanted.size},
            "spec": plain({**spec.resolved(), "intervals": []}),
            "data": [self._data(number) for number in range(len(self.base))],
            "versions": dict(sorted(all_versions(self.plan.versions).items())),
            "tests": [plain(entry) for entry in tests],
            "same": [plain(entry) for entry in same],
            "choice": plain(choice),
            "recommended": recommended(choice, self.wanted.size),
            "failures": failures,
            "warnings": failure_warnings(failures),
        }

    def _data(self, number: int) -> JsonObject:
        one = self.comparison.sets[number]
        drawn = self.base[number].point.n
        facts = {"drawn": drawn, "random": list(self.random[number])}
        return {**plain(data_facts(one)), **facts}

    def _gathered(self, at: int, part: Range) -> Gathered:
        return Gathered(self.sources[at], part)

    def _truths(self, number: int) -> dict[tuple[int, str, str], _Truth]:
        """True differences by training size and pair."""
        name = self.comparison.sets[number].name
        found: dict[tuple[int, str, str], _Truth] = {}
        for at, planned in enumerate(self.plan.points):
            point = planned.point
            if point.truth is None or point.at["data"] != name:
                continue
            errors: dict[str, list[Any]] = {}
            for part in stretches(self.wanted):
                gathered = self._gathered(at, part)
                for learner in learners_used(planned):
                    errors.setdefault(learner, []).append(gathered.truths(learner).errors)
            joined = {learner: np.concatenate(each) for learner, each in errors.items()}
            for a, b in self.comparison.spec.of_two:
                apart = joined[a] - joined[b]
                known = apart[np.isfinite(apart)]
                if len(known):
                    error = float(known.std(ddof=1) / math.sqrt(len(known)))
                    truth = _Truth(float(known.mean()), error if len(known) > 1 else None)
                    found[int(point.at["n"]), a, b] = truth
        return found

    def _tests(self, number: int) -> list[JsonObject]:
        truths = self._truths(number)
        found: dict[tuple[str, str, int], _Results] = {}
        planned = self.base[number]
        for part in stretches(self.wanted):
            gathered = self._gathered(number, part)
            for a, b in planned.point.spec.of_two:
                for at, use in enumerate(planned.uses):
                    used = [planned.splits[each] for each in use.partitions]
                    size = training_size(used[0].partition)
                    if (a, b, at) not in found:
                        about = {**self._about(number, use, used), "a": a, "b": b}
                        by, truth = _by(use), truths.get((size, a, b))
                        found[a, b, at] = _Results({**about, "trained_on": size}, by, truth)
                    parts = [gathered.tables(a, b, one) for one in used]
                    found[a, b, at].found += decisions(use, planned.point.spec.alpha, used, parts)
        return [each.told() for each in found.values()]

    def _about(self, number: int, use: Use, used: Sequence[Splits]) -> JsonObject:
        return {
            "data": self.comparison.sets[number].name,
            "test": use.request.name,
            "options": dict(use.request.options),
            "alpha": float(use.request.options.get("alpha", self.comparison.spec.alpha)),
            "scheme": " + ".join(one.partition.label for one in used),
        }

    def _same(self, number: int) -> list[JsonObject]:
        """Each random learner against itself with other seeds: every rejection is false."""
        planned = self.base[number]
        twins = [
            at
            for at, other in enumerate(self.plan.points)
            if other.point.twin and other.point.at == planned.point.at
        ]
        found: dict[tuple[str, int], _Results] = {}
        for part in stretches(self.wanted) if self.random[number] else ():
            first = Gathered(replace(self.sources[number], messages={}), part)  # they are told
            second = self._gathered(twins[0], part)
            for learner in self.random[number]:
                for at, use in enumerate(planned.uses):
                    used = [planned.splits[each] for each in use.partitions]
                    about = {**self._about(number, use, used), "learner": learner}
                    one = found.setdefault((learner, at), _Results(about, None, None))
                    parts = [_twins(first, second, learner, each) for each in used]
                    one.found += decisions(_at_zero(use), planned.point.spec.alpha, used, parts)
        return [each.rejected() for each in found.values()]


def _by(use: Use) -> Optional[str]:
    """What a test says of a difference with: its interval, or its test of that very one."""
    declared = procedure(use.request.name)
    if declared.has_interval:
        return "interval"
    return "mu0" if takes(declared, "mu0") else None


def _twins(first: Gathered, second: Gathered, learner: str, one: Splits) -> Parts:
    """The tables of a learner with one seed against itself with another."""
    a, b = first.whole(learner, one.scheme), second.whole(learner, one.scheme)
    tables = crossed(a, a.losses, b.losses)
    at = one.positions
    return tables[:, :, at], (a.failed | b.failed)[:, :, at], a.train[:, :, at]


def _at_zero(use: Use) -> Use:
    """The same test of no difference, whatever the spec's hypothesis is."""
    if "mu0" not in use.request.options:
        return use
    request = replace(use.request, options={**use.request.options, "mu0": 0.0})
    return replace(use, request=request)


# --- which test to take ---------------------------------------------------------------------------


def chosen(tests: Sequence[JsonObject], same: Sequence[JsonObject]) -> list[JsonObject]:
    """Each test over all data sets and pairs: whether it held, what it found, how long it is."""
    found: dict[str, list[JsonObject]] = {}
    for entry in tests:
        found.setdefault(_which(entry), []).append(entry)
    twins: dict[str, list[JsonObject]] = {}
    for entry in same:
        twins.setdefault(_which(entry), []).append(entry)
    made: list[JsonObject] = []
    for which, entries in found.items():
        rates = [entry["rate"] for entry in entries if entry["rate"] is not None]
        lengths = [entry["length"] for entry in entries]
        powers = [entry["power"] for entry in entries if entry["power"] is not None]
        whole = None not in lengths
        made.append(
            {
                "test": entries[0]["test"],
                "options": entries[0]["options"],
                "held": _held(entries) and _held(twins.get(which, [])) if rates else None,
                "rate": _mean(rates),
                "power": _mean(powers),
                "length": _mean(lengths) if whole else None,
            }
        )
    return made


def _which(entry: Mapping[str, Any]) -> str:
    return json.dumps([entry["test"], entry["options"]], sort_keys=True, default=str)


def _held(entries: Sequence[JsonObject]) -> bool:
    """Whether no rate is above alpha by more than chance; the same sets are behind all of them."""
    above = [entry["above"] for entry in entries if entry["above"] is not None]
    if not above:
        return True
    return max(above) <= CHANCE_ONE and math.fsum(above) / len(above) <= CHANCE_MEAN


def recommended(choice: Sequence[JsonObject], replications: int) -> Optional[JsonObject]:
    """Of the tests that held, the shortest interval among those that find most; None without."""
    held = [entry for entry in choice if entry["held"] and entry["power"] is not None]
    if not held:
        return None
    best = max(entry["power"] for entry in held)

    def error(power: float) -> float:
        return math.sqrt(power * (1.0 - power) / replications)

    near = [
        entry
        for entry in held
        if best - entry["power"] <= CHANCE_MEAN * math.hypot(error(best), error(entry["power"]))
    ]
    first = min(near, key=lambda entry: math.inf if entry["length"] is None else entry["length"])
    why = "only" if len(held) == 1 else "shortest" if len(near) > 1 else "most"
    if why == "shortest" and first["length"] is None:
        why = "first"
    return {"test": first["test"], "options": first["options"], "why": why}
