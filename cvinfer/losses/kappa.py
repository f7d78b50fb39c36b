"""Cohen's kappa."""

from __future__ import annotations

from typing import Any, Sequence

from numpy.typing import NDArray

from cvinfer.losses.confusion import hits
from cvinfer.losses.registry import HIGHER, Loss, NoValue, losses


def kappa(truth: NDArray[Any], predicted: NDArray[Any], classes: Sequence[str]) -> float:
    """Agreement of truth and prediction beyond what chance would give, over the most there is."""
    found, said, there = hits(truth, predicted, len(classes))
    n = len(truth)
    by_chance = int(said @ there)
    if by_chance == n * n:
        raise NoValue("has records and predictions of one and the same class only")
    return float((n * int(found.sum()) - by_chance) / (n * n - by_chance))


losses.add(
    "kappa",
    Loss(
        name="kappa",
        of=kappa,
        title="kappa is Cohen's agreement beyond chance",
        bounds=(-1.0, 1.0),
        unit="kappa",
        short="Kappa",
        per_record=False,
        better=HIGHER,
    ),
    __name__,
)
