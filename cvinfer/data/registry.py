"""The kinds of data sources. A source is one decorated function in a module of `sources`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from cvinfer.errors import UserError
from cvinfer.names import close_match
from cvinfer.packages import Package
from cvinfer.registry import Registry

from .files import listed, unknown

__all__ = [
    "Option",
    "Request",
    "SourceInfo",
    "checked",
    "faults",
    "source",
    "source_of_file",
    "sources",
]


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


def _always(request: Request) -> bool:
    return True


def _nothing() -> str | None:
    return None


def _itself(request: Request) -> Sequence[Mapping[str, Any]]:
    return (request.options,)


def _at_hand(request: Request) -> None:
    return


@dataclass(frozen=True)
class SourceInfo:
    """What the registry knows of a source.

    options: every key its data mapping may have. choices: the allowed words of some of them.
    refuses: shared options that it cannot honour, and why.
    independent: its records are drawn independently, so that equal ones are no copies.
    reader: from a `Request` to a `Table`, or to a `PredictionSet` or `ScoreSet`; `elsewhere` says
        that it is one of these, on which nothing can be fitted.
    ready: whether the content is at hand without a download, so that a check may look at it.
    packages: what must be installed for it.
    endings: of the files it reads, such as .csv; a further .gz is understood.
    why_not: what else may keep it from being used here; None where nothing does.
    r_package: the option that names an R package, of a source that reads from R.
    one_of: options of which exactly one is needed. several: the one that makes a mapping stand for
        many data sets; `members` are their mappings, from what is at hand.
    fetch: brings what is not `ready` to where it is.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    choices: Mapping[str, Collection[str]]
    reader: Reader = field(repr=False)
    ready: Callable[[Request], bool] = field(repr=False)
    refuses: Mapping[str, str] = field(default_factory=dict)
    independent: bool = False
    packages: tuple[Package, ...] = ()
    endings: tuple[str, ...] = ()
    why_not: Callable[[], str | None] = field(default=_nothing, repr=False)
    r_package: str | None = None
    elsewhere: bool = False
    one_of: tuple[str, ...] = ()
    several: str | None = None
    members: Callable[[Request], Sequence[Mapping[str, Any]]] = field(default=_itself, repr=False)
    fetch: Callable[[Request], None] = field(default=_at_hand, repr=False)

    def stands_for_several(self, spec: Mapping[str, Any]) -> bool:
        """Whether a data mapping of it is not one data set, but many."""
        return self.several is not None and spec.get(self.several) is not None

    def choice_faults(self, spec: Mapping[str, Any]) -> list[UserError]:
        """What is wrong where one of some options has to be given."""
        given = [key for key in self.one_of if spec.get(key) is not None]
        if len(given) == 1 or not self.one_of:
            return []
        if given:
            message = f"{listed(given)} are given, where one of them says which data"
            return [UserError(message, (given[1],), f"one of {listed(self.one_of)}")]
        said = "; ".join(f"{key}: {self.options[key].description}" for key in self.one_of)
        return [UserError(f"source {self.name} needs one of {listed(self.one_of)}", (), said)]

    def reason(self) -> str | None:
        """Why this source cannot be used here; None where it can. Nothing is started for it."""
        return next(filter(None, (each.reason() for each in self.packages)), None) or self.why_not()


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

#: Every kind of source by its name. R's data sets are read where R is known, above this layer.
sources: Registry[SourceInfo] = Registry(
    "source", "cvinfer.data.sources", beyond=("cvinfer.engines._r.source",), ordered=True
)


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
    packages: tuple[Package, ...] = (),
    endings: tuple[str, ...] = (),
    why_not: Callable[[], str | None] = _nothing,
    r_package: str | None = None,
    elsewhere: bool = False,
    one_of: tuple[str, ...] = (),
    several: str | None = None,
    members: Callable[[Request], Sequence[Mapping[str, Any]]] = _itself,
    fetch: Callable[[Request], None] = _at_hand,
) -> Callable[[Reader], Reader]:
    """Register a source; `shared` are the options it has in common with others.

    refuses: shared options that it cannot honour, and why. The rest: see `SourceInfo`.
    """
    unable = dict(refuses or {})

    def register(reader: Reader) -> Reader:
        every = {**COMMON, **options, **shared}
        every = {key: option for key, option in every.items() if key not in unable}
        words: dict[str, Collection[str]] = {k: each for k, each in WORDS.items() if k in every}
        words.update(choices or {})
        info = SourceInfo(
            name,
            description,
            MappingProxyType(every),
            MappingProxyType(words),
            reader,
            ready,
            MappingProxyType(unable),
            independent,
            packages,
            endings,
            why_not,
            r_package,
            elsewhere,
            one_of,
            several,
            members,
            fetch,
        )
        sources.add(name, info, reader.__module__)
        return reader

    return register


def source_of_file(name: str) -> str | None:
    """The source that reads a file of that name, by its ending; None where no source claims it."""
    plain = name.lower()
    while plain.endswith(".gz"):
        plain = plain.removesuffix(".gz")
    claims = [
        (len(ending), info.name)
        for info in sources.values()
        for ending in info.endings
        if plain.endswith(ending)
    ]
    return max(claims)[1] if claims else None


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

    if not isinstance(spec, Mapping):
        return [UserError(f"data must be a mapping, not {spec!r}", ())]
    kind = spec.get("source")
    if kind is None:
        return [UserError(f"source is missing; it is one of {', '.join(sources)}", ())]
    try:
        info = sources.find(kind, ("source",))
    except UserError as fault:
        return [fault]
    found: list[UserError] = []
    for key, value in spec.items():
        if key in info.refuses:
            found.append(UserError(f"source {kind} takes no {key}: {info.refuses[key]}", (key,)))
            continue
        if key not in info.options:
            message = f"source {kind} has no option {key!r}"
            found.append(unknown(message, (key,), str(key), info.options))
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
    return found + info.choice_faults(spec)


def checked(spec: Mapping[str, Any]) -> SourceInfo:
    """The source of a data mapping; the first fault is raised."""
    found = faults(spec)
    if found:
        raise found[0]
    return sources[spec["source"]]
