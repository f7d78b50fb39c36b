"""The JVM of this process, made by Java's own invocation interface before rJava looks for one.

rJava would have Java print through R, and make an error of R of a call of Runtime.halt. Both come
from threads of Java, while R waits in its own: R has one thread only, and with two in it a process
hangs, crashes or goes on, as it happens.
"""

from __future__ import annotations

import ctypes
import locale
from typing import Any, Callable, NoReturn, Sequence

_VERSION = 0x00010006
#: What rJava gives besides: a larger stack, and none of Java's guards in the stack of R, which does
#: not know of them when it looks out for its end.
_STACK = (
    "-Xss2m",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+DisablePrimordialThreadGuardPages",
)
_Hook = ctypes.CFUNCTYPE(None, ctypes.c_int)
#: Java keeps pointers to these.
_kept: list[Any] = []


class _Option(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("extra", ctypes.c_void_p)]


class _Arguments(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int32),
        ("count", ctypes.c_int32),
        ("options", ctypes.POINTER(_Option)),
        ("ignore_unknown", ctypes.c_uint8),
    ]


def create(
    library: ctypes.CDLL, parameters: Sequence[str], class_path: str, halted: Callable[[], NoReturn]
) -> bool:
    """Make a JVM with these parameters; False if Java refuses, which whoever asks next can tell.

    halted: what to do when Java is to end at once; called in one of its own threads.
    """
    hook = _Hook(lambda status: halted())
    texts = [f"-Djava.class.path={class_path}", *parameters, *_STACK]
    options = [_Option(text.encode(), None) for text in texts]
    options.append(_Option(b"exit", ctypes.cast(hook, ctypes.c_void_p)))
    listed = (_Option * len(options))(*options)
    arguments = _Arguments(_VERSION, len(options), listed, 1)
    machine, environment = ctypes.c_void_p(), ctypes.c_void_p()
    _kept.extend((hook, listed, arguments))
    # Java sets the locale anew, from the environment; R wants the numbers as it has them.
    before = locale.setlocale(locale.LC_ALL)
    try:
        made = library.JNI_CreateJavaVM(
            ctypes.byref(machine), ctypes.byref(environment), ctypes.byref(arguments)
        )
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return bool(made == 0)
