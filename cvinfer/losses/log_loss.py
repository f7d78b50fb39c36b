"""Log loss: how improbable the truth was held to be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.kinds import PROBABILITIES
from cvinfer.losses.registry import Loss, losses

#: No probability counts as nearer to 0 or 1, so that one wrong certainty costs no infinity.
NEAREST = 2.0**-52


def log_loss(truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """-ln of the probability of the true class, which is kept 2⁻⁵² away from 0 and 1."""
    right = predicted[np.arange(len(truth)), truth]
    return np.asarray(-np.log(np.clip(right, NEAREST, 1.0 - NEAREST)), dtype=np.float64)


losses.add(
    "log_loss",
    Loss(
        name="log_loss",
        of=log_loss,
        title="log_loss is minus the logarithm of the probability of the true class",
        takes=PROBABILITIES,
        bounds=(0.0, -math.log(NEAREST)),
        unit="log loss",
        short="Log loss",
    ),
    __name__,
)
