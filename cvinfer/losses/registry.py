"""What a measure declares, and the registry of measures: one file of this folder for each.

A loss is a measure of which less is better; both are here, since a comparison treats them alike.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.arrays import entries
from cvinfer.errors import Path
from cvinfer.losses.kinds import CODES
from cvinfer.registry import Registry

#: What is better, a lower value or a higher one.
LOWER, HIGHER = "lower", "higher"
#: Of what a measure has a value: of each record, or of the test records of a split together.
RECORD, SPLIT = "record", "split"

Bounds = tuple[float, float]
Floats = NDArray[np.float64]
#: Where each of many splits begins in a row of records.
Starts = NDArray[np.int64]
Options = Mapping[str, Any]
NOTHING: Options = MappingProxyType({})


class NoValue(ValueError):
    """A measure does not exist on these records; the message says why, as an end of "it ..."."""


class Option(NamedTuple):
    """An option of a measure.

    fault: what a value must be instead, None where it is right. on: the same against the classes of
    a data set. needed: whether the measure cannot be without it.
    """

    description: str
    fault: Callable[[Any], Optional[str]]
    default: Any = None
    needed: bool = False
    on: Optional[Callable[[Any, Sequence[str]], Optional[str]]] = None


class Measured(NamedTuple):
    """A measure made ready for one data set.

    of: from the true class codes of some records and what was predicted for them to the value of
    each record, or to one value for all; raises `NoValue` where there is none. bounds: the least
    and the most that it can be. per_record: whether each record has one. of_splits: see `Loss`.
    """

    of: Callable[[NDArray[Any], NDArray[Any]], Any]
    bounds: Bounds
    per_record: bool = False
    of_splits: Optional[Callable[[NDArray[Any], NDArray[Any], Starts], Floats]] = None

    def means(
        self, truth: NDArray[Any], predicted: NDArray[Any], starts: Starts, power: int = 1
    ) -> Floats:
        """The value of each of many splits, NaN where it does not exist.

        The records of all splits stand one after the other; `starts` says where each begins. power:
        of a measure of records, 2 for the mean of its squares.
        """
        sizes = np.diff(np.append(starts, len(truth)))
        if self.per_record:
            each = np.asarray(self.of(truth, predicted), dtype=np.float64) ** power
            return np.asarray(np.add.reduceat(each, starts) / sizes)
        if self.of_splits is not None:
            return self.of_splits(truth, predicted, starts)
        found = np.full(len(starts), np.nan)
        for at, (first, size) in enumerate(zip(entries(starts), entries(sizes))):
            with contextlib.suppress(NoValue):
                inside = slice(first, first + size)
                found[at] = self.of(truth[inside], predicted[inside])
        return found


class Loss(NamedTuple):
    """What a prediction costs, or how good predictions are.

    of: the losses of some records, from their true class codes and what was predicted for them; or,
    unless `per_record`, one value for all of them. What else it names it is given: its options,
    `classes`, the names of the classes in the order of their codes, and `positive`, the code of the
    class that counts as positive, None without one.
    title: one line for lists and schemas. takes: the kind of prediction that it needs at the least.
    bounds: the least and the most that it can be, or a function from `classes` and the options to
    them. unit: what its mean is called, and `percent` whether that is a share, so that each loss is
    0 or 1 and can be counted. per_record: whether each record has a loss of its own. better:
    whether less or more of it is better. options: by name. short: the same as `unit` in the head of
    a column. brought: whether its values are scores made elsewhere, without any predictions.
    of_splits: the same as `of` for the records of many splits at once, of a measure that splits
    have; it is given `starts` too, where each split begins, and has NaN where `of` raises. None
    where there is no quicker way than one split after the other.
    """

    name: str
    of: Callable[..., Any]
    title: str
    takes: str = CODES
    bounds: Union[Bounds, Callable[..., Bounds]] = (0.0, float("inf"))
    unit: str = "mean loss"
    percent: bool = False
    per_record: bool = True
    better: str = LOWER
    options: Mapping[str, Option] = NOTHING
    short: str = "Loss"
    brought: bool = False
    of_splits: Optional[Callable[..., Floats]] = None

    @property
    def level(self) -> str:
        """Of what it has a value."""
        return RECORD if self.per_record else SPLIT

    @property
    def sign(self) -> float:
        """What turns a difference A minus B so that a positive one means that A is worse."""
        return 1.0 if self.better == LOWER else -1.0

    def defaults(self) -> dict[str, Any]:
        """Every option that has a default."""
        return {name: each.default for name, each in self.options.items() if not each.needed}

    def on(
        self, classes: Sequence[str], positive: Optional[int] = None, options: Options = NOTHING
    ) -> Measured:
        """Ready for data with these classes."""
        about: dict[str, Any] = {**self.defaults(), **options, "classes": tuple(classes)}
        bounds, of_splits = self.bounds, self.of_splits
        known = {**about, "positive": positive}
        return Measured(
            _given(self.of, known),
            bounds(**_named(about, bounds)) if callable(bounds) else bounds,
            self.per_record,
            None if of_splits is None else _given(of_splits, known),
        )

    def missed(self, options: Options, classes: Sequence[str]) -> dict[str, str]:
        """What is wrong with options on data with these classes, by the option."""
        given = {**self.defaults(), **options}
        asked = ((name, each.on) for name, each in self.options.items() if name in given)
        told = {name: on(given[name], classes) for name, on in asked if on is not None}
        return {name: fault for name, fault in told.items() if fault is not None}


def _given(function: Callable[..., Any], known: Mapping[str, Any]) -> Callable[..., Any]:
    """A function with all that it asks for of what is known."""
    wanted = _named(known, function)
    if not wanted:
        return function
    return functools.partial(function, **wanted)


def _named(known: Mapping[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """What of all that is known a function asks for by its name."""
    if not callable(function):
        return {}
    named = inspect.signature(function).parameters
    return {name: value for name, value in known.items() if name in named}


class _Measures(Registry[Loss]):
    """The measures, and beside them those of which files of scores bring values.

    The latter are found by their names, so that results can speak of them, and are in no list:
    there is no way to make them of predictions.
    """

    def __init__(self, kind: str, folder: str, *, ordered: bool) -> None:
        super().__init__(kind, folder, ordered=ordered)
        self._told: dict[str, Loss] = {}

    def tell(self, measure: Loss) -> None:
        """Let a measure be found that a file declares, unless there is one of that name."""
        if measure.name not in list(self):
            self._told[measure.name] = measure

    def find(self, name: Any, path: Path = ()) -> Loss:
        told = self._told.get(name) if isinstance(name, str) else None
        return super().find(name, path) if told is None else told

    def __getitem__(self, name: str) -> Loss:
        return self._told[name] if name in self._told else super().__getitem__(name)


#: The measures by name. `list(losses())` are the words that `loss` and `measures` of a spec may be,
#: and `losses()[name].title` is what is said of one.
losses = _Measures("loss", "cvinfer.losses", ordered=True)


def loss(name: str) -> Loss:
    """The measure called `name`."""
    return losses.find(name, ("loss",))
