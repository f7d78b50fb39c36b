"""What a result warns of: unused learners, leaks, warnings of learners, missing values."""

from __future__ import annotations

from typing import Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.planning import RunPlan
from cvinfer.runner.found import Found
from cvinfer.spec.model import Spec

#: At most this many different warnings of one learner are told.
TOLD = 3


def unused_learners(spec: Spec) -> list[str]:
    """The learners that are in no comparison, where intervals do not ask for all of them."""
    compared = {name for pair in spec.pairs for name in pair}
    unused = [name for name in spec.learners if name not in compared]
    if spec.intervals:
        return []
    return [
        f"{name} is not used: it is in no comparison, and there are no intervals" for name in unused
    ]


def leak_warnings(plans: Sequence[Optional[RunPlan]]) -> list[str]:
    """What is noticed of leaks in the data and its splits, with the name of the data set."""
    from cvinfer.data.leaks import run_notes

    return [
        f"{plan.dataset.name}: {note}"
        for plan in plans
        if plan is not None
        for note in run_notes(plan.dataset, plan.partitions)
    ]


def learner_warnings(found: Sequence[Found]) -> list[str]:
    """What the learners warned of, each text once per learner, with how often it came."""
    fits: dict[str, list[Sequence[str]]] = {}
    for each in found:
        for learner, said in each.said.items():
            fits.setdefault(learner, []).extend(said)
    told = []
    for learner, every in fits.items():
        counts: dict[str, int] = {}
        for said in every:
            for text in dict.fromkeys(said):
                counts[text] = counts.get(text, 0) + 1
        for text in list(counts)[:TOLD]:
            told.append(f"{learner}: {text} (in {counts[text]} of {len(every)} fits)")
        if len(counts) > TOLD:
            told.append(f"{learner}: {len(counts) - TOLD} more warnings like these")
    return told


def missing_told(
    spec: Spec, plans: Sequence[Optional[RunPlan]]
) -> tuple[list[JsonObject], list[str]]:
    """What became of records with missing values, where learners deal with them; also in words."""
    from cvinfer.engines import engine
    from cvinfer.analysis.missing import missing_rows

    actions = {name: engine(one.engine).na_action(one) for name, one in spec.learners.items()}
    told = [missing_rows(plan, actions) for plan in plans if plan is not None]
    return [entry for each, _ in told for entry in each], [
        text for _, each in told for text in each
    ]
