"""Ctrl-C and kill: at once, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.execute.run_examples import MAJORITY, marked, script, spec_of
from tests.execute.test_bytes import wait_for_fits

from cvinfer.execute.store import Store

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

RUN = """
import sys, time
from cvinfer.runner import run
began = time.monotonic()
try:
    run(sys.argv[1], jobs=2, write=True, output=sys.argv[2], allow_code=True)
except KeyboardInterrupt:
    import multiprocessing
    print("interrupted", len(multiprocessing.active_children()))
    sys.exit(130)
"""


def started(directory: Path, fits: int = 10) -> "tuple[subprocess.Popen[bytes], list[int]]":
    """A run in the middle of slow fits, and all processes that belong to it."""
    learners = {"A": MAJORITY, "B": marked("fine", seconds=30.0)}
    path = spec_of(directory / "spec", learners)
    process = script(RUN, directory, path, directory / "r" / "made")
    wait_for_fits(directory / "r" / "store.sqlite", fits)
    workers = [each.pid for each in psutil.Process(process.pid).children(recursive=True)]
    assert len(workers) >= 2
    return process, workers


def alive(pid: int) -> bool:
    """Whether a process still runs; one that ended and waits for init to notice does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def all_gone(pids: list[int], seconds: float) -> bool:
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if not any(map(alive, pids)):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_ends_everything_within_two_seconds(tmp_path: Path, whole_group: bool) -> None:
    process, workers = started(tmp_path)
    pressed = time.monotonic()
    if whole_group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    took = time.monotonic() - pressed
    assert (process.returncode, output.split()) == (130, [b"interrupted", b"0"]), errors.decode()
    assert took < 2.0
    assert all_gone(workers, 1.0)
    assert errors == b""
    assert list((tmp_path / "r" / "made").iterdir()) == []
    with Store(tmp_path / "r" / "store.sqlite") as store:
        assert store.info()["fits"] == 10
        assert store._db.execute("pragma integrity_check").fetchone() == ("ok",)


def test_ctrl_c_while_workers_start_is_quiet(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec")
    process = script(RUN, tmp_path, path, tmp_path / "r" / "made")
    give_up = time.monotonic() + 30
    children: list[int] = []
    while len(children) < 2 and time.monotonic() < give_up:
        found = psutil.Process(process.pid).children(recursive=True)
        children = [each.pid for each in found]
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == b""
    assert all_gone(children, 2.0)


def test_workers_do_not_hear_ctrl_c_while_they_start(tmp_path: Path) -> None:
    process = script(RUN, tmp_path, spec_of(tmp_path / "spec"), tmp_path / "r" / "made")
    pressed = 0
    while process.poll() is None and pressed < 40:
        for each in psutil.Process(process.pid).children():
            each.send_signal(signal.SIGINT)
            pressed += 1
        time.sleep(0.02)
    _, errors = process.communicate(timeout=60)
    assert pressed >= 40
    assert (process.returncode, errors) == (0, b"")


def words(process: psutil.Process) -> list[str]:
    """Its command line; empty where it has ended since it was listed."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return list(process.cmdline())
    return []


@pytest.mark.parametrize("interrupted", [True, False])
def test_what_a_learner_started_ends_with_its_worker(tmp_path: Path, interrupted: bool) -> None:
    learners = {"A": MAJORITY, "B": marked("offspring")}
    limits = {"seconds": 120.0 if interrupted else 3.0}
    path = spec_of(tmp_path / "spec", learners, limits=limits)
    process = script(RUN, tmp_path, path, tmp_path / "r" / "made")
    give_up = time.monotonic() + 30
    offspring: list[int] = []
    while not offspring and time.monotonic() < give_up:
        found = psutil.Process(process.pid).children(recursive=True)
        offspring = [each.pid for each in found if "import time; time.sleep(120)" in words(each)]
        time.sleep(0.05)
    assert offspring
    if interrupted:
        os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130 if interrupted else 0, b"")
    assert all_gone(offspring, 1.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends orphans by itself")
def test_kill_takes_the_workers_along(tmp_path: Path) -> None:
    process, workers = started(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert all_gone(workers, 2.0)


SWALLOWED = """
import os, signal, sys, time
import cvinfer.spec
from cvinfer.cli import main

def as_numpy_does(*_, **__):
    # Its compiled part prints what interrupts an import, and raises something else.
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        time.sleep(5)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        raise ImportError("numpy.core.multiarray failed to import") from None

class AsAnEndOfLifeDoes:
    # Python itself prints what interrupts it there, and goes on.
    def __del__(self):
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        time.sleep(0.01)

def goes_on(*_, **__):
    AsAnEndOfLifeDoes()
    time.sleep(60)

cvinfer.spec.read_spec = {"raises": as_numpy_does, "goes on": goes_on}[sys.argv[2]]
main(["validate", "spec.yaml"])
"""


@pytest.mark.parametrize("name, code", [("SIGHUP", 129), ("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("how", ["raises", "goes on"])
def test_code_that_swallows_a_request_to_end(
    tmp_path: Path, how: str, name: str, code: int
) -> None:
    process = script(SWALLOWED, tmp_path, name, how)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (code, b"", b"\ninterrupted\n")
