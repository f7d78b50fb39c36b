"""Brier score: squared distance of the predicted probabilities from the truth."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.kinds import PROBABILITIES
from cvinfer.losses.registry import Bounds, Loss, losses


def brier(truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """(p - y)² for the second of two classes; the sum of that over all classes of more."""
    if predicted.shape[1] == 2:
        return np.asarray((predicted[:, 1] - truth) ** 2, dtype=np.float64)
    right = predicted[np.arange(len(truth)), truth]
    # The true class adds (p - 1)² = p² - 2p + 1.
    return np.asarray((predicted**2).sum(axis=1) - 2.0 * right + 1.0, dtype=np.float64)


def _bounds(classes: Sequence[str]) -> Bounds:
    return 0.0, 1.0 if len(classes) == 2 else 2.0


losses.add(
    "brier",
    Loss(
        name="brier",
        of=brier,
        title="brier is the squared distance of the probabilities from the truth",
        takes=PROBABILITIES,
        bounds=_bounds,
        unit="Brier score",
        short="Brier",
    ),
    __name__,
)
