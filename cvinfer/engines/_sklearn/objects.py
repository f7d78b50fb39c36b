"""Estimators that are objects of a Python session, and how they reach a worker.

Where an object is scikit-learn's own and its parameters can be written in a spec, it becomes that
entry of a spec (`as_entry`): the same numbers, and a result that anybody can run again. Any other
travels as it is (`Handed`), pickled; classes and functions of a notebook go along by value.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import CATEGORICAL, Dataset
from cvinfer.engines._sklearn.catalogues import (
    OWN_ENGINE,
    SKLEARN_ENGINE,
    own_catalogue,
    sklearn_catalogue,
)
from cvinfer.engines._sklearn.categories import refused_categories
from cvinfer.engines._sklearn.encode import Halves
from cvinfer.engines._sklearn.recipes import (
    TAKES_ONE,
    Reader,
    numbered,
    built,
    is_known,
    stream,
)
from cvinfer.engines.base import NONE, TAKES_SEVERAL, LearnerSpec, plain
from cvinfer.errors import CvinferError, UserError
from cvinfer.worker.captured import one_line

#: The engine of objects that no spec can name.
OBJECT_ENGINE = "object"
#: Parameters that speak of classes or columns by the names they have in the session.
_OF_THE_DATA = ("class_weight", "constant", "classes", "transformers", "priors")


class _NoEntry(Exception):
    """No spec can say this."""


# --- as an entry of a spec ------------------------------------------------------------------------


def as_entry(estimator: Any, dataset: Optional[Dataset] = None) -> Optional[dict[str, Any]]:
    """What a spec would have to say for this estimator; None where it cannot say it.

    Where the data have categories, they reach it as they are if it takes them so.
    """
    try:
        if _is_pipeline(estimator):
            steps = [_form(each) for each in _steps(estimator)]
            entry: dict[str, Any] = {"engine": SKLEARN_ENGINE, "steps": steps}
        else:
            name, params = _named(estimator)
            engine = SKLEARN_ENGINE if _of_sklearn(type(estimator)) else OWN_ENGINE
            entry = {"engine": engine, "learner": name, "params": params}
    except (_NoEntry, CvinferError):
        return None
    steps = [each if isinstance(each, dict) else {each: {}} for each in entry.get("steps", ())]
    pairs = tuple(pair for each in steps for pair in each.items())
    params = entry.get("params", {})
    learner = LearnerSpec("", entry["engine"], entry.get("learner"), pairs or None, params)
    catalogue = sklearn_catalogue() if learner.engine == SKLEARN_ENGINE else own_catalogue()
    node = Reader(catalogue, allow_code=False).read(learner)
    # Read as that of a spec is, the entry must make the same estimator again.
    if node is None or _told(built(node)) != _told(estimator):
        return None
    categorical = dataset is not None and any(c.kind == CATEGORICAL for c in dataset.features)
    if categorical and dataset is not None and not refused_categories(node, dataset):
        entry["encode"] = NONE
    return entry


def _named(estimator: Any) -> tuple[str, dict[str, Any]]:
    """Name and parameters, those that are not the default."""
    cls = type(estimator)
    known = [each.find(cls.__name__) for each in (sklearn_catalogue(), own_catalogue())]
    if cls not in known:
        raise _NoEntry()
    return cls.__name__, {name: _value(name, value) for name, value in _given(estimator)}


def _form(estimator: Any) -> Any:
    name, params = _named(estimator)
    return {name: params} if params else name


def _value(name: str, value: Any) -> Any:
    if name in _OF_THE_DATA and value is not None and not isinstance(value, str):
        raise _NoEntry()
    if name in TAKES_ONE and hasattr(value, "get_params"):
        return _form(value)
    if name in TAKES_SEVERAL and isinstance(value, list):
        return [[str(own), _form(each)] for own, each in value]
    return plain(_plain_only(value))


def _plain_only(value: Any) -> Any:
    """A value that means the same as JSON."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise _NoEntry()
        return {key: _plain_only(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_only(each) for each in value]
    if isinstance(value, np.ndarray):
        return _plain_only(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        raise _NoEntry()
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return value
    raise _NoEntry()


def _is_pipeline(estimator: Any) -> bool:
    cls = type(estimator)
    return (cls.__module__, cls.__name__) == ("sklearn.pipeline", "Pipeline")


def _steps(pipeline: Any) -> list[Any]:
    """The steps, where their names are those that a spec gives them."""
    names = [name for name, _ in pipeline.steps]
    plain_names = [type(each).__name__.lower() for _, each in pipeline.steps]
    if names != [numbered(plain_names, at) for at in range(len(names))]:
        raise _NoEntry()
    if any(name not in ("steps", "verbose") for name, _ in _given(pipeline)):
        raise _NoEntry()
    return [each for _, each in pipeline.steps]


def _of_sklearn(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "sklearn"


def _given(estimator: Any) -> Iterator[tuple[str, Any]]:
    """The parameters that are not what the constructor has by default."""
    defaults = inspect.signature(type(estimator)).parameters
    for name, value in estimator.get_params(deep=False).items():
        default = defaults[name].default if name in defaults else inspect.Parameter.empty
        same = value is default or (type(value) is type(default) and _equal(value, default))
        if not same:
            yield name, value


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (ValueError, TypeError):  # arrays
        return False


def _told(value: Any) -> Any:
    """An estimator as plain values, to be compared and shown; no address of the memory in it."""
    if hasattr(value, "get_params") and not inspect.isclass(value):
        return {type(value).__name__: {name: _told(each) for name, each in _given(value)}}
    if isinstance(value, Mapping):
        return {str(key): _told(each) for key, each in sorted(value.items(), key=str)}
    if isinstance(value, (list, tuple)):
        return [_told(each) for each in value]
    if isinstance(value, np.ndarray):
        return _told(value.tolist())
    try:
        return plain(value)
    except UserError:
        named = getattr(value, "__qualname__", None)
        return str(named) if named else re.sub(r" at 0x[0-9a-f]+", "", one_line(repr(value)))


# --- as it is -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Handed(LearnerSpec):
    """A learner that is an object: `pickled` is what a worker makes it of.

    The settings say what it is in words. They are in the seeds of its fits; the fingerprint of
    the object is in their keys only (`ObjectEngine.versions`), since how an object is pickled may
    change with the day.
    """

    pickled: bytes = b""
    foreign: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        return f"sha256:{hashlib.sha256(self.pickled).hexdigest()}"


def handed(name: str, estimator: Any) -> Handed:
    """An estimator as a learner; it is copied, and what it has learned is left behind."""
    unfitted = _unfitted(estimator)
    return Handed(
        name,
        OBJECT_ENGINE,
        learner=type(estimator).__qualname__,
        params=_told(unfitted)[type(estimator).__name__] if hasattr(unfitted, "get_params") else {},
        pickled=_pickled(name, unfitted),
        foreign=tuple(sorted(set(_foreign(unfitted)))),
    )


def refuse_no_classifier(name: str, estimator: Any) -> None:
    """Refuse what cannot be a learner."""
    place = ("learners", name)
    if inspect.isclass(estimator):
        said = f"{estimator.__name__} is a class; hand over an object, {estimator.__name__}()"
        raise UserError(said, place)
    lacking = [method for method in ("fit", "predict") if not hasattr(estimator, method)]
    if lacking:
        kind = type(estimator).__name__
        said = f"{name!r} is of type {kind}, which has no {' and no '.join(lacking)}"
        raise UserError(said, place, "a classifier with scikit-learn's methods")
    from sklearn.base import is_regressor

    if is_regressor(estimator):
        raise UserError(f"{type(estimator).__name__} is a regressor, no classifier", place)


def _unfitted(estimator: Any) -> Any:
    from sklearn.base import clone

    if hasattr(estimator, "get_params"):
        return clone(estimator)
    return copy.deepcopy(estimator)


def _pickled(name: str, estimator: Any) -> bytes:
    """The object in a form that a worker can read, with classes and functions of a notebook."""
    import joblib  # type: ignore[import]

    try:
        wrapped = joblib.wrap_non_picklable_objects(estimator, keep_wrapper=False)
        data = pickle.dumps(wrapped)
        pickle.loads(data)
        return data
    except Exception as error:  # whatever an object's own methods raise
        raise UserError(
            f"the {type(estimator).__name__} cannot be sent to worker processes: "
            f"{type(error).__name__}: {one_line(error)}",
            ("learners", name),
            "parameters that can be pickled; what is open, such as a file, a lock or a session, is "
            "to be opened in fit",
        ) from None


def _foreign(value: Any) -> Iterator[str]:
    """The modules of the classes in an estimator that are not scikit-learn's or ours."""
    if hasattr(value, "get_params") and not inspect.isclass(value):
        for each in value.get_params(deep=False).values():
            yield from _foreign(each)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _foreign(each)
        return
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _foreign(each)
        return
    elif not (hasattr(value, "fit") or callable(value)):
        return
    module = getattr(value if callable(value) else type(value), "__module__", None)
    module = module or type(value).__module__
    if module.partition(".")[0] not in ("builtins", "numpy", "sklearn") and not is_known(
        type(value)
    ):
        yield module


class HandedRecipe:
    """Makes the object anew for every fit, with its random streams set as a recipe's are."""

    def __init__(self, learner: Handed, labels: NDArray[Any]) -> None:
        self.foreign = bool(learner.foreign)
        self.title = str(learner.learner)
        self._pickled, self._labels = learner.pickled, labels

    def make(self, seed: int) -> Any:
        estimator = pickle.loads(self._pickled)
        if hasattr(estimator, "get_params"):
            settings: dict[str, Any] = {}
            for path, value in sorted(estimator.get_params(deep=True).items()):
                last = path.rpartition("__")[2]
                if value is None and last == "random_state":
                    settings[path] = stream(seed, path)
                elif value is None and last == "n_jobs":
                    settings[path] = 1
            if settings:
                estimator.set_params(**settings)
        return Labelled(estimator, self._labels)


class Labelled:
    """An estimator that learns the labels of the session, seen with class codes from outside."""

    def __init__(self, estimator: Any, labels: NDArray[Any]) -> None:
        self.estimator, self.labels = estimator, labels
        self._codes = {label: code for code, label in enumerate(labels.tolist())}

    def fit(self, X: Any, y: NDArray[np.int64]) -> Labelled:
        self.estimator.fit(X, self.labels[y])
        return self

    def predict(self, X: Any) -> Any:
        return self._coded(self.estimator.predict(X))

    @property
    def classes_(self) -> Any:
        return self._coded(self.estimator.classes_)

    def __getattr__(self, name: str) -> Any:
        if name == "estimator":
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def _coded(self, raw: Any) -> Any:
        if np.ma.is_masked(raw):  # type: ignore[no-untyped-call]
            return raw
        found = np.asarray(raw)
        if found.ndim == 2 and found.shape[1] == 1:
            found = found[:, 0]
        if found.ndim != 1:
            return found.astype(object)
        codes = [self._codes.get(each, -1) for each in found.tolist()]
        if -1 not in codes:
            return np.array(codes, dtype=np.int64)
        # Text, which is no code whatever it looks like, so that it is told as it is.
        return np.array([f"label {each}" for each in found.tolist()], dtype=object)


class Rows:
    """Features as they were handed over, by their rows."""

    def __init__(self, X: Any) -> None:
        X = X.tocsr() if hasattr(X, "tocsr") else X
        self.X = X if hasattr(X, "iloc") or hasattr(X, "shape") else np.array(X, dtype=object)

    def halves(self, train: NDArray[np.int64], test: NDArray[np.int64]) -> Halves:
        rows = self.X.iloc if hasattr(self.X, "iloc") else self.X
        return Halves(rows[train], rows[test])
