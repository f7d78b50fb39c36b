"""A study from its plan to its document: what is stored, what is made, what comes of it."""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Callable, Collection, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer import __version__
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute import scheduler
from cvinfer.execute.replications.recipe import GRANULE
from cvinfer.execute.store import Store
from cvinfer.execute.work import Limits, Outcome
from cvinfer.runner.stages import foreign_learners
from cvinfer.studies.agenda import Replications
from cvinfer.studies.document import added, build
from cvinfer.studies.evaluate import Pair, evaluate, learned, mean_estimate, pairs_of
from cvinfer.studies.frame import Means
from cvinfer.studies.gather import Gathered, Source
from cvinfer.studies.model import MU0_TRUTH, Range, Study
from cvinfer.studies.plan import (
    Fitting,
    Piece,
    PlannedPoint,
    StudyPlan,
    piece,
    pieces,
    plan_study,
    stored_blocks,
)
from cvinfer.studies.states import State

#: Tests run on so many replications at once at the most; the blocks of the store are inside.
STRETCH = GRANULE


def wanted_range(study: Study, given: Optional[tuple[int, int]] = None) -> Range:
    """The replications that are wanted: a part of the study's, or all of them."""
    if given is None:
        return Range(1, study.replications)
    first, last = given
    if not 1 <= first <= last <= 10**8:
        message = f"{first} to {last} is no range of replications"
        raise UserError(f"{message}; they are counted from 1 to 100,000,000")
    if study.mu0_truth and (first, last) != (1, study.replications):
        names = ", ".join(study.mu0_truth)
        raise UserError(
            f"{names} is tested against the mean of all replications (mu0: truth), which a part of"
            " them does not have; leave the range out"
        )
    return Range(first, last)


def stored_pieces(
    plan: StudyPlan, wanted: Range, store: Store, first_only: Collection[int] = ()
) -> tuple[dict[Fitting, Sequence[Piece]], set[str]]:
    """The blocks that make up the study, and which of them are stored."""
    one = Range(wanted.first, wanted.first)
    ranges = {each: one if each.recipe in first_only else wanted for each in plan.fittings.values()}
    found = stored_blocks(ranges, store)
    known = {key for blocks in found.values() for key in blocks}
    return {each: pieces(each, range_, found[each]) for each, range_ in ranges.items()}, known


def studied(study: Study, wanted: Range, store: Store, means: Means) -> tuple[JsonObject, Outcome]:
    """Make what is not stored, and the document of all."""
    if study.match:
        from cvinfer.studies.match import matched

        study, sought = matched(study, store, means)
    else:
        sought = []
    plan = plan_study(study)
    blocks, outcome = make(plan, wanted, store, means)
    failures: list[JsonObject] = []
    found = list(sought)
    for planned in plan.points:
        messages: dict[tuple[str, str], int] = {}
        source = Source(plan, planned, blocks, store, messages, outcome.failures)
        found += _states(source, wanted)
        failures += told(planned, messages)
    document = build(study, wanted, added(found), all_versions(plan.versions), failures)
    return document, outcome


class Worked(NamedTuple):
    """The blocks that make up a range of replications, and what became of those that were made."""

    blocks: Mapping[Fitting, Sequence[Piece]]
    outcome: Outcome


def make(
    plan: StudyPlan,
    wanted: Range,
    store: Store,
    means: Means,
    first_only: Collection[int] = (),
) -> Worked:
    """Make what the store does not hold of a range of replications.

    first_only: numbers of recipes of which the first replication is wanted and no other.
    """
    blocks: Mapping[Fitting, Sequence[Piece]]
    blocks, _ = stored_pieces(plan, wanted, store, first_only)
    foreign = set(foreign_learners(plan.study.spec))

    def done(ready: Optional[Callable[[], None]] = None) -> Outcome:
        return scheduler.work(
            Replications(
                plan.recipes,
                plan.learners,
                blocks,
                [at for at, one in enumerate(plan.learners) if one.name in foreign],
                plan.study.spec.limits.get("memory_mb"),
                plan.labels,
            ),
            store,
            jobs=means.workers,
            limits=block_limits(plan),
            fail_fast=means.fail_fast,
            progress=means.progress,
            meanwhile=ready,
            log=means.log,
            backend=means.backend,
        )

    outcome = done(_get_ready)
    parted = {each: _parted(each, found, outcome) for each, found in blocks.items()}
    if parted != blocks:
        # What one replication does to its worker is not the fault of its neighbours.
        blocks, first = parted, outcome
        outcome = both(first, done())
    return Worked(blocks, outcome)


def _parted(fitting: Fitting, blocks: Sequence[Piece], outcome: Outcome) -> Sequence[Piece]:
    """The blocks, those that ended with their worker in single replications."""
    found: list[Piece] = []
    for one in blocks:
        if one.key not in outcome.failures:
            found.append(one)
            continue
        found += [piece(fitting.key, one.first + at, 1) for at in range(one.size)]
    return found


def both(first: Outcome, second: Outcome) -> Outcome:
    """What became of the blocks at first, and of those in parts after that."""
    return replace(
        second,
        reused=first.reused,
        fitted=first.fitted + second.fitted,
        damaged=first.damaged,
        seconds=first.seconds + second.seconds,
        startup=first.startup,
        working=first.working + second.working,
        place=second.place or first.place,
    )


def block_limits(plan: StudyPlan) -> Limits:
    """The limits of a spec are for one fit; one replication has the time of all that it takes.

    Where there is a limit of time, no more than one is made at once (`Fitting.most`).
    """
    given = plan.study.spec.limits
    seconds = given.get("seconds")
    if seconds is not None:
        seconds *= max(max(each.fits, 1) for each in plan.fittings.values())
    return Limits(seconds, given.get("memory_mb"))


def _states(source: Source, wanted: Range) -> list[State]:
    """The states of a point, one stretch after the other."""
    mu0 = _mean_estimates(source, wanted)
    found: list[State] = []
    for stretch in stretches(wanted):
        gathered = Gathered(source, stretch)
        found = added([*found, *evaluate(source.plan.study, source.planned, gathered, mu0)])
    return found


def stretches(wanted: Range) -> Iterator[Range]:
    first = wanted.first
    while first <= wanted.last:
        last = min(wanted.last, ((first - 1) // STRETCH + 1) * STRETCH)
        yield Range(first, last)
        first = last + 1


def _mean_estimates(source: Source, wanted: Range) -> dict[tuple[str, Pair], float]:
    """The mean of the estimate of each test whose hypothesis is that, by test and pair."""
    found: dict[tuple[str, Pair], float] = {}
    study, planned = source.plan.study, source.planned
    unheard = replace(source, messages={})  # they are told when the tests are made
    for use in planned.uses:
        if use.request.options.get("mu0") != MU0_TRUTH:
            continue
        for pair in pairs_of(planned):
            every = [
                learned(study, planned, Gathered(unheard, stretch), use, pair)
                for stretch in stretches(wanted)
            ]
            found[use.request.name, pair] = mean_estimate(every)
    return found


def told(planned: PlannedPoint, messages: Mapping[tuple[str, str], int]) -> list[JsonObject]:
    return [
        {"at": dict(planned.point.at), "learner": learner, "reason": reason, "count": count}
        for (learner, reason), count in messages.items()
    ]


def all_versions(of_learners: Mapping[str, str]) -> dict[str, str]:
    import numpy
    import scipy

    return {
        "cvinfer": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        **of_learners,
    }


def _get_ready() -> None:
    """Load what inference needs while the workers load what learners need."""
    import importlib
    import sys

    importlib.import_module("scipy.special")
    client = sys.modules.get("cvinfer.engines._r.client")
    if client is not None:
        client.end()
