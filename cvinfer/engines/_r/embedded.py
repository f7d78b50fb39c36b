"""R and the JVM in this very process, started once and only when asked for.

Nothing here may be imported by the main process: R takes over signals, locale and memory, and a
JVM does not survive a fork.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shlex
import threading
from pathlib import Path
from typing import Any, Mapping, NoReturn, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.worker import workplace
from cvinfer.engines._r import binding, jvm
from cvinfer.engines._r.installation import (
    HEAP_MB,
    NO_PROFILES,
    PACKAGE,
    NoR,
    library,
    remedy,
    too_old,
    why_no_r,
)
from cvinfer.worker.captured import one_line

#: R's settings come from the session alone; what a user's own start-up files do is not for fits.
OPTIONS = (
    "cvinfer",
    "--quiet",
    "--no-save",
    "--no-restore",
    "--no-init-file",
    "--no-site-file",
    "--no-environ",
)
#: Megabytes besides the heap that a JVM takes by and by, for the code it compiles and the like.
JVM_MB = 128


@functools.lru_cache(maxsize=None)
def bridge() -> "Bridge":
    """R with the bridge's package loaded."""
    why = why_no_r()
    if why is not None:
        raise NoR(why)
    return Bridge(_start())


@functools.lru_cache(maxsize=None)
def weka() -> "Bridge":
    """The same with a JVM and Weka."""
    found = bridge()
    library = load_libjvm()
    workplace.allow("JVM", JVM_MB)
    wanted = found.call("bridge_weka_jvm", text(jvm_parameters()))
    if library is not None and fault_of(wanted) is None:
        jvm.create(library, wanted["parameters"], wanted["class_path"][0], _halted)
    answer = found.call("bridge_weka_start", text(jvm_parameters()))
    said = fault_of(answer)
    if said is not None:
        raise NoR(f"Weka cannot be started: {said}; {remedy()}")
    return found


def fault_of(answer: Any) -> Optional[str]:
    """What went wrong, where the bridge returned that in place of a result."""
    if not isinstance(answer, Mapping) or "error" not in answer:
        return None
    said = answer["error"]
    return one_line(said if isinstance(said, str) else said[0])


class Bridge:
    """The functions of the R package by name; arguments and results are R values."""

    def __init__(self, interface: Any) -> None:
        self.interface = interface
        get = interface.baseenv
        try:
            self._namespace = get["loadNamespace"](text([PACKAGE]))
        except Exception as error:
            why = re.sub(r"^Error in .*? : ", "", one_line(error))
            raise NoR(f"cvinfer's own R package cannot be loaded: {why}; {remedy()}") from None
        self._functions: dict[str, Any] = {}

    def raw(self, function: str, *arguments: Any) -> Any:
        """What a function of the package returns, as R has it."""
        if function not in self._functions:
            try:
                self._functions[function] = self._namespace[function]
            except KeyError:
                raise NoR(too_old(f"{function}()")) from None
        thread = threading.get_ident()
        try:
            return self._functions[function](*arguments)
        finally:
            # With a JVM that a learner of R started, rJava makes an error of R of it, and R goes on
            # with that in another thread.
            if threading.get_ident() != thread:
                _halted()

    def call(self, function: str, *arguments: Any) -> Any:
        """The same as Python values; see `to_python`."""
        return to_python(self.raw(function, *arguments))


def load_libjvm() -> Optional[ctypes.CDLL]:
    """Load the JVM's library from where R would look for it, which R's own start cannot do here."""
    for path in libjvm_candidates():
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    return None


def libjvm_candidates() -> list[Path]:
    """R's own setting knows where Java is; its embedded form does not look there by itself."""
    found = [each / "libjvm.so" for each in binding.library_places()]
    return [each for each in found if each.is_file()]


def heap_mb() -> int:
    """Java's heap: what the spec allows for a fit, or the default."""
    limit = workplace.memory_mb()
    return HEAP_MB if limit is None else max(int(limit), 8)


def jvm_parameters() -> list[str]:
    """How the JVM is started; it must leave signals to Python and no files behind."""
    found = [
        f"-Xmx{heap_mb()}m",
        "-XX:+UseSerialGC",  # a third less memory at the same speed, with one thread a fit
        "-Xrs",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:-UsePerfData",
        "-XX:+DisableAttachMechanism",  # would leave a socket in the system's temporary place
        "-XX:-CreateCoredumpOnCrash",
        "-Djava.awt.headless=true",
        "-Dfile.encoding=UTF-8",
    ]
    scratch, cause = workplace.scratch(), workplace.cause_file()
    if scratch is not None and cause is not None:
        found += [
            f"-XX:ErrorFile={scratch / str(os.getpid())}.hs_err",
            f"-Dcvinfer.cause={cause}",
            f"-Djava.io.tmpdir={os.environ.get('TMPDIR', str(scratch))}",
            f"-Duser.home={scratch}",  # Weka keeps a folder of its own in there
            f"-XX:OnOutOfMemoryError=: > {shlex.quote(str(_exhausted(scratch)))}",
        ]
    return found


def heap_exhausted() -> bool:
    """Whether Java ever ran out of heap in this worker, even if a learner kept that to itself.

    Those of Weka that build parts of a model in threads of their own go on without the parts.
    """
    scratch = workplace.scratch()
    return scratch is not None and _exhausted(scratch).exists()


def _exhausted(scratch: Path) -> Path:
    return Path(os.environ.get("TMPDIR", str(scratch))) / "heap-exhausted"


def _start() -> Any:
    # rpy2 itself starts R to ask for its library path, with none of the options above.
    os.environ.update(NO_PROFILES)
    rinterface = binding.start(OPTIONS, _say, _no_input, _ended)
    own = library()
    if own is not None:
        paths = [str(own), *to_python(rinterface.baseenv[".libPaths"]())]
        rinterface.baseenv[".libPaths"](text(paths))
    return rinterface


def _say(message: str) -> None:
    data = message.encode("utf-8", "replace")
    while data:
        data = data[os.write(2, data) :]


def _no_input(prompt: str) -> str:
    return "\n"


def _halted() -> NoReturn:
    workplace.leave("the learner called Java's Runtime.halt")


def _ended(saveact: int, status: int, runlast: int) -> NoReturn:
    """R ends for good: by quit(), or because it cannot go on."""
    workplace.leave(f"R ended: quit() with status {status}")


# --- values ---------------------------------------------------------------------------------------


def to_r(value: Any) -> Any:
    """A value of a spec as R has it: numbers as doubles, lists as vectors, mappings as lists."""
    from rpy2 import rinterface as ri

    if value is None:
        return ri.NULL
    if isinstance(value, (bool, np.bool_)):
        return ri.BoolSexpVector([bool(value)])
    if isinstance(value, (int, float, np.number)):
        return ri.FloatSexpVector([float(value)])
    if isinstance(value, str):
        return ri.StrSexpVector([value])
    if isinstance(value, Mapping):
        made = ri.ListSexpVector([to_r(each) for each in value.values()])
        made.names = ri.StrSexpVector([str(each) for each in value])
        return made
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(each, (bool, np.bool_)) for each in value):
            return ri.BoolSexpVector([bool(each) for each in value])
        if value and all(_is_number(each) for each in value):
            return ri.FloatSexpVector([float(each) for each in value])
        if value and all(isinstance(each, str) for each in value):
            return ri.StrSexpVector(list(value))
        return ri.ListSexpVector([to_r(each) for each in value])
    raise TypeError(f"a {type(value).__name__} cannot be passed to R")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(values: Sequence[str]) -> Any:
    from rpy2 import rinterface as ri

    return ri.StrSexpVector(list(values))


def doubles(values: NDArray[np.float64]) -> Any:
    from rpy2 import rinterface as ri

    return ri.FloatSexpVector(np.ascontiguousarray(values, dtype=np.float64))


def integers(values: NDArray[Any]) -> Any:
    from rpy2 import rinterface as ri

    return ri.IntSexpVector(np.ascontiguousarray(values, dtype=np.int32))


def items(values: Sequence[Any]) -> Any:
    from rpy2 import rinterface as ri

    return ri.ListSexpVector(list(values))


def to_python(value: Any) -> Any:
    """R's vectors as arrays (logicals as integers) or lists of text, with names as mappings."""
    from rpy2 import rinterface as ri

    if _is_null(value):
        return None
    if isinstance(value, ri.ListSexpVector):
        names = value.names
        if _is_null(names):
            return [to_python(each) for each in value]
        return {str(name): to_python(each) for name, each in zip(names, value)}
    if isinstance(value, ri.StrSexpVector):
        texts = [None if each is ri.NA_Character else str(each) for each in value]
        names = value.names
        return texts if _is_null(names) else dict(zip(map(str, names), texts))
    if isinstance(value, (ri.IntSexpVector, ri.FloatSexpVector, ri.BoolSexpVector)):
        return binding.numbers_of(value)
    return value


def _is_null(value: Any) -> bool:
    from rpy2 import rinterface as ri

    return isinstance(value, type(ri.NULL))
