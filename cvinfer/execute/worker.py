"""What runs inside a worker process: data and plans come once, then only numbers travel."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines.base import LearnerError, LearnerSpec, Session
from cvinfer.partitions import Plan

#: One thread a worker: the workers are the parallelism, and results must not depend on it.
ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    )
}


class Job(NamedTuple):
    """What every worker is given at its start, one entry for each data set in the first two."""

    datasets: Sequence[Dataset]
    plans: Sequence[Sequence[Plan]]
    learners: Sequence[LearnerSpec]


class Order(NamedTuple):
    """One fit to make, in numbers of the `Job`."""

    dataset: int
    plan: int
    split: int
    learner: int
    seed: int


class Done(NamedTuple):
    """A finished fit, or the reason why it failed; `began` is on the machine's monotonic clock."""

    codes: NDArray[np.int32]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...]
    failure: str
    began: float


_job: Job = Job((), (), ())
_busy: Any = None
_sessions: dict[tuple[int, str], Session] = {}


def start(job: Job, busy: Any) -> None:
    """Prepare a worker: data converted once, Ctrl-C left to the main process.

    `busy` is memory shared with the main process: two numbers for each place, the process id of
    the worker that is at it, and which fit of the batch that is.
    """
    global _job, _busy
    os.environ.update(ONE_THREAD)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        os.setpgid(0, 0)  # what a learner starts is in this group, and ends with the worker
    die_with_parent()
    _silence()
    _job, _busy = job, busy
    _sessions.clear()
    for dataset in range(len(job.datasets)):
        for engine in dict.fromkeys(learner.engine for learner in job.learners):
            try:
                _session(dataset, engine)
            except Exception:  # comes again, and is told, with the first fit that needs it
                continue


def fits(orders: Sequence[Order], place: int) -> list[Done]:
    """Make some fits; the shared memory tells at which of them this worker is."""
    made = []
    _busy[2 * place] = os.getpid()
    for number, order in enumerate(orders):
        _busy[2 * place + 1] = number
        made.append(fit(order))
    _busy[2 * place] = 0
    return made


def fit(order: Order) -> Done:
    """Fit one learner on one split; what a learner does wrong comes back as text."""
    began = time.monotonic()
    try:
        learner = _job.learners[order.learner]
        split = _job.plans[order.dataset][order.plan].splits[order.split]
        session = _session(order.dataset, learner.engine)
        made = session.predict(learner, split.train, split.test, order.seed)
        codes = checked(made.codes, len(split.test), len(_job.datasets[order.dataset].classes))
    except LearnerError as error:
        return _failed(one_line(error), began)
    except MemoryError:
        return _failed("out of memory", began)
    except BaseException as error:  # whatever a learner raises is a result: SystemExit too
        return _failed(f"{type(error).__name__}: {one_line(error)}", began)
    return Done(codes, made.seconds_fit, made.seconds_predict, tuple(made.warnings), "", began)


def checked(codes: Any, records: int, classes: int) -> NDArray[np.int32]:
    """Predictions must be one known class code for each test record."""
    array = np.asarray(codes)
    if array.shape != (records,):
        count = " x ".join(map(str, array.shape)) or "one"
        raise LearnerError(f"{count} predictions for {records} test records")
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= classes:
        raise LearnerError(f"predictions that are no class codes 0 to {classes - 1}")
    return array.astype(np.int32)


def die_with_parent() -> None:
    """Ask Linux to end this process when the main one dies, even by kill -9."""
    if sys.platform != "linux":
        return
    import ctypes
    import multiprocessing

    pr_set_pdeathsig = 1
    try:
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid != os.getppid():
        os._exit(1)  # it died before Linux was asked


def one_line(error: BaseException) -> str:
    from cvinfer.engines.quiet import one_line as shortened

    return shortened(error) or "no message"


def _silence() -> None:
    """Learners print what they like, even from compiled code; the terminal is not theirs."""
    sys.stdout = open(os.devnull, "w")
    sys.stderr = open(os.devnull, "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _session(dataset: int, engine: str) -> Session:
    if (dataset, engine) not in _sessions:
        from cvinfer.engines import engines

        _sessions[dataset, engine] = engines()[engine].open(_job.datasets[dataset])
    return _sessions[dataset, engine]


def _failed(message: str, began: float) -> Done:
    return Done(np.empty(0, dtype=np.int32), 0.0, 0.0, (), message, began)
