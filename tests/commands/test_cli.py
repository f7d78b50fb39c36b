"""The command as a whole: speed, help, streams and `list`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest

Call = Callable[..., Any]

COMMANDS = "run validate plan show init splits table test list doctor store".split()
EVERY = [*([each] for each in COMMANDS), ["store", "info"], ["store", "check"], ["store", "prune"]]


def test_help_answers_at_once(process: Call) -> None:
    def seconds() -> float:
        """What the processor did for it, whatever else the machine is doing."""
        began = os.times()
        assert process("--help").code == 0
        ended = os.times()
        spent = ended.children_user - began.children_user
        return spent + ended.children_system - began.children_system

    assert 0 < min(seconds() for _ in range(5)) < 0.3


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_has_help_with_examples(call: Call, words: list[str]) -> None:
    code, out, _ = call(*words, "--help")
    assert code == 0
    assert f"  cvinfer {' '.join(words)}" in out.replace(f"Usage: cvinfer {' '.join(words)}", "")


def test_help_lists_every_command_in_full(call: Call) -> None:
    out = call("--help").out
    for command in COMMANDS:
        (line,) = [line for line in out.splitlines() if line.startswith(f"  {command} ")]
        assert line.endswith(".") and not line.endswith("...")


def test_version(call: Call) -> None:
    import cvinfer

    assert call("--version").out == f"cvinfer, version {cvinfer.__version__}\n"


def test_an_unknown_command_gets_a_suggestion(call: Call) -> None:
    code, _, err = call("valdate", "x.yaml")
    assert code == 2 and "Did you mean 'validate'?" in err


# --- streams --------------------------------------------------------------------------------------


def test_a_reader_that_leaves_is_no_error(command: list[str], place: Path, finished: Path) -> None:
    words = " ".join(map("'{}'".format, command))
    script = f"{words} table '{finished}/result.json' --format csv | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=place)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


def test_a_closed_pipe_ends_the_command_quietly(command: list[str], place: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*command, "list", "tests"], stdout=writing, stderr=subprocess.PIPE, cwd=place
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["list", "tests"], ["--help"]], ids=" ".join)
def test_a_full_disk_is_told(command: list[str], place: Path, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*command, *words], stdout=full, stderr=subprocess.PIPE, cwd=place)
    assert done.returncode == 1
    assert done.stderr == b"error: No space left on device\n"


def test_a_terminal_without_unicode(process: Call, finished: Path) -> None:
    code, out, _ = process("table", finished / "result.json", PYTHONIOENCODING="ascii")
    assert code == 0 and "5?2" in out


def on_terminal(words: list[str], columns: int, **more: str) -> str:
    """What a command shows on a terminal of that width."""
    import fcntl
    import struct
    import termios

    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        os.execvpe(words[0], words, {**environment, "TERM": "xterm-256color", **more})
    shown = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not part:
            break
        shown += part
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0, shown
    return shown.decode()


@pytest.mark.parametrize("columns", [40, 60, 200])
def test_tables_fit_the_terminal(command: list[str], finished: Path, columns: int) -> None:
    import re

    for more in ([], ["--verbose"]):
        words = [*command, "table", str(finished / "result.json"), *more]
        shown = on_terminal(words, columns, NO_COLOR="1")
        assert "\x1b[3" not in shown, "NO_COLOR is heeded"
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
        assert "BCV 5×2 McNemar" in " ".join(plain.split())
        assert ("Not shown" in plain) is (not more)
        assert max(map(len, plain.splitlines())) <= columns


def test_lists_are_wrapped_on_a_terminal_only(command: list[str], call: Call) -> None:
    shown = on_terminal([*command, "list", "tests"], 40)
    assert max(map(len, shown.splitlines())) <= 40
    assert max(map(len, call("list", "tests").out.splitlines())) > 80


# --- list -----------------------------------------------------------------------------------------


def test_choices_are_listed_once(call: Call) -> None:
    out = call("list", "data").out
    assert out.count("two_gaussians, exp6") == 1
    assert out.count("breast_cancer, digits, iris, wine") == 1
    assert "deal with them: drop, impute, keep" in out


def test_lists_have_what_the_registries_have(call: Call) -> None:
    from cvinfer.data import sources
    from cvinfer.data.given import GIVEN
    from cvinfer.engines import engines
    from cvinfer.inference import intervals, tests
    from cvinfer.losses import losses
    from cvinfer.partitions import schemes
    from cvinfer.report.formats import formats

    expected = {
        "tests": list(tests()),
        "intervals": list(intervals()),
        "schemes": [*schemes(), *GIVEN],
        "data": list(sources()),
        "learners": [each.name for e in engines().values() for each in e.learners()],
        "losses": list(losses()),
        "formats": list(formats()),
    }
    for what, names in expected.items():
        code, out, _ = call("list", what, "--json")
        found = json.loads(out)
        assert code == 0 and [entry["name"] for entry in found] == names
        for entry in found:
            assert entry["description"]
            assert entry["available"] == (entry["reason"] is None)
            assert entry["distribution"] is None
        text = call("list", what).out
        titles = [line.split()[0] for line in text.splitlines() if line[:1] != " "]
        assert titles == names


def test_lists_say_why_something_cannot_be_used(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Not available: it predicts several targets" in call("list", "learners").out
    from cvinfer.data import sources
    from cvinfer.packages import Package

    lacking = replace(sources["parquet"], packages=(Package("no_such_package", "no_such_package"),))
    monkeypatch.setitem(sources._entries, "parquet", lacking)
    found = {entry["name"]: entry for entry in json.loads(call("list", "data", "--json").out)}
    assert found["parquet"]["reason"] == "the package no_such_package is not installed"
    assert found["csv"]["available"] is True


def test_a_wrong_list_is_refused(call: Call) -> None:
    code, _, err = call("list", "learner")
    assert code == 2 and "'learners'" in err


def test_a_command_line_that_turns_out_wrong_leaves_nothing_behind(call: Call, place: Path) -> None:
    from cvinfer import limits, progress
    from cvinfer.data import kept

    before = limits._current.get(), progress._told.get(), kept._current.get()
    wrong = call("run", "--max-fits", "5", "--no-cache", "--jobs", "none", "spec.yaml")
    assert wrong.code == 2 and "--jobs" in wrong.err
    assert call("run").code == 2
    assert (limits._current.get(), progress._told.get(), kept._current.get()) == before
