"""The learner that says the class of the last training record."""

from pathlib import Path

import numpy as np

from cvinfer.data import load
from cvinfer.engines import engine
from cvinfer.engines.base import LearnerSpec


def test_last_seen() -> None:
    data = load({"source": "chequers", "n": 20}, Path(), 1)
    session = engine("example").open(data)
    learner = LearnerSpec("last", "example", "last_seen")
    found = session.predict(learner, np.arange(5), np.arange(5, 8), 1)
    assert found.codes.tolist() == [data.truth[4]] * 3
