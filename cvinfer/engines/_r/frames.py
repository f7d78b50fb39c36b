"""A data set as R has it: a data frame, made once in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.imputation import medians, most_frequent
from cvinfer.engines._r import embedded
from cvinfer.engines.base import Prediction
from cvinfer.errors import LearnerError
from cvinfer.worker.captured import one_line
from cvinfer.worker.workplace import Spent

if TYPE_CHECKING:
    from cvinfer.data.dataset import Column, Dataset

#: R's integer that means missing.
NA_INTEGER = np.iinfo(np.int32).min


class Frame(NamedTuple):
    """The data frame, and which class code each of its class levels is (-1: none of ours)."""

    dataset: Dataset
    value: Any
    codes: NDArray[np.int32]

    def fill(self, train: NDArray[np.int64]) -> Any:
        """What stands for a missing value in this split; R's NULL where nothing is imputed."""
        if not self.dataset.impute:
            return embedded.to_r(None)
        return embedded.doubles(fill_values(self.dataset, train))

    def prediction(self, answer: Mapping[str, Any], title: str, records: int) -> Prediction:
        """What the bridge returned for one fit; raises where that is no class for each record."""
        raise_fault(answer, title)
        levels = np.asarray(answer["codes"], dtype=np.int64)
        if levels.shape != (records,):
            raise LearnerError(f"{title} gave {levels.size} predictions for {records} test records")
        known = (levels >= 1) & (levels <= len(self.codes))
        codes = np.full(records, -1, dtype=np.int32)
        codes[known] = self.codes[levels[known] - 1]
        unknown = int((codes < 0).sum())
        if unknown:
            raise LearnerError(f"{title} gave no class for {unknown} of {records} test records")
        fit, predict = (float(each) for each in answer["seconds"])
        said = tuple(one_line(each) for each in answer.get("warnings") or ())
        return Prediction(codes, fit, predict, tuple(dict.fromkeys(said)))


#: The last ones; a study draws thousands of data sets, and sessions keep theirs by themselves.
_frames: dict[tuple[str, bool], Frame] = {}
_KEPT = 8


def frame_of(dataset: Dataset) -> Frame:
    """The data frame of a data set; engines of one worker share it."""
    key = (dataset.sha256, dataset.impute)
    if key not in _frames:
        while len(_frames) >= _KEPT:
            del _frames[next(iter(_frames))]
        _frames[key] = _made(dataset)
    return _frames[key]


def _made(dataset: Dataset) -> Frame:
    labels = dataset.class_levels or dataset.classes
    code = {label: number for number, label in enumerate(dataset.classes)}
    codes = np.array([code.get(label, -1) for label in labels], dtype=np.int32)
    level = np.empty(len(dataset.classes), dtype=np.int32)
    level[codes[codes >= 0]] = np.flatnonzero(codes >= 0) + 1
    answer = embedded.bridge().raw(
        "bridge_frame",
        embedded.items([_values(column) for column in dataset.features]),
        embedded.text([column.name for column in dataset.features]),
        embedded.text([_type(column) for column in dataset.features]),
        embedded.items([embedded.text(column.levels) for column in dataset.features]),
        embedded.integers(level[dataset.target]),
        embedded.text([dataset.target_name]),
        embedded.text(labels),
    )
    if "data.frame" not in answer.rclass:
        raise_fault(embedded.to_python(answer), f"R cannot take {dataset.name}")
    return Frame(dataset, answer, codes)


def _type(column: Column) -> str:
    return column.kind if column.kind == "numeric" else column.detail or "factor"


def _values(column: Column) -> Any:
    if column.kind == "numeric":
        return embedded.doubles(column.values)
    return embedded.integers(np.where(column.values < 0, NA_INTEGER, column.values + 1))


def fill_values(dataset: Dataset, train: NDArray[np.int64]) -> NDArray[np.float64]:
    """Median of the training records' numbers, number of their most frequent level (from 1).

    The rule is that of `cvinfer.data.imputation`, as for learners of Python.
    """
    return np.array([_fill(column, train) for column in dataset.features])


def _fill(column: Column, train: NDArray[np.int64]) -> float:
    values = column.values[train]
    if column.kind == "numeric":
        return float(medians(values[:, np.newaxis])[0][0])
    return float(most_frequent(values, len(column.levels)) + 1)


def raise_fault(answer: Any, title: str) -> None:
    """Raise what the bridge says went wrong."""
    said = embedded.fault_of(answer)
    if said is None:
        return
    message = _with_title(said, title)
    if answer["kind"] in ("heap", ["heap"]):
        heap = embedded.heap_mb()
        raise Spent(f"{message} (Java's heap of {heap} MB is too small; limits: memory_mb sets it)")
    raise LearnerError(message)


def _with_title(said: str, title: str) -> str:
    """What was said, after the learner's name unless R put that there; of Weka's the last part."""
    for name in (title, title.rpartition(".")[2]):
        if said.startswith(name):
            rest = said[len(name) :]
            return said if rest.strip(": ") else f"{name}: no message"
    return f"{title}: {said}"
