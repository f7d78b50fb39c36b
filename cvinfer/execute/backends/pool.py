"""Worker processes of this machine, started, watched and ended.

Nothing that the main process does here waits without an end: a worker reads its data from a file,
orders fit into a pipe, results are read by a thread of their own for each worker, and every wait
has its limit. Workers have no lock and no pipe in common, so that one that is killed at whatever
moment takes nothing along but the fits that it has.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import BinaryIO, Iterator, Optional, Sequence

from cvinfer.worker import causes, memory
from cvinfer.execute.backends import guardian, wire, worker
from cvinfer.execute.work import Job, Order
from cvinfer.worker.scratch import Scratch

#: Seconds in which a process that is told to stand still does.
STOPS = 0.002
#: Seconds to wait for the end of a process that was killed.
FAREWELL = 5.0

_START = (
    "import sys; sys.path[:] = {path!a};"
    " from cvinfer.execute.backends.worker import serve; serve({place!a}, {parent})"
)
#: What this interpreter was told about where modules come from holds for workers too.
_FLAGS = {
    "isolated": "-I",
    "ignore_environment": "-E",
    "no_user_site": "-s",
    "no_site": "-S",
    "dont_write_bytecode": "-B",
}

#: Python and the workers' libraries read these when they load, so they must stand before.
_SETTINGS = {**worker.ONE_THREAD, worker.SAFE_PATH: "1"}

News = tuple["Worker", object]


class Worker:
    """One process; it has at most one batch of fits at a time."""

    def __init__(self, number: int, scratch: Scratch, news: "queue.SimpleQueue[News]") -> None:
        self.scratch = scratch
        self.ready = False
        self.ended = False
        self.exit_code: Optional[int] = None
        self.began = time.monotonic()
        #: What it has made its own, or is to with the batch that it has.
        self._has: set[wire.Supply] = set()
        #: The learner whose own code it has run, if it has; see `scheduler`.
        self.kept_for: Optional[int] = None
        self._mark = guardian.mark(str(scratch.path), str(number))
        self._said = scratch.path / f"start-{number}.log"
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(
                _command(scratch),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env={**os.environ, **_SETTINGS, guardian.MARK: self._mark},
                # What a learner starts is in this session's group, and ends with the worker.
                start_new_session=True,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders = self._process.stdin
        if os.name == "posix":
            os.set_blocking(self._orders.fileno(), False)
        listener = threading.Thread(
            target=_listen, args=(self, self._process.stdout, news), daemon=True
        )
        listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def give(self, batch: int, orders: Sequence[Order]) -> bool:
        """Hand it a batch, at once; False if it cannot be had.

        With a material that is new to it, it is not ready again before it has made that its own.
        """
        message = wire.packed(batch, orders)
        try:
            if os.write(self._orders.fileno(), message) < len(message):
                return False
        except OSError:  # it is dead, or does not read
            return False
        new = {wire.supply(order) for order in orders} - self._has
        if new and self._has:
            self.ready, self.began = False, time.monotonic()
        self._has |= new
        return True

    def spot(self) -> worker.Spot:
        return worker.read_spot(self.scratch.path, self.pid)

    def dead(self) -> bool:
        """Whether the process has ended. Its number is kept from others until `end`."""
        if self.ended or not hasattr(os, "waitid"):
            return self.ended or self._process.poll() is not None
        with contextlib.suppress(ChildProcessError):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, flags) is not None
        return True

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Inside, it stands still, so that it can be said at which fit it is."""
        if os.name != "posix":
            yield
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)
        try:
            time.sleep(STOPS)
            yield
        finally:
            if not self.ended:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it for good, with what its learners started: it does not wait for that.

        R and Java have their own ideas of what a request to end means.
        """
        if self.ended:
            return
        # Before the process is no more: then what is below it could not be found.
        below = memory.below(self.pid)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.kill()
        for each in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)

    def end(self) -> Optional[int]:
        """The same, and what it leaves is cleared away; its exit code."""
        if self.ended:
            return self.exit_code
        self.kill()
        with contextlib.suppress(OSError):
            self._orders.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.exit_code = self._process.wait(FAREWELL)
        self.ended = True
        guardian.end_marked(self._mark, whole=True)
        self.scratch.clear(self.pid)
        return self.exit_code

    def why(self) -> str:
        """The best that is known about its end."""
        found = causes.cause(self.scratch.path, self.pid, self.exit_code)
        if self.ready:
            return found
        said = causes.last_line(self._said)
        return f"{found}: {said}" if said else found


class Pool:
    """The workers of a run; a new one takes the place of one that has ended."""

    def __init__(self, job: Job, materials: Sequence[object], scratch: Scratch) -> None:
        self.scratch = scratch
        self._materials = materials
        self._laid_out: set[int] = set()
        self.workers: list[Worker] = []
        self._news: "queue.SimpleQueue[News]" = queue.SimpleQueue()
        self._started = 0
        _dump(job, scratch.path / worker.JOB)
        _pools.add(self)

    def lay_out(self, orders: Sequence[Order]) -> None:
        """See that what these need is where workers look for it; raises `OSError` without room."""
        for number in {order.dataset for order in orders} - self._laid_out:
            _dump(self._materials[number], worker.material_file(self.scratch.path, number))
            self._laid_out.add(number)

    def start(self) -> Worker:
        """One more worker; raises `OSError` if the system has none to give."""
        self._started += 1
        with undisturbed():
            made = Worker(self._started, self.scratch, self._news)
            self.workers.append(made)
        return made

    def news(self, seconds: float) -> Optional[News]:
        """The next that a worker tells, if one does in that time; None with it: it has ended."""
        with contextlib.suppress(queue.Empty):
            return self._news.get(timeout=max(seconds, 0.0))
        return None

    def end(self, one: Worker) -> Optional[int]:
        """End a worker, dead or alive; its exit code."""
        with undisturbed():
            self.workers.remove(one)
            return one.end()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, at once; the second time there is nothing to do."""
        if self not in _pools:
            return
        with undisturbed():
            self.kill()
            for each in self.workers:
                each.end()
            guardian.end_marked(guardian.mark(str(self.scratch.path)))
            self.workers.clear()
            _pools.discard(self)

    def kill(self) -> None:
        for each in list(self.workers):
            each.kill()


_pools: "weakref.WeakSet[Pool]" = weakref.WeakSet()


def kill_all() -> None:
    """End every worker of this process, for one that has no time to do it in order."""
    for each in list(_pools):
        each.kill()


def _dump(value: object, path: Path) -> None:
    with open(path, "wb") as stream:
        pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)


def _command(scratch: Scratch) -> list[str]:
    flags = [flag for name, flag in _FLAGS.items() if getattr(sys.flags, name)]
    # A worker need not be where this process is.
    path = [os.path.abspath(each) for each in sys.path if isinstance(each, str)]
    start = _START.format(path=path, place=str(scratch.path), parent=os.getpid())
    return [sys.executable, *flags, "-c", start]


def _listen(one: Worker, stream: BinaryIO, news: "queue.SimpleQueue[News]") -> None:
    """Pass on what a worker sends; whatever is no message is its end."""
    with contextlib.suppress(Exception):
        wire.skip_to_preface(stream)
        while True:
            news.put((one, wire.receive(stream)))
    with contextlib.suppress(OSError):
        stream.close()
    news.put((one, None))


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C and requests to end wait; processes started inside do not hear Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *worker.REQUESTS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
