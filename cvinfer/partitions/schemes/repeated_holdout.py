"""Independent hold-outs, J times."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import records, seed_of, training_size, whole
from ..deals import deal_each
from ..errors import PartitionError
from ..labels import Labels, draw_training, labels_of, need_records
from ..partition import Partition
from ..registry import scheme
from ..split import TRAIN, RoleSplits
from ..streams import again, stream
from ..told import Misfit, Told

__all__ = ["repeated_holdout", "checked_holdout", "held_out", "holdout_roles"]

_DRAWS = 20


def held_out(partition: Partition) -> str:
    """How many records train; where none is at hand, how many are tested."""
    # Whole groups train, so that grouped hold-outs differ in size.
    sizes = partition.sizes.reshape(-1, 2)
    low, high = int(sizes[:, 0].min()), int(sizes[:, 0].max())
    if not high:
        return f"{int(sizes[0, 1]):,} records tested"
    return f"{low if low == high else f'{low} to {high}'} for training"


def _label(partition: Partition) -> str:
    return f"{partition.shape[0]} hold-outs, {held_out(partition)}"


def _from_roles(told: Told) -> Partition:
    roles, counts = told.roles, told.counts
    if len(counts) != 1 and set(counts) != {1}:
        raise Misfit(f"a replication of repeated_holdout is one split, not {max(counts)}")
    options: dict[str, Any] = {"j": len(roles)}
    sizes = (roles == TRAIN).sum(axis=1)
    if (sizes == sizes[0]).all():
        options["n1"] = int(sizes[0])
    shape = (len(roles),)
    splits = RoleSplits(roles)
    return Partition("repeated_holdout", told.n, shape, splits, 0, options, replicated_by="j")


@scheme(
    "repeated_holdout",
    sizes=("j",),
    label=_label,
    title="{} hold-outs {share}",
    from_roles=_from_roles,
    dealt=deal_each,
)
def repeated_holdout(
    n: int,
    j: int = 15,
    n1: int | float | Fraction | None = None,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """J independent random splits, each with n1 records for training and n - n1 for testing.

    n1 is a count or a share of n, round(2n/3) by default; 0.9 gives the corrected t test of Nadeau
    and Bengio its 9n/10. With `stratify` each class is shared out in the same proportion (largest
    remainders). With `groups` whole groups train, n1 being met as nearly as the drawn order allows.
    """
    n, n1, classes, together = checked_holdout("repeated_holdout", n, n1, stratify, groups)
    j, seed = whole("repeated_holdout", "j", j, 1), seed_of("repeated_holdout", seed)
    roles = [holdout_roles("repeated_holdout", n, n1, i, seed, classes, together) for i in range(j)]
    options = {"j": j, "n1": n1, "stratify": classes is not None, "groups": together is not None}
    splits = RoleSplits(np.stack(roles))
    return Partition("repeated_holdout", n, (j,), splits, seed, options, replicated_by="j")


def checked_holdout(
    name: str, n: Any, n1: Any, stratify: Any, groups: Any
) -> tuple[int, int, Labels | None, Labels | None]:
    """n, the training size and the labels, all fitting each other."""
    n = records(name, n)
    n1 = training_size(name, n1, n)
    classes, together = labels_of(name, n, stratify, groups)
    if classes is not None:
        need_records(name, classes, 2, "one to train on and one to test on")
    if together is not None and len(together) < 2:
        raise PartitionError(
            f"all n = {n} records are in one group; two are needed", ("groups",), who=name
        )
    return n, n1, classes, together


def holdout_roles(
    name: str,
    n: int,
    n1: int,
    replication: int,
    seed: int,
    classes: Labels | None,
    groups: Labels | None,
) -> NDArray[np.uint8]:
    """Roles of the records in one hold-out."""
    key = ("holdout", n1, replication)
    if groups is None:
        training = draw_training(stream(seed, *key), n, n1, classes)
    else:
        training = _whole_groups(name, n, n1, seed, key, groups)
    return np.where(training, 1, 2).astype(np.uint8)


def _whole_groups(
    name: str, n: int, n1: int, seed: int, key: tuple[str | int, ...], groups: Labels
) -> NDArray[np.bool_]:
    """Groups in random order until n1 is met as nearly as can be, drawn again if far from it."""
    nearest = 0
    for draw in range(_DRAWS):
        bits = stream(seed, *key, *again("groups", draw))
        order = np.argsort(bits.random_raw(len(groups)), kind="stable")
        reached = np.cumsum(groups.counts[order])[:-1]
        last = int(np.argmin(np.abs(reached - n1)))
        if abs(int(reached[last]) - n1) * 10 <= max(10, n):
            chosen = np.zeros(len(groups), dtype=bool)
            chosen[order[: last + 1]] = True
            training: NDArray[np.bool_] = chosen[groups.codes]
            return training
        nearest = min(nearest or n, int(reached[last]), key=lambda size: abs(size - n1))
    raise PartitionError(
        f"whole groups come no nearer to n1 = {n1} training records of n = {n} than "
        f"{nearest} in {_DRAWS} draws; the largest of {len(groups)} groups has "
        f"{groups.counts.max()} records. Choose another n1 or smaller groups",
        who=name,
    )
