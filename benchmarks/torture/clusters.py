"""Workers and schedulers of a Dask cluster that are killed, cut off, and come late."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional

from torture.cases import Case, Fault, Part, Skip, Tally
from torture.commands import (
    STEP,
    Answer,
    below,
    children,
    clear,
    ended,
    environment,
    facts,
    is_worker,
    no_complaint,
    no_orphan,
    nothing_left,
    read,
    same,
    started,
)
from torture.comparisons import undisturbed
from torture.counted import FILE, GATE
from torture.kills import DIED_TWICE

ROOT = Path(__file__).resolve().parents[2]
#: What happens, in this order: 21 kills of workers, 5 of the scheduler.
TURNS = (
    *("workers", "scheduler", "cut off", "late", "workers", "scheduler", "workers", "cut off"),
    *("workers", "scheduler", "workers", "late", "workers", "scheduler", "workers", "scheduler"),
)
KILLS = 3
#: A command whose scheduler is gone says so within so many seconds.
GONE = 30.0
#: Fits that a worker has at most: the one it is at, and one that waits behind it.
WINDOW = 2
#: Seconds of a fit: it goes by itself, and another one may wait behind it.
FIT = 0.3
#: Networks of one machine here and one there; each case has its own.
NETWORK = "10.231.{number}.{host}"


def learners() -> Mapping[str, Any]:
    def entry(shift: int) -> Mapping[str, Any]:
        params = {"seconds": FIT, "shift": shift}
        return {"engine": "sklearn", "learner": "torture.counted:Counted", "params": params}

    return {"A": entry(0), "B": entry(1)}


@dataclass
class Ground:
    """The comparison, what it gives undisturbed, and how many fits that is."""

    spec: Path
    expected: Mapping[str, bytes]
    fits: int


def prepared(place: Path, tally: Tally) -> Ground:
    if importlib.util.find_spec("distributed") is None:
        return Ground(place, {}, 0)
    log = place / "fits"
    more = {"PYTHONPATH": path(), FILE: str(log)}
    made = undisturbed(place / "made", learners(), "--allow-code", more=more)
    return Ground(made.spec, made.expected, sum(begun(log).values()))


def path() -> str:
    """Where workers find the learner, and cvinfer."""
    there = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, [str(ROOT / "benchmarks"), str(ROOT), there]))


def begun(log: Path) -> Counter[str]:
    """How often each fit began."""
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(line.rpartition(" ")[0] for line in lines)


# --- a cluster ------------------------------------------------------------------------------------


@dataclass
class Cluster:
    """A scheduler and groups of workers, as processes of one case."""

    place: Path
    mark: str
    host: str = "127.0.0.1"
    address: str = ""
    groups: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    scheduler: "Optional[subprocess.Popen[bytes]]" = None
    _starts: int = 0

    @property
    def more(self) -> dict[str, str]:
        return {"PYTHONPATH": path(), FILE: str(self.place / "fits")}

    def start_scheduler(self) -> None:
        """A new one takes the port of the one before it."""
        port = self.address.rpartition(":")[2] or "0"
        words = ("-m", "distributed.cli.dask_scheduler", "--host", self.host, "--port", port)
        log, self.scheduler = self._start(*words, "--dashboard-address", "127.0.0.1:0")
        found = until(lambda: re.search(r"Scheduler at:\s+(tcp://\S+:\d+)", read(log)), log)
        self.address = found[1]

    def start_workers(self, count: int, host: str = "", inside: str = "") -> None:
        """A group of workers; `inside` a network namespace, by its name."""
        words = ("-m", "cvinfer", "workers", self.address, "--processes", str(count))
        to = ("--host", host or self.host, "--allow-code")
        log, group = self._start(*words, *to, inside=inside)
        self.groups.append(group)
        until(lambda: read(log).count(" is ready") >= count, log)

    def _start(self, *words: str, inside: str = "") -> "tuple[Path, subprocess.Popen[bytes]]":
        self._starts += 1
        log = self.place / f"cluster-{self._starts}.log"
        before = ("ip", "netns", "exec", inside) if inside else ()
        with open(log, "wb") as stream:
            process = subprocess.Popen(
                [*before, sys.executable, *words],
                cwd=self.place,
                env=environment(self.mark, self.place / "tmp", **self.more),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return log, process

    def dask_workers(self) -> list[int]:
        """The processes under the nannies."""
        found = [each for group in self.groups for each in children(group.pid)]
        return [each for each in found if b"spawn_main" in _words(each)]

    def fitting(self) -> list[int]:
        """The processes that make fits."""
        return [each for group in self.groups for each in below(group.pid) if is_worker(each)]

    def lost(self, pid: int) -> None:
        """A group was killed."""
        gone = next(each for each in self.groups if each.pid == pid)
        gone.wait(STEP)
        self.groups.remove(gone)

    def close(self) -> None:
        for each in [*self.groups, self.scheduler]:
            if each is not None and each.poll() is None:
                each.send_signal(signal.SIGTERM)
                try:
                    each.wait(STEP / 4)
                except subprocess.TimeoutExpired:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(each.pid, signal.SIGKILL)
                    each.wait(STEP)
                    raise Fault("a part of the cluster does not end when it is told to") from None


@contextlib.contextmanager
def cluster(place: Path, mark: str, workers: int, host: str = "127.0.0.1") -> Iterator[Cluster]:
    made = Cluster(place, mark, host)
    try:
        made.start_scheduler()
        made.start_workers(workers)
        yield made
    finally:
        made.close()


def until(what: Callable[[], Any], log: Optional[Path] = None) -> Any:
    give_up = time.monotonic() + STEP
    while time.monotonic() < give_up:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    said = "" if log is None else f": {read(log)[-600:]}"
    raise Fault(f"hangs: nothing came for {STEP:g} s{said}")


def _words(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read()
    return b""


# --- what happens ---------------------------------------------------------------------------------


@dataclass
class Run:
    """A command on a cluster; how many fits more may begin than there are is `twice`."""

    this: Case
    cluster: Cluster
    twice: int = 0

    @property
    def output(self) -> Path:
        return self.this.place / "r" / "made"

    @contextlib.contextmanager
    def started(self) -> Iterator["subprocess.Popen[bytes]"]:
        words = ("--allow-code", "--cluster", self.cluster.address, "--output", self.output)
        spec = self.this.ground.spec
        more, mark = self.cluster.more, self.cluster.mark
        with started(self.this.place, "run", spec, *words, mark=mark, more=more) as process:
            yield process

    def ended(self, process: "subprocess.Popen[bytes]", seconds: float = STEP) -> Answer:
        answer = ended(process, self.this.place, seconds, "what was done to its cluster")
        no_complaint(answer)
        return answer

    def whole(self) -> Answer:
        """The command from its start to its end."""
        with self.started() as process:
            return self.ended(process)

    def wait_for_fits(self, process: "subprocess.Popen[bytes]", count: int) -> None:
        """Until so many have begun; or the command has ended."""
        log = self.this.place / "fits"
        until(lambda: sum(begun(log).values()) >= count or process.poll() is not None)

    def check(self, answer: Answer) -> None:
        """The same bytes, nothing lost, nothing made again but what was at work."""
        if answer.code == 3 and DIED_TWICE in answer.text + read(self.output / "run.log"):
            self.this.tally.count("fits that were hit twice, and made by the next run")
            answer = self.whole()
        if answer.code != 0:
            raise Fault(f"the end: {answer.short()}")
        same(self.output, self.this.ground.expected)
        counts, fits = begun(self.this.place / "fits"), self.this.ground.fits
        again = sum(counts.values()) - len(counts)
        if len(counts) != fits:
            raise Fault(f"{len(counts)} different fits began, {fits} are wanted")
        if again > self.twice:
            raise Fault(f"{again} fits began again, {self.twice} at most were at work")
        self.this.tally.count("fits that began", sum(counts.values()))
        self.this.tally.count("fits that began again", again)


#: Who is killed: below each machine there is a Dask worker, below that the process of the fits.
VICTIMS: Mapping[str, Callable[[Cluster], list[int]]] = {
    "a process of fits": lambda cluster: cluster.fitting(),
    "a Dask worker": lambda cluster: cluster.dask_workers(),
    "a machine": lambda cluster: [each.pid for each in cluster.groups],
}


def kill_workers(run: Run) -> None:
    """Random processes of random workers at random moments; where a machine goes, one comes."""
    this, draw = run.this, run.this.draw
    with run.started() as process:
        run.wait_for_fits(process, draw.randint(1, 6))
        for _ in range(KILLS):
            time.sleep(draw.uniform(0.0, 0.8))
            what = draw.choice(tuple(VICTIMS))
            until(lambda: VICTIMS[what](run.cluster) or process.poll() is not None)
            if process.poll() is not None:
                break
            victim = draw.choice(sorted(VICTIMS[what](run.cluster)))
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                this.tally.count("kills of workers")
                this.tally.count(f"kills of {what}")
                run.twice += WINDOW
            if what == "a machine":
                run.cluster.lost(victim)
                run.cluster.start_workers(1)
        run.check(run.ended(process))


def kill_scheduler(run: Run) -> None:
    """The command tells it in time; the same command goes on when there is a scheduler again."""
    this, draw = run.this, run.this.draw
    with run.started() as process:
        run.wait_for_fits(process, draw.randint(1, 8))
        time.sleep(draw.uniform(0.0, 0.5))
        assert run.cluster.scheduler is not None
        run.cluster.scheduler.kill()
        struck = time.monotonic()
        run.cluster.scheduler.wait(STEP)
        answer = run.ended(process, GONE)
        this.tally.measured("seconds until the scheduler's end was told", time.monotonic() - struck)
    if answer.code != 129 or "is gone" not in answer.err or "To go on from there" not in answer.err:
        raise Fault(f"without a scheduler: {answer.short()}")
    run.twice += WINDOW * len(run.cluster.groups) * 2
    kept = int(re.findall(r"(\d+) of \d+ fits done", answer.err)[-1])
    this.tally.count("kills of schedulers")
    run.cluster.start_scheduler()
    answer = run.whole()
    run.check(answer)
    reused = facts(run.output)["fits"]["reused"]
    if reused < kept:
        raise Fault(f"lost: {kept} fits were done, {reused} were found again")


def come_late(run: Run) -> None:
    """A worker that joins while a command is at work gets some of it."""
    log = run.this.place / "fits"
    gate = Path(f"{log}{GATE}")
    with run.started() as process:
        run.wait_for_fits(process, run.this.draw.randint(3, 6))
        gate.touch()  # so that there is something left for it, however busy the machine is
        run.cluster.start_workers(1)
        until(lambda: len({line.split()[-1] for line in log.read_text().splitlines()}) == 3)
        gate.unlink()
        run.check(run.ended(process))
    workers = facts(run.output)["cluster"]["workers"]
    if workers != 3:
        raise Fault(f"{workers} workers, where one joined two")
    run.this.tally.count("late joiners")


def cut_off(run: Run, network: "Network") -> None:
    """A worker cannot be reached for a while, or until everything is over; then it comes back."""
    this = run.this
    for_long = this.number % 4 != 2
    with run.started() as process:
        run.wait_for_fits(process, this.draw.randint(3, 8))
        time.sleep(this.draw.uniform(0.0, 0.5))
        network.set("down")
        struck = time.monotonic()
        if for_long:
            answer = run.ended(process)
            network.set("up")
        else:
            time.sleep(this.draw.uniform(1.0, 4.0))
            network.set("up")
            answer = run.ended(process)
        run.twice += WINDOW
        took = time.monotonic() - struck
        this.tally.measured("seconds from a cut to the end of the command", took)
        run.check(answer)
    this.tally.count("workers cut off" + (" until the end" if for_long else " for seconds"))
    # What is cut off is given work again.
    shutil.rmtree(run.output.parent)
    until(lambda: _workers_there(run) == 3)
    this.tally.count("workers that were cut off and came back")


def _workers_there(run: Run) -> int:
    """How many workers a new command finds."""
    (run.this.place / "fits").unlink(missing_ok=True)
    shutil.rmtree(run.output.parent, ignore_errors=True)
    answer = run.whole()
    if answer.code != 0:
        raise Fault(f"after the cut: {answer.short()}")
    same(run.output, run.this.ground.expected)
    return int(facts(run.output)["cluster"]["workers"])


class Network:
    """A network namespace with a cable to it."""

    def __init__(self, number: int) -> None:
        self.name = f"cvt-{os.getpid() % 100000}-{number}"
        self.here = NETWORK.format(number=number % 250, host=1)
        self.there = NETWORK.format(number=number % 250, host=2)
        self._near, self._far = (
            f"cv{os.getpid() % 10000}a{number}",
            f"cv{os.getpid() % 10000}b{number}",
        )

    def __enter__(self) -> "Network":
        if os.geteuid() != 0 or shutil.which("ip") is None:
            raise Skip("a network namespace needs root and the program ip")
        if not _ip("netns", "add", self.name):
            raise Skip("this machine gives no network namespace")
        inside = ("netns", "exec", self.name, "ip")
        made = (
            _ip("link", "add", self._near, "type", "veth", "peer", "name", self._far)
            and _ip("link", "set", self._far, "netns", self.name)
            and _ip("addr", "add", f"{self.here}/30", "dev", self._near)
            and _ip("link", "set", self._near, "up")
            and _ip(*inside, "addr", "add", f"{self.there}/30", "dev", self._far)
            and _ip(*inside, "link", "set", "lo", "up")
            and self.set("up")
        )
        if not made:
            self.__exit__()
            raise Skip("this machine gives no cable to a network namespace")
        return self

    def __exit__(self, *_: object) -> None:
        _ip("link", "del", self._near)
        _ip("netns", "del", self.name)

    def set(self, state: str) -> bool:
        """Pull the cable out over there, or put it in."""
        return _ip("netns", "exec", self.name, "ip", "link", "set", self._far, state)


def _ip(*words: str) -> bool:
    return subprocess.run(["ip", *words], capture_output=True).returncode == 0


def case(this: Case) -> None:
    if not this.ground.fits:
        raise Skip("dask.distributed is not installed")
    turn = TURNS[this.number % len(TURNS)]
    mark = f"cluster-{this.place.parent.parent.name}-{this.number}"
    with contextlib.ExitStack() as stack:
        host, network = "127.0.0.1", None
        if turn == "cut off":
            network = stack.enter_context(Network(this.number))
            host = network.here
        with cluster(this.place, mark, 1, host) as there:
            # Two machines, as it were; a third one that can be cut off.
            there.start_workers(1)
            if network is not None:
                there.start_workers(1, network.there, network.name)
            run = Run(this, there)
            if network is not None:
                cut_off(run, network)
            else:
                {"workers": kill_workers, "scheduler": kill_scheduler, "late": come_late}[turn](run)
        this.tally.measured("seconds until no process was left", no_orphan(mark))
        nothing_left(this.place, run.output, run.output.parent)
    this.tally.count("runs to the end")
    clear(this.place)


PART = Part("clusters", "workers and schedulers of a cluster", len(TURNS), case, prepared)
