"""From a file, or a mapping, to a `Spec`: read, change, check, and tell all faults at once."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Union

from cvinfer import limits
from cvinfer.documents import JsonObject
from cvinfer.spec import finished
from cvinfer.spec.faults import Fault, SpecError, in_order
from cvinfer.errors import Path as Place
from cvinfer.errors import Refusal
from cvinfer.spec.model import Spec
from cvinfer.spec.text import Document, from_values, parse
from cvinfer.spec.text import Place as Spot

if TYPE_CHECKING:
    from cvinfer.data.dataset import DataLike

Source = Union[str, "os.PathLike[str]", JsonObject]

_SPEC_SUFFIXES = (".yaml", ".yml", ".json")
_TO_INIT = "if it is data, `cvinfer init {} --target COLUMN` writes a spec for it"
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|\[(\d+)\]|([^.\[\]"]+)')


class _Reading(NamedTuple):
    spec: Optional[Spec]
    data: tuple[Optional[DataLike], ...]
    faults: list[Fault]


class Reading(_Reading):
    """A spec with its data sets, read once; `spec` is None where there are faults.

    `data` has one entry for each of `spec.data`, None for what was not read: a download waits
    until the run. `lost`: the names of those that are left out, and why, where the run goes on.
    """

    lost: Mapping[str, str] = MappingProxyType({})


def check_file(
    path: Union[str, "os.PathLike[str]"],
    overrides: Iterable[str] = (),
    *,
    allow_code: bool = False,
) -> tuple[Optional[Spec], list[Fault]]:
    """The spec in a file and all its faults; raises nothing for what a user can get wrong."""
    spec, _, faults = read_spec(path, overrides, allow_code)
    return spec, faults


def load_spec(
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> Spec:
    """The spec in a file or in a mapping; raises `SpecError` with all faults."""
    spec, _, faults = read_spec(source, overrides, allow_code, base)
    if spec is None:
        raise SpecError(faults)
    return spec


def read_spec(
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
    going_on: bool = False,
) -> Reading:
    """Spec, data sets and faults together.

    Relative paths start from the file's directory, or from `base`; for a mapping from `base`, or
    from the working directory; for a result.json, which is a spec too, see `finished.base_of`.
    `overrides` are texts like `alpha=0.01`. `going_on`: one of several data sets that
    something is wrong with is no fault.
    """
    opened = open_document(source, overrides, allow_code, base)
    document, base, name = opened
    if base is None:
        return Reading(None, (), in_order(document.faults))
    from cvinfer.spec.check import check

    if is_study(document):
        message = "this is a study, not one comparison; cvinfer simulate runs it"
        document.add(("study",), message, key=True)
        return Reading(None, (), in_order(document.faults))
    checked = check(document, base, name, allow_code, going_on=going_on)
    faults = in_order(document.faults)
    reading = Reading(None if faults else checked.spec, checked.data, faults)
    reading.lost = checked.lost
    return reading


def located(
    error: Refusal,
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> SpecError:
    """What is wrong with a spec as it was read, at its place there; `error.path` is from the top.

    A data set is counted among those that the spec means, not among those that it names.
    """
    from cvinfer.spec.check.data import expand

    document, base, _ = open_document(source, overrides, allow_code, base)
    if base is not None:
        expand(document, base)
    document.faults.clear()
    place = _known(document.value, tuple(error.path or ()))
    there = f"the data has: {error.there}" if error.there else None
    document.add(place, error.message, error.allowed, error.suggestion, there=there)
    return SpecError(in_order(document.faults))


def _known(written: Any, path: Place) -> Place:
    """As much of a path as is written: a spec may have one data set without a list."""
    found: Place = ()
    for step in path:
        if isinstance(step, int) and isinstance(written, dict):
            continue  # one data set without a list
        inside = isinstance(written, list) and isinstance(step, int) and step < len(written)
        if not inside and not (isinstance(written, dict) and step in written):
            break
        found, written = (*found, step), written[step]
    return found


def is_study(document: Document) -> bool:
    """Whether a text describes a study: many comparisons, on data that are drawn."""
    return isinstance(document.value, dict) and "study" in document.value


def is_study_file(file: Path) -> bool:
    """Whether a file has a study in it; one that cannot be read has none.

    A file without the word is not parsed for it: a comparison may be long.
    """
    if str(file) == limits.STANDARD_INPUT:
        return False
    try:
        content = limits.read_file(file, limits.SPEC_BYTES)
    except (limits.Unreadable, OSError, ValueError):
        return False
    return b"study" in content and is_study(_of_file(file))


class Opened(NamedTuple):
    """The text of a spec, the directory of its relative paths, and a name for it.

    base: None where the text cannot be worked with; its faults say why.
    """

    document: Document
    base: Optional[Path]
    name: str


def open_document(
    source: Source,
    overrides: Iterable[str] = (),
    allow_code: bool = False,
    base: Optional[Path] = None,
) -> Opened:
    """What is written in a file or a mapping, with its changes; see `read_spec`."""
    if isinstance(source, Mapping):
        document = _of_mapping(source)
        base, name = base or Path.cwd(), "comparison"
    else:
        file = Path(source)
        document, name = _of_file(file), file.name.split(".")[0]
        name = "comparison" if str(file) == limits.STANDARD_INPUT else name
    if not document.readable:
        return Opened(document, None, name)
    for override in overrides:
        _apply(document, override)
    if base is None and document.finished:
        base, lost = finished.base_of(file, document.value)
        if lost:
            document.faults += lost
            return Opened(document, None, name)
    base = base or file.absolute().parent
    if allow_code:
        from cvinfer.engines._sklearn.own_code import look_beside

        look_beside(base)
    from cvinfer.data.kept import results_in

    results_in(document.value.get("output"))
    return Opened(document, base, name)


def _of_file(file: Path) -> Document:
    try:
        json_file = file.suffix == ".json"  # perhaps a result, which is larger than a spec
        content = limits.read_file(file, limits.RESULT_BYTES if json_file else limits.SPEC_BYTES)
        result = finished.result_in(content)
        if result is not None:
            return replace(from_values(finished.spec_in(result), str(file)), finished=True)
        document = parse(content, str(file))
        if document.readable or not _may_be_data(file):
            return document
        message = f"this is no spec; {_TO_INIT.format(shlex.quote(str(file)))}"
    except limits.Unreadable as error:
        message = f"this cannot be read: {error}"
        if _may_be_data(file):
            message += f"; {_TO_INIT.format(shlex.quote(str(file)))}"
    except FileNotFoundError:
        message = "there is no such file"
    except IsADirectoryError:
        message = "this is a directory, not a file"
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
    except ValueError as error:
        message = f"this cannot be a file: {error}"
    return Document(str(file), faults=[Fault(str(file), 0, 0, "spec", message)], readable=False)


def _may_be_data(file: Path) -> bool:
    """Whether a file that is no spec is not called like one either."""
    return file.is_file() and file.suffix.lower() not in _SPEC_SUFFIXES


def _of_mapping(source: JsonObject) -> Document:
    try:
        return from_values(source)
    except RecursionError:
        fault = Fault("spec", 0, 0, "spec", "the mapping is nested without end")
        return Document("spec", faults=[fault], readable=False)


def _apply(document: Document, override: str) -> None:
    """`key.key=value`: the value is YAML, and takes the place of what the spec has there."""
    label = f"--set {override}"

    def refuse(message: str, allowed: Optional[str] = None) -> None:
        document.faults.append(Fault(label, 0, 0, key.strip() or "spec", message, allowed))

    key, equals, text = override.partition("=")
    parts = _parts(key.strip())
    if not equals or not parts:
        refuse("this is not of the form key=value", "for example alpha=0.01 or tests=[kfold_t]")
        return
    value = parse(text.strip().encode(), label, mapping=False)
    document.faults += [fault._replace(line=0, column=0, path=key) for fault in value.faults]
    if not value.readable:
        return
    value.places = {path: _nowhere(label) for path in value.places} or {(): _nowhere(label)}
    lost = put(document, key.strip(), value)
    if lost is not None:
        refuse(lost)


def put(document: Document, key: str, value: Document) -> Optional[str]:
    """Put a value at `key`, a path such as `learners.SVM.params.C`; why not, where it cannot be.

    Mappings that are missing on the way are made.
    """
    path: Place = ()
    parts = _parts(key)
    if not parts:
        return "this is no path of a spec"
    parent = document.value
    while True:
        step, used = _step(parent, parts)
        if step is None:
            return f"'{parts[0]}' leads nowhere: {_kind(parent)} stands there"
        path, parts = path + (step,), parts[used:]
        if not parts:
            document.replace(path, value)
            return None
        if isinstance(parent, dict) and not isinstance(parent.get(step), (dict, list)):
            if parent.get(step) is not None:
                return f"'{parts[0]}' leads nowhere: {_kind(parent[step])} stands there"
            parent[step] = {}
            document.places[path] = value.places[()]
        parent = parent[step]


def known_way(written: JsonObject, key: str) -> tuple[Place, list[str]]:
    """How far a path leads through what is written, and the steps that are left."""
    path: Place = ()
    parts = _parts(key)
    value: Any = written
    while parts:
        step, used = _step(value, parts)
        if step is None or (isinstance(value, dict) and step not in value):
            break
        path, parts, value = path + (step,), parts[used:], value[step]
    return path, parts


def _parts(key: str) -> list[str]:
    """`learners."C4.5".params.C` and `data[0].path` in their steps; nothing if it is no path."""
    if re.sub(_PART, "", key).strip("."):
        return []
    found = [quoted or index or plain for quoted, index, plain in _PART.findall(key)]
    return [part.replace('\\"', '"') for part in found]


def _step(parent: Any, parts: list[str]) -> tuple[Any, int]:
    """The next key or index and how many parts it took: a known key may have dots in it."""
    if isinstance(parent, list):
        inside = parts[0].isdigit() and int(parts[0]) < len(parent)
        return (int(parts[0]), 1) if inside else (None, 0)
    if not isinstance(parent, dict):
        return None, 0
    for used in range(len(parts), 0, -1):
        if ".".join(parts[:used]) in parent:
            return ".".join(parts[:used]), used
    return parts[0], 1


def _nowhere(label: str) -> Spot:
    return Spot(label, 0, 0, 0, 0, "", "")


def _kind(value: Any) -> str:
    from cvinfer.spec.shape import describe

    return f"a list of {len(value)}" if isinstance(value, list) else describe(value)
