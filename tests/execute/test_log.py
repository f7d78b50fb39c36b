"""run.log: what learners printed, and nothing of it on the terminal."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, marked, script, spec_of
from tests.execute.test_bytes import KILLED, wait_for_fits
from tests.execute.test_interrupt import RUN

from cvinfer.execute.work import FitError
from cvinfer.execute.log import CUT, FULL, OF_RUN, OF_WORKER, RunLog, worker_log
from cvinfer.runner import run

HEADING = r"--- {} on split {} of 10-fold of data, seed \d+"


def logged(directory: Path, learners: dict[str, Any], jobs: int = 1, **more: Any) -> str:
    path = spec_of(directory, learners, **more)
    output = directory / "r" / "made"
    run(path, jobs=jobs, allow_code=True, write=True, output=output)
    log = output / "run.log"
    return log.read_text() if log.exists() else ""


def test_what_a_fit_prints_is_under_its_heading(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec", {"A": marked("loud"), "B": MAJORITY})
    # Without this C may hold back what it is given.
    ran = script(KILLED, tmp_path, path, tmp_path / "r", PYTHONUNBUFFERED="")
    assert ran.communicate(timeout=100) == (b"", b"")
    log = (tmp_path / "r" / "run.log").read_text()
    heading, *lines = log.splitlines()
    assert re.fullmatch(HEADING.format("A", r"\d+"), heading)
    assert sorted(lines) == ["loud 1", r"loud 2 \xff", "loud C", "loud Python"]


def test_many_quick_fits_have_their_own_headings(tmp_path: Path) -> None:
    # 60 fits in a few batches, of which each prints its mark.
    log = logged(tmp_path, {"A": MAJORITY, "B": marked("fine", say=True)}, tests=["loo_matched_t"])
    blocks = re.findall(
        r"--- B on split (\d+) of leave-one-out of data, seed \d+\nsays (\d+)\n", log
    )
    assert {(int(split) - 1, int(mark)) for split, mark in blocks} == {(i, i) for i in range(60)}
    assert log.count("\n") == 2 * 60


def test_no_log_where_there_is_nothing_to_tell(tmp_path: Path) -> None:
    made = tmp_path / "r" / "made"
    assert "loud 1" in logged(tmp_path, {"A": MAJORITY, "B": marked("loud")})
    assert {each.name for each in made.iterdir()} >= {"run.log", "run.json", "result.json"}
    # Everything is stored now, and nothing printed; then there are new fits that print nothing.
    assert logged(tmp_path, {"A": MAJORITY, "B": marked("loud")}) == ""
    (made / "run.log").write_text("of another run")
    assert logged(tmp_path, {"A": MAJORITY, "B": BAYES}) == ""
    assert [each for each in made.iterdir() if each.name.startswith(".")] == []


def test_nothing_is_written_where_nothing_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": marked("loud")})
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run(path, jobs=1, allow_code=True)
    assert list((tmp_path / "here").iterdir()) == []


def test_failures_and_crashes_are_told(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": marked("error"), "C": marked("exit_3")}
    log = logged(tmp_path, learners)
    first, second, third, empty, *rest = log.splitlines()
    assert (first, empty) == ("2 fits failed", "")
    assert re.fullmatch(r"B on split \d+ of 10-fold of data, seed \d+: Marked failed .*", second)
    died = r"C on split \d+ of 10-fold of data, seed \d+: its worker process died 2 times .*"
    assert re.fullmatch(died, third)
    crash = HEADING.format("C", r"\d+") + ": its worker ended, exit code 3"
    assert len(rest) == 2 and all(re.fullmatch(crash, line) for line in rest)


def test_a_run_that_stops_at_the_first_failure_has_a_log(tmp_path: Path) -> None:
    with pytest.raises(FitError):
        path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("error")})
        output = tmp_path / "r" / "made"
        run(path, jobs=1, allow_code=True, write=True, output=output, fail_fast=True)
    assert (output / "run.log").read_text().startswith("1 fit failed\nB on split ")


@pytest.mark.parametrize("limits", [{}, {"seconds": 1.5}])
def test_interrupted_fits_have_their_say(tmp_path: Path, limits: dict[str, float]) -> None:
    learners = {"A": MAJORITY, "B": marked("loud_and_endless")}
    path = spec_of(tmp_path / "spec", learners, limits=limits)
    process = script(RUN, tmp_path, path, tmp_path / "r" / "made")
    if not limits:
        wait_for_fits(tmp_path / "r" / "store.sqlite", 19)
        pressed = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    log = (tmp_path / "r" / "made" / "run.log").read_text()
    heading = HEADING.format("B", r"\d+")
    if limits:
        heading = r"1 fit failed\nB on .*: took longer than 1.5 s\n\n" + heading
        ending = "its worker ended, took longer than 1.5 s"
    else:
        assert time.monotonic() - pressed < 2.0
        ending = "interrupted"
    assert re.fullmatch(heading + rf": {ending}\nloud and endless\n", log), log
    assert errors == b""


def test_a_long_log_is_cut(tmp_path: Path) -> None:
    log = logged(tmp_path, {"A": marked("louder_then_unheard"), "B": MAJORITY})
    assert re.match(HEADING.format("A", r"\d+") + r"\nthe beginning\nx", log)
    assert log.endswith("\n" + CUT) and "the end" not in log
    assert OF_WORKER < len(log) < OF_WORKER + 1000


def test_a_log_does_not_grow_without_end(tmp_path: Path) -> None:
    log = logged(tmp_path, {"A": marked("endlessly_loud"), "B": MAJORITY})
    assert "failed" not in log[:100]
    assert OF_WORKER < len(log) < OF_WORKER + 1000


def test_many_long_logs_are_cut(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    for pid in range(1, 9):
        worker_log(tmp_path, pid).write_bytes(b"z" * OF_WORKER)
        log.lost(pid, 0, f"worker {pid}")
        assert not worker_log(tmp_path, pid).exists()
    log.write(tmp_path / "run.log")
    text = (tmp_path / "run.log").read_text()
    assert text.endswith("z\n" + FULL) and text.count("---") == 5
    assert OF_RUN < len(text) < OF_RUN + 1000


def test_text_is_told_apart_by_fit(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    worker_log(tmp_path, 7).write_bytes(b"starting\nfirst\nbetween\nsecond\xe4 and third")
    log.printed(7, 23, 30, "second fit")
    log.printed(7, 9, 15, "first fit")
    log.printed(7, 30, 30, "silent fit")
    log.lost(7, 30, "third fit, which ended")
    log.write(tmp_path / "run.log")
    assert (tmp_path / "run.log").read_text() == (
        "--- outside of fits\nstarting\n--- first fit\nfirst\n--- outside of fits\nbetween\n"
        "--- second fit\nsecond\\xe4\n--- third fit, which ended\n and third\n"
    )
