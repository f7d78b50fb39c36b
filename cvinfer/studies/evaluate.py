"""Tests, intervals and variances on a stretch of replications at once, added up in states."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer import inference
from cvinfer.documents import JsonObject
from cvinfer.inference import ANY_MEASURE, InputError, Procedure, infer, procedure
from cvinfer.inference.takes import LOSSES, takes
from cvinfer.inference.tables import Batch, Values, arguments, arguments_of_values, mean_losses
from cvinfer.planning import Use
from cvinfer.spec.model import MeasureRequest
from cvinfer.studies.gather import Gathered
from cvinfer.studies.model import MU0_TRUTH, Study
from cvinfer.studies.plan import OF_ERRORS, OUTCOMES, PlannedPoint, Splits, learners_used
from cvinfer.studies.states import (
    HALF,
    WIDTH,
    BINS,
    ComponentsState,
    IntervalState,
    MeanState,
    State,
    TestState,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Pair = tuple[str, Optional[str]]

#: The words of a measure of `cvinfer.inference` that an interval is for: from a confusion matrix.
ERROR_RATE = "error rate"


class Learned(NamedTuple):
    """What a test found in each decision, replications × partitions; NaN where there is nothing.

    `critical` is the value that the statistic must exceed, its negative where |statistic| must.
    `tested` is the numerator of the statistic, whose variance the test estimates: for a test that
    picks one of its differences, or adds them up, that is not the estimate.
    """

    reject: Bools
    tie: Bools
    degenerate: Bools
    failed: Bools
    statistic: Floats
    estimate: Floats
    variance: Floats
    loss_a: Floats
    loss_b: Floats
    lower: Floats
    upper: Floats
    critical: Floats
    tested: Floats


#: Contingency tables (R, P, S, 4), which splits failed, training sizes (R, P, S).
Parts = tuple[Any, Bools, Any]


class Stacked(NamedTuple):
    """Which decisions lack a fit; the others with their tables, those together that are alike."""

    failed: Bools
    alike: Iterator[tuple[NDArray[np.int64], list[Batch]]]


def evaluate(
    study: Study,
    planned: PlannedPoint,
    gathered: Gathered,
    mu0: Mapping[tuple[str, Pair], float],
) -> Iterator[State]:
    """The states of one point over one stretch of replications.

    `mu0`: the mean estimate of tests whose hypothesis is that, by test and pair.
    """
    for measure in planned.point.spec.measures:
        for pair in pairs_of(planned):
            for use in planned.uses:
                if not use.request.by(measure.name):
                    continue
                if measure.declared.percent:
                    given = mu0.get((use.request.name, pair))
                    found = learned(study, planned, gathered, use, pair, given)
                else:
                    found = learned_by(study, planned, gathered, use, pair, measure)
                yield from _test_states(study, planned, gathered, use, pair, found, measure)
    yield from _interval_states(planned, gathered)
    yield from _truth_states(planned, gathered)
    if study.variances:
        yield from _component_states(planned, gathered)


def pairs_of(planned: PlannedPoint) -> Sequence[Pair]:
    if not planned.point.spec.learners:
        return (("A", "B"),)
    return planned.point.spec.pairs


# --- tests ----------------------------------------------------------------------------------------


def learned(
    study: Study,
    planned: PlannedPoint,
    gathered: Gathered,
    use: Use,
    pair: Pair,
    mu0: Optional[float] = None,
) -> Learned:
    """One test on all decisions of a stretch."""
    declared = procedure(use.request.name)
    options: dict[str, Any] = {"alpha": planned.point.spec.alpha, **use.request.options}
    if options.get("mu0") == MU0_TRUTH:
        options["mu0"] = 0.0 if mu0 is None else mu0
    used = [planned.splits[at] for at in use.partitions]
    parts = [_tables(gathered, planned, pair, one) for one in used]
    alike = all(_sizes_alike(gathered, planned, pair, one) for one in used)
    stack = stacked(used, parts, alike)
    found = _nothing(len(stack.failed))
    for rows, batches in stack.alike:
        try:
            _fill(found, rows, declared, batches, options, planned.point.truth is not None)
        except InputError:
            stack.failed[rows] = True
    found.failed[:] = stack.failed
    tie = found.degenerate & np.isinf(found.statistic)
    found.tie[:] = tie
    if study.ties == "rejected" or (study.ties == "papers" and _two_fold(used)):
        found.reject[:] |= tie
    return found


def learned_by(
    study: Study,
    planned: PlannedPoint,
    gathered: Gathered,
    use: Use,
    pair: Pair,
    measure: MeasureRequest,
) -> Learned:
    """One test by a measure that splits have, on all decisions of a stretch.

    A decision with a split that has no value of it counts as failed: it would have no result.
    """
    a, b = pair
    assert b is not None
    declared, sign = procedure(use.request.name), measure.declared.sign
    options: dict[str, Any] = {"alpha": planned.point.spec.alpha, **use.request.options}
    used = [planned.splits[at] for at in use.partitions]
    both = [[gathered.values(who, one, measure.name) for who in (a, b)] for one in used]
    count = int(np.prod(both[0][0][0].shape[:2]))
    failed = np.zeros(count, dtype=bool)
    for (_, gone_a, _, _), (_, gone_b, _, _) in both:
        failed |= (gone_a | gone_b).reshape(count, -1).any(axis=-1)
    sizes = [each.reshape(count, -1) for (_, _, *parts), _ in both for each in parts]
    found = _nothing(count)
    for rows in _alike(np.concatenate(sizes, axis=-1), ~failed):
        made = []
        for ((of_a, _, train, test), (of_b, _, _, _)), one in zip(both, used):
            shape = one.partition.shape
            apart = (sign * (of_a - of_b)).reshape(count, *shape)[rows]
            first = (each.reshape(count, -1)[rows[0]].reshape(shape) for each in (train, test))
            made.append(Values(apart, *first))
        try:
            result = infer(declared.name, *arguments_of_values(declared, made), **options)
        except InputError:
            failed[rows] = True
            continue
        _put(found, rows, result, options)
        if planned.point.truth is not None:
            _put_interval(found, rows, declared, result)
        for name, (values, _, _, _) in (("loss_a", both[0][0]), ("loss_b", both[0][1])):
            getattr(found, name)[rows] = values.reshape(count, -1)[rows].mean(axis=-1)
    found.failed[:] = failed
    found.tie[:] = found.degenerate & np.isinf(found.statistic)
    if study.ties == "rejected" or (study.ties == "papers" and _two_fold(used)):
        found.reject[:] |= found.tie
    return found


def stacked(used: Sequence[Splits], parts: Sequence[Parts], alike: bool = False) -> Stacked:
    """What a test is made from: the tables of each partition that it needs, decision by decision.

    `parts` are contingency tables, which splits failed, and training sizes, as `Gathered.tables`
    gives them. alike: the splits are known to have the same sizes in all decisions.
    """
    count = int(np.prod(parts[0][1].shape[:2]))
    failed = np.zeros(count, dtype=bool)
    for _, gone, _ in parts:
        failed |= gone.reshape(count, -1).any(axis=-1)
    signature = None if alike else _signature(parts, count)

    def batches(rows: NDArray[np.int64]) -> list[Batch]:
        chosen = slice(None) if len(rows) == count else rows
        return [
            Batch(
                tables.reshape(count, *one.partition.shape, 4)[chosen],
                train.reshape(count, -1)[rows[0]].reshape(one.partition.shape),
            )
            for (tables, _, train), one in zip(parts, used)
        ]

    return Stacked(failed, ((rows, batches(rows)) for rows in _alike(signature, ~failed)))


def _two_fold(used: Sequence[Splits]) -> bool:
    """Whether a test is on one two-fold cross-validation: there the papers count ties."""
    return used[0].partition.shape == (2,)


def _tables(gathered: Gathered, planned: PlannedPoint, pair: Pair, one: Splits) -> Parts:
    a, b = pair
    if not planned.point.spec.learners:
        a, b = OUTCOMES.name, None
    return gathered.tables(a, b, one)


def _sizes_alike(gathered: Gathered, planned: PlannedPoint, pair: Pair, one: Splits) -> bool:
    return gathered.alike(pair[0] if planned.point.spec.learners else OUTCOMES.name, one)


def _signature(parts: Sequence[Parts], count: int) -> NDArray[np.int64]:
    """The sizes of all splits of each decision."""
    sizes = [(train, tables.sum(axis=-1)) for tables, _, train in parts]
    rows = [np.concatenate(each, axis=-1).reshape(count, -1) for each in sizes]
    return np.concatenate(rows, axis=-1)


def _alike(signature: Optional[NDArray[np.int64]], wanted: Bools) -> Iterator[NDArray[np.int64]]:
    """The rows with splits of the same sizes; nearly always that is all of them (None)."""
    rows = np.flatnonzero(wanted)
    if not rows.size:
        return
    if signature is None or (signature[rows] == signature[rows[0]]).all():
        yield rows
        return
    _, group = np.unique(signature[rows], axis=0, return_inverse=True)
    for number in range(int(group.max()) + 1):
        yield rows[np.ravel(group) == number]


def _nothing(count: int) -> Learned:
    numbers = [np.full(count, np.nan) for _ in range(9)]
    flags = [np.zeros(count, dtype=bool) for _ in range(4)]
    return Learned(*flags, *numbers)


def _fill(
    found: Learned,
    rows: NDArray[np.int64],
    declared: Procedure,
    batches: Sequence[Batch],
    options: Mapping[str, Any],
    ends: bool,
) -> None:
    result = infer(declared.name, *arguments(declared, batches), **options)
    _put(found, rows, result, options)
    loss_a, loss_b = mean_losses(declared, batches)
    found.loss_a[rows], found.loss_b[rows] = loss_a, loss_b
    if ends:
        _put_interval(found, rows, declared, result)


def _put_interval(
    found: Learned, rows: NDArray[np.int64], declared: Procedure, result: Any
) -> None:
    """The ends of the interval of a test that has one."""
    interval = result.interval() if declared.has_interval else None
    if interval is not None:
        found.lower[rows], found.upper[rows] = interval


def _put(found: Learned, rows: NDArray[np.int64], result: Any, options: Mapping[str, Any]) -> None:
    found.reject[rows] = result.reject
    found.degenerate[rows] = result.degenerate
    found.statistic[rows] = np.nan if result.statistic is None else result.statistic
    found.estimate[rows] = result.estimate
    found.tested[rows] = _tested(result, float(options.get("mu0", 0.0)))
    found.variance[rows] = np.nan if result.variance is None else result.variance
    critical = result.null.critical(result.alpha)
    found.critical[rows] = -critical if result.null.two_sided else critical


def _tested(result: Any, mu0: float) -> Any:
    """Numerator of a t or z statistic without its mu0, t·√σ̂² + μ0; else the estimate."""
    if result.variance is None or result.statistic is None or not result.null.two_sided:
        return result.estimate
    made = np.isfinite(result.statistic) & (np.asarray(result.variance) > 0)
    with np.errstate(invalid="ignore"):
        return np.where(made, result.statistic * np.sqrt(result.variance) + mu0, result.estimate)


def _told_apart(use: Use, uses: Sequence[Use]) -> JsonObject:
    """Its options, where the same test or interval is asked for with others as well.

    Without them the two would be one thing, and their counts would be added up.
    """
    alike = [each.request.options for each in uses if each.request.name == use.request.name]
    several = any(options != use.request.options for options in alike)
    return {"options": dict(use.request.options)} if several else {}


def _test_states(
    study: Study,
    planned: PlannedPoint,
    gathered: Gathered,
    use: Use,
    pair: Pair,
    found: Learned,
    measure: MeasureRequest,
) -> Iterator[State]:
    point = planned.point
    about: JsonObject = {
        "at": dict(point.at),
        "kind": "test",
        "name": use.request.name,
        "a": pair[0],
        "b": pair[1],
        "scheme": " + ".join(planned.splits[at].partition.label for at in use.partitions),
        "settings": {
            "alpha": float(use.request.options.get("alpha", point.spec.alpha)),
            "partitions": point.partitions,
            **({"histogram": True} if study.distributions else {}),
            **({"variances": True} if study.variances else {}),
        },
        **_of_measure(planned, measure),
        **_told_apart(use, planned.uses),
    }
    state = TestState(about)
    times = point.partitions
    by_set = found.failed.reshape(-1, times)
    fine = ~found.failed
    state.count(
        replications=gathered.count,
        decisions=fine.sum(),
        rejections=(found.reject & fine).sum(),
        ties=(found.tie & fine).sum(),
        degenerate=(found.degenerate & fine).sum(),
        failed=by_set.any(axis=1).sum(),
    )
    for name in ("estimate", "loss_a", "loss_b"):
        state.add(name, getattr(found, name)[fine].tolist())
    if times > 1:
        whole = ~by_set.any(axis=1)
        rejected = found.reject.reshape(-1, times).sum(axis=1)[whole]
        state.count(**{f"k={k}": int((rejected == k).sum()) for k in np.unique(rejected)})
    if study.distributions:
        state.count(**_binned(found.statistic[fine]), **_criticals(found.critical[fine]))
    if study.variances:
        first = np.arange(0, len(fine), times)
        _add_moments(state, found, first[fine[first]], gathered, times)
    yield state
    if point.truth is not None and procedure(use.request.name).has_interval:
        yield _difference_state(planned, gathered, use, pair, found, measure)


def _of_measure(planned: PlannedPoint, measure: MeasureRequest) -> JsonObject:
    """What a cell says of its measure: nothing where wrong predictions are all that counts."""
    return {} if planned.point.spec.loss_alone else {"measure": measure.name}


def _bounds(planned: PlannedPoint, measure: MeasureRequest) -> tuple[float, float]:
    """The least and the most that a measure can be."""
    return measure.declared.on(planned.point.example.classes, options=measure.options).bounds


def _add_moments(
    state: State, found: Learned, rows: NDArray[np.int64], gathered: Gathered, times: int
) -> None:
    """What political ratios are made of, from the first partition of each data set.

    The ratio is about the number that a test divides by the root of its variance estimate.
    """
    numbers = gathered.stretch.first + rows // times
    estimate, variance = found.tested[rows], found.variance[rows]
    known = np.isfinite(variance)
    state.grouped("count", np.ones(len(rows)), numbers)
    state.grouped("estimate", estimate, numbers)
    state.grouped("estimate2", estimate**2, numbers)
    state.grouped("variances", known.astype(np.float64), numbers)
    state.grouped("var", np.where(known, variance, 0.0), numbers)


def _binned(statistic: Floats) -> dict[str, int]:
    """Histogram of a statistic; what has none is in no bin, what is infinite at an end."""
    known = statistic[~np.isnan(statistic)]
    inside = known[(known >= -HALF) & (known < HALF)]
    counts = np.bincount(np.floor((inside + HALF) / WIDTH).astype(np.int64), minlength=BINS)
    found = {f"bin={at}": int(counts[at]) for at in np.flatnonzero(counts)}
    found["bin=below"] = int((known < -HALF).sum())
    found["bin=above"] = int((known >= HALF).sum())
    return found


def _criticals(critical: Floats) -> dict[str, int]:
    """How often the test had which critical value; one of them stands for many that differ."""
    values, counts = np.unique(critical[~np.isnan(critical)], return_counts=True)
    if len(values) > 1:
        return {"critical=differs": int(counts.sum())}
    return {f"critical={value!r}": int(count) for value, count in zip(values.tolist(), counts)}


# --- truth ----------------------------------------------------------------------------------------


def _difference_state(
    planned: PlannedPoint,
    gathered: Gathered,
    use: Use,
    pair: Pair,
    found: Learned,
    measure: MeasureRequest,
) -> State:
    """A test's interval for the difference, against the true difference of its replication."""
    truth = _true_difference(gathered, pair, measure)
    least, most = _bounds(planned, measure)
    times = planned.point.partitions
    about: JsonObject = {
        "at": dict(planned.point.at),
        "kind": "interval",
        "name": use.request.name,
        "a": pair[0],
        "b": pair[1],
        "averaging": None,
        "settings": {"level": 1.0 - planned.point.spec.alpha},
        **_of_measure(planned, measure),
        **_told_apart(use, planned.uses),
    }
    # One interval a data set: the first partition's.
    rows = slice(0, None, times)
    lower, upper = found.lower[rows], found.upper[rows]
    return _covering(
        about,
        lower,
        upper,
        truth,
        found.degenerate[rows],
        found.failed[rows],
        (least - most, most - least),
    )


def _true_difference(gathered: Gathered, pair: Pair, measure: MeasureRequest) -> Floats:
    """Positive where A is worse."""
    a, b = pair
    first = gathered.true_values(a, measure.name)
    if b is None:
        return first
    return np.asarray(measure.declared.sign * (first - gathered.true_values(b, measure.name)))


def _covering(
    about: JsonObject,
    lower: Floats,
    upper: Floats,
    truth: Floats,
    degenerate: Bools,
    failed: Bools,
    bounds: tuple[float, float],
) -> IntervalState:
    state = IntervalState(about)
    made = ~failed & np.isfinite(lower) & np.isfinite(upper) & np.isfinite(truth)
    low, high, true = lower[made], upper[made], truth[made]
    length = high - low
    state.count(
        replications=len(made),
        failed=(~made).sum(),
        covered=((low <= true) & (true <= high)).sum(),
        outside=((low < bounds[0]) | (high > bounds[1])).sum(),
        degenerate=(degenerate & made).sum(),
    )
    state.add("length", length.tolist())
    state.add("length2", (length**2).tolist())
    state.add("truth", true.tolist())
    return state


def _truth_states(planned: PlannedPoint, gathered: Gathered) -> Iterator[State]:
    """True errors and differences, averaged."""
    if planned.point.truth is None:
        return
    at = dict(planned.point.at)
    spec = planned.point.spec
    others = [each for each in spec.measures if not each.declared.percent]
    for learner in used_learners(planned):
        about: JsonObject = {"at": at, "kind": "quantity", "name": "true_loss", "of": "loss"}
        yield _mean({**about, "learner": learner}, gathered.truths(learner).errors)
        for measure in others:
            about = {"at": at, "kind": "quantity", "name": "true_value", "of": measure.name}
            about = {**about, "learner": learner, "measure": measure.name}
            yield _mean(about, gathered.true_values(learner, measure.name))
    for a, b in pairs_of(planned):
        for measure in spec.measures if b is not None else ():
            about = {"at": at, "kind": "quantity", "name": "true_difference", "of": "difference"}
            if not measure.declared.percent:
                about = {**about, "of": measure.name, "measure": measure.name}
            true = _true_difference(gathered, (a, b), measure)
            yield _mean({**about, "a": a, "b": b}, true)


def used_learners(planned: PlannedPoint) -> list[str]:
    return [name for name in learners_used(planned) if name != OUTCOMES.name]


def _mean(about: JsonObject, values: Floats) -> MeanState:
    state = MeanState({**about, "settings": {}})
    known = values[np.isfinite(values)]
    state.count(replications=len(values), made=len(known))
    state.add("value", known.tolist())
    state.add("value2", (known**2).tolist())
    return state


# --- intervals of one learner ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """Whose interval: its data, each with an axis of replications, and the truth of each.

    measure: of an interval for any measure; bounds: the least and the most it can be.
    """

    word: Optional[str]
    data: tuple[NDArray[Any], ...]
    truth: Floats
    options: JsonObject
    measure: Optional[MeasureRequest] = None
    bounds: tuple[float, float] = (0.0, 1.0)


def _interval_states(planned: PlannedPoint, gathered: Gathered) -> Iterator[State]:
    spec = planned.point.spec
    for use in planned.interval_uses:
        for learner in planned.learners:
            places = [planned.splits[at] for at in use.partitions]
            declared = procedure(use.request.name)
            if declared.measure == ANY_MEASURE:
                wanted = [each for each in spec.measures if use.request.by(each.name)]
                made = [_of_values(gathered, declared, learner, places, each) for each in wanted]
            else:
                made = [_asked(planned, gathered, declared, learner, places[0])]
            for failed, each in ((failed, each) for failed, asked in made for each in asked):
                about: JsonObject = {
                    "at": dict(planned.point.at),
                    "kind": "interval",
                    "name": use.request.name,
                    "learner": learner,
                    "averaging": each.word,
                    "settings": {"level": 1.0 - spec.alpha},
                    **({} if each.measure is None else _of_measure(planned, each.measure)),
                    **_told_apart(use, planned.interval_uses),
                }
                options = {"alpha": spec.alpha, **each.options, **use.request.options}
                yield _one_interval(about, declared, each, options, failed)


def _one_interval(
    about: JsonObject, declared: Procedure, asked: _Asked, options: JsonObject, failed: Bools
) -> State:
    count = len(failed)
    lower, upper = np.full(count, np.nan), np.full(count, np.nan)
    degenerate = np.zeros(count, dtype=bool)
    rows = np.flatnonzero(~failed)
    if rows.size:
        data = [each[rows] for each in asked.data]
        try:
            _put_ends(declared, data, options, rows, lower, upper, degenerate)
        except InputError:  # some replication has no such interval: each by itself
            for row in range(len(rows)):
                single = [each[row : row + 1] for each in data]
                try:
                    at = rows[row : row + 1]
                    _put_ends(declared, single, options, at, lower, upper, degenerate)
                except InputError:
                    continue
    return _covering(about, lower, upper, asked.truth, degenerate, failed, asked.bounds)


def _put_ends(
    declared: Procedure,
    data: Sequence[Any],
    options: JsonObject,
    rows: NDArray[np.int64],
    lower: Floats,
    upper: Floats,
    degenerate: Bools,
) -> None:
    if takes(declared) == LOSSES:
        # Here and not above: tests are listed in the order in which their modules are imported.
        from cvinfer.inference.mean_intervals import nested_cv_moments

        result = nested_cv_moments(*data, **options)
    else:
        result = infer(declared.name, *data, **options)
    lower[rows], upper[rows] = result.lower, result.upper
    degenerate[rows] = result.degenerate


def _asked(
    planned: PlannedPoint, gathered: Gathered, declared: Procedure, learner: str, one: Splits
) -> tuple[Bools, list[_Asked]]:
    """Which replications failed, and every interval that a learner gets on a partition."""
    shape = one.partition.shape
    truths = gathered.truths(learner)
    if declared.data in OF_ERRORS:
        tables, gone, _ = gathered.tables(learner, None, one)
        tables, failed = tables[:, 0], np.asarray(gone[:, 0].any(axis=-1))
        wrong = tables[..., 0] + tables[..., 1]
        errors = wrong.astype(np.float64).reshape(-1, *shape)
        # Those of each replication: groups and classes that are kept together move them.
        sizes = tables.sum(axis=-1).reshape(-1, *shape)
        if declared.data == "total_errors":
            axes = tuple(range(1, 1 + len(shape)))
            sums = errors.sum(axis=axes), sizes.sum(axis=axes)
            return failed, [_Asked(None, sums, truths.errors, {})]
        return failed, [_Asked(None, (errors, sizes), truths.errors, {})]
    kept, gone = gathered.confusions(learner, one)
    confusions, failed = kept[:, 0].astype(np.float64), np.asarray(gone[:, 0].any(axis=-1))
    assert truths.confusions is not None
    classes = planned.point.example.classes
    positive = _positive(planned)
    found = []
    for word, codes, micro in _averages(classes, positive, declared):
        matrices = confusions[:, :, codes].reshape(-1, *shape, len(codes), 4)
        true = truths.confusions[:, codes].astype(np.float64)
        truth = _true_score(declared, true, micro)
        if declared.data == "scores":
            with np.errstate(invalid="ignore", divide="ignore"):
                scores = np.asarray(inference.f1_scores(matrices)).mean(axis=-1)
            known = np.isfinite(scores.reshape(len(scores), -1)).all(axis=-1)
            failed = np.asarray(failed | ~known)
            found.append(_Asked(word, (scores,), truth, {}))
        else:
            options = {"scheme": one.partition.scheme, "micro": micro}
            found.append(_Asked(word, (matrices.sum(axis=-2),), truth, options))
    return failed, found


def _of_values(
    gathered: Gathered,
    declared: Procedure,
    learner: str,
    places: Sequence[Splits],
    measure: MeasureRequest,
) -> tuple[Bools, list[_Asked]]:
    """The same for an interval of any measure, from its value on each split."""
    values, gone, sizes = [], [], []
    for one in places:
        of, failed, train, test = (
            each[:, 0] for each in gathered.values(learner, one, measure.name)
        )
        values.append(of.reshape(-1, *one.partition.shape))
        gone.append(failed.any(axis=-1))
        sizes.append((train, test))
    train, test = sizes[0]
    flat = values[0].reshape(len(values[0]), -1)
    data: tuple[NDArray[Any], ...]
    if declared.data == "values_and_sizes":
        data = (flat, train.sum(axis=-1), test.sum(axis=-1))
    elif declared.data == "values_and_halves":
        data = (flat, values[1].mean(axis=-1))
    else:
        squares = values[0]  # 0 and 1 are their own squares
        if not measure.declared.percent:
            found = gathered.values(learner, places[0], measure.name, 2)[0]
            squares = found[:, 0].reshape(values[0].shape)
        data = (values[0], squares, test.reshape(values[0].shape))
    truth = gathered.true_values(learner, measure.name)
    bounds = _bounds(gathered.planned, measure)
    asked = _Asked(None, data, truth, {}, measure, bounds)
    return np.asarray(np.any(gone, axis=0)), [asked]


def _averages(
    classes: Sequence[str], positive: Optional[int], declared: Procedure
) -> list[tuple[str, list[int], bool]]:
    """Words, class codes, and whether they are added up: as in a comparison's intervals."""
    if positive is not None:
        return [(f"class {classes[positive]!r}", [positive], False)]
    every = list(range(len(classes)))
    if declared.data == "scores":
        return [("macro", every, False)]
    each = [(f"class {name!r}", [code], False) for code, name in enumerate(classes)]
    return [*each, ("micro", every, True)]


def _true_score(declared: Procedure, confusions: Floats, micro: bool) -> Floats:
    """The measure of an interval on the fresh records; classes are on the axis before the last."""
    if micro or declared.data != "scores":
        confusions = confusions.sum(axis=-2, keepdims=True)
    tp, fp, fn = (confusions[..., at] for at in (0, 1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = {
            "F1": 2 * tp / (2 * tp + fp + fn),
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
        }[str(declared.measure)]
    return np.asarray(scores.mean(axis=-1))


def _positive(planned: PlannedPoint) -> Optional[int]:
    point = planned.point
    own = point.example.source.get("positive")
    label = point.spec.positive if own is None else str(own)
    return None if label is None else point.example.classes.index(label)


# --- variances ------------------------------------------------------------------------------------


def _component_states(planned: PlannedPoint, gathered: Gathered) -> Iterator[State]:
    """σ1², σ2², σ3², ρ1, ρ2, L, AL of each m×2 partition: of losses, differences, disagreements."""
    at = dict(planned.point.at)
    for one in planned.splits:
        shape = one.partition.shape
        if len(shape) != 2 or shape[1] != 2 or shape[0] < 2:
            continue
        about: JsonObject = {
            "at": at,
            "kind": "quantity",
            "name": "",
            "scheme": one.partition.label,
            "settings": {"m": shape[0]},
        }
        for learner in used_learners(planned):
            tables, failed, _ = gathered.tables(learner, None, one)
            rates = (tables[..., 0] + tables[..., 1]) / tables.sum(axis=-1)
            yield _components({**about, "of": "loss", "learner": learner}, rates, failed, gathered)
        for pair in pairs_of(planned):
            if pair[1] is None:
                continue
            tables, failed, _ = _tables(gathered, planned, pair, one)
            size = tables.sum(axis=-1)
            named = {**about, "a": pair[0], "b": pair[1]}
            d = (tables[..., 1] - tables[..., 2]) / size
            yield _components({**named, "of": "difference"}, d, failed, gathered)
            e = (tables[..., 1] + tables[..., 2]) / size
            settings = {"m": shape[0], "names": {"variance": "var_e"}}
            disagreement = {**named, "of": "disagreement", "settings": settings}
            yield _components(disagreement, e, failed, gathered)


def _components(
    about: JsonObject, values: Any, failed: Bools, gathered: Gathered
) -> ComponentsState:
    """The sums of one stretch, of the first partition of each data set."""
    m = int(about["settings"]["m"])
    first = values[:, 0].reshape(-1, m, 2).astype(np.float64)
    fine = ~failed[:, 0].any(axis=-1)
    d = first[fine]
    numbers = gathered.stretch.first + np.flatnonzero(fine)
    state = ComponentsState(about)
    state.count(replications=gathered.count, made=len(d))
    flat = d.reshape(-1, 2 * m)
    square = (flat**2).sum(axis=1)
    within = 2 * (d[..., 0] * d[..., 1]).sum(axis=1)
    between = flat.sum(axis=1) ** 2 - square - within
    state.grouped("count", np.ones(len(d)), numbers)
    for at in range(2 * m):
        state.grouped(f"d{at}", flat[:, at], numbers)
    named = {"square": square, "within": within, "between": between}
    if len(d):
        named["l"] = np.atleast_1d(inference.l_estimator(d))
        named["al"] = np.atleast_1d(inference.al_estimator(d))
    for name, each in named.items():
        state.grouped(name, np.asarray(each), numbers)
    return state


def mean_estimate(found: Sequence[Learned]) -> float:
    """The mean of an estimate over all decisions that there are."""
    known = [float(one) for each in found for one in each.estimate[~each.failed]]
    return math.fsum(known) / len(known) if known else 0.0
