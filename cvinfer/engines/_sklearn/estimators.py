"""What engines of scikit-learn estimators share: the session, the checks, the versions."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.engines._beside import by_class
from cvinfer.engines.base import (
    AUTO,
    NATIVE,
    NONE,
    ONE_HOT,
    ORDINAL,
    ByLearner,
    InR,
    LearnerInfo,
    LearnerSpec,
    Prediction,
    Session,
)
from cvinfer.engines._sklearn.categories import (
    is_placed,
    refused_categories,
    still_missing,
    steps_of,
)
from cvinfer.engines._sklearn.beside import beside_classes, gives
from cvinfer.engines._sklearn.encode import VERSION, Encoder, Frames, Ordinal
from cvinfer.engines._sklearn.own_code import own_versions
from cvinfer.errors import LearnerError, Refusal
from cvinfer.losses.kinds import CODES
from cvinfer.packages import NUMPY, PANDAS, SCIPY, SKLEARN
from cvinfer.worker.captured import one_line, quietly, texts
from cvinfer.engines._sklearn.recipes import (
    Catalogue,
    Node,
    Reader,
    Recipe,
    built,
    forms_in,
    is_foreign,
)

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset

#: What makes a fit.
MAKERS = (SKLEARN, NUMPY, SCIPY)
#: What makes the features of a split, by the way in which categories reach the learner.
ENCODERS: Mapping[str, type[Encoder]] = {ONE_HOT: Encoder, ORDINAL: Ordinal, NATIVE: Frames}
ENCODES: Mapping[str, str] = {AUTO: ONE_HOT, "onehot": ONE_HOT, "ordinal": ORDINAL, NONE: NATIVE}


class EstimatorEngine:
    """An engine whose learners are the classes of a catalogue."""

    name: str
    takes_missing = False
    takes_flags = False
    encodes = ENCODES
    trial: Optional[str] = None
    in_r: Optional[InR] = None

    def catalogue(self) -> Catalogue:
        raise TypeError(f"the engine {self.name} has no catalogue")

    def reason(self) -> Optional[str]:
        return _why_no_sklearn()

    def open(self, dataset: Dataset) -> Session:
        why = self.reason()
        if why is not None:
            raise LearnerError(f"the engine {self.name} cannot be used here: {why}")
        return EstimatorSession(self.catalogue(), dataset)

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        why = self.reason()
        if why is not None:
            message = f"the engine {self.name} cannot be used here: {why}"
            return [Refusal(message, ("engine",), "install scikit-learn")]
        if learner.encode == NONE and package_version(PANDAS.name, PANDAS.module) == "absent":
            message = "columns as they are come in a data frame, and pandas is not installed"
            return [Refusal(message, ("encode",), "install pandas, or another encode")]
        classes = None if dataset is None else dataset.classes
        columns = None if dataset is None else [each.name for each in dataset.features]
        reader = Reader(self.catalogue(), allow_code, classes, columns)
        node = reader.read(learner)
        if node is None or dataset is None:
            return reader.problems
        found = [*_missing_values(node, dataset), *self.check_fit(learner, node, dataset)]
        if learner.encode == NONE and not found:
            with quietly(), _global_streams(True, 0):
                return refused_categories(node, dataset)
        return found

    def check_fit(self, learner: LearnerSpec, node: Node, dataset: Dataset) -> list[Refusal]:
        """Faults that only show once learner and data set are seen together."""
        return []

    def learners(self) -> list[LearnerInfo]:
        why = self.reason()
        if why is not None:
            return [LearnerInfo(self.name, f"the whole engine {self.name}", False, why)]
        catalogue = self.catalogue()
        return [
            LearnerInfo(
                name,
                first_line(cls),
                name not in catalogue.unfit,
                catalogue.unfit.get(name),
                tuple(short for short, long in catalogue.aliases.items() if long == name),
            )
            for name, cls in catalogue.classifiers.items()
        ]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        found = {each.name: package_version(each.name, each.module) for each in MAKERS}
        found["cvinfer encoding"] = VERSION
        if learner is not None and learner.encode == NONE:
            found["pandas"] = package_version(PANDAS.name, PANDAS.module)
        for name in foreign_names(learner) if learner is not None else ():
            found.update(foreign_version(name.partition(":")[0]))
        return dict(sorted(found.items()))

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return None

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        if self.reason() is not None or any(foreign_names(learner)):
            return None
        node = Reader(self.catalogue(), allow_code=True).read(learner)
        return None if node is None else gives(node)


class EstimatorSession:
    """One data set for scikit-learn estimators: features as they want them, classes as codes."""

    def __init__(self, catalogue: Catalogue, dataset: Dataset) -> None:
        self.catalogue = catalogue
        self.dataset = dataset
        self.classes = dataset.classes
        self._encoders: dict[str, Encoder] = {}
        self.y = np.ascontiguousarray(dataset.target, dtype=np.int64)
        self._recipes = ByLearner(self._recipe)

    def predict(
        self,
        learner: LearnerSpec,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        seed: int,
        wants: str = CODES,
    ) -> Prediction:
        recipe = self._recipes.of(learner)
        x, y = self.encoder(learner.encode).halves(train, test), self.y[train]
        with quietly() as caught, _global_streams(recipe.foreign, seed):
            try:
                estimator = recipe.make(seed)
                start = time.perf_counter()
                estimator.fit(x.train, y)
                fitted = time.perf_counter()
                raw = estimator.predict(x.test)
                end = time.perf_counter()
            except MemoryError:  # nothing to do with the learner: left to who runs it
                raise
            except Exception as error:  # a learner may fail in any way: that is a result too
                raise LearnerError(self._why(recipe, y, error)) from error
            codes = known_codes(raw, len(test), self.classes, recipe.title)
            made = Prediction(codes, fitted - start, end - fitted, texts(caught))
            if wants == CODES:
                return made
            # Only now, when the classes are there: what is wanted beside them can change none.
            return self._with_beside(made, recipe, estimator, x.test, y, wants)

    def _with_beside(
        self,
        made: Prediction,
        recipe: Recipe,
        estimator: Any,
        x: Any,
        y: NDArray[np.int64],
        wants: str,
    ) -> Prediction:
        with quietly() as caught:
            try:
                start = time.perf_counter()
                found, kind = beside_classes(estimator, x, wants, recipe.title)
                seconds = time.perf_counter() - start
                own = np.asarray(getattr(estimator, "classes_", np.unique(y)))
            except (MemoryError, LearnerError):
                raise
            except Exception as error:
                raise LearnerError(self._why(recipe, y, error)) from error
        columns = known_codes(own, own.size, self.classes, recipe.title).astype(np.int64)
        beside = by_class(found, columns, len(made.codes), len(self.classes), kind, recipe.title)
        return made._replace(
            beside=beside,
            beside_kind=kind,
            beside_warnings=texts(caught),
            seconds_predict=made.seconds_predict + seconds,
        )

    def encoder(self, encode: Optional[str] = None) -> Encoder:
        """The data set as `encode` wants it, converted once."""
        way = ENCODES[encode or AUTO]
        if way not in self._encoders:
            self._encoders[way] = ENCODERS[way](self.dataset)
        return self._encoders[way]

    def _recipe(self, learner: LearnerSpec) -> Recipe:
        # What is not allowed was refused when the entry was checked.
        reader = Reader(self.catalogue, allow_code=True, classes=self.classes)
        node = reader.read(learner)
        if node is None:
            raise LearnerError("; ".join(each.message for each in reader.problems))
        return Recipe(node, any(foreign_names(learner)))

    def _why(self, recipe: Recipe, y: NDArray[np.int64], error: Exception) -> str:
        said = f"{type(error).__name__}: {one_line(error)}"
        if "unknown categories" in said:
            said += "; these are in no training record: the encoder's handle_unknown says what then"
        present = np.unique(y)
        if present.size == 1:
            label = self.classes[int(present[0])]
            return (
                f"{recipe.title} cannot learn from one class: all {y.size} training records "
                f"are of class {label!r} ({said})"
            )
        return f"{recipe.title} failed with {y.size} training records: {said}"


def known_codes(raw: Any, count: int, classes: tuple[str, ...], learner: str) -> NDArray[np.int32]:
    """Predictions as class codes; anything but one known class a record is a failure."""
    if np.ma.is_masked(raw):  # type: ignore[no-untyped-call]
        count_masked = int(np.ma.getmaskarray(raw).sum())  # type: ignore[no-untyped-call]
        raise LearnerError(
            f"{learner} gave masked predictions, which say nothing: {count_masked} of {count}"
        )
    found = np.asarray(raw)
    if found.dtype.kind in "iu" and found.shape == (count,):
        if count and found.min() >= 0 and found.max() < len(classes):
            return found.astype(np.int32)  # as nearly all are; what is wrong is told below
    if found.dtype.kind == "c":
        raise LearnerError(f"{learner} gave complex numbers, which are no classes")
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.shape != (count,):
        shape = " x ".join(map(str, found.shape)) or "one value"
        raise LearnerError(f"{learner} gave {shape} predictions for {count} test records")
    try:
        codes = found.astype(np.float64)
    except (TypeError, ValueError):
        codes = np.full(count, np.nan)
    unknown = ~np.isin(codes, np.arange(len(classes)))
    if unknown.any():
        values = list(dict.fromkeys(map(repr, found[unknown].tolist())))[:3]
        raise LearnerError(
            f"{learner} predicted what is no class of the data: {', '.join(values)} "
            f"({int(unknown.sum())} of {count} test records)"
        )
    return codes.astype(np.int32)


def first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().split("\n")[0].strip()


def foreign_names(learner: LearnerSpec) -> list[str]:
    """Every `module:Class` of an entry, wherever it stands where a name can stand."""
    found: list[str] = [learner.learner] if is_foreign(learner.learner) else []  # type: ignore
    for name, params in learner.steps or ():
        found.extend([name] if is_foreign(name) else [])
        found.extend(_foreign_inside(params))
    found.extend(_foreign_inside(learner.params))
    return list(dict.fromkeys(found))


@functools.lru_cache(maxsize=None)
def package_version(distribution: str, module: str) -> str:
    """Version of an installed package, without importing it where its metadata will do."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        try:
            return str(importlib.import_module(module).__version__)
        except (ImportError, AttributeError):
            return "absent"


def foreign_version(module: str) -> dict[str, str]:
    """The distributions that a module comes from; for one that comes from none, its content."""
    own = own_versions(module)
    if own:
        return own
    top = module.partition(".")[0]
    distributions = _distributions().get(top, ())
    if distributions:
        return {name: importlib.metadata.version(name) for name in sorted(set(distributions))}
    try:
        loaded = importlib.import_module(module)
    except Exception:  # it has been reported where the entry was checked
        return {module: "absent"}
    file = getattr(loaded, "__file__", None)
    if file and Path(file).is_file():
        return {module: "sha256:" + hashlib.sha256(Path(file).read_bytes()).hexdigest()}
    return {module: str(getattr(loaded, "__version__", "unknown"))}


def _foreign_inside(value: Any) -> Iterator[str]:
    for form in forms_in(value):
        if is_foreign(form):
            yield form
        elif isinstance(form, Mapping):
            for inner, params in form.items():
                if is_foreign(inner):
                    yield inner
                yield from _foreign_inside(params)


@functools.lru_cache(maxsize=None)
def _distributions() -> Mapping[str, Any]:
    return importlib.metadata.packages_distributions()


@functools.lru_cache(maxsize=None)
def _why_no_sklearn() -> Optional[str]:
    try:
        importlib.import_module("sklearn")
    except Exception as error:  # a broken installation raises more than ImportError
        return f"scikit-learn cannot be imported: {one_line(error)}"
    return None


@contextlib.contextmanager
def _global_streams(used: bool, seed: int) -> Iterator[None]:
    """Foreign code may draw from the global generators: seeded for it, and put back."""
    if not used:
        yield
        return
    kept, kept_numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)


def _missing_values(node: Node, dataset: Dataset) -> list[Refusal]:
    """A learner that takes no missing values, on data that has some and is not imputed."""
    if dataset.impute:
        return []
    holes = [each.name for each in dataset.features if each.missing.any()]
    if not holes:
        return []
    for step in steps_of(node):
        holes = still_missing(step, holes)
        if not holes:
            return []
        if not is_placed(step) and not _takes_missing(built(step)):
            shown = ", ".join(holes[:5]) + (" and more" if len(holes) > 5 else "")
            return [
                Refusal(
                    f"{step.cls.__name__} takes no missing values, and there are some in {shown}",
                    (),
                    "missing: drop or missing: impute in data, an imputer before it, or a learner "
                    "that takes them",
                )
            ]
    return []


def _takes_missing(estimator: Any) -> bool:
    try:
        from sklearn.utils import get_tags
    except ImportError:  # before 1.6
        tags = getattr(estimator, "_get_tags", None)
        return True if tags is None else bool(tags().get("allow_nan", False))
    try:
        return bool(get_tags(estimator).input_tags.allow_nan)
    except (AttributeError, TypeError):  # a foreign class without tags is given the chance
        return True
