"""R and Weka for these tests, or the reason why there are none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Iterator

import pytest
from tests import r_parts
from tests.engines.r.r_proof import HERE, Answer, install

from cvinfer.engines._r import client

#: R packages of the ready-made learners.
PACKAGES = ("rpart", "tree", "e1071", "MASS", "nnet", "class", "kknn", "randomForest", "ranger")


@pytest.fixture(scope="session")
def r(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """R with the bridge, and beside it a library with the package of these tests."""
    _unless(r_parts.why_no_r())
    for package in (*PACKAGES, "mlbench"):
        _unless(r_parts.why_no_package(package))
    place = tmp_path_factory.mktemp("r-library")
    install(HERE / "cvproof", place)
    before = os.environ.get("R_LIBS")
    os.environ["R_LIBS"] = f"{place}{os.pathsep}{before}" if before else str(place)
    _ask_anew()
    yield place
    if before is None:
        del os.environ["R_LIBS"]
    else:
        os.environ["R_LIBS"] = before
    _ask_anew()


@pytest.fixture(scope="session")
def weka(r: Path) -> Path:
    """The same with Java, Weka and RWeka."""
    _unless(r_parts.why_no_weka())
    _unless(r_parts.why_no_package("RWeka"))
    return r


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """`call("validate", path)` as the command does it, in this process."""
    from cvinfer.cli import main

    def called(*words: object) -> Answer:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Answer(int(ended.value.code or 0), out, err)

    return called


def _unless(why: "str | None") -> None:
    if why is not None:
        pytest.skip(why)


def _ask_anew() -> None:
    """The process that answers about R is to have the library that is named now."""
    client.end()
    client.known.cache_clear()
