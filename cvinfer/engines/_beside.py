"""What stands beside class codes: probabilities or scores, in columns of the data set's classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import LearnerError
from cvinfer.losses.kinds import PROBABILITIES

#: What a class has that was in no training record.
UNSEEN = {PROBABILITIES: 0.0}


def by_class(
    found: Any, codes: NDArray[np.int64], count: int, classes: int, kind: str, learner: str
) -> NDArray[np.float64]:
    """A learner's columns, one for each of its class `codes`, as columns of all classes."""
    try:
        own = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise LearnerError(f"{learner} gave {kind} that are no numbers") from None
    if own.shape != (count, len(codes)):
        shape = " x ".join(map(str, own.shape)) or "one value"
        raise LearnerError(
            f"{learner} gave {shape} {kind} for {count} test records and {len(codes)} classes"
        )
    made = np.full((count, classes), UNSEEN.get(kind, -np.inf))
    made[:, codes] = own
    return made


def of_two(decision: NDArray[np.float64]) -> NDArray[np.float64]:
    """One number for each record that is larger for the second class, as scores of both."""
    return np.column_stack([-decision, decision])


def none_given(learner: str, wants: str, remedy: str = "") -> LearnerError:
    """What is raised for a learner that cannot give what is wanted."""
    return LearnerError(f"{learner} gives no {wants}{'; ' * bool(remedy)}{remedy}")
