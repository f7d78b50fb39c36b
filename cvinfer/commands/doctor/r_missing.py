"""The one command that adds what is missing for learners of R and Weka."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Collection, Mapping, Optional, Sequence

from cvinfer.commands.doctor.packages import adding, sudo
from cvinfer.commands.doctor.r_found import numbers, r_program, r_version, rpy2_line, said_by
from cvinfer.engines._r.installation import BROUGHT_BY, r_sources, setup_script
from cvinfer.packages import RPY2

#: R packages that Debian does not have, and what they build on that it has.
NOT_IN_DEBIAN = {"RWeka": "rJava", "RWekajars": "rJava", "tree": None, "kknn": "igraph"}
#: What every R has.
WITH_R = {"stats"}


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
    lacks = set(packages) - there - WITH_R
    brought = {name for name, by in BROUGHT_BY.items() if by in lacks}
    absent = sorted(lacks - brought, key=str.lower)
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
    return set(said_by(words, {"R_LIBS": str(own)} if own else {}).split()) & set(names)


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
    names += dict.fromkeys(filter(None, map(debian_package, packages)))
    return [f"{sudo()}apt-get install {' '.join(names)}"] if names else []


def debian_package(name: str) -> Optional[str]:
    """Debian's package of an R package, or of what that builds on; None where it has neither."""
    found = NOT_IN_DEBIAN.get(name, name)
    return f"r-cran-{found.lower()}" if found else None


def _rpy2_steps() -> list[str]:
    if rpy2_line().fine:
        return []
    version = r_version()
    below = version is None or numbers(version) < (4, 5)
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
