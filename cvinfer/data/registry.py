"""The kinds of data sources. A source is one decorated function in a module of `sources`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from cvinfer.errors import UserError
from cvinfer.names import close_match

from .files import listed, unknown

__all__ = ["Option", "Request", "SourceInfo", "checked", "faults", "source", "sources"]


class Option(NamedTuple):
    """One key of a data mapping. `type` is a JSON type, or several with ' | ' between."""

    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Request:
    """What a source is asked for: its options, the folder of the spec, the seed.

    groups: columns that say which records belong together, wanted as they are written.
    """

    options: Mapping[str, Any]
    base: Path
    seed: int
    groups: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        return self.options[key]

    def get(self, key: str, default: Any = None) -> Any:
        value = self.options.get(key)
        return default if value is None else value

    def wanted(self, names: Sequence[str]) -> list[str]:
        """Those of these columns that can become features; what is wrong is told later."""
        keep, drop = self.get("keep", []), self.get("drop", [])
        return [
            name
            for name in dict.fromkeys(names)
            if name not in self.groups and name not in drop and (not keep or name in keep)
        ]


Reader = Callable[[Request], Any]


@dataclass(frozen=True)
class SourceInfo:
    """What the registry knows of a source.

    options: every key its data mapping may have. choices: the allowed words of some of them.
    refuses: shared options that it cannot honour, and why.
    independent: its records are drawn independently, so that equal ones are no copies.
    reader: from a `Request` to a `Table`, or to a `PredictionSet`.
    ready: whether the content is at hand without a download, so that a check may look at it.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    choices: Mapping[str, Collection[str]]
    reader: Reader = field(repr=False)
    ready: Callable[[Request], bool] = field(repr=False)
    refuses: Mapping[str, str] = field(default_factory=dict)
    independent: bool = False


COMMON = {
    "source": Option("string", True, "kind of source"),
    "name": Option("string", False, "name of the data set in results"),
    "positive": Option(
        "string | number | boolean",
        False,
        "the positive class of this data set for F1, precision and recall; that of the spec "
        "without it",
    ),
}
COLUMNS = {
    "keep": Option("array", False, "feature columns to keep; all others are left out"),
    "drop": Option("array", False, "feature columns to leave out"),
}
TRANSFORMS = {
    **COLUMNS,
    "groups": Option(
        "string",
        False,
        "column that says which records belong together, such as those of one patient: no split "
        "trains on one of them and tests another; it is no feature",
    ),
    "missing": Option(
        "string",
        False,
        "records with a missing feature: drop them, impute with what the training records of a "
        "split say, or keep them as they are for learners that can deal with them",
    ),
    "missing_target": Option(
        "string",
        False,
        "records without a class label: drop them; by default they are refused",
    ),
    "binarize": Option(
        "string | integer | object",
        False,
        "two classes out of many: a range of labels such as A-M against the rest, or a mapping of "
        "two new labels to the old ones",
    ),
    "sample": Option(
        "integer | object",
        False,
        "a random sample of the records: {n, replace: false, stratify: false}",
    ),
}
WORDS = {"missing": ("drop", "impute", "keep"), "missing_target": ("drop",)}

_registered: dict[str, SourceInfo] = {}


def _always(request: Request) -> bool:
    return True


def source(
    name: str,
    description: str,
    options: Mapping[str, Option],
    *,
    choices: Mapping[str, Collection[str]] | None = None,
    shared: Mapping[str, Option] = TRANSFORMS,
    refuses: Mapping[str, str] | None = None,
    ready: Callable[[Request], bool] = _always,
    independent: bool = False,
) -> Callable[[Reader], Reader]:
    """Register a source; `shared` are the options it has in common with others.

    refuses: shared options that it cannot honour, and why. independent: see `SourceInfo`.
    """
    unable = dict(refuses or {})

    def register(reader: Reader) -> Reader:
        known = _registered.get(name)
        if known is not None and known.reader.__module__ != reader.__module__:
            raise ValueError(
                f"source {name!r} is defined in both {known.reader.__module__} and "
                f"{reader.__module__}"
            )
        every = {**COMMON, **options, **shared}
        every = {key: option for key, option in every.items() if key not in unable}
        words: dict[str, Collection[str]] = {
            key: allowed for key, allowed in WORDS.items() if key in every
        }
        words.update(choices or {})
        _registered[name] = SourceInfo(
            name,
            description,
            MappingProxyType(every),
            MappingProxyType(words),
            reader,
            ready,
            MappingProxyType(unable),
            independent,
        )
        return reader

    return register


@lru_cache(maxsize=None)
def _discover() -> None:
    folder = importlib.import_module("cvinfer.data.sources")
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")


def sources() -> Mapping[str, SourceInfo]:
    """Every kind of source by its name."""
    _discover()
    return MappingProxyType(dict(sorted(_registered.items())))


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
}
_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def _fits(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def type_fault(key: str, value: Any, types: str) -> UserError | None:
    """The fault of a value of the wrong type."""
    kinds = types.split(" | ")
    if any(_fits(value, kind) for kind in kinds):
        return None
    allowed = " or ".join(_WORDS[kind] for kind in kinds)
    quotes = ""
    if "string" in kinds and isinstance(value, (int, float)):
        quotes = f"; write '{value}' in quotes if it is meant as text"
    return UserError(f"{key} must be {allowed}, not {value!r}{quotes}", (key,))


def faults(spec: Mapping[str, Any]) -> list[UserError]:
    """Everything wrong with a data mapping that can be seen without reading the data.

    The `path` of each fault is relative to the mapping.
    """
    from .transforms import option_faults

    known = sources()
    if not isinstance(spec, Mapping):
        return [UserError(f"data must be a mapping, not {spec!r}", ())]
    kind = spec.get("source")
    if kind is None:
        return [UserError(f"source is missing; it is one of {', '.join(known)}", ())]
    if kind not in known:
        return [unknown(f"there is no source {kind!r}", ("source",), str(kind), known)]
    info = known[str(kind)]
    found: list[UserError] = []
    for key, value in spec.items():
        if key in info.refuses:
            found.append(UserError(f"source {kind} takes no {key}: {info.refuses[key]}", (key,)))
            continue
        if key not in info.options:
            fault = f"source {kind} has no option {key!r}"
            found.append(unknown(fault, (key,), str(key), info.options))
            continue
        if value is None and not info.options[key].required:
            continue
        wrong = type_fault(str(key), value, info.options[key].type)
        if wrong is not None:
            found.append(wrong)
        elif key in info.choices and value not in info.choices[key]:
            words = info.choices[key]
            meant = close_match(value, words)
            allowed = ", ".join(words) if meant else listed(words)
            found.append(UserError(f"{key} {value!r} is unknown", (key,), allowed, meant))
        else:
            found.extend(option_faults(str(key), value))
    for key, option in info.options.items():
        if option.required and key not in spec:
            found.append(UserError(f"source {kind} needs {key!r}: {option.description}", ()))
    return found


def checked(spec: Mapping[str, Any]) -> SourceInfo:
    """The source of a data mapping; the first fault is raised."""
    found = faults(spec)
    if found:
        raise found[0]
    return sources()[spec["source"]]
