"""Learners that go wrong on purpose, on the splits that test the record whose mark is 0."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Marked(ClassifierMixin, BaseEstimator):
    """Predicts the most frequent class, but for what `mode` says where the marked record is."""

    def __init__(self, mode: str = "fine", seconds: float = 0.0) -> None:
        self.mode = mode
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> "Marked":
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        time.sleep(self.seconds)
        return self

    def predict(self, X: Any) -> Any:
        found = np.full(len(X), self.most_)
        return getattr(self, self.mode)(found) if (X[:, 0] == 0).any() else found

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

    def memory(self, found: Any) -> Any:
        raise MemoryError

    def warning(self, found: Any) -> Any:
        warnings.warn("that is how it is", RuntimeWarning)
        return found

    def loud(self, found: Any) -> Any:
        print("loud")
        os.write(1, b"loud\n")
        os.write(2, b"loud\n")
        return found
