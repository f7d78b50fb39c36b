"""Ways to call the command: inside this process, which is quick, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

SMALL = """\
cvinfer: 1
name: small
data: {source: synthetic, population: two_gaussians, n: 60}
learners:
  majority: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
compare: [majority, mean]
tests: [bcv_5x2_mcnemar, blocked_3x2_t]
seed: 5
"""


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small(place: Path) -> Path:
    """A spec that runs in a moment."""
    path = place / "small.yaml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def call(place: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """`call("list", "tests")` as the command would do it."""
    from cvinfer.cli import main

    def called(*words: object) -> Answer:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Answer(int(ended.value.code or 0), out, err)

    return called


@pytest.fixture(autouse=True)
def tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """New processes find this tree, wherever they start, and buffer what they write."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{before}" if before else str(ROOT))


@pytest.fixture
def command() -> list[str]:
    """The words that start the command as a process of its own."""
    return [sys.executable, "-m", "cvinfer"]


@pytest.fixture
def process(place: Path, command: list[str]) -> Callable[..., Answer]:
    """The same in a process of its own; named values go into its environment."""

    def started(*words: object, **more: str) -> Answer:
        done = subprocess.run(
            [*command, *map(str, words)],
            cwd=place,
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert "Traceback" not in done.stdout + done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    return started


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run of the small spec; not to be changed."""
    import yaml

    import cvinfer

    directory = tmp_path_factory.mktemp("finished")
    cvinfer.run(yaml.safe_load(SMALL), output=directory / "small", write=True, jobs=1)
    return directory / "small"
