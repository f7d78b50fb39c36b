"""Workers that are killed from outside, at the worst moments: nothing hangs and nothing is lost."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, marked, script, spec_of
from tests.execute.test_bytes import files, wait_for_fits
from tests.execute.test_interrupt import RUN, all_gone

from cvinfer.engines._r import client
from cvinfer.engines._r.installation import NoR
from cvinfer.execute.backends import wire
from cvinfer.execute.work import Order
from cvinfer.runner import run

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

LEARNERS = {"A": BAYES, "B": NEAREST_MEAN}
#: More than a pipe holds, however a worker is given its data.
RECORDS = 6000


def workers(process: "subprocess.Popen[bytes]") -> "list[psutil.Process]":
    """The worker processes of a run that are there now."""
    found = []
    for child in psutil.Process(process.pid).children():
        with contextlib.suppress(psutil.Error):
            if "cvinfer.execute.backends.worker" in " ".join(child.cmdline()):
                found.append(child)
    return found


def kill_fresh_workers(process: "subprocess.Popen[bytes]", kills: int, age: float) -> int:
    """Kill the first workers that a run starts, `age` seconds after each is seen."""
    seen: dict[int, float] = {}
    done: set[int] = set()
    give_up = time.monotonic() + 60
    while len(done) < kills and process.poll() is None and time.monotonic() < give_up:
        for child in workers(process):
            began = seen.setdefault(child.pid, time.monotonic())
            due = child.pid not in done and time.monotonic() - began >= age
            if due and len(done) < kills:
                done.add(child.pid)
                child.kill()
        time.sleep(0.001)
    return len(done)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> "dict[str, bytes]":
    """What the run gives whose workers live."""
    place = tmp_path_factory.mktemp("undisturbed")
    path = spec_of(place / "spec", LEARNERS, n=RECORDS)
    run(path, jobs=1, write=True, output=place / "whole" / "made")
    return files(place / "whole" / "made")


@pytest.mark.parametrize("age", [0.0, 0.02, 0.05, 0.1])
def test_fresh_workers_may_be_killed(
    tmp_path: Path, age: float, undisturbed: "dict[str, bytes]"
) -> None:
    path = spec_of(tmp_path / "spec", LEARNERS, n=RECORDS)
    process = script(RUN, tmp_path, path, tmp_path / "killed" / "made")
    try:
        assert kill_fresh_workers(process, 2, age) == 2
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        pytest.fail("the run hangs")
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, b"")
    assert files(tmp_path / "killed" / "made") == undisturbed


def test_a_worker_that_stands_still_holds_up_no_other(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": marked("fine", seconds=0.5)}
    path = spec_of(tmp_path / "spec", learners, limits={"seconds": 5.0})
    process = script(RUN, tmp_path, path, tmp_path / "r" / "made")
    try:
        wait_for_fits(tmp_path / "r" / "store.sqlite", 11)
        stopped = workers(process)[0]
        stopped.suspend()
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, b"")
    log = (tmp_path / "r" / "made" / "run.log").read_text()
    assert log.startswith("1 fit failed\nB on split ") and "took longer than 5 s" in log
    assert all_gone([stopped.pid], 1.0)


def test_half_a_message_is_the_end_of_a_worker() -> None:
    read, write = os.pipe()
    wire.send(write, wire.Made(3, list(range(1000))))
    os.close(write)
    with open(read, "rb") as stream:
        whole = stream.read()
    data = io.BytesIO(b"talk of the interpreter" + wire.PREFACE + whole)
    wire.skip_to_preface(data)
    assert wire.receive(data) == wire.Made(3, list(range(1000)))
    for length in (0, 5, 8, 100, len(whole) - 1):
        with pytest.raises(EOFError):
            wire.receive(io.BytesIO(whole[:length]))
    with pytest.raises(EOFError):
        wire.skip_to_preface(io.BytesIO(b"x" * (wire.TALK + 100)))


def test_orders_fit_into_an_empty_pipe() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    orders = [Order(2**40, i, i, 5, 2**32 - 1) for i in range(wire.MOST_ORDERS)]
    message = wire.packed(7, orders)
    assert len(message) <= 4096 and os.write(write, message) == len(message)
    assert wire.next_orders(read) == (7, orders)
    os.close(write)
    with pytest.raises(EOFError):
        wire.next_orders(read)
    os.close(read)
    with pytest.raises(ValueError, match="at most"):
        wire.packed(7, [*orders, orders[0]])


def test_a_helper_that_reads_no_more_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_START", "import time; time.sleep(100)")
    monkeypatch.setattr(client, "PATIENCE", 1.0)
    helper = client._Helper()
    began = time.monotonic()
    with pytest.raises(NoR, match="did not answer within 1 s"):
        helper.ask("versions", (b"x" * 10**6,))
    assert time.monotonic() - began < 10
    assert not helper.alive()
