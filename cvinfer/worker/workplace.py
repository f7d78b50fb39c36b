"""Where a fit runs: what an engine may ask of, and tell to, the worker process it is in."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import NoReturn, Optional

from cvinfer.errors import LearnerError
from cvinfer.whole import whole

SCRATCH = "CVINFER_SCRATCH"
MEMORY_MB = "CVINFER_MEMORY_MB"


class Spent(LearnerError):
    """The fit failed and its worker is of no more use, as after an exhausted heap.

    The failure is recorded at once, and a new worker takes this one's place.
    """


def scratch() -> Optional[Path]:
    """The run's own directory for temporary files; None outside of workers."""
    found = os.environ.get(SCRATCH)
    return Path(found) if found else None


def memory_mb() -> Optional[float]:
    """`limits.memory_mb` of the spec: what one fit may take; None without a limit."""
    found = os.environ.get(MEMORY_MB)
    return float(found) if found else None


def import_path() -> list[str]:
    """Where modules are looked for, said so that it holds in any working directory."""
    return [os.path.abspath(each) if os.path.exists(each or ".") else each for each in sys.path]


_allowed: dict[str, float] = {}


def allow(what: str, megabytes: float) -> None:
    """Memory that an engine's own machinery comes to need by and by, not held against a fit."""
    _allowed[what] = megabytes


def allowance_mb() -> float:
    """All that was allowed for, in this worker."""
    return sum(_allowed.values())


def cause_file() -> Optional[Path]:
    """Where to write why this worker ends; None outside of workers."""
    place = scratch()
    return None if place is None else place / f"{os.getpid()}.cause"


def note_cause(text: str) -> None:
    """Write down why this worker ends, should it end in this fit. Outside of workers: nothing."""
    path = cause_file()
    if path is None:
        return
    with contextlib.suppress(OSError), whole(path, lasting=False) as stream:
        stream.write(text.encode("utf-8", errors="backslashreplace"))


def leave(text: str, code: int = 70) -> NoReturn:
    """End this worker at once, for the reason given."""
    note_cause(text)
    os._exit(code)
