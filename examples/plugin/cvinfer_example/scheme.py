"""Folds that are dealt in the order of the records."""

from __future__ import annotations

import numpy as np

from cvinfer.partitions import Partition, PartitionError
from cvinfer.partitions.registry import scheme
from cvinfer.partitions.split import FoldSplits
from cvinfer.partitions.told import Misfit, Told


def _from_roles(told: Told) -> Partition:
    """The partition of splits that a file tells."""
    made = interleaved(told.n, told.folds_each("interleaved"))
    if not np.array_equal(told.folds("interleaved"), made.splits.folds):
        raise Misfit("record i must be tested in fold i mod k")
    return made


@scheme(
    "interleaved",
    label=lambda partition: f"interleaved {partition.shape[0]}-fold",
    sizes=("k",),
    from_roles=_from_roles,
    stratify="the order of the records is all that counts",
    groups="the order of the records is all that counts",
)
def interleaved(n: int, k: int = 5, *, seed: int = 0) -> Partition:
    """Record i is tested in fold i mod k; nothing is drawn, and the seed is of no matter."""
    if not 2 <= k <= n:
        raise PartitionError(f"k = {k} folds need 2 <= k <= n = {n}", ("k",), who="interleaved")
    folds = np.arange(n, dtype=np.int64) % k
    return Partition("interleaved", n, (k,), FoldSplits(folds[None], k), seed, {"k": k})
