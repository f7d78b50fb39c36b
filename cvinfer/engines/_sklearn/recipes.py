"""From names and parameters in a spec to scikit-learn estimators, and every fault on the way.

A parameter that takes an estimator (`estimator`, `final_estimator`, ...) is written as in steps: a
name, or a mapping with one name and its parameters; one that takes several (`estimators`,
`transformer_list`) as a list of those, or a mapping from names of one's own to those, which may
also stand as a list of pairs. `transformers` of a ColumnTransformer is a list of [transformer,
columns] or [name, transformer, columns]; there a list of transformers is a pipeline of them.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import re
from dataclasses import dataclass, field

from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from cvinfer.engines._sklearn import declared
from cvinfer.engines.base import NONE, TAKES_SEVERAL, LearnerSpec
from cvinfer.engines._sklearn.outside import leading
from cvinfer.errors import Refusal
from cvinfer.names import close_match
from cvinfer.worker.captured import one_line

#: What a ColumnTransformer does with the columns that it gives to nobody.
REST = "remainder"
TAKES_ONE = ("estimator", "base_estimator", "final_estimator", REST)
#: Parameters that hold estimators together with the columns that each is given.
TAKES_PLACED = ("transformers",)
#: What may stand in the place of a transformer.
DROP, PASS = "drop", "passthrough"
#: scikit-learn's function that picks columns by their kind.
SELECTOR = "make_column_selector"
GRIDS = ("param_grid", "param_distributions")

Path = tuple[Any, ...]


@dataclass
class Node:
    """An estimator to be made: its class and its parameters, some of them nodes themselves."""

    cls: type
    values: dict[str, Any] = field(default_factory=dict)


class Named(list[tuple[str, Node]]):
    """Several estimators under names, as pipelines and ensembles take them."""


class Placed(list[tuple[str, Any, Any]]):
    """Names, transformers (nodes, or a word) and their columns (a list, or a `Selector`)."""


@dataclass
class Selector:
    """Columns to be picked by their kind once the data is there."""

    params: dict[str, Any]

    def made(self) -> Any:
        from sklearn.compose import make_column_selector

        return make_column_selector(**self.params)


class Catalogue:
    """The classes that can be named: `classifiers` as learners, `others` inside or before them.

    `unfit` has the reason for each classifier that is there but cannot be a learner here, `aliases`
    the short names, `elsewhere` the engine of each learner that another engine has.
    """

    def __init__(
        self,
        classifiers: Mapping[str, type],
        others: Mapping[str, type],
        kinds: Mapping[str, str],
        unfit: Optional[Mapping[str, str]] = None,
        aliases: Optional[Mapping[str, str]] = None,
        elsewhere: Optional[Mapping[str, str]] = None,
    ) -> None:
        self.classifiers = classifiers
        self.others = others
        self.kinds = kinds
        self.unfit = unfit or {}
        self.aliases = aliases or {}
        self.elsewhere = elsewhere or {}

    def find(self, name: str) -> Optional[type]:
        name = self.aliases.get(name, name)
        return self.classifiers.get(name) or self.others.get(name)

    def learner_names(self) -> list[str]:
        return [name for name in [*self.classifiers, *self.aliases] if name not in self.unfit]

    def all_names(self) -> list[str]:
        return [*self.classifiers, *self.aliases, *self.others]


def is_foreign(name: object) -> bool:
    """Whether this names a class of another package: `module:Class`."""
    return isinstance(name, str) and ":" in name


def is_known(cls: type) -> bool:
    """Whether a class is scikit-learn's or our own, not code of others."""
    return cls.__module__.partition(".")[0] in ("sklearn", __name__.partition(".")[0])


def are_pairs(value: Any) -> bool:
    """Whether this is a list of names of one's own, each with an estimator."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(
            isinstance(each, (list, tuple)) and len(each) == 2 and isinstance(each[0], str)
            for each in value
        )
    )


def forms_in(params: Any) -> Iterator[Any]:
    """Whatever stands among these parameters where an estimator can stand, as it is written."""
    for name, value in params.items() if isinstance(params, Mapping) else ():
        if name in TAKES_ONE:
            yield from value if isinstance(value, (list, tuple)) else [value]
        elif name in TAKES_SEVERAL:
            if isinstance(value, Mapping):
                yield from value.values()
            elif are_pairs(value):
                yield from (form for _, form in value)
            else:
                yield from value if isinstance(value, (list, tuple)) else [value]
        elif name in TAKES_PLACED and isinstance(value, (list, tuple)):
            for entry in value:
                inside = entry[-2] if isinstance(entry, (list, tuple)) and len(entry) > 1 else entry
                yield from inside if isinstance(inside, (list, tuple)) else [inside]


class Reader:
    """Reads one learner's entry into nodes; `problems` has all that was wrong with it.

    classes, columns: labels and names of features of the data, where it is known already.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        allow_code: bool,
        classes: Optional[Sequence[str]] = None,
        columns: Optional[Sequence[str]] = None,
    ) -> None:
        self.catalogue = catalogue
        self.allow_code = allow_code
        self.classes = classes
        self.columns = columns
        self.named_columns = False
        self.problems: list[Refusal] = []

    def read(self, learner: LearnerSpec) -> Optional[Node]:
        """The node of the whole entry, or None where a fault keeps it from being made."""
        self.named_columns = learner.encode == NONE
        for key in learner.options:
            message = f"unknown key {key!r} for the engine {learner.engine}"
            self._fault((key,), message, _KEYS, about_key=True)
        if learner.learner is not None and learner.steps is not None:
            self._fault(("steps",), "both learner and steps are given", "one of the two")
            return None
        if learner.learner is None and learner.steps is None:
            self._fault((), "neither learner nor steps is given", "one of the two")
            return None
        if learner.steps is not None:
            node = self._steps(learner)
        else:
            node = self._learner(learner)
        if not self.allow_code:
            self.problems += leading(learner)
        return None if self.problems else node

    def _learner(self, learner: LearnerSpec) -> Optional[Node]:
        if not isinstance(learner.params, Mapping):
            self._fault(("params",), f"{_shown(learner.params)} is no mapping", _MAPPING)
            return None
        cls = self._class(learner.learner, ("learner",), final=True)
        if cls is None:
            return None
        node = self._node(cls, learner.params, ("params",), ("params",), outermost=True)
        return self._classifies(node, ("learner",))

    def _steps(self, learner: LearnerSpec) -> Optional[Node]:
        from sklearn.pipeline import Pipeline

        steps = learner.steps or ()
        if learner.params:
            self._fault(
                ("params",),
                "params go with learner; with steps they are given at each step",
                "steps like [StandardScaler, {SVC: {C: 10}}]",
            )
        if not steps:
            self._fault(("steps",), "there are no steps", "transformers, then one classifier")
            return None
        made: list[Node] = []
        for i, (name, params) in enumerate(steps):
            last = i == len(steps) - 1
            place: Path = ("steps", i)
            cls = self._class(name, place, final=last)
            if cls is None:
                continue
            if not last and not hasattr(cls, "transform"):
                self._fault(
                    place,
                    f"{name} does not transform, so it can only be the last step",
                    "transformers, then one classifier",
                )
                continue
            inside = (*place, name) if params else place
            node: Optional[Node] = self._node(cls, params, inside, place, outermost=last)
            if last:
                node = self._classifies(node, place)
            if node is not None:
                made.append(node)
        return Node(Pipeline, {"steps": named(made)})

    def _class(self, name: Any, path: Path, final: bool) -> Optional[type]:
        """The class of that name; the last of an entry must be a classifier."""
        if not isinstance(name, str):
            self._fault(path, f"{_shown(name)} is no name", "the name of a scikit-learn class")
            return None
        if is_foreign(name):
            return self._foreign(name, path)
        name = self.catalogue.aliases.get(name, name)
        if final and name in self.catalogue.unfit:
            self._fault(path, f"{name} cannot be used here: {self.catalogue.unfit[name]}")
            return None
        if final and name in self.catalogue.elsewhere:
            engine = self.catalogue.elsewhere[name]
            self._fault(path, f"{name} is a learner of another engine", None, f"engine: {engine}")
            return None
        cls = self.catalogue.find(name)
        if cls is None:
            known = self.catalogue.learner_names() if final else self.catalogue.all_names()
            what = "learner" if final else "estimator"
            # Inside a classifier most often another one is meant; before it, a transformer.
            inside = not final and path[:1] == ("params",)
            close = close_match(name, self.catalogue.learner_names()) if inside else None
            close = close or close_match(name, known) or _meant_class(name)
            allowed = f"see cvinfer list learners ({len(known)} names)"
            if len(known) <= 20:
                allowed = ", ".join(known)
            self._fault(path, f"there is no {what} called {name!r}", allowed, close)
            return None
        if final and name not in self.catalogue.classifiers:
            kind = self.catalogue.kinds.get(name)
            if kind is not None:
                close = self._counterpart(name)
                hint = "; use it as a step before a classifier" if kind == "transformer" else ""
                self._fault(path, f"{name} is a {kind}, not a classifier{hint}", None, close)
                return None
        return cls

    def _counterpart(self, regressor: str) -> Optional[str]:
        """The classifier of a regressor's family, by scikit-learn's habits of naming."""
        if regressor == "LinearRegression":
            regressor = "LogisticRegression"
        swapped = regressor.replace("Regressor", "Classifier").replace("SVR", "SVC")
        known = self.catalogue.learner_names()
        return next((name for name in (swapped, f"{swapped}Classifier") if name in known), None)

    def _foreign(self, name: str, path: Path) -> Optional[type]:
        if not self.allow_code:
            self._fault(
                path,
                f"{name} is code of your own or of another package, not run unless asked for",
                "a learner of the engine by its name, or this one with --allow-code",
            )
            return None
        if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*", name):
            self._fault(path, f"{name!r} does not name a class", "module:Class, as in a.b:Name")
            return None
        try:
            return foreign_class(name)
        except Exception as error:  # importing runs foreign code: anything can come out of it
            said = f"{name} cannot be had: {type(error).__name__}: {one_line(error)}"
            lost = isinstance(error, ModuleNotFoundError) and error.name == name.partition(":")[0]
            where = "a module that is installed, or a file in the directory of the spec"
            self._fault(path, said, where if lost else None)
            return None

    def _node(
        self, cls: type, params: Any, inside: Path, place: Path, outermost: bool
    ) -> Optional[Node]:
        """The node of a class; `inside` is where its parameters stand, `place` where it does."""
        if params is None:
            params = {}
        if not isinstance(params, Mapping):
            self._fault(inside, f"{_shown(params)} is no mapping", _MAPPING)
            return None
        before = len(self.problems)
        known, required, open_ended = signature_of(cls)
        values: dict[str, Any] = {}
        for name, value in params.items():
            path = (*inside, name)
            if name not in known and not open_ended:
                allowed = ", ".join(known) if known else "no parameters"
                close = close_match(name, known)
                message = f"{cls.__name__} has no parameter {name!r}"
                self._fault(path, message, allowed, close, about_key=True)
                continue
            values[name] = self._value(cls, name, value, path, outermost)
        for name in required:
            if name not in params:
                self._fault(place, f"{cls.__name__} needs the parameter {name!r}")
        if len(self.problems) > before:
            return None
        node = Node(cls, values)
        self._buildable(node, place)
        if len(self.problems) == before:
            self._grid(node, inside)
        return node if len(self.problems) == before else None

    def _value(self, cls: type, name: str, value: Any, path: Path, outermost: bool) -> Any:
        if name == "class_weight" and isinstance(value, Mapping):
            return self._class_weight(cls, value, path, outermost)
        if name == "constant" and cls.__name__ == "DummyClassifier" and value is not None:
            return self._code(value, path, outermost)
        before = len(self.problems)
        if name in TAKES_ONE and value is not None:
            value = self._inner(cls, name, value, path)
        elif name in TAKES_SEVERAL:
            value = self._several(value, path)
        elif name in TAKES_PLACED:
            value = self._placed(cls, value, path)
        if len(self.problems) > before:
            return None
        ready = built(value)
        refusal = declared.refused(cls, name, ready)
        if refusal is None:
            return value
        # YAML has lists only, where some parameters want a tuple.
        if isinstance(ready, list) and declared.refused(cls, name, tuple(ready)) is None:
            return tuple(ready)
        self._fault(
            path,
            f"{_shown(value)} is not allowed for {name} of {cls.__name__}",
            refusal,
            _meant(cls, name, value),
        )
        return None

    def _inner(self, cls: type, name: str, value: Any, path: Path) -> Any:
        if isinstance(value, str) and self.catalogue.find(value) is None:
            if not is_foreign(value) and declared.refused(cls, name, value) is None:
                return value  # a word with a meaning of its own, such as "deprecated"
        node = self._form(value, path)
        if name == REST:
            self._transforms(node, path)
        return node

    def _several(self, value: Any, path: Path) -> Any:
        if isinstance(value, Mapping):
            pairs = [(str(key), self._form(each, (*path, key))) for key, each in value.items()]
            return Named((key, node) for key, node in pairs if node is not None)
        if are_pairs(value):
            pairs = [(key, self._form(each, (*path, i, 1))) for i, (key, each) in enumerate(value)]
            return Named((key, node) for key, node in pairs if node is not None)
        if isinstance(value, (list, tuple)):
            nodes = [self._form(each, (*path, i)) for i, each in enumerate(value)]
            return named([node for node in nodes if node is not None])
        self._fault(path, f"{_shown(value)} is no list of estimators", _FORM)
        return None

    def _placed(self, cls: type, value: Any, path: Path) -> Any:
        """Transformers with their columns, under names of one's own or those of their classes."""
        if not isinstance(value, (list, tuple)) or not value:
            self._fault(path, f"{_shown(value)} is no list of transformers", _PLACED)
            return None
        found: list[tuple[Optional[str], Any, Any]] = []
        for i, entry in enumerate(value):
            at = (*path, i)
            if not isinstance(entry, (list, tuple)) or len(entry) not in (2, 3):
                self._fault(at, f"{_shown(entry)} is no transformer with its columns", _PLACED)
                continue
            own = entry[0] if len(entry) == 3 else None
            if len(entry) == 3:
                self._own_name(cls, own, [name for name, _, _ in found], (*at, 0))
            made = self._transformer(entry[-2], (*at, len(entry) - 2))
            columns = self._columns(entry[-1], (*at, len(entry) - 1))
            found.append((own, made, columns))
        plain = [own or _class_name(made) for own, made, _ in found]
        return Placed(
            (own or numbered(plain, at), made, columns)
            for at, (own, made, columns) in enumerate(found)
        )

    def _own_name(self, cls: type, name: Any, before: Sequence[Optional[str]], path: Path) -> None:
        if not isinstance(name, str) or not name or "__" in name or name in signature_of(cls)[0]:
            self._fault(path, f"{_shown(name)} is no name for a transformer", "text without __")
        elif name in before:
            self._fault(path, f"two transformers are called {name!r}")

    def _transformer(self, value: Any, path: Path) -> Any:
        """A transformer, a pipeline of them where there are several, or a word."""
        from sklearn.pipeline import Pipeline

        if value in (DROP, PASS):
            return value
        forms = list(value) if isinstance(value, (list, tuple)) and value else [value]
        nodes = []
        for i, form in enumerate(forms):
            at = (*path, i) if isinstance(value, (list, tuple)) and value else path
            node = self._form(form, at)
            self._transforms(node, at)
            if node is not None:
                nodes.append(node)
        if len(nodes) < len(forms) or len(forms) == 1:
            return nodes[0] if nodes else None
        return Node(Pipeline, {"steps": named(nodes)})

    def _transforms(self, node: Optional[Node], path: Path) -> None:
        if node is not None and not hasattr(node.cls, "transform"):
            message = f"{node.cls.__name__} does not transform"
            self._fault(path, message, f"transformers, {DROP} or {PASS}")

    def _columns(self, value: Any, path: Path) -> Any:
        """The columns of a transformer: a name, a number, a list of them, or a selector."""
        if isinstance(value, Mapping):
            return self._selector(value, path)
        one = not isinstance(value, (list, tuple))
        columns = [value] if one else list(value)
        texts = [isinstance(each, str) for each in columns]
        numbers = [isinstance(each, int) and not isinstance(each, bool) for each in columns]
        if not columns or not (all(texts) or all(numbers)):
            self._fault(path, f"{_shown(value)} names no columns", _COLUMNS)
            return None
        if all(texts):
            self._names_there(path)
        elif self.named_columns and self.columns is not None:
            beyond = [each for each in columns if not 0 <= each < len(self.columns)]
            if beyond:
                message = f"there is no feature number {beyond[0]}"
                self._fault(path, message, f"0 to {len(self.columns) - 1}")
        for i, each in enumerate(columns if all(texts) and self.columns is not None else ()):
            if each not in (self.columns or ()):
                at = path if one else (*path, i)
                known = ", ".join(list(self.columns or ())[:26])
                close = close_match(each, self.columns or ())
                self._fault(at, f"the data has no feature {each!r}", known, close)
        return columns

    def _selector(self, value: Mapping[str, Any], path: Path) -> Any:
        params = value.get(SELECTOR)
        if len(value) != 1 or not isinstance(params, Mapping) or not params:
            self._fault(path, f"{_shown(value)} names no columns", _COLUMNS)
            return None
        known = ("dtype_include", "dtype_exclude")
        for key, each in params.items():
            if key not in known:
                message = f"{SELECTOR} has no parameter {key!r}"
                self._fault((*path, SELECTOR, key), message, ", ".join(known), about_key=True)
            elif not _is_kind(each):
                allowed = "category, number, or a list of both"
                self._fault((*path, SELECTOR, key), f"{_shown(each)} is no kind", allowed)
        self._names_there(path)
        return Selector(dict(params))

    def _names_there(self, path: Path) -> None:
        """Columns can be told by name only where the learner is given names."""
        if not self.named_columns:
            message = "columns have no names once categories are encoded for the learner"
            self._fault(path, message, "encode: none beside engine, or columns by number from 0")

    def _form(self, value: Any, path: Path) -> Optional[Node]:
        """A name, or a mapping with one name and its parameters."""
        if isinstance(value, str):
            name, inside = value, path
            params: Any = {}
        elif isinstance(value, Mapping) and len(value) == 1:
            ((name, params),) = value.items()
            inside = (*path, name)
        else:
            self._fault(path, f"{_shown(value)} names no estimator", _FORM)
            return None
        cls = self._class(name, path, final=False)
        return None if cls is None else self._node(cls, params, inside, path, outermost=False)

    def _class_weight(
        self, cls: type, value: Mapping[Any, Any], path: Path, outermost: bool
    ) -> Any:
        """Weights by label, as they are in the data, turned into weights by class code."""
        if not outermost:
            self._fault(
                path,
                "weights by class label cannot be given to an estimator inside another, "
                "which may have numbered the classes anew",
                "balanced, or weights at the outermost classifier",
            )
            return None
        for label, weight in value.items():
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight >= 0:
                self._fault((*path, label), f"{_shown(weight)} is no weight", "a number >= 0")
        if self.classes is None:
            return dict(value)
        codes = {label: code for code, label in enumerate(self.classes)}
        weights = {code: 1.0 for code in codes.values()}
        for label, weight in value.items():
            if str(label) in codes:
                weights[codes[str(label)]] = weight
            else:
                self._unknown_label(label, (*path, label))
        return weights

    def _code(self, label: Any, path: Path, outermost: bool) -> Any:
        if not outermost:
            self._fault(path, "a class label cannot be given to an estimator inside another")
            return None
        if self.classes is None:
            return label
        if str(label) in self.classes:
            return list(self.classes).index(str(label))
        self._unknown_label(label, path)
        return None

    def _unknown_label(self, label: Any, path: Path) -> None:
        labels = list(self.classes or ())
        shown = ", ".join(repr(each) for each in labels[:26])
        more = f" and {len(labels) - 26} more" if len(labels) > 26 else ""
        self._fault(path, f"there is no class {str(label)!r}", shown + more)

    def _buildable(self, node: Node, path: Path) -> None:
        try:
            estimator = built(node)
        except Exception as error:  # a constructor may refuse in its own way
            self._fault(path, f"{node.cls.__name__} cannot be made: {one_line(error)}")
            return
        lacking = [
            name for name in ("fit", "get_params", "set_params") if not hasattr(estimator, name)
        ]
        if lacking:
            self._fault(
                path,
                f"{node.cls.__name__} has no {', '.join(lacking)}",
                "a class with scikit-learn's methods",
            )

    def _grid(self, node: Node, inside: Path) -> None:
        """The names in a parameter search, against the estimator that is searched."""
        if "estimator" not in node.values:
            return
        for key in GRIDS:
            grids = node.values.get(key)
            if grids is None:
                continue
            one = isinstance(grids, Mapping)
            if not one and not (
                isinstance(grids, (list, tuple)) and all(isinstance(g, Mapping) for g in grids)
            ):
                self._fault((*inside, key), f"{_shown(grids)} is no grid of parameters", _GRID)
                continue
            searched = built(node.values["estimator"])
            if not hasattr(searched, "get_params"):
                message = f"{_shown(searched)} names no estimator"
                self._fault((*inside, "estimator"), message, "the name of a classifier")
                return
            known = searched.get_params()
            for i, grid in enumerate([grids] if one else grids):
                for name in grid if isinstance(grid, Mapping) else ():
                    if name not in known:
                        path = (*inside, key, name) if one else (*inside, key, i, name)
                        close = close_match(name, known)
                        message = f"there is no parameter {name!r} to search"
                        self._fault(path, message, ", ".join(sorted(known)), close)

    def _classifies(self, node: Optional[Node], path: Path) -> Optional[Node]:
        """A class that is not known as a classifier must show that what it makes is one."""
        if node is None or node.cls in self.catalogue.classifiers.values():
            return node
        from sklearn.base import is_classifier, is_regressor

        estimator = built(node)
        known = node.cls in self.catalogue.others.values()
        # A foreign class need not declare itself, but one that says otherwise is believed.
        fits = is_classifier(estimator) if known else not is_regressor(estimator)
        if fits and hasattr(estimator, "predict"):
            return node
        self._fault(path, f"{node.cls.__name__} is not a classifier")
        return None

    def _fault(
        self,
        path: Path,
        message: str,
        allowed: Optional[str] = None,
        suggestion: Optional[str] = None,
        about_key: bool = False,
    ) -> None:
        self.problems.append(Refusal(message, path, allowed, suggestion, about_key=about_key))


class Recipe:
    """Makes the estimator of one learner, afresh for every fit, with its random streams set."""

    def __init__(self, node: Node, foreign: bool) -> None:
        self.node = node
        self.foreign = foreign
        self.title = title(node)
        given = set(_given(node))
        settable = sorted(built(node).get_params(deep=True))
        self.seeded = [each for each in settable if _ends(each, "random_state", given)]
        self.single = {each: 1 for each in settable if _ends(each, "n_jobs", given)}

    def make(self, seed: int) -> Any:
        estimator = built(self.node)
        settings: dict[str, Any] = {path: stream(seed, path) for path in self.seeded}
        settings.update(self.single)
        return estimator.set_params(**settings) if settings else estimator


def stream(seed: int, path: str) -> int:
    """The seed of the random stream at `path`.

    The outermost one is `seed` itself, so that plain scikit-learn with that random_state gives the
    same fit. Inner ones are keyed by their path: equal members of an ensemble must differ.
    """
    if path == "random_state":
        return seed
    key = int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], "big")
    return int(np.random.SeedSequence([seed, key]).generate_state(1)[0])


def built(value: Any) -> Any:
    """What a node stands for; other values as they are."""
    if isinstance(value, Node):
        return value.cls(**{name: built(each) for name, each in value.values.items()})
    if isinstance(value, Named):
        return [(name, built(node)) for name, node in value]
    if isinstance(value, Placed):
        return [(name, built(each), built(columns)) for name, each, columns in value]
    if isinstance(value, Selector):
        return value.made()
    return value


def named(nodes: Sequence[Node]) -> Named:
    """Nodes under the names that scikit-learn's make_pipeline would give them."""
    plain = [_class_name(node) for node in nodes]
    return Named((numbered(plain, at), node) for at, node in enumerate(nodes))


def _class_name(node: Any) -> str:
    return node.cls.__name__.lower() if isinstance(node, Node) else str(node)


def numbered(names: Sequence[str], at: int) -> str:
    """The name there, with its number among equal ones."""
    name = names[at]
    return f"{name}-{names[: at + 1].count(name)}" if names.count(name) > 1 else name


def title(node: Node) -> str:
    steps = node.values.get("steps")
    if isinstance(steps, Named):
        return " > ".join(each.cls.__name__ for _, each in steps)
    return node.cls.__name__


def _meant_class(name: str) -> Optional[str]:
    """`module:Class` for what was written as Python has it, `module.Class`."""
    dotted = re.fullmatch(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.([^\W\d]\w*)", name)
    return f"{dotted.group(1)}:{dotted.group(2)}" if dotted else None


def foreign_class(name: str) -> type:
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, type):
        raise TypeError(f"{name} is not a class")
    return found


def signature_of(cls: type) -> tuple[list[str], list[str], bool]:
    """Names of the constructor's parameters, those it needs, and whether it takes any.

    It needs those without default, and an estimator whose default its own declaration refuses.
    """
    parameters = list(inspect.signature(cls).parameters.values())
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters)
    usable = [
        each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    required = [
        each.name
        for each in usable
        if each.default is each.empty
        or (each.name in TAKES_ONE and declared.refused(cls, each.name, each.default) is not None)
    ]
    return sorted(each.name for each in usable), required, open_ended


def _meant(cls: type, name: str, value: Any) -> Optional[str]:
    """The word that was misspelt, or the number that YAML took for text, such as 1e-3."""
    if not isinstance(value, str):
        return None
    close = close_match(value, declared.words(cls, name))
    if close is not None:
        return close
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if declared.refused(cls, name, number) is None:
            return f"{number!r} without quotes"
    return None


def _given(node: Node, prefix: str = "") -> Iterator[str]:
    """Paths of the parameters that the user set; null is not a setting."""
    for name, value in node.values.items():
        if isinstance(value, Node):
            yield from _given(value, f"{prefix}{name}__")
        elif isinstance(value, Named):
            for inner, each in value:
                yield from _given(each, f"{prefix}{inner}__")
        elif isinstance(value, Placed):
            for inner, each, _ in value:
                if isinstance(each, Node):
                    yield from _given(each, f"{prefix}{inner}__")
        elif value is not None:
            yield prefix + name


def _ends(path: str, name: str, given: set[str]) -> bool:
    return (path == name or path.endswith(f"__{name}")) and path not in given


def _shown(value: Any) -> str:
    if isinstance(value, Node):
        return value.cls.__name__
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(repr(value))


_FORM = "a name, or a name with its parameters as in {SVC: {C: 10}}"
_MAPPING = "parameters by name, as in {C: 10}"
_GRID = "a mapping of parameters to lists of values, as in {C: [1, 10]}, or a list of those"
_KEYS = "engine, learner, params, steps, encode"
_PLACED = "a list of [transformer, columns] or [name, transformer, columns]"
_COLUMNS = f"names, numbers from 0, or {{{SELECTOR}: {{dtype_include: category}}}}"


def _is_kind(value: Any) -> bool:
    kinds = value if isinstance(value, (list, tuple)) else [value]
    return bool(kinds) and all(each in ("category", "number") for each in kinds)
