"""Data sets of OpenML, fetched once and kept."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from cvinfer.whole import whole

from ..dataset import CATEGORICAL, NUMERIC, Column, categories
from ..files import absent
from ..registry import Option, Request, source
from ..table import Table
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

OPTIONS = {
    "id": Option("integer", True, "OpenML's number of the data set"),
    "target": Option("string", False, "column that holds the class; OpenML's own by default"),
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


def _file(request: Request, suffix: str) -> Path:
    return _cache(request) / f"{request['id']}{suffix}"


def _kept(request: Request) -> Format | None:
    """The format of the records that are in the cache and can be read here."""
    for form in FORMATS:
        if _readable(form) and _file(request, form.suffix).is_file():
            return form
    return None


def _readable(form: Format) -> bool:
    return form.package.reason() is None


def _ready(request: Request) -> bool:
    parts = (_file(request, suffix).is_file() for suffix in (".description.json", ".features.json"))
    return all(parts) and _kept(request) is not None


# --- reading --------------------------------------------------------------------------------------


@source("openml", "a data set of OpenML by its number", OPTIONS, ready=_ready, packages=(ARFF,))
def read_openml(request: Request) -> Table:
    """Nominal attributes are categorical, with the levels that occur.

    OpenML's list of features has the last word, so that parquet and arff give the same. A class
    that is a whole number is written without a decimal point, any other number as Python writes it.
    """
    number = request["id"]
    if number < 1:
        raise UserError(f"id = {number}, but OpenML counts from 1", ("id",))
    try:
        _cache(request).mkdir(parents=True, exist_ok=True)
        description = _json(request, ".description.json", f"data/{number}", "data_set_description")
        listed = _json(request, ".features.json", f"data/features/{number}", "data_features")
        known = {str(each["name"]): each for each in _field(request, listed, "feature")}
        form = _kept(request) or _fetched(request, description)
    except OSError as error:
        cache = _cache(request).name
        raise UserError(f"the cache {cache!r} cannot be used: {error}", ("cache",)) from None
    target = _target(request, known)
    table = _records(request, form, target)
    names = [name for name in known if name != target and not _left_out(known[name])]
    lacking = [name for name in names if name not in table.columns]
    if lacking:
        raise _odd(request, f"has no column {lacking[0]!r}, which its list of features names")
    features = {
        name: (lambda name=name: _column(table.columns[name](), known[name])) for name in names
    }
    labels = _texts(table.labels, known[target])
    name = str(description.get("name") or f"openml-{number}")
    return Table(name, features, labels, target, _notes(description, known[target]))


def _records(request: Request, form: Format, target: str) -> Table:
    """The file as its own source reads it; what is wrong with it is the data set's fault."""
    path = _file(request, form.suffix)
    asked = {"path": path.name, "target": target}
    try:
        return form.reader(replace(request, options=asked, base=path.parent))
    except UserError as error:
        message = f"{_what(request)}: {error.message}"
        raise UserError(message, ("id",), error.allowed, error.suggestion, error.there) from None


def _target(request: Request, known: Mapping[str, Mapping[str, Any]]) -> str:
    wanted = request.get("target")
    if wanted is not None:
        if wanted not in known:
            fault = f"{_what(request)} has no column {wanted!r}"
            raise absent(fault, ("target",), wanted, known)
        return str(wanted)
    names = [name for name, feature in known.items() if _flag(feature, "is_target")]
    if len(names) != 1:
        found = f"names {len(names)} target columns" if names else "names no target column"
        raise UserError(
            f"data set {request['id']} {found}; say which holds the class, target: ...",
            ("target",),
        )
    return names[0]


def _notes(description: Mapping[str, Any], target: Mapping[str, Any]) -> tuple[str, ...]:
    """What OpenML says against the use of a data set, its licence and how it is to be cited."""
    found = []
    status = description.get("status", "active")
    if status != "active":
        found.append(f"version {description.get('version')} of this data set is {status}")
    found += [f"{key}: {description[key]}" for key in ("error", "warning") if description.get(key)]
    if _left_out(target):
        found.append(f"the class {target['name']!r} is a column that is not meant for learning")
    for key in ("licence", "citation"):
        said = " ".join(str(description.get(key) or "").split())
        found += [f"{key}: {cut(said, LONGEST_NOTE)}"] if said else []
    return tuple(f"OpenML: {each}" for each in found)


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


def _what(request: Request) -> str:
    return f"data set {request['id']} of {_server(request) or SERVER}"


def _odd(request: Request, fault: str) -> UserError:
    return UserError(f"{_what(request)} {fault}", ("id",))


def _field(request: Request, found: Any, key: str) -> Any:
    if not isinstance(found, Mapping) or not found.get(key):
        where = _server(request) or SERVER
        raise UserError(
            f"the answer of {where} for data set {request['id']} lacks {key!r}", ("id",)
        )
    return found[key]


def _json(request: Request, suffix: str, place: str, key: str) -> Mapping[str, Any]:
    """An answer of OpenML's interface, from the cache if it was asked for before."""
    path = _file(request, suffix)
    if not path.is_file():
        address = f"{_server(request) or SERVER}api/v1/json/{place}"
        _download(request, address, path, most=limits.max_bytes(_MOST_JSON))
    try:
        found = json.loads(limits.read_file(path, _MOST_JSON))
    except limits.Unreadable as error:
        raise _odd(request, f"is described by {place} in a file of the cache: {error}") from None
    except ValueError:
        path.unlink(missing_ok=True)
        raise _odd(request, f"is described by {place} in what is no JSON") from None
    try:
        answer: Mapping[str, Any] = _field(request, found, key)
    except UserError:
        path.unlink(missing_ok=True)
        raise
    return answer


def _fetched(request: Request, description: Mapping[str, Any]) -> Format:
    """Fetch the records in the first format that is offered, can be read here and is there."""
    offered = [each for each in FORMATS if description.get(each.key)]
    fault: UserError | None = None
    for form in filter(_readable, offered):
        try:
            _download(
                request,
                str(description[form.key]),
                _file(request, form.suffix),
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
        raise _odd(request, "is offered neither as parquet nor as arff")
    needed = " or ".join(form.package.name for form in offered)
    raise UserError(f"{_what(request)} needs the package {needed}, which is not installed", ("id",))


def _download(request: Request, address: str, path: Path, most: int, md5: str = "") -> None:
    """Fetch a file of at most so many bytes, whole or not at all."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise _odd(request, f"is said to be at {address!r}, which is no http address")
    with whole(path) as file:
        for left in reversed(range(_TRIES)):
            try:
                digest = _receive(request, address, file, most)
                break
            except HTTPError as error:
                if error.code >= 500 and left:
                    time.sleep(_PAUSE)
                    continue
                where = _server(request) or SERVER
                raise UserError(
                    f"{where} answered {error.code} {error.reason} for data set {request['id']}",
                    ("id",),
                ) from None
            except (URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
                if left:
                    time.sleep(_PAUSE)
                    continue
                reason = getattr(error, "reason", None) or error or type(error).__name__
                server = _server(request)
                raise UserError(
                    f"{server or SERVER} cannot be reached for data set {request['id']}: "
                    f"{reason}; a data set that was fetched once is read from the cache",
                    ("server",) if server else ("id",),
                ) from None
        if md5 and digest != md5:
            raise _odd(request, f"came damaged: its md5 sum is {digest}, not {md5}; try again")


def _too_large(request: Request, address: str, most: int) -> UserError:
    return _odd(
        request,
        f"has an answer of more than {most:,} bytes at {address!r}, which is not fetched "
        "(--max-bytes raises that)",
    )


def _receive(request: Request, address: str, file: BinaryIO, most: int) -> str:
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
            raise _too_large(request, address, most)
        while True:
            piece = answer.read1(_CHUNK)
            if not piece:
                break
            size += len(piece)
            if size > most:
                raise _too_large(request, address, most)
            if time.monotonic() - began > _LONGEST:
                raise _odd(request, f"did not arrive within {_LONGEST:g} s")
            digest.update(piece)
            file.write(piece)
        if told.isdecimal() and int(told) != size:
            raise http.client.IncompleteRead(b"", int(told) - size)
    return digest.hexdigest()
