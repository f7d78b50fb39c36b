"""A cluster of processes of their own on loopback, for tests."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest
from tests.execute.run_examples import environment

NEEDS_DASK = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="dask.distributed is not installed (python3-distributed)",
)
PATIENCE = 90.0


class Processes:
    """A scheduler, and groups of workers that come and go."""

    def __init__(self, place: Path, *options: str, tls: Any = None) -> None:
        self.place, self.options, self.tls = place, options, tls
        self.groups: "list[subprocess.Popen[bytes]]" = []
        self.address = ""
        self._port = 0

    @property
    def words(self) -> "list[str]":
        """The options that name it to a command."""
        files = zip(("--tls-ca", "--tls-cert", "--tls-key"), self.tls or ())
        return ["--cluster", self.address, *(word for each in files for word in each)]

    def start_scheduler(self) -> None:
        scheme, more = "tcp", []
        if self.tls is not None:
            files = zip(("--tls-ca-file", "--tls-cert", "--tls-key"), self.tls)
            scheme, more = "tls", ["--protocol", "tls", *(word for each in files for word in each)]
        self._said = self.place / "scheduler.log"
        self.scheduler = self._start(
            self._said,
            *("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"),
            *("--port", str(self._port), "--dashboard-address", "127.0.0.1:0", *more),
        )
        text = wait_for(lambda: self._address(scheme), "the scheduler says nothing")
        self.address = text
        self._port = int(text.rpartition(":")[2])

    def _address(self, scheme: str) -> Optional[str]:
        found = re.search(rf"Scheduler at:\s+({scheme}://\S+:\d+)", self._said.read_text())
        return None if found is None else found[1]

    def start_workers(self, count: int, *more: str) -> "subprocess.Popen[bytes]":
        said = self.place / f"workers-{len(self.groups)}.log"
        files = zip(("--tls-ca", "--tls-cert", "--tls-key"), self.tls or ())
        group = self._start(
            said,
            *("-m", "cvinfer", "workers", self.address, "--processes", str(count)),
            *self.options,
            *(word for each in files for word in each),
            *more,
        )
        self.groups.append(group)

        def ready() -> bool:
            assert group.poll() is None, said.read_text()
            return len(re.findall(r"^worker \S+ is ready", said.read_text(), re.M)) >= count

        wait_for(ready, "the workers are not ready")
        return group

    def _start(self, said: Path, *words: str) -> "subprocess.Popen[bytes]":
        with open(said, "wb") as stream:
            return subprocess.Popen(
                [sys.executable, *words],
                cwd=self.place,
                env={**environment(), "TMPDIR": str(self.place)},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def close(self) -> None:
        """End workers in order, then the scheduler, which may be gone already."""
        for each in self.groups:
            each.send_signal(signal.SIGTERM)
        for each in [*self.groups, self.scheduler]:
            if each is self.scheduler:
                each.send_signal(signal.SIGTERM)
            try:
                each.wait(20)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(each.pid, signal.SIGKILL)
                each.wait(20)


@contextlib.contextmanager
def cluster(place: Path, workers: int, *options: str, tls: Any = None) -> Iterator[Processes]:
    """A scheduler with so many workers."""
    place.mkdir(parents=True, exist_ok=True)
    made = Processes(place, *options, tls=tls)
    made.start_scheduler()
    try:
        if workers:
            made.start_workers(workers)
        yield made
    finally:
        made.close()


def wait_for(what: Any, why: str, seconds: float = PATIENCE) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(why)


def throw_away_authority(place: Path) -> Any:
    """Authority, certificate and key for both sides; None where openssl is not there."""
    from cvinfer.execute.backends._dask.line import Tls

    place.mkdir(parents=True, exist_ok=True)
    (place / "leaf").write_text(
        "basicConstraints=CA:FALSE\nsubjectKeyIdentifier=hash\n"
        "authorityKeyIdentifier=keyid,issuer\nsubjectAltName=IP:127.0.0.1\n"
    )
    new = "-newkey rsa:2048 -nodes -days 2"
    if shutil.which("openssl") is None:
        return None
    for words in (
        f"req -x509 {new} -keyout ca.key -out ca.pem -subj /CN=throw-away"
        " -addext keyUsage=critical,keyCertSign,cRLSign",
        "req -newkey rsa:2048 -nodes -keyout key.pem -out request -subj /CN=cvinfer",
        "x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2"
        " -extfile leaf",
    ):
        subprocess.run(["openssl", *words.split()], cwd=place, check=True, capture_output=True)
    return Tls(*(str(place / name) for name in ("ca.pem", "cert.pem", "key.pem")))


def opened(address: str, **options: Any) -> Any:
    """The cluster as a back end."""
    from cvinfer.execute.backends.dask import Cluster

    return Cluster(address, **options)
