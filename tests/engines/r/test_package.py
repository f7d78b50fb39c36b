"""The R package of the bridge is an ordinary one: R builds it, checks it and runs its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Mapping

import pytest

from cvinfer.engines._r.installation import library

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "r_bridge"
#: What an installation from the folder itself leaves in it.
MADE = SOURCES / "inst" / "java"

pytestmark = pytest.mark.skipif(shutil.which("R") is None, reason="there is no R on the PATH")


def environment() -> dict[str, str]:
    """The project's R library first; packages that are only suggested may be missing."""
    own = library()
    places = [str(own)] if own is not None else []
    places += [os.environ["R_LIBS"]] if os.environ.get("R_LIBS") else []
    return {
        **os.environ,
        "R_LIBS": os.pathsep.join(places),
        "LC_ALL": "C.UTF-8",
        # The examples, tests and the vignette run this project's program.
        "CVINFER_PROGRAM": program(),
        "_R_CHECK_FORCE_SUGGESTS_": "false",
        # It would ask a server on the network for the time.
        "_R_CHECK_SYSTEM_CLOCK_": "false",
    }


def program() -> str:
    beside = Path(sys.executable).with_name("cvinfer")
    return str(beside) if beside.is_file() else "cvinfer"


def has_knitr() -> bool:
    """Without it the vignette is neither made nor run; set-up says so."""
    words = ["Rscript", "-e", "stopifnot(all(sapply(c('knitr', 'markdown'), requireNamespace)))"]
    return subprocess.run(words, env=environment(), capture_output=True).returncode == 0


def r_cmd(place: Path, *words: str, env: Mapping[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ["R", "CMD", *words],
        cwd=place,
        # Tests of the package that end R on purpose leave its temporary directory behind.
        env={**env, "TMPDIR": str(place)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=1200,
    )
    return done.returncode, done.stdout


def tail(text: str, lines: int = 60) -> str:
    return "\n".join(text.splitlines()[-lines:])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as R users pass it on."""
    place = tmp_path_factory.mktemp("built")
    copy = shutil.copytree(
        SOURCES,
        place / "sources",
        ignore=lambda folder, names: [each for each in names if Path(folder) / each == MADE],
    )
    words = () if has_knitr() else ("--no-build-vignettes",)
    code, said = r_cmd(place, "build", *words, copy.name, env=environment())
    assert code == 0, tail(said)
    (package,) = place.glob("cvinfer_*.tar.gz")
    return package


def test_r_finds_no_error_no_warning_and_no_note(built: Path, tmp_path: Path) -> None:
    words = ("--no-manual",) if has_knitr() else ("--no-manual", "--ignore-vignettes")
    code, said = r_cmd(tmp_path, "check", *words, str(built), env=environment())
    logs = "".join(
        f"\n--- {path.name}\n{tail(path.read_text('utf-8', 'replace'))}"
        for path in sorted(tmp_path.glob("*.Rcheck/**/*.fail"))
    )
    assert code == 0, tail(said) + logs
    # With warnings the check ends well all the same, so its last line is read. That a suggested
    # package is not installed is a note, too, and says nothing of this package.
    (status,) = re.findall(r"^Status: (.*)$", said, re.MULTILINE)
    notes = re.findall(r"^\* (checking .*?) \.\.\. NOTE$", said, re.MULTILINE)
    counted = "OK" if not notes else f"{len(notes)} NOTE{'S' * (len(notes) > 1)}"
    assert status == counted, tail(said) + logs
    assert set(notes) <= {"checking package dependencies"}, tail(said) + logs


def test_versions_of_both_packages_agree() -> None:
    """They are released together: the R package of another version may lack a function."""
    import cvinfer

    description = (SOURCES / "DESCRIPTION").read_text("utf-8")
    found = re.search(r"^Version: (\S+)$", description, re.MULTILINE)
    assert found is not None and found.group(1) == cvinfer.__version__
