"""F1 score of predicted classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cvinfer.losses.confusion import Hits, of_classes
from cvinfer.losses.registry import HIGHER, Loss, losses


@of_classes("has no record of class {0} and no prediction of it")
def f1(hits: Hits) -> tuple[NDArray[Any], NDArray[Any]]:
    """Harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    Of the positive class; without one, the mean over the classes that records have or are said to
    have.
    It is 0 where a class has records and none is predicted.
    """
    return 2 * hits.found, hits.said + hits.there


losses.add(
    "f1",
    Loss(
        name="f1",
        of=f1,
        of_splits=f1.in_splits,
        title="f1 is the harmonic mean of precision and recall",
        bounds=(0.0, 1.0),
        unit="F1 score",
        short="F1",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
