"""What learners print, kept for whoever wonders: run.log beside the results.

The file tells of one run, as run.json does: which fits failed and why, then what the fits printed,
each under a heading. A run where no fit failed and none printed anything leaves none, and removes
that of an earlier run. A fit whose worker ended has its heading even if it printed nothing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import NamedTuple, Optional, Sequence

from cvinfer.foreign import shown, shown_lines
from cvinfer.whole import whole

MB = 2**20
#: What one worker prints is kept up to this many bytes, and in all of a run up to that many.
OF_WORKER = 10 * MB
OF_RUN = 50 * MB
CUT = f"(more was printed: what one worker prints is kept up to {OF_WORKER // MB} MB)\n"
FULL = f"(more was printed: the log of a run is kept up to {OF_RUN // MB} MB)\n"
OUTSIDE = "outside of fits"


class Span(NamedTuple):
    """Where the text of a fit is in its worker's file; no `end`: up to the next, or to the last."""

    start: int
    end: Optional[int]
    heading: str
    always: bool


class RunLog:
    """Gathers the files of workers in the scratch directory."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self._spans: dict[int, list[Span]] = {}
        self._failures: list[str] = []
        self._gathered = scratch / "gathered.log"
        self._size = 0

    def printed(self, pid: int, start: int, end: Optional[int], heading: str) -> None:
        """A fit printed something."""
        self._spans.setdefault(pid, []).append(Span(start, end, heading, False))

    def lost(self, pid: int, start: int, heading: str) -> None:
        """A fit ended with its worker; what that worker printed is taken in."""
        if pid:
            self._spans.setdefault(pid, []).append(Span(start, None, heading, True))
            self.gather(pid)

    def failed(self, text: str) -> None:
        self._failures.append(text)

    def trim(self) -> None:
        """Stop the files of workers from growing without end while a fit is at it."""
        for path in self.scratch.glob("[0-9]*.log"):
            # The worker appends, so it goes on at the new end; it may be gone by now.
            with contextlib.suppress(OSError):
                if path.stat().st_size > 2 * OF_WORKER:
                    os.truncate(path, OF_WORKER + 1)

    def gather(self, pid: int) -> None:
        """Take over what a worker that is no more has printed."""
        path = worker_log(self.scratch, pid)
        try:
            with open(path, "rb") as stream:
                data = stream.read(OF_WORKER + 1)
            path.unlink()
        except OSError:
            data = b""
        text = _with_headings(data[:OF_WORKER], self._spans.pop(pid, []))
        text += CUT.encode() if len(data) > OF_WORKER else b""
        if not text or self._size >= OF_RUN:
            return
        self._size += len(text)
        with open(self._gathered, "ab") as gathered:
            gathered.write(text)
            if self._size >= OF_RUN:
                gathered.write(FULL.encode())

    def write(self, path: Path) -> None:
        """Everything at its place, or no file there if there is nothing to tell."""
        for each in sorted(self.scratch.glob("[0-9]*.log"), key=_age):
            self.gather(int(each.stem))
        if not self._failures and not self._size:
            path.unlink(missing_ok=True)
            return
        with whole(path) as stream:
            if self._failures:
                stream.write(_lines(self._failures))
            if self._size:
                stream.write(b"\n" if self._failures else b"")
                with open(self._gathered, "rb") as gathered:
                    shutil.copyfileobj(gathered, stream)


def worker_log(scratch: Path, pid: int) -> Path:
    return scratch / f"{pid}.log"


def _lines(failures: Sequence[str]) -> bytes:
    count = "1 fit failed" if len(failures) == 1 else f"{len(failures)} fits failed"
    return "".join(f"{shown(line)}\n" for line in [count, *failures]).encode(
        "utf-8", "backslashreplace"
    )


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _with_headings(data: bytes, spans: Sequence[Span]) -> bytes:
    spans = sorted(spans, key=lambda span: span.start)
    following = [*(span.start for span in spans[1:]), len(data)]
    parts: list[str] = []
    done = 0
    for span, limit in zip(spans, following):
        parts.append(_part(OUTSIDE, data[done : span.start], False))
        done = max(done, limit if span.end is None else span.end)
        parts.append(_part(span.heading, data[span.start : done], span.always))
    parts.append(_part(OUTSIDE, data[done:], False))
    return "".join(parts).encode("utf-8", "backslashreplace")


def _part(heading: str, data: bytes, always: bool) -> str:
    # Learners print in whatever encoding; the log is in one.
    text = shown_lines(data.decode("utf-8", "backslashreplace"))
    if not (text.strip() or always):
        return ""
    return f"--- {shown(heading)}\n{text}" + ("" if text.endswith("\n") or not text else "\n")
