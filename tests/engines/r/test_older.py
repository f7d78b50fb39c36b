"""cvinfer's own R package as an earlier cvinfer installed it: it is told what to do, in words."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engines.r.r_proof import install
from tests.execute.run_examples import MAJORITY, environment, spec_of
from tests.r_parts import why_no_r

pytestmark = pytest.mark.skipif(why_no_r() is not None, reason=str(why_no_r()))
ENTRY = """
bridge_learners <- function() list(list(
  name = "rpart", package = "rpart", title = "a tree", arguments = "cp", required = character(),
  numeric_only = FALSE, two_classes = FALSE, {more} available = TRUE
))
"""


@pytest.mark.parametrize(
    "more, lacking",
    [("", "word on the probabilities of learners"), ('probabilities = "all",', "bridge_check()")],
)
def test_an_older_package_is_told_of_with_the_command(
    tmp_path: Path, more: str, lacking: str
) -> None:
    older, library = tmp_path / "older", tmp_path / "library"
    (older / "R").mkdir(parents=True)
    (older / "DESCRIPTION").write_text("Package: cvinfer\nVersion: 0.0.1\nTitle: Older\n")
    (older / "NAMESPACE").write_text("")
    (older / "R" / "older.R").write_text(ENTRY.format(more=more))
    install(older, library)
    spec = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": {"engine": "r", "learner": "rpart"}})
    done = subprocess.run(
        [sys.executable, "-m", "cvinfer", "validate", str(spec)],
        cwd=tmp_path,
        env={**environment(), "CVINFER_R_LIBRARY": str(library), "TMPDIR": os.fspath(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert (
        f"is older than cvinfer, it has no {lacking}; run make setup" in done.stdout + done.stderr
    )
    assert "KeyError" not in done.stdout + done.stderr
