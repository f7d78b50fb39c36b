"""How much memory a worker has, with what its learners started."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any, Optional

MB = 2**20


def resident(pid: int) -> int:
    """Bytes of a process that are in memory; 0 for one that is no more."""
    if sys.platform == "linux":
        try:
            with open(f"/proc/{pid}/statm", "rb") as stream:
                return int(stream.read().split()[1]) * _PAGE
        except (OSError, IndexError):
            return 0
    return _of(_psutil_process(pid))


def used(pid: int) -> int:
    """The same with all processes below it. Pages that they share count more than once."""
    if sys.platform == "linux":
        return resident(pid) + sum(map(resident, below(pid)))
    process = _psutil_process(pid)
    return _of(process) + sum(map(_of, _psutil_below(process)))


def used_together(pid: int) -> int:
    """As `used`, but a page that processes share counts once, where the system can tell.

    A child that has just been forked looks as big as its parent and is nothing.
    """
    children = below(pid) if sys.platform == "linux" else []
    if not children:
        return used(pid)
    return sum(map(_proportional, [pid, *children]))


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def below(pid: int) -> list[int]:
    """Every process below this one, as Linux lists them by thread; none elsewhere."""
    found: list[int] = []
    left = [pid]
    while left:
        for path in _children_files(left.pop()):
            with contextlib.suppress(OSError):
                children = [int(each) for each in path.read_bytes().split()]
                found += children
                left += children
    return found


def _children_files(pid: int) -> list[Path]:
    try:
        return [Path(each.path) / "children" for each in os.scandir(f"/proc/{pid}/task")]
    except OSError:
        return []


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as stream:
            for line in stream:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resident(pid)


def _psutil_process(pid: int) -> Optional[Any]:
    try:
        import psutil
    except ImportError:
        return None
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid)
    return None


def _psutil_below(process: Optional[Any]) -> list[Any]:
    if process is not None:
        import psutil

        with contextlib.suppress(psutil.Error):
            return list(process.children(recursive=True))
    return []


def _of(process: Optional[Any]) -> int:
    if process is not None:
        import psutil

        with contextlib.suppress(psutil.Error):
            return int(process.memory_info().rss)
    return 0
