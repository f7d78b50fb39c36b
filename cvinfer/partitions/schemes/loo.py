"""Leave one out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import records, refuse, seed_of
from ..partition import Partition
from ..registry import scheme
from ..split import FoldSplits

__all__ = ["loo"]


_ONE_CLASS = "a fold of one record has one class"
_CUTS_GROUPS = "a fold of one record splits every larger group"


@scheme("loo", stratify=_ONE_CLASS, groups=_CUTS_GROUPS, sizes=("n",))
def loo(n: int, *, seed: int = 0, stratify: Any = None, groups: Any = None) -> Partition:
    """n folds of one record: fold i tests record i and trains on all others; nothing is random."""
    n = records("loo", n)
    refuse("loo", "stratify", stratify, _ONE_CLASS)
    refuse("loo", "groups", groups, _CUTS_GROUPS)
    folds = np.arange(n, dtype=np.int64)[None]
    options = {"stratify": False, "groups": False}
    return Partition("loo", n, (n,), FoldSplits(folds, n), seed_of("loo", seed), options)
