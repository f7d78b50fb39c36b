"""What learners started ends with the run, however either of them ends.

Every worker is started with a mark in its environment, and so is whatever it starts, even what has
left its process group. The guardian is a process of its own that waits for the end of the run's
main process, by kill -9 too, ends everything that has the mark, and removes the scratch directory.

This file is the guardian's program. It needs nothing but Python, so that it starts in a moment.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import Iterator

#: The variable with the mark: the run's scratch directory, #, the number of the worker.
MARK = "CVINFER_WORKER"
#: What ends processes may be outrun by one that starts others; it looks again so often.
ROUNDS = 50
PAUSE = 0.01
#: Seconds between two looks at whether the main process is there: a fork of it may hold the pipe.
LOOK = 1.0


def mark(scratch: str, worker: str = "") -> str:
    """The mark of one worker; without a number the beginning that all of a run share."""
    return f"{scratch}#{worker}"


@contextlib.contextmanager
def guarded(scratch: str) -> Iterator[None]:
    """Inside, a guardian waits for the end of this process."""
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    try:
        guardian = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, scratch, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError:  # the next run sweeps
        yield
        return
    try:
        yield
    finally:
        assert guardian.stdin is not None
        with contextlib.suppress(OSError):
            guardian.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            guardian.wait(LOOK)


def end_marked(wanted: str, whole: bool = False) -> None:
    """Kill the processes whose mark begins so (or, with `whole`, is this) until there are none.

    Only Linux tells what a process was started with.
    """
    if sys.platform != "linux":
        return
    entry = os.fsencode(f"{MARK}={wanted}")
    for _ in range(ROUNDS):
        found = [_end(pid, entry, whole) for pid in _processes()]
        if not any(found):
            return
        time.sleep(PAUSE)


def _processes() -> list[int]:
    own = os.getpid()
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != own]


def _end(pid: int, entry: bytes, whole: bool) -> bool:
    """Kill one process if it has the mark. The handle is on that process, not on its number."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):
        return False
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:
            variables = stream.read().split(b"\0")
        if not any(each == entry if whole else each.startswith(entry) for each in variables):
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:  # it is somebody else's, or no more
        return False
    finally:
        os.close(handle)
    return True


def guard(scratch: str, parent: int) -> None:
    """Wait for the end of the main process, then clear up after it."""
    import select

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], LOOK)
        if ready:  # nothing is ever written: the other end is closed
            break
    if os.path.isdir(scratch):
        import shutil

        end_marked(mark(scratch))
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    guard(sys.argv[1], int(sys.argv[2]))
