"""Measure how often tests on values of splits reject true hypotheses by AUC, F1 and log loss.

    .venv/bin/python benchmarks/measure_rates.py --replications 1000

The populations are the exact nulls of exact_null.py: A sees x1 and x2, B x3 and x4, which are
exchangeable given the class, and both learn by the same rule, so that every measure has the same
expectation for both. In the differences B sees x3 alone. Three learners that give probabilities, on
100, 300 and 1,000 records; every t and F test that takes one value a split, with its defaults on
the partitions it declares. Counts go into cvinfer/inference/measure_rates.json, which docs/tests.md
and the choice of the recommended test read. About ten minutes of computing for 1,000 replications.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

import exact_null
import numpy as np
from exact_null import DELTA, SEEN, Bools, Floats, Indices, Key, Layout
from numpy.typing import NDArray

from cvinfer import inference
from cvinfer.inference import Procedure
from cvinfer.losses.log_loss import NEAREST
from cvinfer.partitions import Partition

OUTPUT = Path(__file__).resolve().parent.parent / "cvinfer" / "inference" / "measure_rates.json"
ALPHA = 0.05
BATCH = 100
SIZES = (100, 300, 1000)
#: Neighbours that vote, and how many are looked at before all training records are.
VOTES, LOOKED_AT = 5, 32
#: Values of one split for each measure; better where higher, but for log loss.
MEASURES = ("auc", "f1", "log_loss")

#: Probability of class 1 for each prediction of a layout, by the fit of its split.
Learner = Callable[[Floats, Indices, Layout], Floats]


# --- learners -------------------------------------------------------------------------------------


def naive_bayes(x: Floats, y: Indices, layout: Layout) -> Floats:
    """Gaussian naive Bayes with the variance of each class."""
    weights = layout.training.astype(np.float64)
    logs = []
    for code in (0, 1):
        own = (y == code).astype(np.float64)
        count = (weights @ own)[:, None]
        mean = weights @ (x * own[:, None]) / count
        square = weights @ (x**2 * own[:, None]) / count
        variance = np.maximum(square - mean**2, 1e-9)
        away = (x[layout.record] - mean[layout.split]) ** 2 / variance[layout.split]
        density = -0.5 * (away + np.log(variance)[layout.split]).sum(axis=1)
        logs.append(density + np.log(count[layout.split, 0]))
    return _sigmoid(logs[1] - logs[0])


def discriminant(x: Floats, y: Indices, layout: Layout) -> Floats:
    """Linear discriminant analysis: one covariance matrix for both classes."""
    weights = layout.training.astype(np.float64)
    features = x.shape[1]
    means, counts = [], []
    scatter = np.einsum("sn,ni,nj->sij", weights, x, x)
    for code in (0, 1):
        own = (y == code).astype(np.float64)
        count = weights @ own
        mean = weights @ (x * own[:, None]) / count[:, None]
        scatter -= count[:, None, None] * mean[:, :, None] * mean[:, None, :]
        means.append(mean)
        counts.append(count)
    covariance = scatter / (counts[0] + counts[1])[:, None, None] + 1e-9 * np.eye(features)
    slope = np.linalg.solve(covariance, (means[1] - means[0])[..., None])[..., 0]
    middle = (slope * (means[0] + means[1])).sum(axis=1) / 2 - np.log(counts[1] / counts[0])
    score = (x[layout.record] * slope[layout.split]).sum(axis=1) - middle[layout.split]
    return _sigmoid(score)


def neighbours(x: Floats, y: Indices, layout: Layout) -> Floats:
    """The share of class 1 among the nearest training records (Euclidean distance)."""
    distance = sum((np.subtract.outer(column, column) ** 2 for column in x.T), np.zeros(1))
    np.fill_diagonal(distance, np.inf)
    near = exact_null._nearest_first(distance, min(LOOKED_AT, len(x) - 1))
    candidates = near[layout.record]
    trained = layout.training[layout.split[:, None], candidates]
    rank = trained.cumsum(axis=1)
    share = (y[candidates] * (trained & (rank <= VOTES))).sum(axis=1) / VOTES
    for at in np.flatnonzero(rank[:, -1] < VOTES):
        allowed = np.flatnonzero(layout.training[layout.split[at]])
        nearest = np.argsort(distance[layout.record[at], allowed], kind="stable")[:VOTES]
        share[at] = y[allowed[nearest]].mean()
    return np.asarray(share)


def _sigmoid(score: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(score, -700, 700))))


LEARNERS: Mapping[str, tuple[str, Learner]] = {
    "naive_bayes": ("naive Bayes", naive_bayes),
    "discriminant": ("linear discriminant", discriminant),
    "neighbours": ("5-NN", neighbours),
}


# --- measures -------------------------------------------------------------------------------------


def values(probability: Floats, y: Indices, layout: Layout) -> Floats:
    """(measures, splits): AUC, F1 of class 1 and log loss; NaN where a split has none."""
    truth = y[layout.record]
    said = probability > 0.5
    found, wrong = _sum(said & (truth == 1), layout), _sum(said != (truth == 1), layout)
    right = np.where(truth == 1, probability, 1.0 - probability)
    cost = -np.log(np.clip(right, NEAREST, 1.0 - NEAREST))
    size = np.diff(np.append(layout.starts, len(truth)))
    with np.errstate(invalid="ignore", divide="ignore"):
        f1 = 2 * found / (2 * found + wrong)
    return np.stack([_areas(probability, truth, layout, size), f1, _sum(cost, layout) / size])


def _areas(probability: Floats, truth: Indices, layout: Layout, size: Indices) -> Floats:
    """AUC of each split by the mean ranks of class 1, equal probabilities sharing theirs."""
    order = np.lexsort((probability, layout.split))
    sorted_p, split = probability[order], layout.split[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_p[1:] != sorted_p[:-1]) | (split[1:] != split[:-1])
    group = np.cumsum(new) - 1
    place = np.arange(len(order)) - layout.starts[split] + 1.0
    rank = (np.bincount(group, place) / np.bincount(group))[group]
    positive = truth[order] == 1
    count = np.bincount(split, positive, len(size))
    ranks = np.bincount(split, rank * positive, len(size))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((ranks - count * (count + 1) / 2) / (count * (size - count)))


def _sum(of_predictions: NDArray[Any], layout: Layout) -> Floats:
    return np.asarray(np.add.reduceat(of_predictions.astype(np.float64), layout.starts))


# --- settings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A learner on so many records; `role` is "null", or "difference" where B sees x3 alone."""

    learner: str
    n: int
    role: str = "null"

    @property
    def name(self) -> str:
        return f"{self.learner}_{self.n}{'' if self.role == 'null' else '_difference'}"

    @property
    def text(self) -> str:
        sees = "x3 and x4" if self.role == "null" else "x3 alone"
        return (
            f"{self.n} records, two Gaussian classes (a fair coin; every feature ±{DELTA:g} +"
            f" N(0, 1), independent given the class); A sees x1 and x2, B {sees}; both are"
            f" {LEARNERS[self.learner][0]}."
        )


SETTINGS = [Setting(learner, n) for n in SIZES for learner in LEARNERS]
SETTINGS += [Setting(learner, 300, "difference") for learner in LEARNERS]


def measured_tests() -> dict[str, Procedure]:
    """The t and F tests that take one value a split, of one partition."""
    return {
        name: declared
        for name, declared in inference.tests().items()
        if declared.data in ("differences", "differences_and_sizes") and len(declared.needs) == 1
    }


def together(partitions: Sequence[Partition]) -> tuple[Layout, list[slice]]:
    """One layout of the splits of all partitions, and where those of each are."""
    each = [exact_null.layout(partition) for partition in partitions]
    splits = np.cumsum([0, *(len(one.training) for one in each)])
    places = np.cumsum([0, *(len(one.record) for one in each)])
    layout = Layout(
        np.concatenate([one.training for one in each]),
        np.concatenate([one.split + first for one, first in zip(each, splits)]),
        np.concatenate([one.record for one in each]),
        np.concatenate([one.starts + first for one, first in zip(each, places)]),
    )
    return layout, [slice(a, b) for a, b in zip(splits[:-1], splits[1:])]


def replicate(
    setting: Setting, keys: Sequence[Key], numbers: Iterable[int], seed: int
) -> tuple[dict[Key, Floats], dict[Key, Partition]]:
    """d of each partition, (measures, replications, *shape); NaN where a measure has no value."""
    needs = {key: need for each in measured_tests().values() for key, need in _keys(each)}
    needs = {key: needs[key] for key in keys}
    found: dict[Key, list[Floats]] = {key: [] for key in keys}
    first: dict[Key, Partition] = {}
    learner = LEARNERS[setting.learner][1]
    seen = (SEEN[0], SEEN[1] if setting.role == "null" else slice(2, 3))
    sign = np.array([1.0, 1.0, -1.0])[:, None]
    for number in numbers:
        generator = exact_null.generator_of(seed, setting.name, number)
        x, y = exact_null.population(generator, setting.n)
        made = exact_null.partitions(needs, setting.n, int(generator.integers(2**62)))
        first = first or made
        layout, where = together(list(made.values()))
        a, b = (values(learner(x[:, columns], y, layout), y, layout) for columns in seen)
        # Positive: A is worse. Of AUC and F1 more is better, of log loss less.
        d = sign * (b - a)
        for (key, partition), at in zip(made.items(), where):
            found[key].append(d[:, at].reshape(len(MEASURES), *partition.shape))
    return {key: np.stack(each, axis=1) for key, each in found.items()}, first


def _keys(declared: Procedure) -> list[tuple[Key, Any]]:
    return list(zip(exact_null.keys_of(declared.needs), declared.needs))


def measure(setting: Setting, numbers: range, seed: int) -> dict[str, Any]:
    """Counts of each measure and test; `none` counts replications without a value in some split."""
    tests = measured_tests()
    keys = list(dict.fromkeys(key for each in tests.values() for key, _ in _keys(each)))
    d, first = replicate(setting, keys, numbers, seed)
    found: dict[str, Any] = {}
    for name, declared in tests.items():
        ((key, _),) = _keys(declared)
        more: tuple[int, ...] = ()
        if declared.data == "differences_and_sizes":
            train, test = first[key].sizes.reshape(-1, 2).sum(axis=0)
            more = (int(train), int(test))
        for at, measure_name in enumerate(MEASURES):
            each = d[key][at]
            there: Bools = np.isfinite(each.reshape(len(each), -1)).all(axis=1)
            result = declared.function(each[there], *more, alpha=ALPHA)
            found.setdefault(measure_name, {}).setdefault(name, {})[setting.name] = {
                "rejected": int(np.sum(result.reject)),
                "degenerate": int(np.sum(result.degenerate)),
                "replications": int(there.sum()),
                "none": int((~there).sum()),
            }
    return found


def added(old: Any, new: Any) -> Any:
    """Counts of two pieces added up, entry by entry."""
    if isinstance(new, Mapping):
        both = {**(old or {})}
        both.update({key: added(both.get(key), value) for key, value in new.items()})
        return both
    return new if old is None else old + new


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Error rates by measure.")
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args(arguments)
    counts: Any = {}
    for done, setting in enumerate(SETTINGS, 1):
        for start in range(0, given.replications, BATCH):
            numbers = range(start, min(start + BATCH, given.replications))
            counts = added(counts, measure(setting, numbers, given.seed))
        print(setting.name, file=sys.stderr, flush=True)
        document = written(counts, SETTINGS[:done], given.seed)
        text = json.dumps(document, indent=1, sort_keys=True) + "\n"
        given.output.write_text(text, encoding="utf-8")
    return 0


def written(counts: Any, settings: Sequence[Setting], seed: int) -> dict[str, Any]:
    """The document of these settings."""
    about = {
        each.name: {
            "title": f"{LEARNERS[each.learner][0]}, n = {each.n}",
            "text": each.text,
            "role": each.role,
        }
        for each in settings
    }
    return {"alpha": ALPHA, "seed": seed, "measures": counts, "settings": about}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
