"""A study that was found right: its points, and how each is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Optional

from cvinfer.data.dataset import Dataset
from cvinfer.documents import JsonObject
from cvinfer.execute.replications.recipe import Law, Truth
from cvinfer.spec.model import Spec

#: What `ties` may be: whether a difference without any variation counts as a rejection.
TIES = ("not_rejected", "rejected", "papers")
#: What a study means by leaving a key out.
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "draw": None,
        "replications": 1000,
        "grid": MappingProxyType({}),
        "truth": None,
        "ties": "not_rejected",
        "variances": False,
        "partitions": 1,
        "distributions": False,
        "match": None,
    }
)
#: What a test's `mu0` may be besides a number: the mean of its estimate over all replications.
MU0_TRUTH = "truth"


class Range(NamedTuple):
    """Replications from `first` to `last`, both counted from 1 and both in it."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


#: A parameter that is sought is written with so many digits: more are not known.
DIGITS = 6


def rounded(value: float) -> float:
    """A value of a parameter as a search tries it."""
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class Sought:
    """A parameter that is to be found: `path` in the spec, between `low` and `high`.

    to: the learner whose true error is to be met, `of` the one whose parameter it is. lambdas: how
    far from the error of `to` (0) to the lowest that `of` has at an end of the range (1).
    """

    path: str
    low: float
    high: float
    of: str
    to: str
    lambdas: tuple[float, ...]
    replications: int

    @property
    def parameter(self) -> str:
        """The parameter itself."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Point:
    """One point of the grid: the comparison there, and what its replications are drawn from.

    at: grid paths and their values. example: the first replication's data, which the checks were
    made on. twin, paired: as those of a `Recipe`.
    """

    at: JsonObject
    spec: Spec
    population: "Dataset | Law"
    n: Optional[int]
    replace: bool
    truth: Optional[Truth]
    partitions: int
    example: Dataset
    twin: int = 0
    paired: bool = False


@dataclass(frozen=True)
class Study:
    """A study. `written` is the section `study` with every default spelled out."""

    name: str
    written: JsonObject
    points: tuple[Point, ...]
    replications: int
    ties: str
    variances: bool
    distributions: bool
    seed: int
    match: tuple[Sought, ...] = ()
    mu0_truth: tuple[str, ...] = ()
    resolved: JsonObject = field(default_factory=dict)

    @property
    def spec(self) -> Spec:
        """The comparison at the first point: name, places and limits are the same at all."""
        return self.points[0].spec
