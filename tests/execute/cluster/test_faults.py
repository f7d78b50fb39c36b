"""What goes while a run is on a cluster: workers, the scheduler, the command itself."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.execute.cluster.real_cluster import NEEDS_DASK, Processes, cluster, wait_for
from tests.execute.run_examples import MAJORITY, environment, marked, spec_of
from tests.execute.test_bytes import files, wait_for_fits

from cvinfer.runner import run

psutil = pytest.importorskip("psutil")
pytestmark = NEEDS_DASK
LEARNERS = {"A": MAJORITY, "B": marked("fine", seconds=0.5)}


def command(spec: Path, place: Path, address: str) -> "subprocess.Popen[bytes]":
    """`cvinfer run` on a cluster, with its result in `place`."""
    words = ("run", str(spec), "--allow-code", "--cluster", address, "--output", str(place))
    return subprocess.Popen(
        [sys.executable, "-m", "cvinfer", *words],
        cwd=spec.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def dask_workers(processes: Processes) -> "list[psutil.Process]":
    """The worker processes under the nannies."""
    found = [each for group in processes.groups for each in psutil.Process(group.pid).children()]
    return [each for each in found if "spawn_main" in " ".join(each.cmdline())]


def fitting(processes: Processes) -> "list[psutil.Process]":
    """The processes below them that make fits."""
    below = [each for worker in dask_workers(processes) for each in worker.children()]
    return [each for each in below if "backends.worker" in " ".join(each.cmdline())]


def test_what_goes_is_made_up_for(tmp_path: Path) -> None:
    """A worker killed, one that joins late, Ctrl-C, and the scheduler gone: then it goes on."""
    spec = spec_of(tmp_path / "spec", LEARNERS)
    made, store = tmp_path / "there" / "made", tmp_path / "there" / "store.sqlite"
    with cluster(tmp_path / "cluster", 1, "--allow-code") as processes:
        process = command(spec, made, processes.address)
        wait_for_fits(store, 11, 240.0)
        dask_workers(processes)[0].kill()
        wait_for_fits(store, 13, 240.0)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - began < 4.0  # two seconds, on a machine that has the time
        assert process.returncode == 130 and b"--cluster tcp://" in errors
        wait_for(lambda: not fitting(processes), "a fit goes on", 10)

        process = command(spec, made, processes.address)
        wait_for_fits(store, 15, 240.0)
        processes.scheduler.kill()
        began = time.monotonic()
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - began < 30.0
        assert process.returncode == 129
        assert b"is gone" in errors and b"cvinfer run" in errors and b"kept" in errors

        processes.start_scheduler()  # whom the workers find again
        process = command(spec, made, processes.address)
        output, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
    assert not list((tmp_path / "cluster").glob("cvinfer-*"))
    run(spec, allow_code=True, write=True, output=tmp_path / "here" / "made")
    assert files(made) == files(tmp_path / "here" / "made")
