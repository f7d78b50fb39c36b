"""Rooms import only from rooms below them: over all imports, those inside functions too."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Iterator

import pytest

import cvinfer

PACKAGE = Path(cvinfer.__file__).parent

#: From bottom to top. What stands on one line may not import one another.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("arrays", "documents", "foreign", "names", "packages", "whole"),
    ("errors",),
    ("limits", "paper", "places", "progress", "registry", "schemas"),
    ("losses",),  # of what the tests eat: zero-one loss is written there alone
    ("partitions", "inference"),
    ("splitters",),
    ("data",),
    ("worker",),
    ("engines",),
    ("spec",),
    ("planning",),
    ("execute",),
    ("analysis",),
    ("report",),
    ("runner",),
    ("studies",),
    ("api",),
    ("",),  # the package itself: cvinfer.run, cvinfer.compare and its version
    ("commands",),
    ("cli",),
    ("__main__",),
)
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
#: The version of the package is read by whoever writes it down.
VERSION = "cvinfer.__version__"


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def is_type_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(tree: ast.AST, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every module of the project that is imported, with its line; type-only ones are left out."""
    for node in ast.iter_child_nodes(tree):
        if is_type_only(node):
            continue
        if isinstance(node, ast.Import):
            for each in node.names:
                yield node.lineno, each.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                own = module.split(".")
                kept = own[: len(own) - node.level + (1 if is_package else 0)]
                base = ".".join([*kept, *([base] if base else [])])
            for each in node.names:
                yield node.lineno, f"{base}.{each.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            for given in node.args[:1]:
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield node.lineno, given.value
        yield from imports(node, module, is_package)


def project_imports(path: Path) -> Iterator[tuple[int, str]]:
    module = module_name(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for line, name in imports(tree, module, path.name == "__init__.py"):
        if name.split(".")[0] == "cvinfer" and name != VERSION:
            yield line, name


def upward(source: str, target: str) -> bool:
    """Whether an import goes up, or sideways into another room of the same layer."""
    here, there = room(source), room(target)
    return here != there and RANK[there] >= RANK[here]


def target_of(name: str) -> str:
    """The module that a dotted name is in: `cvinfer.run` is one of the package itself."""
    first = name.split(".")[1] if "." in name else ""
    return name if first in RANK else "cvinfer"


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=[module_name(path) for path in FILES])
def test_rooms_import_from_below(path: Path) -> None:
    source = module_name(path)
    assert room(source) in RANK, f"{source} has no layer"
    wrong = [
        f"line {line}: {name}"
        for line, name in project_imports(path)
        if upward(source, target_of(name))
    ]
    assert wrong == []


def test_the_order_is_looked_at() -> None:
    assert upward("cvinfer.data.table", "cvinfer.engines.base")
    assert upward("cvinfer.partitions.split", "cvinfer.inference.checks")
    assert not upward("cvinfer.engines.r", "cvinfer.data.dataset")
    code = "def f():\n    from ..engines import r\n    import cvinfer.spec\n"
    found = [name for _, name in imports(ast.parse(code), "cvinfer.data.sources.csv", False)]
    assert found == ["cvinfer.data.engines.r", "cvinfer.spec"]
    code = "if TYPE_CHECKING:\n    import cvinfer.spec\nimport_module('cvinfer.cli')\n"
    assert [name for _, name in imports(ast.parse(code), "cvinfer.data", True)] == ["cvinfer.cli"]
