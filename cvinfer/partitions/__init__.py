"""Partition schemes: which records train and which are tested, and how often.

Each scheme is a function from the number of records to a `Partition`. `schemes()` lists them and
`make_partition(name, n, ...)` calls one by its name.
"""

from __future__ import annotations

from typing import Any

from .schemes.blocked_mx2 import blocked_mx2
from .schemes.holdout import holdout
from .schemes.kfold import kfold
from .schemes.loo import loo
from .schemes.nested_cv import nested_cv
from .schemes.overlapping_mx2 import overlapping_mx2
from .schemes.paired_halves import paired_halves
from .schemes.random_mx2 import random_mx2
from .schemes.repeated_holdout import repeated_holdout
from .schemes.repeated_kfold import repeated_kfold
from .errors import PartitionError
from .hadamard import hadamard
from .overlaps import Overlaps
from .partition import Partition
from .registry import SchemeInfo, make_partition, schemes
from .split import Split

__all__ = [
    "Overlaps",
    "PartitionError",
    "Partition",
    "SchemeInfo",
    "Split",
    "blocked_mx2",
    "hadamard",
    "holdout",
    "kfold",
    "loo",
    "make_partition",
    "nested_cv",
    "overlapping_mx2",
    "paired_halves",
    "random_mx2",
    "repeated_holdout",
    "repeated_kfold",
    "schemes",
]


def __getattr__(name: str) -> Any:
    # A scheme that was dropped into `schemes` is at hand without a line here.
    found = None if name.startswith("_") else schemes().get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found.function
