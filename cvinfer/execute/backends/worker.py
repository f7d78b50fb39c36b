"""What runs inside a worker process: materials come once each, else only numbers travel."""

from __future__ import annotations

import contextlib
import io
import locale
import os
import pickle
import signal
import struct
import sys
import tempfile
from pathlib import Path
from typing import Hashable, NamedTuple, NoReturn, Optional, Sequence

from cvinfer.worker import captured as quiet, workplace
from cvinfer.engines._r.installation import places
from cvinfer.worker import causes, memory, scratch
from cvinfer.execute import log
from cvinfer.execute.backends import wire
from cvinfer.execute.work import Done, Job, Order, Printed, do, work_of

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
#: Requests to end, which are held back while a worker is started.
REQUESTS = {getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)}
#: A new Python process looks for modules in the directory that it starts in, before its own
#: library; set to anything, this keeps it from that (since Python 3.11).
SAFE_PATH = "PYTHONSAFEPATH"
#: Where it exists, so that what R makes of text does not depend on who runs it.
LOCALE = "C.UTF-8"
#: Exit code of a worker that gave itself up.
SPENT = 71
#: Bytes of materials that are kept beside the one at hand; a run's data sets come one by one.
MATERIALS = 16_000_000
#: The file in the scratch directory from which workers read the `Job`; materials have files too.
#: They do not come through a pipe: whoever writes more to one than it holds waits for the reader,
#: and that may be dead.
JOB = "job.pickle"


class Spot(NamedTuple):
    """What a worker tells about the fit that it is at, in a file that the main process can read.

    batch: the number of its batch, 0 for none. at: which fit of it. log: the length of its log
    when that fit began. before, rest: bytes of memory when it began, and of the worker at rest:
    when it had started, with its materials and what its engines are allowed; 0 where there is no
    limit.
    """

    batch: int = 0
    at: int = 0
    log: int = 0
    before: int = 0
    rest: int = 0


_SPOT = struct.Struct(f"<{len(Spot._fields)}q")


class Desk:
    """The job, the materials read so far, and what kinds of work keep."""

    def __init__(self, job: Job, place: Path) -> None:
        self.job = job
        self.kept: dict[Hashable, object] = {}
        self._place = place
        self._materials: dict[int, object] = {}

    def material(self, number: int) -> object:
        if number not in self._materials:
            file = material_file(self._place, number)
            with open(file, "rb") as stream:
                self._make_room(file.stat().st_size)
                self._materials[number] = pickle.load(stream)
        return self._materials[number]

    def _make_room(self, size: int) -> None:
        """Give up materials, the oldest first, where all of them would be large together."""
        sizes = {each: material_file(self._place, each).stat().st_size for each in self._materials}
        for each in list(sizes):
            if sum(sizes.values()) + size > MATERIALS:
                del sizes[each], self._materials[each]


_desk = Desk(Job(()), Path())
#: What this worker was made ready for.
_ready: set[wire.Supply] = set()
_scratch = Path()
_cause = ""
_log: Optional[int] = None
_spot: Optional[int] = None
_rest = 0


def serve(place: str, parent: int) -> NoReturn:
    """The life of a worker: standard input brings orders, standard output takes the fits.

    `place` is the run's directory for temporary files, `parent` the main process. What anything
    in here reads or prints has nothing to do with the two.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the main process's to hear
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, REQUESTS)
    belong_to(parent)
    orders, results = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.write(results, wire.PREFACE)
    with open(Path(place) / JOB, "rb") as stream:
        job: Job = pickle.load(stream)
    start(job, Path(place))
    own = os.getpid()
    try:
        while True:
            batch, wanted = wire.next_orders(orders)
            if prepare(wanted):
                wire.send(results, wire.Ready())
            made = do_all(batch, wanted)
            if os.getpid() != own:
                os._exit(0)  # a learner forked, and this is the child
            wire.send(results, wire.Made(batch, made))
            _enough_printed()
    except (EOFError, BrokenPipeError):
        os._exit(0)


def start(job: Job, place: Path) -> None:
    """Prepare a worker: places of its own."""
    global _desk, _scratch, _cause, _log, _spot, _rest
    _desk, _scratch = Desk(job, place), place
    _ready.clear()
    _log = _capture(log.worker_log(_scratch, os.getpid()))
    _no_core()
    _environment()
    _cause = str(workplace.cause_file())
    causes.forget(_scratch, os.getpid())
    with contextlib.suppress(OSError):  # no room for it; a death is blamed as well as can be
        path = spot_file(_scratch, os.getpid())
        _spot = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    _rest = _resident()


def prepare(orders: Sequence[Order]) -> bool:
    """Make materials that are new here this worker's own; whether there are any.

    What that takes is no fit's: neither its time nor its memory.
    """
    global _rest
    new: dict[wire.Supply, Order] = {}
    for order in orders:
        if wire.supply(order) not in _ready:
            new.setdefault(wire.supply(order), order)
    if not new:
        return False
    before = _resident()
    for supply, order in new.items():
        _ready.add(supply)
        with contextlib.suppress(Exception):  # it comes again, and is told, with the order
            work_of(_desk.job, order).prepare(_desk, order)
    _flush()
    _rest += max(_resident() - before, 0)
    return True


def do_all(batch: int, orders: Sequence[Order]) -> list[Done]:
    """Do a batch; a file tells at which of its orders this worker is."""
    made: list[Done] = []
    pid = os.getpid()
    rest = 0 if _desk.job.memory_mb is None else _rest + _allowed()
    for number, order in enumerate(orders):
        began = _printed()
        _tell(Spot(batch, number, began, _resident(), rest))
        _forget_cause()
        done = do(_desk, order)
        _flush()
        if done.spent:
            _give_up(done.failure)
        end = _printed()
        made.append(done if end == began else done._replace(printed=Printed(pid, began, end)))
    _tell(Spot())
    return made


def _resident() -> int:
    """Bytes that this worker has in memory; 0 where nobody asks for them."""
    return 0 if _desk.job.memory_mb is None else memory.resident(os.getpid())


def _allowed() -> int:
    return int(workplace.allowance_mb() * memory.MB)


def material_file(place: Path, number: int) -> Path:
    return place / f"material-{number}.pickle"


def spot_file(place: Path, pid: int) -> Path:
    return place / f"{pid}.spot"


def read_spot(place: Path, pid: int) -> Spot:
    """What the worker told last; nothing where it could not."""
    with contextlib.suppress(OSError, struct.error):
        return Spot(*_SPOT.unpack(spot_file(place, pid).read_bytes()))
    return Spot()


def _tell(spot: Spot) -> None:
    if _spot is not None:
        with contextlib.suppress(OSError):  # a learner may close what it did not open
            os.lseek(_spot, 0, os.SEEK_SET)
            os.write(_spot, _SPOT.pack(*spot))


def belong_to(parent: int) -> None:
    """Ask Linux to end this process when the main one dies, even by kill -9.

    And to count as a child of this one whatever a learner starts that leaves its own parent, so
    that it can be found.
    """
    if sys.platform != "linux":
        return
    import ctypes

    pr_set_pdeathsig, pr_set_child_subreaper = 1, 36
    try:
        prctl = ctypes.CDLL(None).prctl
        prctl(pr_set_pdeathsig, signal.SIGKILL)
        prctl(pr_set_child_subreaper, 1)
    except (OSError, AttributeError):
        return
    if parent != os.getppid():
        os._exit(1)  # it died before Linux was asked


def _capture(path: Path) -> Optional[int]:
    """Learners print what they like, even from compiled code; it goes to a file."""
    file: Optional[int] = None
    _print_nowhere()
    with contextlib.suppress(OSError):  # no room for it; the terminal is not theirs in any case
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        _print_to(file)
    # By line: what was printed before a crash is there, in the order in which it came.
    quiet.by_line()
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
    _leave_for(own)
    os.environ.update(ONE_THREAD)
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(own)))
    tempfile.tempdir = None  # it may have been looked up before
    os.environ["WEKA_HOME"] = str(weka)
    os.environ[workplace.SCRATCH] = str(_scratch)
    os.environ.pop(workplace.MEMORY_MB, None)
    if _desk.job.memory_mb is not None:
        os.environ[workplace.MEMORY_MB] = str(_desk.job.memory_mb)
    # R sorts and speaks as the locale says. Python has read these when it started, and does
    # nothing with them now.
    if _has_locale(LOCALE):
        os.environ["LC_ALL"] = LOCALE
        os.environ.pop("LANGUAGE", None)


def _leave_for(directory: Path) -> None:
    """Work elsewhere than in the user's directory: what lies there is not for fits to find."""
    sys.path[:] = workplace.import_path()
    os.environ.update(places())
    os.environ.pop(SAFE_PATH, None)
    os.chdir(directory)


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
