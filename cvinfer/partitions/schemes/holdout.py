"""One hold-out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..checks import seed_of
from ..deals import one_deal
from ..partition import Partition
from ..registry import scheme
from ..split import TRAIN, RoleSplits
from ..told import Misfit, Told
from .repeated_holdout import checked_holdout, held_out, holdout_roles

__all__ = ["holdout"]


def _label(partition: Partition) -> str:
    return f"hold-out, {held_out(partition)}"


def _from_roles(told: Told) -> Partition:
    roles = told.roles
    if len(roles) != 1:
        raise Misfit(f"a holdout is one split, not {len(roles)}; name it repeated_holdout")
    options = {"n1": int((roles == TRAIN).sum())}
    return Partition("holdout", told.n, (), RoleSplits(roles), 0, options)


@scheme(
    "holdout",
    label=_label,
    title="hold-out, {tested}",
    from_roles=_from_roles,
    dealt=one_deal,
)
def holdout(
    n: int,
    n1: int | float | Fraction | None = None,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """One random split with n1 records for training, round(2n/3) by default.

    It is the first of `repeated_holdout` with the same n1 and seed.
    """
    n, n1, classes, together = checked_holdout("holdout", n, n1, stratify, groups)
    seed = seed_of("holdout", seed)
    roles = holdout_roles("holdout", n, n1, 0, seed, classes, together)
    options = {"n1": n1, "stratify": classes is not None, "groups": together is not None}
    return Partition("holdout", n, (), RoleSplits(roles[None]), seed, options)
