"""The program behind `make torture` is alive: a slice of each part that needs no minutes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.execute.cluster.real_cluster import NEEDS_DASK

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


def torture(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "torture", *words],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(
    "part, some, counted",
    [
        ("damage", "--share 0.015", "3 "),
        ("hostile", "--share 0.01", "exit code 2"),
        ("names", "--share 0.02", "names that run"),
        # Two workers and then the command, by SIGKILL; Python's learners.
        ("kills", "--case 9", "runs that went on from there"),
        # Three kills of machines, Dask workers and processes of fits, with new machines.
        pytest.param("clusters", "--case 4", "runs to the end", marks=NEEDS_DASK),
    ],
)
def test_a_slice_passes(part: str, some: str, counted: str) -> None:
    done = torture("--only", part, *some.split(), "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert counted in done.stdout and "0 faults" in done.stdout
