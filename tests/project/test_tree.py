"""The tests lie as the package lies, with a second axis beside it."""

from __future__ import annotations

from pathlib import Path

import cvinfer

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = Path(cvinfer.__file__).parent
#: Folders that go across the package, and what each is about.
SECOND_AXIS = {
    "benchmarks": "the programs of benchmarks/",
    "claims": "whether what a run claims holds",
    "contract": "what everything that is registered keeps to",
    "golden": "numbers from outside",
    "hostile": "what a stranger can write",
    "plugins": "distributions that add things",
    "project": "the tree, its pages and its tools",
    "properties": "what holds whatever the data are",
    "specs": "whole specs, right and wrong",
}


def test_each_folder_is_one_of_the_package_or_of_the_second_axis() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages.isdisjoint(SECOND_AXIS)
    there = {path.name for path in TESTS.iterdir() if path.is_dir()} - {"__pycache__"}
    assert there <= packages | set(SECOND_AXIS)


def test_files_beside_the_folders_are_about_modules_beside_the_packages() -> None:
    modules = {f"test_{path.name}" for path in PACKAGE.glob("*.py")}
    assert {path.name for path in TESTS.glob("test_*.py")} <= modules


def test_no_two_files_have_one_purpose() -> None:
    said: dict[str, list[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        assert first.startswith('"""'), f"{path} does not say what it is about"
        said.setdefault(first, []).append(path.relative_to(TESTS).as_posix())
    assert {text: files for text, files in said.items() if len(files) > 1} == {}
