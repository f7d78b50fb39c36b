"""What there is of R, its packages, Java and Weka."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from typing import Any, Iterator, Mapping, Optional, Sequence

from cvinfer.commands.doctor import machine
from cvinfer.commands.doctor.lines import Line, row

#: Megabytes of a worker besides Java's heap: Python, R and the JVM itself.
WORKER_MB = 300


def r_lines() -> Iterator[Line]:
    program = r_program()
    if program is None:
        yield row("R", "MISSING", "there is no R on the PATH", False)
        return
    version, home = r_version(), said_by([program, "RHOME"])
    if not version:
        yield row("R", "MISSING", f"{program} does not run", False)
        return
    yield row("R", "ok", f"{version}, {home}")
    from cvinfer.engines._r.installation import library

    own = library()
    if own is not None:
        yield row("R library", "ok", str(own))


def r_program() -> Optional[str]:
    """R as rpy2 would find it."""
    home = os.environ.get("R_HOME")
    return shutil.which("R", path=os.path.join(home, "bin")) if home else shutil.which("R")


def r_version() -> Optional[str]:
    """The version of R, such as 4.2.2; R itself is not started."""
    program = r_program()
    found = re.search(r"^R version (\S+)", said_by([program, "--version"]) if program else "")
    return found.group(1) if found else None


def said_by(words: Sequence[str], more: Mapping[str, str] = {}) -> str:
    """What a program prints, or nothing; `more` goes into its environment."""
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **more},
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def rpy2_line() -> Line:
    """Not imported: that would bring R into this process."""
    if importlib.util.find_spec("rpy2") is None:
        return row("rpy2", "MISSING", "the Python package rpy2 is not installed", False)
    version = importlib.metadata.version("rpy2")
    if too_new(version, r_version()):
        text = f"{version} needs R 4.5 or newer; below 3.6 it works with R {r_version()}"
        return row("rpy2", "FAULT", text, False)
    return row("rpy2", "ok", version)


def too_new(rpy2: str, r: Optional[str]) -> bool:
    """From 3.6 on rpy2 calls a function that R has since 4.5."""
    return r is not None and numbers(r) < (4, 5) and numbers(rpy2) >= (3, 6)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])


def r_package_lines(versions: Mapping[str, Optional[str]]) -> Iterator[Line]:
    """Those that are there, and those that are not; which of them are missed, learners tell."""
    names = sorted(versions, key=str.lower)
    there = [f"{name} {versions[name]}" for name in names if versions[name]]
    yield row("R packages", "ok", ", ".join(there))
    absent = [name for name in names if not versions[name]]
    if absent:
        yield row("R packages", "absent", ", ".join(absent))


def weka_lines(found: Mapping[str, Any]) -> Iterator[Line]:
    java = found["java"] or _java_version()
    if java:
        yield row("Java", "ok", str(java))
    else:
        yield row("Java", "MISSING", "there is no Java on the PATH", False)
    if found["libjvm"]:
        yield row("libjvm", "ok", str(found["libjvm"]))
    else:
        text = "Java's library libjvm.so is not where R looks; R CMD javareconf tells R of a Java"
        yield row("libjvm", "MISSING", text, False)
    if found["weka"]:
        yield row("Weka", "ok", str(found["weka"]))
    for what, why in found["faults"].items():
        yield row(str(what), "MISSING", str(why), False)


def _java_version() -> Optional[str]:
    said = re.search(r'version "([^"]+)"', said_by(["java", "-version"]))
    return said.group(1) if said else None


def heap_line(heap_mb: int) -> Line:
    """Java's heap is a limit; it is tight only if every worker fills it."""
    from cvinfer import runner

    jobs, free = runner.default_jobs(), machine.free_memory()
    text = f"at most {heap_mb} MB in each of {jobs} workers"
    if free is not None and free * 1000 < jobs * (heap_mb + WORKER_MB):
        fit = max(int(free * 1000) // (heap_mb + WORKER_MB), 1)
        text += f", and {free:.1f} GB are free: run with --jobs {fit}, or set limits: memory_mb"
        return row("JVM heap", "little", text, lacks="memory for all heaps at once")
    return row("JVM heap", "ok", text)
