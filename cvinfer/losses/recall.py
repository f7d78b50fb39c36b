"""Recall of predicted classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cvinfer.losses.confusion import Hits, of_classes
from cvinfer.losses.registry import HIGHER, Loss, losses


@of_classes("has no record of class {0}")
def recall(hits: Hits) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many of the records of a class are found, TP / (TP + FN).

    Of the positive class; without one, the mean over the classes that records have or are said to
    have.
    There is none for a class without records.
    """
    return hits.found, hits.there


losses.add(
    "recall",
    Loss(
        name="recall",
        of=recall,
        of_splits=recall.in_splits,
        title="recall is the share of the records of a class that are found",
        bounds=(0.0, 1.0),
        unit="recall",
        short="Recall",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
