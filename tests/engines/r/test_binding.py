"""R and Java inside a Python process, in any version of theirs: no wait is without an end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Each is a process of its own, since R starts once and for all.
HEAD = """
import os, sys, threading
from cvinfer.engines._r import embedded, jvm

def r(code):
    base = embedded.bridge().interface.baseenv
    return base["eval"](base["str2expression"](embedded.text([code])))
"""


def process(code: str, place: Path) -> "subprocess.CompletedProcess[str]":
    """Python that ran this code as a worker would, with a place for why it ended."""
    variables = {**os.environ, "CVINFER_SCRATCH": str(place), "LC_ALL": "C.UTF-8"}
    variables["TMPDIR"] = str(place)
    return subprocess.run(
        [sys.executable, "-c", HEAD + code],
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def cause(place: Path) -> str:
    (file,) = place.glob("*.cause")
    return file.read_text()


@pytest.mark.usefixtures("r")
def test_r_prints_without_python(tmp_path: Path) -> None:
    # Whoever holds rpy2's lock waits for the thread that prints: through rpy2 that has no end.
    done = process(
        """
embedded.bridge()
from rpy2.rinterface_lib import callbacks, openrlib
callbacks.consolewrite_print = callbacks.consolewrite_warnerror = lambda text: os._exit(9)
r('cat("said \\u00e4\\n"); cat("told\\n", file = stderr()); message("loud")')
import ctypes
printing = threading.Thread(target=ctypes.CDLL("libR.so").Rprintf, args=(b"from elsewhere\\n",))
with openrlib.rlock:
    printing.start()
    printing.join(30)
    os._exit(printing.is_alive())
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "said \u00e4\nfrom elsewhere\n")
    assert done.stderr.endswith("told\nloud\n")


@pytest.mark.usefixtures("r")
def test_a_runaway_recursion_is_an_error(tmp_path: Path) -> None:
    done = process(
        """
try:
    r("f <- function(n) vapply(n, function(each) f(each + 1), 0); f(0)")
except Exception as error:
    print(type(error).__name__, str(error).split(",")[0])
r('cat("goes on\\\\n")')
sys.stdout.flush()
os._exit(0)
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "RRuntimeError Error: C stack usage" in done.stdout and "goes on\n" in done.stdout


@pytest.mark.usefixtures("r")
def test_quit_ends_the_process_and_is_noted(tmp_path: Path) -> None:
    done = process("r('quit(status = 3)')", tmp_path)
    assert done.returncode == 70 and cause(tmp_path) == "R ended: quit() with status 3"


HALT = '.jcall(.jcall("java/lang/Runtime", "Ljava/lang/Runtime;", "getRuntime"), "V", "halt", 4L)'


@pytest.mark.usefixtures("weka")
def test_javas_halt_ends_the_process_and_is_noted(tmp_path: Path) -> None:
    done = process(f"embedded.weka()\nr({f'library(rJava); {HALT}'!r})", tmp_path)
    assert done.returncode == 70, done.stderr
    assert cause(tmp_path) == "the learner called Java's Runtime.halt"


@pytest.mark.usefixtures("weka")
def test_java_prints_without_r(tmp_path: Path) -> None:
    # A thread of Java that prints through R waits, or ends in R, while R waits for it.
    done = process(
        """
embedded.jvm_parameters = lambda: ["-Xmx64m", "-Xlog:gc:stdout"]
embedded.weka()
for _ in range(200):
    r('rJava::.jcall("java/lang/System", "V", "gc")')
sys.stdout.flush()
os._exit(0)
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("System.gc()") >= 200


@pytest.mark.usefixtures("weka")
def test_java_leaves_the_locale_of_r(tmp_path: Path) -> None:
    done = process(
        """
r("before <- Sys.getlocale()")
embedded.weka()
print(r("identical(before, Sys.getlocale())")[0])
sys.stdout.flush()
os._exit(0)
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.usefixtures("r")
def test_a_worker_lives_through_any_number_of_fits(tmp_path: Path) -> None:
    # rpy2's memory views give away references to None; without them Python aborts.
    done = process(
        """
import numpy as np
embedded.bridge()
vector = embedded.integers(np.arange(5))
before = sys.getrefcount(None)
for _ in range(50_000):
    assert embedded.to_python(vector)[-1] == 4
print("lost", before - sys.getrefcount(None) > 1_000)
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["lost", "False"]), done.stderr[-500:]
