"""What runs inside a worker process: data and plans come once, then only numbers travel."""

from __future__ import annotations

import contextlib
import io
import locale
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines import quiet, workplace
from cvinfer.engines.base import LearnerError, LearnerSpec, Session
from cvinfer.execute import causes, log, memory, scratch
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
#: Where it exists, so that what R makes of text does not depend on who runs it.
LOCALE = "C.UTF-8"
#: Exit code of a worker that gave itself up.
SPENT = 71


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
    """A finished fit, or the reason why it failed; `began` is on the machine's monotonic clock.

    printed: process id, start and end in the worker's log of what the fit printed, if it did.
    spent: the worker must not make another fit.
    """

    codes: NDArray[np.int32]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...]
    failure: str
    began: float
    printed: Optional[tuple[int, int, int]] = None
    spent: bool = False


class Spot(NamedTuple):
    """What a worker tells about the fit that it is at, in memory shared with the main process.

    pid: 0 for no worker. at: which fit of its batch. log: the length of its log when that began.
    before, rest: bytes of memory when the fit began, and when the worker had started, with what
    its engines are allowed; 0 where there is no limit.
    """

    pid: int = 0
    at: int = 0
    log: int = 0
    before: int = 0
    rest: int = 0


SPOT = len(Spot._fields)

_job: Job = Job((), (), ())
_busy: Any = None
_sessions: dict[tuple[int, str], Session] = {}
_scratch = Path()
_cause = ""
_log: Optional[int] = None
_memory: Optional[float] = None
_rest = 0


def start(job: Job, busy: Any, place: str, memory_mb: Optional[float]) -> None:
    """Prepare a worker: data converted once, Ctrl-C left to the main process.

    `busy` is the shared memory, a `Spot` for each place. `place` is the run's directory for
    temporary files.
    """
    global _job, _busy, _scratch, _cause, _log, _memory, _rest
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        os.setpgid(0, 0)  # what a learner starts is in this group, and ends with the worker
    die_with_parent()
    _scratch, _memory = Path(place), memory_mb
    _log = _capture(log.worker_log(_scratch, os.getpid()))
    _no_core()
    _environment()
    _cause = str(workplace.cause_file())
    causes.forget(_scratch, os.getpid())
    _job, _busy = job, busy
    _sessions.clear()
    for dataset in range(len(job.datasets)):
        for engine in dict.fromkeys(learner.engine for learner in job.learners):
            try:
                _session(dataset, engine)
            except Exception:  # comes again, and is told, with the first fit that needs it
                continue
    _flush()
    if _memory is not None:
        _rest = memory.resident(os.getpid()) + int(workplace.allowance_mb() * memory.MB)


def fits(orders: Sequence[Order], place: int) -> list[Done]:
    """Make some fits; the shared memory tells at which of them this worker is."""
    made: list[Done] = []
    pid, spot = os.getpid(), SPOT * place
    for number, order in enumerate(orders):
        began = _printed()
        before = 0 if _memory is None else memory.resident(pid)
        _busy[spot + 1 : spot + SPOT] = [number, began, before, _rest]
        _busy[spot] = pid
        _forget_cause()
        done = fit(order)
        _flush()
        if done.spent:
            _give_up(done.failure)
        end = _printed()
        made.append(done if end == began else done._replace(printed=(pid, began, end)))
    _busy[spot] = 0
    _enough_printed()
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
        spent = isinstance(error, workplace.Spent)
        return _failed(one_line(error), began)._replace(spent=spent)
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
    return quiet.one_line(error) or "no message"


def _capture(path: Path) -> Optional[int]:
    """Learners print what they like, even from compiled code; it goes to a file."""
    file: Optional[int] = None
    _print_nowhere()
    with contextlib.suppress(OSError):  # no room for it; the terminal is not theirs in any case
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        _print_to(file)
    # By line: what was printed before a crash is there, in the order in which it came.
    sys.stdout, sys.stderr = (
        io.open(each, "w", 1, "utf-8", "backslashreplace", closefd=False) for each in (1, 2)
    )
    return file


def _print_to(file: int) -> None:
    for each in (1, 2):
        os.dup2(file, each)


def _print_nowhere() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _print_to(nowhere)
    os.close(nowhere)


def _printed() -> int:
    """Bytes in the log so far; when it is full, as many as that takes."""
    return log.OF_WORKER + 1 if _log is None else os.fstat(_log).st_size


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a learner may close them
            stream.flush()
    quiet.flush()


def _enough_printed() -> None:
    """Let the rest of what this worker prints go nowhere when its log is full."""
    global _log
    if _log is not None and _printed() > log.OF_WORKER:
        _print_nowhere()
        os.close(_log)
        _log = None


def _no_core() -> None:
    """Crashes of learners leave no core files where the user works."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _environment() -> None:
    """What R, Java and Python read when they start inside this worker."""
    own, weka = (_scratch / name for name in scratch.directories(os.getpid()))
    for directory in (own, weka):
        directory.mkdir(mode=0o700, exist_ok=True)
    os.environ.update(ONE_THREAD)
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(own)))
    tempfile.tempdir = None  # it may have been looked up before
    os.environ["WEKA_HOME"] = str(weka)
    os.environ[workplace.SCRATCH] = str(_scratch)
    os.environ.pop(workplace.MEMORY_MB, None)
    if _memory is not None:
        os.environ[workplace.MEMORY_MB] = str(_memory)
    # R sorts and speaks as the locale says. Python has read these when it started, and does
    # nothing with them now.
    if _has_locale(LOCALE):
        os.environ["LC_ALL"] = LOCALE
        os.environ.pop("LANGUAGE", None)


def _has_locale(name: str) -> bool:
    now = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_CTYPE, now)
    return True


def _forget_cause() -> None:
    """What was noted in an earlier fit did not come to pass."""
    with contextlib.suppress(OSError):
        os.unlink(_cause)


def _give_up(message: str) -> NoReturn:
    """End this worker with a fit that failed; the main process finds why."""
    path = _scratch / f"{os.getpid()}.spent"
    with contextlib.suppress(OSError):  # then it is one more worker that died
        path.write_text(message, encoding="utf-8", errors="backslashreplace")
    os._exit(SPENT)


def _session(dataset: int, engine: str) -> Session:
    if (dataset, engine) not in _sessions:
        from cvinfer.engines import engines

        _sessions[dataset, engine] = engines()[engine].open(_job.datasets[dataset])
    return _sessions[dataset, engine]


def _failed(message: str, began: float) -> Done:
    return Done(np.empty(0, dtype=np.int32), 0.0, 0.0, (), message, began)
