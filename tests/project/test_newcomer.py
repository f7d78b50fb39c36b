"""A newcomer's first change, as CONTRIBUTING tells it: carried out in a copy, and counted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^`([^`\n]+)`(, at its end)?:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = "correlated_kfold_t"


def told() -> list[tuple[str, bool, str]]:
    """The files of the worked example: path, whether the text is added at its end, the text."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [(path, bool(end), content) for path, end, content in BLOCK.findall(text)]


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the change made."""
    copy = tmp_path_factory.mktemp("newcomer")
    nothing = shutil.ignore_patterns("__pycache__")
    for folder in ("cvinfer", "tests/contract", "tests/golden", "schemas", "docs/decisions"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=nothing)
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(ROOT / file, copy / file)
    for path, end, content in told():
        with open(copy / path, "a" if end else "x", encoding="utf-8") as stream:
            stream.write(("\n" if end else "") + content)
    return copy


def python(changed: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    place = {**os.environ, "PYTHONPATH": str(changed)}  # the copy is compiled once, for all of them
    return subprocess.run(
        [sys.executable, *arguments], cwd=changed, env=place, capture_output=True, text=True
    )


def test_a_test_is_three_files() -> None:
    function, golden, references = told()
    assert function[0].startswith("cvinfer/inference/") and golden[0].startswith("tests/golden/")
    assert references[:2] == ("cvinfer/inference/references.bib", True)


def test_the_change_of_a_newcomer_is_complete(changed: Path) -> None:
    # What is measured and generated follows by `make rates`, which takes its time.
    wanted = f"{NAME} or every or no_reference"
    left = "the_file_has_every or rejects_too_often or finds_most"
    places = ("tests/contract", "tests/golden/test_correlated.py")
    quick = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    found = python(changed, "-m", "pytest", *quick, "-k", f"({wanted}) and not ({left})", *places)
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-1000:]
    assert int(re.findall(r"(\d+) passed", found.stdout)[0]) > 20


def test_it_is_listed_and_without_its_reference_it_is_not_complete(changed: Path) -> None:
    listed = python(changed, "-m", "cvinfer", "list", "tests")
    assert listed.returncode == 0 and NAME in listed.stdout
    references = changed / "cvinfer/inference/references.bib"
    before = references.read_text(encoding="utf-8")
    try:
        references.write_text(before.replace("corani2015", "corani2016"), encoding="utf-8")
        found = python(
            changed,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/contract/test_registry.py",
        )
        assert found.returncode == 1 and f"citation_resolves[{NAME}]" in found.stdout
    finally:
        references.write_text(before, encoding="utf-8")
