"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from typing import Iterator

import pytest

# Debian 12's joblib imports distutils, in the place of which setuptools puts its own: an eighth of
# what a worker takes to start, and the tests start a thousand. Python 3.12 has none to be replaced.
if sys.version_info < (3, 12):
    os.environ.setdefault("SETUPTOOLS_USE_DISTUTILS", "stdlib")

# A shell that starts this in the background lets it ignore Ctrl-C, and every process that the tests
# start and interrupt would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Under nohup it is the same with a hang-up.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes says how busy the machine is, not whether the code is right. Under CI
# the same examples are drawn every time: a verdict there is on the change, not on the draw. Other
# runs draw new ones, which is how new faults are found.
if importlib.util.find_spec("hypothesis"):
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "cvinfer",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=bool(os.environ.get("CI")),
    )
    settings.load_profile("cvinfer")


@pytest.fixture(scope="session", autouse=True)
def one_worker() -> Iterator[None]:
    """A run in this process has one worker unless a test asks for more: most of what a small run
    costs is their start, and the tests themselves run side by side."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "sched_getaffinity"):
            patch.setattr(os, "sched_getaffinity", lambda process: {0})
        patch.setattr(os, "cpu_count", lambda: 1)
        yield
