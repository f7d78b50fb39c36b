"""Data sets, tasks and suites of OpenML, fetched once and kept."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request as Call
from urllib.request import urlopen

import numpy as np

from cvinfer import limits
from cvinfer.arrays import entries
from cvinfer.errors import UserError
from cvinfer.foreign import cut
from cvinfer.packages import ARFF, PYARROW, Package
from cvinfer.partitions import Partition
from cvinfer.whole import whole

from ..dataset import CATEGORICAL, NUMERIC, Column, categories
from ..files import absent
from ..openml_tasks import NotSo, Task, different, members_of, partition_told, task_of
from ..registry import Option, Request, source
from ..table import Rights, Table

from .arff import read_arff
from .parquet import read_parquet

SERVER = "https://www.openml.org/"
SERVER_VARIABLE = "CVINFER_OPENML_SERVER"
#: Seconds for a word of the server, and for a whole file.
_SECONDS = 60.0
_LONGEST = 3600.0
_TRIES = 3
_PAUSE = 0.5
_CHUNK = 1 << 16
#: Letters of a licence or a citation; a server may send a book.
LONGEST_NOTE = 500
#: Bytes of a description or a list of features; real ones have a few thousand for each feature.
_MOST_JSON = 1 << 28
#: The options that name something, exactly one of which is needed, and what each names.
KINDS = {"id": "data set", "task": "task", "suite": "suite"}
#: The one of them that stands for several data sets.
SEVERAL = "suite"
#: What is kept of each in the cache: answers of the interface, and splits.
_DESCRIPTION, _FEATURES, _ANSWER, _SPLITS = (
    ".description.json",
    ".features.json",
    ".json",
    ".splits.arff",
)

OPTIONS = {
    "id": Option("integer", False, "OpenML's number of the data set"),
    "task": Option(
        "integer",
        False,
        "OpenML's number of a task of classification: its data set and class, and the splits of "
        "`partition: {scheme: openml}`",
    ),
    "suite": Option(
        "integer",
        False,
        "OpenML's number of a suite (a study): each of its tasks, or data sets, is a data set of "
        "the comparison",
    ),
    "target": Option(
        "string",
        False,
        "column that holds the class; OpenML's own by default, and no other for a task",
    ),
    "cache": Option(
        "string", False, "folder for downloads, relative to the spec; the user's cache by default"
    ),
    "server": Option(
        "string", False, f"another server with OpenML's interface; also by {SERVER_VARIABLE}"
    ),
}


class Format(NamedTuple):
    """A form in which OpenML hands out records: where its description says so, and who reads it."""

    key: str
    suffix: str
    package: Package
    reader: Callable[[Request], Table]
    checksum: str = ""


#: The better one first: OpenML means to give up arff.
FORMATS = (
    Format("parquet_url", ".parquet", PYARROW, read_parquet),
    Format("url", ".arff", ARFF, read_arff, "md5_checksum"),
)


# --- places ---------------------------------------------------------------------------------------


def _server(request: Request) -> str | None:
    server = request.get("server") or os.environ.get(SERVER_VARIABLE)
    if not server:
        return None
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UserError(f"server {server!r} is no http address such as http://host/", ("server",))
    return server.rstrip("/") + "/"


def user_cache() -> Path:
    """The folder that the system keeps for caches."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA")
    else:
        root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "cvinfer"


def _cache(request: Request) -> Path:
    """Where downloads are kept; every server has its own folder, as ids differ between them."""
    given = request.get("cache")
    root = request.base / limits.at_home(given) if given else user_cache() / "openml"
    server = _server(request)
    return root / (urlsplit(server).netloc.replace(":", "_") if server else "openml.org")


@dataclass(frozen=True)
class Thing:
    """What a request leads to: through which of its keys, what it is, and OpenML's number of it."""

    request: Request
    key: str
    kind: str
    number: int

    @classmethod
    def named(cls, request: Request, key: str) -> Thing:
        """What the request itself names."""
        number = int(request[key])
        if number < 1:
            raise UserError(f"{key} = {number}, but OpenML counts from 1", (key,))
        return cls(request, key, KINDS[key], number)

    @property
    def data(self) -> bool:
        return self.kind == KINDS["id"]

    def file(self, suffix: str) -> Path:
        begin = "" if self.data else f"{self.kind}-"
        return _cache(self.request) / f"{begin}{self.number}{suffix}"

    def kept(self) -> Format | None:
        """The format of the records that are in the cache and can be read here."""
        for form in FORMATS:
            if _readable(form) and self.file(form.suffix).is_file():
                return form
        return None

    def odd(self, fault: str) -> UserError:
        return UserError(f"{self} {fault}", (self.key,))

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {_server(self.request) or SERVER}"


def _readable(form: Format) -> bool:
    return form.package.reason() is None


def _ready(request: Request) -> bool:
    if request.get(SEVERAL) is not None:
        return Thing.named(request, SEVERAL).file(_ANSWER).is_file()
    if request.get("task") is not None and not Thing.named(request, "task").file(_ANSWER).is_file():
        return False
    thing, _ = _data_set(request)
    parts = (thing.file(suffix).is_file() for suffix in (_DESCRIPTION, _FEATURES))
    return all(parts) and thing.kept() is not None


# --- reading --------------------------------------------------------------------------------------


def fetch(request: Request) -> None:
    """Fetch what a request needs and the cache has not; of a suite what its members are called."""
    with _usable(request):
        if request.get(SEVERAL) is None:
            _fetched(request)
            return
        for each in _members(request):
            try:
                thing, _ = _data_set(each)
                _description(thing)
            except Unreachable:
                raise
            except UserError:
                continue  # it is told when this one is read, and the others go on


def members(request: Request) -> list[dict[str, Any]]:
    """The data mappings that a suite stands for, from what was fetched; nothing is fetched here."""
    # One that nobody wrote is what the check of a spec calls it.
    if request.get("name") not in (None, f"openml-suite-{request[SEVERAL]}"):
        message = "a suite is many data sets, each with a name of its own"
        raise UserError(message, ("name",), "no name here")
    every = _members(request)
    key = "id" if "id" in every[0].options else "task"
    numbers = [int(each[key]) for each in every]
    names = different([_called(each, key) for each in every], numbers, key)
    return [{**each.options, "name": name} for each, name in zip(every, names)]


def _members(request: Request) -> list[Request]:
    thing = Thing.named(request, SEVERAL)
    found = _json(thing, _ANSWER, f"study/{thing.number}", "study")
    try:
        key, numbers = members_of(found)
    except NotSo as fault:
        raise thing.odd(str(fault)) from None
    # A word without a value says nothing in a spec.
    rest = {
        name: value
        for name, value in request.options.items()
        if name not in (SEVERAL, "source", "name") and value is not None
    }
    return [
        replace(request, options={"source": "openml", key: number, **rest}) for number in numbers
    ]


def _called(request: Request, key: str) -> str:
    """The name of a member's data set, as far as it was fetched."""
    other = f"openml-{request[key]}" if key == "id" else f"openml-task-{request[key]}"
    with contextlib.suppress(UserError, OSError):
        if key == "id" or Thing.named(request, key).file(_ANSWER).is_file():
            thing, _ = _data_set(request)
            if thing.file(_DESCRIPTION).is_file():
                return str(_description(thing).get("name") or other)
    return other


@source(
    "openml",
    "a data set of OpenML by its number, or by that of a task; or those of a whole suite",
    OPTIONS,
    ready=_ready,
    packages=(ARFF,),
    one_of=tuple(KINDS),
    several=SEVERAL,
    members=members,
    fetch=fetch,
)
def read_openml(request: Request) -> Table:
    """Nominal attributes are categorical, with the levels that occur.

    OpenML's list of features has the last word, so that parquet and arff give the same. A class
    that is a whole number is written without a decimal point, any other number as Python writes it.
    """
    with _usable(request):
        if request.get(SEVERAL) is not None:
            fetch(request)
            raise Thing.named(request, SEVERAL).odd("is several data sets, where one is needed")
        thing, task, description, known, form = _fetched(request)
    target = _target(thing, task, known)
    table = _records(thing, form, target)
    names = [name for name in known if name != target and not _left_out(known[name])]
    lacking = [name for name in names if name not in table.columns]
    if lacking:
        raise thing.odd(f"has no column {lacking[0]!r}, which its list of features names")
    features = {
        name: (lambda name=name: _column(table.columns[name](), known[name])) for name in names
    }
    labels = _texts(table.labels, known[target])
    name = str(description.get("name") or f"openml-{thing.number}")
    rights = Rights(*(_said(description, key) for key in Rights._fields))
    notes = _notes(description, known[target], rights)
    return Table(name, features, labels, target, notes, rights=rights)


def splits_ready(request: Request) -> bool:
    """Whether the official splits can be read without fetching them."""
    if request.get("task") is None:
        return True  # that there are none is told at once
    return Thing.named(request, "task").file(_SPLITS).is_file()


def fetch_splits(request: Request) -> None:
    """Fetch the official splits of a task, if the cache has them not."""
    with _usable(request):
        _splits(request)


def official_splits(request: Request, n: int) -> Partition:
    """The official splits of a task on the n records of its data set."""
    thing = Thing.named(request, "task")
    with _usable(request):
        task, path = _splits(request)
    where = f"the splits of {thing}"
    try:
        return partition_told(limits.read_file(path), task.procedure, n, where)
    except limits.Unreadable as error:
        raise UserError(f"{where} cannot be read: {error}", ("task",)) from None


def _splits(request: Request) -> tuple[Task, Path]:
    thing = Thing.named(request, "task")
    task, path = _task(thing), thing.file(_SPLITS)
    if not task.splits:
        raise thing.odd("names no splits")
    if not path.is_file():
        _download(thing, task.splits, path, most=limits.max_bytes())
    return task, path


def _task(thing: Thing) -> Task:
    found = _json(thing, _ANSWER, f"task/{thing.number}", "task")
    try:
        return task_of(found)
    except NotSo as fault:
        raise thing.odd(str(fault)) from None


def _data_set(request: Request) -> tuple[Thing, Task | None]:
    """The data set that a request names, or the task that it names."""
    if request.get("task") is None:
        return Thing.named(request, "id"), None
    task = _task(Thing.named(request, "task"))
    return Thing(request, "task", KINDS["id"], task.data), task


def _description(thing: Thing) -> Mapping[str, Any]:
    return _json(thing, _DESCRIPTION, f"data/{thing.number}", "data_set_description")


class _Fetched(NamedTuple):
    thing: Thing
    task: Task | None
    description: Mapping[str, Any]
    known: Mapping[str, Mapping[str, Any]]
    form: Format


def _fetched(request: Request) -> _Fetched:
    """All that is needed of a data set, from the cache or now from the server."""
    thing, task = _data_set(request)
    description = _description(thing)
    listed = _json(thing, _FEATURES, f"data/features/{thing.number}", "data_features")
    known = {str(each["name"]): each for each in _field(thing, listed, "feature")}
    form = thing.kept() or _records_fetched(thing, description)
    return _Fetched(thing, task, description, known, form)


@contextlib.contextmanager
def _usable(request: Request) -> Iterator[None]:
    """The folder of the cache is there; what keeps it from being used is the cache's fault."""
    try:
        _cache(request).mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        cache = _cache(request).name
        raise UserError(f"the cache {cache!r} cannot be used: {error}", ("cache",)) from None


def _records(thing: Thing, form: Format, target: str) -> Table:
    """The file as its own source reads it; what is wrong with it is the data set's fault."""
    path = thing.file(form.suffix)
    asked = {"path": path.name, "target": target}
    try:
        return form.reader(replace(thing.request, options=asked, base=path.parent))
    except UserError as error:
        message = f"{thing}: {error.message}"
        refusal = (thing.key,), error.allowed, error.suggestion, error.there
        raise UserError(message, *refusal) from None


def _target(thing: Thing, task: Task | None, known: Mapping[str, Mapping[str, Any]]) -> str:
    wanted = thing.request.get("target")
    if task is not None and task.target:
        if task.target not in known:
            raise thing.odd(f"has no column {task.target!r}, which the task names as its class")
        if wanted not in (None, task.target):
            message = f"the class of task {thing.request['task']} is {task.target!r}"
            instead = f"no target, or id: {thing.number} in the place of the task"
            raise UserError(message, ("target",), instead)
        return task.target
    if wanted is not None:
        if wanted not in known:
            fault = f"{thing} has no column {wanted!r}"
            raise absent(fault, ("target",), wanted, known)
        return str(wanted)
    names = [name for name, feature in known.items() if _flag(feature, "is_target")]
    if len(names) != 1:
        found = f"names {len(names)} target columns" if names else "names no target column"
        raise UserError(
            f"data set {thing.number} {found}; say which holds the class, target: ...",
            ("target",),
        )
    return names[0]


def _notes(
    description: Mapping[str, Any], target: Mapping[str, Any], rights: Rights
) -> tuple[str, ...]:
    """What OpenML says against the use of a data set, its licence and how it is to be cited."""
    found = []
    status = description.get("status", "active")
    if status != "active":
        found.append(f"version {description.get('version')} of this data set is {status}")
    found += [f"{key}: {description[key]}" for key in ("error", "warning") if description.get(key)]
    if _left_out(target):
        found.append(f"the class {target['name']!r} is a column that is not meant for learning")
    found += [f"{key}: {said}" for key, said in rights._asdict().items() if said]
    return tuple(f"OpenML: {each}" for each in found)


def _said(description: Mapping[str, Any], key: str) -> str:
    """What a description says, on one line; of a book the beginning."""
    value = description.get(key)
    texts = value if isinstance(value, list) else [value or ""]
    return cut(" ".join("; ".join(map(str, texts)).split()), LONGEST_NOTE)


def _flag(feature: Mapping[str, Any], key: str) -> bool:
    return str(feature.get(key, "false")).lower() == "true"


def _left_out(feature: Mapping[str, Any]) -> bool:
    return _flag(feature, "is_ignore") or _flag(feature, "is_row_identifier")


def _is_number(feature: Mapping[str, Any]) -> bool:
    return str(feature.get("data_type", "")).lower() in ("numeric", "integer", "real")


def _column(column: Column, feature: Mapping[str, Any]) -> Column:
    """As OpenML declares it, whatever the file made of it."""
    if column.kind == NUMERIC and _is_number(feature):
        return column
    if column.kind == NUMERIC:
        found = entries(column.values)
        texts = [None if np.isnan(value) else _number(repr(value)) for value in found]
    else:
        texts = [None if code < 0 else column.levels[code] for code in entries(column.values)]
    return Column(column.name, CATEGORICAL, *categories(_texts(texts, feature)))


def _texts(values: Sequence[str | None], feature: Mapping[str, Any]) -> list[str | None]:
    """Texts as OpenML declares them: a file may have 1.0 for 1 and true for TRUE."""
    declared = feature.get("nominal_value") or []
    names = [str(each) for each in (declared if isinstance(declared, list) else [declared])]
    known: dict[str | None, str | None] = {None: None}
    for value in set(values) - {None}:
        text = str(value)
        known[value] = _number(text) if _is_number(feature) else _as_declared(text, names)
    return [known[value] for value in values]


def _as_declared(text: str, names: Sequence[str]) -> str:
    if text in names:
        return text
    alike = (name for name in names if name.lower() == text.lower() or name == _number(text))
    return next(alike, text)


def _number(text: str) -> str:
    """A whole number without a decimal point, any other as Python writes it; texts as they are."""
    try:
        number = float(text)
    except ValueError:
        return text
    if not np.isfinite(number):
        return text
    return str(int(number)) if number.is_integer() else repr(number)


# --- fetching -------------------------------------------------------------------------------------


class Unreachable(UserError):
    """There is no server."""


def _field(thing: Thing, found: Any, key: str) -> Any:
    if not isinstance(found, Mapping) or not found.get(key):
        where = _server(thing.request) or SERVER
        message = f"the answer of {where} for {thing.kind} {thing.number} lacks {key!r}"
        raise UserError(message, (thing.key,))
    return found[key]


def _json(thing: Thing, suffix: str, place: str, key: str) -> Mapping[str, Any]:
    """An answer of OpenML's interface, from the cache if it was asked for before."""
    path = thing.file(suffix)
    if not path.is_file():
        address = f"{_server(thing.request) or SERVER}api/v1/json/{place}"
        _download(thing, address, path, most=limits.max_bytes(_MOST_JSON))
    try:
        found = json.loads(limits.read_file(path, _MOST_JSON))
    except limits.Unreadable as error:
        raise thing.odd(f"is described by {place} in a file of the cache: {error}") from None
    except (ValueError, RecursionError):
        path.unlink(missing_ok=True)
        raise thing.odd(f"is described by {place} in what is no JSON") from None
    try:
        answer = _field(thing, found, key)
        if isinstance(answer, Mapping):
            return answer
        raise thing.odd(f"is described by {place}, where {key} is no mapping")
    except UserError:
        path.unlink(missing_ok=True)
        raise


def _records_fetched(thing: Thing, description: Mapping[str, Any]) -> Format:
    """Fetch the records in the first format that is offered, can be read here and is there."""
    offered = [each for each in FORMATS if description.get(each.key)]
    fault: UserError | None = None
    for form in filter(_readable, offered):
        try:
            _download(
                thing,
                str(description[form.key]),
                thing.file(form.suffix),
                most=limits.max_bytes(),
                md5=str(description.get(form.checksum) or ""),
            )
            return form
        except UserError as error:
            # OpenML names parquet files that were never made.
            fault = error
    if fault is not None:
        raise fault
    if not offered:
        raise thing.odd("is offered neither as parquet nor as arff")
    needed = " or ".join(form.package.name for form in offered)
    raise UserError(f"{thing} needs the package {needed}, which is not installed", (thing.key,))


def _download(thing: Thing, address: str, path: Path, most: int, md5: str = "") -> None:
    """Fetch a file of at most so many bytes, whole or not at all."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise thing.odd(f"is said to be at {address!r}, which is no http address")
    with whole(path) as file:
        for left in reversed(range(_TRIES)):
            try:
                digest = _receive(thing, address, file, most)
                break
            except HTTPError as error:
                if error.code >= 500 and left:
                    time.sleep(_PAUSE)
                    continue
                where = _server(thing.request) or SERVER
                what = f"{thing.kind} {thing.number}"
                raise UserError(
                    f"{where} answered {error.code} {error.reason} for {what}{_reason(error)}",
                    (thing.key,),
                ) from None
            except (URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
                if left:
                    time.sleep(_PAUSE)
                    continue
                reason = getattr(error, "reason", None) or error or type(error).__name__
                server = _server(thing.request)
                raise Unreachable(
                    f"{server or SERVER} cannot be reached for {thing.kind} {thing.number}: "
                    f"{reason}; what was fetched once is read from the cache",
                    ("server",) if server else (thing.key,),
                ) from None
        if md5 and digest != md5:
            raise thing.odd(f"came damaged: its md5 sum is {digest}, not {md5}; try again")


def _reason(error: HTTPError) -> str:
    """What OpenML says of a refusal, such as an unknown number; nothing where it says nothing."""
    with contextlib.suppress(OSError, ValueError, http.client.HTTPException, RecursionError):
        said = json.loads(error.read(_CHUNK))["error"]["message"]
        return f": {cut(' '.join(str(said).split()))}" if said else ""
    return ""


def _too_large(thing: Thing, address: str, most: int) -> UserError:
    return thing.odd(
        f"has an answer of more than {most:,} bytes at {address!r}, which is not fetched "
        "(--max-bytes raises that)",
    )


def _receive(thing: Thing, address: str, file: BinaryIO, most: int) -> str:
    """Write what a server sends to a file; its md5 sum, which is all that OpenML gives."""
    began, size = time.monotonic(), 0
    file.seek(0)
    file.truncate()
    digest = hashlib.md5(usedforsecurity=False)
    call = Call(address, headers={"User-Agent": "cvinfer"})
    with urlopen(call, timeout=_SECONDS) as answer:
        told = answer.headers.get("Content-Length", "")
        # A number of very many digits is none that Python reads.
        if told.isdecimal() and (len(told) > 18 or int(told) > most):
            raise _too_large(thing, address, most)
        while True:
            piece = answer.read1(_CHUNK)
            if not piece:
                break
            size += len(piece)
            if size > most:
                raise _too_large(thing, address, most)
            if time.monotonic() - began > _LONGEST:
                raise thing.odd(f"did not arrive within {_LONGEST:g} s")
            digest.update(piece)
            file.write(piece)
        if told.isdecimal() and int(told) != size:
            raise http.client.IncompleteRead(b"", int(told) - size)
    return digest.hexdigest()
