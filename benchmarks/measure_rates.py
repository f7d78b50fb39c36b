"""Measure how often tests on values of splits reject true hypotheses by AUC, F1 and log loss.

    .venv/bin/python benchmarks/measure_rates.py --replications 1000

The populations are the exact nulls of exact_null.py: A sees x1 and x2, B x3 and x4, which are
exchangeable given the class, and both learn by the same rule, so that every measure has the same
expectation for both. In the differences B sees x3 alone. Three learners that give probabilities, on
100, 300 and 1,000 records; every t and F test that takes one value a split, with its defaults on
the partitions it declares. On 1,000 records, and where there is a difference, it is a quarter of
the replications. Then, on 100 records and as many replications as that, how often the intervals
for any measure of one learner hold the truth. Counts go into
cvinfer/inference/measure_rates.json, which docs/tests.md and the choice of the recommended test
read. A setting that the file holds already is not measured again, unless `--again`. About five
minutes of computing for 1,000 replications.
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
    def share(self) -> float:
        """Of the replications: fewer where they are long, or where no level is to be judged."""
        return 0.25 if self.n > 300 or self.role != "null" else 1.0

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


# --- intervals for one learner --------------------------------------------------------------------

#: Records of fresh data on which a fit on all n records is judged, for each replication.
FRESH = 500
COVERED = ("auc", "f1", "log_loss", "error rate")


def coverage(setting: Setting, numbers: range, seed: int) -> dict[str, Any]:
    """How often the intervals for any measure of A hold the truth.

    That is the mean of their values over all these data sets; of nested cross-validation, whose
    estimate is for all n records, the mean loss of fits on n records on fresh ones.
    """
    needs = {
        name: declared.needs if declared.together else declared.needs[:1]
        for name, declared in inference.intervals().items()
        if declared.measure == inference.ANY_MEASURE
    }
    wanted = {
        key: need for each in needs.values() for key, need in zip(exact_null.keys_of(each), each)
    }
    learner = LEARNERS[setting.learner][1]
    ends: dict[str, dict[str, list[Any]]] = {name: {m: [] for m in COVERED} for name in needs}
    truth: dict[str, list[float]] = {measure: [] for measure in COVERED}
    for number in numbers:
        generator = exact_null.generator_of(seed, f"{setting.name} coverage", number)
        x, y = exact_null.population(generator, setting.n + FRESH)
        made = exact_null.partitions(wanted, setting.n, int(generator.integers(2**62)))
        layout, where = together(list(made.values()))
        rows = np.arange(setting.n)
        probability = learner(x[rows][:, SEEN[0]], y[rows], layout)
        found = all_values(probability, y[rows], layout)
        at_all = on_fresh(setting.n)
        fresh = all_values(learner(x[:, SEEN[0]], y, at_all), y, at_all)[:, 0]
        records = record_losses(probability, y[layout.record])
        for at, measure in enumerate(COVERED):
            truth[measure].append(float(fresh[at]))
            for name, each in needs.items():
                keys = exact_null.keys_of(each)
                declared = inference.procedure(name)
                places = [where[list(made).index(key)] for key in keys]
                arguments: list[Any] = [found[at, place] for place in places]
                if declared.data == "nested_losses":
                    if measure not in records:
                        continue
                    arguments = [split_up(records[measure], layout, places[0])]
                else:
                    arguments = [[np.array([v]) for v in column] for column in arguments]
                if not all(np.isfinite(one).all() for column in arguments for one in column):
                    ends[name][measure].append(None)
                    continue
                given = inference.value_arguments(declared, [made[key] for key in keys], arguments)
                one = declared.function(*given, alpha=ALPHA)
                ends[name][measure].append((one.point, one.lower, one.upper))
    return {
        name: {m: covered(name, m, e, truth) for m, e in each.items() if e}
        for name, each in ends.items()
    }


def covered(
    name: str, measure: str, ends: Sequence[Any], truth: Mapping[str, list[float]]
) -> dict[str, Any]:
    """How many of these intervals hold the truth; `none` counts data sets without one."""
    there = np.array([each for each in ends if each is not None])
    nested = inference.procedure(name).data == "nested_losses"
    value = np.mean(truth[measure]) if nested else there[:, 0].mean()
    held = (there[:, 1] <= value) & (value <= there[:, 2])
    return {
        "covered": int(held.sum()),
        "replications": len(there),
        "none": len(ends) - len(there),
        "length": round(float((there[:, 2] - there[:, 1]).mean()), 6),
        "truth": round(float(value), 6),
    }


def on_fresh(n: int) -> Layout:
    """One split that trains on the first n records and tests the fresh ones behind them."""
    training = np.zeros((1, n + FRESH), dtype=bool)
    training[0, :n] = True
    record = np.arange(n, n + FRESH)
    return Layout(training, np.zeros(FRESH, dtype=np.int64), record, np.zeros(1, dtype=np.int64))


def record_losses(probability: Floats, truth: Indices) -> dict[str, Floats]:
    """The losses of predictions, of measures that each record has."""
    right = np.where(truth == 1, probability, 1.0 - probability)
    wrong = ((probability > 0.5) != (truth == 1)).astype(np.float64)
    return {"log_loss": -np.log(np.clip(right, NEAREST, 1.0 - NEAREST)), "error rate": wrong}


def all_values(probability: Floats, y: Indices, layout: Layout) -> Floats:
    """`values`, and the error rate of each split below them."""
    wrong = record_losses(probability, y[layout.record])["error rate"]
    size = np.diff(np.append(layout.starts, len(layout.record)))
    return np.vstack([values(probability, y, layout), _sum(wrong, layout) / size])


def split_up(losses: Floats, layout: Layout, splits: slice) -> list[Floats]:
    """The losses of some of the splits, one array each."""
    ends = np.append(layout.starts, len(losses))
    return [losses[ends[at] : ends[at + 1]] for at in range(splits.start, splits.stop)]


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
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args(arguments)
    counts, known = known_counts(given.output, given.seed, given.again)
    for setting in SETTINGS:
        wanted = int(given.replications * setting.share)
        for start in range(0, 0 if setting.name in known else wanted, BATCH):
            numbers = range(start, min(start + BATCH, wanted))
            counts = added(counts, measure(setting, numbers, given.seed))
        known.add(setting.name)
        print(setting.name, file=sys.stderr, flush=True)
        document = written(counts, [each for each in SETTINGS if each.name in known], given.seed)
        text = json.dumps(document, indent=1, sort_keys=True) + "\n"
        given.output.write_text(text, encoding="utf-8")
    measure_coverage(given)
    return 0


def measure_coverage(given: argparse.Namespace) -> None:
    """Put the coverage of intervals, on the smallest data sets, into the file that is there."""
    document = json.loads(given.output.read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for setting in SETTINGS:
        if setting.n != SIZES[0] or setting.role != "null":
            continue
        numbers = range(given.replications // 4)
        for name, each in coverage(setting, numbers, given.seed).items():
            for measure_name, counts in each.items():
                found.setdefault(name, {}).setdefault(measure_name, {})[setting.name] = counts
        print(f"coverage, {setting.name}", file=sys.stderr, flush=True)
    document["intervals"] = found
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    given.output.write_text(text, encoding="utf-8")


def known_counts(file: Path, seed: int, again: bool) -> tuple[Any, set[str]]:
    """What the file holds of the tests that there are, and the settings that it holds."""
    if again or not file.exists():
        return {}, set()
    document = json.loads(file.read_text(encoding="utf-8"))
    tests = {name for each in document["measures"].values() for name in each}
    if document["seed"] != seed or tests != set(measured_tests()):
        return {}, set()
    return document["measures"], set(document["settings"])


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
