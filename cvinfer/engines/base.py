"""What an engine is: the types that the spec, the executor and every engine share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Generic,
    Iterable,
    Mapping,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    TypeVar,
    Union,
    runtime_checkable,
)

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import LearnerError, Refusal, UserError
from cvinfer.losses.kinds import CODES, codes_of

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset


#: Parameters that hold several estimators under names: their order has a meaning.
TAKES_SEVERAL = ("estimators", "transformer_list")
#: The ways in which categories reach a learner.
ONE_HOT, ORDINAL, NATIVE = "one-hot", "ordinal", "native"
#: What `encode` means where it is left out, and where columns are handed over as they are.
AUTO, NONE = "auto", "none"
#: `encode` of engines whose learners know categories: there is nothing to choose.
KNOWS_CATEGORIES: Mapping[str, str] = {AUTO: NATIVE, NONE: NATIVE}
#: JSON has no infinities; inside settings their names are unambiguous enough.
NOT_FINITE = ("inf", "-inf", "nan")

Form = TypeVar("Form")


@dataclass(frozen=True)
class LearnerSpec:
    """One entry of `learners:`: either `learner` with its `params`, or `steps`.

    flags: the parameters as one text or a list, for engines that take them so. encode: how
    categories are to reach it, a word of its engine's `encodes`; None where that is the engine's
    own way, which has no part in the settings, so that fits stored before are those of today.
    """

    name: str
    engine: str
    learner: Optional[str] = None
    steps: Optional[tuple[tuple[str, Mapping[str, Any]], ...]] = None
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    flags: Union[str, tuple[Any, ...], None] = None
    encode: Optional[str] = None

    def settings(self) -> dict[str, Any]:
        """Everything that matters to the fit, JSON-able and in one order; not the name."""
        found: dict[str, Any] = {"engine": self.engine}
        if self.learner is not None:
            found["learner"] = self.learner
        if self.steps is not None:
            found["steps"] = [
                {name: plain(params, ("steps", i, name))} for i, (name, params) in _numbered(self)
            ]
        params = self.params if self.flags is None else self.flags
        found["params"] = plain(params, ("params",))
        found["options"] = plain(self.options, ("options",))
        if self.encode is not None:
            found["encode"] = self.encode
        return found


class ByLearner(Generic[Form]):
    """What an engine makes of an entry, made once: fits come by the thousand, entries do not.

    Entries are told apart by identity, which is what the fits of a worker have; the last few are
    kept, each with its entry, so that nothing else can take its place.
    """

    def __init__(self, make: Callable[[LearnerSpec], Form], most: int = 64) -> None:
        self._make, self._most = make, most
        self._made: dict[int, tuple[LearnerSpec, Form]] = {}

    def of(self, learner: LearnerSpec) -> Form:
        known = self._made.get(id(learner))
        if known is not None:
            return known[1]
        made = self._make(learner)
        while len(self._made) >= self._most:
            del self._made[next(iter(self._made))]
        self._made[id(learner)] = (learner, made)
        return made


class LearnerInfo(NamedTuple):
    """What `cvinfer list learners` shows; one that cannot be used is listed with its reason."""

    name: str
    description: str
    available: bool = True
    reason: Optional[str] = None
    aliases: tuple[str, ...] = ()


class Prediction(NamedTuple):
    """What was predicted for the test records, in the order of `test`, and what it took to get it.

    kind: what the values are (`cvinfer.losses.kinds`). beside: where more than class codes was
    wanted, a row for each record and a column for each class of the data set, in its order; a class
    that was not seen in training has probability 0, or the score -inf. beside_kind: PROBABILITIES,
    or SCORES of a learner that has no more. beside_warnings: what was said while it was made.
    """

    values: NDArray[Any]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...] = ()
    kind: str = CODES
    beside: Optional[NDArray[np.float64]] = None
    beside_kind: Optional[str] = None
    beside_warnings: tuple[str, ...] = ()

    @property
    def codes(self) -> NDArray[np.int32]:
        """The values, where they are class codes."""
        return codes_of(self.values, self.kind)


class Session(Protocol):
    """An engine holding one data set, converted once; after that only index arrays travel."""

    def predict(
        self,
        learner: LearnerSpec,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        seed: int,
        wants: str = CODES,
    ) -> Prediction:
        """Fit on `train`, predict `test`; raises `LearnerError` where the learner fails.

        wants: SCORES are content with probabilities, which are preferred; PROBABILITIES are not
        with scores. The class codes are the same whatever is wanted beside them.
        """


class Fit(NamedTuple):
    """What one fit is asked for; `wants` as in `Session.predict`."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    seed: int
    wants: str = CODES


@runtime_checkable
class ManyFits(Protocol):
    """A session that is quicker where several fits are asked for at once."""

    def predict_all(
        self, learner: LearnerSpec, fits: Sequence[Fit]
    ) -> Sequence[Union[Prediction, LearnerError]]:
        """What `predict` returns or raises for each of them; only a worker's end is raised."""


def only(found: Sequence[Union[Prediction, LearnerError]]) -> Prediction:
    """The prediction of a single fit; raises what it failed with."""
    (one,) = found
    if isinstance(one, LearnerError):
        raise one
    return one


class OneOfMany:
    """What `ManyFits` makes of a single fit, for a session that makes all in one way."""

    def predict_all(
        self, learner: LearnerSpec, fits: Sequence[Fit]
    ) -> Sequence[Union[Prediction, LearnerError]]:
        raise NotImplementedError

    def predict(
        self,
        learner: LearnerSpec,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        seed: int,
        wants: str = CODES,
    ) -> Prediction:
        return only(self.predict_all(learner, [Fit(train, test, seed, wants)]))


class InR(Protocol):
    """What the learners of an engine need of R, told without R where R is not there.

    software: what a fit runs in, R or something within R. java: whether that needs Java.
    """

    software: str
    java: bool

    def packages(self, learner: str, options: Mapping[str, Any]) -> Collection[str]:
        """The R packages that an entry of `learners` needs, as far as it can be read."""

    def declared(self) -> Optional[Mapping[str, Collection[str]]]:
        """Every learner with the R packages that it needs; None where nothing here can tell."""


class Engine(Protocol):
    """One kind of learners; stateless, so that it can be named anywhere and opened in a worker.

    takes_missing: its learners have their own ways with missing values. takes_flags: `params` may
    be a text or a list of flags. encodes: the words that `encode` of a learner may be, `AUTO` among
    them, with the way in which categories then reach it. trial: the learner that `cvinfer doctor`
    fits to see whether the engine works; None where its small comparison in Python shows that.
    in_r: what it needs of R; None where it needs no R.
    """

    name: str
    takes_missing: bool
    takes_flags: bool
    encodes: Mapping[str, str]
    trial: Optional[str] = None
    in_r: Optional[InR] = None

    def reason(self) -> Optional[str]:
        """Why this engine cannot be used here; None where it can."""

    def open(self, dataset: Dataset) -> Session:
        """A session on this data set."""

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        """Every fault of the entry that can be known before a fit; paths start inside the entry."""

    def learners(self) -> list[LearnerInfo]:
        """The learners there are, and those that there would be."""

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        """The packages that make a fit (of this learner), for store key and manifest."""

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        """What becomes of training records with missing values; None where there may be none."""

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        """The most that a learner gives: CODES, SCORES or PROBABILITIES.

        Told without a fit; None where only a fit can tell. The entry has been checked.
        """


def gives(engine: Engine, learner: LearnerSpec) -> Optional[str]:
    """The same for any engine; those of plug-ins may have been written before it was asked."""
    tell = getattr(engine, "gives", None)
    return None if tell is None else tell(learner)


def own_word(engine: Engine, encode: Optional[str]) -> Optional[str]:
    """`encode` of a learner as settings have it: None for whatever is the engine's own way."""
    way = engine.encodes.get(AUTO if encode is None else encode)
    return None if way == engine.encodes[AUTO] else encode


def spelled(engine: Engine, encode: Optional[str]) -> str:
    """`encode` of a learner as a word that says the way, where it was left out."""
    if encode is not None:
        return encode
    own = engine.encodes[AUTO]
    return next(word for word, way in engine.encodes.items() if way == own and word != AUTO)


def plain(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """`value` as JSON can hold it: mappings with sorted string keys, lists, finite numbers.

    Where the order of a mapping has a meaning and is not the sorted one, it becomes a list of
    pairs, which is another way to write it. `unnamed` undoes what happens to infinities.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item(), path)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        keyed = {str(key): plain(each, (*path, key)) for key, each in value.items()}
        if path[-1:] and path[-1] in TAKES_SEVERAL and list(keyed) != sorted(keyed):
            return [[key, each] for key, each in keyed.items()]
        return dict(sorted(keyed.items()))
    if isinstance(value, (list, tuple)):
        return [plain(each, (*path, i)) for i, each in enumerate(value)]
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), path)
    place = ".".join(map(str, path))
    raise UserError(
        f"{place}: a {type(value).__name__} cannot be written in a spec; "
        "use numbers, text, lists and mappings (an estimator as {Name: {param: value}})",
        path,
    )


def unnamed(value: Any) -> Any:
    """`value` with infinities in the place of their names, so that settings can be read again."""
    if isinstance(value, str):
        return float(value) if value in NOT_FINITE else value
    if isinstance(value, Mapping):
        # The class that a learner always predicts is a label, whatever it looks like.
        return {key: each if key == "constant" else unnamed(each) for key, each in value.items()}
    return [unnamed(each) for each in value] if isinstance(value, (list, tuple)) else value


def _numbered(learner: LearnerSpec) -> Iterable[tuple[int, tuple[str, Mapping[str, Any]]]]:
    return enumerate(learner.steps or ())
