"""The tutorial notebook runs as it stands: its code cells, one after the other, as in a kernel."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "tutorial.ipynb"


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """What a cell ends in, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = ["".join(each["source"]) for each in content["cells"] if each["cell_type"] == "code"]
    assert len(cells) > 5 and content["nbformat"] == 4
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [run_cell(each, names) for each in cells]
    assert "<table>" in shown[0]._repr_html_()
    assert names["result"].verdicts[0]["b"] == "logistic"
    assert shown[-1].verdicts[0]["primary"] == "corrected_repeated_holdout_t"
    printed = capsys.readouterr().out
    assert "blocked_3x2_t:" in printed and "\\begin{table" in printed


def test_it_is_kept_without_outputs() -> None:
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert [c for c in content["cells"] if c.get("outputs") or c.get("execution_count")] == []
