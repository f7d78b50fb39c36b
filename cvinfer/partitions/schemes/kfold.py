"""K folds, each tested once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import records, seed_of, whole
from ..deals import one_deal
from ..errors import PartitionError
from ..labels import Labels, deal_order, labels_of, need_records, pack_groups
from ..partition import Partition
from ..registry import scheme
from ..split import FoldSplits
from ..streams import stream
from ..told import Told, one_replication

__all__ = ["kfold", "fold_numbers", "checked_folds"]


def _from_roles(told: Told) -> Partition:
    folds, k = told.folds("kfold"), told.counts[0]
    one_replication("kfold", folds)
    return Partition("kfold", told.n, (k,), FoldSplits(folds, k), 0, {"k": k})


@scheme(
    "kfold",
    sizes=("k",),
    label="{}-fold",
    title="{}-fold CV",
    from_roles=_from_roles,
    dealt=one_deal,
    splitter="KFold",
)
def kfold(
    n: int, k: int = 10, *, seed: int = 0, stratify: Any = None, groups: Any = None
) -> Partition:
    """K folds, each tested once with the others for training; sizes differ by at most one.

    The same seed makes this the first replication of `repeated_kfold`. With `stratify` the folds
    also hold equally many records of each class, within one. With `groups` the records of a group
    share a fold, and fold sizes differ by at most the largest group.
    """
    n, k, classes, together = checked_folds("kfold", n, k, stratify, groups)
    seed = seed_of("kfold", seed)
    folds = fold_numbers(n, k, 0, seed, classes, together)
    options = {"k": k, "stratify": classes is not None, "groups": together is not None}
    return Partition("kfold", n, (k,), FoldSplits(folds[None], k), seed, options)


def checked_folds(
    name: str, n: Any, k: Any, stratify: Any, groups: Any
) -> tuple[int, int, Labels | None, Labels | None]:
    """n and k that fit each other, and labels that fit both."""
    n, k = records(name, n), whole(name, "k", k, 2)
    if k > n:
        raise PartitionError(f"k = {k} folds need at least {k} records, n = {n}", ("k",), who=name)
    classes, together = labels_of(name, n, stratify, groups)
    if classes is not None:
        need_records(name, classes, k, f"one for each of the k = {k} folds")
    if together is not None and len(together) < k:
        raise PartitionError(
            f"{len(together)} group(s) cannot fill k = {k} folds; use at most "
            f"{len(together)} folds",
            ("groups",),
            who=name,
        )
    return n, k, classes, together


def fold_numbers(
    n: int, k: int, replication: int, seed: int, classes: Labels | None, groups: Labels | None
) -> NDArray[np.int64]:
    """Fold number of each record in one replication."""
    bits = stream(seed, "kfold", k, replication)
    if groups is not None:
        return pack_groups(bits, groups, k, strict=False)
    folds = np.empty(n, dtype=np.int64)
    folds[deal_order(bits, n, classes)] = np.arange(n) % k
    return folds
