"""What a prediction costs: `losses()` are all measures, by name, and `loss(name)` is one.

A new measure is a new file here, or a plug-in's module. Whoever lists the words that `loss` or
`measures` of a spec may be asks `list(cvinfer.losses.losses())`.
"""

from cvinfer.losses.kinds import CODES, NUMBERS, PROBABILITIES, SCORES
from cvinfer.losses.registry import (
    HIGHER,
    LOWER,
    RECORD,
    SPLIT,
    Loss,
    Measured,
    NoValue,
    Option,
    loss,
    losses,
)

__all__ = [
    "CODES",
    "HIGHER",
    "LOWER",
    "NUMBERS",
    "PROBABILITIES",
    "RECORD",
    "SCORES",
    "SPLIT",
    "Loss",
    "Measured",
    "NoValue",
    "Option",
    "loss",
    "losses",
]
