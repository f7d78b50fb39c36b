"""`cvinfer plot`: a file by its ending, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, Callable

import pytest
from tests.report.test_pictures import document

Call = Callable[..., Any]


@pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None,
    reason="matplotlib is not installed: nothing is drawn",
)
def test_a_picture_goes_to_its_file(call: Call, finished: Path) -> None:
    result = finished / "result.json"
    many = {**json.loads(result.read_bytes()), **document()}
    (finished / "many.json").write_text(json.dumps(many), encoding="utf-8")
    code, out, _ = call("plot", finished / "many.json", "--kind", "ranks", "-o", "new/ranks.svg")
    assert (code, out) == (0, "written: new/ranks.svg\n")
    code, _, err = call("plot", result, "--kind", "ranks", "-o", "none.pdf")
    assert code == 2 and "two data sets or more" in err and not Path("none.pdf").exists()
    code, _, err = call("plot", finished / "many.json", "--kind", "ranks", "-o", "ranks.doc")
    assert code == 2 and ".pdf, .png, .svg" in err
