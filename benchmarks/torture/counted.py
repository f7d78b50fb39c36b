"""A learner that writes down each fit that begins, to be counted wherever they run."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

#: The variable that names the file; one line for each fit that begins.
FILE = "CVINFER_TORTURE_FITS"
#: While there is a file with this at the end of its name, no fit ends.
GATE = ".wait"


class Counted(ClassifierMixin, BaseEstimator):
    """Predicts the class that was most frequent, and takes its time.

    shift: which class instead, counted from there; two of them are two learners.
    """

    def __init__(self, seconds: float = 0.0, shift: int = 0) -> None:
        self.seconds = seconds
        self.shift = shift

    def fit(self, X: Any, y: Any) -> "Counted":
        which = hashlib.sha256(np.ascontiguousarray(X).tobytes()).hexdigest()[:16]
        line = f"{self.shift} {which} {os.getpid()}\n"
        # One write to the end of the file is whole, whoever else writes.
        file = os.open(os.environ[FILE], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, line.encode())
        os.close(file)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[(counts.argmax() + self.shift) % len(counts)]
        time.sleep(self.seconds)
        while os.path.exists(os.environ[FILE] + GATE):
            time.sleep(0.01)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.most_)
