"""Why a worker process ended."""

from __future__ import annotations

import contextlib
import re
import signal
from pathlib import Path
from typing import Optional

from cvinfer.worker.captured import one_line

#: Bytes of a file that are enough to tell.
ENOUGH = 20_000


def cause(scratch: Path, pid: int, code: Optional[int]) -> str:
    """The best that is known: what was noted, what Java wrote, else how the process ended."""
    noted = _read(scratch / f"{pid}.cause")
    if noted.strip():
        return one_line(noted)
    return java_crash(_read(scratch / f"{pid}.hs_err")) or ending(code)


def ending(code: Optional[int]) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def spent(scratch: Path, pid: int) -> Optional[str]:
    """Why a worker gave itself up with a fit that failed; None if it did not."""
    return one_line(_read(scratch / f"{pid}.spent")) or None


def forget(scratch: Path, pid: int) -> None:
    """Remove what an earlier worker with this process id told."""
    for end in ("cause", "hs_err", "spent"):
        (scratch / f"{pid}.{end}").unlink(missing_ok=True)


def java_crash(text: str) -> Optional[str]:
    """A phrase from the report that Java writes when the process that it is in crashes."""
    lines = [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")]
    if any(line.startswith("There is insufficient memory for the Java") for line in lines):
        return "the system had no memory left for Java"
    what = next((line for line in lines if re.match(r"SIG[A-Z]+ |Internal Error ", line)), None)
    if what is None:
        return None
    # Places in memory, process and thread numbers differ from run to run.
    what = re.sub(r" \(0x[0-9a-f]+\)", "", re.split(r"(?:,| at) (?:pc|pid)=", what)[0])
    what = f"signal {what}" if what.startswith("SIG") else f"Java's {what}"
    frame = _frame(lines)
    return one_line(f"{what} in {frame}" if frame else what)


def _frame(lines: list[str]) -> Optional[str]:
    """The library or method of the frame that made the trouble."""
    with contextlib.suppress(ValueError, IndexError):
        line = lines[lines.index("Problematic frame:") + 1]
        library = re.match(r"[CV]\s+\[([^\]+]+)(?:\+0x[0-9a-f]+)?\]", line)
        method = re.match(r"[Jj]\s.*?([^\s(]+)\(", line)
        match = library or method
        return match[1] if match else None
    return None


def last_line(path: Path) -> str:
    """The last line of what was said in a file, which names the error of a Python traceback."""
    lines = _read(path).splitlines()
    return one_line(next((line for line in reversed(lines) if line.strip()), ""))


def _read(path: Path) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(ENOUGH).decode("utf-8", "backslashreplace")
    except OSError:
        return ""
