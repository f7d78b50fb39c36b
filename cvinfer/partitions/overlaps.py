"""How far the training sets of a partition overlap, and what random splits would have done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import PartitionError
from .split import HalfSplits

if TYPE_CHECKING:
    from .partition import Partition

__all__ = ["Overlaps", "overlaps_of", "MOST_SPLITS"]

MOST_SPLITS = 5_000
_LARGEST_PRINTED = 20


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Overlaps of the training sets of a partition; `np.asarray(overlaps)` is the matrix.

    matrix: for an m×2 partition the m by m matrix of |S_j ∩ S_j'|, |S_j| on the diagonal; for other
        schemes the matrix over all training sets in the order of the splits.
    ideal: n/4 for an m×2 partition; for other schemes the matrix of n_train · n_train' / n.
    worst: largest |overlap - ideal| over training sets of different replications (for an m×2
        over S_j ∩ S_j', S_j ∩ T_j', T_j ∩ S_j' and T_j ∩ T_j'); None for a single replication.
    random_mean, random_variance: of the overlap of two independent random training sets of these
        sizes, hypergeometric: a b / n and a b (n - a)(n - b) / (n² (n - 1)), averaged over the
        pairs of different replications; None for a single replication.
    random_worst: `worst` of the random m×2 with the same n, m and seed; None for other schemes.
    """

    scheme: str
    n: int
    matrix: NDArray[np.int64]
    ideal: float | NDArray[np.float64]
    worst: float | None
    random_mean: float | None
    random_variance: float | None
    random_worst: float | None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == self.matrix.dtype:
            return self.matrix.copy() if copy else self.matrix
        return self.matrix.astype(dtype)

    def __str__(self) -> str:
        size = len(self.matrix)
        lines = [f"{self.scheme}, n = {self.n}: overlaps of {size} training set(s)"]
        if size <= _LARGEST_PRINTED:
            width = len(str(self.matrix.max()))
            lines += ["  " + " ".join(f"{value:{width}d}" for value in row) for row in self.matrix]
        if isinstance(self.ideal, float):
            lines.append(f"ideal n/4 = {self.ideal:g}")
        if self.worst is None:
            lines.append("one replication only: no overlap between replications")
            return "\n".join(lines)
        lines.append(f"worst deviation between replications: {self.worst:.4g} record(s)")
        lines.append(
            f"random splits of these sizes: mean {self.random_mean:.6g}, "
            f"variance {self.random_variance:.6g}"
        )
        if self.random_worst is not None:
            lines.append(f"worst deviation of a random m×2: {self.random_worst:.4g} record(s)")
        return "\n".join(lines)


def overlaps_of(partition: Partition) -> Overlaps:
    """The overlap report of a partition."""
    splits = partition.compact
    halves = isinstance(splits, HalfSplits)
    count = len(splits) // 2 if isinstance(splits, HalfSplits) else len(splits)
    if count > MOST_SPLITS:
        raise PartitionError(
            f"overlaps: {partition.scheme} has {count} training sets, a matrix is made for at most "
            f"{MOST_SPLITS}; take() fewer replications first"
        )
    trains = splits.in_s if isinstance(splits, HalfSplits) else splits.training()
    # Double precision counts exactly and is many times faster than an integer product.
    indicator = trains.astype(np.float64)
    product = indicator @ indicator.T
    matrix = product.astype(np.int64)
    matrix.setflags(write=False)
    n, sizes = partition.n, indicator.sum(axis=1)
    expected = np.outer(sizes, sizes) / n
    apart = _different_replications(partition, count)
    mean = variance = worst = random_worst = None
    if halves:
        ideal: float | NDArray[np.float64] = n / 4
        s, t = sizes[:, None], sizes[None, :]
        four = np.stack([product, s - product, t - product, n - s - t + product])
        deviation = np.abs(four - n / 4).max(axis=0)
    else:
        expected.setflags(write=False)
        ideal = expected
        deviation = np.abs(product - expected)
    if apart.any():
        rest = np.outer(n - sizes, n - sizes)
        worst = float(deviation[apart].max())
        mean = float(expected[apart].mean())
        variance = float((expected * rest)[apart].mean() / (n * (n - 1)))
        random_worst = _random_worst(partition, worst) if halves else None
    return Overlaps(partition.scheme, n, matrix, ideal, worst, mean, variance, random_worst)


def _different_replications(partition: Partition, count: int) -> NDArray[np.bool_]:
    """Which pairs of training sets come from different replications of the scheme."""
    replications = partition.shape[0] if partition.replicated_by else 1
    replication = np.arange(count) * replications // count
    return np.asarray(replication[:, None] != replication[None, :])


def _random_worst(partition: Partition, own: float) -> float | None:
    from .registry import make_partition

    if partition.scheme == "random_mx2" and not any(
        partition.options.get(option) for option in ("rcp", "stratify", "groups", "replications")
    ):
        return own
    return (
        make_partition("random_mx2", partition.n, m=partition.shape[0], seed=partition.seed)
        .overlaps()
        .worst
    )
