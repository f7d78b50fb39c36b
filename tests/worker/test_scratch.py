"""The run's own directory for temporary files: what is in it, and that it goes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, TREE, environment, marked, script, spec_of
from tests.execute.test_bytes import KILLED, files, wait_for_fits
from tests.execute.test_interrupt import RUN

from cvinfer.worker import scratch
from cvinfer.execute.work import WorkerError
from cvinfer.runner import run


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files of this test alone."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert tempfile.gettempdir() == str(place)
    return place


def told_by_learner(directory: Path, **more: Any) -> dict[str, Any]:
    learners = {"A": MAJORITY, "B": marked("environment")}
    path = spec_of(directory, learners, **more)
    output, store = directory / "r", directory / f"store-{len(more)}.sqlite"
    run(path, jobs=1, allow_code=True, write=True, output=output, store=store)
    _, line = (output / "run.log").read_text().splitlines()
    return json.loads(line)  # type: ignore[no-any-return]


def test_workers_have_their_own_places(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    monkeypatch.setenv("LC_ALL", "POSIX")
    monkeypatch.setenv("CVINFER_MEMORY_MB", "1")
    # A worker may have looked for a place already when it is told of its own.
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text("import tempfile; tempfile.gettempdir()")
    monkeypatch.setenv("PYTHONPATH", environment(tmp_path / "first")["PYTHONPATH"])
    told = told_by_learner(tmp_path)
    own = Path(told["CVINFER_SCRATCH"])
    assert own.parent == temporary and own.name.startswith(f"cvinfer-{os.getpid()}-")
    assert told["TMPDIR"] == told["tempfile"] == str(own / f"tmp-{told['pid']}")
    assert told["WEKA_HOME"] == str(own / f"weka-{told['pid']}")
    assert (told["LC_ALL"], told["LANGUAGE"]) == ("C.UTF-8", None)
    assert told["CVINFER_MEMORY_MB"] is None
    assert list(temporary.iterdir()) == []
    assert told_by_learner(tmp_path, limits={"memory_mb": 4000})["CVINFER_MEMORY_MB"] == "4000"


def test_learners_that_die_leave_nothing(tmp_path: Path, temporary: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("litter")})
    result = run(path, jobs=2, allow_code=True)
    assert result.outcome.fitted == 19
    assert list(temporary.iterdir()) == []


def test_the_locale_moves_no_byte(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec", {"tree": TREE, "Bayes": BAYES}, classes=3)
    found = []
    for name in ("POSIX", "C.UTF-8"):
        ran = script(KILLED, tmp_path, path, tmp_path / name / "made", LC_ALL=name)
        _, errors = ran.communicate(timeout=100)
        assert ran.returncode == 0, errors.decode()
        found.append(files(tmp_path / name / "made"))
    assert found[0] == found[1]


def test_ctrl_c_leaves_nothing(tmp_path: Path, temporary: Path) -> None:
    path = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": marked("fine", seconds=30.0)})
    process = script(RUN, tmp_path, path, tmp_path / "r" / "made")
    wait_for_fits(tmp_path / "r" / "store.sqlite", 10)
    assert len(list(temporary.glob(f"cvinfer-{process.pid}-*"))) == 1
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert list(temporary.iterdir()) == []


def kill_guardian(pid: int) -> None:
    """As if the whole machine had gone down: then nobody clears up."""
    psutil = pytest.importorskip("psutil")
    for child in psutil.Process(pid).children():
        if any(word.endswith("guardian.py") for word in child.cmdline()):
            child.kill()
            return
    raise AssertionError("no guardian")


def test_what_killed_runs_left_is_swept_and_living_runs_are_not(
    tmp_path: Path, temporary: Path
) -> None:
    path = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": marked("fine", seconds=30.0)})
    runs = [script(RUN, tmp_path, path, tmp_path / name / "made") for name in ("x", "y")]
    for name in ("x", "y"):
        wait_for_fits(tmp_path / name / "store.sqlite", 10)
    killed, living = ([*temporary.glob(f"cvinfer-{each.pid}-*")][0] for each in runs)
    # The number of the killed run may be that of another process by now.
    renumbered = killed.with_name(f"cvinfer-{os.getpid()}-renumbered")
    (temporary / "cvinfer-results").mkdir()
    (temporary / "cvinfer-1-file").touch()
    (temporary / "cvinfer-1-link").symlink_to(tmp_path, target_is_directory=True)
    try:
        kill_guardian(runs[0].pid)
        os.kill(runs[0].pid, signal.SIGKILL)
        runs[0].communicate(timeout=30)
        assert any(killed.glob("tmp-*"))
        killed.rename(renumbered)
        run(spec_of(tmp_path / "other"), jobs=1)
        others = {"cvinfer-results", "cvinfer-1-file", "cvinfer-1-link"}
        assert {each.name for each in temporary.iterdir()} == {living.name, *others}
        assert any(living.glob("tmp-*"))
    finally:
        for each in runs:
            each.kill()
            each.communicate(timeout=30)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users as POSIX has them")
def test_what_others_left_is_theirs(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = temporary / "cvinfer-999999999-left"
    left.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(left, 12345, -1)
    scratch.sweep()
    assert left.is_dir()
    os.chown(left, os.geteuid(), -1)
    scratch.sweep()
    assert not left.exists()


def test_no_place_for_temporary_files_is_told(tmp_path: Path, temporary: Path) -> None:
    path = spec_of(tmp_path / "spec")
    shutil.rmtree(temporary)
    with pytest.raises(
        WorkerError, match="no place for temporary files: .*; name a directory"
    ) as told:
        run(path, jobs=1)
    assert told.value.exit_code == 2  # 1 is for faults of the program


DIES = """
import os, sys
if "cvinfer.execute.backends.worker" in " ".join(sys.orig_argv):
    os._exit(7)
"""


def test_workers_that_cannot_start_are_told_with_their_end(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(DIES)
    began = time.monotonic()
    variables = environment(tmp_path / "first")
    process = script(RUN, tmp_path, spec_of(tmp_path / "spec"), tmp_path / "r", **variables)
    _, errors = process.communicate(timeout=60)
    assert "end before their first fit, 3 times in a row (exit code 7); is" in errors.decode()
    assert time.monotonic() - began < 30
    assert list(temporary.iterdir()) == []
