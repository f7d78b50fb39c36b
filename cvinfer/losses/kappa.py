"""Cohen's kappa."""

from __future__ import annotations

from typing import Any, Sequence

from numpy.typing import NDArray

from cvinfer.losses.confusion import hits
from cvinfer.losses.registry import HIGHER, Loss, NoValue, losses


def kappa(truth: NDArray[Any], predicted: NDArray[Any], classes: Sequence[str]) -> float:
    """Agreement of truth and prediction beyond what chance would give, over the most there is."""
    each = hits(truth, predicted, len(classes))
    most = each.n * each.n - each.by_chance
    if not most:
        raise NoValue("has records and predictions of one and the same class only")
    return each.beyond_chance / most


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
