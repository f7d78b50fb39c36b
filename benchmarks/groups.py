"""How often tests reject two equally good learners when the records of a group are alike.

A sees the features x1, x2 and B sees x3, x4 of a law that does not change when these pairs change
places, so both have the same error rate. 40 groups of 5 records, one class for each group; `share`
is the part of a feature's variance that all records of a group have in common. Once groups may be
cut, once they are kept together. docs/groups.md shows the figures; they take half an hour.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.inference import compare
from cvinfer.partitions import Partition, make_partition

GROUPS, SIZE, SHIFT = 40, 5, 0.5
SHARES = (0.0, 0.5, 0.9)
TESTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bcv_5x2_mcnemar": ("blocked_mx2", {"m": 5}),
    "calibrated_5x2_bcv_f": ("blocked_mx2", {"m": 5}),
    "blocked_3x2_t": ("blocked_mx2", {"m": 3}),
    "corrected_repeated_kfold_t": ("repeated_kfold", {"r": 10, "k": 10}),
    "corrected_repeated_holdout_t": ("repeated_holdout", {"j": 15, "n1": Fraction(9, 10)}),
    "kfold_t": ("kfold", {"k": 10}),
    "cvci_z": ("kfold", {"k": 10}),
    "holdout_mcnemar": ("holdout", {}),
}

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Learner = Callable[[Codes, Codes], Codes]


def draw(rng: np.random.Generator, share: float) -> tuple[Floats, Codes, Codes]:
    """Features, classes and groups of one data set."""
    groups = np.repeat(np.arange(GROUPS), SIZE)
    target = groups % 2
    common = rng.normal(size=(GROUPS, 4))[groups]
    own = rng.normal(size=(len(groups), 4))
    x = np.sqrt(share) * common + np.sqrt(1 - share) * own + SHIFT * target[:, None]
    return x, target, groups


def nearest_mean(x: Floats, y: Codes) -> Learner:
    def predict(train: Codes, test: Codes) -> Codes:
        means = [x[train[y[train] == label]].mean(axis=0) for label in (0, 1)]
        far = [((x[test] - mean) ** 2).sum(axis=1) for mean in means]
        return (far[1] < far[0]).astype(np.int64)

    return predict


def nearest_neighbour(x: Floats, y: Codes) -> Learner:
    far = ((x[:, None] - x[None]) ** 2).sum(axis=-1)

    def predict(train: Codes, test: Codes) -> Codes:
        return np.asarray(y[train[far[np.ix_(test, train)].argmin(axis=1)]])

    return predict


RULES = {"mean rule": nearest_mean, "1-NN": nearest_neighbour}


def rejections(rule: str, share: float, kept: bool, count: int) -> dict[str, float]:
    """The share of data sets on which each test rejects at 5 %, and the error rate of A."""
    found = dict.fromkeys(("error", *TESTS), 0.0)
    for number in range(count):
        x, y, groups = draw(np.random.default_rng([number, int(100 * share)]), share)
        a, b = (RULES[rule](x[:, pair], y) for pair in (slice(0, 2), slice(2, 4)))
        made: dict[str, tuple[Partition, list[Codes], list[Codes]]] = {}
        for test, (scheme, options) in TESTS.items():
            text = f"{scheme} {options}"
            if text not in made:
                keep = groups if kept else None
                partition = make_partition(scheme, len(y), seed=number, groups=keep, **options)
                of_a, of_b = ([each(s.train, s.test) for s in partition.splits] for each in (a, b))
                made[text] = partition, of_a, of_b
            result = compare(test, made[text][0], y, *made[text][1:])
            found[test] += bool(result.reject) / count
            if test == "kfold_t":
                found["error"] += float(result.extra["loss_a"]) / count
    return found


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=400)
    count = parser.parse_args(arguments).replications
    print(
        f"{count} data sets each; Monte Carlo standard error at 5 %: {(0.0475 / count) ** 0.5:.3f}"
    )
    print("| rule, share in common, groups | " + " | ".join(("error", *TESTS)) + " |")
    print("|---" * (2 + len(TESTS)) + "|")
    for rule in RULES:
        for share in SHARES:
            for kept in (False, True):
                rates = rejections(rule, share, kept, count)
                cells = " | ".join(f"{rate:.3f}" for rate in rates.values())
                print(f"| {rule}, {share:g}, {'kept' if kept else 'cut'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
