"""Stored study.json files of the ledger, and how a cell of one is found."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional

from cvinfer import limits
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.studies.ledger.model import Item

#: Study files are read up to this size.
MOST_BYTES = 100_000_000


class Absent(UserError):
    """A study was run, and the cell that the ledger asks for is not in it, or is there twice."""


@dataclass
class Results:
    """Documents of studies by paper, item and study; None where there are none yet.

    places: directories with <paper>/<item>/<study>.json in them; the first that has one counts.
    given: documents that are at hand, which go before files.
    """

    places: tuple[Path, ...] = ()
    given: Optional[Mapping[tuple[str, str, str], JsonObject]] = None

    def __post_init__(self) -> None:
        self._read: dict[tuple[str, str, str], Optional[JsonObject]] = dict(self.given or {})

    def study(self, item: Item, name: str) -> Optional[JsonObject]:
        """The document of an item's study, also of one that it borrows from another item."""
        source = item.studies[name]
        key = (source.paper or item.paper, source.item or item.name, source.name or name)
        if key not in self._read:
            self._read[key] = self._from_files(key)
        return self._read[key]

    def _from_files(self, key: tuple[str, str, str]) -> Optional[JsonObject]:
        for place in self.places:
            path = place.joinpath(*key[:2], f"{key[2]}.json")
            if path.is_file():
                document: JsonObject = json.loads(limits.read_file(path, MOST_BYTES))
                return document
        return None


def same(left: Any, right: Any) -> bool:
    """Whether two values of a grid are one: numbers may be written in different ways."""
    numbers = [isinstance(each, (int, float)) for each in (left, right)]
    if all(numbers) and not isinstance(left, bool) and not isinstance(right, bool):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return bool(left == right)


def inside(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether `found` has all of `wanted`; a list there is a choice."""
    for path, value in wanted.items():
        if path not in found:
            return False
        choices = value if isinstance(value, (list, tuple)) else (value,)
        if not any(same(found[path], choice) for choice in choices):
            return False
    return True


def cells_of(
    document: JsonObject,
    kind: str,
    name: Optional[str],
    at: Mapping[str, Any],
    match: Mapping[str, Any],
) -> list[JsonObject]:
    """Every cell of a study of that kind, name, grid point and further fields."""
    return [
        cell
        for cell in document.get("cells", ())
        if cell["kind"] == kind
        and (name is None or cell["name"] == name)
        and inside(cell.get("at", {}), at)
        and inside(cell, match)
    ]


def the_cell(
    document: JsonObject,
    kind: str,
    name: str,
    at: Mapping[str, Any],
    match: Mapping[str, Any],
) -> JsonObject:
    """The one cell that is meant; anything but one is a mistake in the ledger or in the study."""
    found = cells_of(document, kind, name, at, match)
    if len(found) == 1:
        return found[0]
    where = said({**at, **match})
    many = "no cell" if not found else f"{len(found)} cells"
    raise Absent(f"study {document.get('name')!r} has {many} of {kind} {name!r}{where}")


def said(values: Mapping[str, Any]) -> str:
    text = ", ".join(f"{key} {value}" for key, value in values.items())
    return f" at {text}" if text else ""


def replications_of(documents: Iterable[Optional[JsonObject]]) -> list[int]:
    """How many replications each document rests on."""
    counts = []
    for document in documents:
        if document is not None:
            ranges = document.get("ranges", ())
            counts.append(sum(int(last) - int(first) + 1 for first, last in ranges))
    return counts
