"""Packages that cvinfer stands on: only what they promise, but for two files that say so."""

from __future__ import annotations

import ast
import importlib.metadata
from pathlib import Path
from typing import Iterator

import pytest

import cvinfer
from cvinfer.engines._sklearn import declared
from cvinfer.engines._r import binding

PACKAGE = Path(cvinfer.__file__).parent
#: Where names without promise may stand, with the versions that they were tried with.
TRIED = {
    "scikit-learn": (PACKAGE / "engines" / "_sklearn" / "declared.py", declared.TRIED),
    "rpy2": (PACKAGE / "engines" / "_r" / "binding.py", binding.TRIED),
}
#: Python's own documentation has these.
PROMISED = {"_exit", "_fields", "_replace", "_asdict", "_make"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name != "_"


def made(tree: ast.AST) -> Iterator[str]:
    """Names that a file makes: functions, classes, parameters, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Private names of others that a file may use: attributes, imports, keywords."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.lineno, node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = str(node.module)
            if module.split(".")[0] != "cvinfer":
                for name in (*module.split("."), *(each.name for each in node.names)):
                    yield node.lineno, name
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.split(".")[0] != "cvinfer":
                    for name in each.name.split("."):
                        yield node.lineno, name


def private_names_of_others(paths: "list[Path]") -> "list[str]":
    """A private name that no file of ours makes is somebody else's."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in paths}
    ours = {name for tree in trees.values() for name in made(tree)}
    return [
        f"{path.name}:{line}: {name}"
        for path, tree in trees.items()
        for line, name in used(tree)
        if is_private(name) and name not in ours | PROMISED
    ]


def test_private_names_of_others_stand_in_two_files() -> None:
    allowed = {path for path, _ in TRIED.values()}
    assert private_names_of_others(sorted(set(PACKAGE.rglob("*.py")) - allowed)) == []
    # What is looked for is found.
    for path in allowed:
        assert private_names_of_others([path])


@pytest.mark.parametrize("package", TRIED)
def test_versions_that_were_tried(package: str) -> None:
    _, tried = TRIED[package]
    assert len(tried) >= 3
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    if version not in tried:
        pytest.skip(f"tried with {package} {', '.join(tried)}; here is {version}")
