"""A wait for data is shown on a terminal after a second, and nowhere else."""

from __future__ import annotations

import io
import time

import pytest

from cvinfer import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.05)


def waited(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, seconds: float = 0.3) -> str:
    monkeypatch.setattr("sys.stderr", stream)
    with progress.waiting("reading \x1b[31mred.csv"):
        time.sleep(seconds)
    return stream.getvalue()


def test_a_wait_is_shown_and_wiped_away(quickly: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.telling():
        said = waited(Terminal(), monkeypatch)
    assert "reading \\x1b[31mred.csv" in said and "\x1b" not in said
    assert len({line[:1] for line in said.split("\r") if line.strip()}) > 1  # it turns
    shown, wiped = said.split("\r")[1], said.split("\r")[-2]
    assert not wiped.strip() and len(wiped) >= len(shown) and said.endswith("\r")


def test_a_short_wait_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.telling():
        assert waited(Terminal(), monkeypatch, 0.0) == ""


def test_nothing_is_shown_without_a_terminal_or_a_command(
    quickly: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waited(Terminal(), monkeypatch) == ""
    with progress.telling():
        assert waited(io.StringIO(), monkeypatch) == ""
    with progress.telling(lambda: True):
        assert waited(Terminal(), monkeypatch) == ""


def test_a_fault_ends_the_wait(quickly: None, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    with progress.telling(), pytest.raises(ValueError):
        with progress.waiting("reading"):
            time.sleep(0.2)
            raise ValueError
    said = stream.getvalue()
    time.sleep(0.3)
    assert stream.getvalue() == said
