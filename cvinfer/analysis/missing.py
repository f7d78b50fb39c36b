"""What became of records with missing values where learners deal with them themselves."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

import numpy as np

from cvinfer.planning import RunPlan


def missing_rows(
    plan: RunPlan, na_actions: Mapping[str, Optional[str]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Entries for the result document, one for each learner with an `na_action`, and as sentences.

    `na_actions` by learner; None for learners that are given no missing values. With omit the
    training records that have one are left out of each fit; test records never are.
    """
    dataset = plan.dataset
    holes = np.zeros(dataset.n, dtype=bool)
    for column in dataset.features:
        holes |= column.missing
    if dataset.impute or not holes.any():
        return [], []
    entries = [
        _entry(plan, learner, action, holes)
        for learner, action in na_actions.items()
        if action is not None
    ]
    return entries, [_sentence(entry) for entry in entries]


def _entry(plan: RunPlan, learner: str, action: str, holes: Any) -> dict[str, Any]:
    splits = [
        plan.partitions[fit.partition].splits[fit.number]
        for fit in plan.fits
        if fit.learner == learner
    ]
    counts = [int(holes[split.train].sum()) for split in splits]
    dropped = counts if action == "omit" else [0] * len(counts)
    return {
        "data": plan.dataset.name,
        "learner": learner,
        "na_action": action,
        "records": int(holes.sum()),
        "in_training": _range(counts),
        "dropped": _range(dropped),
    }


def _range(counts: Sequence[int]) -> dict[str, int]:
    return {"least": min(counts, default=0), "most": max(counts, default=0), "total": sum(counts)}


def _sentence(entry: Mapping[str, Any]) -> str:
    least, most = entry["in_training"]["least"], entry["in_training"]["most"]
    count = str(most) if least == most else f"{least} to {most}"
    fate = "left out of" if entry["na_action"] == "omit" else "passed on in"
    return (
        f"{entry['learner']}: na_action {entry['na_action']}: {count} training records with missing"
        f" values are {fate} each fit on {entry['data']} ({entry['records']} of its records have"
        " some)"
    )
