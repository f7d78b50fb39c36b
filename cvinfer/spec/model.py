"""A spec that was found right: what the planner, the executor and the reports work from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from cvinfer.documents import JsonObject
from cvinfer.inference import correction, procedure
from cvinfer.inference.takes import fits
from cvinfer.losses.kinds import most
from cvinfer.losses.registry import Loss, loss
from cvinfer.spec.options import defaults_of

if TYPE_CHECKING:
    from cvinfer.engines.base import LearnerSpec

LANGUAGE_VERSION = 1

#: What a spec means by leaving a key out.
DEFAULTS: JsonObject = MappingProxyType(
    {
        "compare": "all",
        "partition": "auto",
        "tests": "recommended",
        "primary": None,
        "margin": None,
        "across": None,
        "control": None,
        "bayes": False,
        "intervals": (),
        "alpha": 0.05,
        "correction": correction.DEFAULT,
        "seed": 0,
        "loss": "zero_one",
        "measures": None,
        "positive": None,
    }
)

#: The test that makes few false claims wherever that was measured (docs/tests.md), and no other:
#: with several tests to choose from, false claims become frequent again.
RECOMMENDED_TESTS = ("bcv_5x2_mcnemar",)
RECOMMENDED_INTERVALS = ("f1_beta_prime",)
#: The same by measures by which error rates were not measured, or by which no test held: the t test
#: that comes nearest to its level by zero_one and needs no fit that the test above does not.
RECOMMENDED_BY_VALUES = ("blocked_3x2_t",)


#: A and B of a comparison; B is None where A is compared with a number.
Pair = tuple[str, Optional[str]]


@dataclass(frozen=True)
class TestRequest:
    """A test or an interval with the options that the spec gives.

    `measures` are those that it is made by; without any, all of the spec's that it takes.
    """

    __test__ = False  # not something pytest collects

    name: str
    options: JsonObject = field(default_factory=dict)
    measures: tuple[str, ...] = ()

    def by(self, measure: str) -> bool:
        """Whether it is made by a measure of the spec."""
        if self.measures and measure not in self.measures:
            return False
        return fits(procedure(self.name), loss(measure))


@dataclass(frozen=True)
class MeasureRequest:
    """A measure with the options that the spec gives.

    `brought` is what scores made elsewhere are of; a spec does not name it.
    """

    name: str
    options: JsonObject = field(default_factory=dict)
    brought: Optional[Loss] = None

    @property
    def declared(self) -> Loss:
        """What it declares."""
        return loss(self.name) if self.brought is None else self.brought


@dataclass(frozen=True)
class SchemeRequest:
    """A partition scheme with the options that the spec gives; scheme "file" has a path."""

    scheme: str
    options: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    """One comparison. `base` is the directory that relative paths start from.

    `pairs` are (A, B), and (A, None) where the mean loss of A alone is set against the `mu0` of
    each test, which a study can do; `partition` is None where each test gets the scheme it needs.
    `learners` is empty where the data are predictions made elsewhere: the pairs then name columns
    of the file. `primary` is the one of `tests` that decides, None only where there are none;
    `margin`, on the scale of the loss, is the size of a difference that counts as none, for each of
    several measures its own. `measures` are what learners are compared by, the first before all.
    `across` says whether the data sets are compared together, None that several are; `control` is
    the learner that all others are then compared with. `bayes` asks for posteriors of differences.
    """

    name: str
    base: Path
    data: tuple[JsonObject, ...]
    learners: Mapping[str, "LearnerSpec"]
    pairs: tuple[Pair, ...]
    partition: Optional[tuple[SchemeRequest, ...]]
    tests: tuple[TestRequest, ...]
    intervals: tuple[TestRequest, ...] = ()
    primary: Optional[str] = None
    margin: Union[float, Mapping[str, float], None] = None
    across: Optional[bool] = None
    control: Optional[str] = None
    bayes: bool = False
    alpha: float = 0.05
    correction: correction.Written = correction.DEFAULT
    seed: int = 0
    measures: tuple[MeasureRequest, ...] = (MeasureRequest("zero_one"),)
    positive: Optional[str] = None
    limits: JsonObject = field(default_factory=dict)
    output: JsonObject = field(default_factory=dict)

    @property
    def loss(self) -> str:
        """The first of the measures."""
        return self.measures[0].name

    @property
    def loss_alone(self) -> bool:
        """Whether wrong predictions are all that counts."""
        return [each.name for each in self.measures] == [DEFAULTS["loss"]]

    @property
    def takes(self) -> str:
        """The kind of prediction that all measures can be made of."""
        return most(each.declared.takes for each in self.measures)

    def margin_by(self, measure: str) -> Optional[float]:
        """The margin of a measure."""
        if isinstance(self.margin, Mapping):
            return self.margin.get(measure)
        return self.margin if measure == self.loss else None

    @property
    def of_two(self) -> tuple[tuple[str, str], ...]:
        """The pairs that are of two learners; all but in studies."""
        return tuple((a, b) for a, b in self.pairs if b is not None)

    @property
    def compares_across(self) -> bool:
        """Whether the data sets are compared together."""
        return len(self.data) > 1 if self.across is None else self.across

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns that partitions group by; they are no features."""
        asked = [request.options.get("groups") for request in self.partition or ()]
        return tuple(dict.fromkeys(column for column in asked if isinstance(column, str)))

    def resolved(self) -> dict[str, Any]:
        """The spec with every default spelled out: JSON-able, and itself a spec.

        Where the data are predictions, `learners` is left out, as it has to be.
        """
        learners = {name: _learner(entry) for name, entry in self.learners.items()}
        return {
            "cvinfer": LANGUAGE_VERSION,
            "name": self.name,
            "data": [_plain(entry) for entry in self.data],
            **({"learners": learners} if learners else {}),
            "compare": _compare(self.pairs),
            "partition": "auto" if self.partition is None else [_scheme(s) for s in self.partition],
            "tests": [_request(request) for request in self.tests],
            "primary": self.primary,
            "margin": _plain(self.margin),
            "across": self.across,
            "control": self.control,
            "bayes": self.bayes,
            "intervals": [_request(request) for request in self.intervals],
            "alpha": self.alpha,
            "correction": _plain(self.correction),
            "seed": self.seed,
            **self._measured(),
            "positive": self.positive,
            "limits": {"seconds": None, "memory_mb": None, **self.limits},
            "output": _plain(self.output),
        }

    def _measured(self) -> dict[str, Any]:
        """One measure is `loss`, if it has no options; several are `measures`."""
        if any(request.brought is not None for request in self.measures):
            return {}
        shown = [_measure(request) for request in self.measures]
        short = len(shown) == 1 and isinstance(shown[0], str)
        return {"loss": shown[0]} if short else {"measures": shown}


def _measure(request: MeasureRequest) -> Any:
    options = {**request.declared.defaults(), **request.options}
    return {request.name: _plain(options)} if options else request.name


def _compare(pairs: tuple[Pair, ...]) -> Any:
    """The pairs as a spec has them; a learner without another stands alone."""
    if any(b is None for _, b in pairs):
        return [a for a, _ in pairs]
    return [list(pair) for pair in pairs] or "all"


def _learner(entry: "LearnerSpec") -> dict[str, Any]:
    from cvinfer.engines import engine
    from cvinfer.engines.base import spelled

    settings = entry.settings()
    # The engine's own options stand beside the others in a spec.
    options = settings.pop("options", {})
    if entry.steps is not None and not settings.get("params"):
        settings.pop("params", None)
    return {**settings, **options, "encode": spelled(engine(entry.engine), entry.encode)}


def _request(request: TestRequest) -> Any:
    options = _plain({**defaults_of(procedure(request.name)), **request.options})
    by = {"measures": list(request.measures)} if request.measures else {}
    return {request.name: {**options, **by}}


def _scheme(request: SchemeRequest) -> dict[str, Any]:
    from cvinfer.partitions import schemes

    known = schemes().get(request.scheme)
    defaults: dict[str, Any] = {}
    if known is not None:
        # An option that the scheme derives from n has no default to spell out.
        defaults = {key: value for key, value in known.defaults.items() if value is not None}
        if known.stratify:
            defaults["stratify"] = False
    return {"scheme": request.scheme, **_plain({**defaults, **request.options})}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(child) for child in value]
    return value
