"""Area under the ROC curve."""

from __future__ import annotations

import functools
from itertools import combinations
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.arrays import entries
from cvinfer.losses.kinds import SCORES
from cvinfer.losses.ranking import area, areas, present
from cvinfer.losses.registry import HIGHER, Floats, Loss, Measured, Option, Starts, losses

#: How several classes are averaged: over pairs of them, or each against the rest.
AVERAGES = ("ovo", "ovr")


def auc(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    classes: Sequence[str],
    average: str = "ovo",
) -> float:
    """How often a positive record has a higher score than a negative one; equal ones count half.

    Of several classes the mean over pairs of those that records have (Hand and Till 2001: in a pair
    the scores of either class rank the records of both), or with `ovr` over each of them against
    the rest.
    """
    there = present(truth, classes)
    if len(classes) == 2:
        return area(predicted[truth == 1, 1], predicted[truth == 0, 1])
    of_class = {code: truth == code for code in entries(there)}
    if average == "ovr":
        each = [area(predicted[own, code], predicted[~own, code]) for code, own in of_class.items()]
    else:
        each = [
            area(predicted[of_class[one], one], predicted[of_class[other], one])
            for pair in combinations(of_class, 2)
            for one, other in (pair, pair[::-1])
        ]
    return float(np.mean(each))


def in_splits(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    starts: Starts,
    classes: Sequence[str],
    average: str = "ovo",
) -> Floats:
    """The same of many splits."""
    if len(classes) == 2:
        return areas(truth == 1, predicted[:, 1], starts)
    one = Measured(functools.partial(auc, classes=classes, average=average), (0.0, 1.0))
    return one.means(truth, predicted, starts)


def _average(given: Any) -> Optional[str]:
    return None if given in AVERAGES else " or ".join(AVERAGES)


losses.add(
    "auc",
    Loss(
        name="auc",
        of=auc,
        of_splits=in_splits,
        title="auc is the area under the ROC curve",
        takes=SCORES,
        bounds=(0.0, 1.0),
        unit="AUC",
        short="AUC",
        per_record=False,
        better=HIGHER,
        options={
            "average": Option(
                "How several classes are averaged: ovo over pairs (Hand and Till), ovr each"
                " against the rest",
                _average,
                "ovo",
            )
        },
    ),
    __name__,
)
