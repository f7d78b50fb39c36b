"""A wheel built from the tree works from any directory: what cvinfer reads travels inside it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
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
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, since a build leaves files beside its sources; links stay links."""
    source = tmp_path_factory.mktemp("source") / "tree"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    # Tests go along on purpose: the wheel has to leave them out by itself.
    for name in ("cvinfer", "schemas", "tests", "r_bridge"):
        nothing = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=nothing)
    return source


PIP = (sys.executable, "-m", "pip")
HERE = ("--no-index", "--no-deps", "--no-build-isolation")


def built(source: Path, wheels: Path) -> Path:
    run(*PIP, "wheel", *HERE, "--wheel-dir", wheels, source, cwd=wheels)
    (wheel,) = wheels.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tree, tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def sdist(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sdist")
    code = "import sys, setuptools.build_meta as build; build.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, place, cwd=tree)
    (made,) = place.glob("*.tar.gz")
    return made


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


NAMES = ("calibrate", "result", "spec", "stability", "study")
SCHEMAS = tuple(f"{name}.schema.json" for name in NAMES)


def test_there_is_one_file_of_each_schema() -> None:
    """The links are relative, so that they hold wherever the tree is cloned to."""
    assert {each.name for each in (ROOT / "schemas").iterdir()} == set(SCHEMAS)
    for name in SCHEMAS:
        inside = ROOT / "cvinfer/schemas" / name
        assert (os.readlink(inside), inside.resolve()) == (
            f"../../schemas/{name}",
            ROOT / "schemas" / name,
        )
        assert not (ROOT / "schemas" / name).is_symlink()


def assert_schemas_are_files(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in SCHEMAS:
            member = archive.getinfo(f"cvinfer/schemas/{name}")
            assert stat.S_ISREG(member.external_attr >> 16), name
            assert archive.read(member) == (ROOT / "schemas" / name).read_bytes()


def test_wheel_has_the_schemas_as_files(wheel: Path) -> None:
    assert_schemas_are_files(wheel)


def test_wheel_of_an_sdist_is_the_same(sdist: Path, names: set[str], tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        inside = {each.name.partition("/")[2]: each for each in archive.getmembers()}
    assert all(inside[f"cvinfer/schemas/{name}"].isreg() for name in SCHEMAS)
    made = built(sdist, tmp_path)
    assert_schemas_are_files(made)
    with zipfile.ZipFile(made) as archive:
        assert set(archive.namelist()) == names


# What an editable installation of this environment has brought is taken away first.
EDITABLE = """
import json, os, site, sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path = [each for each in sys.path if not os.path.isdir(os.path.join(each, "cvinfer"))]
for name in [each for each in sys.modules if "editable" in each]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
site.addsitedir(sys.argv[1])
from cvinfer import schemas
found = {name: schemas.schema(name) for name in sys.argv[2:]}
print(json.dumps({"file": schemas.__file__, **found}))
"""


def test_editable_installation_reads_the_schemas(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "editable"
    run(*PIP, "install", *HERE, "--target", target, "--editable", tree, cwd=tmp_path)
    answer = json.loads(run(sys.executable, "-I", "-c", EDITABLE, target, *NAMES, cwd=tmp_path))
    assert Path(answer["file"]).is_relative_to(tree)
    for name in NAMES:
        text = (ROOT / f"schemas/{name}.schema.json").read_text(encoding="utf-8")
        assert answer[name] == json.loads(text)


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
    run(*PIP, "install", "--no-index", "--no-deps", "--target", target, wheel, cwd=elsewhere)
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
