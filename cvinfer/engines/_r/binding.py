"""All of rpy2 that differs between its versions, or that it does not promise, is here.

Like everything that loads R, this is for worker processes and for the helper that answers
questions. `TRIED` are the versions that the tests ran with; others may do as well.
"""

from __future__ import annotations

import ctypes
import os
import resource
from pathlib import Path
from typing import Any, Callable, NoReturn, Sequence

import numpy as np
from numpy.typing import NDArray

TRIED = ("3.5.9", "3.5.17", "3.6.9")

#: Of the stack that the system allows; what is left is for Python and C below R.
SHARE_OF_STACK = 0.85
SMALLEST_STACK = 8 << 20


def start(
    options: Sequence[str],
    say: Callable[[str], None],
    read: Callable[[str], str],
    ended: Callable[[int, int, int], NoReturn],
) -> Any:
    """R in this process, started unless it was; the module with R's values.

    say: where R's messages to a user go. read: answers R's prompts. ended: what to do when R ends
    for good, by quit() or because it cannot go on; rpy2 alone would hang there.
    """
    from rpy2 import rinterface  # type: ignore[import]
    from rpy2.rinterface_lib import callbacks, embedded  # type: ignore[import]

    if not embedded.isinitialized():
        callbacks.showmessage = say
        callbacks.consoleread = read
        callbacks.cleanup = ended
        embedded.set_initoptions(tuple(options))
        # With R's own check of the stack a runaway recursion is an error, without it a crash. That
        # rpy2 takes this is no promise, as its underscore says.
        rinterface.initr(interactive=False, _c_stack_limit=_stack())
        _print_past_python()
    return rinterface


def _print_past_python() -> None:
    """Let R print by itself to the descriptors 1 and 2.

    Through rpy2 it would wait for rpy2's lock, which the thread that called R holds. Java prints
    through R too, from threads of its own while that one waits for them: neither would ever end.
    """
    r, c = ctypes.CDLL("libR.so"), ctypes.CDLL(None)
    for ours, stream in (("R_Outputfile", "stdout"), ("R_Consolefile", "stderr")):
        ctypes.c_void_p.in_dll(r, ours).value = ctypes.c_void_p.in_dll(c, stream).value


def _stack() -> int:
    soft = resource.getrlimit(resource.RLIMIT_STACK)[0]
    stack = SMALLEST_STACK if soft == resource.RLIM_INFINITY else soft
    return int(stack * SHARE_OF_STACK)


def numbers_of(vector: Any) -> NDArray[Any]:
    """The numbers of an R vector, as an array of their own.

    With every memory view that it makes, rpy2 3.5 gives away a reference to None that it does not
    have. Before Python 3.12 a process in which the last one is gone is aborted: after some
    thousands of fits. So one is taken for each; where rpy2 does not do that, it is one too many,
    which does no harm.
    """
    if not len(vector):
        return np.empty(0)
    view = vector.memoryview()
    _take_reference(None)
    return np.array(view, copy=True)


_take_reference = ctypes.pythonapi.Py_IncRef
_take_reference.argtypes = [ctypes.py_object]
_take_reference.restype = None


def library_places() -> list[Path]:
    """Where R looks for shared libraries, Java's among them."""
    from rpy2.rinterface_lib import openrlib

    places = str(getattr(openrlib, "LD_LIBRARY_PATH", "")).split(os.pathsep)
    return [Path(each) for each in dict.fromkeys(places) if each]
