"""tools/test-debian.sh: what it refuses, and that nothing of it stays when it is ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "test-debian.sh"
TOOLS = ("unshare", "setpriv", "flock", "mount")

#: Mounts something in the chroot, as the real one does, and takes its time.
DEBOOTSTRAP = """#!/bin/sh
for each in "$@"; do case "$each" in /*/trixie) root=$each ;; esac; done
mkdir "$root/mounted" && mount -t tmpfs none "$root/mounted" && touch "$root/mounted/here"
touch "$TOLD/began"
sleep 300
"""


def start(place: Path, *words: str, **more: str) -> "subprocess.Popen[str]":
    fakes = place / "bin"
    fakes.mkdir()
    (fakes / "debootstrap").write_text(DEBOOTSTRAP)
    (fakes / "debootstrap").chmod(0o755)
    variables = {**os.environ, "PATH": f"{fakes}{os.pathsep}{os.environ['PATH']}"}
    variables.pop("KEEP", None)
    (place / "chroots").mkdir()
    variables.update(TMPDIR=str(place / "chroots"), TOLD=str(place), **more)
    return subprocess.Popen(
        ["bash", str(SCRIPT), *words],
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def comes(found: Callable[[], object], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not found():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    "words, code, said",
    [
        ((), 2, "RELEASE is a name that debootstrap knows"),
        (("--help",), 2, "RELEASE is a name that debootstrap knows"),
        (("../etc",), 1, "is no name of a release"),
    ],
)
def test_refusals(tmp_path: Path, words: "tuple[str, ...]", code: int, said: str) -> None:
    process = start(tmp_path, *words)
    assert said in process.communicate(timeout=60)[0]
    assert process.returncode == code and not list((tmp_path / "chroots").iterdir())


def running(place: Path) -> "list[str]":
    """Processes that belong to a test."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            words = (each / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"TOLD={place}".encode() in words:
            found.append(each.name)
    return found


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="needs Linux's namespaces")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_nothing_stays_when_it_is_ended(tmp_path: Path, ending: str) -> None:
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("this machine gives no mount namespaces")
    process = start(tmp_path, "trixie")
    if not comes((tmp_path / "began").exists):
        process.kill()
        pytest.fail(process.communicate()[0])
    process.send_signal(getattr(signal, ending))
    process.communicate(timeout=60)
    expected = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 143, "SIGKILL": -signal.SIGKILL}
    assert process.returncode == expected[ending]
    assert comes(lambda: not running(tmp_path)), running(tmp_path)
    assert str(tmp_path) not in Path("/proc/mounts").read_text()
    left = list((tmp_path / "chroots").iterdir())
    # Who is killed cannot clear away, but nothing is mounted in what is left.
    assert not left if ending != "SIGKILL" else not list(left[0].glob("trixie/mounted/*"))
