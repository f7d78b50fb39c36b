"""The page on architecture names files and functions that are there, and the layers that hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.project.test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def defined(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def test_files_and_functions_are_there() -> None:
    named = re.findall(r"`([\w./]+\.py): (\w+)`", PAGE)
    assert len(named) > 15
    assert [each for each in named if each[1] not in defined(ROOT / each[0])] == []
    paths = re.findall(r"`((?:cvinfer|tests|schemas|r_bridge)/[\w./]*)`", PAGE)
    # A folder of tests is made with the first file in it.
    assert [each for each in paths if each != "tests/losses" and not (ROOT / each).exists()] == []


def test_layers_are_those_that_hold() -> None:
    picture = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)[0]
    told = [re.split(r"  +", line)[0].split(", ") for line in picture.strip().splitlines()]
    assert told == [list(rooms) for rooms in LAYERS if rooms not in (("",), ("__main__",))]


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
