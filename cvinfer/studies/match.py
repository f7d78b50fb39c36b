"""The parameter at which the true error of a learner meets a target between its own and another's.

All true errors are taken on the same draws, so that the error is a function of the parameter
without noise of its own, and a search can follow it; what the draws leave open is in the standard
error.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import Callable, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.engines import engine
from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import UserError
from cvinfer.execute import scheduler
from cvinfer.execute.replications.packed import unpack
from cvinfer.execute.replications.recipe import GRANULE, Recipe
from cvinfer.execute.store import Store
from cvinfer.execute.work import Limits
from cvinfer.studies.agenda import Replications
from cvinfer.studies.frame import Means
from cvinfer.studies.model import Point, Range, Sought, Study, rounded
from cvinfer.studies.plan import Fitting, key_of, pieces, stored_blocks
from cvinfer.studies.states import FixedState, State

Floats = NDArray[np.float64]

#: The search ends when the parameter is known to this share of the range, or after so many looks.
CLOSE = 1e-4
LOOKS = 24
#: The slope is taken over this share of the parameter to both sides.
STEP = 0.05
#: What the grid of a study calls the target.
LAMBDA = "lambda"


def matched(study: Study, store: Store, means: Means) -> tuple[Study, list[State]]:
    """The study with a point for each target, and what was found."""
    points = list(study.points)
    found: list[State] = []
    for sought in study.match:
        more: list[Point] = []
        for point in points:
            for value, state, target in _solved(point, sought, store, means):
                learners = {
                    **point.spec.learners,
                    sought.of: _with(point.spec.learners[sought.of], sought, value),
                }
                at = {**point.at, sought.path: value, LAMBDA: target}
                more.append(replace(point, at=at, spec=replace(point.spec, learners=learners)))
                found.append(replace(state, about={**state.about, "at": at}))
        points = more
    return replace(study, points=tuple(points), match=()), found


@dataclass
class _Errors:
    """True errors by replication, for any value of a parameter; each is made once."""

    point: Point
    sought: Sought
    store: Store
    means: Means
    known: dict[float, Floats] = field(default_factory=dict)

    def of(self, value: float) -> Floats:
        if value not in self.known:
            entry = self.point.spec.learners[self.sought.of]
            self.known[value] = self.made(_with(entry, self.sought, value))
        return self.known[value]

    def made(self, entry: LearnerSpec) -> Floats:
        point = self.point
        recipe = Recipe(
            point.population, point.n, point.replace, point.spec.seed, 1, (), point.truth
        )
        behind = dict(engine(entry.engine).versions(entry))
        text = json.dumps([entry.settings(), behind], sort_keys=True)
        limits = point.spec.limits
        most = GRANULE if limits.get("seconds") is None else 1
        fitting = Fitting(0, 0, 0, key_of(recipe, 0, text), 1, most)
        wanted = Range(1, self.sought.replications)
        blocks = pieces(fitting, wanted, stored_blocks({fitting: wanted}, self.store)[fitting])
        outcome = scheduler.work(
            Replications([recipe], [entry], {fitting: blocks}, (), limits.get("memory_mb")),
            self.store,
            jobs=self.means.workers,
            limits=Limits(limits.get("seconds"), limits.get("memory_mb")),
            progress=self.means.progress,
            backend=self.means.backend,
        )
        for message in outcome.failures.values():
            raise UserError(f"{entry.name} cannot be matched: {message}", ("study", "match"))
        found = self.store.get_many(one.key for one in blocks)
        rows = []
        for one in blocks:
            made = unpack(found[one.key].values)
            if made.failed.any():
                why = next(iter(made.messages), "a fit failed")
                raise UserError(f"{entry.name} cannot be matched: {why}", ("study", "match"))
            wrong = np.frombuffer(made.wrong.tobytes(), "<i8")
            rows.append(wrong / made.test.reshape(-1))
        return np.asarray(np.concatenate(rows), dtype=np.float64)


def _with(entry: LearnerSpec, sought: Sought, value: float) -> LearnerSpec:
    return replace(entry, params={**entry.params, sought.parameter: value})


def _solved(
    point: Point,
    sought: Sought,
    store: Store,
    means: Means,
) -> list[tuple[float, State, float]]:
    """Parameter, state and target for each lambda."""
    errors = _Errors(point, sought, store, means)
    met = errors.made(point.spec.learners[sought.to])
    ends = sorted((sought.low, sought.high), key=lambda end: float(errors.of(end).mean()))
    lowest = errors.of(ends[0])
    found: list[tuple[float, State, float]] = []
    for target in sought.lambdas:
        wanted = met - target * (met - lowest)
        value = _root(
            lambda x: float((errors.of(x) - wanted).mean()), sought.low, sought.high, sought
        )
        error = _error(errors, wanted, value, sought)
        state = FixedState(
            {
                "kind": "quantity",
                "name": "match",
                "of": sought.path,
                "learner": sought.of,
                "settings": {
                    "value": value,
                    "se": error,
                    "replications": sought.replications,
                    "error": float(errors.of(value).mean()),
                    "target": float(wanted.mean()),
                },
            }
        )
        found.append((value, state, target))
    return found


def _root(miss: Callable[[float], float], low: float, high: float, sought: Sought) -> float:
    """Where a monotone function is 0, by false position with halving (Illinois)."""
    at = [low, high]
    missed = [miss(low), miss(high)]
    for end in (0, 1):
        if missed[end] == 0.0:
            return at[end]
    if missed[0] * missed[1] > 0:
        # An end that is met but for rounding is met.
        nearest = int(abs(missed[1]) < abs(missed[0]))
        if abs(missed[nearest]) < 1e-12:
            return at[nearest]
        raise UserError(
            f"no {sought.path} from {low:g} to {high:g} gives {sought.of} the error that is"
            f" wanted: it misses by {missed[0]:+.4f} and {missed[1]:+.4f} at the ends; a wider"
            " range may have it",
            ("study", "match", sought.path, "range"),
        )
    wide = high - low
    weight = list(missed)
    for _ in range(LOOKS):
        guess = rounded((at[0] * weight[1] - at[1] * weight[0]) / (weight[1] - weight[0]))
        if not at[0] < guess < at[1]:
            guess = rounded((at[0] + at[1]) / 2)
        found = miss(guess)
        if found == 0.0 or at[1] - at[0] < CLOSE * wide:
            return guess
        side = 0 if found * missed[0] > 0 else 1
        at[side], missed[side], weight[side] = guess, found, found
        weight[1 - side] /= 2
    return guess


def _error(errors: _Errors, wanted: Floats, value: float, sought: Sought) -> Optional[float]:
    """The standard error of the miss over the draws, by the slope of the error there."""
    step = max(abs(value) * STEP, (sought.high - sought.low) * CLOSE)
    low, high = max(sought.low, value - step), min(sought.high, value + step)
    low, high = rounded(low), rounded(high)
    slope = float((errors.of(high) - errors.of(low)).mean()) / (high - low)
    if slope == 0.0 or len(wanted) < 2:
        return None
    spread = float((errors.of(value) - wanted).std(ddof=1)) / math.sqrt(len(wanted))
    return spread / abs(slope)
