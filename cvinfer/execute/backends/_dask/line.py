"""The line to a Dask cluster: a thread with Dask's client in it, and a queue of what is heard.

The main process never waits for the network. It asks by calls that return at once, and reads from
`heard` what came of them. A worker is asked by name: Dask carries the batch there and the answer
back, and decides nothing. So Dask's scheduler holds as many tasks as the back end has given out,
two for each worker at most.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
import pickle
import queue
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Coroutine, NamedTuple, Optional, Sequence, Union

from cvinfer.errors import UserError
from cvinfer.execute.backends._dask import bench
from cvinfer.execute.backends._dask.parcels import Packer, pieces
from cvinfer.execute.backends._dask.versions import Greeting, Report

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

#: Seconds between two looks at which workers there are.
LOOK = 0.5
#: Times that a worker is greeted that does not answer as one, before it is of no use.
GREETINGS = 3
#: Seconds that an answer of the scheduler may take, and in all before it is taken for gone.
ANSWER = 5.0
GONE = 12.0
#: Seconds to find the scheduler at first.
FIND = 15.0
#: Seconds for workers to say what they have, R and Java among it; round trips that are tried.
REPORT = 120.0
TRIPS = 3
#: Seconds for ending what is at work: an interrupted command ends within two.
FAREWELL = 0.7
#: The name of the line's thread.
THREAD = "line to Dask"
#: Set for Dask's client: some releases look up the source of whoever submits, for each task.
SETTINGS = {"distributed.diagnostics.computations.ignore-modules": [".*"]}


class Tls(NamedTuple):
    """Files for a connection that is encrypted, in PEM."""

    ca: str
    cert: str
    key: str


class Joined(NamedTuple):
    """A worker has a bench for the run, or says why not."""

    address: str
    facts: Greeting


class Left(NamedTuple):
    """A worker is no more, or cannot be reached."""

    address: str


class Answered(NamedTuple):
    """What a bench says to a batch."""

    number: int
    address: str
    answer: bench.Answer


class Broken(NamedTuple):
    """A batch did not get through to a bench, or its answer did not get back.

    killed: Dask saw its worker end again and again.
    """

    number: int
    address: str
    why: str
    killed: bool = False


class Gone(NamedTuple):
    """There is no scheduler any more."""

    why: str


Heard = Union[Joined, Left, Answered, Broken, Gone]


class Line:
    """One connection, for as many runs as come one after the other."""

    def __init__(self, address: str, tls: Optional[Tls]) -> None:
        self.address, self._tls = address, tls
        self.dashboard = ""
        #: Bytes of data sets, materials and batches that were sent.
        self.sent = 0
        self._client: Any = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=THREAD, daemon=True)
        self._thread.start()
        try:
            self._wait(self._connect(), FIND + ANSWER)
        except BaseException as error:
            self.close()
            if not isinstance(error, Exception):
                raise
            raise UserError(
                f"no Dask scheduler answers at {address}: {_said(error)};"
                " is it running, and is the address right?"
            ) from None

    def examine(self) -> "dict[str, tuple[Report, float]]":
        """What each worker says of itself, and the seconds of a round trip to it and back."""
        found: dict[str, tuple[Report, float]] = self._wait(self._examine(), 2 * REPORT)
        return found

    async def _examine(self) -> "dict[str, tuple[Report, float]]":
        there = sorted(await self._client.nthreads())
        reports = await asyncio.wait_for(self._client.run(bench.examine, workers=there), REPORT)
        found = {}
        for address in there:
            trips = [await self._trip(address) for _ in range(TRIPS)]
            found[address] = pickle.loads(reports[address]), min(trips)
        return found

    async def _trip(self, address: str) -> float:
        began = time.monotonic()
        await self._client.submit(bench.ping, workers=[address], pure=False)
        return time.monotonic() - began

    def call(self, job: Coroutine[object, object, None]) -> None:
        """Have something done, at once from here."""
        asyncio.run_coroutine_threadsafe(job, self._loop)

    def close(self) -> None:
        """Hang up; nothing waits for long."""
        if self._loop.is_closed():
            return
        if self._client is not None:
            with contextlib.suppress(Exception):
                self._wait(self._client.close(timeout=FAREWELL), FAREWELL)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(FAREWELL)
        if not self._thread.is_alive():
            with contextlib.suppress(Exception):
                self._loop.close()

    def _wait(self, job: Coroutine[Any, Any, Any], seconds: float) -> Any:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(job, seconds), self._loop).result()

    async def _connect(self) -> None:
        import dask
        from distributed import Client

        quiet()
        dask.config.set(SETTINGS)
        given: dict[str, Any] = {"address": self.address}
        if "://" not in self.address:
            given = {"scheduler_file": self.address}
        self._client = await Client(
            **given,
            asynchronous=True,
            set_as_default=False,
            timeout=FIND,
            security=security(self._tls),
            name="cvinfer",
        )
        self.address = self._client.scheduler.address
        with contextlib.suppress(Exception):
            self.dashboard = await dashboard(self._client)


class Conversation:
    """What is said for one run."""

    def __init__(self, line: Line, run: str, brief: bench.Brief, packer: Packer) -> None:
        self.line, self.run = line, run
        self.heard: "queue.SimpleQueue[Heard]" = queue.SimpleQueue()
        self._client = line._client
        self._brief = pickle.dumps(brief, protocol=pickle.HIGHEST_PROTOCOL)
        self._packer = packer
        self._packing = asyncio.Lock()
        self._known: set[str] = set()
        self._has: dict[str, set[object]] = {}
        self._supplying: dict[str, asyncio.Lock] = {}
        self._futures: dict[int, Any] = {}
        self._watch: Optional[asyncio.Task[None]] = None
        self._over = False

    def start(self) -> Sequence[str]:
        """Begin to listen; the workers that are there now."""
        found: Sequence[str] = self.line._wait(self._begin(), 2 * ANSWER)
        return found

    def ask(self, address: str, asked: bench.Asked) -> None:
        self.line.call(self._ask(address, asked))

    def forget(self, number: int) -> None:
        """Nobody waits for the answer to this batch any more."""
        self.line.call(self._cancel([number]))

    def end(self) -> None:
        """Nothing of this run is left on the cluster, as far as it can be reached."""
        with contextlib.suppress(Exception):
            self.line._wait(self._end(), FAREWELL)

    async def _begin(self) -> Sequence[str]:
        found = sorted(await self._client.nthreads())
        self._watch = asyncio.get_running_loop().create_task(self._look(found))
        return found

    async def _look(self, first: Sequence[str]) -> None:
        """See workers come and go, and the scheduler going."""
        there, answered, why = list(first), time.monotonic(), ""
        while not self._over:
            for address in [each for each in there if each not in self._known]:
                self._known.add(address)
                asyncio.get_running_loop().create_task(self._greet(address))
            for address in self._known.difference(there):
                self._known.discard(address)
                self._has.pop(address, None)
                self.heard.put(Left(address))
            await asyncio.sleep(LOOK)
            try:
                if self._client.status == "running":
                    there = sorted(await asyncio.wait_for(self._client.nthreads(), ANSWER))
                    answered, why = time.monotonic(), ""
                else:
                    why = "the connection was closed"
            except Exception as error:
                why = _said(error)
            if why and (time.monotonic() - answered > GONE or self._client.status == "closed"):
                self.heard.put(Gone(why))
                return

    async def _greet(self, address: str) -> None:
        """What a worker says of itself; one that ends meanwhile has left, and is not unfit."""
        why = ""
        for _ in range(GREETINGS):
            try:
                facts = await self._hello(address)
            except Exception as error:
                why = _said(error)
                await asyncio.sleep(2 * LOOK)
            else:
                self.heard.put(Joined(address, facts))
                return
            if self._over or address not in self._known:
                return
        nothing = Greeting({}, f"it does not answer as a worker: {why}", "", 0, ())
        self.heard.put(Joined(address, nothing))

    async def _hello(self, address: str) -> Greeting:
        answer = await self._run(address, bench.hello, self.run, self._brief)
        facts: Greeting = pickle.loads(answer)
        self._has[address] = set(facts.parts)
        return facts

    async def _run(self, address: str, what: Callable[..., Any], *given: Any) -> Any:
        found = await self._client.run(what, *given, workers=[address])
        return found[address]

    async def _ask(self, address: str, asked: bench.Asked) -> None:
        try:
            while True:
                await self._supply(address, {order.dataset for order in asked.orders})
                answer = await self._done(address, asked)
                if not isinstance(answer.what, bench.Lacking):
                    break
                await self._lacking(address, answer.what)
            self.heard.put(Answered(asked.number, address, answer))
        except (Exception, asyncio.CancelledError) as error:
            # Without a scheduler everything breaks, and that is told by itself.
            while not self._over and self._client.status not in ("running", "closed"):
                await asyncio.sleep(LOOK)
            killed = type(error).__name__ == "KilledWorker"
            self.heard.put(Broken(asked.number, address, _said(error), killed))
        finally:
            self._futures.pop(asked.number, None)

    async def _done(self, address: str, asked: bench.Asked) -> bench.Answer:
        message = pickle.dumps(asked, protocol=pickle.HIGHEST_PROTOCOL)
        self.line.sent += len(message)
        future = self._client.submit(
            bench.do,
            self.run,
            message,
            key=f"cvinfer-{self.run}-{asked.number}-{time.monotonic_ns()}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        self._futures[asked.number] = future
        try:
            answer: bench.Answer = pickle.loads(await future)
            return answer
        finally:
            future.release()

    async def _supply(self, address: str, numbers: "set[int]") -> None:
        """Send what these orders need and the worker does not have: each thing once."""
        async with self._supplying.setdefault(address, asyncio.Lock()):
            has = self._has.setdefault(address, set())
            for number in sorted(each for each in numbers if each not in has):
                async with self._packing:
                    parcel = await asyncio.to_thread(self._packer.parcel, number)
                for name in [each for each in parcel.parts if each not in has]:
                    await self._send_part(address, name)
                    has.add(name)
                await self._run(address, bench.material, self.run, number, *parcel)
                self.line.sent += len(parcel.content)
                has.add(number)

    async def _send_part(self, address: str, name: str) -> None:
        async with self._packing:
            data = await asyncio.to_thread(self._packer.part, name)
        every = pieces(data)
        for at, piece in enumerate(every):
            await self._run(address, bench.part, name, piece, at == len(every) - 1)
            self.line.sent += len(piece)

    async def _lacking(self, address: str, what: bench.Lacking) -> None:
        if what.brief:
            await self._hello(address)
            return
        has = self._has.setdefault(address, set())
        has.difference_update(what.materials, what.parts)
        # Materials bring their parts along, so those that have one of these come again.
        has.difference_update([each for each in has if isinstance(each, int)])

    async def _cancel(self, numbers: Sequence[int]) -> None:
        found = [self._futures[each] for each in numbers if each in self._futures]
        if found:
            await self._client.cancel(found, force=True)

    async def _end(self) -> None:
        self._over = True
        if self._watch is not None:
            self._watch.cancel()
        there = sorted(self._known)
        if self._client.status != "running":
            return
        await self._cancel(list(self._futures))
        if there:
            await self._client.run(bench.end, self.run, workers=there)


def security(tls: Optional[Tls]) -> "Optional[Security]":
    """Dask's own form of it; None where nothing is encrypted."""
    if tls is None:
        return None
    from distributed.security import Security

    return Security(
        tls_ca_file=tls.ca,
        require_encryption=True,
        **{
            f"tls_{role}_{what}": value
            for role in ("client", "worker", "scheduler")
            for what, value in (("cert", tls.cert), ("key", tls.key))
        },
    )


def quiet() -> None:
    """What Dask would log of workers that come and go, the command says itself.

    It logs under the names of others too: there only the line's own thread is not to be heard.
    """
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for handler in (*logging.root.handlers, logging.lastResort):
        if handler is not None:
            handler.addFilter(_not_ours)


def _not_ours(record: logging.LogRecord) -> bool:
    return record.threadName != THREAD


async def dashboard(client: "Client") -> str:
    """Where Dask's own dashboard is; nothing where the scheduler has none."""
    identity = await client.scheduler.identity()
    if "dashboard" not in identity.get("services", {}):
        return ""
    # The service is there without the package that draws the pages.
    await client.run_on_scheduler(importlib.metadata.version, "bokeh")
    return str(client.dashboard_link)


def is_scheduler_file(where: str) -> bool:
    return "://" not in where and Path(where).is_file()


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text[:300] or type(error).__name__
