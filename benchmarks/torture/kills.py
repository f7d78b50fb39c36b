"""Kills at random moments, each followed by a run that goes on from there."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, Optional, Union

from torture.cases import Case, Fault, Part, Skip, Tally
from torture.commands import (
    STEP,
    Answer,
    children,
    clear,
    command,
    ended,
    facts,
    is_worker,
    no_complaint,
    no_orphan,
    nothing_left,
    same,
    started,
)
from torture.comparisons import Comparison, Comparisons, NotHere
from torture.inside import Several

#: How often each engine's turn comes. Starts of R and of the JVM take seconds.
TURNS = {"Python": 6, "R": 1, "Weka": 1}
#: Signals to the command, with the exit codes that each may end in. A request that comes before
#: Python has read the program ends it as the system does.
SIGNALS: Mapping[signal.Signals, tuple[int, ...]] = {
    signal.SIGKILL: (-9,),
    signal.SIGTERM: (143, -15),
    signal.SIGINT: (130, -2),
    signal.SIGHUP: (129, -1),
}
#: Signals to workers.
DEADLY = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)
#: Seconds in which an interrupted command ends. It promises two; a busy machine takes longer.
SOON = 30.0
#: Seconds between two looks.
LOOK = 0.0005
DIED_TWICE = "its worker process died 2 times"


@dataclass
class Blow:
    """One kill: of whom, by which signal, and when.

    moment: "start", "time", "store", "write" for the command, "fresh", "old" for a worker.
    at: seconds since the start or the blow before, or since the worker was seen, or since a file
    was seen being written; for "store" how many changes of the store are waited for.
    """

    whom: str
    number: signal.Signals
    moment: str
    at: float


def blows(draw: random.Random, seconds: float, jobs: int) -> list[Blow]:
    """What a case does: some kills of workers, and mostly one of the command after them."""
    if draw.random() < 0.15:
        return [_at_command(draw, "start", draw.uniform(0.0, 0.4))]
    found = []
    # Three new workers for each that is wanted, ended one after the other, are a reason to give up,
    # and on a busy machine an old one may not have come to its first fit either.
    for _ in range(draw.choice((0, 1, 2, 2) if jobs == 1 else (1, 2, 3, 4))):
        fresh = draw.random() < 0.6
        # A worker takes a good half of a second to its first fit.
        at = draw.uniform(0.0, 0.15) if fresh else draw.uniform(0.4, 1.0)
        found.append(Blow("worker", draw.choice(DEADLY), "fresh" if fresh else "old", at))
    if not found or draw.random() < 0.8:
        moment = draw.choice(("time", "time", "store", "write"))
        at = {
            "time": draw.uniform(0.0 if found else 0.3, 1.0) * seconds,
            "store": float(draw.randint(1, 8)),
            "write": draw.uniform(0.0, 0.003),
        }[moment]
        found.append(_at_command(draw, moment, at))
    return found


def _at_command(draw: random.Random, moment: str, at: float) -> Blow:
    return Blow("command", draw.choice((signal.SIGKILL, signal.SIGKILL, *SIGNALS)), moment, at)


@dataclass
class Attack:
    """The blows on one command, as they are dealt."""

    process: "subprocess.Popen[bytes]"
    output: Path
    store: Path
    pending: list[Blow]
    dealt: list[Blow] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    seen: dict[int, float] = field(default_factory=dict)
    hit: set[int] = field(default_factory=set)
    changes: int = 0
    last: Optional[float] = None
    written: Optional[float] = None
    _size: tuple[int, ...] = ()

    def carry_out(self) -> Optional[Blow]:
        """Deal the blows until the command ends, or is hit itself: by which."""
        watch_store = any(blow.moment == "store" for blow in self.pending)
        watch_files = any(blow.moment == "write" for blow in self.pending)
        while self.process.poll() is None:
            if time.monotonic() - self.began > STEP:
                raise Fault(f"hangs: no end within {STEP:g} s with {self.dealt} dealt")
            if watch_store:
                self._look_at_store()
            if watch_files and self.written is None and self._writes():
                self.written = time.monotonic()
            for blow in list(self.pending):
                if blow.whom == "worker":
                    self._at_worker(blow)
                elif self._due(blow):
                    self.pending.remove(blow)
                    if self._send(self.process.pid, blow):
                        return blow
            if self.written is None:
                time.sleep(LOOK)
        return None

    def _due(self, blow: Blow) -> bool:
        if any(each.whom == "worker" for each in self.pending):
            return False
        now = time.monotonic()
        if blow.moment == "store":
            return self.changes >= blow.at
        if blow.moment == "write":
            return self.written is not None and now - self.written >= blow.at
        return now - (self.last or self.began) >= blow.at

    def _at_worker(self, blow: Blow) -> None:
        now = time.monotonic()
        for pid in children(self.process.pid):
            if pid not in self.seen and is_worker(pid):
                self.seen[pid] = now
        for pid, since in self.seen.items():
            age = now - since
            # A kill of a fresh worker that comes late is one of an old worker: it is not dealt.
            late = blow.moment == "fresh" and age > blow.at + 0.05
            if pid not in self.hit and age >= blow.at and not late:
                self.hit.add(pid)
                self.pending.remove(blow)
                self._send(pid, blow)
                return

    def _send(self, pid: int, blow: Blow) -> bool:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, blow.number)
            self.dealt.append(blow)
            self.last = time.monotonic()
            return True
        return False

    def _look_at_store(self) -> None:
        sizes = []
        for end in ("", "-wal"):
            with contextlib.suppress(OSError):
                found = os.stat(f"{self.store}{end}")
                sizes += [found.st_size, found.st_mtime_ns]
        if tuple(sizes) != self._size:
            self._size = tuple(sizes)
            self.changes += 1

    def _writes(self) -> bool:
        """Whether a file of the result is being written."""
        with contextlib.suppress(OSError):
            return any(name.startswith(".cvinfer.") for name in os.listdir(self.output)) and (
                self.changes > 0 or self.store.exists()
            )
        return False


@dataclass
class Ground:
    """What all cases share."""

    comparisons: Comparisons
    inside: Several

    def close(self) -> list[str]:
        return self.inside.close()


def prepared(place: Path, tally: Tally) -> Ground:
    return Ground(Comparisons(place), Several(place / "inside", 2))


def case(this: Case) -> None:
    ground: Ground = this.ground
    engine = this.draw.choice([name for name, turns in TURNS.items() for _ in range(turns)])
    try:
        comparison = ground.comparisons.of(engine)
    except NotHere as why:
        raise Skip(f"{engine}: {why}") from None
    output = this.place / "r" / "made"
    store = output.parent / "store.sqlite"
    mark = f"kill-{this.place.parent.parent.name}-{this.number}"
    jobs = this.draw.choice((1, 2))
    wanted = blows(this.draw, comparison.seconds, jobs)
    words = ("run", comparison.spec, "--output", output, "--jobs", jobs, "--quiet")
    with started(this.place, *words, mark=mark) as process:
        attack = Attack(process, output, store, wanted)
        fatal = attack.carry_out()
        struck = time.monotonic()
        answer = ended(process, this.place, SOON, str(fatal))
        this.tally.measured("seconds until a killed command had ended", time.monotonic() - struck)
    if fatal is None:
        _finished(answer, attack)
    else:
        _interrupted(answer, fatal)
    this.tally.measured("seconds until no process was left", no_orphan(mark))
    kept = _stored(store, this.place / "copy")
    _resume(this, comparison, output, store, words, kept)
    for blow in attack.dealt:
        this.tally.count("kills")
        this.tally.count(f"{engine}")
        this.tally.count(f"{blow.whom}: {blow.moment}")
        this.tally.count(f"{blow.whom}: {blow.number.name}")
    this.tally.count("runs that went on from there")
    clear(this.place)


def _finished(answer: Answer, attack: Attack) -> None:
    """The command itself was not hit, or not in time."""
    no_complaint(answer)
    if answer.code == 3 and DIED_TWICE in answer.text:
        return  # both hits were at the same fit
    if answer.code != 0:
        raise Fault(f"after {attack.dealt}: {answer.short()}")


def _interrupted(answer: Answer, fatal: Blow) -> None:
    if answer.code == 0 and fatal.number is not signal.SIGKILL:
        return  # it was done already
    if answer.code not in SIGNALS[fatal.number]:
        raise Fault(f"after {fatal}: {answer.short()}")
    no_complaint(answer)


def _resume(
    this: Case,
    comparison: Comparison,
    output: Path,
    store: Path,
    words: tuple[Union[str, Path, int], ...],
    kept: int,
) -> None:
    """The same command again: the same bytes, nothing lost, nothing left."""
    if this.draw.random() < 0.2:
        answer = command(this.place, *words, mark=f"resume-{this.number}")
        no_orphan(f"resume-{this.number}")
    else:
        answer = this.ground.inside.ask(this.place, *words)
    no_complaint(answer)
    if answer.code != 0:
        raise Fault(f"the resumed run: {answer.short()}")
    same(output, comparison.expected)
    reused = facts(output)["fits"]["reused"]
    if reused < kept:
        raise Fault(f"lost: {kept} fits were stored, {reused} were found again")
    this.tally.count("fits found again", reused)
    nothing_left(this.place, output, output.parent)
    checked = this.ground.inside.ask(this.place, "store", "check", "--store", store)
    if checked.code != 0:
        raise Fault(f"the store afterwards: {checked.short()}")


def _stored(store: Path, copy: Path) -> int:
    """The fits that were stored at the time of the kill; a copy is looked at."""
    if not store.exists():
        return 0
    copy.mkdir()
    for end in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(f"{store}{end}", copy / f"store{end}")
    database = sqlite3.connect(copy / "store")
    try:
        (count,) = database.execute("select count(*) from fits").fetchone()
        return int(count)
    except sqlite3.OperationalError:  # it was killed before there was a table
        return 0
    finally:
        database.close()


PART = Part("kills", "kills at random moments", 500, case, prepared, counted="kills")
