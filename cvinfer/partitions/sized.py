"""Partitions made elsewhere, of which only the shape and the sizes of the splits are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import PartitionError
from .partition import Partition
from .registry import SchemeInfo, make_partition, schemes
from .split import SizedSplits

__all__ = ["Axes", "axes_of", "sized_partition", "sized_schemes"]

#: Records on which a scheme is asked for its form.
_SOME = 24


class Axes:
    """Along which axes the splits of a scheme lie: replications, folds, both or none.

    names: of the option that counts each, or a number where that is fixed.
    """

    def __init__(self, info: SchemeInfo) -> None:
        self.names = info.sizes
        partition = make_partition(info.name, _SOME)
        self.replicated_by = partition.replicated_by
        self.replicated = self.replicated_by is not None
        self.folded = len(self.names) > (1 if self.replicated else 0)

    def shape(self, replications: int, folds: int) -> tuple[int, ...]:
        """The shape of so many replications of so many folds; refuses what cannot be."""
        if not self.replicated and replications > 1:
            raise PartitionError(f"it is one replication, not {replications}")
        if not self.folded and folds > 1:
            raise PartitionError(f"a replication is one split, not {folds}")
        shape = (replications,) * self.replicated + (folds,) * self.folded
        for size, name in zip(shape, self.names):
            if isinstance(name, int) and size != name:
                raise PartitionError(f"a replication has {name} folds, not {size}")
        return shape

    def options(self, shape: Sequence[int]) -> dict[str, Any]:
        """The options that count the axes."""
        return {
            name: size
            for name, size in zip(self.names, shape)
            if isinstance(name, str) and name != "n"
        }


def sized_schemes() -> list[str]:
    """The schemes whose splits are told apart by replication and fold."""
    return [name for name, info in schemes().items() if len(info.sizes) <= 2]


def axes_of(scheme: str) -> Axes:
    return Axes(schemes()[scheme])


def sized_partition(
    scheme: str, replications: int, folds: int, n: int, sizes: Any = None
) -> Partition:
    """The partition of that shape; without `sizes` they are those that the scheme has by itself."""
    axes = axes_of(scheme)
    shape = axes.shape(replications, folds)
    options = axes.options(shape)
    if sizes is None:
        sizes = make_partition(scheme, n, **options).sizes
    sizes = np.asarray(sizes, dtype=np.int64).reshape(-1, 2)
    if axes.folded and not (sizes[:, 1].reshape(replications, folds).sum(axis=1) == n).all():
        raise PartitionError(f"the folds of a replication do not test {n} records together")
    if not axes.folded and (sizes[:, 0] == sizes[0, 0]).all():
        options["n1"] = int(sizes[0, 0])
    return Partition(
        scheme, n, shape, SizedSplits(sizes, n), 0, options, replicated_by=axes.replicated_by
    )
