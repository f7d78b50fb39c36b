"""The result document: what a run found, as plain values that JSON can hold.

`build` makes it whole from the finished `DataRun`s, one for each data set; nobody changes it
afterwards. It holds no times, no host and no absolute paths, so that a rerun gives the same bytes.
Its shape is that of `schemas/result.schema.json`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Mapping, NamedTuple, Optional, Protocol, Sequence, Union, overload

import numpy as np
from numpy.typing import NDArray

from cvinfer.data import DataLike
from cvinfer.documents import Json
from cvinfer.inference import correction as corrections
from cvinfer.arrays import entries
from cvinfer.inference.correction import Correction, Written
from cvinfer.inference import Inference, Interval, caution, contingency_tables, procedure
from cvinfer.inference.result import jsonable
from cvinfer.partitions import Partition
from cvinfer.analysis import judge, posteriors, together
from cvinfer.analysis.sentences import sentence
from cvinfer.analysis.verdicts import A_BETTER, B_BETTER, Family, Tested, verdict
from cvinfer.analysis.words import trained_elsewhere, training_words

#: Version of the result format.
FORMAT = 1

#: The engine of learners that were fitted elsewhere.
ELSEWHERE = "predictions"

#: Per split the losses of its test records, or one value of a measure; None where a fit failed.
LossesOfSplits = Sequence[Optional[NDArray[np.float64]]]

MX2_SCHEMES = ("random_mx2", "blocked_mx2")


class SpecLike(Protocol):
    """What is used of a `cvinfer.spec.Spec`."""

    @property
    def name(self) -> str:
        """Of the comparison."""

    @property
    def learners(self) -> Mapping[str, Any]:
        """By their names."""

    @property
    def correction(self) -> Written:
        """Of the p-values."""

    @property
    def loss(self) -> str:
        """What a prediction costs, or the first of the measures."""

    @property
    def primary(self) -> Optional[str]:
        """The test that decides."""

    @property
    def margin(self) -> Union[float, Mapping[str, float], None]:
        """The size of a difference that counts as none, of several measures each its own."""

    @property
    def compares_across(self) -> bool:
        """Whether the data sets are compared together."""

    @property
    def control(self) -> Optional[str]:
        """The learner that all others are then compared with."""

    @property
    def bayes(self) -> bool:
        """Whether posteriors of the differences are asked for."""

    @property
    def alpha(self) -> float:
        """Level of the tests."""

    @property
    def seed(self) -> int:
        """Of all that is drawn."""

    def resolved(self) -> Mapping[str, Any]:
        """The spec with every default spelled out."""


@dataclass(frozen=True)
class ComparisonRun:
    """One test of one pair by one measure: either its inference, or why there is none."""

    a: str
    b: str
    test: str
    options: Mapping[str, Any]
    partitions: tuple[int, ...]  # indices into DataRun.partitions, in the order of the test's needs
    inference: Optional[Inference] = None
    failed: Optional[str] = None
    measure: str = "zero_one"


@dataclass(frozen=True)
class IntervalRun:
    """One interval of one learner.

    `measure` is what it is an interval for ("F1", "precision", "recall", "error rate"); None takes
    what the interval declares. `averaging` says over which class it was computed, or how over
    several ("class 'M'", "macro", "micro"); None where that does not matter.
    """

    learner: str
    interval: str
    options: Mapping[str, Any]
    partitions: tuple[int, ...]
    result: Optional[Interval] = None
    averaging: Optional[str] = None
    failed: Optional[str] = None
    measure: Optional[str] = None


@dataclass(frozen=True)
class SplitFailure:
    """A learner that gave no usable predictions on one split (`split` counts in C order)."""

    learner: str
    partition: int
    split: int
    message: str


@dataclass(frozen=True)
class DataRun:
    """Everything found on one data set.

    data: the facts of the data set, as `data_facts` makes them.
    partitions, labels: the partitions and what they are called, in the same order.
    losses: for (learner, partition) one entry per split, the losses of its test records or None
        where the learner failed; pairs that were never fitted are left out. Of a measure that only
        a split has there is one value in place of the losses.
    measure, others: what `losses` are of, and the same by further measures.
    """

    data: Mapping[str, Any]
    partitions: tuple[Partition, ...]
    labels: tuple[str, ...]
    losses: Mapping[tuple[str, int], LossesOfSplits]
    comparisons: tuple[ComparisonRun, ...]
    intervals: tuple[IntervalRun, ...] = ()
    failures: tuple[SplitFailure, ...] = field(default=())
    measure: str = "zero_one"
    others: Mapping[str, Mapping[tuple[str, int], LossesOfSplits]] = field(default_factory=dict)

    @property
    def by_measure(self) -> Mapping[str, Mapping[tuple[str, int], LossesOfSplits]]:
        """`losses` of every measure."""
        return {self.measure: self.losses, **self.others}


def data_facts(dataset: DataLike) -> dict[str, Any]:
    """The facts of a data set; records of unknown class (-1) count in n, but in no class."""
    codes = dataset.truth[dataset.truth >= 0]
    kinds = [column.kind for column in dataset.features]
    features = kinds and {kind: kinds.count(kind) for kind in ("numeric", "categorical")}
    return {
        "name": dataset.name,
        "n": dataset.n,
        "classes": list(dataset.classes),
        "class_counts": np.bincount(codes, minlength=len(dataset.classes)).tolist(),
        "features": features or None,
        "sha256": dataset.sha256,
        **{key: said for key, said in dataset.rights._asdict().items() if said},
        "source": plain(dataset.source),
        "notes": list(dataset.notes),
    }


def build(
    spec: SpecLike,
    runs: Sequence[DataRun],
    manifest: Mapping[str, Any],
    *,
    warnings: Sequence[str] = (),
    missing: Sequence[Mapping[str, Any]] = (),
    lost: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The whole result document.

    `manifest` has `versions`, `seed` and `hashes`. `warnings` come after those of the results
    themselves; `missing` tells what became of records with missing values, `lost` which data sets
    could not be taken, each with its `data` and a `message`.
    """
    partitions: list[dict[str, Any]] = []
    losses: list[dict[str, Any]] = []
    discordant: list[Optional[float]] = []
    intervals: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    for run in runs:
        name, first = run.data["name"], len(partitions)
        partitions += [_partition(name, partition, label) for partition, label in _labelled(run)]
        losses += [
            _losses(run, measure, key, first)
            for measure, made in run.by_measure.items()
            for key in made
        ]
        discordant += [discordant_records(run, one) for one in run.comparisons]
        intervals += [_interval(run, one, first) for one in run.intervals]
        failures += [_failure(name, one, first) for one in run.failures]
    correction = corrections.read(spec.correction)
    tested, verdicts = judged(spec, runs)
    comparisons = [each.entry for each in tested]
    for comparison, records in zip(comparisons, discordant):
        comparison["warnings"] = judge.comparison_warnings(comparison, records)
    notes = [judge.interval_warnings(entry["result"]) for entry in intervals]
    document = {
        "cvinfer": FORMAT,
        "name": spec.name,
        "spec": plain(spec.resolved()),
        "data": [plain(run.data) for run in runs],
        "partitions": partitions,
        "learners": _learners(spec, runs),
        "losses": losses,
        "verdicts": verdicts,
        "comparisons": comparisons,
        "intervals": intervals,
        "failures": failures,
        "warnings": [
            *judge.warnings(comparisons, verdicts, intervals, notes, correction),
            *warnings,
        ],
        "manifest": plain(manifest),
    }
    if missing:
        document["missing"] = list(missing)
    if lost:
        document["failed_data"] = [dict(each) for each in lost]
    by = {measure: _by(document, measure) for run in runs for measure in run.by_measure}
    if spec.bayes:
        document["bayes"] = [
            each
            for measure, part in by.items()
            for each in posteriors.beside(part, measure, _margin(spec, measure))
        ]
    if spec.compares_across:
        document["across"] = [
            each
            for measure, part in (by or {spec.loss: document}).items()
            for each in together.entries(
                part,
                together.Asked(spec.alpha, spec.seed, _margin(spec, measure), spec.control),
                list(spec.learners),
                measure,
            )
        ]
    return document


def _by(document: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """The document with nothing but one measure in it."""
    keys = ("losses", "verdicts", "comparisons")
    only = {key: [each for each in document[key] if each["measure"] == measure] for key in keys}
    return {**document, **only}


def _margin(spec: SpecLike, measure: str) -> Optional[float]:
    return spec.margin.get(measure) if isinstance(spec.margin, Mapping) else spec.margin


class Judged(NamedTuple):
    """Every test with what the correction made of it, and a verdict for each data set and pair."""

    tested: Sequence[Tested]
    verdicts: Sequence[dict[str, Any]]


def judged(spec: SpecLike, runs: Sequence[DataRun]) -> Judged:
    """The tests of all data sets, corrected together, and what the primary one says."""
    tested: list[Tested] = []
    first = 0
    for run in runs:
        tested += [_tested(run, one, first) for one in run.comparisons]
        first += len(run.partitions)
    correction = corrections.read(spec.correction)
    _correct([each.entry for each in tested], correction)
    return Judged(tested, _verdicts(spec, tested, correction))


def discordant_records(run: DataRun, comparison: ComparisonRun) -> Optional[float]:
    """n01 + n10 of the table behind a McNemar test, the smallest of several; None for others.

    The test on a blocked m×2 rests on its effective table, the others on the tables themselves.
    """
    inference = comparison.inference
    if inference is None or not procedure(comparison.test).discordant:
        return None
    if "effective_table" in inference.extra:
        _, only_a, only_b, _ = entries(np.asarray(inference.extra["effective_table"]))
        return float(only_a + only_b)
    at = comparison.partitions[0]
    losses = run.by_measure[comparison.measure]
    loss_a, loss_b = losses[comparison.a, at], losses[comparison.b, at]
    both: list[Any] = [list(loss_a), list(loss_b)]  # a test that was made has all its splits
    tables = contingency_tables(both[0], both[1], run.partitions[at])
    return float((tables[..., 1] + tables[..., 2]).min())


@overload
def plain(value: Mapping[str, object]) -> dict[str, Json]:
    """An object of JSON."""


@overload
def plain(value: object) -> Json:
    """Anything else."""


def plain(value: object) -> Json:
    """Values that JSON can hold: no numpy, no fractions, no path objects, no NaN."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, PurePath):
        return value.as_posix()
    found: Json = jsonable(value)
    return found


def _labelled(run: DataRun) -> list[tuple[Partition, str]]:
    if len(run.partitions) != len(run.labels):
        raise ValueError(
            f"{len(run.partitions)} partitions have {len(run.labels)} labels; give one for each"
        )
    return list(zip(run.partitions, run.labels))


def _partition(data: str, partition: Partition, label: str) -> dict[str, Any]:
    return {
        "data": data,
        "scheme": partition.scheme,
        "label": label,
        "options": plain(partition.options),
        "shape": list(partition.shape),
        "sizes": partition.sizes.tolist(),
        "fingerprint": partition.fingerprint,
        "overlaps": _overlaps(partition),
    }


def _overlaps(partition: Partition) -> Optional[dict[str, Any]]:
    """How far the training sets of an m×2 share records; other schemes are not judged by it."""
    if partition.scheme not in MX2_SCHEMES or not partition.compact.known:
        return None
    found = partition.overlaps()
    keys = ("ideal", "worst", "random_mean", "random_variance", "random_worst")
    return {"matrix": found.matrix.tolist(), **{key: plain(getattr(found, key)) for key in keys}}


def _losses(run: DataRun, measure: str, key: tuple[str, int], first: int) -> dict[str, Any]:
    learner, at = key
    losses = run.by_measure[measure][key]
    means = [None if loss is None else float(np.mean(loss)) for loss in losses]
    whole = None not in means
    shaped = np.array(means, dtype=object).reshape(run.partitions[at].shape).tolist()
    return {
        "data": run.data["name"],
        "learner": learner,
        "measure": measure,
        "partition": first + at,
        "per_split": shaped,
        "mean": float(np.mean(np.array(means, dtype=np.float64))) if whole else None,
    }


def _tested(run: DataRun, one: ComparisonRun, first: int) -> Tested:
    """The entry of a comparison, still without what depends on the others."""
    data = run.data["name"]
    if (one.inference is None) == (one.failed is None):
        raise ValueError(
            f"{data}, {one.a} against {one.b}, {one.test}: give either an inference or the reason"
            " why there is none"
        )
    inference = None if one.inference is None else one.inference.as_dict()
    entry = {
        "data": data,
        "a": one.a,
        "b": one.b,
        "measure": one.measure,
        "test": one.test,
        "options": plain(one.options),
        "partitions": [first + at for at in one.partitions],
        "trained_on": _trained_on(run, one.partitions),
        "inference": inference,
        "caution": None if inference is None else caution(inference, one.measure),
        "failed": one.failed,
    }
    return Tested(entry, one.inference, _estimand(run, one))


def _training_sizes(run: DataRun, partitions: Sequence[int]) -> list[int]:
    """Training sizes of the partition that a result is an estimate on: the first of several."""
    if not partitions:
        return []
    return entries(run.partitions[partitions[0]].sizes.reshape(-1, 2)[:, 0])


def _trained_on(run: DataRun, partitions: Sequence[int]) -> Optional[float]:
    """How many records a learner was trained on, in the mean over the splits."""
    sizes = _training_sizes(run, partitions)
    if trained_elsewhere(sizes):
        return None
    mean = sum(sizes) / len(sizes)
    return int(mean) if mean == int(mean) else mean


def _estimand(run: DataRun, one: ComparisonRun) -> str:
    """For which learners a result speaks: those trained on so many records, or these very ones."""
    sizes = _training_sizes(run, one.partitions)
    if not sizes:
        return ""
    if trained_elsewhere(sizes):
        return "these very learners, trained elsewhere"
    words = f"learners trained on {training_words(sizes, run.partitions[one.partitions[0]].n)}"
    target = None if one.inference is None else one.inference.extra.get("target")
    return f"{target}, {words}" if target else words


def _correct(comparisons: Sequence[dict[str, Any]], correction: Correction) -> None:
    """Add the corrected p-values, which need all comparisons of a family."""
    for group in _families(comparisons, correction).values():
        p_values = [judge.p_for_correction(comparison["inference"]) for comparison in group]
        for comparison, p in zip(group, corrections.corrected_p(p_values, correction.method)):
            comparison["p_corrected"] = p
            comparison["reject_corrected"] = judge.reject_corrected(comparison["inference"], p)


def _families(
    comparisons: Sequence[dict[str, Any]], correction: Correction
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The comparisons that are corrected together, of one test with the same options."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for comparison in comparisons:
        groups.setdefault(judge.family(comparison, correction), []).append(comparison)
    return groups


def _verdicts(
    spec: SpecLike, tested: Sequence[Tested], correction: Correction
) -> list[dict[str, Any]]:
    """One verdict for each data set and pair; only its primary test gets a winner and words."""
    sizes = {
        family: sum(comparison["inference"] is not None for comparison in group)
        for family, group in _families([each.entry for each in tested], correction).items()
    }
    pairs: dict[tuple[str, ...], list[Tested]] = {}
    for each in tested:
        each.entry.update(better=None, sentence=None)
        key = tuple(each.entry[part] for part in ("data", "measure", "a", "b"))
        pairs.setdefault(key, []).append(each)
    made = []
    for tests in pairs.values():
        # Of one test with several options the first decides.
        primary = next((each for each in tests if each.entry["test"] == spec.primary), tests[0])
        entry = primary.entry
        family = Family(sizes[judge.family(entry, correction)], correction.method)
        further = [each for each in tests if each is not primary]
        measure = entry["measure"]
        margin = _margin(spec, measure)
        found = verdict(primary, further, family, margin)
        entry["better"] = {A_BETTER: entry["a"], B_BETTER: entry["b"]}.get(found["verdict"])
        entry["sentence"] = found["sentence"] = sentence(
            found,
            entry,
            loss=measure,
            correction=correction.method if family.corrected else None,
            margin=margin,
        )
        made.append(found)
    return made


def _interval(run: DataRun, one: IntervalRun, first: int) -> dict[str, Any]:
    data = run.data["name"]
    if (one.result is None) == (one.failed is None):
        raise ValueError(
            f"{data}, {one.learner}, {one.interval}: give either a result or the reason why there"
            " is none"
        )
    result = None if one.result is None else one.result.as_dict()
    return {
        "data": data,
        "learner": one.learner,
        "interval": one.interval,
        "options": plain(one.options),
        "partitions": [first + at for at in one.partitions],
        "trained_on": _trained_on(run, one.partitions),
        "measure": one.measure or procedure(one.interval).measure,
        "averaging": one.averaging,
        "result": result,
        "caution": None if result is None else caution(result),
        "failed": one.failed,
    }


def _failure(data: str, run: SplitFailure, first: int) -> dict[str, Any]:
    return {
        "data": data,
        "learner": run.learner,
        "partition": first + run.partition,
        "split": run.split,
        "message": run.message,
    }


def _learners(spec: SpecLike, runs: Sequence[DataRun]) -> list[dict[str, Any]]:
    """The learners of the spec, and those that come with predictions made elsewhere."""
    from cvinfer.engines import engine
    from cvinfer.engines.base import AUTO

    listed = [
        {
            "name": name,
            "engine": learner.engine,
            "settings": plain(learner.settings()),
            "categories": engine(learner.engine).encodes[learner.encode or AUTO],
        }
        for name, learner in spec.learners.items()
    ]
    others = dict.fromkeys(learner for run in runs for learner, _ in run.losses)
    for name in others:
        if name not in spec.learners:
            made: dict[str, Any] = {"engine": ELSEWHERE, "settings": {}, "categories": None}
            listed.append({"name": name, **made})
    return listed
