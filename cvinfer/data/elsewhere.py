"""What data has in common on which nothing is fitted: see `DataLike` in `dataset`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .dataset import Column, Rights


class MadeElsewhere:
    """Predictions or scores of others: they bring splits, and there is nothing to fit."""

    @property
    def made_elsewhere(self) -> bool:
        return True

    @property
    def features(self) -> tuple[Column, ...]:
        return ()

    @property
    def rights(self) -> Rights:
        """Nobody tells them."""
        return Rights()

    @property
    def group_column(self) -> str | None:
        """Its splits are made; they belong to no groups that were named."""
        return None

    def groups_by(self, column: str | None) -> NDArray[np.int32] | None:
        return None
