"""Hold-outs inside the two halves of random halvings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import records, refuse, rounded, seed_of, whole
from ..deals import Deal
from ..errors import PartitionError
from ..labels import Labels, deal_order, draw_training, labels_of, need_records
from ..partition import Partition
from ..registry import scheme
from ..split import TEST, RoleSplits
from ..streams import permutations, stream
from ..told import Misfit, Told

__all__ = ["paired_halves"]

_NAME = "paired_halves"
_CUTS_GROUPS = "a hold-out inside a half would cut them again"


def _from_roles(told: Told) -> Partition:
    roles, counts = told.roles, told.counts
    pairs = list(dict.fromkeys(key[0] for key in told.keys))
    parts = [pair.split("/") for pair in pairs]
    if any(len(part) != 2 for part in parts):
        wrong = next(pair for pair, part in zip(pairs, parts) if len(part) != 2)
        raise Misfit(f"replication {wrong!r} of paired_halves must be halving/half, such as 3/1")
    halvings = list(dict.fromkeys(part[0] for part in parts))
    m, j = len(halvings), counts[0]
    if len(parts) != 2 * m or [part[0] for part in parts] != [h for h in halvings for _ in "12"]:
        raise Misfit("every halving of paired_halves needs exactly two halves")
    if set(counts) != {j}:
        raise Misfit(f"the halves have {sorted(set(counts))} hold-outs; all need equally many")
    used = roles.reshape(m, 2, j, told.n) > 0
    if (used != used[:, :, :1]).any() or (used[:, 0, 0] & used[:, 1, 0]).any():
        raise Misfit(
            "the hold-outs of a half must use the records of that half, and the two halves of a "
            "halving must share none"
        )
    options: dict[str, Any] = {"m": m, "j": j}
    sizes = (roles == TEST).sum(axis=1)
    if (sizes == sizes[0]).all():
        options["n_test"] = int(sizes[0])
    return Partition(_NAME, told.n, (m, 2, j), RoleSplits(roles), 0, options, replicated_by="m")


def _dealt(partition: Partition) -> tuple[Deal, ...]:
    """Two halves, and in each half hold-outs that are drawn by themselves."""
    m, _, j = partition.shape
    half, tested = partition.n // 2, int(partition.sizes[0, 0, 0, 1])
    splits = np.arange(m * 2 * j).reshape(m, 2, j, 1)
    yes = np.ones((1, 1), dtype=bool)
    inside = Deal(j, (tested,), np.arange(j)[:, None], yes)
    return (Deal(m, (half, half), splits, np.eye(2, dtype=bool), inside),)


@scheme(
    "paired_halves",
    groups=_CUTS_GROUPS,
    sizes=("m", 2, "j"),
    label="{} paired halvings",
    title="{} paired halvings",
    from_roles=_from_roles,
    dealt=_dealt,
)
def paired_halves(
    n: int,
    m: int = 10,
    j: int = 15,
    n_test: int | None = None,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """m random halvings, and inside each half j hold-outs that test n_test records.

    The halves of a halving are disjoint and hold floor(n/2) records each, one record staying out
    when n is odd; a split uses the records of its half only. n_test is n - round(9n/10) by default,
    the test size of the corrected repeated hold-out (Nadeau and Bengio 2003). With `stratify` both
    the halvings and the hold-outs share out the classes.
    """
    n, seed = records(_NAME, n, 4), seed_of(_NAME, seed)
    m, j = whole(_NAME, "m", m, 1), whole(_NAME, "j", j, 1)
    half = n // 2
    size = n - rounded(Fraction(9, 10), n) if n_test is None else whole(_NAME, "n_test", n_test, 0)
    if not 1 <= size <= half - 1:
        raise PartitionError(
            f"n_test = {size} of the {half} records of a half (n = {n}); it must be "
            f"between 1 and {half - 1}",
            ("n_test",),
            who=_NAME,
        )
    refuse(_NAME, "groups", groups, _CUTS_GROUPS)
    classes, _ = labels_of(_NAME, n, stratify, None)
    if classes is not None:
        least = 5 if n % 2 else 4
        need_records(_NAME, classes, least, "two for each half, one more when n is odd")
    halves = np.stack([_halving(n, i, seed, classes) for i in range(m)])
    roles = np.zeros((m, 2, j, n), dtype=np.uint8)
    for i in range(m):
        for side in range(2):
            roles[i, side][:, halves[i, side]] = _holdouts(halves, i, side, j, size, seed, classes)
    options = {
        "m": m,
        "j": j,
        "n_test": size,
        "stratify": classes is not None,
        "groups": False,
    }
    splits = RoleSplits(roles.reshape(-1, n))
    return Partition(_NAME, n, (m, 2, j), splits, seed, options, replicated_by="m")


def _halving(n: int, i: int, seed: int, classes: Labels | None) -> NDArray[np.int64]:
    """(2, floor(n/2)): the records of the two halves."""
    order = deal_order(stream(seed, _NAME, "halving", i), n, classes)
    return np.sort(order[: n - n % 2].reshape(-1, 2).T, axis=1)


def _holdouts(
    halves: NDArray[np.int64],
    i: int,
    side: int,
    j: int,
    n_test: int,
    seed: int,
    classes: Labels | None,
) -> NDArray[np.uint8]:
    """(j, floor(n/2)): the roles of the half's records in its hold-outs."""
    size = halves.shape[2]
    key = (_NAME, "holdout", n_test, i, side)
    if classes is None:
        orders = permutations(stream(seed, *key), j, size)
        roles = np.full((j, size), 1, dtype=np.uint8)
        np.put_along_axis(roles, orders[:, :n_test], np.uint8(2), axis=1)
        return roles
    codes = classes.codes[halves[i, side]]
    inside = Labels(codes, classes.names, np.bincount(codes, minlength=len(classes)))
    drawn = [draw_training(stream(seed, *key, at), size, size - n_test, inside) for at in range(j)]
    return np.where(np.stack(drawn), 1, 2).astype(np.uint8)
