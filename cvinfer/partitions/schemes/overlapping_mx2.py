"""Two halvings whose training sets overlap in a given number of records."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import records, refuse, rounded, seed_of, whole
from ..deals import one_deal
from ..partition import Partition
from ..registry import scheme
from ..split import HalfSplits
from ..streams import permutation, stream
from ..told import Misfit, Told

__all__ = ["overlapping_mx2"]

_NAME = "overlapping_mx2"
_ALL_RECORDS = "the overlap is a number of records of all classes"
_CUTS_GROUPS = "an overlap of given size would cut them"


def _partition(n: int, in_s: NDArray[np.bool_], seed: int, **more: Any) -> Partition:
    options = {"m": 2, "overlap": int((in_s[0] & in_s[1]).sum()), **more}
    return Partition(_NAME, n, (2, 2), HalfSplits(in_s), seed, options, replicated_by="m")


def _from_roles(told: Told) -> Partition:
    in_s, half = told.halves(_NAME), (told.n + 1) // 2
    if len(in_s) != 2:
        raise Misfit(f"{_NAME} has 2 replications, not {len(in_s)}; name it random_mx2")
    sizes = sorted(set(in_s.sum(axis=1).tolist()) - {half})
    if sizes:
        raise Misfit(f"the first half of {_NAME} has {half} of n = {told.n} records, not {sizes}")
    return _partition(told.n, in_s, 0)


def _label(partition: Partition) -> str:
    return f"2×2, training sets share {partition.options['overlap']}"


@scheme(
    _NAME,
    stratify=_ALL_RECORDS,
    groups=_CUTS_GROUPS,
    sizes=(2, 2),
    label=_label,
    title="overlapping {}×2 CV",
    from_roles=_from_roles,
    dealt=one_deal,
)
def overlapping_mx2(
    n: int,
    overlap: int | None = None,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """Two halvings whose training sets S_1 and S_2 share `overlap` records, to study what it does.

    The number of overlapped samples of S0 figure 2: 0 turns the first halving round, n/2 repeats
    it, n/4, the default, is what blocks give. S_1 is the same for every overlap. Odd n: S_j has one
    record more, and an overlap of at least 1.
    """
    n, seed = records(_NAME, n, 4), seed_of(_NAME, seed)
    refuse(_NAME, "stratify", stratify, _ALL_RECORDS)
    refuse(_NAME, "groups", groups, _CUTS_GROUPS)
    half = (n + 1) // 2
    least = 2 * half - n
    quarter = rounded(Fraction(1, 4), n)
    shared = quarter if overlap is None else whole(_NAME, "overlap", overlap, least, half)
    order = permutation(stream(seed, _NAME), n)
    in_s = np.zeros((2, n), dtype=bool)
    in_s[0, order[:half]] = True
    in_s[1, order[half - shared : 2 * half - shared]] = True
    return _partition(n, in_s, seed, stratify=False, groups=False)
