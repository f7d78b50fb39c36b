"""Tests → the schemes they need → splits → the set of distinct fits.

Ten tests on one scheme cost one scheme. Fits are told apart by what they are (data, learner with
all settings, split, seed), so whatever two schemes have in common is fitted once: the first K-fold
of a repeated K-fold, the first hold-out, the blocked 3×2 inside a blocked 5×2.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence

import numpy as np

from cvinfer.data.dataset import Dataset
from cvinfer.documents import JsonObject
from cvinfer.losses.kinds import CODES
from cvinfer.partitions import Partition, Split
from cvinfer.planning.needs import Use, requested, allocate
from cvinfer.spec.model import Spec


@dataclass(frozen=True, slots=True)
class Fit:
    """One learner on split `number` of a partition; `key` is its place in the store."""

    learner: str
    partition: int
    number: int
    split_key: str
    key: str
    seed: int


@dataclass(frozen=True)
class RunPlan:
    """Everything that has to be fitted for one data set, and what it is for.

    wants: what is wanted of each learner's predictions (`cvinfer.losses.kinds.WANTED`), where that
    is more than class codes. It has no part in the keys: a fit is the same with and without.
    """

    dataset: Dataset
    partitions: tuple[Partition, ...]
    uses: tuple[Use, ...]
    interval_uses: tuple[Use, ...]
    fits: tuple[Fit, ...]
    naive: int
    split_keys: tuple[tuple[str, ...], ...]
    needed: tuple[tuple[str, int], ...]
    wants: Mapping[str, str] = field(default_factory=dict)

    def wanted(self, learner: str) -> str:
        """What is wanted of a learner's predictions."""
        return self.wants.get(learner, CODES)

    def fit_keys(self) -> dict[tuple[str, str], str]:
        """(learner, split key) → key in the store."""
        return {(fit.learner, fit.split_key): fit.key for fit in self.fits}


def split_key(n: int, split: Split) -> str:
    """sha256 of a split's records, the same on every platform."""
    train = np.ascontiguousarray(split.train, dtype="<i8")
    test = np.ascontiguousarray(split.test, dtype="<i8")
    digest = hashlib.sha256(f"cvinfer split n={n} train={len(train)} test={len(test)}\n".encode())
    digest.update(train.tobytes())
    digest.update(test.tobytes())
    return digest.hexdigest()


def fit_seed(seed: int, settings: JsonObject, split: str) -> int:
    """A seed below 2³² for one fit, keyed by what it is: order and other learners move nothing."""
    text = json.dumps([seed, settings, split], sort_keys=True, ensure_ascii=False)
    words = np.frombuffer(
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), dtype="<u4"
    )
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=tuple(int(w) for w in words))
    return int(sequence.generate_state(1, np.uint32)[0])


def plan_run(
    spec: Spec,
    dataset: Dataset,
    versions: Optional[Mapping[str, Mapping[str, str]]] = None,
    wants: Optional[Mapping[str, str]] = None,
) -> RunPlan:
    """The distinct fits of a spec on one data set; `versions` by learner go into the keys.

    wants: as a `RunPlan` has them.
    """
    partitions, uses, interval_uses = allocate(spec, dataset, requested(spec, dataset))
    keys = tuple(
        tuple(split_key(dataset.n, s) for s in partition.splits) for partition in partitions
    )
    needed = _needed(spec, uses, interval_uses)
    fits = _fits(spec, dataset, keys, needed, versions or {})
    naive = sum(
        use.naive for learner in spec.learners for use in _uses_of(spec, learner, uses)
    ) + len(spec.learners) * sum(use.naive for use in interval_uses)
    found = tuple(partitions), tuple(uses), tuple(interval_uses)
    return RunPlan(dataset, *found, fits, naive, keys, needed, dict(wants or {}))


def _uses_of(spec: Spec, learner: str, uses: Sequence[Use]) -> Sequence[Use]:
    """The tests that a learner takes part in."""
    return uses if any(learner in pair for pair in spec.pairs) else ()


def _needed(
    spec: Spec, uses: Sequence[Use], interval_uses: Sequence[Use]
) -> tuple[tuple[str, int], ...]:
    """(learner, partition) to be fitted: those compared for tests, all learners for intervals."""
    return tuple(
        (learner, index)
        for learner in spec.learners
        for index in sorted(
            {i for use in (*_uses_of(spec, learner, uses), *interval_uses) for i in use.partitions}
        )
    )


def _fits(
    spec: Spec,
    dataset: Dataset,
    keys: Sequence[Sequence[str]],
    needed: Sequence[tuple[str, int]],
    versions: Mapping[str, Mapping[str, str]],
) -> tuple[Fit, ...]:
    fits: dict[tuple[str, str], Fit] = {}
    settings = {name: learner.settings() for name, learner in spec.learners.items()}
    for name, index in needed:
        for number, split in enumerate(keys[index]):
            if (name, split) not in fits:
                seed = fit_seed(spec.seed, settings[name], split)
                content = {
                    "data": dataset.sha256,
                    "impute": dataset.impute,
                    "learner": settings[name],
                    "split": split,
                    "seed": seed,
                    "versions": dict(versions.get(name, {})),
                }
                text = json.dumps(content, sort_keys=True, ensure_ascii=False)
                key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
                fits[name, split] = Fit(name, index, number, split, key, seed)
    return tuple(fits.values())
