"""What a run leaves behind: its results, and nothing else, however it or its learners end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.execute.run_examples import MAJORITY, marked, script, spec_of
from tests.execute.test_bytes import files
from tests.execute.test_interrupt import all_gone
from tests.execute.test_kills import workers

from cvinfer.errors import UserError
from cvinfer.execute.places import output_directory
from cvinfer.runner import run
from cvinfer.spec import load_spec
from cvinfer.whole import PATTERN, whole

psutil = pytest.importorskip("psutil")

WRITING = """
import sys, time
from pathlib import Path
from cvinfer.whole import whole
with whole(Path(sys.argv[1])) as stream:
    stream.write(b"half of ")
    stream.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def writing(cwd: Path, path: Path) -> "subprocess.Popen[bytes]":
    """A process in the middle of writing a file."""
    process = script(WRITING, cwd, path)
    assert process.stdout is not None and process.stdout.readline() == b"writing\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="locks as POSIX has them")
def test_what_killed_writers_left_is_swept_by_the_next(tmp_path: Path) -> None:
    made = tmp_path / "r" / "made"
    made.mkdir(parents=True)
    dead, living = (writing(tmp_path, made / "result.json") for _ in range(2))
    try:
        os.kill(dead.pid, signal.SIGKILL)
        dead.communicate(timeout=30)
        assert len(list(made.glob(PATTERN))) == 2
        run(spec_of(tmp_path / "spec"), jobs=1, write=True, output=made)
        (left,) = made.glob(PATTERN)
        assert f".{living.pid}." in left.name
    finally:
        living.kill()
        living.communicate(timeout=30)
    run(spec_of(tmp_path / "spec"), jobs=1, write=True, output=made)
    assert [each for each in made.iterdir() if each.name.startswith(".")] == []


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with whole(path) as stream:
        stream.write(b"first")
    with pytest.raises(ZeroDivisionError), whole(path) as stream:
        stream.write(b"second")
        raise ZeroDivisionError
    assert path.read_bytes() == b"first"
    with whole(path) as stream:
        stream.write(b"third")
    assert path.read_bytes() == b"third"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="there is no /dev/null")
def test_a_device_stays_one() -> None:
    with whole(Path("/dev/null")) as stream:
        stream.write(b"nothing")
    assert Path("/dev/null").is_char_device()
    assert not list(Path("/dev").glob(PATTERN))


# --- what learners started ------------------------------------------------------------------------


def daemon_of(process: "subprocess.Popen[bytes]", note: Path) -> int:
    """The process that the learner has started and that has left it; it wrote its number down."""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        if note.exists() and note.read_text().endswith("\n"):
            return int(note.read_text())
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("nothing was started")


COMMAND = "import sys; from cvinfer.cli import main; main(sys.argv[1:])"
ENDS = {
    "kill -9 of the command": (0, signal.SIGKILL),
    "Ctrl-C": (0, signal.SIGINT),
    "a request to the command": (0, signal.SIGTERM),
    "kill -9 of the worker": (1, signal.SIGKILL),
}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux finds them")
@pytest.mark.parametrize(
    "end, environment",
    [
        *((end, "kept") for end in ENDS),
        # After kill -9 a process without its environment and its parents is nobody's.
        *((end, "none") for end in ENDS if "-9" not in end),
    ],
)
def test_what_learners_started_ends_with_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, environment: str
) -> None:
    """Also what has left its group, its session and its parent."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("NOTE", str(tmp_path / "note"))
    mode = "daemon" if environment == "kept" else "bare_daemon"
    path = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": marked(f"{mode}_then_endless")})
    words = ("run", path, "--allow-code", "--output", tmp_path / "r" / "made")
    process = script(COMMAND, tmp_path, *words)
    try:
        daemon = daemon_of(process, tmp_path / "note")
        whom, number = ENDS[end]
        victims = workers(process) if whom else [psutil.Process(process.pid)]
        for victim in victims:
            victim.send_signal(number)
        if whom == 0:
            process.communicate(timeout=30)
        assert all_gone([daemon], 3.0)
    finally:
        process.kill()
        process.communicate(timeout=30)
    give_up = time.monotonic() + 3
    while list((tmp_path / "temporary").iterdir()) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="Linux finds them")
def test_what_learners_started_ends_with_a_run_that_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode in ("daemon", "bare_daemon"):
        note = tmp_path / mode
        monkeypatch.setenv("NOTE", str(note))
        result = run(spec_of(tmp_path, {"A": MAJORITY, "B": marked(mode)}), jobs=1, allow_code=True)
        assert not result.failed
        assert all_gone([int(note.read_text())], 1.0)


# --- what reaches the result ----------------------------------------------------------------------


def test_no_process_id_reaches_the_result(tmp_path: Path) -> None:
    learners = {"A": marked("tells_places"), "B": marked("fails_with_places")}
    found = []
    for name in ("one", "two"):
        path = spec_of(tmp_path / "spec", learners)
        run(path, jobs=1, allow_code=True, write=True, output=tmp_path / name / "made")
        found.append(files(tmp_path / name / "made"))
    assert found[0] == found[1]
    document = json.loads(found[0]["result.json"])
    (failure,) = document["failures"]
    said = "process [id] (pid [id]) has 54 records and no [temporary file] in '[temporary file]'"
    assert failure["message"].endswith(said), failure["message"]
    (warning,) = [text for text in document["warnings"] if "places" in text]
    assert re.fullmatch(r"A: RuntimeWarning: places: \[temporary file\], pid=\[id\] .*", warning)


def test_home_is_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    path = spec_of(tmp_path / "spec", output={"directory": "~/results"})
    assert output_directory(load_spec(path)) == tmp_path / "home" / "results" / "made"
    result = run(path, jobs=1, write=True)
    assert result.directory == tmp_path / "home" / "results" / "made"
    assert (tmp_path / "home" / "results" / "store.sqlite").is_file()
    assert not (tmp_path / "~").exists()
    nobody = spec_of(tmp_path / "spec", output={"directory": "~nobody-of-this-name/results"})
    with pytest.raises(UserError, match="there is no home directory for '~nobody-of-this-name/"):
        run(nobody, jobs=1, write=True)
