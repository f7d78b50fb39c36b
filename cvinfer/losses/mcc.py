"""Matthews's correlation coefficient."""

from __future__ import annotations

import math
from typing import Any, Sequence

from numpy.typing import NDArray

from cvinfer.losses.confusion import hits
from cvinfer.losses.registry import HIGHER, Loss, NoValue, losses


def mcc(truth: NDArray[Any], predicted: NDArray[Any], classes: Sequence[str]) -> float:
    """Correlation of the true and the predicted classes; of several classes that of Gorodkin."""
    each = hits(truth, predicted, len(classes))
    spread = [each.n * each.n - int(margin @ margin) for margin in (each.said, each.there)]
    if not all(spread):
        which = "predictions" if not spread[0] else "records"
        raise NoValue(f"has {which} of one class only")
    return each.beyond_chance / math.sqrt(spread[0] * spread[1])


losses.add(
    "mcc",
    Loss(
        name="mcc",
        of=mcc,
        title="mcc is the correlation of Matthews between truth and prediction",
        bounds=(-1.0, 1.0),
        unit="MCC",
        short="MCC",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
