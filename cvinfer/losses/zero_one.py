"""Zero-one loss: its mean is the error rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.kinds import CODES
from cvinfer.losses.registry import Loss, losses


def zero_one(truth: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
    """1 where the prediction is wrong."""
    return np.asarray(predicted != truth, dtype=np.float64)


losses.add(
    "zero_one",
    Loss(
        name="zero_one",
        of=zero_one,
        title="zero_one is 1 where it is wrong",
        takes=CODES,
        bounds=(0.0, 1.0),
        unit="error rate",
        percent=True,
        short="Err.",
    ),
    __name__,
)
