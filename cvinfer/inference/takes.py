"""What tests and intervals take of a measure: decided here by the data they declare, only here."""

from __future__ import annotations

import math

from cvinfer.inference.registry import Procedure
from cvinfer.losses.registry import Loss

#: Losses of records that are 0 or 1, so that errors are counted; losses of records, with bounds or
#: without; one value for each split, whatever it is the value of.
COUNTS, RECORDS, VALUES = "0/1 losses of records", "bounded losses of records", "values of splits"
LOSSES = "losses of records"
#: Predicted classes, of which a procedure makes a measure of its own.
CLASSES = "predicted classes"

_TAKES = {
    "differences": VALUES,
    "differences_and_sizes": VALUES,
    "differences_and_halves": VALUES,
    "losses_and_folds": RECORDS,
    "nested_losses": LOSSES,
    "values_and_halves": VALUES,
    "values_and_sizes": VALUES,
    "confusions": CLASSES,
    "scores": CLASSES,
}


def takes(declared: Procedure) -> str:
    """What a test or interval takes; what is not known to take more counts errors."""
    return _TAKES.get(declared.data, COUNTS)


def fits(declared: Procedure, measure: Loss) -> bool:
    """Whether a test or interval can be done by a measure."""
    wanted = takes(declared)
    if wanted == COUNTS:
        return measure.percent
    if wanted == LOSSES:
        return measure.per_record
    if wanted == RECORDS:
        bounds = measure.bounds
        return measure.per_record and (callable(bounds) or math.isfinite(bounds[1] - bounds[0]))
    return True
