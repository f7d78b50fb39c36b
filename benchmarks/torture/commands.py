"""The command as a process of its own: how it is started, what it may leave, what it may print."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple, Optional

from torture.cases import Fault

#: A variable that everything has which a case started.
MARK = "CVINFER_TORTURE"
#: No step takes longer, however busy the machine is.
STEP = 180.0
#: Seconds in which what a killed command leaves behind is gone.
GRACE = 10.0
START = "import sys; from cvinfer.cli import main; main(sys.argv[1:])"
#: Files of a result that are the same bytes whatever happened.
SAME = ("result.json", "result.tex", "result.md", "predictions.csv.gz")
#: What a terminal obeys: controls but for tab and newline, marks of direction, tags.
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
COMPLAINTS = ("Traceback (most recent call last)", "internal error")


class Answer(NamedTuple):
    """What a command said. seconds: of the processor; peak: MB of memory more than before."""

    code: int
    out: str
    err: str
    seconds: float = 0.0
    peak: float = 0.0

    @property
    def text(self) -> str:
        return self.out + self.err

    def short(self) -> str:
        return f"exit code {self.code}: {self.text.strip()[-600:]}"


def environment(mark: str, temporary: Path, **more: str) -> dict[str, str]:
    temporary.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "CVINFER_DEBUG"}
    return {**kept, MARK: _own(mark), "TMPDIR": str(temporary), "COLUMNS": "200", **more}


def _own(mark: str) -> str:
    """A mark that no other torture on this machine has at the same time."""
    return f"{os.getpid()}-{mark}"


@contextlib.contextmanager
def started(
    place: Path, *words: object, mark: str, more: Mapping[str, str] = {}
) -> Iterator["subprocess.Popen[bytes]"]:
    """A command that is on its way; what it prints goes to files `out` and `err`."""
    with open(place / "out", "wb") as out, open(place / "err", "wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, words)],
            cwd=place,
            env=environment(mark, place / "tmp", **more),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(STEP)


def ended(process: "subprocess.Popen[bytes]", place: Path, seconds: float, after: str) -> Answer:
    """Wait for the end of a command, which must come."""
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise Fault(f"hangs: no end within {seconds:g} s after {after}") from None
    return Answer(code, read(place / "out"), read(place / "err"))


def command(place: Path, *words: object, mark: str, more: Mapping[str, str] = {}) -> Answer:
    with started(place, *words, mark=mark, more=more) as process:
        return ended(process, place, STEP, " ".join(map(str, words)))


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def files(directory: Path) -> dict[str, bytes]:
    found = {name: directory / name for name in SAME}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file()}


def same(found: Path, expected: Mapping[str, bytes]) -> None:
    """The results are the same bytes, all of them."""
    there = files(found)
    for name in expected:
        if name not in there:
            raise Fault(f"{name} is missing")
        if there[name] != expected[name]:
            raise Fault(f"{name} has other bytes")


def no_complaint(answer: Answer) -> None:
    for words in COMPLAINTS:
        if words in answer.text:
            raise Fault(f"{words}: {answer.short()}")


def harmless(*texts: str) -> None:
    for text in texts:
        found = OBEYED.search(text)
        if found:
            around = text[max(0, found.start() - 40) : found.end() + 20]
            raise Fault(f"prints {found[0]!a} as it is: {around!a}")


def facts(directory: Path) -> Any:
    return json.loads((directory / "run.json").read_text())


# --- processes ------------------------------------------------------------------------------------


def marked(mark: str) -> list[int]:
    """The processes that a case started, whatever became of their parents."""
    entry = f"{MARK}={_own(mark)}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                with open(f"/proc/{name}/environ", "rb") as stream:
                    variables = stream.read().split(b"\0")
                if entry in variables and not _zombie(name):
                    found.append(int(name))
    return found


def _zombie(pid: str) -> bool:
    with open(f"/proc/{pid}/stat") as stream:
        return stream.read().rpartition(")")[2].split()[0] == "Z"


def children(pid: int) -> list[int]:
    """What any thread of a process started."""
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as stream:
                found += [int(word) for word in stream.read().split()]
    return found


def below(pid: int) -> list[int]:
    """Its children, theirs, and so on."""
    return [each for child in children(pid) for each in (child, *below(child))]


def is_worker(pid: int) -> bool:
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return b"cvinfer.execute.backends.worker" in stream.read()
    return False


def no_orphan(mark: str) -> float:
    """Wait until nothing of a case runs any more; the seconds that it took."""
    began = time.monotonic()
    while True:
        left = marked(mark)
        took = time.monotonic() - began
        if not left:
            return took
        if took > GRACE:
            told = [f"{pid} {_command_line(pid)}" for pid in left]
            for pid in left:  # it has been told; the next case must not suffer from it
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            raise Fault(f"orphans: {'; '.join(told)}")
        time.sleep(0.02)


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")[:120]
    return "?"


def nothing_left(place: Path, *directories: Path) -> None:
    """No scratch directory and nothing half-written."""
    left = [each.name for each in (place / "tmp").iterdir()]
    for directory in directories:
        left += [each.name for each in directory.glob(".cvinfer.*")]
    if left:
        raise Fault(f"left behind: {', '.join(sorted(left))}")


def clear(place: Path) -> None:
    """Make room; what a fault is about stays until the end."""
    shutil.rmtree(place, ignore_errors=True)


def without(executable: str) -> Optional[str]:
    return None if shutil.which(executable) else f"there is no {executable}"
