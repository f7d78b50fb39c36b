"""A study from its plan to its document: what is stored, what is made, what comes of it."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Collection, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer import __version__
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.execute import scheduler
from cvinfer.execute.backends.base import Opener
from cvinfer.execute.replications.recipe import GRANULE
from cvinfer.execute.store import Store
from cvinfer.execute.work import Limits, Outcome
from cvinfer.progress import Progress
from cvinfer.runner.stages import default_jobs, foreign_learners
from cvinfer.studies.agenda import Replications
from cvinfer.studies.document import added, build
from cvinfer.studies.evaluate import Pair, evaluate, learned, mean_estimate, pairs_of
from cvinfer.studies.gather import Gathered
from cvinfer.studies.model import MU0_TRUTH, Range, Study
from cvinfer.studies.plan import (
    Fitting,
    Piece,
    PlannedPoint,
    StudyPlan,
    candidates,
    pieces,
    plan_study,
)
from cvinfer.studies.states import State

#: Tests run on so many replications at once at the most; the blocks of the store are inside.
STRETCH = GRANULE
#: At most so many different messages of failed fits are told.
TOLD = 20


def wanted_range(study: Study, given: Optional[tuple[int, int]] = None) -> Range:
    """The replications that are wanted: a part of the study's, or all of them."""
    if given is None:
        return Range(1, study.replications)
    first, last = given
    if not 1 <= first <= last <= 10**8:
        raise UserError(f"{first} to {last} is no range of replications; they are counted from 1")
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
    keys = [piece.key for each, range_ in ranges.items() for piece in candidates(each, range_)]
    known = store.known(keys)
    return {each: pieces(each, range_, known) for each, range_ in ranges.items()}, known


def studied(
    study: Study,
    wanted: Range,
    store: Store,
    *,
    jobs: Optional[int] = None,
    progress: Optional[Progress] = None,
    fail_fast: bool = False,
    log: Optional[Path] = None,
    backend: Optional[Opener] = None,
) -> tuple[JsonObject, Outcome]:
    """Make what is not stored, and the document of all."""
    if study.match:
        from cvinfer.studies.match import matched

        study, sought = matched(study, store, jobs=jobs, progress=progress)
    else:
        sought = []
    plan = plan_study(study)
    blocks, outcome = make(
        plan,
        wanted,
        store,
        jobs=jobs,
        progress=progress,
        fail_fast=fail_fast,
        log=log,
        backend=backend,
    )
    failures: list[JsonObject] = []
    found = list(sought)
    for planned in plan.points:
        messages: dict[tuple[str, str], int] = {}
        found += _states(plan, planned, wanted, blocks, store, messages)
        failures += told(planned, messages)
    failures += lost(outcome)
    document = build(
        study,
        wanted,
        added(found),
        all_versions(plan.versions),
        failures[:TOLD],
        failure_warnings(failures),
    )
    return document, outcome


class Worked(NamedTuple):
    """The blocks that make up a range of replications, and what became of those that were made."""

    blocks: Mapping[Fitting, Sequence[Piece]]
    outcome: Outcome


def make(
    plan: StudyPlan,
    wanted: Range,
    store: Store,
    *,
    jobs: Optional[int] = None,
    progress: Optional[Progress] = None,
    fail_fast: bool = False,
    log: Optional[Path] = None,
    backend: Optional[Opener] = None,
    first_only: Collection[int] = (),
) -> Worked:
    """Make what the store does not hold of a range of replications.

    first_only: numbers of recipes of which the first replication is wanted and no other.
    """
    blocks, _ = stored_pieces(plan, wanted, store, first_only)
    spec = plan.study.spec
    foreign = set(foreign_learners(spec))
    agenda = Replications(
        plan.recipes,
        plan.learners,
        blocks,
        [at for at, one in enumerate(plan.learners) if one.name in foreign],
        spec.limits.get("memory_mb"),
    )
    outcome = scheduler.work(
        agenda,
        store,
        jobs=jobs or default_jobs(),
        limits=block_limits(plan),
        fail_fast=fail_fast,
        progress=progress,
        meanwhile=_get_ready,
        log=log,
        backend=backend,
    )
    return Worked(blocks, outcome)


def block_limits(plan: StudyPlan) -> Limits:
    """The limits of a spec are for one fit; a block is many, and has the time of all of them."""
    given = plan.study.spec.limits
    seconds = given.get("seconds")
    if seconds is not None:
        seconds *= max((each.block * max(each.fits, 1) for each in plan.fittings.values()))
    return Limits(seconds, given.get("memory_mb"))


def _states(
    plan: StudyPlan,
    planned: PlannedPoint,
    wanted: Range,
    blocks: Mapping[Fitting, Sequence[Piece]],
    store: Store,
    messages: dict[tuple[str, str], int],
) -> list[State]:
    """The states of a point, one stretch after the other."""
    mu0 = _mean_estimates(plan, planned, wanted, blocks, store)
    found: list[State] = []
    for stretch in stretches(wanted):
        gathered = Gathered(plan, planned, stretch, blocks, store, messages)
        found = added([*found, *evaluate(plan.study, planned, gathered, mu0)])
    return found


def stretches(wanted: Range) -> Iterator[Range]:
    first = wanted.first
    while first <= wanted.last:
        last = min(wanted.last, ((first - 1) // STRETCH + 1) * STRETCH)
        yield Range(first, last)
        first = last + 1


def _mean_estimates(
    plan: StudyPlan,
    planned: PlannedPoint,
    wanted: Range,
    blocks: Mapping[Fitting, Sequence[Piece]],
    store: Store,
) -> dict[tuple[str, Pair], float]:
    """The mean of the estimate of each test whose hypothesis is that, by test and pair."""
    found: dict[tuple[str, Pair], float] = {}
    for use in planned.uses:
        if use.request.options.get("mu0") != MU0_TRUTH:
            continue
        for pair in pairs_of(planned):
            every = [
                learned(
                    plan.study,
                    planned,
                    Gathered(plan, planned, stretch, blocks, store, {}),
                    use,
                    pair,
                )
                for stretch in stretches(wanted)
            ]
            found[use.request.name, pair] = mean_estimate(every)
    return found


def told(planned: PlannedPoint, messages: Mapping[tuple[str, str], int]) -> list[JsonObject]:
    return [
        {"at": dict(planned.point.at), "learner": learner, "message": message, "count": count}
        for (learner, message), count in sorted(messages.items())
    ]


def lost(outcome: Outcome) -> list[JsonObject]:
    """Blocks that ended with their worker."""
    counts: dict[str, int] = {}
    for message in outcome.failures.values():
        counts[message] = counts.get(message, 0) + 1
    return [
        {"at": {}, "learner": None, "message": message, "count": count}
        for message, count in sorted(counts.items())
    ]


def failure_warnings(failures: Sequence[JsonObject]) -> list[str]:
    if not failures:
        return []
    count = sum(row["count"] for row in failures)
    return [
        f"{count} fit{'s' * (count != 1)} failed; the replications that need them are counted as"
        " failed, and rates are shares of the others"
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
