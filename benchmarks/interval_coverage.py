"""How often the intervals hold the truth: the difference of error rates, and F1.

Two kinds of populations. *Fixed outcomes*: whether a record is right for A and for B does not
depend on the training set, records are drawn independently, the truth is that of the population
they come from. Every replication of an m×2 then tests all n records once, so that counts depend on
the sample's totals only and the probability of holding the truth is a finite sum: these figures
are exact. *Learners*: two Gaussian classes with unit variances; a learner is fitted on the training
part of every split. The truth of a difference is the difference of expected error rates after
training on n/2 records, for a hold-out 2n/3 (0 by symmetry, or the mean over all replications); the
truth of F1 is that of the learner fitted on all n records of its own replication, on fresh records.
These figures are simulated, with fixed seeds.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer import inference, partitions

Floats = NDArray[np.float64]

#: Outcomes less likely than this are left out of the finite sums.
NEGLIGIBLE = 1e-13
SIZES = (100, 300, 1000)
DISCORDANCE = (0.05, 0.3)
#: Precision, recall and accuracy of the six cases of the F1 paper (its table 2; r = 0.8 in IV).
CASES = {
    "I": (0.5, 0.5, 0.5),
    "II": (0.6, 0.5, 0.5),
    "III": (0.7, 0.6, 0.6),
    "IV": (0.8, 0.8, 0.7),
    "V": (0.9, 0.8, 0.8),
    "VI": (0.95, 0.95, 0.95),
}
#: Replications by size of the sample and learner: 1-NN takes n² distances.
REPLICATIONS = {"mean rule": {100: 4000, 300: 4000, 1000: 4000}}
REPLICATIONS["1-NN"] = {100: 4000, 300: 2000, 1000: 600}
#: Fresh records, in samples, on which the truth of F1 is measured. The F1 paper takes 5, whose own
#: chance would cost two points of coverage.
FRESH = 50
#: Distance of the class means along each of a learner's two features.
NEAR, FAR = 1.0, 1.5


class Covered(NamedTuple):
    """Share of intervals that hold the truth, its standard error (0 if exact), mean length."""

    share: float
    error: float
    length: float

    def __str__(self) -> str:
        error = f" ± {self.error:.3f}" if self.error else ""
        return f"{self.share:.3f}{error} | {self.length:.3f}"


# --- fixed outcomes: finite sums ----------------------------------------------------------------


def trinomial(n: int, first: float, second: float) -> tuple[Floats, Floats, Floats]:
    """Counts of two outcomes among n records, and the probability of each pair of counts."""
    from scipy import special

    reach = [_reach(n, p) for p in (first, second)]
    b, c = (grid.ravel() for grid in np.meshgrid(*reach, indexing="ij"))
    possible = b + c <= n
    b, c = b[possible], c[possible]
    rest = n - b - c
    logs = special.gammaln(n + 1) - sum(special.gammaln(k + 1) for k in (b, c, rest))
    logs = logs + special.xlogy(b, first) + special.xlogy(c, second)
    chance = np.exp(logs + special.xlogy(rest, 1 - first - second))
    likely = chance > NEGLIGIBLE
    return b[likely], c[likely], chance[likely]


def _reach(n: int, p: float) -> Floats:
    """The counts within nine standard deviations of np."""
    middle, spread = n * p, 9 * math.sqrt(n * p * (1 - p)) + 9
    first, last = max(0, int(middle - spread)), min(n, int(middle + spread))
    return np.arange(first, last + 1, dtype=np.float64)


def expected(ends: Any, truth: float, chance: Floats) -> Covered:
    lower, upper = ends
    held = (lower <= truth) & (truth <= upper)
    total = chance.sum()
    return Covered(
        float((chance * held).sum() / total), 0.0, float((chance * (upper - lower)).sum() / total)
    )


def halves_of(n: int, only_a: Floats, only_b: Floats) -> Floats:
    """5×2 tables of samples with these totals; how they fall to the halves changes nothing."""
    tables = np.zeros((len(only_a), 5, 2, 4))
    tables[:, :, 0, 1:3] = np.stack([only_a // 2, only_b // 2], axis=-1)[:, None]
    tables[:, :, 1, 1:3] = np.stack([-(-only_a // 2), -(-only_b // 2)], axis=-1)[:, None]
    tables[..., 3] = n / 2 - tables[..., 1] - tables[..., 2]
    return tables


def fixed_differences() -> Iterator[tuple[str, ...]]:
    yield ("n", "discordance", "δ", "5×2 BCV", "length", "hold-out n/3", "length")
    for n in SIZES:
        for discordance in DISCORDANCE:
            for delta in (0.0, discordance / 2):
                p_a, p_b = (discordance + delta) / 2, (discordance - delta) / 2
                b, c, chance = trinomial(n, p_a, p_b)
                bcv = inference.infer("bcv_5x2_mcnemar", halves_of(n, b, c))
                test = n // 3
                b, c, at_test = trinomial(test, p_a, p_b)
                table = np.stack([0 * b, b, c, test - b - c], axis=-1)
                holdout = inference.infer("holdout_mcnemar", table)
                cells = [
                    expected(result.interval(), delta, weights)
                    for result, weights in ((bcv, chance), (holdout, at_test))
                ]
                yield (f"{n:,}", f"{discordance}", f"{delta}", *map(str, cells))


def fixed_f1(
    cases: Sequence[str] = tuple(CASES), sizes: Sequence[int] = (50, 200, 1000)
) -> Iterator[tuple[str, ...]]:
    """Average and effective counts of a 3×2 are n/2 and 6n/7 records, the sum of folds is n."""
    head = ("case", "F1", "n", "prior", "3×2 average", "length", "3×2 effective", "length")
    yield (*head, "folds summed", "length")
    for name in cases:
        precision, recall, accuracy = CASES[name]
        truth = 2 * precision * recall / (precision + recall)
        hit = _hits(precision, recall, accuracy)
        for n in sizes:
            tp, wrong, chance = trinomial(n, hit, 1 - accuracy)
            matrix = np.stack([tp, wrong, 0 * wrong, n - tp - wrong], axis=-1)
            for prior in (1.0, 0.5):
                cells = []
                for worth in (1 / 2, 6 / 7, 1.0):
                    found = inference.infer(
                        "f1_beta_prime", worth * matrix, prior=prior, split_axes=0
                    )
                    cells.append(expected((found.lower, found.upper), truth, chance))
                yield (name, f"{truth:.3f}", f"{n:,}", f"{prior:g}", *map(str, cells))


def _hits(precision: float, recall: float, accuracy: float) -> float:
    """P(TP) from precision, recall and accuracy: FP = TP(1/p - 1), FN = TP(1/r - 1)."""
    return (1 - accuracy) / (1 / precision + 1 / recall - 2)


def fixed_micro() -> Iterator[tuple[str, ...]]:
    yield ("accuracy", "n", "beta prime", "length", "Beta (micro)", "length")
    for accuracy in (0.5, 0.8, 0.95):
        for n in (50, 282, 1000):
            right, _, chance = trinomial(n, accuracy, 0.0)
            wrong = n - right
            matrix = np.stack([right, wrong, wrong, 0 * wrong], axis=-1)
            cells = []
            for micro in (False, True):
                found = inference.infer("f1_beta_prime", matrix, split_axes=0, micro=micro)
                cells.append(expected((found.lower, found.upper), accuracy, chance))
            yield (f"{accuracy}", f"{n:,}", *map(str, cells))


# --- learners: simulated ------------------------------------------------------------------------

Learner = Callable[[Floats, Floats, Floats], NDArray[np.bool_]]


def mean_rule(train: Floats, labels: Floats, test: Floats) -> NDArray[np.bool_]:
    """The class with the nearer mean; arrays are (replications, records, features)."""
    share = labels[..., None]
    first = (train * share).sum(axis=1) / share.sum(axis=1)
    other = (train * (1 - share)).sum(axis=1) / (1 - share).sum(axis=1)
    middle = (first + other)[:, None] / 2
    return np.asarray(((test - middle) * (first - other)[:, None]).sum(axis=-1) > 0)


def nearest(train: Floats, labels: Floats, test: Floats) -> NDArray[np.bool_]:
    """The class of the nearest record."""
    # |x - y|² less |x|², which is the same for all y.
    distance = (train**2).sum(axis=-1)[:, None] - 2 * test @ np.swapaxes(train, 1, 2)
    closest = distance.argmin(axis=-1)
    return np.asarray(np.take_along_axis(labels, closest, axis=1) > 0.5)


LEARNERS: dict[str, Learner] = {"mean rule": mean_rule, "1-NN": nearest}


def records(
    generator: np.random.Generator, replications: int, n: int, gaps: Sequence[float]
) -> tuple[Floats, Floats]:
    """Features (replications, n, 2·len(gaps)) and labels, n/2 records of each class."""
    labels = np.tile(np.arange(n) % 2, (replications, 1)).astype(np.float64)
    labels = generator.permuted(labels, axis=-1)
    shift = np.repeat(np.asarray(gaps), 2)
    noise = generator.standard_normal((replications, n, len(shift)))
    return noise + (labels[..., None] - 0.5) * shift, labels


def chunks(
    replications: int, n: int, key: Sequence[int], times: int = 1
) -> Iterator[tuple[Any, int]]:
    """Keyed generators, so that memory stays small and the draws do not depend on the rest."""
    size = max(1, min(500, 4_000_000 // (n * n * times)))
    for number, start in enumerate(range(0, replications, size)):
        keyed = np.random.SeedSequence(2025, spawn_key=(*key, number))
        yield np.random.default_rng(keyed), min(size, replications - start)


def simulated(ends: Any, truth: Any) -> Covered:
    lower, upper = ends
    rate, error = inference.degree_of_confidence(lower, upper, truth)
    return Covered(rate, max(float(error), 1e-9), float(inference.interval_length(lower, upper)))


def learner_differences(scale: float) -> Iterator[tuple[str, ...]]:
    head = ("learner", "n", "error of A", "discordance", "δ", "5×2 BCV", "length")
    yield (*head, "hold-out n/3", "length")
    for which, (name, learner) in enumerate(LEARNERS.items()):
        for n in SIZES:
            partition, once = partitions.blocked_mx2(n, 5), partitions.holdout(n)
            for far, gaps in enumerate(((NEAR, NEAR), (NEAR, FAR))):
                replications = max(50, int(scale * REPLICATIONS[name][n]))
                parts = [
                    tuple(
                        _tables(learner, p.splits, p.shape, *records(generator, size, n, gaps))
                        for p in (partition, once)
                    )
                    for generator, size in chunks(replications, n, (which, n, far))
                ]
                tables, table = (np.concatenate(part) for part in zip(*parts))
                bcv = inference.infer("bcv_5x2_mcnemar", tables)
                holdout = inference.infer("holdout_mcnemar", table)
                discordance = (tables[..., 1] + tables[..., 2]).mean() / (n / 2)
                truths = [float(np.mean(r.estimate)) if far else 0.0 for r in (bcv, holdout)]
                cells = [
                    simulated(result.interval(), truth)
                    for result, truth in zip((bcv, holdout), truths)
                ]
                about = (f"{bcv.extra['loss_a'].mean():.3f}", f"{discordance:.3f}")
                yield (name, f"{n:,}", *about, f"{truths[0]:.4f}", *map(str, cells))


def _tables(
    learner: Learner, splits: Any, shape: tuple[int, ...], x: Floats, labels: Floats
) -> Floats:
    """Contingency tables of A on the first two features and B on the others."""
    found = []
    for split in splits:
        truth = labels[:, split.test] > 0.5
        wrong = [
            learner(
                x[:, split.train, at : at + 2],
                labels[:, split.train],
                x[:, split.test, at : at + 2],
            )
            != truth
            for at in (0, 2)
        ]
        a, b = wrong
        counts = [(a & b).sum(axis=1), (a & ~b).sum(axis=1), (~a & b).sum(axis=1)]
        found.append(np.stack([*counts, truth.shape[1] - sum(counts)], axis=-1))
    return np.stack(found, axis=1).reshape(len(x), *shape, 4)


def learner_f1(scale: float) -> Iterator[tuple[str, ...]]:
    head = ("learner", "n", "F1", "prior", "3×2 average", "length", "3×2 effective", "length")
    yield (*head, "10 folds summed", "length")
    for which, (name, learner) in enumerate(LEARNERS.items()):
        for n in (100, 300):
            halves, folds = partitions.blocked_mx2(n, 3), partitions.kfold(n, 10)
            replications = max(50, int(scale * 2000))
            parts = []
            for generator, size in chunks(replications, n, (9, which, n), FRESH):
                x, labels = records(generator, size, n, (FAR,))
                fresh, classes = records(generator, size, FRESH * n, (FAR,))
                truth = _confusion(learner(x, labels, fresh), classes > 0.5)
                at_splits = [
                    np.stack(
                        [
                            _confusion(
                                learner(x[:, s.train], labels[:, s.train], x[:, s.test]),
                                labels[:, s.test] > 0.5,
                            )
                            for s in partition.splits
                        ],
                        axis=1,
                    ).reshape(size, *partition.shape, 4)
                    for partition in (halves, folds)
                ]
                parts.append((inference.f1_scores(truth), *at_splits))
            truth, six, ten = (np.concatenate(part) for part in zip(*parts))
            for prior in (1.0, 0.5):
                results = [
                    inference.infer("f1_beta_prime", six, prior=prior),
                    inference.infer("f1_beta_prime", six, prior=prior, counts="effective"),
                    inference.infer("f1_beta_prime", ten, prior=prior, scheme="kfold"),
                ]
                cells = [simulated((r.lower, r.upper), truth) for r in results]
                about = (f"{n:,}", f"{truth.mean():.3f}", f"{prior:g}")
                yield (name, *about, *map(str, cells))


def _confusion(predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Floats:
    cells = (predicted & truth, predicted & ~truth, ~predicted & truth, ~predicted & ~truth)
    return np.stack([cell.sum(axis=1) for cell in cells], axis=-1).astype(np.float64)


def show(title: str, rows: Iterator[tuple[str, ...]]) -> None:
    """A Markdown table, row by row as they are known."""
    print(f"\n{title}\n", flush=True)
    for number, row in enumerate(rows):
        print(f"| {' | '.join(row)} |", flush=True)
        if number == 0:
            print("|" + "---|" * len(row), flush=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the replications")
    scale = parser.parse_args(arguments).scale
    show("Difference of error rates, fixed outcomes (exact), 95 %", fixed_differences())
    show("Difference of error rates, learners (simulated), 95 %", learner_differences(scale))
    show("F1, fixed outcomes (exact), 95 %", fixed_f1())
    show("F1, learners (simulated), 95 %", learner_f1(scale))
    show("Micro F1 of single-label data, fixed outcomes (exact), 95 %", fixed_micro())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
