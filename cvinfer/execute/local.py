"""Fits on worker processes of this machine.

A worker that dies or runs out of time costs the fit that it is at, and pebble puts a new worker in
its place. Whatever comes back is stored at once, in the main process. Fits of a few milliseconds
travel together, a fraction of a second's worth at most.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.context
import os
import queue
import signal
import sys
import threading
import time
import types
from concurrent.futures import Future, TimeoutError as FitTimeout
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import CvinferError
from cvinfer.execute import worker
from cvinfer.execute.progress import Progress
from cvinfer.execute.store import Store, Stored
from cvinfer.plan import Fit, RunPlan, label

#: Tasks handed out ahead of the workers: enough that none waits, few enough to stop soon.
AHEAD = 4
#: Quick fits of a learner go to a worker in batches of about this many seconds, at most so many.
BATCH_SECONDS = 0.1
BATCH_FITS = 64
#: A fit that kills its worker this often is recorded as failed.
LIVES = 2
#: New pools in a row without one finished fit before the machine is taken to be the trouble.
POOLS = 3
#: Seconds between two looks at whether the workers are alive.
WATCH = 0.5


class WorkerError(CvinferError):
    """Worker processes cannot be had on this machine."""

    exit_code = 1


class FitError(CvinferError):
    """The first failure of a run that was to stop there."""

    exit_code = 3


@dataclass
class Outcome:
    """What became of the fits.

    failures: the reason for each key that failed. reused, fitted: how many were stored before, and
    how many were made now. seconds: inside the learners. startup: until the first fit began.
    working: from there until the last fit was stored.
    """

    failures: dict[str, str] = field(default_factory=dict)
    reused: int = 0
    fitted: int = 0
    seconds: float = 0.0
    startup: float = 0.0
    working: float = 0.0


@dataclass(frozen=True)
class Task:
    dataset: int
    fit: Fit
    order: worker.Order


@dataclass(eq=False)
class Handed:
    """Tasks that a worker has, or will have; `place` is where it says at which of them it is."""

    tasks: Sequence[Task]
    place: int
    pool: "_Pool"
    gone: bool = False


def execute(
    plans: Sequence[RunPlan],
    learners: Mapping[str, LearnerSpec],
    store: Store,
    *,
    jobs: int,
    seconds: Optional[float] = None,
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    meanwhile: Optional[Callable[[], None]] = None,
) -> Outcome:
    """Fit whatever the store does not hold yet; with `fail_fast` the first failure is raised.

    `meanwhile` is done once while the workers start.
    """
    reporter = progress or Progress()
    names = list(learners)
    tasks: dict[str, Task] = {}
    for number, plan in enumerate(plans):
        for fit in plan.fits:
            at = names.index(fit.learner)
            order = worker.Order(number, fit.plan, fit.number, at, fit.seed)
            tasks.setdefault(fit.key, Task(number, fit, order))
    known = store.known(tasks)
    outcome = Outcome(reused=len(known))
    missing = [task for key, task in tasks.items() if key not in known]
    reporter.start(len(tasks), len(known))
    try:
        if missing:
            job = worker.Job(
                [plan.dataset for plan in plans],
                [plan.plans for plan in plans],
                list(learners.values()),
            )
            run = _Run(job, missing, store, outcome, reporter, seconds, fail_fast)
            run.work(jobs, meanwhile or (lambda: None))
    finally:
        reporter.stop()
    return outcome


class _Run:
    def __init__(
        self,
        job: worker.Job,
        tasks: Sequence[Task],
        store: Store,
        outcome: Outcome,
        progress: Progress,
        seconds: Optional[float],
        fail_fast: bool,
    ) -> None:
        self.job, self.store, self.outcome = job, store, outcome
        self.progress, self.seconds, self.fail_fast = progress, seconds, fail_fast
        self.waiting = list(reversed(tasks))
        self.running: list[Handed] = []
        self.deaths: dict[str, int] = {}
        self.pace: dict[tuple[int, int], float] = {}
        self.finished: "queue.SimpleQueue[tuple[Handed, Future[Any]]]" = queue.SimpleQueue()
        self.first = self.last = 0.0

    def work(self, jobs: int, meanwhile: Callable[[], None]) -> None:
        jobs = max(1, min(jobs, len(self.waiting)))
        began = time.monotonic()
        without_success = 0
        while self.waiting:
            before = self.outcome.fitted + len(self.outcome.failures)
            with _Pool(self.job, jobs) as pool:
                self._feed(pool, AHEAD * jobs)
                meanwhile()
                self._use(pool, AHEAD * jobs)
            # Only a pool that broke leaves fits behind.
            if self.outcome.fitted + len(self.outcome.failures) > before:
                without_success = 0
            elif self.waiting:
                without_success += 1
                if without_success == POOLS:
                    raise WorkerError(
                        f"worker processes end before their first fit, {POOLS} times in a row;"
                        " is there enough memory? --jobs 1 needs least"
                    )
        if self.first:
            self.outcome.startup = max(self.first - began, 0.0)
            self.outcome.working = self.last - self.first

    def _use(self, pool: "_Pool", most: int) -> None:
        """Feed one pool until nothing is left or it breaks."""
        watched = time.monotonic()
        while self.running:
            with contextlib.suppress(queue.Empty):
                self._take(*self.finished.get(timeout=WATCH))
            if time.monotonic() - watched >= WATCH:
                watched = time.monotonic()
                if not pool.active:
                    return self._abandon(pool)
                self._bury(pool)
            self._feed(pool, most)

    def _feed(self, pool: "_Pool", most: int) -> None:
        while self.waiting and len(self.running) < most and pool.active:
            handed = Handed(self._batch(), pool.free.pop(), pool)
            self.running.append(handed)
            orders = [task.order for task in handed.tasks]
            try:
                future = pool.schedule(orders, handed.place, self.seconds)
            except RuntimeError:  # the pool broke this very moment
                self._returned(handed)
                self.waiting += reversed(handed.tasks)
                return
            future.add_done_callback(self._callback(handed))
        at_work = [each for each in self.running if pool.at_work(each.place)[0]]
        self.progress.running([self._label(each.tasks[0]) for each in at_work])

    def _batch(self) -> list[Task]:
        """The next fits to go together: one, unless the learner is known to be quick."""
        batch = [self.waiting.pop()]
        order = batch[0].order
        pace = self.pace.get((order.dataset, order.learner))
        # A time limit is for one fit, and so is the blame for a dead worker.
        if self.seconds is not None or pace is None or batch[0].fit.key in self.deaths:
            return batch
        size = min(BATCH_FITS, int(BATCH_SECONDS / max(pace, 1e-6)))
        while len(batch) < size and self.waiting:
            following = self.waiting[-1]
            same = (following.order.dataset, following.order.learner)
            if same != (order.dataset, order.learner) or following.fit.key in self.deaths:
                break
            batch.append(self.waiting.pop())
        return batch

    def _callback(self, handed: Handed) -> Callable[["Future[Any]"], None]:
        return lambda future: self.finished.put((handed, future))

    def _take(self, handed: Handed, future: "Future[Any]") -> None:
        """Store finished fits, or decide what to do about lost ones."""
        from pebble import ProcessExpired

        _, at = handed.pool.at_work(handed.place)
        if not self._returned(handed):
            return
        try:
            done: list[worker.Done] = future.result()
        except FitTimeout:
            self._fail(handed.tasks[0], f"took longer than {self.seconds:g} s")
        except ProcessExpired as error:
            self._lost(handed, at, error.exitcode)
        except Exception as error:  # a result that cannot travel, for example
            for task in handed.tasks:
                self._fail(task, f"{type(error).__name__}: {worker.one_line(error)}")
        else:
            self._keep(list(zip(handed.tasks, done)))

    def _keep(self, pairs: Sequence[tuple[Task, worker.Done]]) -> None:
        fine = [(task, one) for task, one in pairs if not one.failure]
        self.store.put_many(
            (
                task.fit.key,
                task.fit.learner,
                Stored(one.codes, one.seconds_fit, one.seconds_predict, one.warnings),
            )
            for task, one in fine
        )
        began = min(one.began for _, one in pairs)
        self.first = min(self.first or began, began)
        self.last = time.monotonic()
        for task, one in fine:
            seconds = one.seconds_fit + one.seconds_predict
            kind = (task.order.dataset, task.order.learner)
            self.pace[kind] = max(seconds, 0.8 * self.pace.get(kind, 0.0))
            self.outcome.fitted += 1
            self.outcome.seconds += seconds
            self.progress.done(self._label(task), failed=False)
        for task, one in pairs:
            if one.failure:
                self._fail(task, one.failure)

    def _returned(self, handed: Handed) -> bool:
        """Take tasks back; False for news of some that were given up already."""
        if handed.gone:
            return False
        handed.gone = True
        self.running.remove(handed)
        handed.pool.release(handed.place)
        return True

    def _bury(self, pool: "_Pool") -> None:
        """Take back what a worker was at that ended without a word.

        pebble tells of workers that end with another code than 0; these it does not miss.
        """
        ended = pool.ended()
        for handed in list(self.running):
            pid, at = pool.at_work(handed.place)
            if ended.get(pid) == 0 and self._returned(handed):
                self._lost(handed, at, 0)

    def _abandon(self, pool: "_Pool") -> None:
        """Take everything back from a pool that broke, with what its workers were at."""
        while True:
            try:
                self._take(*self.finished.get_nowait())
            except queue.Empty:
                break
        ended = pool.ended()
        for handed in list(self.running):
            pid, at = pool.at_work(handed.place)
            self._returned(handed)
            if pid in ended:
                self._lost(handed, at, ended[pid])
            else:
                self.waiting += reversed(handed.tasks)

    def _lost(self, handed: Handed, at: int, code: Optional[int]) -> None:
        """The worker died at fit `at`, which gets another chance: it may have been an accident."""
        guilty = handed.tasks[at]
        self.waiting += [task for task in reversed(handed.tasks) if task is not guilty]
        key = guilty.fit.key
        self.deaths[key] = self.deaths.get(key, 0) + 1
        if self.deaths[key] < LIVES:
            self.waiting.append(guilty)
        else:
            self._fail(guilty, f"its worker process died {LIVES} times ({_ending(code)})")

    def _fail(self, task: Task, message: str) -> None:
        self.outcome.failures[task.fit.key] = message
        self.last = time.monotonic()
        self.progress.done(self._label(task), failed=True)
        if self.fail_fast:
            plan = self.job.plans[task.order.dataset][task.order.plan]
            raise FitError(
                f"{self._label(task)} failed on split {task.order.split + 1} of {label(plan)}:"
                f" {message}"
            )

    def _label(self, task: Task) -> str:
        if len(self.job.datasets) == 1:
            return task.fit.learner
        return f"{task.fit.learner} on {self.job.datasets[task.dataset].name}"


def _ending(code: Optional[int]) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


class _Pool:
    """pebble's pool with workers that are known by name, so that all of them can be ended."""

    def __init__(self, job: worker.Job, jobs: int) -> None:
        from pebble import ProcessPool

        # Started outside the masks below, which it would lift.
        if os.name == "posix":
            resource_tracker.ensure_running()
        self.context = _Context()
        self.free = list(range(AHEAD * jobs))
        self._busy = self.context.RawArray("q", 2 * len(self.free))
        self._pool = ProcessPool(
            max_workers=jobs,
            initializer=worker.start,
            initargs=(job, self._busy),
            context=self.context,
        )

    def schedule(self, orders: Sequence[worker.Order], place: int, seconds: Optional[float]) -> Any:
        return self._pool.schedule(worker.fits, args=(orders, place), timeout=seconds)

    def at_work(self, place: int) -> tuple[int, int]:
        """Process id of the worker that is at this place (0: none) and at which of its fits."""
        return self._busy[2 * place], self._busy[2 * place + 1]

    def release(self, place: int) -> None:
        self._busy[2 * place] = self._busy[2 * place + 1] = 0
        self.free.append(place)

    @property
    def active(self) -> bool:
        return bool(self._pool.active)

    def ended(self) -> dict[int, int]:
        """Exit codes of workers that are no more; what their learners started is ended too."""
        codes = {each.pid: each.exitcode for each in list(self.context.workers)}
        found = {pid: code for pid, code in codes.items() if pid and code is not None}
        for each in list(self.context.workers):
            if each.pid in found:
                each.end_group()
        return found

    def __enter__(self) -> "_Pool":
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers: at once, with no fit half-stored, since only the main process stores."""
        with _undisturbed():
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
        with _undisturbed(), _quiet_main(), _one_thread():
            super().start()

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
def _undisturbed() -> Iterator[None]:
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
