"""How many fits there are: what is shared, and what is stored already."""

from __future__ import annotations

from typing import Any, Collection, Iterable, Optional, Protocol, Sequence

from cvinfer.documents import JsonObject
from cvinfer.planning.fits import RunPlan


class Known(Protocol):
    """A store of fits, as far as the planner asks it."""

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of the keys are stored."""


COUNTS = ("naive", "distinct", "stored")


def plan_summary(plans: Sequence[Optional[RunPlan]], store: Optional[Known] = None) -> JsonObject:
    """How many fits there are: naive (every test by itself), distinct, and stored already.

    `learners` has a row per data set and learner, `tests` one per data set, learner and test or
    interval. There `distinct` counts the fits that no row above it has, so that the columns add
    up; `stored` counts those of them that need not be made.
    """
    planned = [plan for plan in plans if plan is not None]
    every = {fit.key for plan in planned for fit in plan.fits}
    stored = store.known(every) if store is not None else set()
    tests: list[dict[str, Any]] = []
    learners: list[dict[str, Any]] = []
    seen: set[str] = set()
    for plan in planned:
        for learner in dict.fromkeys(learner for learner, _ in plan.needed):
            rows = _rows(plan, learner, stored, seen)
            tests += rows
            counts = {each: sum(row[each] for row in rows) for each in COUNTS}
            learners.append({"data": plan.dataset.name, "learner": learner, **counts})
    return {
        "fits": {
            "naive": sum(plan.naive for plan in planned),
            "distinct": len(every),
            "stored": len(stored),
        },
        "learners": learners,
        "tests": tests,
        "partitions": [
            {"data": plan.dataset.name, "scheme": one.scheme, "label": one.label}
            for plan in planned
            for one in plan.partitions
        ],
    }


def _rows(
    plan: RunPlan, learner: str, stored: Collection[str], seen: set[str]
) -> list[dict[str, Any]]:
    """A row per test and interval; `seen` has the fits of the rows before, and gets these too."""
    keys = plan.fit_keys()
    rows = []
    for kind, uses in (("test", plan.uses), ("interval", plan.interval_uses)):
        for use in uses:
            if any((learner, index) not in plan.needed for index in use.partitions):
                continue
            wanted = {keys[learner, split] for i in use.partitions for split in plan.split_keys[i]}
            new = wanted - seen
            seen |= wanted
            rows.append(
                {
                    "data": plan.dataset.name,
                    "learner": learner,
                    kind: use.request.name,
                    "partitions": [plan.partitions[i].label for i in use.partitions],
                    "naive": use.naive,
                    "distinct": len(new),
                    "stored": len(new.intersection(stored)),
                }
            )
    return rows
