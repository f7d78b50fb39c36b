"""One learner on one split of a data set."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines.base import LearnerSpec, Prediction, Session
from cvinfer.errors import LearnerError
from cvinfer.execute.work import Desk, Done, Order, Work, works
from cvinfer.losses.kinds import CODES, BesideError, has, refuse_unlike
from cvinfer.partitions import Partition


class Material(NamedTuple):
    """A data set and the partitions that orders number."""

    dataset: Dataset
    partitions: tuple[Partition, ...]


def prepare(desk: Desk, order: Order) -> None:
    """Let every engine have the data: what is at rest is then the same for all learners."""
    for engine in dict.fromkeys(learner.engine for learner in desk.job.learners):
        try:
            session(desk, order.dataset, engine)
        except Exception:  # comes again, and is told, with the first fit that needs it
            continue


def fit(desk: Desk, order: Order, began: float) -> Done:
    """Fit and predict."""
    learner = desk.job.learners[order.learner]
    material = _material(desk, order.dataset)
    split = material.partitions[order.partition].splits[order.split]
    wants = desk.job.wanted(order.learner)
    made = session(desk, order.dataset, learner.engine).predict(
        learner, split.train, split.test, order.seed, **wanting(wants)
    )
    classes = len(material.dataset.classes)
    values = checked(made.values, len(split.test), classes, made.kind)
    # Plain values: what a learner's package calls a number must not be needed to read it.
    seconds = float(made.seconds_fit), float(made.seconds_predict)
    done = Done(values, *seconds, tuple(map(str, made.warnings)), "", began, kind=str(made.kind))
    if wants == CODES:
        return done
    return done._replace(
        beside=checked_beside(learner, made, len(split.test), classes, wants),
        beside_kind=str(made.beside_kind),
        beside_warnings=tuple(map(str, made.beside_warnings)),
    )


def session(desk: Desk, dataset: int, engine: str) -> Session:
    """The engine's own form of a data set, made once; those of other data sets are given up.

    Orders come data set by data set, and a worker then needs memory for one.
    """
    if (dataset, engine) not in desk.kept:
        from cvinfer.engines import engines

        known = engines()
        for key in list(desk.kept):
            if isinstance(key, tuple) and key[0] != dataset and key[-1] in known:
                del desk.kept[key]
        desk.kept[dataset, engine] = engines()[engine].open(_material(desk, dataset).dataset)
    return cast(Session, desk.kept[dataset, engine])


def _material(desk: Desk, number: int) -> Material:
    found = desk.material(number)
    assert isinstance(found, Material)
    return found


def checked(values: object, records: int, classes: int, kind: str = CODES) -> NDArray[np.int32]:
    """Predictions must be one known class code for each test record."""
    if kind != CODES:
        raise LearnerError(f"predictions that are {kind}, where class codes are needed")
    array = np.asarray(values)
    if array.shape != (records,):
        count = " x ".join(map(str, array.shape)) or "one"
        raise LearnerError(f"{count} predictions for {records} test records")
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= classes:
        raise LearnerError(f"predictions that are no class codes 0 to {classes - 1}")
    return array.astype(np.int32)


def wanting(wants: str) -> dict[str, str]:
    """`wants` for `Session.predict`; sessions of plug-ins may know class codes only."""
    return {} if wants == CODES else {"wants": wants}


def checked_beside(
    learner: LearnerSpec, made: Prediction, records: int, classes: int, wants: str
) -> NDArray[np.float64]:
    """What stands beside the codes must be what was wanted; scores may be probabilities."""
    title = learner.learner or learner.name
    if made.beside is None or not has(made.beside_kind, wants):
        raise LearnerError(f"{title} gives no {wants}")
    assert made.beside_kind is not None
    beside = np.array(made.beside, dtype=np.float64, order="C")
    if beside.shape != (records, classes):
        shape = " x ".join(map(str, beside.shape)) or "one"
        kind = made.beside_kind
        raise LearnerError(
            f"{title} gave {shape} {kind} for {records} test records and {classes} classes"
        )
    try:
        refuse_unlike(beside, made.beside_kind)
    except BesideError as error:
        kind = made.beside_kind
        raise LearnerError(
            f"{title}: the {kind} of test record {error.at + 1} of {records} are {error}"
        ) from None
    return beside


works.add("fit", Work(prepare, fit), __name__)
