"""limits.memory_mb: a fit that takes more has failed, and the rest goes on."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Optional

import pytest
from tests.execute.run_examples import MAJORITY, marked, spec_of

from cvinfer.worker import memory
from cvinfer.runner import Result, run

LIMIT = 250
OVER = "used more than 250 MB (limits.memory_mb)"


def limited(
    directory: Path,
    learners: dict[str, Any],
    limit: Optional[float] = LIMIT,
    jobs: int = 1,
    **limits: float,
) -> Result:
    path = spec_of(directory, learners, limits={"memory_mb": limit, **limits})
    return run(path, jobs=jobs, allow_code=True, write=True, output=directory / "r" / "made")


@pytest.mark.parametrize("mode", ["hoard", "hoarding_child"])
def test_a_fit_that_takes_too_much_has_failed_at_once(tmp_path: Path, mode: str) -> None:
    began = time.monotonic()
    result = limited(tmp_path, {"A": MAJORITY, "B": marked(mode)}, jobs=2)
    (row,) = result.document["failures"]
    assert (row["learner"], row["message"]) == ("B", OVER)
    assert result.outcome.fitted == 19
    assert time.monotonic() - began < 30
    # Once is enough to know.
    log = (tmp_path / "r" / "made" / "run.log").read_text()
    assert log.count("its worker ended, used more than") == 1
    assert ("hoards" in log) == (mode == "hoard")


def test_what_a_worker_takes_at_rest_is_not_held_against_a_fit(tmp_path: Path) -> None:
    # Python with numpy takes more than twice as much.
    result = limited(tmp_path, {"A": MAJORITY, "B": marked("fine")}, limit=40)
    assert result.document["failures"] == []
    assert result.outcome.fitted == 20


def test_what_earlier_fits_left_is_not_held_against_a_fit(tmp_path: Path) -> None:
    # 200 MB of one fit stay in the worker; with the 100 MB of the next that is too much, but not
    # alone.
    result = limited(tmp_path, {"A": MAJORITY, "B": marked("keep_then_much")})
    assert result.document["failures"] == []
    assert result.outcome.fitted == 20
    log = (tmp_path / "r" / "made" / "run.log").read_text()
    assert log.count(f"its worker ended, {OVER}") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes share")
def test_shared_pages_count_once(tmp_path: Path) -> None:
    result = limited(tmp_path, {"A": MAJORITY, "B": marked("fork")})
    assert result.document["failures"] == []
    assert not (tmp_path / "r" / "made" / "run.log").exists()


def test_both_limits_hold(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": marked("endless"), "C": marked("hoard")}
    result = limited(tmp_path, learners, jobs=2, seconds=2.0)
    messages = {row["learner"]: row["message"] for row in result.document["failures"]}
    assert messages == {"B": "took longer than 2 s", "C": OVER}
    assert result.outcome.fitted == 28


def test_memory_of_processes_that_are_no_more() -> None:
    nobody = 2**22 + 1
    assert memory.used(nobody) == memory.used_together(nobody) == memory.resident(nobody) == 0
