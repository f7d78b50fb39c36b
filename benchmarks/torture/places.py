"""Places without room, without leave to write, and stores that others have in use."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Callable, Mapping, Sequence

from torture.cases import Case, Fault, Part, Skip, Tally
from torture.commands import (
    START,
    STEP,
    Answer,
    clear,
    command,
    ended,
    environment,
    no_complaint,
    no_orphan,
    nothing_left,
    read,
    same,
    started,
)
from torture.comparisons import BAYES, TREE, Comparison, undisturbed

#: Longer than a run waits for a store that another has (`PATIENCE` in cvinfer.execute.store).
LONG = 40.0


def prepared(place: Path, tally: Tally) -> Comparison:
    comparison = undisturbed(place / "Python", {"tree": TREE, "Bayes": BAYES})
    return comparison


def _in_own_mounts(this: Case, steps: Sequence[str]) -> list[Answer]:
    """Lines of a shell that see mounts of their own, which go with them; the answer of each."""
    if os.geteuid() != 0:
        raise Skip("mounts need root")
    try:
        tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, timeout=STEP)
    except OSError:
        raise Skip("there is no unshare") from None
    if tried.returncode:
        raise Skip(f"unshare does not work here: {tried.stderr.decode().strip()}")
    lines = []
    for number, step in enumerate(steps):
        at = shlex.quote(str(this.place / f"step-{number}"))
        lines.append(f"( {step} ) > {at}.out 2> {at}.err; echo $? > {at}.code")
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(lines)],
        cwd=this.place,
        env=environment(f"places-{this.number}", this.place / "tmp"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=2 * STEP,
    )
    if done.returncode:
        raise Fault(f"the shell: {done.stderr.decode()[-300:]}")
    answers = []
    for number in range(len(steps)):
        out, err, code = (
            read(this.place / f"step-{number}.{end}") for end in ("out", "err", "code")
        )
        answers.append(Answer(int(code), out, err))
    return answers


def _line(*words: object) -> str:
    return shlex.join([sys.executable, "-c", START, *map(str, words)])


def _mounted(answer: Answer) -> None:
    if answer.code:
        raise Skip(f"a mount is not allowed here: {answer.err.strip()}")


def _refused(answer: Answer, *words: str) -> None:
    no_complaint(answer)
    if answer.code != 2:
        raise Fault(answer.short())
    for word in words:
        if word not in answer.text:
            raise Fault(f"{word!r} is not said: {answer.short()}")
    if "remove it" in answer.text:
        raise Fault(f"the advice would lose what is stored: {answer.short()}")


def full_disk(this: Case) -> None:
    """A disk with little room, for results and store or for temporary files, then with more."""
    disk = this.place / "disk"
    disk.mkdir()
    temporary = this.draw.random() < 0.25
    pages = this.draw.randint(1, 12) if temporary else this.draw.randint(1, 30)
    place = shlex.quote(str(disk))
    output = (this.place if temporary else disk) / "r" / "made"
    run = _line("run", this.ground.spec, "--output", output, "--jobs", 1, "--quiet")
    tmpdir = f"TMPDIR={place} " if temporary else ""
    keep = f"cp -r {place}/r {shlex.quote(str(this.place))}/r" if not temporary else "true"
    first, small, _, large, kept, left = _in_own_mounts(
        this,
        (
            f"mount -t tmpfs -o size={pages * 4096} none {place}",
            tmpdir + run,
            f"mount -o remount,size=64m {place}",
            tmpdir + run,
            keep,
            f"ls -A {place}" if temporary else "true",
        ),
    )
    _mounted(first)
    if small.code == 0:
        this.tally.count("full disks that had room enough")
    else:
        _refused(small)
        this.tally.count("full disks that were told")
    no_complaint(large)
    if large.code:
        raise Fault(f"with more room: {large.short()}")
    same(this.place / "r" / "made", this.ground.expected)
    nothing_left(this.place, this.place / "r" / "made", this.place / "r")
    if left.out.strip():
        raise Fault(f"left behind: {left.out}")
    no_orphan(f"places-{this.number}")


def read_only(this: Case) -> None:
    """No leave to write: results, store, or temporary files."""
    shut = this.place / "shut"
    shut.mkdir()
    what = this.draw.choice(("results", "store", "temporary files", "a finished store"))
    run = ["run", this.ground.spec, "--jobs", 1, "--quiet"]
    output = this.place / "open" / "made"
    before = ""
    if what == "results":
        line = _line(*run, "--output", shut / "made")
    elif what == "temporary files":
        before = f"TMPDIR={shlex.quote(str(shut))} "
        line = _line(*run, "--output", output)
    else:
        if what == "a finished store":
            finished = this.ground.spec.parent / "r" / "store.sqlite"
            shutil.copy(finished, shut / "store.sqlite")
        line = _line(*run, "--output", output, "--store", shut / "store.sqlite")
    place = shlex.quote(str(shut))
    first, answer = _in_own_mounts(
        this,
        (f"mount --bind {place} {place} && mount -o remount,bind,ro {place}", before + line),
    )
    _mounted(first)
    no_complaint(answer)
    if answer.code == 0:  # what is in a store can be read where nothing can be written
        same(output, this.ground.expected)
        this.tally.count("read-only places that were enough")
    else:
        _refused(answer)
        if (output / "result.json").exists():
            raise Fault("there is a result")
        this.tally.count("read-only places that were told")
    nothing_left(this.place)
    no_orphan(f"places-{this.number}")


def locked(this: Case) -> None:
    """Another program has the store, for a moment or for long."""
    output = this.place / "r" / "made"
    store = output.parent / "store.sqlite"
    store.parent.mkdir()
    finished = this.ground.spec.parent / "r" / "store.sqlite"
    long = this.number == Numbers.long
    if this.draw.random() < 0.5 and not long:  # what is finished is read in spite of the lock
        shutil.copy(finished, store)
    database = sqlite3.connect(store, check_same_thread=False)
    database.execute("pragma journal_mode = wal").fetchall()
    database.execute("begin exclusive")
    release = threading.Timer(LONG if long else this.draw.uniform(0.5, 4.0), database.rollback)
    release.start()
    try:
        words = ("run", this.ground.spec, "--output", output, "--jobs", 1, "--quiet")
        answer = command(this.place, *words, mark=f"locked-{this.number}")
        if long:
            _refused(answer, "another program has it", "wait until that is done")
            this.tally.count("locked stores that were told")
            release.join()
            answer = command(this.place, *words, mark=f"locked-{this.number}")
        no_complaint(answer)
        if answer.code:
            raise Fault(answer.short())
    finally:
        release.join()
        database.close()
    same(output, this.ground.expected)
    nothing_left(this.place, output, output.parent)
    this.tally.count("locked stores that were waited for")


def four_at_once(this: Case) -> None:
    """Four runs on one store, sometimes in one directory, sometimes with one of them killed."""
    store = this.place / "store.sqlite"
    together = this.draw.random() < 0.5
    victim = this.draw.randrange(4) if this.draw.random() < 0.5 else None
    places = [this.place / str(number) for number in range(4)]
    outputs = [this.place / "made" if together else place / "made" for place in places]
    with ExitStack() as stack:
        running = []
        for number, (place, output) in enumerate(zip(places, outputs)):
            place.mkdir()
            words = ("run", this.ground.spec, "--store", store, "--output", output, "--jobs", 1)
            mark = f"four-{this.number}-{number}"
            running.append(stack.enter_context(started(place, *words, mark=mark)))
        if victim is not None:
            time.sleep(this.draw.uniform(0.5, 1.5) * this.ground.seconds)
            running[victim].send_signal(this.draw.choice((signal.SIGKILL, signal.SIGTERM)))
        for number, (process, place) in enumerate(zip(running, places)):
            answer = ended(process, place, STEP, "four at once")
            no_complaint(answer)
            if answer.code and number != victim:
                raise Fault(f"one of four: {answer.short()}")
            no_orphan(f"four-{this.number}-{number}")
    for number, output in enumerate(outputs):
        if number != victim or together:
            same(output, this.ground.expected)
    if victim is not None:
        again = ("run", this.ground.spec, "--store", store, "--output", outputs[victim])
        answer = command(places[victim], *again, mark=f"four-{this.number}")
        if answer.code:
            raise Fault(f"the killed one, again: {answer.short()}")
        same(outputs[victim], this.ground.expected)
    for place, output in zip(places, outputs):
        nothing_left(place, output, this.place)
    this.tally.count("times four runs on one store")


class Numbers:
    """Which case is of which kind; one waits for a lock longer than a run does."""

    full, ro, locked, four = 16, 10, 6, 8
    long = full + ro


KINDS: Mapping[Callable[[Case], None], int] = {
    full_disk: Numbers.full,
    read_only: Numbers.ro,
    locked: Numbers.locked,
    four_at_once: Numbers.four,
}
TARGET = sum(KINDS.values())


def case(this: Case) -> None:
    order = [kind for kind, count in KINDS.items() for _ in range(count)]
    order[this.number % TARGET](this)
    clear(this.place)


PART = Part("places", "places and stores that cannot be had", TARGET, case, prepared)
