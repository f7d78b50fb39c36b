"""Independent K-folds, R times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import seed_of, whole
from ..deals import deal_each
from ..partition import Partition
from ..registry import scheme
from ..split import FoldSplits
from ..told import Told
from .kfold import checked_folds, fold_numbers

__all__ = ["repeated_kfold"]


def _from_roles(told: Told) -> Partition:
    folds, k = told.folds("repeated_kfold"), told.counts[0]
    options = {"r": len(folds), "k": k}
    shape = (len(folds), k)
    splits = FoldSplits(folds, k)
    return Partition("repeated_kfold", told.n, shape, splits, 0, options, replicated_by="r")


@scheme(
    "repeated_kfold",
    sizes=("r", "k"),
    label="{}×{}-fold",
    title="{}×{}-fold CV",
    from_roles=_from_roles,
    dealt=deal_each,
    splitter="RepeatedKFold",
)
def repeated_kfold(
    n: int,
    r: int = 10,
    k: int = 10,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """R independent K-folds; the first is `kfold` with the same k and seed."""
    n, k, classes, together = checked_folds("repeated_kfold", n, k, stratify, groups)
    r, seed = whole("repeated_kfold", "r", r, 1), seed_of("repeated_kfold", seed)
    folds = np.stack([fold_numbers(n, k, i, seed, classes, together) for i in range(r)])
    options = {"r": r, "k": k, "stratify": classes is not None, "groups": together is not None}
    return Partition(
        "repeated_kfold", n, (r, k), FoldSplits(folds, k), seed, options, replicated_by="r"
    )
