"""Learners that go wrong on purpose, on the splits that test the record whose mark is 0."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from cvinfer.worker import workplace

MB = 2**20
HOARDS = "import time; hoard = bytearray(b'x') * (400 * 2**20); time.sleep(60)"
#: What one fit leaves to those that come after it in the same process.
kept: list[Any] = []


class Heap:
    """Predictions that are never there, as when Java's heap is exhausted."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        print("out of heap")
        raise workplace.Spent("its Java heap of 64 MB is exhausted")


class Marked(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class, but for what `mode` says where the marked record is.

    A mode "this_then_that" does that in the fits which come after in the same process.
    """

    def __init__(self, mode: str = "fine", seconds: float = 0.0, say: bool = False) -> None:
        self.mode = mode
        self.seconds = seconds
        self.say = say

    def fit(self, X: Any, y: Any) -> "Marked":
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        time.sleep(self.seconds)
        return self

    def predict(self, X: Any) -> Any:
        found = np.full(len(X), self.most_)
        if self.say:
            print("says", int(X[0, 0]))
        mode, _, afterwards = self.mode.partition("_then_")
        if (X[:, 0] == 0).any():
            kept.append(mode)
            return getattr(self, mode)(found)
        return getattr(self, afterwards)(found) if afterwards and kept else found

    def fine(self, found: Any) -> Any:
        return found

    def error(self, found: Any) -> Any:
        raise ValueError(f"no luck with {object()}")

    def few(self, found: Any) -> Any:
        return found[:-1]

    def unknown(self, found: Any) -> Any:
        return np.where(found >= 0, 77, found)

    def system_exit(self, found: Any) -> Any:
        raise SystemExit(4)

    def exit_0(self, found: Any) -> Any:
        os._exit(0)

    def exit_3(self, found: Any) -> Any:
        os._exit(3)

    def segfault(self, found: Any) -> Any:
        return ctypes.string_at(0)

    def endless(self, found: Any) -> Any:
        while True:
            time.sleep(1.0)

    def offspring(self, found: Any) -> Any:
        subprocess.run([sys.executable, "-c", "import time; time.sleep(120)"])

    def daemon(self, found: Any, environment: Any = None) -> Any:
        """Starts what leaves its group, its session and its parent."""
        note = os.environ["NOTE"]
        text = (
            "import os, time\n"
            "if os.fork(): os._exit(0)\n"
            "os.setsid()\n"
            "if os.fork(): os._exit(0)\n"
            f"print(os.getpid(), file=open({note!r}, 'w'))\n"
            "time.sleep(120)\n"
        )
        subprocess.run([sys.executable, "-c", text], env=environment, check=True)
        give_up = time.monotonic() + 10
        while not os.path.exists(note) and time.monotonic() < give_up:
            time.sleep(0.01)
        return found

    def bare_daemon(self, found: Any) -> Any:
        """The same, and it does not take its environment along."""
        return self.daemon(found, {})

    def tells_places(self, found: Any) -> Any:
        place = tempfile.mkdtemp()
        warnings.warn(f"places: {place}/a, pid={os.getpid()}", RuntimeWarning)
        return found

    def fails_with_places(self, found: Any) -> Any:
        place, pid = tempfile.mkdtemp(), os.getpid()
        raise ValueError(
            f"process {pid} (pid {pid}) has 54 records and no {place}/b in"
            f" '{os.path.dirname(place)}'"
        )

    def memory(self, found: Any) -> Any:
        raise MemoryError

    def stubborn(self, found: Any) -> Any:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return self.endless(found)

    def spent(self, found: Any) -> Any:
        return Heap()

    def environment(self, found: Any) -> Any:
        names = (
            "TMPDIR",
            "WEKA_HOME",
            "CVINFER_SCRATCH",
            "CVINFER_MEMORY_MB",
            "LC_ALL",
            "LANGUAGE",
        )
        told = {name: os.environ.get(name) for name in names}
        told["tempfile"] = tempfile.gettempdir()
        print(json.dumps({"pid": os.getpid(), **told}))
        return found

    def litter(self, found: Any) -> Any:
        (Path(tempfile.mkdtemp()) / "left").write_text("left")
        (Path(os.environ["WEKA_HOME"]) / "packages").mkdir()
        os._exit(3)

    def quit(self, found: Any) -> Any:
        workplace.leave("the learner called quit() in R")

    def noted(self, found: Any) -> Any:
        workplace.note_cause("what did not come to pass")
        return found

    def hs_err(self, found: Any) -> Any:
        report = (
            "#  SIGBUS (0x7) at pc=0x00007f1, pid=1, tid=2\n# Problematic frame:\n# C  [libR.so]\n"
        )
        (Path(os.environ["CVINFER_SCRATCH"]) / f"{os.getpid()}.hs_err").write_text(report)
        os.abort()

    def hoard(self, found: Any) -> Any:
        print("hoards")
        hoard = bytearray(b"x") * (400 * MB)
        time.sleep(60)
        return found[: len(hoard)]

    def hoarding_child(self, found: Any) -> Any:
        subprocess.run([sys.executable, "-c", HOARDS])

    def patch(self, found: Any) -> Any:
        """Changes what others rely on, in modules, in a class and in memory that they share."""
        import sklearn.naive_bayes as theirs

        theirs.GaussianNB.predict = lambda self, X: np.repeat(self.classes_[:1], len(X))
        np.unique = None
        return found

    def unpatched(self, found: Any) -> Any:
        if np.unique is None or kept != ["unpatched"]:
            raise ValueError("somebody was here")
        return found

    def keep(self, found: Any) -> Any:
        kept.append(bytearray(b"x") * (200 * MB))
        return found

    def much(self, found: Any) -> Any:
        much = bytearray(b"x") * (100 * MB)
        time.sleep(0.5)
        return found[: len(much)]

    def fork(self, found: Any) -> Any:
        """A child that shares every page with the worker, and more than half of the limit."""
        much = bytearray(b"x") * (100 * MB)
        child = os.fork()
        if child == 0:
            time.sleep(1.0)
            os._exit(0)
        os.waitpid(child, 0)
        return found[: len(much)]

    def warning(self, found: Any) -> Any:
        warnings.warn("that is how it is", RuntimeWarning)
        return found

    def loud(self, found: Any) -> Any:
        print("loud Python")
        os.write(1, b"loud 1\n")
        os.write(2, b"loud 2 \xff\n")
        ctypes.CDLL(None).printf(b"loud C\n")
        return found

    def louder(self, found: Any) -> Any:
        print("the beginning")
        os.write(1, (b"x" * 99 + b"\n") * (11 * MB // 100))
        print("the end")
        return found

    def unheard(self, found: Any) -> Any:
        if os.fstat(1).st_size or os.fstat(2).st_size:
            raise ValueError("somebody keeps what is printed")
        print("what nobody hears")
        return found

    def endlessly_loud(self, found: Any) -> Any:
        """Prints until somebody takes it away."""
        size = 0
        for _ in range(200):
            os.write(1, b"y" * MB)
            if os.fstat(1).st_size < size:
                return found
            size = os.fstat(1).st_size
            time.sleep(0.05)
        raise ValueError(f"nobody took care of {size} bytes")

    def loud_and_endless(self, found: Any) -> Any:
        print("loud and endless")
        return self.endless(found)
