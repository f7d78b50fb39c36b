"""How much is taken in, and how much is begun: a spec and its files may come from a stranger.

Files are read up to a size, and only regular ones: a device or a pipe may have no end. Packed ones
are unpacked up to the same size. What a spec asks for is counted from its numbers before anything
is made of them. Both limits are the user's to raise, with --max-bytes and --max-fits.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, Iterator, NamedTuple, Optional, Union

from cvinfer.errors import UserError

#: Bytes of a file of data, predictions or splits, unpacked; of a spec; of a result.json.
DATA_BYTES = 1_000_000_000
SPEC_BYTES = 1_000_000
RESULT_BYTES = 100_000_000
#: Fits, comparisons, and what is like them in cost.
MAX_FITS = 10_000_000
#: Reading a data set and drawing its partitions counts as this many fits.
FITS_PER_DATA_SET = 10_000
#: What stands for standard input where a file is asked for.
STANDARD_INPUT = "-"

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20
#: Bytes that a number takes.
_NUMBER = 8


class Limits(NamedTuple):
    """What the user allows; without `max_bytes` every kind of file has a limit of its own."""

    max_bytes: Optional[int] = None
    max_fits: int = MAX_FITS


_current: ContextVar[Limits] = ContextVar("limits", default=Limits())


@contextlib.contextmanager
def limited(max_bytes: Optional[int] = None, max_fits: Optional[int] = None) -> Iterator[None]:
    """Inside, those of the limits hold that are given. Readers are many and deep: they ask here."""
    given = {"max_bytes": max_bytes, "max_fits": max_fits}
    token = _current.set(
        _current.get()._replace(**{k: v for k, v in given.items() if v is not None})
    )
    try:
        yield
    finally:
        _current.reset(token)


def max_bytes(default: int = DATA_BYTES) -> int:
    given = _current.get().max_bytes
    return default if given is None else given


def max_fits() -> int:
    return _current.get().max_fits


class Unreadable(UserError):
    """A file that is none, or is too large; the message does not name it."""


# --- reading --------------------------------------------------------------------------------------


def read_file(path: Union[str, "os.PathLike[str]"], default: int = DATA_BYTES) -> bytes:
    """The content of a regular file, or of standard input for `-`, up to the limit.

    Raises `OSError` where there is none, and `Unreadable` where there is too much of it or it is
    no file at all.
    """
    if os.fspath(path) == STANDARD_INPUT:
        return _standard_input(max_bytes(default))
    with _regular(Path(path)) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > max_bytes(default):
            raise _too_large(f"it has {size:,} bytes", max_bytes(default))
        return _read(stream, max_bytes(default), first=size + 1)


def at_home(written: str) -> Path:
    """A path as it is written, where ~ is the home directory; of somebody who has none, a name."""
    return Path(os.path.expanduser(written))


def check_file(path: Path) -> None:
    """Raise what `read_file` would, without reading."""
    with _regular(path):
        pass


@contextlib.contextmanager
def _regular(path: Path) -> Iterator[BinaryIO]:
    # Looked at before it is opened, since opening alone can do something to a device; and again
    # when it is open, since it may have been changed for another in between.
    _refuse_odd(os.stat(path))
    # Without waiting: a pipe that nobody writes to would never open.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags | getattr(os, "O_CLOEXEC", 0)), "rb") as stream:
        _refuse_odd(os.fstat(stream.fileno()))
        yield stream


def _refuse_odd(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(21, "Is a directory")
    if stat.S_ISREG(found.st_mode):
        return
    kinds = {
        "a named pipe": stat.S_ISFIFO,
        "a device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
        "a socket": stat.S_ISSOCK,
    }
    kind = next((name for name, is_one in kinds.items() if is_one(found.st_mode)), "no file")
    raise Unreadable(f"it is {kind}; only regular files are read, and standard input as -")


def _read(stream: BinaryIO, limit: int, first: int = _PIECE) -> bytes:
    parts: list[bytes] = []
    total, size = 0, max(first, 1)
    while True:
        part = stream.read(min(size, limit + 1 - total))
        if not part:
            return parts[0] if len(parts) == 1 else b"".join(parts)
        parts.append(part)
        total += len(part)
        if total > limit:
            raise _too_large("it is larger than that", limit)
        size = _PIECE


_read_already: dict[str, bytes] = {}


def _standard_input(limit: int) -> bytes:
    """Read once; whoever asks again gets the same."""
    if STANDARD_INPUT not in _read_already:
        _read_already[STANDARD_INPUT] = _read(sys.stdin.buffer, limit)
    return _read_already[STANDARD_INPUT]


def unpacked(data: bytes, default: int = DATA_BYTES) -> bytes:
    """What is packed in these bytes, if they are gzip; a damaged one raises `Unreadable`."""
    if not data.startswith(_GZIP):
        return data
    limit = max_bytes(default)
    # The end of a gzip file tells how large it was, the last part of it and modulo 2³². Only a
    # short cut: it may lie.
    told = int.from_bytes(data[-4:], "little")
    if limit < told and len(data) * 1100 > told:
        raise _too_large(f"unpacked it has {told:,} bytes", limit)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _read(stream, limit, first=16 * _PIECE)  # type: ignore[arg-type]
    except (EOFError, OSError, zlib.error) as error:
        raise Unreadable(f"it is a damaged gzip file ({error}); make it again") from None


def _too_large(what: str, limit: int) -> Unreadable:
    return Unreadable(f"{what}; at most {limit:,} bytes are read (--max-bytes raises that)")


# --- work -----------------------------------------------------------------------------------------


def room(numbers: int, what: str, path: tuple[object, ...] = ()) -> None:
    """Refuse to make more numbers than the largest file that would be read could hold."""
    if numbers * _NUMBER > max_bytes():
        raise UserError(
            f"{what} take {_bytes(numbers * _NUMBER)} of memory; at most {_bytes(max_bytes())}"
            " (--max-bytes raises that)",
            path,
        )


def records(n: Any, path: tuple[object, ...] = ()) -> None:
    """Refuse a number of records that no memory holds; anything but a number is told elsewhere."""
    if isinstance(n, int):
        room(n, f"{shown_count(n)} records", path)


def shown_count(count: int) -> str:
    """A count in digits, unless there are very many."""
    return f"{count:,}" if count < 10**18 else "more than 10^18"


def _bytes(size: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 10_000:
            return f"{size:,} {unit}"
        size //= 1000
    return f"{size:,} PB" if size < 10**9 else "more than 10^24 bytes"
