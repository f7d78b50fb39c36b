"""Questions to R from a process that never loads R.

One helper process answers them all. It is started at the first question and ended with this
process; its temporary files lie in a directory of its own, which goes with it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import Any, Mapping, Optional

from cvinfer.engines._r.installation import NoR, places, why_no_r
from cvinfer.errors import UserError
from cvinfer.worker.causes import cause
from cvinfer.worker.scratch import Scratch
from cvinfer.worker.workplace import SCRATCH, import_path

#: Seconds that an answer may take: the start of R and the JVM, or a large data set.
PATIENCE = 120.0
#: Seconds for the helper to end by itself.
FAREWELL = 0.5

_START = "import sys; sys.path[:] = {path!r}; from cvinfer.engines._r.server import serve; serve()"
_SIZE = struct.Struct("<Q")


def ask(question: str, *arguments: Any) -> Any:
    """The answer of R; see `server` for the questions.

    Raises `NoR` where R cannot be used, `UserError` where R has something against the question.
    """
    why = why_no_r()
    if why is not None:
        raise NoR(why)
    with _lock:
        kind, answer = _helper().ask(question, arguments)
    if kind == "nor":
        raise NoR(answer)
    if kind == "fault":
        raise UserError(answer)
    return answer


@functools.lru_cache(maxsize=None)
def known(question: str, *arguments: Any) -> Any:
    """The same for what does not change while this process lives: asked once."""
    return ask(question, *arguments)


_lock = threading.RLock()
_current: Optional["_Helper"] = None


def _helper() -> "_Helper":
    global _current
    if _current is None or not _current.alive():
        if _current is not None:
            _current.end()
        _current = _Helper()
    return _current


@atexit.register
def end() -> None:
    """End the helper, if there is one."""
    global _current
    if _current is not None:
        _current.end()
        _current = None


class _Helper:
    def __init__(self) -> None:
        self.pid = os.getpid()
        self.scratch = Scratch()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=import_path())],
            # Not in the user's directory: what lies there is not for R or Java.
            cwd=self.scratch.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **places(), **_environment(str(self.scratch.path))},
            # Ctrl-C is for this process, which ends the helper.
            start_new_session=True,
        )

    def alive(self) -> bool:
        return self.pid == os.getpid() and self.process.poll() is None

    def ask(self, question: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        message = pickle.dumps((question, arguments))
        try:
            self._write(_SIZE.pack(len(message)) + message)
            (size,) = _SIZE.unpack(self._read(_SIZE.size))
            answer: tuple[str, Any] = pickle.loads(self._read(size))
        except (OSError, EOFError, struct.error, TimeoutError) as error:
            raise NoR(self._why(question, error)) from None
        except BaseException:  # half an answer is left in the pipe
            self.end()
            raise
        return answer

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        descriptor = self.process.stdin.fileno()
        # A helper that reads no more must not keep this process waiting.
        os.set_blocking(descriptor, False)
        until = time.monotonic() + PATIENCE
        while data:
            _, ready, _ = select.select([], [descriptor], [], max(until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            data = data[os.write(descriptor, data) :]

    def _read(self, size: int) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        parts: list[bytes] = []
        until = time.monotonic() + PATIENCE
        while size:
            ready, _, _ = select.select([descriptor], [], [], max(until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            part = os.read(descriptor, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _why(self, question: str, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            self.end()
            return f"R did not answer within {PATIENCE:g} s (question: {question})"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(FAREWELL)
        why = cause(self.scratch.path, self.process.pid, self.process.returncode)
        self.end()
        return f"R's process ended while it was asked (question: {question}): {why}"

    def end(self) -> None:
        if self.pid != os.getpid():  # a fork of the process that has it
            return
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.scratch.remove()


def _environment(scratch: str) -> Mapping[str, str]:
    return {
        SCRATCH: scratch,
        "TMPDIR": scratch,
        "WEKA_HOME": os.path.join(scratch, "wekafiles"),
        "LC_ALL": "C.UTF-8",
    }
