"""Independent random halvings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import records, seed_of, whole
from ..deals import Deal, deal_each
from ..errors import PartitionError
from ..halving import halve_groups
from ..labels import Labels, deal_order, labels_of, need_records
from ..partition import Partition
from ..registry import scheme
from ..split import HalfSplits
from ..streams import again, stream
from ..told import Told

__all__ = ["random_mx2"]

_DRAWS = 10_000
#: Where there are m² times as many ways to halve, hardly one in so many partitions has one twice.
_MANY_HALVINGS = 2**30
_TWO_BINS = np.array([[True], [False]])


def _from_roles(told: Told) -> Partition:
    in_s = told.halves("random_mx2")
    m = len(in_s)
    options = {"m": m}
    # The first halving comes again at once, or not at all.
    other = np.flatnonzero((in_s != in_s[0]).any(axis=1))
    rcp = int(other[0] if other.size else m) - 1
    if rcp:
        options["rcp"] = rcp
    return Partition("random_mx2", told.n, (m, 2), HalfSplits(in_s), 0, options, replicated_by="m")


def _label(partition: Partition) -> str:
    rcp = partition.options.get("rcp", 0)
    repeated = f", the first {rcp + 1} the same" if rcp else ""
    return f"random {partition.shape[0]}×2{repeated}"


def _dealt(partition: Partition) -> tuple[Deal, ...] | None:
    """None of few records: a halving that came before is drawn again, so that they depend."""
    few = math.comb(partition.n, partition.n // 2) < _MANY_HALVINGS * partition.shape[0] ** 2
    return None if few else deal_each(partition)


@scheme(
    "random_mx2",
    sizes=("m", 2),
    label=_label,
    title="{}×2 CV",
    from_roles=_from_roles,
    dealt=_dealt,
)
def random_mx2(
    n: int, m: int = 5, *, rcp: int = 0, seed: int = 0, stratify: Any = None, groups: Any = None
) -> Partition:
    """m independent random splits into halves; split [j, 0] trains on S_j, [j, 1] on T_j.

    `rcp`, the repetition count of a partition (S1 section 5.3), makes the first rcp + 1
    replications the same partition; all others are distinct. Odd n: S_j has one record more.
    """
    name = "random_mx2"
    n, m = records(name, n), whole(name, "m", m, 1)
    rcp, seed = whole(name, "rcp", rcp, 0, m - 1), seed_of(name, seed)
    classes, together = labels_of(name, n, stratify, groups)
    if classes is not None:
        need_records(name, classes, 2, "one for each half")
    if together is not None and len(together) < 2:
        raise PartitionError(
            f"groups cannot be halved; all n = {n} records are in one group", ("groups",), who=name
        )
    if together is None:
        halvings, what = math.comb(n, n // 2) // (1 if n % 2 else 2), f"n = {n} records"
    else:
        halvings, what = 2 ** (len(together) - 1) - 1, f"{len(together)} groups"
    if m - rcp > halvings:
        raise PartitionError(
            f"{m - rcp} distinct partitions are asked for (m = {m}, rcp = {rcp}), but "
            f"{what} can be halved in at most {halvings} way(s)",
            who=name,
        )
    in_s = _distinct_halvings(n, m, rcp, seed, classes, together)
    options = {
        "m": m,
        "rcp": rcp,
        "stratify": classes is not None,
        "groups": together is not None,
    }
    return Partition(name, n, (m, 2), HalfSplits(in_s), seed, options, replicated_by="m")


def _distinct_halvings(
    n: int, m: int, rcp: int, seed: int, classes: Labels | None, groups: Labels | None
) -> NDArray[np.bool_]:
    """(m, n): the records of S_j. A halving that came before, as a set {S, T}, is drawn again."""
    in_s = np.empty((m, n), dtype=bool)
    seen: set[bytes] = set()
    for j in range(m):
        if 0 < j <= rcp:
            in_s[j] = in_s[0]
            continue
        for draw in range(_DRAWS):
            key: tuple[str | int, ...] = ("random_mx2", j, *again("again", draw))
            half = _halving(n, seed, key, classes, groups)
            # S and T are told apart by the record 0, so that {S, T} and {T, S} are one.
            name = np.packbits(half ^ half[0]).tobytes()
            if name not in seen:
                break
        else:
            raise PartitionError(
                f"after {len(seen)} distinct halvings of n = {n} records no other was "
                f"found in {_DRAWS} draws; ask for fewer than m = {m} replications",
                ("m",),
                who="random_mx2",
            )
        seen.add(name)
        in_s[j] = half
    return in_s


def _halving(
    n: int,
    seed: int,
    key: tuple[str | int, ...],
    classes: Labels | None,
    groups: Labels | None,
) -> NDArray[np.bool_]:
    if groups is not None:
        return np.asarray(halve_groups("random_mx2", n, groups, _TWO_BINS, seed, key) == 0)
    half = np.zeros(n, dtype=bool)
    half[deal_order(stream(seed, *key), n, classes)[::2]] = True
    return half
