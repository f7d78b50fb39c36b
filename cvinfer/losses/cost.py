"""Cost of a prediction, from a matrix: its mean is the mean cost."""

from __future__ import annotations

import math
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.losses.registry import Bounds, Loss, Option, losses

#: What each true class costs that is taken for each class.
Matrix = Mapping[str, Mapping[str, float]]


def cost(
    truth: NDArray[Any], predicted: NDArray[Any], classes: Sequence[str], matrix: Matrix
) -> NDArray[np.float64]:
    """What the matrix has for the true class (row) and the predicted one (column)."""
    found: NDArray[np.float64] = _array(matrix, classes)[truth, predicted]
    return found


def _array(matrix: Matrix, classes: Sequence[str]) -> NDArray[np.float64]:
    rows = [[_entry(matrix, truth, said) for said in classes] for truth in classes]
    return np.array(rows, dtype=np.float64)


def _entry(matrix: Matrix, truth: str, said: str) -> float:
    """What is left out on the diagonal is nothing."""
    row = matrix.get(truth, {})
    return float(row[said]) if said in row else 0.0


def _bounds(classes: Sequence[str], matrix: Matrix) -> Bounds:
    array = _array(matrix, classes)
    return float(array.min()), float(array.max())


def _fault(given: Any) -> Optional[str]:
    right = "a mapping of true classes to mappings of predicted classes to costs"
    if not isinstance(given, Mapping) or not given:
        return right
    for row in given.values():
        if not isinstance(row, Mapping):
            return right
        for value in row.values():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not math.isfinite(value) or value < 0:
                return "costs that are numbers, zero or more"
    if not any(value > 0 for row in given.values() for value in row.values()):
        return "at least one cost above zero"
    return None


def _on(matrix: Matrix, classes: Sequence[str]) -> Optional[str]:
    named = dict.fromkeys([*matrix, *(said for row in matrix.values() for said in row)])
    strange = [name for name in named if name not in classes]
    if strange:
        return f"there is no class {strange[0]!r}; the classes are {', '.join(map(repr, classes))}"
    for truth in classes:
        for said in classes:
            if truth != said and said not in matrix.get(truth, {}):
                return f"it does not say what {truth!r} costs that is taken for {said!r}"
    return None


losses.add(
    "cost",
    Loss(
        name="cost",
        of=cost,
        title="cost is what the matrix has for the true and the predicted class",
        bounds=_bounds,
        unit="mean cost",
        short="Cost",
        options={
            "matrix": Option(
                "The cost of each true class that is taken for each other, as"
                " {true: {predicted: cost}}; what is left out for a right prediction is 0",
                _fault,
                needed=True,
                on=_on,
            )
        },
    ),
    __name__,
)
