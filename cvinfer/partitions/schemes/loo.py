"""Leave one out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import records, refuse, seed_of
from ..deals import fixed
from ..partition import Partition
from ..registry import scheme
from ..split import FoldSplits
from ..told import Misfit, Told, one_replication

__all__ = ["loo"]


_ONE_CLASS = "a fold of one record has one class"
_CUTS_GROUPS = "a fold of one record splits every larger group"


def _from_roles(told: Told) -> Partition:
    folds, k = told.folds("loo"), told.counts[0]
    one_replication("loo", folds)
    if k != told.n:
        raise Misfit(f"loo has one fold for each of the n = {told.n} records, not {k}")
    return Partition("loo", told.n, (k,), FoldSplits(folds, k), 0, {})


@scheme(
    "loo",
    stratify=_ONE_CLASS,
    groups=_CUTS_GROUPS,
    sizes=("n",),
    label="leave-one-out",
    title="leave-one-out",
    from_roles=_from_roles,
    dealt=fixed,
    splitter="LeaveOneOut",
)
def loo(n: int, *, seed: int = 0, stratify: Any = None, groups: Any = None) -> Partition:
    """n folds of one record: fold i tests record i and trains on all others; nothing is random."""
    n = records("loo", n)
    refuse("loo", "stratify", stratify, _ONE_CLASS)
    refuse("loo", "groups", groups, _CUTS_GROUPS)
    folds = np.arange(n, dtype=np.int64)[None]
    options = {"stratify": False, "groups": False}
    return Partition("loo", n, (n,), FoldSplits(folds, n), seed_of("loo", seed), options)
