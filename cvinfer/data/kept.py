"""What was read of a large file of data is kept, so that the next command need not read it again.

It is kept beside the store, in one file for each file of data and way of reading it, and taken only
where the data is the very same file: path, size, and the times of its last change, of which one
cannot be set by anybody. A kept file must belong to the user and be sound, by its checksums; any
other is left aside and made again. There is nothing in it that could be run. Only commands keep
readings: `keeping` says so, and where.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer import __version__
from cvinfer import limits
from cvinfer.places import RESULTS, readings_of, store_of
from cvinfer.whole import whole

from .dataset import CATEGORICAL, NUMERIC, Column, Texts, categories
from .registry import COMMON, TRANSFORMS, Request, SourceInfo
from .table import Rights, Table

__all__ = ["Keeping", "keeping", "remembering", "table_of"]

#: Bytes of a file from which on it is worth while, and of all that is kept in one place.
SMALLEST, LARGEST = 1_000_000, 2_000_000_000
#: Seconds for which a changed file could be changed again without another time.
UNSURE = 0.1

_MAGIC = b"cvinfer reading 1\n"
_SUFFIX = ".reading"
_DIGEST = 32
_MOST_HEADER = 50_000_000


@dataclass
class Keeping:
    """Whether readings are kept, and where: as `cvinfer.places` has it for the store."""

    output: Callable[[], Optional[Path]] = lambda: None
    store: Callable[[], Optional[Path]] = lambda: None
    results: str = RESULTS
    memory: Optional[dict[str, Table]] = None
    to_disk: bool = True

    def directory(self, base: Path) -> Path:
        with contextlib.suppress(RuntimeError):  # a home directory that is not there
            results = Path(self.results).expanduser()
            return readings_of(store_of(results, base, self.output(), self.store()).path)
        return readings_of(store_of(Path(RESULTS), base).path)


_current: ContextVar[Optional[Keeping]] = ContextVar("keeping", default=None)


@contextlib.contextmanager
def keeping(kept: Keeping) -> Iterator[None]:
    """Inside, what is read of large files is kept."""
    token = _current.set(kept)
    try:
        yield
    finally:
        _current.reset(token)


@contextlib.contextmanager
def remembering() -> Iterator[None]:
    """Inside, the last reading is at hand again, for a command that looks at data several times."""
    before = _current.get() or Keeping(to_disk=False)
    with keeping(Keeping(before.output, before.store, before.results, {}, before.to_disk)):
        yield


def results_in(output: Any) -> None:
    """Take note of where a spec wants its results."""
    kept = _current.get()
    if kept is not None:
        named = output.get("directory") if isinstance(output, Mapping) else None
        kept.results = named if isinstance(named, str) and "\0" not in named else RESULTS


def table_of(info: SourceInfo, request: Request) -> Any:
    """What a source reads, or what was kept of it."""
    kept = _current.get()
    identity = None if kept is None else _identity(info, request)
    if kept is None or identity is None:
        return info.reader(request)
    key = json.dumps(identity, sort_keys=True)
    if kept.memory is not None and key in kept.memory:
        return kept.memory[key]
    large = kept.to_disk and identity["size"] >= SMALLEST
    place = kept.directory(request.base) / f"{hashlib.sha256(key.encode()).hexdigest()}{_SUFFIX}"
    table = _taken(place, key, request) if large else None
    if table is None:
        began = time.time()
        table = info.reader(request)
        settled = began - max(identity["mtime"], identity["ctime"]) / 1e9 > UNSURE
        if large and isinstance(table, Table) and settled and identity == _identity(info, request):
            table = _made(table, request)
            _keep(place, key, table, request)
    if kept.memory is not None and isinstance(table, Table):
        kept.memory.clear()
        kept.memory[key] = table
    return table


def _identity(info: SourceInfo, request: Request) -> Optional[dict[str, Any]]:
    """What a reading depends on; None where the source reads no file."""
    written = request.get("path")
    if not isinstance(written, str) or written == limits.STANDARD_INPUT:
        return None
    try:
        path = (request.base / Path(written).expanduser()).resolve()
        found = os.stat(path)
    except (OSError, ValueError, RuntimeError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    import pandas

    shared = {*COMMON, *TRANSFORMS} - {"source"}
    options = {key: value for key, value in request.options.items() if key not in shared}
    return {
        "path": str(path),
        "size": found.st_size,
        "mtime": found.st_mtime_ns,
        # Nobody can set it, so that no file of others can be ready for what is unpacked here.
        "ctime": found.st_ctime_ns,
        "inode": found.st_ino,
        "options": json.loads(json.dumps(options, default=repr)),
        "groups": sorted(request.groups),
        "limit": limits.max_bytes(),
        "versions": [__version__, pandas.__version__, np.__version__, sys.version],
    }


def _made(table: Table, request: Request) -> Table:
    """The same table with every column that can become a feature made, once."""
    made = {name: table.columns[name]() for name in request.wanted(list(table.columns))}
    columns = dict(table.columns)
    columns.update({name: partial(made.__getitem__, name) for name in made})
    labels = Texts(*categories(table.labels))
    return replace(table, columns=columns, labels=labels)


# --- the file: a line, the length of a header, the header, its checksum, parts -------------------


def _digest(part: Any) -> bytes:
    return hashlib.blake2b(part, digest_size=_DIGEST).digest()


def _levels(levels: Sequence[str]) -> bytes:
    return json.dumps(list(levels)).encode()


@dataclass
class _Parts:
    """Parts of a file in their order, with their lengths and checksums."""

    parts: list[Any] = field(default_factory=list)
    sizes: list[list[Any]] = field(default_factory=list)

    def add(self, part: Any) -> int:
        self.parts.append(part)
        self.sizes.append([memoryview(part).nbytes, _digest(part).hex()])
        return len(self.parts) - 1

    def column(self, column: Column) -> list[Any]:
        kind = "<f8" if column.kind == NUMERIC else "<i4"
        values = self.add(np.ascontiguousarray(column.values, dtype=kind))
        levels = self.add(_levels(column.levels))
        return [column.name, column.kind, column.detail, values, levels]

    def texts(self, texts: Texts) -> list[Any]:
        return [
            self.add(np.ascontiguousarray(texts.codes, dtype="<i4")),
            self.add(_levels(texts.levels)),
        ]


def _keep(place: Path, key: str, table: Table, request: Request) -> None:
    """Write a reading, whole or not at all; where that is not possible, nothing is kept."""
    parts = _Parts()
    wanted = request.wanted(list(table.columns))
    texts = [name for name in request.groups if name in table.columns] if table.texts else []
    header = json.dumps(
        {
            "key": key,
            "name": table.name,
            "target": table.target,
            "notes": list(table.notes),
            "class_levels": list(table.class_levels),
            "rights": list(table.rights),
            "names": list(table.columns),
            "n": table.n,
            "columns": [parts.column(table.columns[name]()) for name in wanted],
            "labels": parts.texts(Texts(*categories(table.labels))),
            "texts": {name: parts.texts(_coded(table, name)) for name in texts},
            "has_texts": table.texts is not None,
            "parts": parts.sizes,
        }
    ).encode()
    size = len(header) + sum(nbytes for nbytes, _ in parts.sizes)
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        if size > LARGEST or size > shutil.disk_usage(place.parent).free // 2:
            return
        _make_room(place.parent, LARGEST - size)
        with whole(place, lasting=False) as stream:
            stream.write(_MAGIC + len(header).to_bytes(8, "little") + header + _digest(header))
            for part in parts.parts:
                stream.write(part)


def _coded(table: Table, name: str) -> Texts:
    assert table.texts is not None
    return Texts(*categories(table.texts(name)))


def _make_room(directory: Path, left: int) -> None:
    """Remove the readings that were not used for longest, until the others take no more room."""
    found = [(each.stat(), each) for each in directory.glob(f"*{_SUFFIX}")]
    for facts, path in sorted(found, key=lambda each: each[0].st_mtime_ns, reverse=True):
        left -= facts.st_size
        if left < 0:
            path.unlink(missing_ok=True)


def _taken(place: Path, key: str, request: Request) -> Optional[Table]:
    """The table that was kept; None where there is none that can be trusted."""
    try:
        with _own(place) as stream:
            table = _read(stream, key, request)
        if table is not None:
            os.utime(place)
        return table
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None  # there is none, or it is damaged


@contextlib.contextmanager
def _own(place: Path) -> Iterator[BinaryIO]:
    """A regular file that is the user's, and that nobody else may write to."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(place, flags | getattr(os, "O_BINARY", 0)), "rb") as stream:
        facts = os.fstat(stream.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("no file")
        if hasattr(os, "geteuid") and (facts.st_uid != os.geteuid() or facts.st_mode & 0o022):
            raise ValueError("somebody else's")
        yield stream


def _read(stream: BinaryIO, key: str, request: Request) -> Optional[Table]:
    if stream.read(len(_MAGIC)) != _MAGIC:
        return None
    length = int.from_bytes(stream.read(8), "little")
    header = stream.read(min(length, _MOST_HEADER))
    if len(header) != length or stream.read(_DIGEST) != _digest(header):
        return None
    facts = json.loads(header)
    if facts["key"] != key:
        return None
    stored = {name: rest for name, *rest in facts["columns"]}
    wanted = request.wanted(facts["names"])
    if not set(wanted) <= set(stored) or (
        facts["has_texts"] and not set(request.groups) & set(facts["names"]) <= set(facts["texts"])
    ):
        return None
    sizes = (size for size, _ in facts["parts"])
    starts: list[int] = [int(at) for at in np.cumsum([stream.tell(), *sizes])]

    def part(number: int) -> bytes:
        size, digest = facts["parts"][number]
        stream.seek(starts[number])
        found = stream.read(size)
        if len(found) != size or _digest(found).hex() != digest:
            raise ValueError("damaged")
        return found

    def numbers(number: int, kind: str) -> NDArray[Any]:
        found = np.frombuffer(part(number), dtype=kind)
        if len(found) != facts["n"]:
            raise ValueError("damaged")
        return found

    def coded(codes: int, levels: int) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        found, names = numbers(codes, "<i4"), tuple(map(str, json.loads(part(levels))))
        if len(found) and not -1 <= found.min() <= found.max() < len(names):
            raise ValueError("damaged")
        return found, names

    made: dict[str, Column] = {}
    for name in wanted:
        kind, detail, values, levels = stored[name]
        if kind == NUMERIC:
            made[name] = Column(name, NUMERIC, numbers(values, "<f8"), (), detail)
        else:
            made[name] = Column(name, CATEGORICAL, *coded(values, levels), detail)
    labels = Texts(*coded(*facts["labels"]))
    texts = {name: Texts(*coded(*each)) for name, each in facts["texts"].items()}
    return Table(
        str(facts["name"]),
        {name: partial(made.__getitem__, name) for name in facts["names"]},
        labels,
        str(facts["target"]),
        tuple(map(str, facts["notes"])),
        tuple(map(str, facts["class_levels"])),
        texts.__getitem__ if facts["has_texts"] else None,
        Rights(*map(str, facts["rights"])),
    )
