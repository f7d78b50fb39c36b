"""The side of a Dask worker: a bench for each run, where one worker of our own does the fits.

Dask's worker process does no fit itself. It holds a bench, which is the local back end with one
worker (`backends.local`): a learner that crashes, takes too long or too much ends that worker and
nothing else, and is told of in the same words as on one machine. The bench has a thread of its own,
which starts that worker and lives as long as it: Linux ends a child with the thread that made it.

Only bytes and plain values travel, so that Dask needs to know nothing of what they mean. A bench
that has nothing to do for `IDLE` seconds goes, with its worker and its files; whoever then sends
more is told that something is lacking, and sends that again.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pickle
import platform
import queue
import threading
import time
from collections import OrderedDict
from typing import Callable, Iterator, NamedTuple, Optional, Sequence, Union

from cvinfer.execute.backends._dask import versions
from cvinfer.execute.backends._dask.parcels import Parcel, Unpacked
from cvinfer.execute.work import Batch, Done, Fate, Job, Limits, Lost, Made, Order, Printed, Task
from cvinfer.execute.work import WorkerError

#: Seconds after which a bench that nobody needs is cleared away.
IDLE = 60.0
#: Data sets are kept for the next run up to so many bytes; one that is in use is always kept.
KEPT = 1 << 29


class Brief(NamedTuple):
    """What a bench is told of a run; `foreign`: names of the learners that are code of others."""

    job: Job
    limits: Limits
    foreign: Sequence[str] = ()


class Asked(NamedTuple):
    """A batch as it travels; numbers of orders mean what they mean in the run's `Job`."""

    number: int
    orders: Sequence[Order]
    kept_for: Optional[int]


class Finished(NamedTuple):
    """A batch that is done; `ages`: how many seconds ago each of its orders began."""

    done: Sequence[Done]
    ages: Sequence[float]


class Gone(NamedTuple):
    """The bench's worker ended at an order: the fields of a `Lost`."""

    at: int
    fate: Fate
    why: str
    printed: Printed


class Lacking(NamedTuple):
    """What must be sent before this can be done; `brief`: whether the run itself is not known."""

    brief: bool
    materials: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()


class Unfit(NamedTuple):
    """No worker can be had here, whatever it is to do."""

    why: str


class Text(NamedTuple):
    """What a bench's worker printed, from some place in its log on."""

    pid: int
    start: int
    data: bytes


class Answer(NamedTuple):
    what: Union[Finished, Gone, Lacking, Unfit, None]
    texts: Sequence[Text] = ()


class Unwanted(Exception):
    """Nobody waits for this batch any more."""


# --- what is called from the other side -----------------------------------------------------------


async def hello(run: str, brief: bytes) -> bytes:
    """Have a bench for a run; the versions here, what speaks against it, and the parts here.

    Asked for its versions R has to start, which Dask's own thread does not wait for.
    """
    return await asyncio.get_running_loop().run_in_executor(None, _hello, run, brief)


def _hello(run: str, brief: bytes) -> bytes:
    told: Brief = pickle.loads(brief)
    refusal = versions.refusal(told.job.learners, told.foreign)
    if refusal is None:
        with _lock:
            if run not in _benches:
                _benches[run] = Bench(run, told)
    found = versions.here(told.job.learners)
    versions.end_helper()
    return pickle.dumps(
        versions.Greeting(found, refusal, platform.node(), os.getpid(), tuple(_parts))
    )


async def examine() -> bytes:
    """Everything that there is here, for `cvinfer doctor`."""
    found = await asyncio.get_running_loop().run_in_executor(None, versions.everything)
    return pickle.dumps(found)


def ping() -> None:
    """As little as a worker can be asked for."""


def material(run: str, number: int, content: bytes, parts: Sequence[str]) -> None:
    """Keep a material of a run."""
    bench = _benches.get(run)
    if bench is not None:
        bench.parcels[number] = Parcel(content, tuple(parts))


def part(name: str, piece: bytes, last: bool) -> None:
    """Keep a data set; it comes in pieces, one after the other."""
    _arriving.setdefault(name, []).append(piece)
    if last:
        _parts[name] = b"".join(_arriving.pop(name))
        _make_room()


def do(run: str, asked: bytes) -> bytes:
    """Do a batch, in a thread of Dask's."""
    batch: Asked = pickle.loads(asked)
    bench = _benches.get(run)
    lacking = Lacking(True) if bench is None else bench.lacks(batch)
    if bench is None or lacking is not None:
        return pickle.dumps(Answer(lacking))
    return pickle.dumps(bench.ask(batch, _wanted()), protocol=pickle.HIGHEST_PROTOCOL)


def end(run: str) -> None:
    """The run is over: whatever its bench is at ends with it."""
    with _lock:
        bench = _benches.pop(run, None)
    if bench is not None:
        bench.end()


def _wanted() -> Callable[[], bool]:
    """Whether somebody still waits for the task that this thread is at."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted


# --- the benches of this process ------------------------------------------------------------------


class _OneBatch:
    """The orders of a bench: one batch, as the local back end takes it."""

    def __init__(self, batch: Batch, wanted: Callable[[], bool]) -> None:
        self._batch, self._wanted = batch, wanted
        self._waiting = True
        self._looked = time.monotonic()

    def has(self, kept_for: Optional[int] = None) -> bool:
        learner = self._batch.tasks[0].order.learner
        return self._waiting and (kept_for is None or kept_for == learner)

    def take(self, kept_for: Optional[int] = None) -> Batch:
        self._waiting = False
        return self._batch

    def back(self, batch: Batch) -> None:
        self._waiting = True

    def answered(self, made: Made) -> None:
        """The other side knows the pace."""

    def at_work(self, batches: Sequence[Batch]) -> None:
        now = time.monotonic()
        if now - self._looked > LOOK:
            self._looked = now
            if not self._wanted():
                raise Unwanted


#: Seconds between two looks at whether a batch is still wanted.
LOOK = 0.4


class _Item(NamedTuple):
    batch: Batch
    wanted: Callable[[], bool]
    reply: "queue.SimpleQueue[Answer]"


class Bench:
    """One run's worker in this process, and the thread that looks after it."""

    def __init__(self, run: str, brief: Brief) -> None:
        self.run, self.brief = run, brief
        self.parcels: dict[int, Parcel] = {}
        self.ended = threading.Event()
        self._inbox: "queue.SimpleQueue[Optional[_Item]]" = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._live, name=f"bench {run}", daemon=True)
        self._thread.start()

    def lacks(self, asked: Asked) -> Optional[Lacking]:
        numbers = {order.dataset for order in asked.orders}
        absent = tuple(sorted(number for number in numbers if number not in self.parcels))
        needed = [name for each in numbers - set(absent) for name in self.parcels[each].parts]
        parts = tuple(name for name in needed if name not in _parts)
        return Lacking(False, absent, parts) if absent or parts else None

    def ask(self, asked: Asked, wanted: Callable[[], bool]) -> Answer:
        tasks = [Task("", "", order) for order in asked.orders]
        item = _Item(Batch(asked.number, tasks, asked.kept_for), wanted, queue.SimpleQueue())
        self._inbox.put(item)
        while True:
            with contextlib.suppress(queue.Empty):
                return item.reply.get(timeout=1.0)
            if not self._thread.is_alive():
                return Answer(Lacking(True))

    def end(self) -> None:
        self.ended.set()
        self._inbox.put(None)

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _live(self) -> None:
        try:
            item: Optional[_Item] = None  # its worker starts while nothing is asked for yet
            while not self.ended.is_set():
                self._work(item)
                item = self._inbox.get(timeout=IDLE)
        except queue.Empty:
            pass
        finally:
            with _lock:
                if _benches.get(self.run) is self:
                    del _benches[self.run]
            _make_room()

    def _work(self, item: Optional[_Item]) -> None:
        """Open the bench, and do what comes until it is idle for long or is to end."""
        from cvinfer.execute.backends.local import opened

        job, limits, _ = self.brief
        materials = Unpacked(self.parcels, _parts)
        with contextlib.ExitStack() as stack:
            try:
                local = stack.enter_context(opened(job, materials, limits, 1))
                texts = _Texts(local)
                if item is None:
                    local.get_ready()
            except Exception as error:
                if item is not None:  # else it comes again, and is told, with what is asked for
                    item.reply.put(Answer(_unfit(error)))
                return
            if item is None:
                item = self._inbox.get(timeout=IDLE)
            while item is not None and not self.ended.is_set():
                try:
                    what = self._done(local, item)
                except Unwanted:
                    item.reply.put(Answer(None))
                    return
                except Exception as error:  # told on the other side, where somebody reads
                    item.reply.put(Answer(_unfit(error)))
                    return
                item.reply.put(Answer(what, texts.of(what)))
                item = self._inbox.get(timeout=IDLE)

    def _done(self, local: "object", item: _Item) -> Union[Finished, Gone]:
        from cvinfer.execute.backends.local import Local

        assert isinstance(local, Local)

        def wanted() -> bool:
            return item.wanted() and not self.ended.is_set()

        if not wanted():
            raise Unwanted
        for result in local.results(_OneBatch(item.batch, wanted)):
            if isinstance(result, Lost):
                return Gone(result.at, result.fate, result.why, result.printed)
            now = time.monotonic()
            return Finished(result.done, [now - one.began for one in result.done])
        raise WorkerError("the batch came to no end")


def _unfit(error: Exception) -> Unfit:
    said = " ".join(str(error).split())
    return Unfit(said if isinstance(error, WorkerError) else f"{type(error).__name__}: {said}")


class _Texts:
    """What the bench's workers printed that has not been sent yet."""

    def __init__(self, local: "object") -> None:
        from cvinfer.execute.backends.local import Local

        assert isinstance(local, Local)
        self._scratch = local.log.scratch
        self._sent: dict[int, int] = {}

    def of(self, what: Union[Finished, Gone]) -> Sequence[Text]:
        if isinstance(what, Gone):
            pids = {what.printed.pid: None}
        else:
            pids = {one.printed.pid: None for one in what.done if one.printed}
        return list(self._new(pids))

    def _new(self, pids: "dict[int, None]") -> Iterator[Text]:
        from cvinfer.execute import log

        for pid in pids:
            start = self._sent.get(pid, 0)
            try:
                with open(log.worker_log(self._scratch, pid), "rb") as stream:
                    stream.seek(start)
                    data = stream.read(max(log.OF_WORKER + 1 - start, 0))
            except OSError:
                continue
            if data:
                self._sent[pid] = start + len(data)
                yield Text(pid, start, data)


_lock = threading.Lock()
_benches: dict[str, Bench] = {}
_parts: "OrderedDict[str, bytes]" = OrderedDict()
_arriving: dict[str, list[bytes]] = {}


def _make_room() -> None:
    """Forget the data sets that came first, but for those that a bench has to do with."""
    used = {
        name
        for bench in list(_benches.values())
        for parcel in list(bench.parcels.values())
        for name in parcel.parts
    }
    for name in [each for each in list(_parts)[:-1] if each not in used]:
        if sum(map(len, list(_parts.values()))) <= KEPT:
            return
        _parts.pop(name, None)


@atexit.register
def _end_all() -> None:
    """What benches have goes with this process; where it is killed, a guardian sees to that."""
    for bench in list(_benches.values()):
        bench.end()
    for bench in list(_benches.values()):
        bench.join(1.0)
