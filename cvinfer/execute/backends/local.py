"""Work on worker processes of this machine.

A worker that dies, takes too much memory or runs out of time is told of as lost, and a new worker
takes its place.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional, Sequence, Union

from cvinfer.execute.backends import wire, worker
from cvinfer.execute.backends.base import Orders
from cvinfer.execute.backends.guardian import guarded
from cvinfer.execute.backends.pool import Pool, Worker, undisturbed
from cvinfer.execute.log import RunLog
from cvinfer.execute.work import (
    Batch,
    Fate,
    Job,
    Limits,
    Lost,
    Made,
    Printed,
    WorkerError,
)
from cvinfer.worker import causes, memory
from cvinfer.worker.scratch import Scratch

#: Workers that end in their start, for each of those wanted, before the machine is the trouble.
STARTS = 3
#: Seconds that the start of a worker may take: Python, R and the JVM, and the data made theirs.
START_SECONDS = 600.0
#: Seconds between two looks at whether the workers are alive, and at the memory that they have.
WATCH = 0.5
WEIGH = 0.1
#: A worker that keeps more than this share of the limit from earlier fits is not a fair place.
KEPT = 0.1


@contextlib.contextmanager
def opened(job: Job, materials: Sequence[object], limits: Limits, jobs: int) -> Iterator["Local"]:
    """Workers of this machine, with a directory for their files; both go at the end."""
    with _scratch() as scratch, guarded(str(scratch.path)):
        try:
            pool = Pool(job, materials, scratch)
        except OSError as error:
            raise _no_place(error) from None
        with pool:
            yield Local(pool, limits, jobs)


class _Log(RunLog):
    """Its writing at the end is not to be interrupted."""

    def write(self, path: Path) -> None:
        with undisturbed():
            super().write(path)


@dataclass
class Handed:
    """A batch that a worker has; `until` is when it will have had its time for it."""

    batch: Batch
    until: Optional[float] = None


class Local:
    """The workers of a run, and what each of them has."""

    def __init__(self, pool: Pool, limits: Limits, jobs: int) -> None:
        self.jobs = jobs
        self.facts: dict[str, object] = {}
        self.log = _Log(pool.scratch.path)
        self._pool, self._limits = pool, limits
        self._running: dict[Worker, Handed] = {}
        self._stillborn = 0
        self._losses: list[Lost] = []

    def get_ready(self) -> None:
        """Start a worker for the orders that will come."""
        self._start()

    def results(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        self._feed(orders)
        return self._stream(orders)

    def cancel(self) -> Sequence[tuple[Batch, int, Printed]]:
        """At once, with nothing half-stored, since only the main process stores."""
        self._pool.close()
        found = []
        for one, handed in self._running.items():
            spot = one.spot()
            if spot.batch == handed.batch.number:
                found.append((handed.batch, spot.at, Printed(one.pid, spot.log)))
        return found

    def _stream(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        """Hear what workers tell, and give them more, until nothing is left."""
        watched = weighed = time.monotonic()
        weigh = self._limits.memory_mb is not None
        while self._running:
            told = self._pool.news(self._patience(WEIGH if weigh else WATCH))
            if told is not None:
                made = self._hear(orders, *told)
                if made is not None:
                    yield made
            now = time.monotonic()
            if weigh and now - weighed >= WEIGH:
                weighed = now
                self._weigh()
            if now - watched >= WATCH:
                watched = now
                self._bury(orders)
                self.log.trim()
            self._out_of_time()
            # Each is dealt with before there is more to do: it may be what is to be done next.
            while self._losses:
                yield self._losses.pop(0)
            self._feed(orders)

    def _patience(self, most: float) -> float:
        """Seconds until there is something to look at, even if no worker tells anything."""
        ends = [handed.until for handed in self._running.values() if handed.until is not None]
        return min([most, *(end - time.monotonic() for end in ends)])

    def _feed(self, orders: Orders) -> None:
        """See that there are workers for what waits, and that each has something to do."""
        while orders.has():
            idle = [each for each in self._pool.workers if each not in self._running]
            fit_for_one = next((each for each in idle if orders.has(each.kept_for)), None)
            if fit_for_one is None:
                if len(self._pool.workers) >= self.jobs:
                    if not idle:
                        break
                    self._pool.end(idle[0])  # it is of no use to what waits
                fit_for_one = self._start()
                if fit_for_one is None:
                    break
            self._hand(orders, fit_for_one)
        orders.at_work([handed.batch for each, handed in self._running.items() if each.ready])

    def _start(self) -> Optional[Worker]:
        """One more worker; None where the system has no more, and others are at work."""
        try:
            return self._pool.start()
        except OSError as error:
            if not self._pool.workers:
                raise WorkerError(
                    f"no worker process can be started: {error.strerror or error};"
                    " is there enough memory, and are more processes allowed?"
                ) from None
            self.jobs = len(self._pool.workers)
            return None

    def _hand(self, orders: Orders, to: Worker) -> None:
        batch = orders.take(to.kept_for)
        to.kept_for = batch.kept_for
        wanted = [task.order for task in batch.tasks]
        try:
            self._pool.lay_out(wanted)
        except OSError as error:
            raise _no_place(error) from None
        if not to.give(batch.number, wanted):
            orders.back(batch)
            self._gone(orders, to)
            return
        self._running[to] = Handed(batch)
        if to.ready:
            self._set_limit(to)

    def _set_limit(self, of: Worker) -> None:
        if self._limits.seconds is not None and of in self._running:
            self._running[of].until = time.monotonic() + self._limits.seconds

    def _hear(self, orders: Orders, told_by: Worker, message: object) -> Optional[Made]:
        if told_by.ended:  # news of what was given up already
            return None
        if isinstance(message, wire.Ready):
            told_by.ready = True
            self._stillborn = 0
            self._set_limit(told_by)
        elif isinstance(message, wire.Made) and self._made(told_by, message):
            made = Made(self._running.pop(told_by).batch, message.done)
            orders.answered(made)
            self._feed(orders)  # the worker goes on while the main process stores
            return made
        else:
            self._gone(orders, told_by)
        return None

    def _made(self, by: Worker, message: wire.Made) -> bool:
        """Whether the answer is one to what was asked."""
        handed = self._running.get(by)
        return (
            handed is not None
            and message.batch == handed.batch.number
            and len(message.done) == len(handed.batch.tasks)
        )

    def _bury(self, orders: Orders) -> None:
        """Find workers that ended without a word, or do not come to their start's end."""
        for each in list(self._pool.workers):
            slow = not each.ready and time.monotonic() - each.began > START_SECONDS
            if slow or each.dead():
                self._gone(orders, each, f"no start within {START_SECONDS:g} s" if slow else None)

    def _gone(self, orders: Orders, one: Worker, why: Optional[str] = None) -> None:
        """A worker has ended, or is of no use: it costs the fit that it was at."""
        spot = one.spot()
        self._pool.end(one)
        handed = self._running.pop(one, None)
        if one.ready:
            if handed is not None:
                spent = causes.spent(self._pool.scratch.path, one.pid)
                fate = Fate.FINAL if spent else Fate.ACCIDENT
                self._lost(one, handed, spot, fate, spent or one.why())
            return
        # It never came to a fit, so none is to blame.
        if handed is not None:
            orders.back(handed.batch)
        self._stillborn += 1
        if self._stillborn >= STARTS * self.jobs:
            raise WorkerError(
                f"worker processes end before their first fit, {STARTS} times in a row"
                f" ({why or one.why()}); is there enough memory? --jobs 1 needs least"
            )

    def _out_of_time(self) -> None:
        now = time.monotonic()
        for one, handed in list(self._running.items()):
            if handed.until is not None and now > handed.until:
                spot = one.spot()
                self._pool.end(one)
                del self._running[one]
                why = f"took longer than {self._limits.seconds:g} s"
                self._lost(one, handed, spot, Fate.FINAL, why)

    def _weigh(self) -> None:
        """End the workers that have taken more memory than a fit may, beyond what they began with.

        Python, R and the JVM themselves are not the fit's; what earlier fits left counts at first,
        see `_crowded`.
        """
        for one, handed in list(self._running.items()):
            spot = one.spot()
            most = spot.rest + (self._limits.memory_mb or 0.0) * memory.MB
            if spot.batch != handed.batch.number or memory.used(one.pid) <= most:
                continue
            with one.stopped():
                at_it = one.spot() == spot
                if at_it and memory.used_together(one.pid) > most:
                    self._pool.end(one)
                    del self._running[one]
                    why = f"used more than {self._limits.memory_mb:g} MB (limits.memory_mb)"
                    fate = Fate.CROWDED if self._crowded(spot) else Fate.FINAL
                    self._lost(one, handed, spot, fate, why)

    def _crowded(self, spot: worker.Spot) -> bool:
        """Whether the worker had much of its memory from earlier fits, which is not this one's."""
        return spot.before - spot.rest > KEPT * (self._limits.memory_mb or 0.0) * memory.MB

    def _lost(self, by: Worker, handed: Handed, spot: worker.Spot, fate: Fate, why: str) -> None:
        at = spot.at if spot.batch == handed.batch.number else 0
        self._losses.append(Lost(handed.batch, at, fate, why, Printed(by.pid, spot.log)))


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
