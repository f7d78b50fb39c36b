"""The machine: data that can be read, LaTeX, cores, memory, places to write to."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, Optional

from cvinfer.commands.doctor.lines import Line, row
from cvinfer.commands.doctor.packages import why_not

#: Gigabytes.
ENOUGH_MEMORY = 1.0


def source_lines() -> Iterator[Line]:
    from cvinfer.data import sources

    known = {name: each.reason() for name, each in sources().items()}
    usable = [name for name, reason in known.items() if reason is None]
    yield row("Data", "ok", ", ".join(usable))
    for name, reason in known.items():
        if reason is not None:
            yield row("Data", "absent", f"{name}: {reason}")


def latex_line() -> Line:
    """LaTeX is needed by whoever compiles result.tex, not by a run."""
    add = "apt-get install texlive-latex-base texlive-latex-recommended"
    program = shutil.which("pdflatex")
    if program is None:
        text = f"result.tex cannot be compiled here; to add it: {add}"
        return row("LaTeX", "absent", text, lacks="LaTeX")
    finder = shutil.which("kpsewhich")
    if finder is not None:
        try:
            found = subprocess.run(
                [finder, "booktabs.sty"], capture_output=True, text=True, timeout=20
            )
        except (OSError, subprocess.TimeoutExpired):
            return row("LaTeX", "ok", program)
        if not found.stdout.strip():
            text = f"the package booktabs is missing; to add it: {add}"
            return row("LaTeX", "absent", text, lacks="LaTeX's booktabs")
    return row("LaTeX", "ok", program)


def machine_lines() -> Iterator[Line]:
    from cvinfer import runner

    yield row("Cores", "ok", str(runner.default_jobs()))
    free = free_memory()
    if free is not None:
        state, lacks = ("ok", "") if free >= ENOUGH_MEMORY else ("little", "enough free memory")
        yield row("Memory", state, f"{free:.1f} GB free", lacks=lacks)


def free_memory() -> Optional[float]:
    if why_not("psutil") is not None:
        return None
    return float(importlib.import_module("psutil").virtual_memory().available) / 1e9


def place_line(directory: Path) -> Line:
    """Whether results and the store can be written; nothing is left behind."""
    there = directory.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return row("Results", "ok", f"{directory} and the store beside can be written")
    why = "is not writable" if there.is_dir() else "is not a directory"
    text = f"{there} {why}; name another place with --output and --store"
    return row("Results", "FAULT", text, False)


def store_line(path: Path) -> Line:
    from cvinfer.commands._store_file import open_store
    from cvinfer.errors import UserError

    if not path.exists():
        return place_line(path)._replace(text=row("Store", "ok", f"{path}, not there yet").text)
    try:
        with open_store(path) as opened:
            count = opened.info()["fits"]
    except UserError as error:
        return row("Store", "FAULT", str(error), False)
    if not os.access(path, os.W_OK):
        return row("Store", "FAULT", f"{path} cannot be written", False)
    return row("Store", "ok", f"{path}, {count} fits")
