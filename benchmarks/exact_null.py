"""Exact nulls: two learners with the same expected error by construction, every test on them.

A class y is a fair coin and x1 to x6 are ±DELTA + N(0, 1), independent given y, the sign that of y.
Learner A sees x1 and x2 only, B x3 and x4, C x5 and x6, and all follow the same rule. Given y the
features are exchangeable, so all learners have the same expected error for every training size:
every rejection is a type I error. The Epsilon population (epsilon.py) is a further exact null.

A replication is one data set with one partition of each scheme that a test declares, drawn by
cvinfer.partitions as in a run. All that the tests need of it are the contingency tables of the
splits (cvci_z: the losses of the records), which are counted without a loop over splits; the
tests themselves are called once for a whole batch of replications.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import epsilon
import numpy as np
from numpy.typing import NDArray

from cvinfer import inference
from cvinfer.inference import Need
from cvinfer.partitions import Partition, make_partition
from cvinfer.planning import own_folds

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.int64]

#: Half the distance of the class means in each feature.
DELTA = 0.75
#: Records of fresh data that a rule is judged by when its true error and F1 are sought.
FRESH = 200
#: How many nearest neighbours of a record are tried before all training records are searched.
NEIGHBOURS = 16
TRAIN, TEST = 1, 2


# --- populations and rules ---------------------------------------------------------------------


class Layout(NamedTuple):
    """All predictions that a partition asks for: prediction p is split[p]'s of record[p].

    `training` has a row for each split, `starts` the number of its first prediction.
    """

    training: Bools
    split: Indices
    record: Indices
    starts: Indices


#: Predicts the class (0 or 1) of all records of a layout, each by the fit of its split.
Predictor = Callable[[Layout], Indices]
#: Makes a predictor of a learner's features (n, 2) and the classes (n,).
Rule = Callable[[Floats, Indices], Predictor]
#: For each learner and each prediction of a layout whether it is wrong.
Outcomes = Callable[[Layout], Bools]


def population(
    generator: np.random.Generator, n: int, delta: float = DELTA, features: int = 6
) -> tuple[Floats, Indices]:
    """Features (n, features) and classes (n,) of n independent records."""
    y = generator.integers(0, 2, n)
    x = generator.normal(size=(n, features)) + delta * (2 * y[:, None] - 1)
    return x, y


#: The columns that A, B and C see.
SEEN = (slice(0, 2), slice(2, 4), slice(4, 6))


def mean_rule(x: Floats, y: Indices) -> Predictor:
    """The class whose training mean is nearer (Euclidean distance)."""

    def predict(layout: Layout) -> Indices:
        return _nearest_center(x, _class_means(layout.training, x, y), layout)

    return predict


def first_records(x: Floats, y: Indices) -> Predictor:
    """The class whose first training record is nearer: a fit that hangs on two records."""

    def predict(layout: Layout) -> Indices:
        of_class = layout.training[None] & (y == np.array([[0], [1]]))[:, None]
        first = of_class.argmax(axis=-1)
        centers = np.where(of_class.any(axis=-1)[..., None], x[first], np.inf)
        return _nearest_center(x, centers, layout)

    return predict


def nearest_neighbour(x: Floats, y: Indices) -> Predictor:
    """The class of the nearest training record (Euclidean distance)."""
    # Column by column: an (n, n, features) array would take most of the time.
    distance = sum((np.subtract.outer(column, column) ** 2 for column in x.T), np.zeros(1))
    np.fill_diagonal(distance, np.inf)
    near = _nearest_first(distance, min(NEIGHBOURS, len(x) - 1))

    def predict(layout: Layout) -> Indices:
        candidates = near[layout.record]
        trained = layout.training[layout.split[:, None], candidates]
        chosen = candidates[np.arange(len(candidates)), trained.argmax(axis=1)]
        far = np.flatnonzero(~trained.any(axis=1))
        allowed = np.where(layout.training[layout.split[far]], distance[layout.record[far]], np.inf)
        chosen[far] = allowed.argmin(axis=1)
        return np.asarray(y[chosen])

    return predict


def _class_means(training: Bools, x: Floats, y: Indices) -> Floats:
    """(2, splits, features); infinity where a class has no training record."""
    weights = training.astype(np.float64)
    means = []
    for code in (0, 1):
        of_class = (y == code).astype(np.float64)
        counts = (weights @ of_class)[:, None]
        sums = weights @ (x * of_class[:, None])
        means.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.inf))
    return np.stack(means)


def _nearest_center(x: Floats, centers: Floats, layout: Layout) -> Indices:
    away = ((x[layout.record] - centers[:, layout.split]) ** 2).sum(axis=-1)
    return (away[1] < away[0]).astype(np.int64)


def _nearest_first(distance: Floats, count: int) -> Indices:
    """The `count` nearest records of each record, nearest first."""
    near = np.argpartition(distance, count - 1, axis=1)[:, :count]
    order = np.argsort(np.take_along_axis(distance, near, axis=1), axis=1)
    return np.take_along_axis(near, order, axis=1)


# --- settings ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A population, a rule and a number of records.

    `role` is "null" for the exact nulls that the tests are judged by, "limit" for an exact null
    beyond what cross-validation can be asked, "difference" where the learners do differ.
    """

    name: str
    title: str
    n: int
    text: str
    role: str = "null"
    rule: Rule | None = None
    seen: tuple[slice, ...] = SEEN[:2]

    @property
    def has_truth(self) -> bool:
        """Whether the intervals of A are measured too; A of a "difference" is one of a "null"."""
        return self.rule is not None and self.role != "difference"

    def draw(self, generator: np.random.Generator) -> tuple[Outcomes, Indices]:
        """A data set: which predictions of each learner are wrong, and the classes."""
        if self.rule is None:
            codes = epsilon.population(generator, 1, self.n)[0]
            wrong = np.stack([codes < 2, codes % 2 == 0])
            return (lambda layout: wrong[:, layout.record]), np.zeros(self.n, dtype=np.int64)
        x, y = population(generator, self.n)
        predictors = [self.rule(x[:, columns], y) for columns in self.seen]
        return (lambda layout: _wrong(predictors, y, layout)), y


def _wrong(predictors: Iterable[Predictor], y: Indices, layout: Layout) -> Bools:
    return np.stack([predict(layout) != y[layout.record] for predict in predictors])


def _gaussian(
    name: str, title: str, n: int, rule: Rule, does: str, sees: str = "x3 and x4", **others: Any
) -> Setting:
    text = (
        f"{n} records, two Gaussian classes (a fair coin; every feature ±{DELTA:g} + N(0, 1),"
        f" independent given the class); A sees x1 and x2, B {sees}; {does}."
    )
    return Setting(name, f"{title}, n = {n}", n, text, rule=rule, **others)


def best_error(features: int, delta: float = DELTA) -> float:
    """Φ(-δ √features), the error of the best rule on so many features."""
    return 0.5 * math.erfc(delta * math.sqrt(features / 2.0))


MEANS = "both predict the class whose training mean is nearer"
NEAREST = "both predict the class of the nearest training record"
FIRST = (
    "both predict the class whose first training record is nearer, so that a fit hangs on two"
    " records"
)
WEAKER = f"x3 only, so that its best error is higher by {best_error(1) - best_error(2):.3f}"

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        _gaussian("mean_rule_200", "mean rule", 200, mean_rule, MEANS),
        _gaussian("mean_rule_40", "mean rule", 40, mean_rule, MEANS),
        _gaussian("nearest_neighbour_200", "1-NN", 200, nearest_neighbour, NEAREST),
        _gaussian("nearest_neighbour_600", "1-NN", 600, nearest_neighbour, NEAREST),
        Setting(
            "epsilon",
            f"Epsilon, n = {epsilon.N}",
            epsilon.N,
            f"{epsilon.N} records with losses that do not depend on the training set: A errs with"
            f" probability {epsilon.EPSILON / 2:g} on the first half of the records and"
            f" {3 * epsilon.EPSILON / 2:g} on the second, B the other way round.",
        ),
        _gaussian("first_records_200", "first records", 200, first_records, FIRST, role="limit"),
        _gaussian(
            "weaker_200",
            "a difference",
            200,
            mean_rule,
            MEANS,
            WEAKER,
            role="difference",
            seen=(SEEN[0], slice(2, 3)),
        ),
    )
}


# --- partitions --------------------------------------------------------------------------------


class Key(NamedTuple):
    """A partition of a replication: a need, and which of a test's equal needs it serves."""

    need: str
    copy: int = 0


def keys_of(needs: Iterable[Need]) -> list[Key]:
    """Where a test needs a scheme twice, each learner has folds of its own."""
    keys: list[Key] = []
    for need in needs:
        keys.append(Key(str(need), sum(key.need == str(need) for key in keys)))
    return keys


def partitions(needs: Mapping[Key, Need], n: int, seed: int) -> dict[Key, Partition]:
    """The partitions of one replication, all from one seed, as in a run."""
    made = {}
    for key, need in needs.items():
        partition = make_partition(need.scheme, n, seed=seed, **need.options)
        made[key] = own_folds(partition, seed) if key.copy else partition
    return made


def layout(partition: Partition) -> Layout:
    """What a partition trains on and predicts."""
    return _leave_one_out(partition.n) if partition.scheme == "loo" else _laid_out(partition)


def _laid_out(partition: Partition) -> Layout:
    roles = np.stack([partition.compact.roles(at) for at in range(len(partition.splits))])
    split, record = np.nonzero(roles == TEST)
    starts = np.searchsorted(split, np.arange(len(roles)))
    return Layout(roles == TRAIN, split, record, starts)


@lru_cache(maxsize=4)
def _leave_one_out(n: int) -> Layout:
    """The same for every seed, and the longest to lay out."""
    return _laid_out(make_partition("loo", n))


# --- replications ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """One partition in a batch of R replications.

    `partition` is the first replication's; all others have its shape and sizes. `tables` holds
    the contingency tables (R, *shape, 4), `confusions` those of A (R, *shape, 4) as TP, FP, FN, TN.
    `losses` (R, 2, n) and `folds` (R, n) are there for K-fold and leave-one-out only.
    """

    partition: Partition
    tables: Floats
    confusions: Floats
    losses: Floats
    folds: Indices

    @property
    def sizes(self) -> Indices:
        return self.partition.sizes[..., 1]

    @property
    def differences(self) -> Floats:
        return (self.tables[..., 1] - self.tables[..., 2]) / self.tables.sum(axis=-1)

    def errors(self, learner: int) -> Floats:
        """Number of errors of A (0) or B (1) in each split."""
        return np.asarray(self.tables[..., 0] + self.tables[..., 1 + learner])

    def rates(self, learner: int) -> Floats:
        return self.errors(learner) / self.tables.sum(axis=-1)


class Counted(NamedTuple):
    """What is kept of one partition of one replication."""

    tables: Floats
    confusions: Floats
    losses: Floats
    folds: Indices


def generator_of(seed: int, setting: str, number: int) -> np.random.Generator:
    """The random numbers of one replication, keyed by what it is: order moves nothing."""
    name = zlib.crc32(setting.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(name, number)))


def replicate(
    setting: Setting, needs: Mapping[Key, Need], numbers: Iterable[int], seed: int
) -> dict[Key, Batch]:
    """The replications with the given numbers, counted for every partition in `needs`."""
    first: dict[Key, Partition] = {}
    counted: dict[Key, list[Counted]] = {key: [] for key in needs}
    for number in numbers:
        generator = generator_of(seed, setting.name, number)
        outcomes, y = setting.draw(generator)
        made = partitions(needs, setting.n, int(generator.integers(2**62)))
        first = first or made
        for key, partition in made.items():
            assert np.array_equal(partition.sizes, first[key].sizes), partition
            counted[key].append(count(outcomes, y, partition))
    return {
        key: Batch(first[key], *(np.stack(part) for part in zip(*each)))
        for key, each in counted.items()
    }


def count(outcomes: Outcomes, y: Indices, partition: Partition) -> Counted:
    """Tables of A and B, confusion matrices of A and (K-fold) record losses on one partition."""
    places = layout(partition)
    wrong = outcomes(places)
    positive = y[places.record] == 1
    tables = _sums(
        [wrong[0] & wrong[1], wrong[0] & ~wrong[1], ~wrong[0] & wrong[1], ~wrong[0] & ~wrong[1]],
        places,
        partition,
    )
    confusions = _sums(
        [positive & ~wrong[0], ~positive & wrong[0], positive & wrong[0], ~positive & ~wrong[0]],
        places,
        partition,
    )
    if partition.scheme not in ("kfold", "loo"):
        return Counted(tables, confusions, np.zeros((2, 0)), np.zeros(0, dtype=np.int64))
    losses = np.empty((2, partition.n))
    losses[:, places.record] = wrong
    folds = np.empty(partition.n, dtype=np.int64)
    folds[places.record] = places.split
    return Counted(tables, confusions, losses, folds)


def _sums(events: list[Bools], places: Layout, partition: Partition) -> Floats:
    """How often each event happens in each split: (*shape, events)."""
    per_split = np.add.reduceat(np.stack(events), places.starts, axis=1, dtype=np.int64)
    return per_split.T.reshape(*partition.shape, len(events)).astype(np.float64)


# --- from counts to the arguments of a test or interval, by the kind of data it declares -------


def _with_sizes(b: list[Batch]) -> tuple[Any, ...]:
    train, test = b[0].partition.sizes.reshape(-1, 2).sum(axis=0)
    return (b[0].differences, int(train), int(test))


ARGUMENTS: Mapping[str, Callable[[list[Batch]], tuple[Any, ...]]] = {
    "differences": lambda b: (b[0].differences,),
    "differences_and_sizes": _with_sizes,
    "differences_and_halves": lambda b: (b[0].differences, b[1].differences.mean(axis=-1)),
    "table": lambda b: (b[0].tables,),
    "tables": lambda b: (b[0].tables,),
    "losses_and_folds": lambda b: (b[0].losses[:, 0], b[0].losses[:, 1], b[0].folds),
    "error_counts": lambda b: (b[0].errors(0), b[0].errors(1), b[0].sizes),
    "error_rates": lambda b: (
        b[0].rates(0).mean(axis=-1),
        b[1].rates(1).mean(axis=-1),
        b[0].partition.n,
    ),
    "fold_error_rates": lambda b: (b[0].rates(0), b[1].rates(1), b[0].sizes, b[1].sizes),
    "record_differences": lambda b: (b[0].differences,),
    "total_error_counts": lambda b: (
        b[0].errors(0).sum(axis=-1),
        b[0].errors(1).sum(axis=-1),
        b[0].partition.n,
    ),
}


def decide(name: str, batches: list[Batch], alpha: float = 0.05) -> Any:
    """The registered test on all replications of the batches, one batch for each of its needs."""
    declared = inference.procedure(name)
    return declared.function(*ARGUMENTS[declared.data](batches), alpha=alpha)


#: Data of an interval for A: its arguments from a batch.
INTERVAL_ARGUMENTS: Mapping[str, Callable[[Batch], tuple[Any, ...]]] = {
    "fold_errors": lambda b: (b.errors(0), b.sizes),
    "total_errors": lambda b: (b.errors(0).sum(axis=-1), b.partition.n),
    "scores": lambda b: (inference.f1_scores(b.confusions),),
}


def true_scores(setting: Setting, size: int, seed: int, error: float) -> dict[str, float]:
    """Mean error and F1 of A trained on `size` records, over fresh training sets and records.

    Training sets are drawn until the standard error of both means is at most `error`.
    """
    assert setting.rule is not None
    places = Layout(
        (np.arange(size + FRESH) < size)[None],
        np.zeros(FRESH, dtype=np.int64),
        np.arange(size, size + FRESH),
        np.zeros(1, dtype=np.int64),
    )
    values: list[list[float]] = []
    while len(values) < 2 or len(values) % 100 or _standard_error(values) > error:
        generator = generator_of(seed, f"truth of {setting.name} from {size}", len(values))
        x, y = population(generator, size + FRESH, features=2)
        guess, truth = setting.rule(x, y)(places), y[size:]
        values.append([score(guess, truth) for score in SCORES.values()])
    return dict(zip(SCORES, np.mean(values, axis=0).tolist()))


def _standard_error(values: list[list[float]]) -> float:
    return float(np.max(np.std(values, axis=0)) / math.sqrt(len(values)))


def _f1(guess: Indices, truth: Indices) -> float:
    """2 TP / (2 TP + FP + FN) for class 1, which a fresh sample always holds."""
    return 2.0 * float(np.sum(guess & truth)) / float(np.sum(guess) + np.sum(truth))


SCORES: Mapping[str, Callable[[Indices, Indices], float]] = {
    "error": lambda guess, truth: float(np.mean(guess != truth)),
    "F1": _f1,
}
