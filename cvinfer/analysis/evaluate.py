"""From predictions to inferences and intervals on one data set.

A failed fit is never imputed: tests and intervals that need it say so instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer import inference
from cvinfer.data.dataset import DataLike
from cvinfer.errors import UserError
from cvinfer.inference import ANY_MEASURE, InputError, Interval, UnknownNameError, infer, procedure
from cvinfer.analysis.document import ComparisonRun, DataRun, IntervalRun, SplitFailure, data_facts
from cvinfer.analysis.remedies import tested_everywhere
from cvinfer.losses import Loss, loss
from cvinfer.partitions import Partition
from cvinfer.planning import Use
from cvinfer.spec.model import Spec

Codes = NDArray[np.int32]

#: At most this many failed splits are named in the message of a test.
NAMED = 3


@dataclass(frozen=True)
class Predicted:
    """Predictions of all learners on the partitions of one data set.

    codes: per (learner, partition index) one array per split, None where the fit failed.
    failures: the message of each failed (learner, partition index, split).
    repeated: those of them that are the same fit as one before, on a split that partitions share.
    beside: as codes, of the learners of which more was wanted: a row for each test record and a
    column for each class. beside_kinds: for each of these learners PROBABILITIES, or SCORES where
    one of its fits gave no more.
    """

    truth: Codes
    classes: tuple[str, ...]
    partitions: tuple[Partition, ...]
    codes: Mapping[tuple[str, int], Sequence[Optional[Codes]]]
    failures: Mapping[tuple[str, int, int], str]
    repeated: frozenset[tuple[str, int, int]] = frozenset()
    beside: Mapping[tuple[str, int], Sequence[Optional[NDArray[np.float64]]]] = field(
        default_factory=dict
    )
    beside_kinds: Mapping[str, str] = field(default_factory=dict)


def evaluate(
    spec: Spec,
    dataset: DataLike,
    predicted: Predicted,
    uses: Sequence[Use],
    interval_uses: Sequence[Use],
    pairs: Sequence[tuple[str, str]],
) -> DataRun:
    """Every comparison and interval of a spec on one data set."""
    declared = loss(spec.loss)
    losses = {key: _losses(declared, predicted, key) for key in predicted.codes}
    settings = {"alpha": spec.alpha, "bounds": declared.bounds}
    comparisons = [
        _comparison(settings, predicted, losses, use, a, b) for use in uses for a, b in pairs
    ]
    learners = dict.fromkeys(name for name, _ in predicted.codes)
    positive = _positive(spec, dataset, predicted)
    intervals = [
        run
        for use in interval_uses
        for learner in learners
        for run in _intervals(spec, predicted, losses, use, learner, positive)
    ]
    failures = [
        SplitFailure(*key, message)
        for key, message in predicted.failures.items()
        if key not in predicted.repeated
    ]
    return DataRun(
        data=data_facts(dataset),
        partitions=predicted.partitions,
        labels=tuple(partition.label for partition in predicted.partitions),
        losses=losses,
        comparisons=tuple(comparisons),
        intervals=tuple(intervals),
        failures=tuple(failures),
    )


def _losses(
    declared: Loss, predicted: Predicted, key: tuple[str, int]
) -> list[Optional[NDArray[np.float64]]]:
    partition = predicted.partitions[key[1]]
    return [
        None if codes is None else declared.of(predicted.truth[split.test], codes)
        for codes, split in zip(predicted.codes[key], partition.splits)
    ]


def _comparison(
    settings: Mapping[str, Any],
    predicted: Predicted,
    losses: Mapping[tuple[str, int], list[Optional[NDArray[np.float64]]]],
    use: Use,
    a: str,
    b: str,
) -> ComparisonRun:
    name, options = use.request.name, use.request.options
    failed = use.failed or _missing(predicted, use, (a, b))
    if failed is None:
        partitions: Any = [predicted.partitions[i] for i in use.partitions]
        loss_a: Any = [losses[a, i] for i in use.partitions]
        loss_b: Any = [losses[b, i] for i in use.partitions]
        if len(partitions) == 1:
            partitions, loss_a, loss_b = partitions[0], loss_a[0], loss_b[0]
        try:
            given: dict[str, Any] = {**settings, **options}
            found = inference.compare_losses(name, partitions, loss_a, loss_b, **given)
            return ComparisonRun(a, b, name, options, use.partitions, inference=found)
        except (InputError, UnknownNameError) as error:
            failed = str(error)
    return ComparisonRun(a, b, name, options, use.partitions, failed=failed)


def _missing(predicted: Predicted, use: Use, learners: Sequence[str]) -> Optional[str]:
    """Which splits a test or interval cannot have, in words; None if it has all."""
    absent = [
        f"there are no predictions of {learner} on {predicted.partitions[index].label}"
        for learner in learners
        for index in use.partitions
        if (learner, index) not in predicted.codes
    ]
    gone = absent + [
        f"{learner} failed on split {split + 1} of {predicted.partitions[at].label}: {message}"
        for (learner, at, split), message in predicted.failures.items()
        if learner in learners and at in use.partitions
    ]
    if not gone:
        return None
    more = f" (and {len(gone) - NAMED} more)" if len(gone) > NAMED else ""
    return "; ".join(gone[:NAMED]) + more


def _intervals(
    spec: Spec,
    predicted: Predicted,
    losses: Mapping[tuple[str, int], list[Optional[NDArray[np.float64]]]],
    use: Use,
    learner: str,
    positive: Optional[int],
) -> list[IntervalRun]:
    name, options = use.request.name, dict(use.request.options)
    about = IntervalRun(learner, name, use.request.options, use.partitions)
    failed = use.failed or _missing(predicted, use, (learner,))
    if failed is not None:
        return [replace(about, failed=failed)]
    index = use.partitions[0]
    kind = procedure(name).data
    partition = predicted.partitions[index]
    options = {"alpha": spec.alpha, **options}
    if procedure(name).measure == ANY_MEASURE:
        about = replace(about, measure=loss(spec.loss).unit)
        values: list[Any] = [losses[learner, at] for at in use.partitions]
        partitions = [predicted.partitions[at] for at in use.partitions]
        try:
            made = inference.value_arguments(procedure(name), partitions, values)
        except InputError as error:
            return [replace(about, failed=str(error))]
        return [_interval(about, None, made, options)]
    if kind in ("fold_errors", "total_errors"):
        errors = np.array([each.sum() for each in losses[learner, index] if each is not None])
        sizes = partition.sizes.reshape(-1, 2)[:, 1]
        data = (errors, sizes) if kind == "fold_errors" else (errors.sum(), sizes.sum())
        return [_interval(about, None, data, options)]
    confusions = inference.code_confusions(
        predicted.truth, predicted.codes[learner, index], partition, len(predicted.classes)
    )
    if kind == "scores":
        scores = _scores(predicted.classes, positive, confusions)
        absent = _absent(predicted, positive, confusions, partition)
        if absent is not None:
            return [replace(about, averaging=word, failed=absent) for word, _ in scores]
        return [_interval(about, word, (score,), options) for word, score in scores]
    return [
        _interval(about, word, (matrices,), {**options, "scheme": partition.scheme, "micro": micro})
        for word, matrices, micro in _averaged(predicted.classes, positive, confusions)
    ]


def _interval(
    about: IntervalRun, averaging: Optional[str], data: tuple[Any, ...], options: dict[str, Any]
) -> IntervalRun:
    try:
        result: Interval = infer(about.interval, *data, **options)
    except InputError as error:
        return replace(about, averaging=averaging, failed=str(error))
    return replace(about, averaging=averaging, result=result)


def _averaged(
    classes: Sequence[str], positive: Optional[int], confusions: NDArray[np.float64]
) -> list[tuple[str, NDArray[np.float64], bool]]:
    """Whose confusion matrices: the positive class, or each class and the micro average."""
    if positive is not None:
        return [(f"class {classes[positive]!r}", confusions[positive], False)]
    each = [(f"class {c!r}", confusions[i], False) for i, c in enumerate(classes)]
    return [*each, ("micro", confusions.sum(axis=0), True)]


def _scores(
    classes: Sequence[str], positive: Optional[int], confusions: NDArray[np.float64]
) -> list[tuple[str, Any]]:
    """F1 of each split: of the positive class, or the macro average over classes."""
    if positive is not None:
        return [(f"class {classes[positive]!r}", inference.f1_scores(confusions[positive]))]
    return [("macro", inference.macro_f1(confusions))]


def _absent(
    predicted: Predicted,
    positive: Optional[int],
    confusions: NDArray[np.float64],
    partition: Partition,
) -> Optional[str]:
    """Where a class that scores are wanted of neither is nor is predicted; None if nowhere."""
    wanted = range(len(predicted.classes)) if positive is None else [positive]
    nothing = confusions[..., :3].sum(axis=-1).reshape(len(confusions), -1) == 0
    for code in wanted:
        splits = np.flatnonzero(nothing[code])
        if splits.size:
            more = f" (nor have {splits.size - 1} more)" if splits.size > 1 else ""
            remedy = tested_everywhere(partition, predicted.truth, code)
            return (
                f"split {splits[0] + 1} of {partition.label} has no record of class"
                f" {predicted.classes[code]!r} and no prediction of it{more}, so that there is no"
                f" F1{'; ' * bool(remedy)}{remedy}"
            )
    return None


def _positive(spec: Spec, dataset: DataLike, predicted: Predicted) -> Optional[int]:
    """The code of the positive class: the data set's own, else the spec's; None without one."""
    own = dataset.source.get("positive")
    label = spec.positive if own is None else str(own)
    if label is None:
        return None
    if label not in predicted.classes:
        known = ", ".join(map(repr, predicted.classes[:10]))
        raise UserError(f"there is no class {label!r}; the classes are {known}", path=("positive",))
    return predicted.classes.index(label)
