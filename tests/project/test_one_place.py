"""What is decided in one place is decided nowhere else: looked for in the code itself."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Iterator

import cvinfer
from cvinfer.partitions import schemes

PACKAGE = Path(cvinfer.__file__).parent


def nodes(room: str = "") -> Iterator[tuple[str, ast.AST]]:
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path.relative_to(PACKAGE).as_posix(), node


def test_whether_a_test_fits_a_partition_is_decided_in_one_place() -> None:
    asked = {
        name for name, node in nodes() if isinstance(node, ast.Attribute) and node.attr == "accepts"
    }
    assert asked == {"inference/needs.py"}


def test_a_partition_has_its_name_in_words_from_its_scheme_alone() -> None:
    compared = [
        f"{name}:{node.lineno}"
        for room in ("analysis", "report", "execute", "runner")
        for name, node in nodes(room)
        if isinstance(node, ast.Compare)
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and each.value in schemes()
    ]
    assert compared == []
    own = [info for info in schemes().values() if info.function.__module__.startswith("cvinfer.")]
    assert own and all(info.label and info.title for info in own)
