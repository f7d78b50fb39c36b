"""A plug-in in a place of its own, as an installer leaves it, and commands beside it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "plugin"
MISSING = [name for name in ("pip", "setuptools") if importlib.util.find_spec(name) is None]


def installed(sources: Path, place: Path) -> Path:
    """Install a distribution into a folder; its sources are copied first, since a build writes."""
    copy = place / "sources"
    shutil.copytree(sources, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg*"))
    site = place / "site"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    command = ["-m", "pip", "install", *quiet, "--no-build-isolation", "--target", str(site)]
    done = run(None, place, *command, str(copy))
    assert done.returncode == 0, done.stderr
    return site


def run(site: Optional[Path], place: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Python with these arguments in a folder, beside what is installed in `site`."""
    paths = [str(ROOT)] if site is None else [str(site), str(ROOT)]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=given, capture_output=True, text=True
    )
