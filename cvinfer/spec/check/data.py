"""The data sets of a spec: each is read once, and what is wrong with it told at its key."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, TypeVar

from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, UserError, listed
from cvinfer.errors import Path as Place
from cvinfer.names import close_match
from cvinfer.spec.check.common import Context, is_off, placed_schemes, refusal_of
from cvinfer.spec.shape import misspelt, quoted
from cvinfer.spec.text import Document

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike


Kept = TypeVar("Kept")


def expand(document: Document, base: Path) -> None:
    """Put the mappings of all its data sets in the place of one that stands for several.

    One that was not fetched yet stays as it is. Each has the places of what it came of.
    """
    given = document.value.get("data") if isinstance(document.value, dict) else None
    many = isinstance(given, list)
    entries: Sequence[Any] = given if isinstance(given, list) else [given]
    found: list[tuple[JsonObject, Place]] = []
    for at, entry in enumerate(entries):
        place: Place = ("data", at) if many else ("data",)
        found += [(each, place) for each in _members(document, base, entry, place)]
    values = [entry for entry, _ in found]
    if values == list(entries):
        return
    beside = Document(document.file, values)
    if ("data",) in document.places:
        beside.places[()] = document.places["data",]
    for at, (_, place) in enumerate(found):
        beside.places.update(_moved(document.places, place, at))
        beside.written.update(_moved(document.written, place, at))
    document.replace(("data",), beside)


def _moved(of: Mapping[Place, Kept], begin: Place, to: int) -> dict[Place, Kept]:
    """What is kept of the places under one, as of those under another."""
    length = len(begin)
    return {(to, *path[length:]): each for path, each in of.items() if path[:length] == begin}


def _members(
    document: Document, base: Path, entry: Any, place: Place
) -> Sequence[Mapping[str, Any]]:
    """The data mappings that one stands for; itself where it is one data set, or has a fault."""
    from cvinfer.data.registry import Request, faults, sources

    if not isinstance(entry, dict):
        return [entry]
    info = sources().get(str(entry.get("source")))
    if info is None or not info.stands_for_several(entry) or faults(entry):
        return [entry]
    request = Request(entry, base, 0)
    try:
        return list(info.members(request)) if info.ready(request) else [entry]
    except UserError as error:
        document.add(place + tuple(error.path or ()), error.message, error.allowed)
        return [entry]


def data_sets(here: Context) -> tuple[list[dict[str, Any]], list[Place]]:
    """The entries of `data` with their names, and their places; fills `here.data`."""
    given = here.value.get("data")
    if given is None or ("data",) in here.bad:
        return [], []
    many = isinstance(given, list)
    found: list[dict[str, Any]] = []
    places: list[Place] = []
    for index, entry in enumerate(given if many else [given]):
        place: Place = ("data", index) if many else ("data",)
        if not isinstance(entry, dict):
            continue
        named = {"name": _data_name(entry), **entry}
        if entry.get("positive") is not None:
            named["positive"] = str(entry["positive"])  # from Python it may be a number
        if "missing" not in entry and _all_take_missing(here, entry):
            named["missing"] = "keep"
        found.append(named)
        places.append(place)
        column = entry.get("groups") if here.fine(place + ("groups",)) else None
        here.group_columns.append((str(named["name"]), column))
        here.data.append(_loaded(here, named, place) if here.ready is None else here.ready[index])
    _distinct_names(here, found, places)
    kinds = {is_predictions_entry(entry) for entry in found}
    if len(kinds) == 2:
        at = next(p for e, p in zip(found, places) if is_predictions_entry(e))
        message = "predictions cannot stand beside data sets that learners are fitted on"
        here.fault(at, message, "two specs, one for each")
    return found, places


def _all_take_missing(here: Context, entry: JsonObject) -> bool:
    """Whether missing values can be left to the learners, each with a way of its own."""
    from cvinfer.data.registry import sources
    from cvinfer.engines import engines

    source = sources().get(str(entry.get("source")))
    learners = here.value.get("learners")
    if source is None or "missing" not in source.options or not isinstance(learners, dict):
        return False
    names = {str(each.get("engine")) for each in learners.values() if isinstance(each, dict)}
    known = engines()
    return bool(names) and all(name in known and known[name].takes_missing for name in names)


def _distinct_names(here: Context, entries: list[dict[str, Any]], places: list[Place]) -> None:
    names = [entry["name"] for entry in entries]
    for at, (name, place) in enumerate(zip(names, places)):
        if name not in names[:at] or not here.fine(place + ("name",)):
            continue
        message = f"two data sets are called {quoted(name)}"
        if place + ("name",) in here.document.places:
            here.fault(place + ("name",), message)
        else:
            # Called after its file or its source, which does not tell it from the other.
            where = place + ("name",)
            here.fault(place, f"is missing, and {message}", "a name of its own", shown=where)


def _loaded(here: Context, entry: dict[str, Any], place: Place) -> Optional[DataLike]:
    """The data set, read once; None where it cannot be."""
    from cvinfer.data.memory import MEMORY
    from cvinfer.data.registry import Request, sources

    if not here.fine(place + ("source",)):
        return None
    known = sources()
    source = entry["source"]
    if source == MEMORY:
        message = "these data were in the memory of a Python session, and are in no file"
        here.fault(place + ("source",), message, "cvinfer.compare(X, y, ...) with the same data")
        return None
    if source not in known:
        meant = close_match(source, known)
        where = place + ("source",)
        here.fault(where, f"there is no source {quoted(source)}", listed(known), meant)
        return None
    info = known[source]
    before = len(here.document.faults)
    for key in entry:
        if key in info.refuses:
            message = f"the source {source} takes no {key}: {info.refuses[key]}"
            here.fault(place + (key,), message, f"no {key} here", key=True)
        elif key not in info.options:
            here.fault(
                place + (key,),
                f"unknown key for the source {source}",
                listed(info.options),
                close_match(key, info.options),
                key=True,
            )
    for key, option in info.options.items():
        if option.required and key not in entry and not misspelt(key, entry):
            here.fault(place, "is missing", option.description, shown=place + (key,))
    if not any(misspelt(key, entry) for key in info.one_of):
        for fault in info.choice_faults(entry):
            if not fault.path:  # others are told with what else is wrong with the options
                here.fault(place, fault.message, str(fault.allowed))
    _data_faults(here, entry, place)
    if len(here.document.faults) > before or not here.fine(place):
        return None
    if info.stands_for_several(entry):
        return None  # nothing was fetched yet that says which these are
    try:
        if not info.ready(Request(entry, here.base, here.seed)):
            return None
        return _load(here, entry, place)
    except CvinferError as error:
        if not here.goes_on_without(entry["name"], error):
            _from_error(here, error, place)
    except OSError as error:
        unread = f"cannot be read: {error.strerror or error}"
        if not here.goes_on_without(entry["name"], unread):
            here.fault(place + ("path",), unread)
    return None


def _groups_asked(here: Context) -> dict[str, Place]:
    """The columns that partitions group by, with the first place that names them."""
    asked: dict[str, Place] = {}
    for options, place in placed_schemes(here.value.get("partition")):
        column = options.get("groups")
        at = place + ("groups",)
        if isinstance(column, str) and not is_off(column) and here.fine(at):
            asked.setdefault(column, at)
    return asked


def _data_faults(here: Context, entry: dict[str, Any], place: Place) -> None:
    """What the source finds wrong without reading, where nothing else was found before."""
    from cvinfer.data.registry import faults, sources

    known = sources()[entry["source"]].options
    clean = {
        key: value for key, value in entry.items() if key in known and here.fine(place + (key,))
    }
    for error in faults(clean):
        if error.path:
            _from_error(here, error, place)


def _load(here: Context, entry: dict[str, Any], place: Place) -> Optional[DataLike]:
    from cvinfer.data import Dataset, load
    from cvinfer.data.parked import parked
    from cvinfer.data.table import text_fault

    data = load(entry, here.base, here.seed, _groups_asked(here))
    if not data.made_elsewhere and len(data.classes) < 2:
        message = f"the target has one class only, {quoted(data.classes[0])}"
        if not here.goes_on_without(entry["name"], message):
            here.fault(place + ("target",), message, "at least two classes")
        return None
    if isinstance(data, Dataset):
        for column in data.features:
            fault = text_fault(column, na=entry["source"] == "csv")
            if fault is None:
                continue
            if here.goes_on_without(entry["name"], fault):
                return None
            here.fault(place + ("drop",), fault)
        return parked(data) if here.several else data
    return data


def _from_error(here: Context, error: CvinferError, place: Place) -> None:
    """An error of the data as a fault at the key that caused it."""
    refusal = refusal_of(error)
    inner = tuple(refusal.path or ())
    if inner[:1] == ("data",):
        inner = inner[1:]
    message, allowed, meant = refusal.message, refusal.allowed, refusal.suggestion
    there = refusal.there
    if there is not None:
        given: Any = here.value.get("data")
        at = place[1] if len(place) > 1 else 0
        entry = given[at] if isinstance(given, list) else given
        there = f"the {'file' if 'path' in entry else 'data'} has: {there}"
    if inner[:1] == ("groups",) and inner[1:]:
        # A column that a partition names, and that each of several data sets must have.
        on = here.on(here.group_columns[-1][0])
        at_groups = _groups_asked(here)[str(inner[1])]
        here.fault(at_groups, on + message, allowed, meant, there=there)
        return
    here.fault(place + inner, message, allowed, meant, there=there)


def positive_of_all(here: Context) -> Optional[str]:
    given = here.or_default("positive")
    return None if given is None else str(given)


def check_positive(here: Context, entries: list[dict[str, Any]], places: list[Place]) -> None:
    """The positive class of each data set, its own or the spec's, against its classes."""
    for entry, place, data in zip(entries, places, here.data):
        own = entry.get("positive")
        positive = positive_of_all(here) if own is None else own
        where = ("positive",) if own is None else place + ("positive",)
        if data is None or positive is None or not here.fine(where):
            continue
        if positive not in data.classes:
            message = f"{here.on(data.name)}there is no class {quoted(positive)}"
            meant = close_match(positive, data.classes)
            there = f"the data has: {listed(data.classes)}"
            here.fault(where, message, None, meant, there=there)


def _data_name(entry: JsonObject) -> str:
    """What a data set is called where its entry does not say."""
    for key in ("dataset", "population"):
        if isinstance(entry.get(key), str):
            return str(entry[key])
    if isinstance(entry.get("path"), str):
        return PurePosixPath(entry["path"].replace("\\", "/")).name.split(".")[0] or "data"
    for key, begin in (("id", "openml"), ("task", "openml-task"), ("suite", "openml-suite")):
        if isinstance(entry.get(key), int):
            return f"{begin}-{entry[key]}"
    return str(entry.get("source", "data"))


def how_many(entries: Sequence[JsonObject]) -> int:
    """The number of data sets, as far as it is known; one that stands for several counts as two."""
    from cvinfer.data.registry import sources

    known = sources()
    infos = [(known.get(str(entry.get("source"))), entry) for entry in entries]
    more = [1 for info, entry in infos if info is not None and info.stands_for_several(entry)]
    return len(entries) + len(more)


def is_predictions_entry(entry: JsonObject) -> bool:
    """Whether it brings predictions or scores made elsewhere, so that nothing is fitted on it."""
    from cvinfer.data.registry import sources

    source = sources().get(str(entry.get("source")))
    return source is not None and source.elsewhere
