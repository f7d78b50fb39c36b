"""Partition schemes: which records train and which are tested, and how often.

Each scheme is a function from the number of records to a `Plan`. `schemes()` lists them and
`make_plan(name, n, ...)` calls one by its name.
"""

from __future__ import annotations

from typing import Any

from .catalogue.blocked_mx2 import blocked_mx2
from .catalogue.holdout import holdout
from .catalogue.kfold import kfold
from .catalogue.loo import loo
from .catalogue.paired_halves import paired_halves
from .catalogue.random_mx2 import random_mx2
from .catalogue.repeated_holdout import repeated_holdout
from .catalogue.repeated_kfold import repeated_kfold
from .errors import PartitionError
from .hadamard import hadamard
from .overlaps import Overlaps
from .plan import Plan
from .registry import SchemeInfo, make_plan, schemes
from .split import Split

__all__ = [
    "Overlaps",
    "PartitionError",
    "Plan",
    "SchemeInfo",
    "Split",
    "blocked_mx2",
    "hadamard",
    "holdout",
    "kfold",
    "loo",
    "make_plan",
    "paired_halves",
    "random_mx2",
    "repeated_holdout",
    "repeated_kfold",
    "schemes",
]


def __getattr__(name: str) -> Any:
    # A scheme that was dropped into the catalogue is at hand without a line here.
    found = None if name.startswith("_") else schemes().get(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found.function
