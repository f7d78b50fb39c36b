"""What lint says does not depend on which versions of its tools are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Stands in for the environment's interpreter: every tool is there in the versions of the folder
#: `versions`, and finds something if the folder `finds` names it.
PYTHON = """#!/bin/sh
case "$*" in
*"import version"*)
    for each in versions/*; do
        case "$*" in *"version('${each#versions/}')"*) cat "$each" ;; esac
    done ;;
"-m "*) if [ -e "finds/$2" ]; then echo "$2 shows it"; exit 1; fi ;;
esac
"""
DEBIAN_12 = {"black": "23.1.0", "flake8": "5.0.4", "mypy": "1.0.1", "numpy": "1.24.2"}


def lint(place: Path, finds: str = "", **versions: str) -> "subprocess.CompletedProcess[str]":
    for folder in ("tools", "versions", "finds", ".venv/bin"):
        (place / folder).mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "lint.sh", place / "tools")
    interpreter = place / ".venv" / "bin" / "python"
    interpreter.write_text(PYTHON)
    interpreter.chmod(0o755)
    for name, version in {**DEBIAN_12, **versions}.items():
        (place / "versions" / name).write_text(version)
    if finds:
        (place / "finds" / finds).touch()
    return subprocess.run(["bash", place / "tools" / "lint.sh"], capture_output=True, text=True)


def test_content(tmp_path: Path) -> None:
    done = lint(tmp_path, black="26.1.0")
    assert done.returncode == 0
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["black", "flake8", "mypy"]


@pytest.mark.parametrize("tool", ["black", "flake8", "mypy"])
def test_the_version_that_decides(tmp_path: Path, tool: str) -> None:
    done = lint(tmp_path, finds=tool)
    assert done.returncode == 1
    assert f"{tool} shows it\nlint: {tool} found faults\n" in done.stdout


@pytest.mark.parametrize(
    "tool, other, decides",
    [
        ("black", {"black": "26.10.0"}, "black 23"),
        ("black", {"black": "230.1"}, "black 23"),
        ("flake8", {"flake8": "7.1.1"}, "flake8 5"),
        ("mypy", {"mypy": "1.15.0"}, "mypy 1.0 with numpy 1"),
        ("mypy", {"mypy": "2.4.0"}, "mypy 1.0 with numpy 1"),
        ("mypy", {"numpy": "2.2.4"}, "mypy 1.0 with numpy 1"),
    ],
)
def test_another_version_shows_and_does_not_decide(
    tmp_path: Path, tool: str, other: "dict[str, str]", decides: str
) -> None:
    done = lint(tmp_path, finds=tool, **other)
    assert done.returncode == 0
    assert f"{tool} shows it\nlint: {tool} " in done.stdout
    assert f"which is no fault: {decides} decides here\n" in done.stdout
