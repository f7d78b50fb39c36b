"""Files that appear whole or not at all, and leave nothing behind.

New content is written beside its place, under a name of its own that is locked for as long as its
writer lives. So whoever comes next can tell what a killed process left, and removes it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path
from typing import Any, BinaryIO, Iterator

fcntl: Any
try:
    import fcntl
except ImportError:  # no locks here, and nothing is swept
    fcntl = None

#: What is being written, and what was.
PATTERN = ".cvinfer.*.part"

_numbers = itertools.count(1)


@contextlib.contextmanager
def whole(path: Path, lasting: bool = True) -> Iterator[BinaryIO]:
    """A stream for the new content of a file, which takes its place at the end of the block.

    If the block fails, whatever was there before stays as it is. A device, such as /dev/null, is
    written to. Unless it is to be `lasting`, nobody waits for the disk.
    """
    if path.is_char_device():
        with open(path, "wb") as device:
            yield device
        return
    sweep(path.parent)
    beside, stream = _beside(path.parent)
    try:
        with stream:
            yield stream
            stream.flush()
            if lasting:
                os.fsync(stream.fileno())
            if fcntl is not None:
                os.replace(beside, path)  # before the lock is lost
        if fcntl is None:
            os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def sweep(directory: Path) -> None:
    """Remove what processes left in a directory that were killed while they wrote there."""
    if fcntl is None:
        return
    for path in directory.glob(PATTERN):
        with contextlib.suppress(OSError):  # it is being written, or somebody else's
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(lock)


def can_write(directory: Path) -> None:
    """Raises `OSError` where no file can be written."""
    sweep(directory)
    beside, stream = _beside(directory)
    stream.close()
    beside.unlink(missing_ok=True)


def _beside(directory: Path) -> tuple[Path, BinaryIO]:
    """A new file that is locked, and its name."""
    while True:
        path = directory / f".cvinfer.{os.getpid()}.{next(_numbers)}.part"
        try:
            stream = open(path, "xb")
        except FileExistsError:  # of another machine, or of one with this number long ago
            continue
        if fcntl is None:
            return path, stream
        with contextlib.suppress(OSError):  # a place without locks
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(stream.fileno()).st_nlink:
            return path, stream
        stream.close()  # it was swept before it was locked
