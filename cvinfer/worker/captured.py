"""Keeps a learner's own talk off the terminal and its warnings in hand."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import io
import multiprocessing
import os
import re
import threading
import warnings
from typing import Any, Iterable, Iterator

from cvinfer.worker.workplace import scratch

LONGEST = 500


class _Nowhere(io.StringIO):
    def write(self, text: str) -> int:
        return len(text)

    def writable(self) -> bool:
        return True


@contextlib.contextmanager
def quietly() -> Iterator[list[warnings.WarningMessage]]:
    """Inside: standard output and error go nowhere, warnings into the list that is given.

    In a worker what is printed goes to the log of the run, as the worker has arranged.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Meant for who writes the library, not for who runs the learner.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        if scratch() is not None:
            yield caught
            return
        with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()):
            with _descriptor_closed():
                yield caught


def texts(caught: Iterable[warnings.WarningMessage]) -> tuple[str, ...]:
    """The warnings as text, each once, in the order they came."""
    said = (f"{each.category.__name__}: {one_line(each.message)}" for each in caught)
    return tuple(dict.fromkeys(said))


def one_line(message: object) -> str:
    """A message on one line and without what differs from run to run.

    That is addresses, and in a worker its own temporary files and process id.
    """
    line = re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x...", " ".join(str(message).split()))
    place = scratch()
    if place is not None:
        line = _without_own(line, str(place))
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def _without_own(line: str, place: str) -> str:
    for own in {place, os.path.realpath(place)}:
        line = re.sub(re.escape(own) + r"[^\s'\"`,;:)\]}>]*", "[temporary file]", line)
    # The number alone may be a number of something else.
    numbers = f"{os.getpid()}|{os.getppid()}"
    return re.sub(rf"(?i)\b((?:pid|process(?: id)?)\W{{1,3}})(?:{numbers})\b", r"\1[id]", line)


@contextlib.contextmanager
def _descriptor_closed() -> Iterator[None]:
    # Compiled learners print past sys.stdout. The descriptor belongs to the whole process, so it
    # is only taken where nobody else can be writing: in a worker, or with one thread alive.
    alone = multiprocessing.parent_process() is not None or threading.active_count() == 1
    if not alone:
        yield
        return
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output to protect
        yield
        return
    try:
        # What was printed before, by others, must not go down with the learner's.
        flush()
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            flush()
            os.dup2(kept, 1)
    finally:
        os.close(kept)


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):  # no C library to be had by that name, as on Windows
        return None


def by_line() -> None:
    """Let compiled code print line by line.

    What it printed before a crash is there then, and before what is written about the crash.
    """
    library = _library()
    line_by_line = 1  # _IOLBF
    if library is not None:
        with contextlib.suppress(ValueError, AttributeError):  # no C library that we know
            stdout = ctypes.c_void_p.in_dll(library, "stdout")
            library.setvbuf(stdout, None, line_by_line, ctypes.c_size_t(0))


def flush() -> None:
    """Write out what compiled code has printed and C still holds."""
    library = _library()
    if library is not None:
        library.fflush(None)
