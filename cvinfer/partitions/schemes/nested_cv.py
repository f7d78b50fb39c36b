"""Repeated K-folds with a cross-validation inside the training set of each fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import seed_of, whole
from ..deals import deal_each
from ..errors import PartitionError
from ..partition import Partition
from ..registry import scheme
from ..split import TEST, RoleSplits
from ..told import Misfit, Told
from .kfold import checked_folds, fold_numbers

__all__ = ["nested_cv"]

_NAME = "nested_cv"
#: Fewer folds, and nothing is left to train on without two of them.
_LEAST = 3


def _roles(folds: NDArray[np.int64], k: int) -> NDArray[np.uint8]:
    """(R·K·K, n): split (r, i, j) tests fold j of replication r and trains on all but i and j."""
    numbers = np.arange(k)
    tested = folds[:, None, None, :] == numbers[:, None]
    left_out = folds[:, None, None, :] == numbers[:, None, None]
    roles = np.where(tested, 2, np.where(left_out, 0, 1)).astype(np.uint8)
    return roles.reshape(-1, folds.shape[1])


def _from_roles(told: Told) -> Partition:
    names = [key[0].split("/") for key in told.keys]
    wrong = next((key[0] for key, name in zip(told.keys, names) if len(name) != 2), None)
    if wrong is not None:
        raise Misfit(f"replication {wrong!r} of nested_cv must be repetition/outer fold, as in 3/1")
    r = len(dict.fromkeys(name[0] for name in names))
    k = told.folds_each(_NAME)
    if k < _LEAST or len(told.counts) != r * k:
        raise Misfit(
            f"a repetition of nested_cv has K outer folds of K splits, K at least {_LEAST}"
        )
    tested = (told.roles == TEST).reshape(r, k, k, told.n)
    folds = tested[:, 0].argmax(axis=1)
    if not np.array_equal(told.roles, _roles(folds, k)):
        raise Misfit(
            "split j of outer fold i of nested_cv tests fold j and trains on all records but those"
            " of the folds i and j"
        )
    options = {"r": r, "k": k}
    splits = RoleSplits(_roles(folds, k))
    return Partition(_NAME, told.n, (r, k, k), splits, 0, options, replicated_by="r")


@scheme(
    _NAME,
    sizes=("r", "k", "k"),
    label="{}×{}-fold nested",
    title="{}×{}-fold nested CV",
    from_roles=_from_roles,
    dealt=deal_each,
)
def nested_cv(
    n: int,
    r: int = 10,
    k: int = 5,
    *,
    seed: int = 0,
    stratify: Any = None,
    groups: Any = None,
) -> Partition:
    """R independent K-folds with all K·K splits that leave out two folds or one.

    Split (r, i, j) tests fold j and trains on all records but those of the folds i and j: for i = j
    it is a split of the K-fold, for others one of the cross-validation inside the training set of
    fold i (Bates, Hastie and Tibshirani 2024). The folds are those of `repeated_kfold`.
    """
    n, k, classes, together = checked_folds(_NAME, n, k, stratify, groups)
    if k < _LEAST:
        raise PartitionError(
            f"k = {k}: without two of the folds nothing is left to train on; use at least {_LEAST}",
            ("k",),
            who=_NAME,
        )
    r, seed = whole(_NAME, "r", r, 1), seed_of(_NAME, seed)
    folds = np.stack([fold_numbers(n, k, i, seed, classes, together) for i in range(r)])
    options = {"r": r, "k": k, "stratify": classes is not None, "groups": together is not None}
    splits = RoleSplits(_roles(folds, k))
    return Partition(_NAME, n, (r, k, k), splits, seed, options, replicated_by="r")
