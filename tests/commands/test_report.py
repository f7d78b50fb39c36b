"""`cvinfer report`, and the page that a run leaves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Callable

Call = Callable[..., Any]


def test_the_page_of_a_run_is_that_of_its_result(call: Call, finished: Path) -> None:
    shutil.copytree(finished, "copy")
    left = Path("copy/report.html").read_text(encoding="utf-8")
    Path("copy/report.html").unlink()
    answer = call("report", "copy/result.json")
    assert (answer.code, answer.out) == (0, "written: copy/report.html\n")
    assert Path("copy/report.html").read_text(encoding="utf-8") == left
    assert "Started" in left  # run.json is beside it

    # Without run.json the page is that of the result alone.
    Path("alone").mkdir()
    shutil.copy(finished / "result.json", "alone")
    assert call("report", "alone", "-o", "pages/one.html").code == 0
    alone = Path("pages/one.html").read_text(encoding="utf-8")
    assert "Started" not in alone
    assert alone == call("table", "alone/result.json", "--format", "html").out
    assert alone == call("report", "alone", "-o", "-").out


def test_what_is_no_document_is_refused(call: Call, finished: Path) -> None:
    Path("r.json").write_text("[]")
    assert call("report", "r.json").code == 2
    assert not Path("report.html").exists()
    study = {"cvinfer": 1, "study": {}, "cells": []}
    Path("study.json").write_text(json.dumps(study))
    answer = call("report", "study.json")
    assert answer.code == 2 and "study.json" in answer.err and "required" in answer.err
    document = json.loads((finished / "result.json").read_text())
    document["verdicts"][0]["a"] = "nobody"
    Path("r.json").write_text(json.dumps(document))
    assert call("report", "r.json").code in (0, 2)
