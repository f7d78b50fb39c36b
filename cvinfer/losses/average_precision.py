"""Average precision: the area under the curve of precision over recall, in steps."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.kinds import SCORES
from cvinfer.losses.ranking import present
from cvinfer.losses.registry import HIGHER, Loss, NoValue, losses


def average_precision(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    classes: Sequence[str],
    positive: Optional[int] = None,
) -> float:
    """Precision at each threshold, weighted by how much recall grows there.

    Of the positive class; without one, the mean over the classes that records have.
    """
    if positive is None:
        each = [steps(truth == code, predicted[:, code]) for code in present(truth, classes)]
        return float(np.mean(each))
    own = truth == positive
    if not own.any():
        raise NoValue(f"has no record of class {classes[positive]!r}")
    return steps(own, predicted[:, positive])


def steps(own: NDArray[np.bool_], scores: NDArray[Any]) -> float:
    """Σ (R_i - R_{i-1}) P_i over the distinct scores, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    ranked, found = scores[order], np.cumsum(own[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    found = found[last]
    return float((np.diff(found, prepend=0) * (found / (last + 1))).sum() / found[-1])


losses.add(
    "average_precision",
    Loss(
        name="average_precision",
        of=average_precision,
        title="average_precision is precision, averaged over recall",
        takes=SCORES,
        bounds=(0.0, 1.0),
        unit="average precision",
        short="AP",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
