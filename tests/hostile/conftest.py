"""The command as a stranger's directory meets it: a process of its own, started by its script."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Answer(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, which a stranger may fill."""
    directory = tmp_path / "theirs"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installed command is: a script in a directory of its own."""
    path = tmp_path_factory.mktemp("bin") / "cvinfer"
    path.write_text("from cvinfer.cli import main\n\nif __name__ == '__main__':\n    main()\n")
    return path


@pytest.fixture
def cvinfer(place: Path, script: Path) -> Callable[..., Answer]:
    """`cvinfer("run", "spec.yaml")`; named values go into the environment."""

    def started(*words: object, stdin: Any = subprocess.DEVNULL, **more: str) -> Answer:
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("PYTHON")
        }
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, str(script), *map(str, words)],
            cwd=place,
            env={**environment, "PYTHONPATH": str(ROOT), **more},
            stdin=stdin,
            capture_output=True,
            timeout=120,
        )
        out, err = (each.decode("utf-8", "surrogateescape") for each in (done.stdout, done.stderr))
        assert "Traceback" not in out + err, err
        assert "internal error" not in out + err, err
        return Answer(done.returncode, out, err, time.monotonic() - began)

    return started


SPEC = """\
cvinfer: 1
name: hostile
data: {data}
learners:
  mean: {{engine: builtin, learner: mean}}
  other: {learner}
compare: [mean, other]
tests: [blocked_3x2_t]
seed: 5
"""
DATA = "{source: synthetic, population: two_gaussians, n: 60}"


@pytest.fixture
def spec(place: Path) -> Callable[..., Path]:
    """A spec with this learner beside an honest one, in the stranger's directory."""

    def written(
        learner: str = "{engine: builtin, learner: majority}", data: str = DATA, name: str = "spec"
    ) -> Path:
        path = place / f"{name}.yaml"
        path.write_text(SPEC.format(learner=learner, data=data), encoding="utf-8")
        return path

    return written


class Called(NamedTuple):
    code: int
    out: str
    err: str
    #: Of the processor, in this process.
    seconds: float

    @property
    def text(self) -> str:
        return self.out + self.err


@pytest.fixture
def call(place: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Called]]:
    """The same inside this process, which is quick; whatever hangs is ended after a minute."""
    from cvinfer.cli import main

    def hangs(number: int, frame: Any) -> None:
        raise AssertionError("the command hangs")

    def called(*words: object) -> Called:
        capfd.readouterr()
        began = time.process_time()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        seconds = time.process_time() - began
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err and "internal error" not in out + err, out + err
        return Called(int(ended.value.code or 0), out, err, seconds)

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield called
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run; not to be changed."""
    import yaml

    import cvinfer

    learner = "{engine: builtin, learner: majority}"
    directory = tmp_path_factory.mktemp("finished") / "x"
    text = SPEC.format(data=DATA, learner=learner)
    cvinfer.run(yaml.safe_load(text), output=directory, write=True, jobs=1)
    return directory
