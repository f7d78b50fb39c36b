"""What is to be done, and what came of it: the words that scheduler, back ends and workers share.

Whoever has work for the scheduler brings an `Agenda`; that of fits is in `fits`. How a worker does
an order is a `Work`, found by its name in `works`: a new kind of work is a new file there and an
agenda, and neither the scheduler nor a back end learns of it.
"""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Hashable,
    Mapping,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
)

import numpy as np
from numpy.typing import NDArray

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import CvinferError, LearnerError
from cvinfer.losses.kinds import CODES
from cvinfer.registry import Registry
from cvinfer.worker import captured, workplace

if TYPE_CHECKING:
    from cvinfer.execute.store import Stored


class WorkerError(CvinferError):
    """Worker processes cannot be had on this machine."""


class FitError(CvinferError):
    """The first failure of a run that was to stop there."""

    exit_code = 3


class Limits(NamedTuple):
    """What one fit may take; None is no limit."""

    seconds: Optional[float] = None
    memory_mb: Optional[float] = None


# --- what is to be done ---------------------------------------------------------------------------


class Order(NamedTuple):
    """One piece of work, in numbers of the `Job`, few enough to travel in one write.

    dataset: which of the materials it needs. partition, split: what of it. work: which of the
    job's kinds of work.
    """

    dataset: int
    partition: int
    split: int
    learner: int
    seed: int
    work: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """An order, with its place in the store and whom it is stored for."""

    key: str
    learner: str
    order: Order


class Job(NamedTuple):
    """What every worker is told at its start; `works` are the names of the kinds of work.

    wants: what is wanted of each learner (`cvinfer.losses.kinds.WANTED`); class codes where it says
    nothing.
    """

    learners: Sequence[LearnerSpec]
    memory_mb: Optional[float] = None
    works: Sequence[str] = ("fit",)
    wants: Sequence[str] = ()

    def wanted(self, learner: int) -> str:
        """What is wanted of a learner."""
        return self.wants[learner] if self.wants else CODES


class Agenda(Protocol):
    """Some work for the scheduler.

    tasks: by key, in the order in which they are to be done. materials: what orders mean by
    `dataset`; a worker is given one when it first needs it. alone: numbers of the learners that
    share no worker with others.
    """

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What is to be done."""

    @property
    def job(self) -> Job:
        """What workers are told."""

    @property
    def materials(self) -> Sequence[object]:
        """What they are given when they need it; it must be possible to pickle it."""

    @property
    def alone(self) -> frozenset[int]:
        """Who shares no worker."""

    def suits(self, key: str, stored: Stored) -> Optional[bool]:
        """Whether what is stored can have come of this task at all.

        None where it can and is less than is wanted now: the task is done again.
        """

    def fits(self, task: Task) -> int:
        """How many fits it is."""

    def label(self, task: Task) -> str:
        """What is shown while it is at work."""

    def place(self, task: Task) -> str:
        """Where in its data it is, in words."""

    def heading(self, task: Task) -> str:
        """What the log calls it."""


# --- what came of it ------------------------------------------------------------------------------


class Printed(NamedTuple):
    """Where a worker's log has what was printed; no `end`: up to the last."""

    pid: int
    start: int
    end: Optional[int] = None


class Done(NamedTuple):
    """A finished order, or the reason why it failed; `began` is on the machine's monotonic clock.

    values, kind: what came out, and what it is (`cvinfer.losses.kinds`). printed: what it printed,
    if it did. spent: the worker must not do another. beside and what follows: as a `Prediction` has
    them.
    """

    values: NDArray[Any]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...]
    failure: str
    began: float
    printed: Optional[Printed] = None
    spent: bool = False
    kind: str = CODES
    beside: Optional[NDArray[np.float64]] = None
    beside_kind: Optional[str] = None
    beside_warnings: tuple[str, ...] = ()


def failed(message: str, began: float) -> Done:
    return Done(np.empty(0, dtype=np.int32), 0.0, 0.0, (), message, began)


class Fate(enum.Enum):
    """What a worker's end says about the order that it was at.

    ACCIDENT: nothing for certain. CROWDED: the worker had too little left for it, through others.
    FINAL: it was the order's own doing.
    """

    ACCIDENT = "accident"
    CROWDED = "crowded"
    FINAL = "final"


@dataclass(frozen=True)
class Batch:
    """Tasks that a worker has together; `kept_for`: the learner it is for from now on, if one."""

    number: int
    tasks: Sequence[Task]
    kept_for: Optional[int] = None


class Made(NamedTuple):
    """All of a batch, in its order."""

    batch: Batch
    done: Sequence[Done]


class Lost(NamedTuple):
    """A batch whose worker ended at the task `at`, and why."""

    batch: Batch
    at: int
    fate: Fate
    why: str
    printed: Printed

    @property
    def guilty(self) -> Task:
        return self.batch.tasks[self.at]


@dataclass
class Outcome:
    """What became of the fits.

    failures: the reason for each key that failed. reused, fitted: how many were stored before, and
    how many were made now; damaged: how many of these because what was stored is not sound.
    seconds: inside the learners. startup: until the first fit began. working: from there until the
    last fit was stored. place: what run.json tells of where they were made.
    """

    failures: dict[str, str] = field(default_factory=dict)
    reused: int = 0
    fitted: int = 0
    damaged: int = 0
    seconds: float = 0.0
    startup: float = 0.0
    working: float = 0.0
    place: Mapping[str, object] = field(default_factory=dict)

    def warning(self, store: Optional[Path]) -> str:
        """What is said where fits of the store are damaged."""
        some = "1 fit was" if self.damaged == 1 else f"{self.damaged} fits were"
        return (
            f"{some} damaged in the store {store}, and made again;"
            " cvinfer store check looks at all of it"
        )


# --- how it is done, in a worker ------------------------------------------------------------------


class Desk(Protocol):
    """What a worker has: the job, materials as they are needed, room for what a work keeps."""

    job: Job
    kept: dict[Hashable, object]

    def material(self, number: int) -> object:
        """One of the agenda's materials."""


class Work(NamedTuple):
    """A kind of work. `prepare` is called before its first order for a material, and is not
    counted as the order's time or memory; what it raises comes again with `do`.

    `do` raises what a learner raises: that becomes text.
    """

    prepare: Callable[[Desk, Order], None]
    do: Callable[[Desk, Order, float], Done]


works: Registry[Work] = Registry("kind of work", "cvinfer.execute.works")


def work_of(job: Job, order: Order) -> Work:
    """How an order is done."""
    return works[job.works[order.work]]


def do(desk: Desk, order: Order) -> Done:
    """Do one order, for whatever back end; what a learner does wrong comes back as text."""
    began = time.monotonic()
    try:
        return work_of(desk.job, order).do(desk, order, began)
    except LearnerError as error:
        spent = isinstance(error, workplace.Spent)
        return failed(_said(error), began)._replace(spent=spent)
    except MemoryError:
        return failed("out of memory", began)
    except BaseException as error:  # whatever a learner raises is a result: SystemExit too
        return failed(f"{type(error).__name__}: {_said(error)}", began)


def _said(error: BaseException) -> str:
    return captured.one_line(error) or "no message"
