"""Balanced accuracy: mean recall of the classes."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.confusion import hits
from cvinfer.losses.registry import HIGHER, Loss, losses


def balanced_accuracy(
    truth: NDArray[Any], predicted: NDArray[Any], classes: Sequence[str]
) -> float:
    """Mean recall over the classes that records have."""
    found, _, there = hits(truth, predicted, len(classes))
    with_records = there > 0
    return float(np.mean(found[with_records] / there[with_records]))


losses.add(
    "balanced_accuracy",
    Loss(
        name="balanced_accuracy",
        of=balanced_accuracy,
        title="balanced_accuracy is the mean recall of the classes",
        bounds=(0.0, 1.0),
        unit="balanced accuracy",
        short="Bal. acc.",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
