"""A directory of the run for whatever its workers leave behind, which goes when the run ends."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Iterator, Optional

NAME = re.compile(r"cvinfer-(\d+)-\w+")
#: Held by the main process as long as it lives, so that others can tell whether it does.
LOCK = "lock"


class Scratch:
    """cvinfer-<pid>-… in the system's place for temporary files.

    Workers keep files there by process id: tmp-<pid> (TMPDIR), weka-<pid> (WEKA_HOME), <pid>.log
    (what they print), <pid>.cause and <pid>.hs_err (why they ended), <pid>.spent.
    """

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=f"cvinfer-{os.getpid()}-"))
        self._lock = _locked(self.path)

    def clear(self, pid: int) -> None:
        """Remove the directories of a worker that is no more."""
        for name in directories(pid):
            shutil.rmtree(self.path / name, ignore_errors=True)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def directories(pid: int) -> tuple[str, str]:
    """Names of a worker's own directories: temporary files, and Weka's."""
    return f"tmp-{pid}", f"weka-{pid}"


def sweep() -> None:
    """Remove what this user's runs left that were killed before they could do it themselves."""
    for path in Path(tempfile.gettempdir()).glob("cvinfer-*"):
        match = NAME.fullmatch(path.name)
        if match and _own_directory(path):
            with _abandoned(path, int(match[1])) as abandoned:
                if abandoned:
                    shutil.rmtree(path, ignore_errors=True)


def _own_directory(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (os.name != "posix" or found.st_uid == os.geteuid())


@contextlib.contextmanager
def _abandoned(path: Path, pid: int) -> Iterator[bool]:
    """Whether the run is no more. A lock tells that even where its process id is of no use.

    That number may be another process by now, or one of a container that shares the place.
    """
    try:
        import fcntl

        lock = os.open(path / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except (ImportError, OSError):  # no locks here, or its run is at the very beginning
        yield not _alive(pid)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def _locked(path: Path) -> Optional[int]:
    """The open lock of a new directory; it gets its name when it is locked already."""
    try:
        import fcntl

        lock = os.open(path / "lock-new", os.O_CREAT | os.O_RDWR, 0o600)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(path / "lock-new", path / LOCK)
    except OSError:
        os.close(lock)
        return None
    return lock


def _alive(pid: int) -> bool:
    try:
        import psutil
    except ImportError:
        return True
    return bool(psutil.pid_exists(pid))
