"""Many commands in one process, for cases that need no process of their own.

`python -m torture.inside` answers requests, one line of JSON each, on the pipes that it was given.
Whoever asks waits for a limited time, and ends a process that does not answer.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Optional

from torture.cases import Fault
from torture.commands import STEP, Answer, environment, no_orphan

#: Bytes of memory that such a process, and each that it starts, may have.
MEMORY = 6 << 30
#: Commands after which a process is changed for a new one.
COMMANDS = 150


class Inside:
    """One such process; `ask` is a command in it."""

    def __init__(self, place: Path, name: str) -> None:
        self.place, self.name, self.asked, self.started = place, name, 0, 0
        self.process: Optional["subprocess.Popen[str]"] = None

    def ask(self, place: Path, *words: object, seconds: float = STEP, alone: bool = True) -> Answer:
        """A command with `place` as its working directory.

        What it started ends with it, if it is `alone`; otherwise R need not be started anew by
        each.
        """
        if self.process is None:
            self._start()
        assert self.process is not None and self.process.stdin and self.process.stdout
        (place / "tmp").mkdir(exist_ok=True)
        request = {"place": str(place), "words": [str(word) for word in words], "alone": alone}
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], seconds)
            line = self.process.stdout.readline() if ready else None
        except OSError:
            line = ""
        if not line:
            how = self._end()
            if line is None:
                raise Fault(f"hangs: no end within {seconds:g} s of {request['words']}")
            raise Fault(f"the process ends ({how}) at {request['words']}")
        self.asked += 1
        answer = json.loads(line)
        if self.asked >= COMMANDS:
            self.close()
        return Answer(**answer)

    def close(self) -> None:
        """End it in order; nothing of it may stay."""
        if self.process is not None:
            assert self.process.stdin
            self.process.stdin.close()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                pass
            self._end()
            no_orphan(self._mark())

    def _mark(self) -> str:
        return f"{self.name}-{self.started}"

    def _start(self) -> None:
        self.started, self.asked = self.started + 1, 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "torture.inside"],
            cwd=Path(__file__).resolve().parent.parent,
            env=environment(self._mark(), self.place / f"{self._mark()}-tmp"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def _end(self) -> str:
        assert self.process is not None
        process, self.process = self.process, None
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        return f"exit code {process.wait(30)}"


class Several:
    """Some of them, each for one case at a time."""

    def __init__(self, place: Path, number: int) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._all = [Inside(place, f"{place.parent.name}-inside-{i}") for i in range(number)]
        self._free: "queue.SimpleQueue[Inside]" = queue.SimpleQueue()
        for each in self._all:
            self._free.put(each)

    def ask(self, place: Path, *words: object, seconds: float = STEP, alone: bool = True) -> Answer:
        one = self._free.get()
        try:
            return one.ask(place, *words, seconds=seconds, alone=alone)
        finally:
            self._free.put(one)

    def close(self) -> list[str]:
        """What they left that they should not have."""
        told = []
        for each in self._all:
            try:
                each.close()
            except Fault as fault:
                told.append(str(fault))
        return told


# --- in the process -------------------------------------------------------------------------------


def _serve() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    # The pipes are not for commands to read from, or to write to.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    _to_nowhere()
    for line in requests:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()


def _answer(request: Any) -> dict[str, Any]:
    from cvinfer import limits
    from cvinfer.cli import main

    place = Path(request["place"])
    os.chdir(place)
    os.environ["TMPDIR"] = str(place / "tmp")
    tempfile.tempdir = None
    limits._read_already.clear()
    _forget_peak()
    peak_before = _peak()
    began = time.process_time()
    with open(place / "out", "wb+") as out, open(place / "err", "wb+") as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        code = 0
        try:
            main(request["words"])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:  # what the command itself does not turn into an exit code
            import traceback

            code = 1
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        seconds = time.process_time() - began
        if request["alone"]:
            _end_helper()
        _to_nowhere()
        texts = []
        for each in (out, err):
            each.seek(0)
            texts.append(each.read().decode("utf-8", "replace"))
    return {
        "code": code,
        "out": texts[0],
        "err": texts[1],
        "seconds": seconds,
        "peak": _peak() - peak_before,
    }


def _end_helper() -> None:
    """The process that answers questions about R goes with its command, as it does elsewhere."""
    inquiry = sys.modules.get("cvinfer.engines._r.client")
    if inquiry is not None:
        inquiry.end()


def _to_nowhere() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for each in (1, 2):
        os.dup2(nowhere, each)
    os.close(nowhere)


def _forget_peak() -> None:
    with open("/proc/self/clear_refs", "w") as stream:
        stream.write("5")


def _peak() -> float:
    with open("/proc/self/status") as stream:
        (line,) = (each for each in stream if each.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    _serve()
