"""What a measure declares, and the registry of measures: one file of this folder for each.

A loss is a measure of which less is better; both are here, since a comparison treats them alike.
"""

from __future__ import annotations

import functools
import inspect
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from numpy.typing import NDArray

from cvinfer.losses.kinds import CODES
from cvinfer.registry import Registry

#: What is better, a lower value or a higher one.
LOWER, HIGHER = "lower", "higher"
#: Of what a measure has a value: of each record, or of the test records of a split together.
RECORD, SPLIT = "record", "split"

Bounds = tuple[float, float]
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
    and the most that it can be.
    """

    of: Callable[[NDArray[Any], NDArray[Any]], Any]
    bounds: Bounds


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
    a column.
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
        about = {**self.defaults(), **options, "classes": tuple(classes)}
        of, bounds = self.of, self.bounds
        wanted = _named({**about, "positive": positive}, of)
        if wanted:
            of = functools.partial(of, **wanted)
        return Measured(of, bounds(**_named(about, bounds)) if callable(bounds) else bounds)

    def missed(self, options: Options, classes: Sequence[str]) -> dict[str, str]:
        """What is wrong with options on data with these classes, by the option."""
        given = {**self.defaults(), **options}
        asked = ((name, each.on) for name, each in self.options.items() if name in given)
        told = {name: on(given[name], classes) for name, on in asked if on is not None}
        return {name: fault for name, fault in told.items() if fault is not None}


def _named(known: Mapping[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """What of all that is known a function asks for by its name."""
    if not callable(function):
        return {}
    named = inspect.signature(function).parameters
    return {name: value for name, value in known.items() if name in named}


#: The measures by name. `list(losses())` are the words that `loss` and `measures` of a spec may be,
#: and `losses()[name].title` is what is said of one.
losses: Registry[Loss] = Registry("loss", "cvinfer.losses", ordered=True)


def loss(name: str) -> Loss:
    """The measure called `name`."""
    return losses.find(name, ("loss",))
