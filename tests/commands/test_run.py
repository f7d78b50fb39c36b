"""`cvinfer run`: result, files, reuse, failures, interruption."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import pytest

Call = Callable[..., Any]

#: Two learners of another package: one is slow, one fails on a split now and then.
LEARNERS = """\
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Sleeper(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep(60)
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Moody(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(X) % 2:
            raise ValueError("not on an odd number of records")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""

SLOW = """\
cvinfer: 1
name: slow
data: {source: synthetic, population: two_gaussians, n: 60}
learners:
  mean: {engine: builtin, learner: mean}
  sleeper: {engine: sklearn, learner: "cli_learners:Sleeper"}
tests: [blocked_3x2_t]
"""

MOODY = """\
cvinfer: 1
name: moody
data: {source: synthetic, population: two_gaussians, n: 64}
learners:
  mean: {engine: builtin, learner: mean}
  moody: {engine: sklearn, learner: "cli_learners:Moody"}
partition: [{scheme: kfold, k: 10}, {scheme: blocked_mx2, m: 3}]
tests: [kfold_t, blocked_3x2_t]
"""


@pytest.fixture
def learners(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (place / "cli_learners.py").write_text(LEARNERS)
    monkeypatch.setenv("PYTHONPATH", f"{place}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(str(place))
    return place


def test_run_shows_the_result_and_says_where_the_files_are(call: Call, small: Path) -> None:
    code, out, err = call("run", small, "--jobs", 1)
    assert code == 0
    assert "blocked" in out and "majority" in out
    document = json.loads(Path("results/small/result.json").read_bytes())
    flat = " ".join(out.split())
    for verdict in document["verdicts"]:
        assert f"{verdict['b']} is better than {verdict['a']} by " in flat
    assert "0 reused from the store, 20 made now" in out
    assert "result.json, report.html, result.tex, result.md" in out and "results/small" in out
    assert "20 fits wanted" in err

    again = call("run", small, "--jobs", 1, "--quiet")
    assert again.code == 0 and again.err == ""
    assert "20 reused from the store, 0 made now" in again.out


def test_output_and_store_go_where_they_are_told(call: Call, small: Path) -> None:
    code, out, _ = call("run", small, "--output", "here/there", "--store", "kept/fits.db")
    assert code == 0 and "in here/there" in out
    assert Path("here/there/result.json").is_file() and Path("kept/fits.db").is_file()
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.yaml"], "nowhere.yaml: spec: there is no such file"),
        (["."], "this is a directory"),
        (["small.yaml", "--set", "alpha=7"], "--set alpha=7: alpha: 7 is too large"),
        (["small.yaml", "--set", "alpha"], "not of the form key=value"),
        (["small.yaml", "--jobs", "0"], "0 is not in the range"),
        (["small.yaml", "--output", "small.yaml"], "cannot be written to small.yaml"),
        (["small.yaml", "--store", "small.yaml"], "the store small.yaml cannot be used"),
        (["small.yaml", "--sett", "alpha=0.1"], "No such option: --sett"),
        ([], "Missing argument 'SPEC'"),
    ],
)
def test_mistakes_are_told_with_exit_code_2(
    call: Call, small: Path, words: list[str], said: str
) -> None:
    code, out, err = call("run", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert small.read_text().startswith("cvinfer: 1")


def test_code_of_others_runs_only_when_allowed(call: Call, learners: Path) -> None:
    Path("moody.yaml").write_text(MOODY)
    code, _, err = call("run", "moody.yaml")
    assert code == 2 and "--allow-code" in err


def test_failed_fits_are_listed_with_exit_code_3(call: Call, learners: Path) -> None:
    Path("moody.yaml").write_text(MOODY)
    code, out, err = call("run", "moody.yaml", "--allow-code", "--jobs", 1)
    assert code == 3
    # 64 records in 10 folds: six folds of 6 leave 58, four of 7 and fewer leave an odd number.
    document = json.loads(Path("results/moody/result.json").read_bytes())
    assert len(document["failures"]) == 4
    assert "4 fits failed" in err
    # For one reason, which is told once.
    assert err.count("not on an odd number of records") == 1
    assert "moody on two_gaussians, 4 times, first on split 1 of 10-fold" in err
    done = {entry["test"]: entry["inference"] is not None for entry in document["comparisons"]}
    assert done == {"kfold_t": False, "blocked_3x2_t": True}

    stopped = call("run", "moody.yaml", "--allow-code", "--fail-fast", "--jobs", 1)
    assert stopped.code == 3 and "not on an odd number" in stopped.err


def test_internal_errors_are_one_line(
    call: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cvinfer.spec

    def broken(*args: Any, **options: Any) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr(cvinfer.spec, "load_spec", broken)
    monkeypatch.delenv("CVINFER_DEBUG", raising=False)
    code, _, err = call("show", small)
    assert code == 1
    assert err.count("\n") == 1
    assert err.startswith("internal error: ZeroDivisionError: a fault of ours (")
    monkeypatch.setenv("CVINFER_DEBUG", "1")
    from cvinfer.cli import main

    with pytest.raises(ZeroDivisionError):
        main(["show", str(small)])


# --- interruption ---------------------------------------------------------------------------------


def processes_of(session: int) -> list[str]:
    """The processes of a session that are alive, and the workers it has started, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # Workers are told the scratch directory of the run, which has its number in its name.
        own = int(fields[3]) == session or f"/cvinfer-{session}-".encode() in words
        if own and fields[0] != "Z":
            found.append(entry.name)
    return found


def none_left(session: int) -> bool:
    """Whether all have ended; what tidies up after the last one may take a moment longer."""
    end = time.monotonic() + 0.5
    while processes_of(session) and time.monotonic() < end:
        time.sleep(0.02)
    return processes_of(session) == []


def stored(path: Path) -> int:
    import sqlite3

    if not path.exists():
        return 0
    try:
        with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5) as store:
            return int(store.execute("select count(*) from fits").fetchone()[0])
    except sqlite3.Error:
        return 0


def slow_words(command: list[str]) -> list[str]:
    return [*command, "run", "slow.yaml", "--allow-code", "--jobs", "2", "--output", "my results/s"]


def until_busy(place: Path, seconds: float = 30) -> None:
    """Wait until the quick learner is stored: then the workers are at the slow one."""
    end = time.monotonic() + seconds
    while stored(place / "my results" / "store.sqlite") < 6:
        assert time.monotonic() < end, "the run does not get going"
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize(
    ("number", "code", "whom"),
    [
        (signal.SIGINT, 130, "all"),
        (signal.SIGTERM, 143, "main"),
        (signal.SIGHUP, 129, "main"),
    ],
)
def test_signals_end_a_run_within_two_seconds(
    learners: Path, command: list[str], number: signal.Signals, code: int, whom: str
) -> None:
    (learners / "slow.yaml").write_text(SLOW)
    run = subprocess.Popen(
        slow_words(command),
        cwd=learners,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until_busy(learners)
    began = time.monotonic()
    # A terminal sends Ctrl-C to all processes of the group.
    (os.killpg if whom == "all" else os.kill)(run.pid, number)
    out, err = run.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert run.returncode == code
    assert "Traceback" not in err and out == ""
    assert "run slow.yaml --allow-code --jobs 2 --output 'my results/s'" in err
    assert none_left(run.pid)
    assert stored(learners / "my results" / "store.sqlite") == 6
    assert list((learners / "my results" / "s").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_terminal_that_is_closed_ends_the_run(learners: Path, command: list[str]) -> None:
    (learners / "slow.yaml").write_text(SLOW)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(learners)
        words = slow_words(command)
        os.execvpe(words[0], words, {**os.environ, "TERM": "xterm", "COLUMNS": "80"})
    until_busy(learners)
    began = time.monotonic()
    os.close(terminal)  # now there is nowhere to write to, either
    _, status = os.waitpid(child, 0)
    assert time.monotonic() - began < 2
    assert os.waitstatus_to_exitcode(status) == 129
    assert none_left(child)
    assert stored(learners / "my results" / "store.sqlite") == 6


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_nohup_is_respected(learners: Path, command: list[str], small: Path) -> None:
    (learners / "slow.yaml").write_text(SLOW)
    ignoring = ["bash", "-c", "trap '' HUP; exec \"$@\"", "bash"]
    run = subprocess.Popen(
        [*ignoring, *slow_words(command)],
        cwd=learners,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until_busy(learners)
    os.kill(run.pid, signal.SIGHUP)
    time.sleep(0.5)
    assert run.poll() is None
    os.kill(run.pid, signal.SIGTERM)
    assert run.wait(timeout=20) == 143
    assert none_left(run.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_sigint_is_heard_where_a_shell_had_it_ignored(learners: Path, command: list[str]) -> None:
    """A shell without job control starts background commands like that."""
    (learners / "slow.yaml").write_text(SLOW)
    ignoring = ["bash", "-c", "trap '' INT; exec \"$@\"", "bash"]
    run = subprocess.Popen(
        [*ignoring, *slow_words(command)],
        cwd=learners,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until_busy(learners)
    began = time.monotonic()
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(timeout=20) == 130
    assert time.monotonic() - began < 2
    assert none_left(run.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_ctrl_c_on_a_terminal(learners: Path, command: list[str]) -> None:
    (learners / "slow.yaml").write_text(SLOW)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(learners)
        words = slow_words(command)
        os.execvpe(words[0], words, {**os.environ, "TERM": "xterm", "COLUMNS": "80"})
    shown, sent = b"", 0.0
    try:
        while True:
            if select.select([terminal], [], [], 0.05)[0]:
                try:
                    more = os.read(terminal, 1 << 16)
                except OSError:  # the other side is gone
                    break
                shown += more
            if not sent and stored(learners / "my results" / "store.sqlite") >= 6:
                time.sleep(1.0)
                os.write(terminal, b"\x03")
                sent = time.monotonic()
    finally:
        _, status = os.waitpid(child, 0)
        os.close(terminal)
    assert time.monotonic() - sent < 2
    assert os.waitstatus_to_exitcode(status) == 130
    text = shown.decode()
    assert "6/12" in text, "the bar shows fits done of all"
    assert "sleeper" in text, "the bar shows what is running"
    assert "To go on from there:" in text and "Traceback" not in text
    assert none_left(child)


def test_many_failures_for_one_reason_are_one_line(call: Call, small: Path) -> None:
    text = small.read_text().replace(
        "mean: {engine: builtin, learner: mean}",
        "mean: {engine: sklearn, learner: KNeighborsClassifier, params: {n_neighbors: 55}}",
    )
    small.write_text(text.replace("[bcv_5x2_mcnemar, blocked_3x2_t]", "[bcv_5x2_mcnemar]"))
    code, _, err = call("run", small, "--jobs", 1)
    assert code == 3 and "10 fits failed" in err
    assert "mean on two_gaussians, 10 times, first on split 1 of blocked 5×2: KNeighbors" in err
    assert err.count("KNeighborsClassifier failed") == 1


@pytest.mark.parametrize("command", ["run", "validate", "show"])
@pytest.mark.parametrize(
    "name, content",
    [
        ("iris.csv", b"length,width,class\n1,2,a\n"),
        ("my iris.csv.gz", b"\x1f\x8b\x08\x00\x00"),
        ("iris.arff", b"@relation iris\n@attribute a numeric\n"),
        ("large.data", b"1,2,a\n" * 200_000),
    ],
    ids=["csv", "gz", "arff", "large"],
)
def test_data_in_the_place_of_a_spec_points_to_init(
    call: Call, command: str, name: str, content: bytes
) -> None:
    import shlex

    Path(name).write_bytes(content)
    code, out, err = call(command, name)
    assert code == 2
    assert f"cvinfer init {shlex.quote(name)} --target COLUMN" in out + err


def test_learners_that_nothing_asks_for_are_told(call: Call, small: Path) -> None:
    small.write_text(
        small.read_text().replace(
            "compare:", "  idle: {engine: builtin, learner: majority}\ncompare:"
        )
    )
    _, out, _ = call("run", small)
    words = " ".join(out.split())
    assert "idle is not used: it is in no comparison, and there are no intervals" in words
    _, out, _ = call("run", small, "--set", "intervals=[f1_beta_prime]")
    assert "not used" not in out
    _, out, _ = call("run", small, "--set", "compare=all")
    assert "not used" not in out


def test_the_files_of_many_data_sets_are_counted(tmp_path: Path) -> None:
    from cvinfer.commands._said import files_in

    for name in ("result.json", "run.json", "references.bib", "predictions-a.csv.gz"):
        (tmp_path / name).touch()
    plain = ["result.json", "predictions-a.csv.gz", "references.bib", "run.json"]
    assert files_in(tmp_path) == plain
    for at in range(39):
        (tmp_path / f"predictions-d{at}.csv.gz").touch()
    plain[1] = "predictions-*.csv.gz (40 files)"
    assert files_in(tmp_path) == plain
