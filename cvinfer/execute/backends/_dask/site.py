"""Workers of a cluster on this machine: processes under Dask's nannies, ready for R and Weka.

A nanny starts a Dask worker (spawned, one thread), and another one where that ends. What the worker
leads to the fits is the bench's (`_dask.bench`). Where the scheduler goes, nannies end; whoever
tends them makes new ones until the scheduler is back, or for `patience` seconds.

`Local` is a cluster of one's own for trying out: a scheduler and workers in a process of their own,
which ends when its standard input does, however that comes about.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, NamedTuple, Optional

from cvinfer.errors import UserError
from cvinfer.execute.backends._dask.versions import ALLOW_CODE
from cvinfer.execute.backends.guardian import guarded
from cvinfer.execute.backends.pool import undisturbed
from cvinfer.execute.backends.worker import ONE_THREAD, SAFE_PATH
from cvinfer.execute.work import WorkerError
from cvinfer.foreign import say
from cvinfer.worker.scratch import Scratch
from cvinfer.worker.workplace import import_path

LOOPBACK = "127.0.0.1"
#: Seconds for a cluster of one's own to come up, and to go.
START = 90.0
FAREWELL = 5.0
#: Seconds between two attempts to find the scheduler again.
AGAIN = 2.0
#: Workers of a cluster of one's own, at most.
MOST = 256
#: Set for Dask in every process of ours: no sampling of what runs, little kept of what was.
SETTINGS = {
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.interval": "10s",
    "distributed.worker.profile.cycle": "60s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.validate": False,
    "distributed.scheduler.transition-log-length": 1000,
    "distributed.scheduler.events-log-length": 1000,
    "distributed.admin.log-length": 1000,
}


class Options(NamedTuple):
    """How workers are started; `host` is what they listen on and are reached by."""

    address: str
    processes: int
    host: str = LOOPBACK
    allow_code: bool = False
    security: Any = None
    patience: float = 300.0


def local_workers(where: str) -> Optional[int]:
    """How many workers a cluster of one's own is to have; None if it is another one."""
    if where.partition(":")[0] != "local":
        return None
    match = re.fullmatch(r"local:(\d{1,3})", where)
    if match is None or not 1 <= int(match[1]) <= MOST:
        raise UserError(f"{where!r} is no cluster", (), f"local:N with N from 1 to {MOST}")
    return int(match[1])


async def tend(options: Options, stop: asyncio.Event, say: Callable[[str], None]) -> None:
    """Have workers until `stop`; raises `WorkerError` without a scheduler for too long."""
    import dask

    dask.config.set(SETTINGS)
    os.environ.update({**ONE_THREAD, SAFE_PATH: "1"})
    os.environ.pop(ALLOW_CODE, None)
    if options.allow_code:
        os.environ[ALLOW_CODE] = "1"
    with contextlib.ExitStack() as stack:
        scratch = Scratch()
        stack.callback(scratch.remove)
        stack.enter_context(guarded(str(scratch.path)))
        # What Dask and benches put down goes where it is cleared away.
        os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch.path)))
        place, numbers = str(scratch.path), range(options.processes)
        tasks = [asyncio.ensure_future(_tend(options, at, place, stop, say)) for at in numbers]
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait([*tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            stop.set()
            stopped.cancel()
            await asyncio.wait(tasks, timeout=FAREWELL)


def run_until_told(options: Options, say: Callable[[str], None]) -> None:
    """Have workers until this process is asked to end; asked twice it ends at once."""

    async def run() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(each, stop.set)
        await tend(options, stop, say)

    asyncio.run(run())


def refuse_host(address: str, host: str) -> None:
    """A worker on loopback cannot be reached by a scheduler that is elsewhere."""
    if "://" not in address or not _loopback(host):
        return
    scheduler = address.partition("://")[2].rpartition(":")[0].strip("[]")
    if not _loopback(scheduler):
        raise UserError(
            f"the scheduler at {address} cannot reach workers that listen on {host} only;"
            " --host names the address of this machine, in a network that can be trusted"
        )


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _tend(
    options: Options, number: int, place: str, stop: asyncio.Event, say: Callable[[str], None]
) -> None:
    """One worker, and the next where it ended."""
    since = time.monotonic()
    while not stop.is_set():
        try:
            nanny = await _nanny(options, number, place)
        except Exception as error:
            if time.monotonic() - since > options.patience:
                said = " ".join(str(error).split()) or type(error).__name__
                raise WorkerError(
                    f"no scheduler answered at {options.address} for {options.patience:g} s: {said}"
                ) from None
        else:
            say(f"worker {nanny.worker_address} is ready")
            ended = asyncio.ensure_future(nanny.finished())
            stopped = asyncio.ensure_future(stop.wait())
            await asyncio.wait([ended, stopped], return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if not ended.done():
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(nanny.close(timeout=2), FAREWELL)
                ended.cancel()
                return
            say("a worker has lost its scheduler; looking for it again")
            since = time.monotonic()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stop.wait(), AGAIN)


async def _nanny(options: Options, number: int, place: str) -> Any:
    from distributed import Nanny

    given: dict[str, Any] = {"scheduler_ip": options.address}
    if "://" not in options.address:
        given = {"scheduler_file": options.address}
    nanny = Nanny(
        **given,
        nthreads=1,
        name=f"cvinfer-{os.uname().nodename}-{os.getpid()}-{number}-{time.monotonic_ns()}",
        memory_limit=0,
        host=options.host,
        dashboard_address=f"{options.host}:0",
        dashboard=False,
        local_directory=place,
        security=options.security,
        death_timeout=30,
    )
    try:
        await asyncio.wait_for(nanny, 60)
    except BaseException:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(nanny.close(timeout=1), FAREWELL)
        raise
    return nanny


# --- a cluster of one's own -----------------------------------------------------------------------

_START = (
    "import sys; sys.path[:] = {path!a};"
    " from cvinfer.execute.backends._dask.site import main; main({count}, {allow_code})"
)
#: What comes before the address in what the process of the cluster says.
SIGN = "cvinfer cluster "


class Local:
    """A scheduler and workers on loopback, in a session of their own."""

    def __init__(self, count: int, allow_code: bool) -> None:
        start = _START.format(path=import_path(), count=count, allow_code=allow_code)
        with undisturbed():
            self._process = subprocess.Popen(
                [sys.executable, "-c", start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD, SAFE_PATH: "1"},
                start_new_session=True,
            )
        self.address = ""
        reader = threading.Thread(target=self._read, daemon=True)
        reader.start()
        reader.join(START)
        if not self.address:
            self.close()
            raise WorkerError("the cluster of one's own did not come up")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            text = line.decode("utf-8", "replace")
            if text.startswith(SIGN):
                self.address = json.loads(text[len(SIGN) :])
                return

    def close(self) -> None:
        """It goes by itself when nobody holds its standard input."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGTERM)


def main(count: int, allow_code: bool) -> None:
    """The process of a cluster of one's own."""
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    asyncio.run(_main(count, allow_code))


async def _main(count: int, allow_code: bool) -> None:
    import dask
    from distributed import Scheduler

    dask.config.set(SETTINGS)
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    threading.Thread(target=_until_alone, args=(loop, stop), daemon=True).start()
    async with Scheduler(host=LOOPBACK, port=0, dashboard_address=f"{LOOPBACK}:0") as scheduler:
        options = Options(scheduler.address, count, allow_code=allow_code)
        tending = asyncio.ensure_future(tend(options, stop, lambda text: None))
        while not tending.done() and len(scheduler.workers) < count:
            await asyncio.sleep(0.05)
        say(SIGN + json.dumps(scheduler.address))
        await tending


def _until_alone(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    while os.read(0, 1024):
        pass
    loop.call_soon_threadsafe(stop.set)
