"""What was predicted on one data set, and what came of it: from the store, or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.analysis.document import DataRun
from cvinfer.analysis.evaluate import Codes, Predicted, evaluate
from cvinfer.analysis.remedies import lacking_in_training
from cvinfer.data import PredictionSet
from cvinfer.data.dataset import DataLike
from cvinfer.execute.store import Store, Stored
from cvinfer.execute.work import Outcome
from cvinfer.losses.kinds import CODES, PROBABILITIES, SCORES
from cvinfer.planning import RunPlan, allocate
from cvinfer.spec.model import Spec


@dataclass(frozen=True)
class Found:
    """One data set after its fits; `said` has the warnings of each learner's fits."""

    run: DataRun
    predicted: Predicted
    said: Mapping[str, Sequence[Sequence[str]]]


def found_on(
    spec: Spec, dataset: DataLike, plan: Optional[RunPlan], store: Store, outcome: Outcome
) -> Found:
    """What is known of a data set when its fits are made; without a plan it brought predictions."""
    if plan is None:
        assert isinstance(dataset, PredictionSet)
        return _elsewhere(spec, dataset)
    keys = [fit.key for fit in plan.fits if fit.key not in outcome.failures]
    stored = store.get_many(keys, beside=bool(plan.wants))
    predicted = _predicted(plan, stored, outcome)
    said: dict[str, list[Sequence[str]]] = {}
    for fit in plan.fits:
        if fit.key in stored:
            told = stored[fit.key].warnings
            if plan.wanted(fit.learner) != CODES:
                told = tuple(dict.fromkeys((*told, *stored[fit.key].beside_warnings)))
            said.setdefault(fit.learner, []).append(told)
    run = evaluate(spec, dataset, predicted, plan.uses, plan.interval_uses, spec.of_two)
    return Found(run, predicted, said)


def _predicted(plan: RunPlan, stored: Mapping[str, Stored], outcome: Outcome) -> Predicted:
    keys, dataset = plan.fit_keys(), plan.dataset
    codes: dict[tuple[str, int], list[Optional[Codes]]] = {}
    failures: dict[tuple[str, int, int], str] = {}
    told: dict[str, str] = {}
    repeated: set[tuple[str, int, int]] = set()
    beside: dict[tuple[str, int], list[Optional[NDArray[np.float64]]]] = {}
    kinds: dict[str, str] = {}
    for learner, index in plan.needed:
        column: list[Optional[Codes]] = []
        for number, split in enumerate(plan.split_keys[index]):
            key = keys[learner, split]
            if key not in stored:
                if key in told:
                    repeated.add((learner, index, number))
                else:
                    told[key] = _told(plan, index, number, outcome.failures[key])
                failures[learner, index, number] = told[key]
                column.append(None)
                continue
            column.append(stored[key].codes)
        codes[learner, index] = column
        if plan.wanted(learner) != CODES:
            found = [stored.get(keys[learner, split]) for split in plan.split_keys[index]]
            beside[learner, index] = [None if one is None else one.beside for one in found]
            here = {one.beside_kind for one in found if one is not None}
            kinds[learner] = SCORES if SCORES in here else kinds.get(learner, PROBABILITIES)
    once = frozenset(repeated)
    classes = dataset.classes
    return Predicted(dataset.target, classes, plan.partitions, codes, failures, once, beside, kinds)


def _told(plan: RunPlan, index: int, split: int, message: str) -> str:
    """Why a fit failed, and what would have helped where that is a stratified partition."""
    dataset = plan.dataset
    lacks = lacking_in_training(plan.partitions[index], split, dataset.target, dataset.classes)
    return f"{message} ({lacks})" if lacks else message


def _elsewhere(spec: Spec, found: PredictionSet) -> Found:
    """Predictions made elsewhere: the partitions are those of the file, and nothing is fitted."""
    partitions, uses, interval_uses = allocate(spec, found, list(found.partitions), fixed=True)
    failures = {
        (learner, partition, number): "the file has no predictions of it there"
        for (learner, partition), column in found.predictions.items()
        for number, codes in enumerate(column)
        if codes is None
    }
    predicted = Predicted(
        found.truth,
        found.classes,
        tuple(partitions),
        dict(found.predictions),
        failures,
        beside=dict(found.beside),
        beside_kinds=dict(found.beside_kinds),
    )
    names = list(found.learners)
    pairs = spec.of_two or tuple((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    return Found(evaluate(spec, found, predicted, uses, interval_uses, pairs), predicted, {})
