"""What the checks of the parts of a spec share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, Refusal
from cvinfer.errors import Path as Place
from cvinfer.spec import work
from cvinfer.spec.model import DEFAULTS
from cvinfer.spec.shape import check_shape, quoted
from cvinfer.spec.text import Document

if TYPE_CHECKING:
    from cvinfer.data import Dataset
    from cvinfer.data.dataset import DataLike


class Available(NamedTuple):
    """A partition that tests may use."""

    scheme: str
    options: JsonObject

    def __str__(self) -> str:
        shown = {k: v for k, v in self.options.items() if v not in (None, False)}
        settings = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{self.scheme}({settings})" if settings else self.scheme


@dataclass
class Context:
    """The spec that is checked, and what is known of it so far.

    bad: places with a fault of shape, which are checked no further; a key that is given as nothing
    is one. data: one entry for each data set, None where it could not be read. group_columns: the
    name of each data set, and the column that its own `groups` names. ready: the data sets, where
    they are there already and need not be read. one_learner: whether one learner alone may be
    compared, with the `mu0` of each test. going_on: one of several data sets that something is
    wrong with is no fault here: whoever goes on with the others tells it. lost: these, by their
    names, and what is wrong.
    """

    document: Document
    base: Path
    allow_code: bool
    bad: list[Place] = field(init=False)
    value: JsonObject = field(init=False)
    seed: int = field(init=False)
    data: list[Optional[DataLike]] = field(default_factory=list)
    group_columns: list[tuple[str, Optional[str]]] = field(default_factory=list)
    ready: Optional[Sequence[DataLike]] = None
    one_learner: bool = False
    going_on: bool = False
    lost: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bad = check_shape(self.document)
        self.value = self.document.value
        seed = self.or_default("seed")
        self.seed = seed if isinstance(seed, int) else 0

    @property
    def fitted(self) -> list[Dataset]:
        """The data sets that learners are fitted on, of those that were read."""
        from cvinfer.data import Dataset

        return [data for data in self.data if isinstance(data, Dataset)]

    @property
    def several(self) -> bool:
        """Whether there is more than one data set."""
        given = self.value.get("data")
        return isinstance(given, list) and len(given) > 1

    def goes_on_without(self, name: object, fault: object) -> bool:
        """Whether a data set that something is wrong with is left out, and that told by others."""
        if not (self.going_on and self.several):
            return False
        self.lost[str(name)] = " ".join(str(fault).split())
        self.data[:] = [None if one is None or one.name == name else one for one in self.data]
        return True

    @property
    def predicted(self) -> list[DataLike]:
        """Those that bring predictions made elsewhere."""
        return [data for data in self.data if data is not None and data.made_elsewhere]

    def fine(self, path: Place) -> bool:
        """No fault of shape at this place, above it or below it."""
        return not any(bad[: len(path)] == path or path[: len(bad)] == bad for bad in self.bad)

    def fault(
        self,
        path: Place,
        message: str,
        allowed: Optional[str] = None,
        suggestion: Optional[str] = None,
        *,
        key: bool = False,
        shown: Optional[Place] = None,
        there: Optional[str] = None,
    ) -> None:
        """Add a fault; see `Document.fault`."""
        self.document.add(path, message, allowed, suggestion, key=key, shown=shown, there=there)

    def or_default(self, key: str) -> object:
        """What the spec says there, or means by saying nothing."""
        given = self.value.get(key) if self.fine((key,)) else None
        return DEFAULTS[key] if given is None else given

    def number(self, key: str) -> float:
        """The same of what is a number by its schema, where it is fine."""
        found = self.or_default(key)
        assert isinstance(found, (int, float))
        return float(found)

    def too_much(self, found: Optional[work.TooMuch]) -> bool:
        """Whether something goes beyond a limit, which is then a fault."""
        if found is not None:
            self.fault(found.place, found.message, found.allowed)
        return found is not None

    def fits_at_most(self, scheme: str, options: JsonObject, place: Place) -> bool:
        """Whether this scheme on these data is within the limits."""
        from cvinfer.partitions import schemes

        info = schemes()[scheme]
        sizes = [data.n for data in self.fitted]
        counts = [info.count(n, options) for n in sizes]
        learners = self.value.get("learners")
        many = len(learners) if isinstance(learners, dict) else 1
        found = work.too_many_fits(counts, many, place)
        for count, n in zip(counts, sizes):
            found = found or work.too_large(count, n, place)
        return not self.too_much(found)

    def on(self, name: str) -> str:
        """Which data set a fault is about, where there are several."""
        return f"on data set {quoted(name)}: " if self.several else ""


def placed_schemes(given: object) -> list[tuple[dict[str, Any], Place]]:
    """The entries of `partition`, each as a mapping with `scheme`, and their places."""

    def placed(entry: object, *index: int) -> tuple[dict[str, Any], Place]:
        return dict(entry) if isinstance(entry, dict) else {"scheme": entry}, ("partition", *index)

    if isinstance(given, list):
        return [placed(entry, index) for index, entry in enumerate(given)]
    return [placed(given)]


def is_off(groups: object) -> bool:
    """Whether `groups` of a partition switches the groups of the data off."""
    return isinstance(groups, str) and groups.lower() == "false"


def refusal_of(error: CvinferError) -> Refusal:
    """What was refused, in its parts; an error that has none is its message alone."""
    return error if isinstance(error, Refusal) else Refusal(str(error))
