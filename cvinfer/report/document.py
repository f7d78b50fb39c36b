"""The result document: what a run found, as plain values that JSON can hold.

`build` puts it together from the finished `DataRun`s, one for each data set; `write_result` writes
it canonically. It holds no times, no host and no absolute paths, so that a rerun gives the same
bytes. Its shape is that of `schemas/result.schema.json`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, Mapping, Optional, Protocol, Sequence

import numpy as np

from cvinfer.inference import Inference, Interval, contingency_tables
from cvinfer.inference.result import jsonable
from cvinfer.partitions import Plan
from cvinfer.report import judge

#: Version of the result format.
FORMAT = 1

MX2_SCHEMES = ("random_mx2", "blocked_mx2")


class SpecLike(Protocol):
    """What is used of a `cvinfer.spec.Spec`."""

    @property
    def name(self) -> str:
        ...  # noqa: E704

    @property
    def learners(self) -> Mapping[str, Any]:
        ...  # noqa: E704

    @property
    def correction(self) -> str:
        ...  # noqa: E704

    @property
    def loss(self) -> str:
        ...  # noqa: E704

    def resolved(self) -> Mapping[str, Any]:
        ...  # noqa: E704


@dataclass(frozen=True)
class ComparisonRun:
    """One test of one pair: either its inference, or the reason why there is none."""

    a: str
    b: str
    test: str
    options: Mapping[str, Any]
    plans: tuple[int, ...]  # indices into DataRun.plans, in the order of the test's needs
    inference: Optional[Inference] = None
    failed: Optional[str] = None


@dataclass(frozen=True)
class IntervalRun:
    """One interval of one learner.

    `measure` is what it is an interval for ("F1", "precision", "recall", "error rate"); None takes
    it from the interval's name. `averaging` says over which class it was computed, or how over
    several ("class 'M'", "macro", "micro"); None where that does not matter.
    """

    learner: str
    interval: str
    options: Mapping[str, Any]
    plans: tuple[int, ...]
    result: Optional[Interval] = None
    averaging: Optional[str] = None
    failed: Optional[str] = None
    measure: Optional[str] = None


@dataclass(frozen=True)
class SplitFailure:
    """A learner that gave no usable predictions on one split (`split` counts in C order)."""

    learner: str
    plan: int
    split: int
    message: str


@dataclass(frozen=True)
class DataRun:
    """Everything found on one data set.

    data: the facts of the data set, as `data_facts` makes them.
    plans, labels: the partitions and what they are called, in the same order.
    losses: for (learner, plan index) one entry per split, the losses of its test records or None
        where the learner failed; pairs that were never fitted are left out.
    """

    data: Mapping[str, Any]
    plans: tuple[Plan, ...]
    labels: tuple[str, ...]
    losses: Mapping[tuple[str, int], Sequence[Optional[Any]]]
    comparisons: tuple[ComparisonRun, ...]
    intervals: tuple[IntervalRun, ...] = ()
    failures: tuple[SplitFailure, ...] = field(default=())


def data_facts(dataset: Any) -> dict[str, Any]:
    """The facts of a `Dataset` or a `PredictionSet` for `DataRun.data`."""
    codes = np.asarray(dataset.target if hasattr(dataset, "target") else dataset.truth)
    columns = getattr(dataset, "features", None)
    kinds = None if columns is None else [column.kind for column in columns]
    features = kinds and {kind: kinds.count(kind) for kind in ("numeric", "categorical")}
    return {
        "name": dataset.name,
        "n": len(codes),
        "classes": list(dataset.classes),
        "class_counts": np.bincount(codes, minlength=len(dataset.classes)).tolist(),
        "features": features or None,
        "sha256": dataset.sha256,
        "source": plain(dataset.source),
        "notes": list(getattr(dataset, "notes", ())),
    }


def build(spec: SpecLike, runs: Sequence[DataRun], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The result document. `manifest` has `versions`, `seed` and `hashes`."""
    correction, loss = spec.correction, spec.loss
    partitions: list[dict[str, Any]] = []
    losses: list[dict[str, Any]] = []
    comparisons: list[dict[str, Any]] = []
    discordant: list[Optional[float]] = []
    intervals: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    for run in runs:
        name, first = run.data["name"], len(partitions)
        partitions += [_partition(name, plan, label) for plan, label in _labelled(run)]
        losses += [_losses(run, key, first) for key in run.losses]
        comparisons += [_comparison(name, one, first) for one in run.comparisons]
        discordant += [discordant_records(run, one) for one in run.comparisons]
        intervals += [_interval(name, one, first) for one in run.intervals]
        failures += [_failure(name, one, first) for one in run.failures]
    _judge(comparisons, discordant, correction, loss)
    notes = [judge.interval_warnings(entry["result"]) for entry in intervals]
    return {
        "cvinfer": FORMAT,
        "name": spec.name,
        "spec": plain(spec.resolved()),
        "data": [plain(run.data) for run in runs],
        "partitions": partitions,
        "learners": _learners(spec, runs),
        "losses": losses,
        "comparisons": comparisons,
        "intervals": intervals,
        "failures": failures,
        "warnings": judge.warnings(comparisons, intervals, notes, correction),
        "manifest": plain(manifest),
    }


def canonical(document: Mapping[str, Any]) -> str:
    """The one way to write a document: sorted keys, no NaN, a newline at the end."""
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def write_result(directory: Path, document: Mapping[str, Any]) -> Path:
    """Write `result.json` into `directory`, whole or not at all."""
    return write_text(Path(directory) / "result.json", canonical(document))


def write_text(path: Path, text: str) -> Path:
    """Write a file beside its place and move it there, so that nobody meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as stream:
            # Half a surrogate pair (from a broken file name) becomes its JSON escape.
            stream.write(text.encode("utf-8", errors="backslashreplace"))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def discordant_records(run: DataRun, comparison: ComparisonRun) -> Optional[float]:
    """n01 + n10 of the table behind a McNemar test, the smallest of several; None for others.

    The test on a blocked m×2 rests on its effective table, the others on the tables themselves.
    """
    inference = comparison.inference
    if inference is None or not comparison.test.endswith("mcnemar"):
        return None
    if "effective_table" in inference.extra:
        _, only_a, only_b, _ = np.asarray(inference.extra["effective_table"]).tolist()
        return float(only_a + only_b)
    at = comparison.plans[0]
    loss_a, loss_b = run.losses[comparison.a, at], run.losses[comparison.b, at]
    tables = contingency_tables(list(loss_a), list(loss_b), run.plans[at])  # type: ignore[arg-type]
    return float((tables[..., 1] + tables[..., 2]).min())


def measure_of(interval: str) -> str:
    """What an interval is for, from its name; the t intervals on scores are for F1."""
    first = interval.split("_")[0]
    return {"precision": "precision", "recall": "recall", "error": "error rate"}.get(first, "F1")


def plain(value: Any) -> Any:
    """Values that JSON can hold: no numpy, no fractions, no path objects, no NaN."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, PurePath):
        return value.as_posix()
    return jsonable(value)


def _labelled(run: DataRun) -> list[tuple[Plan, str]]:
    if len(run.plans) != len(run.labels):
        raise ValueError(f"{len(run.plans)} plans have {len(run.labels)} labels; give one for each")
    return list(zip(run.plans, run.labels))


def _partition(data: str, plan: Plan, label: str) -> dict[str, Any]:
    return {
        "data": data,
        "scheme": plan.scheme,
        "label": label,
        "options": plain(plan.options),
        "shape": list(plan.shape),
        "sizes": plan.sizes.tolist(),
        "fingerprint": plan.fingerprint,
        "overlaps": _overlaps(plan),
    }


def _overlaps(plan: Plan) -> Optional[dict[str, Any]]:
    """How far the training sets of an m×2 share records; other schemes are not judged by it."""
    if plan.scheme not in MX2_SCHEMES:
        return None
    found = plan.overlaps()
    keys = ("ideal", "worst", "random_mean", "random_variance", "random_worst")
    return {"matrix": found.matrix.tolist(), **{key: plain(getattr(found, key)) for key in keys}}


def _losses(run: DataRun, key: tuple[str, int], first: int) -> dict[str, Any]:
    learner, at = key
    means = [None if loss is None else float(np.mean(loss)) for loss in run.losses[key]]
    whole = None not in means
    shaped = np.array(means, dtype=object).reshape(run.plans[at].shape).tolist()
    return {
        "data": run.data["name"],
        "learner": learner,
        "partition": first + at,
        "per_split": shaped,
        "mean": float(np.mean(np.array(means, dtype=np.float64))) if whole else None,
    }


def _comparison(data: str, run: ComparisonRun, first: int) -> dict[str, Any]:
    if (run.inference is None) == (run.failed is None):
        raise ValueError(
            f"{data}, {run.a} against {run.b}, {run.test}: give either an inference or the reason"
            " why there is none"
        )
    return {
        "data": data,
        "a": run.a,
        "b": run.b,
        "test": run.test,
        "options": plain(run.options),
        "partitions": [first + at for at in run.plans],
        "inference": None if run.inference is None else run.inference.as_dict(),
        "failed": run.failed,
    }


def _judge(
    comparisons: list[dict[str, Any]],
    discordant: list[Optional[float]],
    correction: str,
    loss: str,
) -> None:
    """Add what can only be said once all comparisons of a test are there."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for comparison in comparisons:
        groups.setdefault(judge.one_test(comparison), []).append(comparison)
    for group in groups.values():
        p_values = [judge.p_for_correction(comparison["inference"]) for comparison in group]
        for comparison, p in zip(group, judge.corrected_p(p_values, correction)):
            comparison["p_corrected"] = p
    for comparison, records in zip(comparisons, discordant):
        inference = comparison["inference"]
        rejected = judge.reject_corrected(inference, comparison["p_corrected"])
        mu0 = float(comparison["options"].get("mu0", 0.0))
        comparison["reject_corrected"] = rejected
        comparison["better"] = judge.better(
            comparison["a"], comparison["b"], inference, rejected, mu0
        )
        comparison["sentence"] = judge.sentence(comparison, correction, loss)
        comparison["warnings"] = judge.comparison_warnings(comparison, records)


def _interval(data: str, run: IntervalRun, first: int) -> dict[str, Any]:
    if (run.result is None) == (run.failed is None):
        raise ValueError(
            f"{data}, {run.learner}, {run.interval}: give either a result or the reason why there"
            " is none"
        )
    return {
        "data": data,
        "learner": run.learner,
        "interval": run.interval,
        "options": plain(run.options),
        "partitions": [first + at for at in run.plans],
        "measure": run.measure or measure_of(run.interval),
        "averaging": run.averaging,
        "result": None if run.result is None else run.result.as_dict(),
        "failed": run.failed,
    }


def _failure(data: str, run: SplitFailure, first: int) -> dict[str, Any]:
    return {
        "data": data,
        "learner": run.learner,
        "partition": first + run.plan,
        "split": run.split,
        "message": run.message,
    }


def _learners(spec: SpecLike, runs: Sequence[DataRun]) -> list[dict[str, Any]]:
    """The learners of the spec, and those that come with predictions made elsewhere."""
    listed = [
        {"name": name, "engine": learner.engine, "settings": plain(learner.settings())}
        for name, learner in spec.learners.items()
    ]
    others = dict.fromkeys(learner for run in runs for learner, _ in run.losses)
    for name in others:
        if name not in spec.learners:
            listed.append({"name": name, "engine": "predictions", "settings": {}})
    return listed
