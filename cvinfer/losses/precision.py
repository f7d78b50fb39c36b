"""Precision of predicted classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cvinfer.losses.confusion import Hits, of_classes
from cvinfer.losses.registry import HIGHER, Loss, losses


@of_classes("has no prediction of class {0}")
def precision(hits: Hits) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many of the records said to be of a class are of it, TP / (TP + FP).

    Of the positive class; without one, the mean over the classes that records have or are said to
    have.
    There is none for a class that is never predicted.
    """
    return hits.found, hits.said


losses.add(
    "precision",
    Loss(
        name="precision",
        of=precision,
        of_splits=precision.in_splits,
        title="precision is the share of right ones among predictions of a class",
        bounds=(0.0, 1.0),
        unit="precision",
        short="Prec.",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
