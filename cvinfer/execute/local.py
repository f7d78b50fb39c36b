"""Fits on worker processes of this machine.

A worker that dies or runs out of time costs the fit that it is at, and pebble puts a new worker in
its place. Whatever comes back is stored at once, in the main process. Fits of a few milliseconds
travel together, a fraction of a second's worth at most.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections import Counter
from concurrent.futures import Future, TimeoutError as FitTimeout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import CvinferError
from cvinfer.execute import causes, memory, worker
from cvinfer.execute.log import RunLog
from cvinfer.execute.pool import AHEAD, Pool, undisturbed
from cvinfer.execute.progress import Progress
from cvinfer.execute.scratch import Scratch
from cvinfer.execute.store import Store, Stored
from cvinfer.plan import Fit, RunPlan, label

#: Quick fits of a learner go to a worker in batches of about this many seconds, at most so many.
BATCH_SECONDS = 0.1
BATCH_FITS = 64
#: A fit that kills its worker this often is recorded as failed.
LIVES = 2
#: New pools in a row without one finished fit before the machine is taken to be the trouble.
POOLS = 3
#: Seconds between two looks at whether the workers are alive, and at the memory that they have.
WATCH = 0.5
WEIGH = 0.1
#: A worker that keeps more than this share of the limit from earlier fits is not a fair place.
KEPT = 0.1


class Limits(NamedTuple):
    """What one fit may take; None is no limit."""

    seconds: Optional[float] = None
    memory_mb: Optional[float] = None


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
    pool: Pool
    gone: bool = False
    #: The worker was seen dead; it was killed because it had too much memory.
    dead: bool = False
    over: bool = False


def execute(
    plans: Sequence[RunPlan],
    learners: Mapping[str, LearnerSpec],
    store: Store,
    *,
    jobs: int,
    limits: Limits = Limits(),
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    meanwhile: Optional[Callable[[], None]] = None,
    log: Optional[Path] = None,
) -> Outcome:
    """Fit whatever the store does not hold yet; with `fail_fast` the first failure is raised.

    `meanwhile` is done once while the workers start. `log` is where to put what learners print
    and which fits failed, also when the run is interrupted.
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
            with _scratch() as scratch:
                run = _Run(job, missing, store, outcome, reporter, limits, fail_fast, scratch)
                try:
                    run.work(jobs, meanwhile or (lambda: None))
                finally:
                    run.close(log)
        elif log is not None:
            log.unlink(missing_ok=True)  # it told of another run
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
        limits: Limits,
        fail_fast: bool,
        scratch: Scratch,
    ) -> None:
        self.job, self.store, self.outcome = job, store, outcome
        self.progress, self.limits, self.fail_fast = progress, limits, fail_fast
        self.scratch, self.log = scratch, RunLog(scratch.path)
        self.waiting = list(reversed(tasks))
        self.running: list[Handed] = []
        self.deaths: Counter[str] = Counter()
        self.crowded: Counter[str] = Counter()
        self.last_cause = ""
        self.pace: dict[tuple[int, int], float] = {}
        self.finished: "queue.SimpleQueue[tuple[Handed, Future[Any]]]" = queue.SimpleQueue()
        self.first = self.last = 0.0

    def work(self, jobs: int, meanwhile: Callable[[], None]) -> None:
        jobs = max(1, min(jobs, len(self.waiting)))
        began = time.monotonic()
        without_success = 0
        while self.waiting:
            before = self.outcome.fitted + len(self.outcome.failures)
            with Pool(self.job, jobs, self.scratch, self.limits.memory_mb) as pool:
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
                        f"worker processes end before their first fit, {POOLS} times in a row"
                        f"{self.last_cause}; is there enough memory? --jobs 1 needs least"
                    )
        if self.first:
            self.outcome.startup = max(self.first - began, 0.0)
            self.outcome.working = self.last - self.first

    def _use(self, pool: Pool, most: int) -> None:
        """Feed one pool until nothing is left or it breaks."""
        watched = weighed = time.monotonic()
        weigh = self.limits.memory_mb is not None
        while self.running:
            with contextlib.suppress(queue.Empty):
                self._take(*self.finished.get(timeout=WEIGH if weigh else WATCH))
            if weigh and time.monotonic() - weighed >= WEIGH:
                weighed = time.monotonic()
                self._weigh(pool)
            if time.monotonic() - watched >= WATCH:
                watched = time.monotonic()
                if not pool.active:
                    return self._abandon(pool)
                self._bury(pool)
                self.log.trim()
            self._feed(pool, most)

    def _feed(self, pool: Pool, most: int) -> None:
        while self.waiting and len(self.running) < most and pool.active:
            handed = Handed(self._batch(), pool.free.pop(), pool)
            self.running.append(handed)
            orders = [task.order for task in handed.tasks]
            try:
                future = pool.schedule(orders, handed.place, self.limits.seconds)
            except RuntimeError:  # the pool broke this very moment
                self._returned(handed)
                self.waiting += reversed(handed.tasks)
                return
            future.add_done_callback(self._callback(handed))
        at_work = [each for each in self.running if pool.at_work(each.place).pid]
        self.progress.running([self._label(each.tasks[0]) for each in at_work])

    def _batch(self) -> list[Task]:
        """The next fits to go together: one, unless the learner is known to be quick."""
        batch = [self.waiting.pop()]
        order = batch[0].order
        pace = self.pace.get((order.dataset, order.learner))
        # A time limit is for one fit, and so is the blame for a dead worker.
        if self.limits.seconds is not None or pace is None or self._suspect(batch[0]):
            return batch
        size = min(BATCH_FITS, int(BATCH_SECONDS / max(pace, 1e-6)))
        while len(batch) < size and self.waiting:
            following = self.waiting[-1]
            same = (following.order.dataset, following.order.learner)
            if same != (order.dataset, order.learner) or self._suspect(following):
                break
            batch.append(self.waiting.pop())
        return batch

    def _suspect(self, task: Task) -> bool:
        return task.fit.key in self.deaths or task.fit.key in self.crowded

    def _callback(self, handed: Handed) -> Callable[["Future[Any]"], None]:
        return lambda future: self.finished.put((handed, future))

    def _take(self, handed: Handed, future: "Future[Any]") -> None:
        """Store finished fits, or decide what to do about lost ones."""
        from pebble import ProcessExpired

        spot = handed.pool.at_work(handed.place)
        if not self._returned(handed):
            return
        try:
            done: list[worker.Done] = future.result()
        except FitTimeout:
            message = f"took longer than {self.limits.seconds:g} s"
            self._told(handed.tasks[0], spot, message)
            self._fail(handed.tasks[0], message)
        except ProcessExpired as error:
            self._lost(handed, spot, error.exitcode)
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
        for task, one in pairs:
            if one.printed:
                self.log.printed(*one.printed, self._heading(task))
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

    def _bury(self, pool: Pool) -> None:
        """Take back what a worker was at that ended without a word.

        pebble tells of workers that end with another code than 0; these it does not miss.
        """
        ended = pool.ended()
        for handed in list(self.running):
            spot = pool.at_work(handed.place)
            code = ended.get(spot.pid)
            if code is None:
                continue
            # Nor does it tell of one that had just begun this when it was ended for another fit.
            if (code == 0 or handed.dead) and self._returned(handed):
                self._lost(handed, spot, code)
            handed.dead = True

    def _abandon(self, pool: Pool) -> None:
        """Take everything back from a pool that broke, with what its workers were at."""
        while True:
            try:
                self._take(*self.finished.get_nowait())
            except queue.Empty:
                break
        ended = pool.ended()
        for pid, code in ended.items():
            self.last_cause = f" ({causes.cause(self.scratch.path, pid, code)})"
        for handed in list(self.running):
            spot = pool.at_work(handed.place)
            self._returned(handed)
            if spot.pid in ended:
                self._lost(handed, spot, ended[spot.pid])
            else:
                self.waiting += reversed(handed.tasks)

    def _weigh(self, pool: Pool) -> None:
        """Kill the workers that have taken more memory than a fit may, beyond what they began with.

        Python, R and the JVM themselves are not the fit's; what earlier fits left counts at first,
        see `_crowded`.
        """
        for handed in self.running:
            spot = pool.at_work(handed.place)
            pid, most = spot.pid, spot.rest + (self.limits.memory_mb or 0.0) * memory.MB
            if not pid or handed.over or memory.used(pid) <= most:
                continue
            with pool.stopped(pid):
                at_it = pool.at_work(handed.place).pid == pid
                if at_it and memory.used_together(pid) > most:
                    handed.over = True
                    pool.kill(pid)

    def _lost(self, handed: Handed, spot: worker.Spot, code: Optional[int]) -> None:
        """The worker died at a fit, which gets another chance: it may have been an accident."""
        guilty = handed.tasks[spot.at]
        self.waiting += [task for task in reversed(handed.tasks) if task is not guilty]
        key = guilty.fit.key
        spent = causes.spent(self.scratch.path, spot.pid)
        if handed.over:
            why = f"used more than {self.limits.memory_mb:g} MB (limits.memory_mb)"
            again = self._crowded(spot) and self.crowded[key] < handed.pool.jobs + 1
            self.crowded[key] += again
            message = why
        elif spent:
            why, again = spent, False
            message = spent
        else:
            self.deaths[key] += 1
            why = causes.cause(self.scratch.path, spot.pid, code)
            again = self.deaths[key] < LIVES
            message = f"its worker process died {LIVES} times ({why})"
        self._told(guilty, spot, why)
        if again:
            self.waiting.append(guilty)
        else:
            self._fail(guilty, message)

    def _crowded(self, spot: worker.Spot) -> bool:
        """Whether the worker had much of its memory from earlier fits, which is not this one's."""
        return spot.before - spot.rest > KEPT * (self.limits.memory_mb or 0.0) * memory.MB

    def _told(self, task: Task, spot: worker.Spot, why: str) -> None:
        self.log.lost(spot.pid, spot.log, f"{self._heading(task)}: its worker ended, {why}")

    def _fail(self, task: Task, message: str) -> None:
        self.outcome.failures[task.fit.key] = message
        self.last = time.monotonic()
        self.log.failed(f"{self._heading(task)}: {message}")
        self.progress.done(self._label(task), failed=True)
        if self.fail_fast:
            raise FitError(f"{self._label(task)} failed on {self._split(task)}: {message}")

    def close(self, log: Optional[Path]) -> None:
        """Write the log, with what fits printed that were interrupted."""
        if log is None:
            return
        for handed in self.running:
            spot = handed.pool.at_work(handed.place)
            if spot.pid:
                heading = f"{self._heading(handed.tasks[spot.at])}: interrupted"
                self.log.printed(spot.pid, spot.log, None, heading)
        # It is an aid: where it cannot be written, the results cannot, and that is told.
        with undisturbed(), contextlib.suppress(OSError):
            self.log.write(log)

    def _heading(self, task: Task) -> str:
        data = self.job.datasets[task.dataset].name
        return f"{task.fit.learner} on {self._split(task)} of {data}, seed {task.order.seed}"

    def _split(self, task: Task) -> str:
        plan = self.job.plans[task.order.dataset][task.order.plan]
        return f"split {task.order.split + 1} of {label(plan)}"

    def _label(self, task: Task) -> str:
        if len(self.job.datasets) == 1:
            return task.fit.learner
        return f"{task.fit.learner} on {self.job.datasets[task.dataset].name}"


@contextlib.contextmanager
def _scratch() -> Iterator[Scratch]:
    try:
        made = Scratch()
    except OSError as error:
        raise WorkerError(
            f"there is no place for temporary files: {error.strerror or error};"
            " name a directory with the environment variable TMPDIR"
        ) from None
    try:
        yield made
    finally:
        with undisturbed():
            made.remove()
