"""Which work goes when, what is tried again, and whom to blame; what comes back is stored at once.

It knows nothing of processes: a back end does the work (`backends.base`). A worker that dies or
runs out of time costs the fit that it is at. Fits of a few milliseconds travel together, a fraction
of a second's worth at most.

Code that a spec brings along (`alone`) may change modules, memory and whatever else a process has.
A worker that has run such a learner makes fits of that learner only, so that no other can notice.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Optional, Sequence

from cvinfer.execute.backends.base import Backend, Opener
from cvinfer.execute.store import Store, Stored
from cvinfer.execute.work import (
    Agenda,
    Batch,
    Done,
    Fate,
    FitError,
    Limits,
    Lost,
    Made,
    Outcome,
    Task,
)
from cvinfer.losses.kinds import CODES
from cvinfer.progress import Progress

#: Quick fits of a learner go to a worker in batches of about this many seconds, at most so many.
BATCH_SECONDS = 0.1
BATCH_FITS = 64
#: Before that, so many for each worker go by themselves: one that has no end holds up no other.
SINGLY = 4
#: A fit that kills its worker this often is recorded as failed.
LIVES = 2


def work(
    agenda: Agenda,
    store: Store,
    *,
    jobs: int,
    limits: Limits = Limits(),
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    meanwhile: Optional[Callable[[], None]] = None,
    log: Optional[Path] = None,
    backend: Optional[Opener] = None,
) -> Outcome:
    """Do whatever the store does not hold yet; with `fail_fast` the first failure is raised.

    `meanwhile` is done once while the workers start. `log` is where to put what learners print
    and which fits failed, also when the run is interrupted. `backend` is where the work is done:
    without it on worker processes of this machine.
    """
    reporter = progress or Progress()
    beside = any(wants != CODES for wants in agenda.job.wants)
    known = store.hold(agenda.tasks, agenda.suits, beside)
    outcome = Outcome(reused=len(known), damaged=len(store.damaged))
    missing = [task for key, task in agenda.tasks.items() if key not in known]
    sizes = {key: agenda.fits(task) for key, task in agenda.tasks.items()}
    reporter.start(sum(sizes.values()), sum(sizes[key] for key in known))
    try:
        if missing:
            jobs = max(1, min(jobs, len(missing)))
            with (backend or _local())(agenda.job, agenda.materials, limits, jobs) as place:
                queue = Queue(missing, agenda, place, reporter, limits.seconds is None)
                _Run(agenda, queue, place, store, outcome, reporter, fail_fast).work(
                    meanwhile or (lambda: None), log
                )
        elif log is not None:
            log.unlink(missing_ok=True)  # it told of another run
    finally:
        reporter.stop()
    return outcome


def _local() -> Opener:
    from cvinfer.execute.backends.local import opened

    return opened


class Queue:
    """What waits, in batches for whoever can do it: the `Orders` of back ends."""

    def __init__(
        self,
        tasks: Sequence[Task],
        agenda: Agenda,
        backend: Backend,
        progress: Progress,
        together: bool,
    ) -> None:
        self._waiting = list(reversed(tasks))
        self._agenda, self._backend, self._progress = agenda, backend, progress
        self._together = together
        self._batches = 0
        self._pace: dict[tuple[int, int], float] = {}
        self._handed: Counter[tuple[int, int]] = Counter()
        #: How often a worker died at a task, or had no room for it: such go by themselves.
        self.deaths: Counter[str] = Counter()
        self.crowded: Counter[str] = Counter()

    def has(self, kept_for: Optional[int] = None) -> bool:
        return self._next(kept_for) is not None

    def take(self, kept_for: Optional[int] = None) -> Batch:
        """The next fits to go together: one, unless the learner is known to be quick."""
        at = self._next(kept_for)
        assert at is not None
        self._batches += 1
        tasks = [self._waiting.pop(at)]
        kind = _kind(tasks[0])
        if tasks[0].order.learner in self._agenda.alone:
            kept_for = tasks[0].order.learner
        self._handed[kind] += 1
        for following in reversed(range(max(0, at - self._more(tasks[0])), at)):
            one = self._waiting[following]
            if _kind(one) != kind or self._suspect(one):
                break
            tasks.append(self._waiting.pop(following))
        return Batch(self._batches, tasks, kept_for)

    def back(self, batch: Batch) -> None:
        self.again(batch.tasks)

    def again(self, tasks: Sequence[Task]) -> None:
        """These are the next."""
        self._waiting += reversed(tasks)

    def answered(self, made: Made) -> None:
        for task, one in zip(made.batch.tasks, made.done):
            if not one.failure:
                seconds = one.seconds_fit + one.seconds_predict
                kind = _kind(task)
                self._pace[kind] = max(seconds, 0.8 * self._pace.get(kind, 0.0))

    def at_work(self, batches: Sequence[Batch]) -> None:
        labels = [self._agenda.label(batch.tasks[0]) for batch in batches]
        self._progress.running(labels, self._backend.jobs)

    def _next(self, kept_for: Optional[int]) -> Optional[int]:
        """Where in what waits is what such a worker can do next; None if it can do nothing."""
        if kept_for is None:
            return len(self._waiting) - 1 if self._waiting else None
        places = reversed(range(len(self._waiting)))
        return next((i for i in places if self._waiting[i].order.learner == kept_for), None)

    def _more(self, first: Task) -> int:
        """How many may go together with it."""
        kind = _kind(first)
        pace = self._pace.get(kind)
        known = pace is not None and self._handed[kind] > SINGLY * self._backend.jobs
        # A time limit is for one fit, and so is the blame for a dead worker.
        if not self._together or not known or self._suspect(first):
            return 0
        return min(BATCH_FITS, int(BATCH_SECONDS / max(pace or 0.0, 1e-6))) - 1

    def _suspect(self, task: Task) -> bool:
        return task.key in self.deaths or task.key in self.crowded


class _Run:
    def __init__(
        self,
        agenda: Agenda,
        queue: Queue,
        backend: Backend,
        store: Store,
        outcome: Outcome,
        progress: Progress,
        fail_fast: bool,
    ) -> None:
        self.agenda, self.queue, self.backend = agenda, queue, backend
        self.store, self.outcome, self.progress = store, outcome, progress
        self.fail_fast, self.log = fail_fast, backend.log
        self.first = self.last = 0.0

    def work(self, meanwhile: Callable[[], None], log: Optional[Path]) -> None:
        began = time.monotonic()
        try:
            results = self.backend.results(self.queue)
            meanwhile()
            for result in results:
                if isinstance(result, Made):
                    self._keep(list(zip(result.batch.tasks, result.done)))
                else:
                    self._lost(result)
        finally:
            self._close(log)
        if self.first:
            self.outcome.startup = max(self.first - began, 0.0)
            self.outcome.working = self.last - self.first

    def _keep(self, pairs: Sequence[tuple[Task, Done]]) -> None:
        fine = [(task, one) for task, one in pairs if not one.failure]
        self.store.put_many((task.key, task.learner, _stored(one)) for task, one in fine)
        began = min(one.began for _, one in pairs)
        self.first = min(self.first or began, began)
        self.last = time.monotonic()
        for task, one in pairs:
            if one.printed:
                self.log.printed(*one.printed, self.agenda.heading(task))
        for task, one in fine:
            self.outcome.fitted += 1
            self.outcome.seconds += one.seconds_fit + one.seconds_predict
            self.progress.done(self.agenda.label(task), False, self.agenda.fits(task))
        for task, one in pairs:
            if one.failure:
                self._fail(task, one.failure)

    def _lost(self, lost: Lost) -> None:
        """The worker ended at a fit, which has another chance: it may have been an accident."""
        guilty, key, why = lost.guilty, lost.guilty.key, lost.why
        self.queue.again([task for task in lost.batch.tasks if task is not guilty])
        again, message = False, why
        if lost.fate is Fate.CROWDED:
            again = self.queue.crowded[key] < self.backend.jobs + 1
        if lost.fate is Fate.ACCIDENT:
            self.queue.deaths[key] += 1
            again = self.queue.deaths[key] < LIVES
            message = f"its worker process died {LIVES} times ({why})"
        elif again:
            self.queue.crowded[key] += 1
        heading = f"{self.agenda.heading(guilty)}: its worker ended, {why}"
        self.log.lost(lost.printed.pid, lost.printed.start, heading)
        if again:
            self.queue.again([guilty])
        else:
            self._fail(guilty, message)

    def _fail(self, task: Task, message: str) -> None:
        self.outcome.failures[task.key] = message
        self.last = time.monotonic()
        self.log.failed(f"{self.agenda.heading(task)}: {message}")
        self.progress.done(self.agenda.label(task), True, self.agenda.fits(task))
        if self.fail_fast:
            where = f"{self.agenda.label(task)} failed on {self.agenda.place(task)}"
            raise FitError(f"{where}: {message}")

    def _close(self, log: Optional[Path]) -> None:
        """End what is at work; write the log, with what fits printed that were interrupted."""
        self.outcome.place = dict(self.backend.facts)
        interrupted = self.backend.cancel()
        if log is None:
            return
        for batch, at, printed in interrupted:
            heading = f"{self.agenda.heading(batch.tasks[at])}: interrupted"
            self.log.printed(*printed, heading)
        # It is an aid: where it cannot be written, the results cannot, and that is told.
        with contextlib.suppress(OSError):
            self.log.write(log)


def _stored(one: Done) -> Stored:
    seconds = one.seconds_fit, one.seconds_predict
    return Stored(
        one.values,
        *seconds,
        one.warnings,
        one.kind,
        beside=one.beside,
        beside_kind=one.beside_kind,
        beside_warnings=one.beside_warnings,
    )


def _kind(task: Task) -> tuple[int, int]:
    """Fits that take about the same time: of one learner on one data set."""
    return task.order.dataset, task.order.learner
