"""`cvinfer doctor`: what is there, what is missing, what that costs and how to add it."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Collection, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer.engines._r.installation import setup_script

OLDEST = (3, 10)
ENOUGH_MEMORY = 1.0
#: Megabytes of a worker besides Java's heap: Python, R and the JVM itself.
WORKER_MB = 300
#: The engines whose learners live in R.
R, WEKA = "r", "rweka"
#: A learner of each that the trial fits.
TRIED = {R: "rpart", WEKA: "J48"}


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
    Package("pandas", "pandas", "python3-pandas", "labels in data frames", False),
    Package("arff", "liac-arff", "python3-liac-arff", "arff files", False),
    Package("pyarrow", "pyarrow", "", "parquet files", False),
    Package("psutil", "psutil", "python3-psutil", "telling how much memory there is", False),
)


RPY2 = Package("rpy2", "rpy2", "python3-rpy2", "learners of R and Weka", False)
#: The R package of each ready-made learner, for when R itself cannot be asked.
R_PACKAGES = {
    "glm": "stats",
    "kknn": "kknn",
    "knn": "class",
    "lda": "MASS",
    "multinom": "nnet",
    "naiveBayes": "e1071",
    "nnet": "nnet",
    "qda": "MASS",
    "randomForest": "randomForest",
    "ranger": "ranger",
    "rpart": "rpart",
    "svm": "e1071",
    "tree": "tree",
}
#: RWeka brings RWekajars, which has Weka itself.
WEKA_PACKAGES = ("RWeka", "rJava")
#: R packages that Debian does not have, and what they build on that it has.
NOT_IN_DEBIAN = {"RWeka": "rJava", "RWekajars": "rJava", "tree": None, "kknn": "igraph"}


class Line(NamedTuple):
    """One line of the report; not `fine` means that something asked for cannot run as it is.

    `lacks` is what is not there and no fault, in the words of the last line.
    """

    text: str
    fine: bool = True
    lacks: str = ""


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
    if spec is None:
        yield from _everything()
    else:
        yield from _spec(spec, overrides, allow_code, output, store)


def _everything() -> Iterator[Line]:
    """All engines with all their learners, and a trial of each kind."""
    from cvinfer.engines import engines

    found = look_at_r({*R_PACKAGES.values(), *WEKA_PACKAGES, "mlbench"}, weka=True)
    yield from found.lines
    seen = {name: look_at_engine(name) for name in engines()}
    lines = [line for each in seen.values() for line in each.lines]
    yield from lines
    missing = not all(line.fine for line in [*found.lines, *lines])
    if found.command and missing:
        yield Line(f"  To add: {found.command}")
    yield from _sources()
    latex, machine = _latex(), list(_machine())
    yield latex
    yield from machine
    place, works = _place(Path("results")), _trial()
    yield place
    yield works
    trials = [_trial_in_r(name) for name in TRIED if seen[name].usable] if works.fine else []
    yield from trials
    python = place.fine and works.fine
    r = not missing and all(each.fine for each in trials)
    lost = [name for each in seen.values() for name in each.lost]
    unfit = [each.lacks for each in lines if each.lacks]
    lacks = [each.lacks for each in (*found.lines, latex, *machine) if each.lacks]
    yield Line(f"Verdict       {_verdict(python, r, len(lost), unfit, lacks)}", python and r)


def _verdict(
    python: bool, r: bool, lost: int, unfit: Sequence[str] = (), lacks: Sequence[str] = ()
) -> str:
    """The last line; whatever the list above has as not there or little is in it too."""
    if not python:
        return "not ready."
    formats = [each.use for each in PACKAGES if not each.needed and why_not(each.module)]
    absent = [*formats, *lacks]
    without = f"; optional and not there: {', '.join(absent)}" if absent else ""
    if not r:
        those = f"{lost} learners of R and Weka" if lost else "learners of R or Weka"
        nor = f", nor can {' and '.join(unfit)}" if unfit else ""
        return f"Python learners can run; {those} cannot, as said above{nor}{without}."
    but = f" but {' and '.join(unfit)}" if unfit else ""
    return f"every engine and every learner can run{but}{without}."


def _row(title: str, state: str, text: str, fine: bool = True, lacks: str = "") -> Line:
    return Line(f"{title:<13} {state:<8} {text}".rstrip(), fine, lacks)


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
    commands = [f"{_sudo()}apt-get install {' '.join(by_apt)}"] if by_apt else []
    return commands + ([f"{sys.executable} -m pip install {' '.join(by_pip)}"] if by_pip else [])


def _sudo() -> str:
    return "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "


class Seen(NamedTuple):
    """An engine as lines, how many of its learners can be used, and those that a package adds."""

    lines: Sequence[Line]
    usable: int
    lost: Sequence[str] = ()


def look_at_engine(name: str, wanted: Optional[Collection[str]] = None) -> Seen:
    """An engine with the learners that it lacks, all of them or those of `wanted`.

    What a package would bring is missing. What no package brings, as some of scikit-learn's that
    predict several targets, is absent and no fault.
    """
    from cvinfer.engines import engines

    engine, in_r = engines()[name], name in TRIED
    learners = engine.learners()
    usable = sum(each.available for each in learners)
    lacks = {each.name: each.reason or "" for each in learners if not each.available}
    why = engine.reason() or (next(iter(lacks.values()), None) if not usable else None)
    if why is not None:
        # R, if it cannot be asked, does not say which learners it would have.
        known = [*R_PACKAGES] if name == R else [each.name for each in learners]
        lost = sorted(known if wanted is None else set(wanted), key=str.lower)
        lines = [_row("Engine", "MISSING", f"{name}: {why}", False)]
        needs = f"{', '.join(lost)}: need the engine {name}"
        return Seen([*lines, _row("Learner", "MISSING", needs, False)], 0, lost)
    count = f", {usable} learners" if wanted is None else ""
    lines = [_row("Engine", "ok", name + count)]
    if wanted is not None:
        names = {each.name for each in learners if {each.name, *each.aliases} & set(wanted)}
        lacks = {each: reason for each, reason in lacks.items() if each in names}
    for each, reason in lacks.items():
        fine = wanted is None and not in_r
        state, lost_one = ("absent", each) if fine else ("MISSING", "")
        lines.append(_row("Learner", state, f"{each}: {reason}", fine, lost_one))
    return Seen(lines, usable, list(lacks) if in_r else [])


# --- R and Weka -----------------------------------------------------------------------------------


class FoundR(NamedTuple):
    """What there is of R and Weka, as lines, and the one command that adds what is missing."""

    lines: Sequence[Line]
    command: Optional[str] = None


def look_at_r(packages: Collection[str], weka: bool, heap_mb: Optional[int] = None) -> FoundR:
    """R, rpy2 and R packages and, for the engine rweka, Java and Weka.

    R is started for this, in a process of its own.
    """
    from cvinfer.engines._r.client import ask
    from cvinfer.engines._r.installation import NoR
    from cvinfer.errors import CvinferError

    lines = [*_r_itself(), _rpy2()]
    if not all(line.fine for line in lines):
        return FoundR(lines, adding_r(packages, weka))
    try:
        found: Mapping[str, Any] = ask("inventory")
    except CvinferError as error:
        said = str(error) if isinstance(error, NoR) else f"R cannot be asked: {error}"
        lines.append(_row("R bridge", "MISSING", said, False))
        return FoundR(lines, adding_r(packages, weka))
    lines += _r_packages(found["packages"])
    if weka:
        lines += [*_weka(found), _heap(heap_mb or int(found["heap_mb"]))]
    return FoundR(lines, adding_r(packages, weka, found))


def _r_itself() -> Iterator[Line]:
    program = r_program()
    if program is None:
        yield _row("R", "MISSING", "there is no R on the PATH", False)
        return
    version, home = r_version(), _said([program, "RHOME"])
    if not version:
        yield _row("R", "MISSING", f"{program} does not run", False)
        return
    yield _row("R", "ok", f"{version}, {home}")
    from cvinfer.engines._r.installation import library

    own = library()
    if own is not None:
        yield _row("R library", "ok", str(own))


def r_program() -> Optional[str]:
    """R as rpy2 would find it."""
    home = os.environ.get("R_HOME")
    return shutil.which("R", path=os.path.join(home, "bin")) if home else shutil.which("R")


def r_version() -> Optional[str]:
    """The version of R, such as 4.2.2; R itself is not started."""
    program = r_program()
    found = re.search(r"^R version (\S+)", _said([program, "--version"]) if program else "")
    return found.group(1) if found else None


def _said(words: Sequence[str], more: Mapping[str, str] = {}) -> str:
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


def _rpy2() -> Line:
    """Not imported: that would bring R into this process."""
    if importlib.util.find_spec("rpy2") is None:
        return _row("rpy2", "MISSING", "the Python package rpy2 is not installed", False)
    version = importlib.metadata.version("rpy2")
    if _too_new(version, r_version()):
        text = f"{version} needs R 4.5 or newer; below 3.6 it works with R {r_version()}"
        return _row("rpy2", "FAULT", text, False)
    return _row("rpy2", "ok", version)


def _too_new(rpy2: str, r: Optional[str]) -> bool:
    """From 3.6 on rpy2 calls a function that R has since 4.5."""
    return r is not None and _numbers(r) < (4, 5) and _numbers(rpy2) >= (3, 6)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])


def _r_packages(versions: Mapping[str, Optional[str]]) -> Iterator[Line]:
    """Those that are there, and those that are not; which of them are missed, learners tell."""
    names = sorted(versions, key=str.lower)
    there = [f"{name} {versions[name]}" for name in names if versions[name]]
    yield _row("R packages", "ok", ", ".join(there))
    absent = [name for name in names if not versions[name]]
    if absent:
        yield _row("R packages", "absent", ", ".join(absent))


def _weka(found: Mapping[str, Any]) -> Iterator[Line]:
    java = found["java"] or _java_version()
    if java:
        yield _row("Java", "ok", str(java))
    else:
        yield _row("Java", "MISSING", "there is no Java on the PATH", False)
    if found["libjvm"]:
        yield _row("libjvm", "ok", str(found["libjvm"]))
    else:
        text = "Java's library libjvm.so is not where R looks; R CMD javareconf tells R of a Java"
        yield _row("libjvm", "MISSING", text, False)
    if found["weka"]:
        yield _row("Weka", "ok", str(found["weka"]))
    for what, why in found["faults"].items():
        yield _row(str(what), "MISSING", str(why), False)


def _java_version() -> Optional[str]:
    said = re.search(r'version "([^"]+)"', _said(["java", "-version"]))
    return said.group(1) if said else None


def _heap(heap_mb: int) -> Line:
    """Java's heap is a limit; it is tight only if every worker fills it."""
    from cvinfer import runner

    jobs, free = runner.default_jobs(), _free_memory()
    text = f"at most {heap_mb} MB in each of {jobs} workers"
    if free is not None and free * 1000 < jobs * (heap_mb + WORKER_MB):
        fit = max(int(free * 1000) // (heap_mb + WORKER_MB), 1)
        text += f", and {free:.1f} GB are free: run with --jobs {fit}, or set limits: memory_mb"
        return _row("JVM heap", "little", text, lacks="memory for all heaps at once")
    return _row("JVM heap", "ok", text)


def adding_r(
    packages: Collection[str], weka: bool, found: Optional[Mapping[str, Any]] = None
) -> Optional[str]:
    """The one command that adds what is missing for learners of R and Weka; None if nothing is.

    `packages` are the R packages wanted, `found` R's inventory, if R could be asked. In a source
    tree set-up does it all. Elsewhere the steps follow each other, and the R package of cvinfer
    comes last, since its Java part is compiled against Weka.
    """
    there = {name for name, version in found["packages"].items() if version} if found else None
    there = r_packages_of(packages) if there is None else there
    absent = sorted(set(packages) - there - {"stats"}, key=str.lower)
    compiler = weka and shutil.which("javac") is None
    own = found is None or (weka and bool(found["faults"]))
    if not (absent or own):
        return None
    script = setup_script()
    if script is not None:
        return _set_up(script)
    library, sources = r_library(), r_sources()
    by_r = [name for name in absent if not _by_apt() or name in NOT_IN_DEBIAN]
    steps = [*_apt_steps(absent, compiler), *_rpy2_steps()]
    if library is not None and (by_r or own) and not library.is_dir():
        steps.append(shlex.join(["mkdir", "-p", str(library)]))
    if by_r:
        steps.append(shlex.join(["Rscript", "-e", install_packages(by_r, library)]))
    if own and sources is not None:
        into = [] if library is None else [f"--library={library}"]
        steps.append(shlex.join(["R", "CMD", "INSTALL", "--clean", *into, str(sources)]))
    return _by_hand(compiler) + " && ".join(steps)


def r_packages_of(names: Collection[str]) -> set[str]:
    """Those of these R packages that are installed, where the bridge cannot be asked."""
    from cvinfer.engines._r.installation import library

    program, own = r_program(), library()
    if program is None:
        return set()
    code = "for (each in commandArgs(TRUE)) if (nzchar(system.file(package = each))) cat(each, '')"
    words = [program, "--no-echo", "--vanilla", "-e", code, "--args", *names]
    return set(_said(words, {"R_LIBS": str(own)} if own else {}).split()) & set(names)


def _set_up(script: Path) -> str:
    """Set-up's own command; what it installs is for its own environment."""
    again = f"{os.path.relpath(script)} --again"
    venv = script.parents[1] / ".venv"
    if Path(sys.prefix).resolve() == venv.resolve():
        return again
    return f"{again} && {os.path.relpath(venv / 'bin' / 'cvinfer')} doctor"


def _by_hand(compiler: bool) -> str:
    """What no command here can bring: R or Java where there is no apt-get."""
    if _by_apt():
        return ""
    lacks = ([] if r_version() else ["R"]) + (["a Java development kit"] if compiler else [])
    return f"{' and '.join(lacks)} as this system has it, then " if lacks else ""


def _by_apt() -> bool:
    """R is Debian's, or there is none and Debian could bring it."""
    return shutil.which("apt-get") is not None and r_program() in (None, "/usr/bin/R")


def _apt_steps(packages: Sequence[str], compiler: bool) -> list[str]:
    if not _by_apt():
        return []
    names = [] if r_program() else ["r-base-core"]
    names += [] if shutil.which("gfortran") else ["r-base-dev"]
    names += ["default-jdk-headless"] if compiler else []
    on = [NOT_IN_DEBIAN.get(each, each) for each in packages]
    names += dict.fromkeys(f"r-cran-{each.lower()}" for each in on if each)
    return [f"{_sudo()}apt-get install {' '.join(names)}"] if names else []


def _rpy2_steps() -> list[str]:
    if _rpy2().fine:
        return []
    version = r_version()
    below = version is None or _numbers(version) < (4, 5)
    return adding([RPY2._replace(name=shlex.quote("rpy2<3.6") if below else "rpy2")])


def install_packages(names: Sequence[str], library: Optional[Path]) -> str:
    """R code that installs packages, also where no mirror was chosen."""
    listed = ", ".join(f'"{name}"' for name in names)
    lib = "" if library is None else f", lib = {_r_text(str(library))}"
    mirror = (
        "" if _by_apt() else 'if ("@CRAN@" %in% getOption("repos")) chooseCRANmirror(ind = 1); '
    )
    return f"{mirror}install.packages(c({listed}){lib})"


def _r_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def r_library() -> Optional[Path]:
    """Where R packages for cvinfer go: its own library, or R's default outside of environments."""
    from cvinfer.engines._r.installation import library

    own = library()
    if own is not None:
        return own
    return Path(sys.prefix) / "r-library" if sys.prefix != sys.base_prefix else None


def r_sources() -> Optional[Path]:
    """The sources of the R package: in the source tree, or where the wheel put them."""
    root = Path(__file__).resolve().parents[1]
    if setup_script() is not None:
        return root / "r_bridge"
    try:
        files = importlib.metadata.files("cvinfer") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    listed = [each.locate() for each in files if each.match("r_bridge/DESCRIPTION")]
    # An installation into a folder of its own is listed as if it were none.
    beside = root / "share" / "cvinfer" / "r_bridge" / "DESCRIPTION"
    for each in [*listed, beside]:
        found = Path(os.path.normpath(str(each)))
        if found.is_file():
            return found.parent
    return None


def _trial_in_r(engine: str) -> Line:
    """One learner fitted in a worker with R, or with R and a JVM."""
    learner = TRIED[engine]
    title = "Trial in R" if engine == R else "Trial in Weka"
    fault = _tried({learner: {"engine": engine, "learner": learner}})
    if fault is not None:
        return _row(title, "FAULT", fault, False)
    return _row(title, "ok", f"{learner} fitted")


# --- the machine ----------------------------------------------------------------------------------


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
        text = f"result.tex cannot be compiled here; to add it: {add}"
        return _row("LaTeX", "absent", text, lacks="LaTeX")
    finder = shutil.which("kpsewhich")
    if finder is not None:
        try:
            found = subprocess.run(
                [finder, "booktabs.sty"], capture_output=True, text=True, timeout=20
            )
        except (OSError, subprocess.TimeoutExpired):
            return _row("LaTeX", "ok", program)
        if not found.stdout.strip():
            text = f"the package booktabs is missing; to add it: {add}"
            return _row("LaTeX", "absent", text, lacks="LaTeX's booktabs")
    return _row("LaTeX", "ok", program)


def _machine() -> Iterator[Line]:
    from cvinfer import runner

    yield _row("Cores", "ok", str(runner.default_jobs()))
    free = _free_memory()
    if free is not None:
        state, lacks = ("ok", "") if free >= ENOUGH_MEMORY else ("little", "enough free memory")
        yield _row("Memory", state, f"{free:.1f} GB free", lacks=lacks)


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
    fault = _tried({"mean": {"engine": "builtin", "learner": "mean"}})
    if fault is not None:
        return _row("Trial run", "FAULT", fault, False)
    return _row("Trial run", "ok", "two small learners compared")


def _tried(learner: Mapping[str, Any]) -> Optional[str]:
    """What went wrong when a learner was compared with guessing; None if nothing did."""
    from cvinfer.runner import run

    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "doctor",
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 40},
        "learners": {"majority": {"engine": "builtin", "learner": "majority"}, **learner},
        "tests": ["blocked_3x2_t"],
    }
    try:
        failures = run(spec, jobs=1).document["failures"]
    except Exception as error:  # the finding of the trial
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return str(failures[0]["message"]) if failures else None


def _spec(
    spec: Path,
    overrides: Sequence[str],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
) -> Iterator[Line]:
    from cvinfer.engines import engines
    from cvinfer.execute.places import output_directory, store_path
    from cvinfer.spec import check_file, render_all

    checked, faults = check_file(spec, overrides, allow_code=allow_code)
    uses = _used(checked) if checked is not None else _mentioned(spec, overrides)
    found = FoundR([])
    if uses.r:
        heap = checked.limits.get("memory_mb") if checked is not None else None
        found = look_at_r(uses.packages, WEKA in uses.learners, None if heap is None else int(heap))
    lines = [*found.lines]
    for name in sorted(set(uses.learners) & set(engines())):
        lines += look_at_engine(name, uses.learners[name]).lines
    yield from lines
    if found.command and (checked is None or not all(line.fine for line in lines)):
        yield Line(f"  To add: {found.command}")
    yield from _sources()
    yield _latex()
    yield from _machine()
    if checked is None:
        yield _row("Spec", "FAULT", f"{spec} has faults:", False)
        yield Line(render_all(faults), False)
        yield Line("Verdict       the spec cannot run.", False)
        return
    yield _row("Spec", "ok", f"{spec}, {len(checked.learners)} learners")

    directory = output_directory(checked, output)
    places = [_place(directory), _store(store_path(checked, output, store))]
    yield from places
    if all(line.fine for line in [*lines, *places]):
        yield Line("Verdict       the spec can run.")
    else:
        yield Line("Verdict       the spec cannot run as it is.", False)


class Uses(NamedTuple):
    """What a spec asks for: learners by their engine, and R packages."""

    learners: Mapping[str, Collection[str]]
    packages: Collection[str]
    data_of_r: bool

    @property
    def r(self) -> bool:
        return self.data_of_r or any(name in self.learners for name in TRIED)


def _used(spec: Any) -> Uses:
    entries = [
        {"engine": each.engine, "learner": each.learner, **each.options}
        for each in spec.learners.values()
    ]
    return _uses(entries, spec.data)


def _mentioned(path: Path, overrides: Sequence[str]) -> Uses:
    """The same of a spec with faults, as far as it can be read."""
    from cvinfer import limits
    from cvinfer.spec.text import parse

    try:
        value = parse(limits.read_file(path, limits.SPEC_BYTES), str(path)).value
    except (OSError, ValueError, limits.Unreadable):
        value = None
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    learners, data = given.get("learners"), given.get("data")
    entries = list(learners.values()) if isinstance(learners, dict) else []
    sets = data if isinstance(data, list) else [data]
    word = r"\b{}\s*[:=]\s*[\"']?(\w+)"
    for override in overrides:
        entries += [{"engine": each} for each in re.findall(word.format("engine"), override)]
        sets = [*sets, *({"source": each} for each in re.findall(word.format("source"), override))]
    return _uses(
        [each for each in entries if isinstance(each, dict)],
        [each for each in sets if isinstance(each, dict)],
    )


def _uses(entries: Sequence[Mapping[str, Any]], data: Sequence[Mapping[str, Any]]) -> Uses:
    learners: dict[str, list[str]] = {}
    packages: set[str] = set()
    for each in entries:
        engine, learner = str(each.get("engine")), str(each.get("learner"))
        learners.setdefault(engine, []).append(learner)
        if engine == WEKA:
            packages.update(WEKA_PACKAGES)
        elif engine == R:
            package = each.get("package") or learner.rpartition("::")[0] or R_PACKAGES.get(learner)
            packages.update([str(package)] if package else [])
    of_r = [each for each in data if each.get("source") == R]
    packages.update(str(each["package"]) for each in of_r if each.get("package"))
    return Uses(learners, packages, bool(of_r))
