"""From contingency tables to what the tests eat, for batches of replications of one design.

With 0/1 losses a table for each split says all that any test asks: differences are (n01 - n10)/N,
errors of A are n00 + n01, and records of a fold differ in nothing but which of the four cells they
are in. `arguments` makes of the tables of a batch what `cvinfer.inference.records` makes of the
losses of one comparison; a test compares the two. Differences are loss_A - loss_B: positive, A is
worse.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence, cast

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference.checks import Floats, InputError
from cvinfer.inference.registry import Procedure
from cvinfer.inference.takes import VALUES, takes

Tables = NDArray[Any]


class Batch(NamedTuple):
    """The tables (..., *shape, 4) of one partition, all with splits of the same sizes.

    train: training records of each split, in the partition's shape.
    """

    tables: Tables
    train: NDArray[np.int64]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the splits, in what has one value for each of them."""
        return tuple(range(-self.train.ndim, 0))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Test records of each split; the same in the whole batch."""
        first = self.tables[(0,) * (self.tables.ndim - 1 - self.train.ndim)]
        return np.asarray(first.sum(axis=-1), dtype=np.int64)

    @property
    def errors_a(self) -> Floats:
        return np.asarray(self.tables[..., 0] + self.tables[..., 1], dtype=np.float64)

    @property
    def errors_b(self) -> Floats:
        return np.asarray(self.tables[..., 0] + self.tables[..., 2], dtype=np.float64)

    @property
    def differences(self) -> Floats:
        """d = (n01 - n10)/N of each split."""
        apart = self.tables[..., 1].astype(np.float64) - self.tables[..., 2]
        return np.asarray(apart / self.sizes)

    @property
    def disagreements(self) -> Floats:
        """e = (n01 + n10)/N of each split."""
        apart = self.tables[..., 1].astype(np.float64) + self.tables[..., 2]
        return np.asarray(apart / self.sizes)


class Values(NamedTuple):
    """The same of a measure that splits have: d (..., *shape), sizes (*shape) of both parts."""

    differences: Floats
    train: NDArray[np.int64]
    sizes: NDArray[np.int64]


Arguments = tuple[Any, ...]
Adapter = Callable[[Sequence[Batch]], Arguments]


def _over(values: Floats, batch: Batch) -> Floats:
    """Summed over the splits."""
    return np.asarray(values.sum(axis=batch.axes))


def _differences(batches: Sequence[Batch]) -> Arguments:
    return (batches[0].differences,)


def _differences_and_sizes(batches: Sequence[Batch]) -> Arguments:
    first = batches[0]
    return (first.differences, int(first.train.sum()), int(first.sizes.sum()))


def _differences_and_halves(batches: Sequence[Batch]) -> Arguments:
    return (batches[0].differences, batches[1].differences.mean(axis=-1))


def _tables(batches: Sequence[Batch]) -> Arguments:
    return (np.asarray(batches[0].tables, dtype=np.float64),)


def _losses_and_folds(batches: Sequence[Batch]) -> Arguments:
    """Each fold's records in the order both wrong, only A wrong, only B wrong, both right."""
    batch = batches[0]
    sizes = batch.sizes
    # Short numbers: every record of every replication has three of them.
    short = np.int16 if sizes.max(initial=0) < 1 << 15 else np.int64
    last = np.cumsum(batch.tables[..., :3], axis=-1, dtype=np.int64).astype(short)
    folds = np.repeat(np.arange(len(sizes)), sizes)
    within = np.concatenate([np.arange(size, dtype=short) for size in sizes])
    both, only_a, only_b = (last[..., at][..., folds] for at in range(3))
    loss_a = within < only_a
    loss_b = (within < both) | (~loss_a & (within < only_b))
    return (loss_a.astype(np.float64), loss_b.astype(np.float64), folds)


def _error_counts(batches: Sequence[Batch]) -> Arguments:
    batch = batches[0]
    return (batch.errors_a, batch.errors_b, batch.sizes)


def _error_rates(batches: Sequence[Batch]) -> Arguments:
    a, b = batches
    rate_a = (a.errors_a / a.sizes).mean(axis=a.axes)
    rate_b = (b.errors_b / b.sizes).mean(axis=b.axes)
    return (rate_a, rate_b, int(a.sizes.sum()))


def _fold_error_rates(batches: Sequence[Batch]) -> Arguments:
    a, b = batches
    return (a.errors_a / a.sizes, b.errors_b / b.sizes, a.sizes, b.sizes)


def _total_error_counts(batches: Sequence[Batch]) -> Arguments:
    batch = batches[0]
    errors_a, errors_b = _over(batch.errors_a, batch), _over(batch.errors_b, batch)
    return (errors_a, errors_b, int(batch.sizes.sum()))


_ADAPTERS: dict[str, Adapter] = {
    "differences": _differences,
    "differences_and_sizes": _differences_and_sizes,
    "differences_and_halves": _differences_and_halves,
    "table": _tables,
    "tables": _tables,
    "losses_and_folds": _losses_and_folds,
    "error_counts": _error_counts,
    "error_rates": _error_rates,
    "fold_error_rates": _fold_error_rates,
    "record_differences": _differences,
    "total_error_counts": _total_error_counts,
}


def arguments(declared: Procedure, batches: Sequence[Batch]) -> Arguments:
    """What the test is called with; `batches` has one for each partition that it needs."""
    return _ADAPTERS[declared.data](batches)


def arguments_of_values(declared: Procedure, values: Sequence[Values]) -> Arguments:
    """The same for a test that takes one value for each split."""
    if takes(declared) != VALUES:
        raise InputError(f"{declared.name} needs {takes(declared)}")
    return _ADAPTERS[declared.data](cast("Sequence[Batch]", values))


def mean_losses(declared: Procedure, batches: Sequence[Batch]) -> tuple[Floats, Floats]:
    """Mean loss of A and of B over the splits; tests with folds for each take B's from its own."""
    a, b = batches[0], batches[-1] if declared.data in OWN_FOLDS else batches[0]
    return (
        np.asarray((a.errors_a / a.sizes).mean(axis=a.axes)),
        np.asarray((b.errors_b / b.sizes).mean(axis=b.axes)),
    )


#: Kinds of data in which B has folds of its own, the second partition.
OWN_FOLDS = ("error_rates", "fold_error_rates")
