"""R's numbers made afresh: one R process for the whole session."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.golden.golden_r import LINES, script


@pytest.fixture(scope="session")
def r_numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """What R prints today for every line of `golden_r.LINES`."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not on PATH: the numbers from R are compared as written down only")
    path = tmp_path_factory.mktemp("r") / "golden.R"
    path.write_text(script(), encoding="utf-8")
    run = subprocess.run(
        [rscript, "--vanilla", str(path)], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    printed = run.stdout.strip("\n").split("\n")
    assert len(printed) == len(LINES), run.stdout + run.stderr
    return {name: [float(x) for x in line.split()] for name, line in zip(LINES, printed)}
