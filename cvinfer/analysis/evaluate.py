"""From predictions to inferences and intervals on one data set.

A failed fit is never imputed: tests and intervals that need it say so instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer import inference
from cvinfer.data.dataset import DataLike
from cvinfer.errors import UserError
from cvinfer.inference import ANY_MEASURE, InputError, Interval, UnknownNameError, infer, procedure
from cvinfer.analysis.document import ComparisonRun, DataRun, IntervalRun, SplitFailure, data_facts
from cvinfer.analysis.remedies import tested_everywhere
from cvinfer.inference.takes import CLASSES, COUNTS, takes
from cvinfer.losses import CODES, LOWER, Loss, NoValue
from cvinfer.losses.kinds import has
from cvinfer.partitions import Partition
from cvinfer.planning import Use
from cvinfer.spec.model import MeasureRequest, Spec

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


class Valued(NamedTuple):
    """What learners are worth by one measure.

    losses: per (learner, partition index) one array per split: the losses of its test records, or
    the one value of the split; None where the fit failed or there is no value. gaps: why there is
    none where the fit did not fail.
    """

    declared: Loss
    bounds: tuple[float, float]
    losses: Mapping[tuple[str, int], list[Optional[NDArray[np.float64]]]]
    gaps: Mapping[tuple[str, int, int], str]


def evaluate(
    spec: Spec,
    dataset: DataLike,
    predicted: Predicted,
    uses: Sequence[Use],
    interval_uses: Sequence[Use],
    pairs: Sequence[tuple[str, str]],
) -> DataRun:
    """Every comparison and interval of a spec on one data set."""
    positive = _positive(spec, dataset, predicted)
    every = [_valued(request, predicted, positive) for request in spec.measures]
    comparisons = [
        _comparison(spec, predicted, valued, use, a, b)
        for valued in every
        for use in uses
        if use.request.by(valued.declared.name)
        for a, b in pairs
    ]
    learners = dict.fromkeys(name for name, _ in predicted.codes)
    intervals = [
        run
        for use in interval_uses
        for valued in _by(use, every)
        for learner in learners
        for run in _intervals(spec, predicted, valued, use, learner, positive)
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
        losses=every[0].losses,
        comparisons=tuple(comparisons),
        intervals=tuple(intervals),
        failures=tuple(failures),
        measure=every[0].declared.name,
        others={each.declared.name: each.losses for each in every[1:]},
    )


def _valued(request: MeasureRequest, predicted: Predicted, positive: Optional[int]) -> Valued:
    """One measure of all that was predicted."""
    declared = request.declared
    ready = declared.on(predicted.classes, positive, request.options)
    losses: dict[tuple[str, int], list[Optional[NDArray[np.float64]]]] = {}
    gaps: dict[tuple[str, int, int], str] = {}
    for (learner, index), codes in predicted.codes.items():
        partition = predicted.partitions[index]
        given: Sequence[Any] = codes
        if declared.takes != CODES:
            serves = has(predicted.beside_kinds.get(learner), declared.takes)
            given = predicted.beside.get((learner, index), ()) if serves else ()
            given = given or [None] * len(codes)
        column = losses[learner, index] = []
        for number, (code, each, split) in enumerate(zip(codes, given, partition.splits)):
            column.append(None)
            if code is None:
                continue
            if each is None:
                gaps[learner, index, number] = f"there are no {declared.takes} of it"
                continue
            try:
                found = ready.of(predicted.truth[split.test], each)
            except NoValue as none:
                gaps[learner, index, number] = f"it {none}"
                continue
            column[-1] = np.asarray(found if declared.per_record else [found], dtype=np.float64)
    return Valued(declared, ready.bounds, losses, gaps)


def _by(use: Use, every: Sequence[Valued]) -> Sequence[Valued]:
    """The measures that an interval is made by; one that makes its own measure is made once."""
    wanted = takes(procedure(use.request.name))
    fitting = [valued for valued in every if use.request.by(valued.declared.name)]
    return fitting[:1] if wanted in (CLASSES, COUNTS) else fitting


def _comparison(
    spec: Spec,
    predicted: Predicted,
    valued: Valued,
    use: Use,
    a: str,
    b: str,
) -> ComparisonRun:
    name, options = use.request.name, use.request.options
    declared, losses, measure = valued.declared, valued.losses, valued.declared.name
    failed = use.failed or _missing(predicted, use, (a, b)) or _gaps(predicted, valued, use, (a, b))
    if failed is None:
        partitions: Any = [predicted.partitions[i] for i in use.partitions]
        loss_a: Any = [losses[a, i] for i in use.partitions]
        loss_b: Any = [losses[b, i] for i in use.partitions]
        if len(partitions) == 1:
            partitions, loss_a, loss_b = partitions[0], loss_a[0], loss_b[0]
        try:
            given: dict[str, Any] = {"alpha": spec.alpha, **options}
            if declared.per_record and declared.better == LOWER:
                given = {"bounds": valued.bounds, **given}
                found = inference.compare_losses(name, partitions, loss_a, loss_b, **given)
            else:
                means_a, means_b = _means(loss_a), _means(loss_b)
                given = {"better": declared.better, **given}
                found = inference.compare_values(name, partitions, means_a, means_b, **given)
            return ComparisonRun(
                a, b, name, options, use.partitions, inference=found, measure=measure
            )
        except (InputError, UnknownNameError) as error:
            failed = str(error)
    return ComparisonRun(a, b, name, options, use.partitions, failed=failed, measure=measure)


def _means(losses: Any) -> Any:
    """The value of each split; of each partition where there are several."""
    inside = losses and isinstance(losses[0], list)
    return [_means(each) if inside else float(np.mean(each)) for each in losses]


def _gaps(predicted: Predicted, valued: Valued, use: Use, learners: Sequence[str]) -> Optional[str]:
    """On which splits a measure does not exist, in words; None if it is on all."""
    gone = [
        f"there is no {valued.declared.unit} of {learner} on split {split + 1} of"
        f" {predicted.partitions[at].label}: {message}"
        for (learner, at, split), message in valued.gaps.items()
        if learner in learners and at in use.partitions
    ]
    return _some(gone)


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
    return _some(gone)


def _some(gone: Sequence[str]) -> Optional[str]:
    """The first few of these, and how many more; None where there are none."""
    if not gone:
        return None
    more = f" (and {len(gone) - NAMED} more)" if len(gone) > NAMED else ""
    return "; ".join(gone[:NAMED]) + more


def _intervals(
    spec: Spec,
    predicted: Predicted,
    valued: Valued,
    use: Use,
    learner: str,
    positive: Optional[int],
) -> list[IntervalRun]:
    name, options = use.request.name, dict(use.request.options)
    about = IntervalRun(learner, name, use.request.options, use.partitions)
    losses = valued.losses
    if procedure(name).measure == ANY_MEASURE:
        about = replace(about, measure=valued.declared.unit)
    failed = use.failed or _missing(predicted, use, (learner,))
    if takes(procedure(name)) != CLASSES:
        failed = failed or _gaps(predicted, valued, use, (learner,))
    if failed is not None:
        return [replace(about, failed=failed)]
    index = use.partitions[0]
    kind = procedure(name).data
    partition = predicted.partitions[index]
    options = {"alpha": spec.alpha, **options}
    if procedure(name).measure == ANY_MEASURE:
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
