"""The kinds of values that a learner may predict, and how they are kept."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

#: One class code for each test record, one probability for each class of each, one score for each.
CODES, PROBABILITIES, SCORES = "codes", "probabilities", "scores"
#: What is left of the replications of a study (`cvinfer.execute.replications`).
REDUCED = "reduced"
#: The numbers that each is made of, in one order of bytes.
NUMBERS: Mapping[str, str] = {CODES: "<i4", PROBABILITIES: "<f8", SCORES: "<f8", REDUCED: "|u1"}


def codes_of(values: NDArray[Any], kind: str) -> NDArray[np.int32]:
    """The values as class codes, which they must be."""
    if kind != CODES:
        raise ValueError(f"these are {kind}, no class codes")
    return values
