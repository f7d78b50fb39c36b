"""What a prediction costs: `losses()` are all that there are, by name, and `loss(name)` is one.

A new loss is a new file here, or a plug-in's module. Whoever lists the words that `loss` of a spec
may be asks `list(cvinfer.losses.losses())`.
"""

from cvinfer.losses.kinds import CODES, NUMBERS, PROBABILITIES, SCORES
from cvinfer.losses.registry import Loss, loss, losses

__all__ = ["CODES", "NUMBERS", "PROBABILITIES", "SCORES", "Loss", "loss", "losses"]
