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

from cvinfer.engines.workplace import scratch

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


def one_line(message: Any) -> str:
    """A message on one line and without addresses, which differ from run to run."""
    line = re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x...", " ".join(str(message).split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


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


def flush() -> None:
    """Write out what compiled code has printed and C still holds."""
    library = _library()
    if library is not None:
        library.fflush(None)
