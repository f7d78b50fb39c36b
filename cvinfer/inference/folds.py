"""Sums within folds for whole batches at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference import checks
from cvinfer.inference.checks import Floats


class FoldSums(NamedTuple):
    """Per fold, shape (..., K): sum, number of records, sum of squares about the fold's mean."""

    sums: Floats
    sizes: Floats
    squares: Floats


def fold_codes(folds: Any, shape: tuple[int, ...]) -> tuple[NDArray[np.intp], int]:
    """Fold numbers as 0..K-1, broadcast to the `shape` (..., n) of the values, and K.

    Any whole numbers serve as fold numbers.
    """
    n = shape[-1]
    array = checks.floats(folds, "folds")
    if array.ndim < 1 or array.shape[-1] != n:
        raise checks.ShapeError(
            f"folds must give a fold number for each of the {n} records, got shape {array.shape}"
        )
    if (array != np.floor(array)).any():
        raise checks.InputError("folds must be whole numbers")
    labels, codes = np.unique(array, return_inverse=True)
    if labels.size < 2:
        raise checks.InputError(f"folds must name at least 2 folds, got {labels.size}")
    try:
        fitting = np.broadcast_to(codes.reshape(array.shape).astype(np.intp), shape)
    except ValueError:
        raise checks.ShapeError(
            f"folds of shape {array.shape} do not fit losses of shape {shape}"
        ) from None
    return fitting, int(labels.size)


def fold_sums(values: Floats, folds: Any) -> FoldSums:
    """Sums of `values` (..., n) within folds (n,) or (..., n)."""
    n = values.shape[-1]
    codes, k = fold_codes(folds, values.shape)
    batch = values.shape[:-1]
    rows = int(np.prod(batch, dtype=np.int64))
    # One flat bincount over (batch row, fold) replaces a loop over folds or replications.
    flat = (codes.reshape(rows, n) + k * np.arange(rows)[:, None]).ravel()
    sizes = np.bincount(flat, minlength=rows * k).astype(np.float64)
    if (sizes == 0).any():
        raise checks.InputError("every row of folds must use the same set of fold numbers")
    sums = _weighted(flat, values.ravel(), rows * k)
    means = sums / sizes
    deviations = (values.ravel() - means[flat]) ** 2
    squares = _weighted(flat, deviations, rows * k)
    return FoldSums(sums.reshape(*batch, k), sizes.reshape(*batch, k), squares.reshape(*batch, k))


def _weighted(codes: NDArray[np.intp], weights: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(codes, weights=weights, minlength=count), dtype=np.float64)
