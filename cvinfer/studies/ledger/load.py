"""Files of the ledger: from YAML to items, with every fault told at its place."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional

from cvinfer import limits
from cvinfer.documents import JsonObject
from cvinfer.errors import Path as Place
from cvinfer.errors import UserError, listed
from cvinfer.names import close_match
from cvinfer.spec.faults import Fault, SpecError, in_order
from cvinfer.spec.text import Document, parse
from cvinfer.studies.ledger.checks import checks
from cvinfer.studies.ledger.exact import computations, option_fault
from cvinfer.studies.ledger.model import (
    Across,
    Cell,
    Claim,
    DataFrom,
    Group,
    Item,
    Otherwise,
    Reach,
    Source,
)
from cvinfer.studies.ledger.rules import over_studies, rules

PAPERS = ("s0", "s1", "s2", "s3", "s4")
KINDS = ("test", "interval", "quantity")
#: Fields of a cell that say which learner or pair it is about.
WHOSE = ("learner", "a", "b")
#: A check that needs no study.
IDENTITY = "identity"
_BORROWED = re.compile(r"(s[0-4]):(\w+)\.(\w+)")
_NAME = re.compile(r"[A-Za-z0-9_]+")


class Kind(NamedTuple):
    """What a value has to be, and how that is said."""

    fits: Callable[[Any], bool]
    said: str


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TEXT = Kind(lambda value: isinstance(value, str) and bool(value.strip()), "text")
MAPPING = Kind(lambda value: isinstance(value, dict), "a mapping")
LIST = Kind(lambda value: isinstance(value, list), "a list")
COUNT = Kind(lambda value: _whole(value) and value >= 1, "a whole number from 1 on")
DIGITS = Kind(lambda value: _whole(value) and 0 <= value <= 12, "a whole number from 0 to 12")
POSITIVE = Kind(lambda value: _number(value) and value > 0, "a number above 0")
NUMBER = Kind(_number, "a number")
SHARE = Kind(lambda value: _number(value) and 0 <= value <= 1, "a number from 0 to 1")

#: Keys of each part of a file; those with True have to be there.
Keys = Mapping[str, tuple[Kind, bool]]
ITEM: Keys = {
    "paper": (TEXT, True),
    "item": (TEXT, True),
    "title": (TEXT, True),
    "says": (TEXT, True),
    "replications": (COUNT, True),
    "reach": (MAPPING, True),
    "data_from": (MAPPING, False),
    "reasons": (MAPPING, False),
    "common": (MAPPING, False),
    "studies": (MAPPING, False),
    "exact": (MAPPING, False),
    "cells": (LIST, False),
    "claims": (LIST, False),
}
REACH: Keys = {
    "replications": (COUNT, False),
    "studies": (MAPPING, False),
    "because": (TEXT, True),
}
DATA_FROM: Keys = {"path": (TEXT, True), "what": (TEXT, True)}
GROUP: Keys = {
    "study": (TEXT, False),
    "exact": (TEXT, False),
    "across": (MAPPING, False),
    "not_run": (TEXT, False),
    "label": (TEXT, False),
    "kind": (TEXT, False),
    "field": (TEXT, False),
    "digits": (DIGITS, True),
    "scale": (POSITIVE, False),
    "replications": (COUNT, False),
    "at": (MAPPING, False),
    "along": (MAPPING, False),
    "match": (MAPPING, False),
    "derived": (MAPPING, False),
    "otherwise": (MAPPING, False),
    "printed": (MAPPING, True),
    "misprint": (MAPPING, False),
    "explained": (MAPPING, False),
}
ACROSS: Keys = {"rule": (TEXT, True), "studies": (LIST, True)}
OTHERWISE: Keys = {"study": (TEXT, False), "exact": (TEXT, False), "because": (TEXT, True)}
CLAIM: Keys = {
    "text": (TEXT, True),
    "check": (MAPPING, True),
    "misprint": (TEXT, False),
    "explained": (TEXT, False),
}
REFERENCE: Keys = {
    "study": (TEXT, True),
    "kind": (TEXT, True),
    "name": (TEXT, False),
    "field": (TEXT, False),
    "at": (MAPPING, False),
    "match": (MAPPING, False),
    "derived": (MAPPING, False),
}
#: Options of the checks; those that refer to numbers of a study are `REFERENCES`.
REFERENCES = ("left", "right", "of")
_POINTWISE: Keys = {"where": (MAPPING, False), "share": (SHARE, False)}
CHECKS: Mapping[str, Keys] = {
    IDENTITY: {"exact": (TEXT, True)},
    "less": {"left": (MAPPING, True), "right": (Kind(bool, "a reference"), True), **_POINTWISE},
    "more": {"left": (MAPPING, True), "right": (Kind(bool, "a reference"), True), **_POINTWISE},
    "between": {
        "of": (MAPPING, True),
        "low": (NUMBER, False),
        "high": (NUMBER, False),
        **_POINTWISE,
    },
    "rises": {"of": (MAPPING, True), "along": (TEXT, True), **_POINTWISE},
    "falls": {"of": (MAPPING, True), "along": (TEXT, True), **_POINTWISE},
    "lowest": {"of": (MAPPING, True), "along": (TEXT, True), "at": (NUMBER, True), **_POINTWISE},
}


def load_ledger(root: Path) -> dict[str, Item]:
    """Every item below a directory of papers, by its key; faults of all files together."""
    items: dict[str, Item] = {}
    faults: list[Fault] = []
    for path in sorted(root.glob("*/*.yaml"), key=_in_order):
        try:
            item = load_item(path)
            items[item.key] = item
        except SpecError as error:
            faults += error.faults
    if not faults:
        faults = _borrowing_faults(items)
    if faults:
        raise SpecError(faults)
    return items


def _in_order(path: Path) -> tuple[str, str, int]:
    """Table 10 after table 9."""
    number = re.search(r"\d+$", path.stem)
    return path.parent.name, path.stem.rstrip("0123456789"), int(number.group()) if number else 0


def load_item(path: Path) -> Item:
    """One file of the ledger; SpecError has all its faults."""
    document = parse(limits.read_file(path, limits.SPEC_BYTES), str(path))
    if document.readable and not document.faults:
        item = _Reader(document).item(path)
        if item is not None and not document.faults:
            return item
    raise SpecError(in_order(document.faults))


def merged(common: JsonObject, own: JsonObject) -> dict[str, Any]:
    """`own` over `common`; mappings are merged in turn, anything else is replaced."""
    found: dict[str, Any] = copy.deepcopy(dict(common))
    for key, value in own.items():
        below = found.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            found[key] = merged(below, value)
        else:
            found[key] = copy.deepcopy(value)
    return found


def _borrowing_faults(items: Mapping[str, Item]) -> list[Fault]:
    """Studies of other items have to be there, and be theirs."""
    found = []
    for item in items.values():
        for name, source in item.studies.items():
            owner = items.get(f"{source.paper}:{source.item}")
            if source.borrowed and (owner is None or source.name not in owner.own_studies):
                document = Document(str(item.file))
                message = f"there is no study {source.paper}:{source.item}.{source.name}"
                found.append(document.fault(("studies", name, "from"), message))
    return found


class _Reader:
    """Reads one document and notes what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.reasons: Mapping[str, str] = {}

    def item(self, path: Path) -> Optional[Item]:
        value = self.document.value
        if not self._keys(value, (), ITEM):
            return None
        self._one_of(value["paper"], ("paper",), PAPERS)
        self.reasons = value.get("reasons", {})
        exact = value.get("exact", {})
        for name, entry in exact.items():
            self._exact(entry, ("exact", name))
        studies = self._studies(value)
        reach, data_from = value["reach"], value.get("data_from")
        self._keys(reach, ("reach",), REACH)
        for name in reach.get("studies", {}):
            self._one_of(name, ("reach", "studies", name), studies, key=True)
        if data_from is not None:
            self._keys(data_from, ("data_from",), DATA_FROM)
        groups = self._each(value, "cells", lambda part, at: self._group(part, at, value, studies))
        claims = self._each(value, "claims", lambda part, at: self._claim(part, at, exact, studies))
        if (path.parent.name, path.stem) != (value["paper"], value["item"]):
            message = f"the file is that of {path.parent.name}:{path.stem}"
            self.document.add(("item",), message, f"item: {path.stem}")
        if self.document.faults:
            return None
        return Item(
            file=path,
            paper=value["paper"],
            name=value["item"],
            title=value["title"].strip(),
            says=" ".join(value["says"].split()),
            replications=value["replications"],
            reach=Reach(
                " ".join(reach["because"].split()),
                reach.get("replications"),
                reach.get("studies", {}),
            ),
            studies=studies,
            exact=exact,
            groups=tuple(group for group in groups if group is not None),
            claims=tuple(claim for claim in claims if claim is not None),
            data_from=_data_from(data_from),
        )

    # --- parts ------------------------------------------------------------------------------------

    def _each(self, value: JsonObject, key: str, read: Callable[[Any, Place], Any]) -> list[Any]:
        return [read(part, (key, number)) for number, part in enumerate(value.get(key, []))]

    def _exact(self, entry: Any, path: Place) -> None:
        if not isinstance(entry, dict) or "compute" not in entry:
            self.document.add(path, "an exact number needs `compute`", listed(computations))
            return
        if self._one_of(entry["compute"], (*path, "compute"), computations):
            fault = option_fault(entry)
            if fault is not None:
                self.document.add((*path, *(fault.path or ())), fault.message, fault.allowed)

    def _studies(self, value: JsonObject) -> dict[str, Source]:
        found: dict[str, Source] = {}
        for name, own in value.get("studies", {}).items():
            path = ("studies", name)
            if not _NAME.fullmatch(name):
                said = "letters, digits and _"
                self.document.add(path, f"{name!r} is no name of a study", said, key=True)
            if not isinstance(own, dict):
                self.document.add(path, "a study must be a mapping")
                continue
            if "from" not in own:
                spec = merged(value.get("common", {}), own)
                if "study" not in spec:
                    self.document.add(path, "the study has no section `study`")
                spec.setdefault("name", f"{value['paper']}-{value['item']}-{name}".lower())
                found[name] = Source(spec)
                continue
            borrowed = _BORROWED.fullmatch(str(own["from"]))
            if borrowed is None or len(own) > 1:
                said = 'a lone `from`, such as {from: "s0:table2.gaussians"}'
                self.document.add(
                    path, "a study of another item is not named in the right way", said
                )
                continue
            found[name] = Source({}, *borrowed.groups())
        return found

    def _group(
        self, part: Any, path: Place, value: JsonObject, studies: Mapping[str, Source]
    ) -> Optional[Group]:
        if not self._keys(part, path, GROUP):
            return None
        ways = [key for key in ("study", "exact", "across", "not_run") if key in part]
        if len(ways) != 1:
            said = ", ".join(ways) or "none of them"
            self.document.add(path, f"one of study, exact, across, not_run is needed, not {said}")
            return None
        if "study" in part:
            self._one_of(part["study"], (*path, "study"), studies)
        if "exact" in part:
            self._one_of(part["exact"], (*path, "exact"), value.get("exact", {}))
        if "exact" not in part and "kind" not in part:
            self.document.add(path, "the key `kind` is missing", ", ".join(KINDS))
        elif "kind" in part:
            self._one_of(part["kind"], (*path, "kind"), KINDS)
        across = self._across(part.get("across"), (*path, "across"), studies)
        otherwise = self._otherwise(part, (*path, "otherwise"), studies, value.get("exact", {}))
        for name, entry in part.get("derived", {}).items():
            place = (*path, "derived", name)
            self._one_of(name, place, part["printed"], key=True)
            if isinstance(entry, dict):
                self._one_of(entry.get("rule"), (*place, "rule"), rules)
            else:
                self.document.add(place, "a derived number needs a `rule`", listed(rules))
        cells = self._cells(part, path)
        if self.document.faults:
            return None
        return Group(
            label=_label(part),
            digits=part["digits"],
            replications=part.get("replications", value["replications"]),
            cells=tuple(cells),
            study=part.get("study"),
            exact=part.get("exact"),
            across=across,
            not_run=" ".join(part["not_run"].split()) if "not_run" in part else None,
            kind=part.get("kind", ""),
            field=part.get("field", "rate"),
            scale=float(part.get("scale", 1.0)),
            at=part.get("at", {}),
            match=part.get("match", {}),
            derived=part.get("derived", {}),
            otherwise=otherwise,
        )

    def _across(self, part: Any, path: Place, studies: Mapping[str, Source]) -> Optional[Across]:
        if part is None or not self._keys(part, path, ACROSS):
            return None
        self._one_of(part["rule"], (*path, "rule"), over_studies)
        for number, name in enumerate(part["studies"]):
            self._one_of(name, (*path, "studies", number), studies)
        return Across(part["rule"], tuple(part["studies"]))

    def _otherwise(
        self, group: JsonObject, path: Place, studies: Mapping[str, Source], exact: JsonObject
    ) -> Optional[Otherwise]:
        """Asked of the same kind of thing as the group is about: a study or an exact number."""
        part = group.get("otherwise")
        if part is None or not self._keys(part, path, OTHERWISE):
            return None
        way, other, known = (
            ("exact", "study", exact) if "exact" in group else ("study", "exact", studies)
        )
        if way not in part or other in part:
            self.document.add(path, f"a second {way} and the reason are needed, no {other}")
            return None
        self._one_of(part[way], (*path, way), known)
        self._one_of(part["because"], (*path, "because"), self.reasons)
        because = " ".join(str(self.reasons.get(part["because"])).split())
        return Otherwise(because, part.get("study"), part.get("exact"))

    def _cells(self, part: JsonObject, path: Place) -> list[Cell]:
        """The printed numbers of a group; with `along` each is a list, one for each value there."""
        along = part.get("along", {})
        if len(along) > 1 or any(not isinstance(values, list) for values in along.values()):
            self.document.add((*path, "along"), "along takes one path with a list of values")
            return []
        ((axis, values),) = along.items() if along else ((None, [None]),)
        cells = []
        for name, printed in part["printed"].items():
            place = (*path, "printed", name)
            numbers = printed if along else [printed]
            if not isinstance(numbers, list) or len(numbers) != len(values):
                many = f"a list of {len(values)} numbers, as along has" if along else "a number"
                self.document.add(place, f"what is printed must be {many}")
                continue
            if not all(_number(number) for number in numbers):
                self.document.add(place, "what is printed must be numbers")
                continue
            for value, number in zip(values, numbers):
                at = {} if axis is None else {axis: value}
                notes = [
                    self._note(part, key, name, value, path) for key in ("misprint", "explained")
                ]
                cells.append(Cell(name, float(number), at, *notes))
        for key in ("misprint", "explained"):
            for name in part.get(key, {}):
                self._one_of(name, (*path, key, name), part["printed"], key=True)
        return cells

    def _note(
        self, part: JsonObject, key: str, name: str, value: Any, path: Place
    ) -> Optional[str]:
        """The word on one cell: for all of a name, or for one value of `along`."""
        said = part.get(key, {}).get(name)
        if isinstance(said, dict):
            known = [str(each) for each in next(iter(part["along"].values()))]
            for each in said:
                if not any(_as_number(each) == _as_number(other) for other in known):
                    place = (*path, key, name, each)
                    self.document.add(place, f"along has no {each}", listed(known), key=True)
            return next(
                (t for v, t in said.items() if _as_number(v) == _as_number(str(value))), None
            )
        return None if said is None else str(said)

    def _claim(
        self, part: Any, path: Place, exact: JsonObject, studies: Mapping[str, Source]
    ) -> Optional[Claim]:
        if not self._keys(part, path, CLAIM):
            return None
        if len(part["check"]) != 1:
            self.document.add((*path, "check"), "a claim has one check", listed(CHECKS))
            return None
        ((name, options),) = part["check"].items()
        place = (*path, "check", name)
        if not self._one_of(name, place, [IDENTITY, *checks], key=True):
            return None
        if not self._keys(options, place, CHECKS[name]):
            return None
        if name == IDENTITY:
            self._one_of(options["exact"], (*place, "exact"), exact)
        for key in REFERENCES:
            if isinstance(options.get(key), dict):
                self._reference(options[key], (*place, key), studies)
            elif key in options and not _number(options[key]):
                self.document.add((*place, key), "it must be a reference or a number")
        return Claim(part["text"], name, options, part.get("misprint"), part.get("explained"))

    def _reference(self, part: JsonObject, path: Place, studies: Mapping[str, Source]) -> None:
        if not self._keys(part, path, REFERENCE):
            return
        self._one_of(part["study"], (*path, "study"), studies)
        self._one_of(part["kind"], (*path, "kind"), KINDS)
        if ("name" in part) == ("derived" in part):
            self.document.add(path, "either `name` or `derived` is needed")
        if "derived" in part:
            self._one_of(part["derived"].get("rule"), (*path, "derived", "rule"), rules)

    # --- faults -----------------------------------------------------------------------------------

    def _keys(self, value: Any, path: Place, known: Keys) -> bool:
        """Whether a mapping has the keys it should have, of the right kind."""
        if not isinstance(value, dict):
            self.document.add(path, "a mapping is needed", listed(known))
            return False
        before = len(self.document.faults)
        for key, each in value.items():
            if key not in known:
                near = close_match(key, known)
                message = f"the key '{key}' is not known"
                self.document.add((*path, key), message, listed(known), near, key=True)
            elif not known[key][0].fits(each):
                self.document.add((*path, key), f"it must be {known[key][0].said}")
        for key, (_, needed) in known.items():
            if needed and key not in value:
                self.document.add(path, f"the key `{key}` is missing")
        return len(self.document.faults) == before

    def _one_of(self, value: Any, path: Place, known: Iterable[str], *, key: bool = False) -> bool:
        names = list(known)
        if value in names:
            return True
        near = close_match(str(value), names)
        self.document.add(path, f"{value!r} is not known", listed(names) or "none", near, key=key)
        return False


def _label(part: JsonObject) -> str:
    """A group in words: its study, and the learners it is about."""
    whose = [str(value) for key, value in part.get("match", {}).items() if key in WHOSE]
    first = part.get("label") or part.get("study") or part.get("exact") or "all studies"
    return ", ".join([first, " against ".join(whose)] if whose else [first])


def _as_number(text: Any) -> Any:
    try:
        return float(text)
    except (TypeError, ValueError):
        return str(text)


def find_item(items: Mapping[str, Item], key: str) -> Item:
    """An item by its key, such as s1:table5."""
    if key in items:
        return items[key]
    near = close_match(key, items)
    raise UserError(f"there is no item {key!r} in the ledger", (), listed(items, 60), near)


def _data_from(given: Optional[JsonObject]) -> Optional[DataFrom]:
    """Where data lies that the project does not ship."""
    return None if given is None else DataFrom(given["path"], " ".join(given["what"].split()))
