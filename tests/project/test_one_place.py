"""What is decided in one place is decided nowhere else: looked for in the code itself."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Callable, Iterator

import pytest

import cvinfer
from cvinfer.losses import losses
from cvinfer.partitions import schemes
from cvinfer.worker import workplace

PACKAGE = Path(cvinfer.__file__).parent


@functools.lru_cache(maxsize=None)
def every_node() -> list[tuple[str, ast.AST]]:
    """All nodes of the package under their file; read once, many look at them."""
    return [
        (path.relative_to(PACKAGE).as_posix(), node)
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]


def nodes(room: str = "") -> Iterator[tuple[str, ast.AST]]:
    return (each for each in every_node() if each[0].startswith(f"{room}/" if room else ""))


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


def files_with(said: Callable[[ast.AST], bool], room: str = "") -> set[str]:
    return {name for name, node in nodes(room) if said(node)}


def calls(*names: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Call) and ast.unparse(node.func) in names


def imports(module: str) -> Callable[[ast.AST], bool]:
    def found(node: ast.AST) -> bool:
        if isinstance(node, ast.ImportFrom):
            return node.module == module
        return isinstance(node, ast.Import) and any(each.name == module for each in node.names)

    return found


def test_what_is_meant_by_a_wrong_name_is_guessed_in_one_place() -> None:
    assert files_with(imports("difflib")) == {"names.py"}


def test_files_come_into_being_whole_in_one_place() -> None:
    assert files_with(calls("os.replace")) == {"whole.py"}


def test_missing_values_are_filled_by_one_rule() -> None:
    assert files_with(calls("np.nanmedian")) == {"data/imputation.py"}
    assert files_with(calls("np.median"), "engines") == set()


def test_plug_ins_come_in_at_one_place() -> None:
    assert files_with(calls("importlib.metadata.entry_points", "entry_points")) == {"registry.py"}


def test_the_place_for_temporary_files_is_named_once() -> None:
    def named(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and node.value == workplace.SCRATCH

    assert files_with(named) == {"worker/workplace.py"}


def test_a_loss_is_computed_where_it_is_declared() -> None:
    """Above it nobody compares predictions with the truth, nor asks which loss it is."""

    def asks(node: ast.AST) -> bool:
        return isinstance(node, ast.Compare) and any(
            isinstance(each, ast.Constant) and each.value in losses() for each in ast.walk(node)
        )

    # A study knows this one alone as yet, and refuses others.
    assert files_with(asks) <= {"studies/load.py"}

    def compares(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.NotEq)
            and any(
                ast.unparse(each).startswith("predict") for each in (node.left, *node.comparators)
            )
        )

    assert files_with(compares) == {"losses/zero_one.py"}


@pytest.mark.parametrize(
    "name",
    ["UNCORRECTED", "_BUILDERS", "SCHEMES", "SOURCE_PACKAGES", "R_PACKAGES", "CLASSWISE", "Facts"],
)
def test_lists_away_from_their_things_are_gone(name: str) -> None:
    def named(node: ast.AST) -> bool:
        return name in (getattr(node, "id", None), getattr(node, "name", None))

    assert files_with(named) == set()


def test_packages_of_weka_are_named_once() -> None:
    def assigned(node: ast.AST) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        return any(isinstance(each, ast.Name) and each.id == "WEKA_PACKAGES" for each in targets)

    assert files_with(assigned) == {"engines/_r/installation.py"}


def test_nothing_takes_a_message_apart() -> None:
    """Neither by a regular expression nor by its beginning: an error has fields."""

    def taken(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        by_pattern = ast.unparse(node.func).startswith("re.")
        apart = ("removeprefix", "partition", "rpartition", "startswith", "endswith", "index")
        by_words = isinstance(node.func, ast.Attribute) and node.func.attr in apart
        return (by_pattern or by_words) and "str(error)" in ast.unparse(node)

    assert files_with(taken) == set()
