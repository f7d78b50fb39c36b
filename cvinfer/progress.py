"""Progress of long work: a bar on a terminal, plain lines otherwise, nothing with --quiet."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
import time
from contextvars import ContextVar
from typing import Any, Callable, Iterator, Optional, Sequence, TextIO

from cvinfer.foreign import shown, write_over, write_to

#: Seconds after which a wait is told, and how much is said of what is waited for.
PATIENCE, LINE = 1.0, 60


class Progress:
    """Says nothing; the base of those that do. `store` is the file of finished fits."""

    store: Optional[str] = None

    def start(self, total: int, reused: int) -> None:
        """`total` fits are wanted, `reused` of them are stored already."""

    def running(self, labels: Sequence[str], workers: int = 1) -> None:
        """What the workers are at, and how many there are."""

    def tell(self, text: str) -> None:
        """A remark on the work."""

    def done(self, label: str, failed: bool, count: int = 1) -> None:
        """One more fit has ended, or a piece of work with so many of them."""

    def stop(self) -> None:
        """No more fits."""


class LineProgress(Progress):
    """A line at the start, then at most one every few seconds, and one at the end."""

    def __init__(self, stream: Optional[TextIO] = None, every: float = 5.0) -> None:
        self.stream = stream or sys.stderr
        self.every = every
        self.total = self.reused = self.ended = self.failed = 0
        self.began = self.said = 0.0

    def start(self, total: int, reused: int) -> None:
        self.total, self.reused = total, reused
        self.ended = self.failed = 0  # work may come in several goes, one after the other
        self.began = self.said = time.monotonic()
        self._say(f"{total} fits wanted, {reused} of them already stored, {total - reused} to do")
        if self.store is not None and total:
            self._say(f"the store is {self.store}")

    def tell(self, text: str) -> None:
        self._say(text)

    def done(self, label: str, failed: bool, count: int = 1) -> None:
        self.ended += count
        self.failed += count * failed
        if failed:
            self._say(f"failed: {label}")
        if time.monotonic() - self.said >= self.every:
            self._line(label)

    def stop(self) -> None:
        if self.ended:
            self._line(None)

    def _line(self, label: Optional[str]) -> None:
        self.said = time.monotonic()
        todo = self.total - self.reused
        rate = self.ended / max(self.said - self.began, 1e-9)
        left = (todo - self.ended) / rate if rate else 0.0
        tail = f", {left:.0f} s left, {label}" if label and self.ended < todo else ""
        failed = f", {self.failed} failed" if self.failed else ""
        self._say(f"{self.ended} of {todo} fits done{failed}, {rate:.1f} per second{tail}")

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # nobody looks any more; the fits go on
            write_to(self.stream, shown(text) + "\n")
            self.stream.flush()


class BarProgress(Progress):
    """A bar with fits done of total, rate, time left and what is running."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress as Bar,
            TextColumn,
            TimeRemainingColumn,
        )

        self.bar = Bar(
            TextColumn("{task.fields[stored]}fits", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.fields[now]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self.task: Any = None
        self.began = 0.0
        self.ended = self.failed = 0

    def start(self, total: int, reused: int) -> None:
        self.began = time.monotonic()
        self.ended = self.failed = 0  # of this go, as above
        if self.task is not None:
            self.bar.remove_task(self.task)
        stored = f"{reused} stored, " if reused else ""
        self.task = self.bar.add_task(
            "fits", total=total - reused, stored=stored, rate="", now="starting workers"
        )
        if total > reused:
            with contextlib.suppress(OSError):  # as below, where the terminal is gone
                self.bar.start()

    def running(self, labels: Sequence[str], workers: int = 1) -> None:
        here = f"{workers} workers: " if workers > 1 else ""
        with contextlib.suppress(OSError):
            self.bar.update(self.task, now=here + shown(", ".join(dict.fromkeys(labels))))

    def tell(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self.bar.console.print(shown(text), markup=False, highlight=False)

    def done(self, label: str, failed: bool, count: int = 1) -> None:
        self.ended += count
        self.failed += count * failed
        rate = self.ended / max(time.monotonic() - self.began, 1e-9)
        text = f"{rate:.1f}/s" + (f", {self.failed} failed" if self.failed else "")
        with contextlib.suppress(OSError):
            self.bar.update(self.task, advance=count, rate=text)

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.bar.stop()


_told: ContextVar[Callable[[], bool]] = ContextVar("told", default=lambda: False)


@contextlib.contextmanager
def telling(quiet: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Inside, whoever is `waiting` longer than a second sees it, where there is a terminal."""
    token = _told.set(lambda: sys.stderr.isatty() and not quiet())
    try:
        yield
    finally:
        _told.reset(token)


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Something turns on the terminal while the block lasts, from its second second on."""
    if not _told.get()():
        yield
        return
    ended = threading.Event()
    turning = threading.Thread(target=_turn, args=(what, ended, sys.stderr), daemon=True)
    turning.start()
    try:
        yield
    finally:
        ended.set()
        turning.join(1.0)


def _turn(what: str, ended: threading.Event, stream: TextIO) -> None:
    if ended.wait(PATIENCE):
        return
    began, line = time.monotonic(), shown(what)[:LINE]
    with contextlib.suppress(OSError, ValueError):
        for sign in itertools.cycle("|/-\\"):
            seconds = PATIENCE + time.monotonic() - began
            write_over(stream, f"{sign} {line} ({seconds:.0f} s) ")
            if ended.wait(0.1):
                break
        write_over(stream, " " * (len(line) + 16))
        write_over(stream, "")


def progress_for(quiet: bool) -> Progress:
    """The kind that suits where standard error goes."""
    if quiet:
        return Progress()
    return BarProgress() if sys.stderr.isatty() else LineProgress()
