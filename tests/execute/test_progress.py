"""What a run says while it works."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from tests.execute.run_examples import MAJORITY, NEAREST_MEAN, environment, marked, spec_of

from cvinfer.progress import LineProgress, Progress, progress_for
from cvinfer.runner import run


def test_lines_tell_what_is_done_and_what_is_stored(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("error")})
    store = tmp_path / "store.sqlite"
    first, second = io.StringIO(), io.StringIO()
    run(path, jobs=1, allow_code=True, store=store, progress=LineProgress(first, every=0.0))
    lines = first.getvalue().splitlines()
    assert lines[0] == "20 fits wanted, 0 of them already stored, 20 to do"
    assert "failed: B" in lines
    assert lines[-1].startswith("20 of 20 fits done, 1 failed, ")
    assert any("s left, A" in line for line in lines)
    run(path, jobs=1, allow_code=True, store=store, progress=LineProgress(second))
    assert second.getvalue().startswith("20 fits wanted, 19 of them already stored, 1 to do\n")


def test_several_data_sets_are_told_apart(tmp_path: Path) -> None:
    data = [
        {"source": "csv", "path": "data.csv", "target": "class", "name": name, "sample": {"n": n}}
        for name, n in (("small", 40), ("large", 50))
    ]
    path = spec_of(tmp_path, {"A": MAJORITY, "B": NEAREST_MEAN}, data=data)
    stream = io.StringIO()
    result = run(
        path, jobs=2, progress=LineProgress(stream, every=0.0), write=True, output=tmp_path
    )
    assert "A on small" in stream.getvalue() and "B on large" in stream.getvalue()
    assert [row["data"] for row in result.comparisons] == ["small", "large"]
    assert (tmp_path / "predictions-large.csv.gz").is_file()


def test_work_in_several_goes_is_counted_from_none_each_time() -> None:
    stream = io.StringIO()
    progress = LineProgress(stream)
    for label in ("first", "second"):
        progress.start(3, 1)
        progress.done(label, failed=label == "first")
        progress.done(label, failed=False)
        progress.stop()
    told = [line for line in stream.getvalue().splitlines() if "done" in line]
    assert told[0].startswith("2 of 2 fits done, 1 failed, ")
    assert told[1].startswith("2 of 2 fits done, ") and "failed" not in told[1]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert type(progress_for(quiet=True)) is Progress
    assert isinstance(progress_for(quiet=False), LineProgress)


BAR = """
import sys
from cvinfer.progress import BarProgress, progress_for
from cvinfer.runner import run
progress = progress_for(quiet=False)
assert isinstance(progress, BarProgress)
run(sys.argv[1], jobs=1, progress=progress, allow_code=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    path = spec_of(tmp_path, {"A": marked("fine", seconds=0.1), "B": MAJORITY})
    (tmp_path / "script.py").write_text(BAR)
    pid, terminal = pty.fork()
    if pid == 0:
        settings = {**environment(), "TERM": "xterm", "COLUMNS": "120"}
        command = [sys.executable, str(tmp_path / "script.py"), str(path)]
        os.execvpe(command[0], command, settings)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        shown += part
    _, status = os.waitpid(pid, 0)
    text = shown.decode()
    assert os.waitstatus_to_exitcode(status) == 0, text
    assert "/20" in text and "/s" in text and "A" in text
