"""What a loss declares, and the registry of losses: one file of this folder for each."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.kinds import CODES
from cvinfer.registry import Registry


class Loss(NamedTuple):
    """What a prediction costs.

    of: the losses of some records, from their true class codes and what was predicted for them.
    title: one line for lists and schemas. takes: the kind of prediction that it needs. bounds: the
    least and the most that it can be. unit: what its mean is called, and `percent` whether that is
    a share, so that each loss is 0 or 1 and can be counted. per_record: whether each record has a
    loss of its own.
    """

    name: str
    of: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]
    title: str
    takes: str = CODES
    bounds: tuple[float, float] = (0.0, float("inf"))
    unit: str = "mean loss"
    percent: bool = False
    per_record: bool = True


#: The losses by name. `list(losses())` are the words that `loss` of a spec may be, and
#: `losses()[name].title` is what is said of one.
losses: Registry[Loss] = Registry("loss", "cvinfer.losses")


def loss(name: str) -> Loss:
    """The loss called `name`."""
    return losses.find(name, ("loss",))
