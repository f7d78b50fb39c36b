"""What goes from module to module has a type: `Any` stands in a signature only where JSON does."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Iterator, Union

import pytest

import cvinfer
from cvinfer.data import Dataset, PredictionSet, ScoreSet

PACKAGE = Path(cvinfer.__file__).parent
ROOMS = ("planning", "runner", "execute", "spec", "commands", "analysis")

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def functions(body: list[ast.stmt]) -> Iterator[Function]:
    """Public functions, and public methods of all classes: a private class may be handed out."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not node.name.startswith("_"):
                yield node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body)


def annotations(function: Function) -> Iterator[ast.expr]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    yield from (each.annotation for each in every if each and each.annotation)
    if function.returns:
        yield function.returns


def has_any(node: ast.AST) -> bool:
    """Whether `Any` is in it, other than as the values of a JSON object under names."""
    if isinstance(node, ast.Subscript) and ast.unparse(node) in (
        "dict[str, Any]",
        "Mapping[str, Any]",
    ):
        return False
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return has_any(ast.parse(node.value, mode="eval").body)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.unparse(node) in ("Any", "typing.Any")
    return any(has_any(child) for child in ast.iter_child_nodes(node))


def trees(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    for room in rooms:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(text)


def test_public_functions_say_what_they_take_and_give() -> None:
    every = [(name, each) for name, tree in trees(*ROOMS) for each in functions(tree.body)]
    assert len(every) > 300
    assert [
        f"{name}: {function.name}"
        for name, function in every
        if any(has_any(each) for each in annotations(function))
    ] == []


@pytest.mark.parametrize(
    ("annotation", "has"),
    [
        ("Any", True),
        ("Sequence[Any]", True),
        ("'Optional[Any]'", True),
        ("typing.Any", True),
        ("Mapping[int, Any]", True),
        ("list[Mapping[str, Any]]", False),
        ("JsonObject", False),
        ("AnyOffered", False),
    ],
)
def test_any_is_seen(annotation: str, has: bool) -> None:
    assert has_any(ast.parse(annotation, mode="eval").body) is has


def test_kinds_of_data_are_not_told_apart_by_what_they_lack() -> None:
    """`getattr` and `hasattr` are for what others wrote; our own kinds of data share a protocol."""
    own = {
        name
        for kind in (Dataset, PredictionSet, ScoreSet)
        for name in (*dir(kind), *kind.__dataclass_fields__)
        if not name.startswith("_")
    }
    assert {"truth", "target", "partitions", "predictions", "made_elsewhere"} <= own
    asked = [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees(".")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("getattr", "hasattr")
        and isinstance(node.args[1], ast.Constant)
        and node.args[1].value in own
    ]
    assert asked == []
