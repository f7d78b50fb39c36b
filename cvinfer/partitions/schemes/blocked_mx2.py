"""Halvings from a two-level orthogonal array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..blocks import MOST_REPLICATIONS, block_array, blocks_needed, extra_blocks
from ..checks import seed_of, whole
from ..deals import Deal, fixed, one_deal
from ..errors import PartitionError
from ..halving import halve_groups
from ..labels import Labels, deal_order, labels_of, need_records
from ..partition import Partition
from ..registry import scheme
from ..split import HalfSplits
from ..streams import stream
from ..told import Misfit, Told

__all__ = ["blocked_mx2"]

_NAME = "blocked_mx2"
#: Blocks of the blocked 5×2, whose pairs 1 and 5 to 4 and 8 are the blocks of a blocked 3×2.
NESTING = 8


def _from_roles(told: Told) -> Partition:
    """With its blocks where the halves are those of the printed arrays."""
    in_s = told.halves(_NAME)
    m = len(in_s)
    if not 2 <= m <= MOST_REPLICATIONS:
        raise Misfit(f"blocked_mx2 has 2 to {MOST_REPLICATIONS} replications, not {m}")
    array = block_array(m) > 0
    number = {row.tobytes(): at + 1 for at, row in enumerate(array)}
    found = [number.get(row.tobytes(), 0) for row in np.ascontiguousarray(in_s.T)]
    blocks = np.array(found, dtype=np.int64) if all(found) else None
    partition = Partition(_NAME, told.n, (m, 2), HalfSplits(in_s), 0, {"m": m}, blocks, "m")
    if blocks is None:
        _blocked_enough(partition, in_s)
    return partition


def _blocked_enough(partition: Partition, in_s: NDArray[np.bool_]) -> None:
    """Refuse halves that no blocks of about equal size can have made.

    Records of one block go the same way in every replication, so there are at most h ways. With
    block sizes that differ by at most one, an overlap is within 3h/8 records of n/4.
    """
    h = blocks_needed(in_s.shape[0])
    ways = len(np.unique(in_s.T, axis=0))
    worst = partition.overlaps().worst or 0.0
    if ways > h or worst > 3 * h / 8:
        raise Misfit(
            f"these halves are not blocked: the records go {ways} ways (blocked: at most {h}), and "
            f"an overlap of training sets is {worst:g} records off n/4 = {partition.n / 4:g} "
            f"(blocked: at most {3 * h / 8:g}); name the scheme random_mx2"
        )


def _dealt_at_random(partition: Partition) -> tuple[Deal, ...]:
    given = partition.options.get("blocks") == "given"
    return fixed(partition) if given else one_deal(partition)


@scheme(
    "blocked_mx2",
    sizes=("m", 2),
    label="blocked {}×2",
    title="blocked {}×2 CV",
    from_roles=_from_roles,
    dealt=_dealt_at_random,
)
def blocked_mx2(
    n: int,
    m: int = 5,
    blocks: Any = None,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """m splits into halves whose training sets overlap in n/4 records, from an orthogonal array.

    There are h blocks, h the smallest multiple of 4 that is at least m + 1; S_j holds the blocks
    with +1 in column j. m = 3 is S0 table 1 and m = 5 is S1 table 3, with the printed block
    numbers. Where h does not divide n, `extra_blocks` says which blocks hold one record more.
    `blocks` gives the block number of each record instead (1..h or 0..h-1), and nothing is random
    then. With `stratify` the blocks hold equally many records of each class, within one; with
    `groups` the records of a group share a block and halves may stray from n/2 by max(1, n/10).
    Without `stratify` and `groups` m = 3 is the 3×2 inside m = 5 with the same seed (n >= 8).
    """
    m = whole(_NAME, "m", m, 2, MOST_REPLICATIONS)
    h = blocks_needed(m)
    n, seed = whole(_NAME, "n", n, 0), seed_of(_NAME, seed)
    if n < h:
        raise PartitionError(
            f"n = {n} records cannot fill the h = {h} blocks of m = {m}", ("n",), who=_NAME
        )
    if blocks is not None:
        number = _given(n, m, h, blocks, stratify, groups)
    else:
        classes, together = labels_of(_NAME, n, stratify, groups)
        number = _dealt(n, m, h, seed, classes, together)
    in_s = (block_array(m).T > 0)[:, number]
    options = {
        "m": m,
        "blocks": "dealt" if blocks is None else "given",
        "stratify": stratify is not None,
        "groups": groups is not None,
    }
    return Partition(
        _NAME, n, (m, 2), HalfSplits(in_s), seed, options, number + 1, replicated_by="m"
    )


def _dealt(
    n: int, m: int, h: int, seed: int, classes: Labels | None, groups: Labels | None
) -> NDArray[np.int64]:
    """Block (from 0) of each record, dealt at random."""
    if m == 3 and n >= NESTING and classes is None and groups is None:
        # So that asking for a blocked 5×2 as well moves nothing, and shares its fits.
        return _dealt(n, 5, NESTING, seed, None, None) % h
    key = (_NAME, m)
    if groups is not None:
        if len(groups) < h:
            raise PartitionError(
                f"groups cannot be halved; {len(groups)} group(s) cannot fill the "
                f"h = {h} blocks of m = {m}, which take at least {h}",
                ("groups",),
                who=_NAME,
            )
        return halve_groups(_NAME, n, groups, block_array(m) > 0, seed, key)
    if classes is not None:
        need_records(_NAME, classes, h, f"one for each of the h = {h} blocks of m = {m}")
    extra = extra_blocks(m, n % h)
    # Dealt round by round, the blocks that come first are the ones with a record more.
    order = np.array([*extra, *sorted(set(range(h)) - set(extra))], dtype=np.int64)
    number = np.empty(n, dtype=np.int64)
    number[deal_order(stream(seed, *key), n, classes)] = order[np.arange(n) % h]
    return number


def _given(n: int, m: int, h: int, blocks: Any, stratify: Any, groups: Any) -> NDArray[np.int64]:
    """Block (from 0) of each record as the user says."""
    for option, value in (("stratify", stratify), ("groups", groups)):
        if value is not None:
            raise PartitionError(
                f"{option} cannot be combined with blocks, which already say where each "
                "record goes",
                (option,),
                who=_NAME,
            )
    given = np.asarray(blocks)
    if given.shape != (n,):
        raise PartitionError(
            f"blocks must hold one block number for each of the n = {n} records, not an "
            f"array of shape {given.shape}",
            ("blocks",),
            who=_NAME,
        )
    if given.dtype.kind not in "iu":
        raise PartitionError(
            f"blocks must hold whole numbers, not {given.dtype}", ("blocks",), who=_NAME
        )
    found = np.unique(given)
    first = int(found[0])
    if first not in (0, 1) or not np.array_equal(found, np.arange(first, first + h)):
        shown = ", ".join(map(str, found[:10])) + (", ..." if len(found) > 10 else "")
        raise PartitionError(
            f"m = {m} needs every block of 1..{h} (or of 0..{h - 1}) to hold a record; "
            f"blocks holds {shown}",
            ("blocks",),
            who=_NAME,
        )
    return given.astype(np.int64) - first
