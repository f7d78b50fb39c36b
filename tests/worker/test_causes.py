"""Why a worker ended, as far as anything knows, and what becomes of the fits that it had."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest
from tests.execute.run_examples import MAJORITY, marked, spec_of

from cvinfer.worker import workplace
from cvinfer.worker.causes import cause, forget, java_crash
from cvinfer.runner import run

ENDS = {
    "quit": "its worker process died 2 times (the learner called quit() in R)",
    "hs_err": "its worker process died 2 times (signal SIGBUS in libR.so)",
    "spent": "its Java heap of 64 MB is exhausted",
}


@pytest.mark.parametrize("mode", ENDS)
def test_the_cause_is_told(tmp_path: Path, mode: str) -> None:
    # Leave-one-out has quick fits that travel together; record 40 is in the middle of a batch.
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked(mode)}, ["loo_matched_t"], marked=40)
    result = run(path, jobs=1, allow_code=True, write=True, output=tmp_path / "r" / "made")
    (row,) = result.document["failures"]
    assert (row["learner"], row["split"], row["message"]) == ("B", 40, ENDS[mode])
    assert result.outcome.fitted == 2 * 60 - 1
    # A spent worker is replaced, and its fit is not tried again.
    log = (tmp_path / "r" / "made" / "run.log").read_text()
    assert log.count("its worker ended, ") == (1 if mode == "spent" else 2)
    assert log.count("out of heap") == (mode == "spent")


def test_what_was_noted_in_vain_is_forgotten(tmp_path: Path) -> None:
    learners = {"A": marked("noted"), "B": marked("exit_3")}
    run(spec_of(tmp_path, learners), jobs=1, allow_code=True, write=True, output=tmp_path / "r")
    log = (tmp_path / "r" / "run.log").read_text()
    assert log.count("its worker ended, exit code 3") == 2


def test_a_worker_that_does_not_want_to_end_is_ended_at_once(tmp_path: Path) -> None:
    # The last fit of all, so that no new worker has to start.
    learners, limits = {"A": MAJORITY, "B": marked("stubborn")}, {"seconds": 0.5}
    path = spec_of(tmp_path, learners, ["holdout_mcnemar"], marked=3, limits=limits)
    result = run(path, jobs=1, allow_code=True)
    (row,) = result.document["failures"]
    assert row["message"] == "took longer than 0.5 s"
    # A request to end, with some seconds of patience, would take longer than all else.
    assert result.outcome.working < 2.9


def test_outside_of_workers_there_is_no_workplace(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (workplace.SCRATCH, workplace.MEMORY_MB):
        monkeypatch.delenv(name, raising=False)
    assert workplace.scratch() is workplace.memory_mb() is workplace.cause_file() is None
    workplace.note_cause("nothing")


def test_the_best_known_cause_is_told(tmp_path: Path) -> None:
    assert cause(tmp_path, 5, -11) == "signal SIGSEGV"
    assert cause(tmp_path, 5, 3) == "exit code 3"
    (tmp_path / "5.hs_err").write_text(SEGFAULT)
    assert cause(tmp_path, 5, -6) == "signal SIGSEGV in libjvm.so"
    (tmp_path / "5.cause").write_text("R ended:\n  quit()\n")
    assert cause(tmp_path, 5, 70) == "R ended: quit()"
    (tmp_path / "5.cause").write_text(" \n")
    assert cause(tmp_path, 5, -6) == "signal SIGSEGV in libjvm.so"
    # Another worker with this number has another story.
    forget(tmp_path, 5)
    assert cause(tmp_path, 5, 1) == "exit code 1"
    assert list(tmp_path.iterdir()) == []


# Beginnings of reports as Java 17 writes them.
SEGFAULT = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f321acd2f94, pid=13312, tid=13313
#
# JRE version: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6)
# Problematic frame:
# V  [libjvm.so+0xed2f94]  Unsafe_PutLong+0x124
#
"""
KILLED = """#
#  SIGSEGV (0xb) at pc=0x00007fab4ca3cf14 (sent by kill), pid=13332, tid=13332
#
# Problematic frame:
# C  [libc.so.6+0x85f14]
#
"""
COMPILED = """#
#  SIGBUS (0x7) at pc=0x00007f12, pid=1, tid=2
# Problematic frame:
# J 1234% c2 weka.core.Instances.<init>(Lweka/core/Instances;I)V (12 bytes) @ 0x00007f12 [0x1+0x2]
"""
INTERPRETED = """#
#  SIGFPE (0x8) at pc=0x00007f12, pid=1, tid=2
# Problematic frame:
# j  weka.core.Utils.eq(DD)Z+3
"""
INTERNAL = """#
#  Internal Error (sharedRuntime.cpp:531), pid=20, tid=21
#  guarantee(cb != NULL) failed: must be
#
# JRE version: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6)
"""
NO_MEMORY = """#
# There is insufficient memory for the Java Runtime Environment to continue.
# Native memory allocation (mmap) failed to map 65536 bytes for committing reserved memory.
"""


@pytest.mark.parametrize(
    "report, expected",
    [
        (SEGFAULT, "signal SIGSEGV in libjvm.so"),
        (KILLED, "signal SIGSEGV in libc.so.6"),
        (COMPILED, "signal SIGBUS in weka.core.Instances.<init>"),
        (INTERPRETED, "signal SIGFPE in weka.core.Utils.eq"),
        (INTERNAL, "Java's Internal Error (sharedRuntime.cpp:531)"),
        (NO_MEMORY, "the system had no memory left for Java"),
        (SEGFAULT.splitlines()[1], None),
        ("", None),
    ],
)
def test_reports_of_java_become_a_phrase(report: str, expected: Optional[str]) -> None:
    assert java_crash(report) == expected
