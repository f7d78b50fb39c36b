"""Work on the workers of a Dask cluster: the same orders, the same bytes, the same words.

How it maps onto Dask. The main process keeps plan and store; a thread of it holds the line to
Dask's scheduler (`_dask.line`). It gives each batch to one worker by name, as the local back end
does, so that it knows who is at what: at most one batch at work for each worker, and one that waits
there where the fits are quick. That is the window: Dask's scheduler never holds more tasks, and
never decides. A Dask worker keeps a bench for each run (`_dask.bench`), which is the local back end
with one worker process. So a learner that crashes, loops or takes too much memory ends a process
that is not Dask's, is told of in the same words, and has the same second chance. Data sets travel
by their hash, once to each worker (`_dask.parcels`). Before the first fit the versions on both
sides are compared (`_dask.versions`).

What can go: a bench's worker (as locally), a Dask worker with its machine (the batch it was at is
an accident of its first fit, the one that waited goes back), the scheduler (the run is interrupted:
what came is stored). What comes late is greeted and given work.
"""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from cvinfer.engines import foreign
from cvinfer.errors import Interruption, UserError
from cvinfer.execute.backends._dask import bench, line, site, versions
from cvinfer.execute.backends._dask.parcels import Packer
from cvinfer.execute.backends.base import Orders
from cvinfer.execute.backends.pool import undisturbed
from cvinfer.execute.log import RunLog, worker_log
from cvinfer.execute.work import Batch, Fate, Job, Limits, Lost, Made, Printed, WorkerError
from cvinfer.packages import DASK
from cvinfer.worker.scratch import Scratch

#: A batch that takes no longer than this may have another one waiting behind it.
QUICK = 0.5
#: Seconds without any worker after which there is no sense in waiting.
ALONE = 120.0
#: Seconds in which the workers that are there at first should have answered.
GREETING = 60.0
#: Batches one after the other that do not get through to a worker before it is left aside.
BREAKS = 3
#: Seconds to wait for something to hear, so that Ctrl-C is heard in between.
PATIENCE = 0.5
#: What is said of a fit that was on a worker which is gone.
LOST = "its Dask worker was lost"


class ClusterGone(Interruption):
    """There is no scheduler, or no worker, any more."""


class Cluster:
    """A cluster by its address; called, it opens a back end there, for one job after the other.

    where: tcp://host:port or tls://host:port, a scheduler file, or local:N for a cluster of N
    workers on this machine that lives as long as this object. allow_versions: differences of
    versions are told in `facts` and refused no more. tell: what to do with a remark.
    """

    def __init__(
        self,
        where: str,
        *,
        tls: Optional[line.Tls] = None,
        allow_versions: bool = False,
        allow_code: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.local = site.local_workers(where)
        if self.local is None:
            _refuse_address(where, tls)
        _refuse_without_dask()
        self.where, self.tls = where, tls
        self.allow_versions, self.allow_code = allow_versions, allow_code
        self.tell = tell
        #: What run.json tells of it.
        self.facts: dict[str, Any] = {"scheduler": where, "workers": 0, "hosts": 0}
        self._site: Optional[site.Local] = None
        self._line: Optional[line.Line] = None

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; the cluster stays as it is, but for one of our own."""
        with undisturbed():
            if self._line is not None:
                self._line.close()
                self._line = None
            if self._site is not None:
                self._site.close()
                self._site = None

    def connected(self) -> line.Line:
        """The line to the cluster, which is made when it is first needed."""
        if self._line is None:
            where = self.where
            if self.local is not None:
                self._site = site.Local(self.local, self.allow_code)
                where = self._site.address
            self._line = line.Line(where, self.tls)
            dashboard = self._line.dashboard
            more = f"; Dask's dashboard is at {dashboard}" if dashboard else ""
            self.tell(f"the cluster is {self._line.address}{more}")
        return self._line

    @contextlib.contextmanager
    def __call__(
        self, job: Job, materials: Sequence[object], limits: Limits, jobs: int
    ) -> Iterator["OnDask"]:
        """The back end for a job; `jobs` is for machines, here there are the workers there are."""
        ours = versions.here(job.learners)
        brief = bench.Brief(job, limits, foreign(job.learners))
        with _scratch() as scratch:
            conversation = line.Conversation(
                self.connected(), uuid.uuid4().hex[:12], brief, Packer(materials)
            )
            place = OnDask(self, conversation, ours, scratch)
            try:
                place.begin()
                yield place
            finally:
                place.cancel()


@dataclass(eq=False)
class _Worker:
    """A Dask worker.

    batches: what it has, the first is what it is at. breaks: how many did not get through since one
    did.
    """

    address: str
    facts: versions.Greeting
    kept_for: Optional[int] = None
    batches: list[Batch] = field(default_factory=list)
    breaks: int = 0

    @property
    def name(self) -> str:
        return f"worker {self.address} on {self.facts.host}"


class OnDask:
    """The workers of a run on a cluster, and what each of them has."""

    def __init__(
        self,
        cluster: Cluster,
        conversation: line.Conversation,
        ours: dict[str, str],
        scratch: Scratch,
    ) -> None:
        self.log = _Log(scratch.path)
        self._cluster, self._conversation, self._ours = cluster, conversation, ours
        self._workers: dict[str, _Worker] = {}
        self._unfit: dict[str, str] = {}
        self._pace: dict[tuple[int, int, int], float] = {}
        self._losses: list[Lost] = []
        self._alone_since = time.monotonic()
        self._began = self._over = False

    @property
    def jobs(self) -> int:
        return max(len(self._workers), 1)

    @property
    def facts(self) -> Mapping[str, object]:
        return self._cluster.facts

    def begin(self) -> None:
        """Hear of the workers that are there, and refuse those that would make other bytes."""
        try:
            expected = set(self._conversation.start())
        except Exception as error:
            raise ClusterGone(f"the scheduler does not answer: {error}") from None
        until = time.monotonic() + GREETING
        while expected and time.monotonic() < until:
            heard = self._next(PATIENCE)
            if isinstance(heard, (line.Joined, line.Left)):
                expected.discard(heard.address)
            if heard is not None:
                self._hear(None, heard)
        self._began = True

    def results(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        self._feed(orders)
        return self._stream(orders)

    def cancel(self) -> Sequence[tuple[Batch, int, Printed]]:
        """At once; what interrupted fits printed stays where they were."""
        if not self._over:
            self._over = True
            with undisturbed():
                self._conversation.end()
        return []

    def _stream(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        while orders.has() or any(each.batches for each in self._workers.values()):
            heard = self._next(PATIENCE)
            made = None if heard is None else self._hear(orders, heard)
            if made is not None:
                yield made
            while self._losses:
                yield self._losses.pop(0)
            self._feed(orders)
            self._refuse_to_wait()

    def _next(self, seconds: float) -> Optional[line.Heard]:
        with contextlib.suppress(queue.Empty):
            return self._conversation.heard.get(timeout=seconds)
        return None

    def _feed(self, orders: Orders) -> None:
        """Give each worker something to do, the idle ones first."""
        for depth in (0, 1):
            for worker in list(self._workers.values()):
                if len(worker.batches) == depth and (not depth or self._quick(worker)):
                    self._give(orders, worker)
        orders.at_work([each.batches[0] for each in self._workers.values() if each.batches])

    def _give(self, orders: Orders, worker: _Worker) -> None:
        if not orders.has(worker.kept_for):
            if worker.batches or not orders.has():
                return
            worker.kept_for = None  # the bench takes another process for it
        batch = orders.take(worker.kept_for)
        worker.kept_for = batch.kept_for
        worker.batches.append(batch)
        wanted = [task.order for task in batch.tasks]
        self._conversation.ask(worker.address, bench.Asked(batch.number, wanted, batch.kept_for))

    def _quick(self, worker: _Worker) -> bool:
        """Whether what it is at is over so soon that the next may wait behind it."""
        return self._pace.get(_kind(worker.batches[0]), QUICK) < QUICK

    def _hear(self, orders: Optional[Orders], heard: line.Heard) -> Optional[Made]:
        if isinstance(heard, line.Joined):
            self._join(heard)
        elif isinstance(heard, line.Left):
            self._leave(orders, heard.address)
        elif isinstance(heard, line.Gone):
            raise ClusterGone(
                f"the scheduler of the cluster, {self._cluster.where}, is gone ({heard.why})"
            )
        elif orders is not None:
            return self._reply(orders, heard)
        return None

    def _join(self, heard: line.Joined) -> None:
        address, facts = heard.address, heard.facts
        reason = facts.refusal or self._differs(address, facts)
        if reason is not None:
            self._unfit[address] = reason
            where = f"worker {address} on {facts.host}" if facts.host else f"worker {address}"
            if not self._began:
                raise UserError(f"{where} is of no use: {reason}")
            self._cluster.tell(f"{where} is left aside: {reason}")
            return
        self._workers[address] = _Worker(address, facts)
        told = self._cluster.facts
        told["workers"] = max(told["workers"], len(self._workers))
        hosts = {each.facts.host for each in self._workers.values()}
        told["hosts"] = max(told["hosts"], len(hosts))

    def _differs(self, address: str, facts: versions.Greeting) -> Optional[str]:
        found = versions.differences(self._ours, facts.versions) if not facts.refusal else []
        if not found:
            return None
        if self._cluster.allow_versions:
            told: list[str] = self._cluster.facts.setdefault("version differences", [])
            for each in found:
                if str(each) not in told:
                    told.append(str(each))
            return None
        return (
            f"{'; '.join(map(str, found))}: results could differ. Install the same versions, or"
            " run with --allow-versions, which records it in run.json"
        )

    def _leave(self, orders: Optional[Orders], address: str) -> None:
        """A worker is lost: with it the batch it was at; nobody began with what waited."""
        self._unfit.pop(address, None)
        worker = self._workers.pop(address, None)
        if not self._workers:
            self._alone_since = time.monotonic()
        if worker is None or orders is None:
            return
        for batch in worker.batches:
            self._conversation.forget(batch.number)
        for batch in reversed(worker.batches[1:]):
            orders.back(batch)
        if worker.batches:
            nothing = Printed(0, 0)
            self._losses.append(Lost(worker.batches[0], 0, Fate.ACCIDENT, LOST, nothing))

    def _reply(self, orders: Orders, heard: Union[line.Answered, line.Broken]) -> Optional[Made]:
        worker = self._workers.get(heard.address)
        there = [] if worker is None else worker.batches
        batch = next((each for each in there if each.number == heard.number), None)
        if worker is None or batch is None:
            return None  # news of what was given up already
        worker.batches.remove(batch)
        if isinstance(heard, line.Broken):
            self._broken(orders, worker, batch, heard)
            return None
        worker.breaks = 0
        what, pids = heard.answer.what, self.log.taken(heard.address, heard.answer.texts)
        if isinstance(what, bench.Finished) and len(what.done) == len(batch.tasks):
            now = time.monotonic()
            done = [
                one._replace(
                    began=now - age,
                    printed=one.printed and one.printed._replace(pid=pids.get(one.printed.pid, 0)),
                )
                for one, age in zip(what.done, what.ages)
            ]
            self._pace[_kind(batch)] = max(what.ages)
            made = Made(batch, done)
            orders.answered(made)
            self._feed(orders)  # the workers go on while the main process stores
            return made
        if isinstance(what, bench.Gone):
            printed = what.printed._replace(pid=pids.get(what.printed.pid, 0))
            self._losses.append(Lost(batch, what.at, what.fate, what.why, printed))
        else:
            why = what.why if isinstance(what, bench.Unfit) else "it gave a batch back"
            self._set_aside(orders, worker, batch, why)
        return None

    def _broken(self, orders: Orders, worker: _Worker, batch: Batch, heard: line.Broken) -> None:
        """It may be an accident of the network; where it comes again and again it is none."""
        worker.breaks += 1
        if heard.killed:
            self._losses.append(Lost(batch, 0, Fate.ACCIDENT, LOST, Printed(0, 0)))
        elif worker.breaks >= BREAKS:
            self._set_aside(orders, worker, batch, heard.why)
        else:
            orders.back(batch)

    def _set_aside(self, orders: Orders, worker: _Worker, batch: Batch, why: str) -> None:
        """A worker that cannot be had to do anything gets nothing more."""
        orders.back(batch)
        for other in worker.batches:
            self._conversation.forget(other.number)
            orders.back(other)
        del self._workers[worker.address]
        self._unfit[worker.address] = why
        self._cluster.tell(f"{worker.name} is left aside: {why}")
        if not self._workers:
            self._alone_since = time.monotonic()

    def _refuse_to_wait(self) -> None:
        if self._workers:
            return
        if self._unfit and all(self._unfit.values()):
            address, why = next(iter(self._unfit.items()))
            raise WorkerError(f"no worker of the cluster is of use: {address}: {why}")
        if time.monotonic() - self._alone_since > ALONE:
            address = self._conversation.line.address
            raise ClusterGone(
                f"there has been no worker on the cluster for {ALONE:g} s;"
                f" start some with: cvinfer workers {address}"
            )


class _Log(RunLog):
    """A run's log with copies of what workers elsewhere print, each as long as it was heard."""

    def __init__(self, scratch: Path) -> None:
        super().__init__(scratch)
        self._numbers: dict[tuple[str, int], int] = {}
        self._count: Counter[str] = Counter()

    def taken(self, address: str, texts: Sequence[bench.Text]) -> dict[int, int]:
        """Keep what came; under which number each process there is known here."""
        for text in texts:
            number = self._numbers.setdefault((address, text.pid), len(self._numbers) + 1)
            log = worker_log(self.scratch, number)
            # No room for it: it is an aid.
            with contextlib.suppress(OSError), open(log, "r+b" if text.start else "wb") as stream:
                stream.seek(text.start)
                stream.write(text.data)
        return {pid: number for (there, pid), number in self._numbers.items() if there == address}

    def write(self, path: Path) -> None:
        with undisturbed():
            super().write(path)


def _kind(batch: Batch) -> tuple[int, int, int]:
    order = batch.tasks[0].order
    return order.dataset, order.learner, order.work


def serve(
    address: str,
    processes: int,
    *,
    host: str,
    scratch: Optional[Path],
    patience: float,
    allow_code: bool,
    tls: Optional[line.Tls],
    say: Callable[[str], None],
) -> None:
    """Have workers on this machine for the scheduler at `address`, until a request to end."""
    _refuse_address(address, tls)
    _refuse_without_dask()
    site.refuse_host(address, host)
    if scratch is not None:
        if not scratch.is_dir():
            raise UserError(f"{scratch} is no directory for temporary files")
        tempfile.tempdir = str(scratch.absolute())
    security = line.security(tls)
    options = site.Options(address, processes, host, allow_code, security, patience)
    site.run_until_told(options, say)


def _refuse_without_dask() -> None:
    if DASK.reason() is not None:
        raise UserError(
            "a cluster needs dask.distributed, which is not installed: pip install"
            f" 'cvinfer[dask]', or apt-get install {DASK.debian}"
        )


def _refuse_address(where: str, tls: Optional[line.Tls]) -> None:
    if line.is_scheduler_file(where):
        return
    scheme = where.partition("://")[0]
    if scheme not in ("tcp", "tls") or "://" not in where:
        raise UserError(
            f"{where!r} is no cluster: there is no such scheduler file",
            (),
            "tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, local:N",
        )
    if scheme == "tls" and tls is None:
        raise UserError(f"{where} needs --tls-ca, --tls-cert and --tls-key")


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
