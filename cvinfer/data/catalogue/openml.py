"""Data sets of OpenML, fetched once and kept."""

from __future__ import annotations

import os
import socket
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import numpy as np

from cvinfer.errors import UserError

from ..dataset import CATEGORICAL, NUMERIC, Column, categories
from ..registry import Option, Request, source
from ..table import Table

SERVER_VARIABLE = "CVINFER_OPENML_SERVER"
_SECONDS = 60.0
_lock = threading.Lock()

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
    root = request.base / Path(given).expanduser() if given else user_cache() / "openml"
    server = _server(request)
    return root / (urlsplit(server).netloc.replace(":", "_") if server else "openml.org")


def _ready(request: Request) -> bool:
    # A marker of our own: where the fetcher keeps its files differs between its versions.
    return _marker(request).is_file()


def _marker(request: Request) -> Path:
    return _cache(request) / f"complete-{request['id']}"


@contextmanager
def _other_server(server: str | None) -> Iterator[None]:
    """scikit-learn's fetcher turned to another server, with a limit on every wait."""
    from sklearn.datasets import _openml as fetcher  # type: ignore[import]

    with _lock:
        prefix = fetcher._OPENML_PREFIX
        known = {
            name: value
            for name, value in vars(fetcher).items()
            if isinstance(value, str) and value.startswith(prefix)
        }
        timeout = socket.getdefaulttimeout()
        try:
            socket.setdefaulttimeout(_SECONDS)
            if server is not None:
                for name, value in known.items():
                    setattr(fetcher, name, server + value[len(prefix) :])
            yield
        finally:
            socket.setdefaulttimeout(timeout)
            for name, value in known.items():
                setattr(fetcher, name, value)


@source("openml", "a data set of OpenML by its number", OPTIONS, ready=_ready)
def read_openml(request: Request) -> Table:
    """Nominal attributes are categorical, with the levels that occur.

    Features of a sparse set are numbers, as the fetcher codes them. It hands numbers over as
    numbers: a class that is a whole number is written without a decimal point, any other as Python
    writes it.
    """
    bunch, notes = _fetched(request)
    names = [str(name) for name in bunch.feature_names]
    target = _target(request, bunch)
    if hasattr(bunch.data, "tocsc"):
        dense = bunch.data.toarray()
        columns = {name: dense[:, at] for at, name in enumerate(names)}
    else:
        columns = {name: bunch.data[name] for name in names}
    features = {
        name: (lambda name=name, values=values: _column(name, values))
        for name, values in columns.items()
        if name != target
    }
    labels = _labels(bunch.target)
    name = str((bunch.get("details") or {}).get("name") or f"openml-{request['id']}")
    return Table(name, features, labels, target, notes)


def _fetched(request: Request) -> tuple[Any, tuple[str, ...]]:
    try:
        from sklearn.datasets import fetch_openml  # type: ignore[import]
    except ImportError:
        raise UserError(
            "OpenML needs the package scikit-learn, which is not installed", ("source",)
        ) from None
    number, cache, server = request["id"], _cache(request), _server(request)
    if number < 1:
        raise UserError(f"id = {number}, but OpenML counts from 1", ("id",))
    where = server or "https://openml.org/"
    try:
        with warnings.catch_warnings(record=True) as caught, _other_server(server):
            warnings.simplefilter("always")
            cache.mkdir(parents=True, exist_ok=True)
            bunch = fetch_openml(
                data_id=number,
                data_home=str(cache),
                target_column=request.get("target", "default-target"),
                as_frame="auto",
                parser="liac-arff",
            )
            _marker(request).touch()
    except HTTPError as error:
        raise UserError(
            f"{where} answered {error.code} {error.reason} for data set {number}", ("id",)
        ) from None
    except (URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise UserError(
            f"{where} cannot be reached for data set {number}: {reason}; a data set that was "
            "fetched once is read from the cache",
            ("server",) if server else ("id",),
        ) from None
    except KeyError as error:
        # The fetcher's word for a target that is not there; any other key is the server's fault.
        fault = str(error.args[0]) if error.args else "?"
        if "target_column" in fault:
            raise UserError(f"data set {number} of {where}: {fault}", ("target",)) from None
        raise UserError(
            f"the answer of {where} for data set {number} lacks {fault!r}", ("id",)
        ) from None
    except OSError as error:
        raise UserError(f"the cache {cache.name!r} cannot be used: {error}", ("cache",)) from None
    except ValueError as error:
        raise UserError(f"data set {number} of {where}: {error}", ("id",)) from None
    ours = [w for w in caught if not issubclass(w.category, (FutureWarning, DeprecationWarning))]
    return bunch, tuple(f"OpenML: {warning.message}" for warning in ours)


def _target(request: Request, bunch: Any) -> str:
    names = list(bunch.get("target_names") or [])
    if len(names) != 1:
        found = f"names {len(names)} target columns" if names else "names no target column"
        raise UserError(
            f"data set {request['id']} {found}; say which holds the class, target: ...",
            ("target",),
        )
    return str(names[0])


def _labels(values: Any) -> list[str | None]:
    column = getattr(values, "values", values)
    found = column.tolist() if hasattr(column, "tolist") else list(column)
    return [_label(value) for value in found]


def _label(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _column(name: str, values: Any) -> Column:
    dtype = getattr(values, "dtype", None)
    levels = getattr(dtype, "categories", None)
    if levels is not None:
        codes = np.asarray(values.cat.codes, dtype=np.int32)
        return Column(name, CATEGORICAL, codes, tuple(str(level) for level in levels))
    array = np.asarray(values)
    if array.dtype.kind in "fiub":
        return Column(name, NUMERIC, array.astype(np.float64))
    return Column(name, CATEGORICAL, *categories(_texts(array.tolist())))


def _texts(values: Sequence[Any]) -> list[str | None]:
    return [None if value is None or value != value else str(value) for value in values]
