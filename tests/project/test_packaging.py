"""A wheel built from the tree works from any directory: what cvinfer reads travels inside it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

MISSING = [
    name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None
]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"a wheel cannot be built without {', '.join(MISSING)}"
)

# Run with -I, so that neither the working directory nor PYTHONPATH lends it the source tree. The
# editable installation of the environment would, through its import hook or path entry: the
# unpacked wheel goes in front, and the answer says where cvinfer was found.
PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
import cvinfer
import cvinfer.inference
import cvinfer.partitions
from cvinfer.commands.doctor.r_missing import r_sources, setup_script
from cvinfer.inference.references import bibliography
from importlib.metadata import distribution
print(json.dumps({
    "file": cvinfer.__file__,
    "version": cvinfer.__version__,
    "metadata": distribution("cvinfer").version,
    "tests": len(cvinfer.inference.tests()),
    "p_value": float(cvinfer.inference.infer("kfold_t", [0.1, 0.2, 0.3]).p_value),
    "references": bibliography(),
    "script": setup_script() and str(setup_script()),
    "r_sources": r_sources() and str(r_sources()),
}))
"""

# The sources of the R package, but for its tests and what a build of it writes.
R_BRIDGE = ROOT / "r_bridge"
BUILT = ("inst", "tests")
SHARE = "data/share/cvinfer/r_bridge"


def r_bridge_files() -> set[str]:
    found = [path.relative_to(R_BRIDGE) for path in R_BRIDGE.rglob("*") if path.is_file()]
    # Files with a dot in front tell R what to leave out of a build, and the build is over then.
    return {
        path.as_posix()
        for path in found
        if path.parts[0] not in BUILT and not any(part.startswith(".") for part in path.parts)
    }


def run(*command: object, cwd: Path) -> str:
    """The standard output of a command that has to succeed."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command[1:4]} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy, since a build leaves files beside its sources."""
    source = tmp_path_factory.mktemp("source") / "tree"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    # Tests go along on purpose: the wheel has to leave them out by itself.
    for name in ("cvinfer", "tests", "r_bridge"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    wheels = tmp_path_factory.mktemp("wheels")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", wheels, source, cwd=wheels)
    (built,) = wheels.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_has_every_file_of_the_package(names: set[str]) -> None:
    in_tree = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "cvinfer").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"cvinfer/py.typed", "cvinfer/inference/references.bib"} <= in_tree
    assert in_tree - names == set()


def test_wheel_has_nothing_else(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    others = {top for top in tops if not top.endswith((".dist-info", ".data"))}
    assert others == {"cvinfer"}
    assert [name for name in names if "test_" in name or "conftest" in name] == []
    assert any(name.endswith("LICENSE") for name in names)


def test_wheel_has_the_sources_of_the_r_package(names: set[str]) -> None:
    """All of them and nothing that a build or a test leaves; a new folder needs its line."""
    inside = {name.split(".data/", 1)[1] for name in names if ".data/" in name}
    assert {"DESCRIPTION", "NAMESPACE", "configure"} <= r_bridge_files()
    assert inside == {f"{SHARE}/{name}" for name in r_bridge_files()}


class Installed(NamedTuple):
    target: Path
    answer: dict[str, Any]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a folder of its own, and what it says from another directory."""
    target = tmp_path_factory.mktemp("wheel") / "installed here"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    pip = (sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", target)
    run(*pip, wheel, cwd=elsewhere)
    return Installed(
        target, json.loads(run(sys.executable, "-I", "-c", PROBE, target, cwd=elsewhere))
    )


def test_wheel_works_from_another_directory(installed: Installed) -> None:
    answer = installed.answer
    assert Path(answer["file"]).is_relative_to(installed.target)
    assert answer["version"] == answer["metadata"]
    assert answer["tests"] > 0
    assert 0 < answer["p_value"] < 1
    assert answer["references"] == (ROOT / "cvinfer/inference/references.bib").read_text("utf-8")


@pytest.mark.skipif(shutil.which("R") is None, reason="there is no R on the PATH")
def test_r_installs_the_sources_of_the_wheel(installed: Installed, tmp_path: Path) -> None:
    """As `cvinfer doctor` says it; nothing of that stays beside the sources."""
    assert installed.answer["script"] is None, "it is no source tree"
    sources = Path(installed.answer["r_sources"])
    assert sources.is_relative_to(installed.target)
    before = sorted(sources.rglob("*"))
    run("R", "CMD", "INSTALL", "--clean", f"--library={tmp_path}", sources, cwd=tmp_path)
    assert sorted(sources.rglob("*")) == before
    code = 'loadNamespace("cvinfer", lib.loc = commandArgs(TRUE)); cat("loaded")'
    assert "loaded" in run(
        "R", "--no-echo", "--vanilla", "-e", code, "--args", tmp_path, cwd=tmp_path
    )
