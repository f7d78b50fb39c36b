"""Worker processes of this machine, started, watched and ended.

A worker that dies costs the fit that it is at, and pebble puts a new worker in its place.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.context
import os
import signal
import sys
import threading
import time
import types
from multiprocessing import resource_tracker
from typing import Any, Iterator, Optional, Sequence

from cvinfer.execute import worker
from cvinfer.execute.scratch import Scratch

#: Tasks handed out ahead of the workers: enough that none waits, few enough to stop soon.
AHEAD = 4
#: Seconds in which a process that is told to stand still does.
STOPS = 0.002


class Pool:
    """pebble's pool with workers that are known by name, so that all of them can be ended."""

    def __init__(
        self, job: worker.Job, jobs: int, scratch: Scratch, memory_mb: Optional[float]
    ) -> None:
        from pebble import ProcessPool

        # Started outside the masks below, which it would lift.
        if os.name == "posix":
            resource_tracker.ensure_running()
        self.context = _Context()
        self.free = list(range(AHEAD * jobs))
        self.jobs, self.scratch = jobs, scratch
        self._cleared: set[int] = set()
        self._busy = self.context.RawArray("q", worker.SPOT * len(self.free))
        self._pool = ProcessPool(
            max_workers=jobs,
            initializer=worker.start,
            initargs=(job, self._busy, str(scratch.path), memory_mb),
            context=self.context,
        )

    def schedule(self, orders: Sequence[worker.Order], place: int, seconds: Optional[float]) -> Any:
        return self._pool.schedule(worker.fits, args=(orders, place), timeout=seconds)

    def at_work(self, place: int) -> worker.Spot:
        """What the worker tells that is at this place."""
        spot = worker.SPOT * place
        return worker.Spot(*self._busy[spot : spot + worker.SPOT])

    def release(self, place: int) -> None:
        spot = worker.SPOT * place
        self._busy[spot : spot + worker.SPOT] = worker.Spot()
        self.free.append(place)

    @contextlib.contextmanager
    def stopped(self, pid: int) -> Iterator[None]:
        """Inside, a worker stands still.

        One that is killed while it sends a result would leave the way to send any locked for
        all; whoever means to kill one at a fit has to see that it is at that fit still.
        """
        if os.name != "posix":
            yield
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(STOPS)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def kill(self, pid: int) -> None:
        for each in list(self.context.workers):
            if each.pid == pid:
                each.terminate()

    @property
    def active(self) -> bool:
        return bool(self._pool.active)

    def ended(self) -> dict[int, int]:
        """Exit codes of workers that are no more; what their learners started is ended too."""
        codes = {each.pid: each.exitcode for each in list(self.context.workers)}
        found = {pid: code for pid, code in codes.items() if pid and code is not None}
        for each in list(self.context.workers):
            if each.pid in found and each.pid not in self._cleared:
                self._cleared.add(each.pid)
                each.end_group()
                self.scratch.clear(each.pid)
        return found

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers: at once, with no fit half-stored, since only the main process stores."""
        with undisturbed():
            self._pool.stop()
            self._kill()
            # A worker in the middle of its start may have been missed; pebble ends it then.
            ending = threading.Thread(target=self._pool.join, daemon=True)
            ending.start()
            ending.join(1.0)
            self._kill()

    def _kill(self) -> None:
        for each in list(self.context.workers):
            # One that was made but not started has nothing to end.
            with contextlib.suppress(AttributeError, ValueError, OSError):
                each.end_group()
                each.kill()
                each.join(1.0)


class _Worker(multiprocessing.context.SpawnProcess):
    _group_ended = False

    def start(self) -> None:
        with undisturbed(), _quiet_main(), _one_thread():
            super().start()

    def terminate(self) -> None:
        """End it for good: R and Java have their own ideas of what a request to end means."""
        self.end_group()
        self.kill()

    def end_group(self) -> None:
        """End what a learner may have started: it is in the worker's process group.

        Done once only: later the number may be that of somebody else's group.
        """
        if self._group_ended or not self.pid or os.name != "posix":
            return
        # A worker that has just started has no group yet, and no learner either.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
            self._group_ended = True


class _Context(multiprocessing.context.SpawnContext):
    """Starts workers and remembers them."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: list[_Worker] = []

    def Process(self, *args: Any, **kwargs: Any) -> _Worker:  # type: ignore[override]
        made = _Worker(*args, **kwargs)
        self.workers.append(made)
        return made


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the end; processes started inside never hear it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _quiet_main() -> Iterator[None]:
    """Hide `__main__` while a worker starts.

    A spawned process imports the main module again, which would run a user's script that calls
    `cvinfer.run` without a guard a second time. The workers need nothing from it.
    """
    main = sys.modules["__main__"]
    blank = types.ModuleType("__main__")
    blank.__spec__ = None
    sys.modules["__main__"] = blank
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Workers read these when they load their libraries, so they must stand before that."""
    before = {name: os.environ.get(name) for name in worker.ONE_THREAD}
    os.environ.update(worker.ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
