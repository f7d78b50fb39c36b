"""Fits on worker processes of this machine.

A worker that dies or runs out of time costs the fit that it is at, and a new worker takes its
place. Whatever comes back is stored at once, in the main process. Fits of a few milliseconds
travel together, a fraction of a second's worth at most.

Code that a spec brings along (`alone`) may change modules, memory and whatever else a process has.
A worker that has run such a learner makes fits of that learner only, so that no other can notice.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Collection, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import CvinferError, LearnerError
from cvinfer.worker import causes, memory
from cvinfer.execute import wire, worker
from cvinfer.execute.guardian import guarded
from cvinfer.execute.log import RunLog
from cvinfer.execute.pool import Pool, Worker, undisturbed
from cvinfer.progress import Progress
from cvinfer.worker.scratch import Scratch
from cvinfer.execute.store import Store, Stored
from cvinfer.planning import Fit, RunPlan

#: Quick fits of a learner go to a worker in batches of about this many seconds, at most so many.
BATCH_SECONDS = 0.1
BATCH_FITS = 64
#: Before that, so many for each worker go by themselves: one that has no end holds up no other.
SINGLY = 4
#: A fit that kills its worker this often is recorded as failed.
LIVES = 2
#: Workers that end in their start, for each of those wanted, before the machine is the trouble.
STARTS = 3
#: Seconds that the start of a worker may take: Python, R and the JVM, and the data made theirs.
START_SECONDS = 600.0
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


class FitError(CvinferError):
    """The first failure of a run that was to stop there."""

    exit_code = 3


@dataclass
class Outcome:
    """What became of the fits.

    failures: the reason for each key that failed. reused, fitted: how many were stored before, and
    how many were made now; damaged: how many of these because what was stored is not sound.
    seconds: inside the learners. startup: until the first fit began. working: from there until the
    last fit was stored.
    """

    failures: dict[str, str] = field(default_factory=dict)
    reused: int = 0
    fitted: int = 0
    damaged: int = 0
    seconds: float = 0.0
    startup: float = 0.0
    working: float = 0.0

    def warning(self, store: Optional[Path]) -> str:
        """What is said where fits of the store are damaged."""
        some = "1 fit was" if self.damaged == 1 else f"{self.damaged} fits were"
        return (
            f"{some} damaged in the store {store}, and made again;"
            " cvinfer store check looks at all of it"
        )


@dataclass(frozen=True)
class Task:
    dataset: int
    fit: Fit
    order: wire.Order


@dataclass
class Handed:
    """Tasks that a worker has; `until` is when it will have had its time for them."""

    number: int
    tasks: Sequence[Task]
    until: Optional[float] = None


def execute(
    plans: Sequence[RunPlan],
    learners: Mapping[str, LearnerSpec],
    store: Store,
    *,
    jobs: int,
    alone: Collection[str] = (),
    limits: Limits = Limits(),
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    meanwhile: Optional[Callable[[], None]] = None,
    log: Optional[Path] = None,
) -> Outcome:
    """Fit whatever the store does not hold yet; with `fail_fast` the first failure is raised.

    `alone` are the learners that share no worker process with others.
    `meanwhile` is done once while the workers start. `log` is where to put what learners print
    and which fits failed, also when the run is interrupted.
    """
    reporter = progress or Progress()
    names = list(learners)
    tasks: dict[str, Task] = {}
    for number, plan in enumerate(plans):
        for fit in plan.fits:
            at = names.index(fit.learner)
            order = wire.Order(number, fit.partition, fit.number, at, fit.seed)
            tasks.setdefault(fit.key, Task(number, fit, order))
    known = store.hold(tasks, lambda key, fit: _suits(plans, tasks[key], fit))
    outcome = Outcome(reused=len(known), damaged=len(store.damaged))
    missing = [task for key, task in tasks.items() if key not in known]
    reporter.start(len(tasks), len(known))
    try:
        if missing:
            job = worker.Job(
                [plan.dataset for plan in plans],
                [plan.partitions for plan in plans],
                list(learners.values()),
                limits.memory_mb,
            )
            with _scratch() as scratch, guarded(str(scratch.path)):
                run = _Run(job, missing, store, outcome, reporter, limits, fail_fast, scratch)
                run.alone = {names.index(name) for name in alone}
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
        self.alone: set[int] = set()
        self.running: dict[Worker, Handed] = {}
        self.batches = 0
        self.stillborn = 0
        self.deaths: Counter[str] = Counter()
        self.crowded: Counter[str] = Counter()
        self.pace: dict[tuple[int, int], float] = {}
        self.handed: Counter[tuple[int, int]] = Counter()
        self.first = self.last = 0.0

    def work(self, jobs: int, meanwhile: Callable[[], None]) -> None:
        self.jobs = max(1, min(jobs, len(self.waiting)))
        began = time.monotonic()
        with _pool(self.job, self.scratch) as pool:
            self._feed(pool)
            meanwhile()
            self._use(pool)
        if self.first:
            self.outcome.startup = max(self.first - began, 0.0)
            self.outcome.working = self.last - self.first

    def _use(self, pool: Pool) -> None:
        """Hear what workers tell, and give them more, until nothing is left."""
        watched = weighed = time.monotonic()
        weigh = self.limits.memory_mb is not None
        while self.running:
            told = pool.news(self._patience(WEIGH if weigh else WATCH))
            if told is not None:
                self._hear(pool, *told)
            now = time.monotonic()
            if weigh and now - weighed >= WEIGH:
                weighed = now
                self._weigh(pool)
            if now - watched >= WATCH:
                watched = now
                self._bury(pool)
                self.log.trim()
            self._out_of_time(pool)
            self._feed(pool)

    def _patience(self, most: float) -> float:
        """Seconds until there is something to look at, even if no worker tells anything."""
        ends = [handed.until for handed in self.running.values() if handed.until is not None]
        return min([most, *(end - time.monotonic() for end in ends)])

    def _feed(self, pool: Pool) -> None:
        """See that there are workers for what waits, and that each has something to do."""
        while self.waiting:
            idle = [each for each in pool.workers if each not in self.running]
            fit_for_one = next((each for each in idle if self._next(each) is not None), None)
            if fit_for_one is None:
                if len(pool.workers) >= self.jobs:
                    if not idle:
                        break
                    pool.end(idle[0])  # it is of no use to what waits
                fit_for_one = self._start(pool)
                if fit_for_one is None:
                    break
            self._hand(pool, fit_for_one)
        firsts = [handed.tasks[0] for each, handed in self.running.items() if each.ready]
        self.progress.running([self._label(task) for task in firsts])

    def _start(self, pool: Pool) -> Optional[Worker]:
        """One more worker; None where the system has no more, and others are at work."""
        try:
            return pool.start()
        except OSError as error:
            if not pool.workers:
                raise WorkerError(
                    f"no worker process can be started: {error.strerror or error};"
                    " is there enough memory, and are more processes allowed?"
                ) from None
            self.jobs = len(pool.workers)
            return None

    def _hand(self, pool: Pool, to: Worker) -> None:
        batch = self._batch(to)
        self.batches += 1
        if not to.give(self.batches, [task.order for task in batch]):
            self.waiting += reversed(batch)
            self._gone(pool, to)
            return
        self.running[to] = Handed(self.batches, batch)
        if to.ready:
            self._set_limit(to)

    def _set_limit(self, of: Worker) -> None:
        if self.limits.seconds is not None and of in self.running:
            self.running[of].until = time.monotonic() + self.limits.seconds

    def _next(self, to: Worker) -> Optional[int]:
        """Where in `waiting` is what this worker can do next; None if it can do nothing there."""
        if to.kept_for is None:
            return len(self.waiting) - 1 if self.waiting else None
        places = reversed(range(len(self.waiting)))
        return next((i for i in places if self.waiting[i].order.learner == to.kept_for), None)

    def _batch(self, to: Worker) -> list[Task]:
        """The next fits to go together: one, unless the learner is known to be quick."""
        at = self._next(to)
        assert at is not None
        batch = [self.waiting.pop(at)]
        kind = _kind(batch[0])
        if batch[0].order.learner in self.alone:
            to.kept_for = batch[0].order.learner
        self.handed[kind] += 1
        pace = self.pace.get(kind)
        known = pace is not None and self.handed[kind] > SINGLY * self.jobs
        # A time limit is for one fit, and so is the blame for a dead worker.
        if self.limits.seconds is not None or not known or self._suspect(batch[0]):
            return batch
        size = min(BATCH_FITS, int(BATCH_SECONDS / max(pace or 0.0, 1e-6)))
        while len(batch) < size and at > 0:
            at -= 1
            following = self.waiting[at]
            if _kind(following) != kind or self._suspect(following):
                break
            batch.append(self.waiting.pop(at))
        return batch

    def _suspect(self, task: Task) -> bool:
        return task.fit.key in self.deaths or task.fit.key in self.crowded

    def _hear(self, pool: Pool, told_by: Worker, message: Any) -> None:
        if told_by.ended:  # news of what was given up already
            return
        if isinstance(message, wire.Ready):
            told_by.ready = True
            self.stillborn = 0
            self._set_limit(told_by)
        elif isinstance(message, wire.Made) and self._made(told_by, message):
            handed = self.running.pop(told_by)
            self._learn_pace(list(zip(handed.tasks, message.done)))
            self._feed(pool)  # the worker goes on while this process stores
            self._keep(list(zip(handed.tasks, message.done)))
        else:
            self._gone(pool, told_by)

    def _made(self, by: Worker, message: wire.Made) -> bool:
        """Whether the answer is one to what was asked."""
        handed = self.running.get(by)
        return (
            handed is not None
            and message.batch == handed.number
            and len(message.done) == len(handed.tasks)
        )

    def _learn_pace(self, pairs: Sequence[tuple[Task, worker.Done]]) -> None:
        for task, one in pairs:
            if not one.failure:
                seconds = one.seconds_fit + one.seconds_predict
                kind = _kind(task)
                self.pace[kind] = max(seconds, 0.8 * self.pace.get(kind, 0.0))

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
            self.outcome.fitted += 1
            self.outcome.seconds += one.seconds_fit + one.seconds_predict
            self.progress.done(self._label(task), failed=False)
        for task, one in pairs:
            if one.failure:
                self._fail(task, one.failure)

    def _bury(self, pool: Pool) -> None:
        """Find workers that ended without a word, or do not come to their start's end."""
        for each in list(pool.workers):
            slow = not each.ready and time.monotonic() - each.began > START_SECONDS
            if slow or each.dead():
                self._gone(pool, each, f"no start within {START_SECONDS:g} s" if slow else None)

    def _gone(self, pool: Pool, one: Worker, why: Optional[str] = None) -> None:
        """A worker has ended, or is of no use: it costs the fit that it was at."""
        spot = one.spot()
        pool.end(one)
        handed = self.running.pop(one, None)
        if one.ready:
            if handed is not None:
                self._lost(one, handed, spot)
            return
        # It never came to a fit, so none is to blame.
        self.waiting += reversed(handed.tasks if handed is not None else ())
        self.stillborn += 1
        if self.stillborn >= STARTS * self.jobs:
            raise WorkerError(
                f"worker processes end before their first fit, {STARTS} times in a row"
                f" ({why or one.why()}); is there enough memory? --jobs 1 needs least"
            )

    def _out_of_time(self, pool: Pool) -> None:
        now = time.monotonic()
        for one, handed in list(self.running.items()):
            if handed.until is not None and now > handed.until:
                spot = one.spot()
                pool.end(one)
                del self.running[one]
                message = f"took longer than {self.limits.seconds:g} s"
                (task,) = handed.tasks
                self._told(task, one, spot, message)
                self._fail(task, message)

    def _weigh(self, pool: Pool) -> None:
        """End the workers that have taken more memory than a fit may, beyond what they began with.

        Python, R and the JVM themselves are not the fit's; what earlier fits left counts at first,
        see `_crowded`.
        """
        for one, handed in list(self.running.items()):
            spot = one.spot()
            most = spot.rest + (self.limits.memory_mb or 0.0) * memory.MB
            if spot.batch != handed.number or memory.used(one.pid) <= most:
                continue
            with one.stopped():
                at_it = one.spot() == spot
                if at_it and memory.used_together(one.pid) > most:
                    pool.end(one)
                    del self.running[one]
                    self._lost(one, handed, spot, over=True)

    def _lost(self, by: Worker, handed: Handed, spot: worker.Spot, over: bool = False) -> None:
        """The worker died at a fit, which gets another chance: it may have been an accident."""
        guilty = handed.tasks[spot.at if spot.batch == handed.number else 0]
        self.waiting += [task for task in reversed(handed.tasks) if task is not guilty]
        key = guilty.fit.key
        spent = causes.spent(self.scratch.path, by.pid)
        if over:
            why = f"used more than {self.limits.memory_mb:g} MB (limits.memory_mb)"
            again = self._crowded(spot) and self.crowded[key] < self.jobs + 1
            self.crowded[key] += again
            message = why
        elif spent:
            why, again = spent, False
            message = spent
        else:
            self.deaths[key] += 1
            why = by.why()
            again = self.deaths[key] < LIVES
            message = f"its worker process died {LIVES} times ({why})"
        self._told(guilty, by, spot, why)
        if again:
            self.waiting.append(guilty)
        else:
            self._fail(guilty, message)

    def _crowded(self, spot: worker.Spot) -> bool:
        """Whether the worker had much of its memory from earlier fits, which is not this one's."""
        return spot.before - spot.rest > KEPT * (self.limits.memory_mb or 0.0) * memory.MB

    def _told(self, task: Task, by: Worker, spot: worker.Spot, why: str) -> None:
        self.log.lost(by.pid, spot.log, f"{self._heading(task)}: its worker ended, {why}")

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
        for one, handed in self.running.items():
            spot = one.spot()
            if spot.batch == handed.number:
                heading = f"{self._heading(handed.tasks[spot.at])}: interrupted"
                self.log.printed(one.pid, spot.log, None, heading)
        # It is an aid: where it cannot be written, the results cannot, and that is told.
        with undisturbed(), contextlib.suppress(OSError):
            self.log.write(log)

    def _heading(self, task: Task) -> str:
        data = self.job.datasets[task.dataset].name
        return f"{task.fit.learner} on {self._split(task)} of {data}, seed {task.order.seed}"

    def _split(self, task: Task) -> str:
        partition = self.job.partitions[task.order.dataset][task.order.partition]
        return f"split {task.order.split + 1} of {partition.label}"

    def _label(self, task: Task) -> str:
        if len(self.job.datasets) == 1:
            return task.fit.learner
        return f"{task.fit.learner} on {self.job.datasets[task.dataset].name}"


def _suits(plans: Sequence[RunPlan], task: Task, fit: Stored) -> bool:
    """Whether what is stored can be the predictions of this fit at all."""
    plan = plans[task.dataset]
    test = plan.partitions[task.order.partition].splits[task.order.split].test
    try:
        worker.checked(fit.codes, len(test), len(plan.dataset.classes))
    except LearnerError:
        return False
    return True


def _kind(task: Task) -> tuple[int, int]:
    """Fits that take about the same time: of one learner on one data set."""
    return task.order.dataset, task.order.learner


def _pool(job: worker.Job, scratch: Scratch) -> Pool:
    try:
        return Pool(job, scratch)
    except OSError as error:
        raise _no_place(error) from None


def _no_place(error: OSError) -> WorkerError:
    return WorkerError(
        f"there is no place for temporary files: {error.strerror or error};"
        " name a directory with the environment variable TMPDIR"
    )


@contextlib.contextmanager
def _scratch() -> Iterator[Scratch]:
    try:
        made = Scratch()
    except OSError as error:
        raise _no_place(error) from None
    try:
        yield made
    finally:
        with undisturbed():
            made.remove()
