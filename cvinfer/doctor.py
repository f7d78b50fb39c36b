"""`cvinfer doctor`: what is there, what is missing, what that costs and how to add it."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional, Sequence

OLDEST = (3, 10)
ENOUGH_MEMORY = 1.0


class Package(NamedTuple):
    """A Python package: module, name for pip, Debian's name if there is one, what it is for."""

    module: str
    name: str
    debian: str
    use: str
    needed: bool = True


PACKAGES = (
    Package("numpy", "numpy", "python3-numpy", "everything"),
    Package("scipy", "scipy", "python3-scipy", "p-values"),
    Package("sklearn", "scikit-learn", "python3-sklearn", "learners"),
    Package("yaml", "pyyaml", "python3-yaml", "reading specs"),
    Package("jsonschema", "jsonschema", "python3-jsonschema", "checking specs"),
    Package("click", "click", "python3-click", "this command"),
    Package("rich", "rich", "python3-rich", "progress and tables on a terminal"),
    Package("jinja2", "jinja2", "python3-jinja2", "LaTeX tables"),
    Package("pebble", "pebble", "python3-pebble", "worker processes"),
    Package("pandas", "pandas", "python3-pandas", "data sets of OpenML", False),
    Package("arff", "liac-arff", "python3-liac-arff", "arff files", False),
    Package("pyarrow", "pyarrow", "", "parquet files", False),
    Package("psutil", "psutil", "python3-psutil", "telling how much memory there is", False),
)


class Line(NamedTuple):
    """One line of the report; not `fine` means that nothing can run as it is."""

    text: str
    fine: bool = True


def examine(
    spec: Optional[Path],
    overrides: Sequence[str] = (),
    allow_code: bool = False,
    output: Optional[Path] = None,
    store: Optional[Path] = None,
) -> Iterator[Line]:
    """The report, line by line."""
    yield from _python()
    broken = False
    for line in _packages():
        broken = broken or not line.fine
        yield line
    if broken:
        yield Line("Verdict       a package that is needed is missing, so nothing can run.", False)
        return
    yield from _engines()
    yield from _sources()
    yield _latex()
    yield from _machine()
    if spec is None:
        place = _place(Path("results"))
        yield place
        works = _trial()
        yield works
        verdict = "Python learners can run." if place.fine and works.fine else "not ready."
        yield Line(f"Verdict       {verdict}", place.fine and works.fine)
        return
    yield from _spec(spec, overrides, allow_code, output, store)


def _row(title: str, state: str, text: str, fine: bool = True) -> Line:
    return Line(f"{title:<13} {state:<8} {text}".rstrip(), fine)


def _python() -> Iterator[Line]:
    version = platform.python_version()
    if sys.version_info >= OLDEST:
        yield _row("Python", "ok", f"{version}, {sys.executable}")
    else:
        oldest = ".".join(map(str, OLDEST))
        yield _row("Python", "MISSING", f"{version}; {oldest} or newer is needed", False)


def _packages() -> Iterator[Line]:
    missing: list[Package] = []
    for package in PACKAGES:
        reason = why_not(package.module)
        if reason is None:
            yield _row("Package", "ok", f"{package.name} {_version(package)}")
            continue
        missing.append(package)
        state = "MISSING" if package.needed else "absent"
        text = f"{package.name}, for {package.use}: {reason}"
        yield _row("Package", state, text, not package.needed)
    for command in adding(missing):
        yield Line(f"  To add: {command}")


def why_not(module: str) -> Optional[str]:
    """Why a module cannot be imported; a compiled one can be there and not work."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            return "not installed"
        return " ".join(str(error).split())[:200]
    except Exception as error:  # whatever it is, it is the reason
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None


def _version(package: Package) -> str:
    try:
        return importlib.metadata.version(package.name)
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(importlib.import_module(package.module), "__version__", ""))


def adding(packages: Sequence[Package]) -> list[str]:
    """The command that adds packages to this interpreter; a second one where Debian lacks some."""
    debian = sys.base_prefix == "/usr" and shutil.which("apt-get") is not None
    by_apt = [each.debian for each in packages if debian and each.debian]
    by_pip = [each.name for each in packages if not (debian and each.debian)]
    sudo = "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "
    commands = [f"{sudo}apt-get install {' '.join(by_apt)}"] if by_apt else []
    return commands + ([f"{sys.executable} -m pip install {' '.join(by_pip)}"] if by_pip else [])


def _engines() -> Iterator[Line]:
    from cvinfer.engines import engines

    for engine in engines().values():
        reason = engine.reason()
        if reason is not None:
            yield _row("Engine", "absent", f"{engine.name}: {reason}")
            continue
        learners = engine.learners()
        usable = sum(each.available for each in learners)
        yield _row("Engine", "ok", f"{engine.name}, {usable} learners")
        for each in learners:
            if not each.available:
                yield _row("Learner", "absent", f"{each.name}: {each.reason}")


def _sources() -> Iterator[Line]:
    from cvinfer.data import sources
    from cvinfer.listing import why_no_source

    known = {name: why_no_source(name) for name in sources()}
    usable = [name for name, reason in known.items() if reason is None]
    yield _row("Data", "ok", ", ".join(usable))
    for name, reason in known.items():
        if reason is not None:
            yield _row("Data", "absent", f"{name}: {reason}")


def _latex() -> Line:
    """LaTeX is needed by whoever compiles result.tex, not by a run."""
    add = "apt-get install texlive-latex-base texlive-latex-recommended"
    program = shutil.which("pdflatex")
    if program is None:
        return _row("LaTeX", "absent", f"result.tex cannot be compiled here; to add it: {add}")
    finder = shutil.which("kpsewhich")
    if finder is not None:
        try:
            found = subprocess.run(
                [finder, "booktabs.sty"], capture_output=True, text=True, timeout=20
            )
        except (OSError, subprocess.TimeoutExpired):
            return _row("LaTeX", "ok", program)
        if not found.stdout.strip():
            return _row("LaTeX", "absent", f"the package booktabs is missing; to add it: {add}")
    return _row("LaTeX", "ok", program)


def _machine() -> Iterator[Line]:
    from cvinfer import runner

    yield _row("Cores", "ok", str(runner.default_jobs()))
    free = _free_memory()
    if free is not None:
        state = "ok" if free >= ENOUGH_MEMORY else "little"
        yield _row("Memory", state, f"{free:.1f} GB free")


def _free_memory() -> Optional[float]:
    if why_not("psutil") is not None:
        return None
    return float(importlib.import_module("psutil").virtual_memory().available) / 1e9


def _place(directory: Path) -> Line:
    """Whether results and the store can be written; nothing is left behind."""
    there = directory.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return _row("Results", "ok", f"{directory} and the store beside can be written")
    why = "is not writable" if there.is_dir() else "is not a directory"
    text = f"{there} {why}; name another place with --output and --store"
    return _row("Results", "FAULT", text, False)


def _store(path: Path) -> Line:
    from cvinfer.cli import open_store
    from cvinfer.errors import UserError

    if not path.exists():
        return _place(path)._replace(text=_row("Store", "ok", f"{path}, not there yet").text)
    try:
        with open_store(path) as opened:
            count = opened.info()["fits"]
    except UserError as error:
        return _row("Store", "FAULT", str(error), False)
    if not os.access(path, os.W_OK):
        return _row("Store", "FAULT", f"{path} cannot be written", False)
    return _row("Store", "ok", f"{path}, {count} fits")


def _trial() -> Line:
    """A comparison in the small, from the spec to the result, in worker processes."""
    from cvinfer.runner import run

    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "doctor",
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 40},
        "learners": {
            "majority": {"engine": "builtin", "learner": "majority"},
            "mean": {"engine": "builtin", "learner": "mean"},
        },
        "tests": ["blocked_3x2_t"],
    }
    try:
        failures = run(spec, jobs=1).document["failures"]
    except Exception as error:  # the finding of the trial
        text = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        return _row("Trial run", "FAULT", text, False)
    if failures:
        return _row("Trial run", "FAULT", failures[0]["message"], False)
    return _row("Trial run", "ok", "two small learners compared")


def _spec(
    spec: Path,
    overrides: Sequence[str],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
) -> Iterator[Line]:
    from cvinfer import runner
    from cvinfer.spec import check_file, render_all

    checked, faults = check_file(spec, overrides, allow_code=allow_code)
    if checked is None:
        yield _row("Spec", "FAULT", f"{spec} has faults:", False)
        yield Line(render_all(faults), False)
        yield Line("Verdict       the spec cannot run.", False)
        return
    yield _row("Spec", "ok", f"{spec}, {len(checked.learners)} learners")

    directory = runner.output_directory(checked, output)
    places = [_place(directory), _store(runner.store_path(directory, store))]
    yield from places
    if all(line.fine for line in places):
        yield Line("Verdict       the spec can run.")
    else:
        yield Line("Verdict       the spec cannot run as it is.", False)
