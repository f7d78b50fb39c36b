"""Where R and its packages are, found out without starting R."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Mapping, Optional

from cvinfer.errors import CvinferError

LIBRARY_VARIABLE = "CVINFER_R_LIBRARY"
#: The R package of the bridge, whose sources are in r_bridge.
PACKAGE = "cvinfer"
#: R packages that make a fit of Weka. RWeka brings RWekajars, which has Weka itself.
WEKA_PACKAGES = ("RWeka", "RWekajars", "rJava")
BROUGHT_BY = {"RWekajars": "RWeka"}
#: R packages with data sets that examples read.
DATA_PACKAGES = ("mlbench",)
#: Start-up files of R are code, and one may lie in any directory: none is read.
NO_PROFILES = dict.fromkeys(
    ("R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER"), os.devnull
)
#: Variables that hold paths; a relative one is meant from where the command was started.
_PLACES = (LIBRARY_VARIABLE, "R_HOME", "R_LIBS", "R_LIBS_USER", "R_LIBS_SITE", "JAVA_HOME")
#: Megabytes for Java's heap where the spec sets no limit.
HEAP_MB = 1024


class NoR(CvinferError):
    """R, rpy2, Java or the bridge's own R package cannot be used here; the text says why."""

    exit_code = 2


def why_no_r() -> Optional[str]:
    """Why R cannot be used, as far as can be seen without starting it."""
    if importlib.util.find_spec("rpy2") is None:
        return "the Python package rpy2 is not installed"
    if not os.environ.get("R_HOME") and shutil.which("R") is None:
        return "R is not installed: there is no R on the PATH"
    return None


def library() -> Optional[Path]:
    """The project's own R library, if there is one: it comes before R's others."""
    given = os.environ.get(LIBRARY_VARIABLE)
    if given:
        return Path(given)
    beside = Path(sys.prefix) / "r-library"
    return beside if beside.is_dir() else None


def places() -> dict[str, str]:
    """The variables that name places of R and Java, for a process that starts in another one."""
    return {
        name: os.pathsep.join(
            os.path.abspath(each) if each else each for each in os.environ[name].split(os.pathsep)
        )
        for name in _PLACES
        if os.environ.get(name)
    }


def named_versions(found: Mapping[str, Optional[str]]) -> dict[str, str]:
    """Versions for keys and manifest; the bridge's own R package does not pass for this one."""
    names = {PACKAGE: f"{PACKAGE} (R)"}
    return {names.get(name, name): each or "absent" for name, each in sorted(found.items())}


def is_package_name(text: str) -> bool:
    """Whether R could have a package of that name."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9.]*", text) is not None


def setup_script() -> Optional[Path]:
    """tools/setup.sh, where this is a source tree."""
    root = Path(__file__).resolve().parents[3]
    script = root / "tools" / "setup.sh"
    return script if script.is_file() and (root / "r_bridge").is_dir() else None


def r_sources() -> Optional[Path]:
    """The sources of the R package: in the source tree, or where the wheel put them."""
    root = Path(__file__).resolve().parents[3]
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


def too_old(lacking: str) -> str:
    """What is said where the bridge's package was installed by an earlier cvinfer."""
    again = remedy() if setup_script() is None else "run make setup"
    return f"cvinfer's own R package is older than cvinfer, it has no {lacking}; {again}"


def remedy() -> str:
    """The one command that adds what is missing."""
    script = setup_script()
    if script is not None:
        near = os.path.relpath(script)
        return f"run {script if near.startswith('..') else near} --again"
    return "cvinfer doctor names the command that adds it"
