"""The Epsilon population: 14 tests on losses that are drawn once per record.

Losses of A and B on n records: on the first half A errs with probability ε/2 and B with 3ε/2, on
the second half the other way round, so both have error rate ε and every rejection is a type I
error. Losses do not depend on the training set; splits only select records, so they are shuffled.

`study` runs many replications at once on arrays; `plain_loop` runs one replication at a time
through real partitions and `compare_losses`, as one would without the batch axes.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from cvinfer import inference, partitions
from cvinfer.data.populations import outcomes

Codes = NDArray[np.int8]

N = 300
EPSILON = 0.1
CHUNK = 1000

#: The 14 tests with the data of the study that each one takes.
TESTS: Mapping[str, str] = {
    "repeated_holdout_t": "holdouts",
    "kfold_t": "folds",
    "dietterich_5x2_t": "random_halves",
    "corrected_repeated_holdout_t": "small_holdouts",
    "corrected_repeated_kfold_t": "repeated_folds",
    "combined_5x2_t": "random_halves",
    "blocked_3x2_t": "blocked_3x2",
    "combined_5x2_f": "random_halves",
    "calibrated_5x2_bcv_f": "blocked_5x2",
    "proportion_z": "holdout",
    "cvci_z": "records",
    "holdout_mcnemar": "holdout",
    "naive_kfold_mcnemar": "folds",
    "bcv_5x2_mcnemar": "blocked_5x2",
}
CORRECTED = ("holdout_mcnemar", "naive_kfold_mcnemar", "bcv_5x2_mcnemar")


def population(
    generator: np.random.Generator, replications: int, n: int = N, epsilon: float = EPSILON
) -> Codes:
    """Outcome of each record: 0 both wrong, 1 only A wrong, 2 only B wrong, 3 both right."""
    return outcomes("epsilon", replications, n, generator, epsilon=epsilon)


def study(
    replications: int,
    seed: int = 0,
    continuity: str = "printed",
    alpha: float = 0.05,
    chunk: int = CHUNK,
) -> dict[str, NDArray[np.bool_]]:
    """Decision of every test in every replication, a chunk of replications at a time."""
    decisions: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in TESTS}
    for generator, size in _chunks(replications, seed, chunk):
        for name, result in run(population(generator, size), generator, continuity, alpha).items():
            decisions[name].append(np.atleast_1d(result.reject))
    return {name: np.concatenate(parts) for name, parts in decisions.items()}


def run(
    codes: Codes, generator: np.random.Generator, continuity: str = "printed", alpha: float = 0.05
) -> dict[str, Any]:
    """All 14 tests on a batch of replications, (replications, n) outcomes."""
    data = tables(codes, generator)
    results = {}
    for name, kind in TESTS.items():
        options: dict[str, Any] = {"alpha": alpha}
        if name in CORRECTED:
            options["continuity"] = continuity
        results[name] = inference.infer(name, *arguments(name, data[kind]), **options)
    return results


def arguments(name: str, table: NDArray[Any]) -> tuple[Any, ...]:
    """What a test is called with, from the tables (or the shuffled records) of its scheme."""
    if name == "cvci_z":
        k = 10
        folds = np.repeat(np.arange(k), partitions.kfold(table.shape[-1], k).sizes[:, 1])
        return (table < 2, table % 2 == 0, folds)
    if name in CORRECTED or name == "proportion_z":
        return (table,)
    total = table.sum(axis=-1, dtype=np.float64)
    d = (table[..., 1] - table[..., 2]) / total
    if name.startswith("corrected"):
        test = int(total.flat[0])
        return (d, N - test, test)
    return (d,)


def tables(codes: Codes, generator: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Contingency tables of every scheme; what S1 shares is shared here too."""
    n = codes.shape[-1]
    folds = shuffled(codes, 10, generator)
    repeated = count(folds, partitions.kfold(n, 10).sizes[:, 1])
    two_thirds = partitions.holdout(n).sizes[1]
    holdouts = count(shuffled(codes, 15, generator)[..., : int(two_thirds)], [int(two_thirds)])
    tenth = n // 10
    small = count(shuffled(codes, 15, generator)[..., :tenth], [tenth])
    halves = count(shuffled(codes, 5, generator), [n // 2, n - n // 2])
    return {
        "records": folds[:, 0],
        "folds": repeated[:, 0],
        "repeated_folds": repeated,
        "holdouts": holdouts[:, :, 0],
        "holdout": holdouts[:, 0, 0],
        "small_holdouts": small[:, :, 0],
        "random_halves": halves,
        "blocked_3x2": blocked(codes, 3, generator),
        "blocked_5x2": blocked(codes, 5, generator),
    }


def shuffled(codes: Codes, times: int, generator: np.random.Generator) -> Codes:
    """`times` independent shuffles of the records of each replication."""
    copies = np.repeat(codes[:, None, :], times, axis=1)
    return generator.permuted(copies, axis=-1, out=copies)


def count(codes: Codes, sizes: Any) -> NDArray[np.int32]:
    """Tables of consecutive runs of records with the given sizes: (..., len(sizes), 4)."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    # Both bits and their product are enough: 11 = both, the others by subtraction.
    right_a, right_b = codes >> 1, codes & 1
    both = np.add.reduceat(right_a & right_b, starts, axis=-1, dtype=np.int32)
    a = np.add.reduceat(right_a, starts, axis=-1, dtype=np.int32)
    b = np.add.reduceat(right_b, starts, axis=-1, dtype=np.int32)
    total = np.asarray(sizes, dtype=np.int32)
    return np.stack([total - a - b + both, b - both, a - both, both], axis=-1)


def blocked(codes: Codes, m: int, generator: np.random.Generator) -> NDArray[Any]:
    """Tables of a blocked m×2 on freshly shuffled records: (replications, m, 2, 4)."""
    partition = partitions.blocked_mx2(codes.shape[-1], m)
    assert partition.blocks is not None
    sizes = np.bincount(partition.blocks)[1:]
    first = np.array([np.flatnonzero(partition.blocks == b + 1)[0] for b in range(len(sizes))])
    members = np.array([np.isin(first, s.test) for s in partition.splits], dtype=np.float64)
    per_block = count(shuffled(codes, 1, generator)[:, 0], sizes)
    return (members @ per_block).reshape(-1, m, 2, 4)


def plain_loop(
    replications: int, seed: int = 0, continuity: str = "printed", alpha: float = 0.05
) -> dict[str, NDArray[np.bool_]]:
    """The same study, one replication at a time through real partitions."""
    decisions: dict[str, list[bool]] = {name: [] for name in TESTS}
    generator = np.random.default_rng(np.random.SeedSequence(seed))
    for replication in range(replications):
        codes = population(generator, 1)[0]
        loss_a, loss_b = (codes < 2).astype(float), (codes % 2 == 0).astype(float)
        partitions = _partitions(int(generator.integers(2**62)))
        for name, kind in TESTS.items():
            partition = partitions[kind]
            options: dict[str, Any] = {"alpha": alpha}
            if name in CORRECTED:
                options["continuity"] = continuity
            a = [loss_a[split.test] for split in partition.splits]
            b = [loss_b[split.test] for split in partition.splits]
            result = inference.compare_losses(name, partition, a, b, **options)
            decisions[name].append(bool(result.reject))
    return {name: np.array(values) for name, values in decisions.items()}


def _partitions(seed: int) -> dict[str, partitions.Partition]:
    repeated = partitions.repeated_kfold(N, seed=seed)
    folds = partitions.kfold(N, seed=seed)
    return {
        "records": folds,
        "folds": folds,
        "repeated_folds": repeated,
        "holdouts": partitions.repeated_holdout(N, seed=seed),
        "holdout": partitions.holdout(N, seed=seed),
        "small_holdouts": partitions.repeated_holdout(N, n1=9 * N // 10, seed=seed),
        "random_halves": partitions.random_mx2(N, seed=seed),
        "blocked_3x2": partitions.blocked_mx2(N, m=3, seed=seed),
        "blocked_5x2": partitions.blocked_mx2(N, m=5, seed=seed),
    }


def _chunks(replications: int, seed: int, chunk: int) -> Iterator[tuple[np.random.Generator, int]]:
    """A keyed generator and a size for each chunk, so that memory does not grow."""
    for number, start in enumerate(range(0, replications, chunk)):
        keyed = np.random.SeedSequence(seed, spawn_key=(number,))
        yield np.random.default_rng(keyed), min(chunk, replications - start)
