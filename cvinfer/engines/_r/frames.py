"""A data set as R has it: a data frame, made once in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.arrays import entries
from cvinfer.data.imputation import medians, most_frequent
from cvinfer.engines._r import binding, embedded
from cvinfer.engines._beside import by_class
from cvinfer.engines.base import Fit, Prediction
from cvinfer.errors import LearnerError
from cvinfer.losses.kinds import CODES, PROBABILITIES
from cvinfer.worker.captured import one_line
from cvinfer.worker.workplace import Spent

if TYPE_CHECKING:
    from cvinfer.data.dataset import Column, Dataset

#: R's integer that means missing.
NA_INTEGER = np.iinfo(np.int32).min


#: What stands before the codes of a fit: dropped records, seconds of the fit and of the prediction.
HEAD = 3
NO_CODE = np.array([-1], dtype=np.int32)
#: Fits go to R together, with at most so many numbers of records.
NUMBERS = 1 << 20


class Call(NamedTuple):
    """A function of the bridge for many fits, what it is given for all of them, and for whom."""

    function: str
    leading: tuple[Any, ...]
    title: str


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

    def predictions(self, call: Call, fits: Sequence[Fit]) -> list[Union[Prediction, LearnerError]]:
        """What the bridge predicts in some fits, or why it does not."""
        if not self.dataset.impute:
            return [each for some in _parts(fits) for each in self._made(call, some)]
        return [each for one in fits for each in self._made(call, [one])]

    def _made(self, call: Call, fits: Sequence[Fit]) -> list[Union[Prediction, LearnerError]]:
        bridge = embedded.bridge()
        wants = [each.wants != CODES for each in fits]
        sizes = np.array([(len(one.train), len(one.test)) for one in fits])
        numbers = np.concatenate([each for one in fits for each in (one.train, one.test)])
        rows, longer, which = bridge.raw(
            call.function,
            *call.leading,
            self.fill(fits[0].train),
            embedded.integers(numbers + 1),
            embedded.integers(sizes[:, 0]),
            embedded.integers(sizes[:, 1]),
            embedded.integers(np.array([one.seed % 2**31 for one in fits])),
            *([embedded.to_r(True)] if any(wants) else []),
        )
        row = binding.numbers_of(rows)
        others = {at - 1: embedded.to_python(each) for at, each in zip(which, longer)}
        found: list[Union[Prediction, LearnerError]] = []
        end = 0
        for at, one in enumerate(fits):
            answer = others.get(at)
            if answer is None:
                start, end = end, end + HEAD + len(one.test)
                answer = row[start:end]
            try:
                made = self._prediction(answer, call.title, len(one.test))
                found.append(self._with_beside(made, answer, call.title) if any(wants) else made)
            except Spent:
                raise
            except LearnerError as error:
                found.append(error)
        return found

    def _prediction(self, answer: Any, title: str, records: int) -> Prediction:
        """What came back for one fit; raises where that is no class for each record."""
        said: tuple[str, ...] = ()
        if isinstance(answer, np.ndarray):
            fit, predict = entries(answer[1:HEAD])
            levels = answer[HEAD:]
        else:
            raise_fault(answer, title)
            levels = np.asarray(answer["codes"])
            fit, predict = (float(each) for each in answer["seconds"])
            said = tuple(one_line(each) for each in answer.get("warnings") or ())
        if levels.shape != (records,):
            raise LearnerError(f"{title} gave {levels.size} predictions for {records} test records")
        # What is missing is no number in a row, and R's missing integer in a list: no level.
        known = (levels >= 1) & (levels <= len(self.codes))
        if not known.all():
            levels = np.where(known, levels, 0)
        codes = self._codes[levels.astype(np.int64)]
        unknown = int(np.count_nonzero(codes < 0))
        if unknown:
            raise LearnerError(f"{title} gave no class for {unknown} of {records} test records")
        return Prediction(codes, fit, predict, tuple(dict.fromkeys(said)))

    def _with_beside(self, made: Prediction, answer: Any, title: str) -> Prediction:
        """The same with probabilities: a column for each level of R, one after the other."""
        records = len(made.codes)
        own = np.asarray(answer["beside"], dtype=np.float64).reshape(len(self.codes), records).T
        known = self.codes >= 0
        columns, count = self.codes[known].astype(np.int64), len(self.dataset.classes)
        return made._replace(
            beside=by_class(own[:, known], columns, records, count, PROBABILITIES, title),
            beside_kind=PROBABILITIES,
            beside_warnings=tuple(one_line(each) for each in answer.get("beside_warnings") or ()),
        )

    @property
    def _codes(self) -> NDArray[np.int32]:
        """The same with none of ours before the first level."""
        return np.concatenate([NO_CODE, self.codes])


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


def _parts(fits: Sequence[Fit]) -> Iterator[Sequence[Fit]]:
    """Fits in the order they came, as many together as may go."""
    part: list[Fit] = []
    count = 0
    for one in fits:
        size = len(one.train) + len(one.test)
        if part and count + size > NUMBERS:
            yield part
            part, count = [], 0
        part.append(one)
        count += size
    if part:
        yield part


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
