"""How a replication of a study is made: what it is drawn from, and how it is split.

Everything random is keyed by the study's seed and the number of the replication, never by order:
the same replication is the same draw at every grid point, and one more moves nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Mapping, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Column, Dataset
from cvinfer.data.populations import Draw, populations
from cvinfer.partitions import Partition, make_partition
from cvinfer.partitions.streams import permutation, stream
from cvinfer.planning.needs import own_folds

Indices = NDArray[np.int64]

#: Losses that are drawn and not fitted come so many replications at a time, whichever are wanted.
GRANULE = 1024
#: Where fewer than this share of the records is drawn, they are drawn one by one.
SPARSE = 0.25


class Law(NamedTuple):
    """A synthetic population with its parameters."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Truth:
    """On which records a learner that is trained on all that was drawn shows what it is worth.

    fresh: so many records besides those drawn; None for all other records of the population.
    """

    fresh: Optional[int] = None


@dataclass(frozen=True)
class Scheme:
    """A partition scheme with its options as a `Partition` has them."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def made(self, drawn: Dataset, seed: int) -> Partition:
        """The partition of a drawn data set."""
        options = dict(self.options)
        second = options.pop("replication", None)
        stratify, groups = options.pop("stratify", False), options.pop("groups", False)
        given: dict[str, Any] = {}
        if stratify:
            given["stratify"] = drawn.target
        if groups:
            given["groups"] = drawn.groups_by(groups if isinstance(groups, str) else None)
        partition = make_partition(self.name, drawn.n, seed=seed, **options, **given)
        if isinstance(groups, str):
            partition = replace(partition, options={**partition.options, "groups": groups})
        return partition if second is None else own_folds(partition, seed, drawn)


class Asked(NamedTuple):
    """A measure whose values on the splits are kept: its name, its options as JSON.

    power: 2 where the mean of the squares of its values on the records is kept.
    """

    name: str
    options: str = "{}"
    power: int = 1


@dataclass(frozen=True)
class Recipe:
    """How the replications of some grid points are made.

    population: records, or a law. n: how many are drawn; None for all records there are. replace:
    whether a record can be drawn twice. partitions: how often each drawn data set is partitioned.
    schemes: those whose splits are fitted. truth: None where nothing needs it. confusions: whether
    confusion matrices are kept. twin: not 0 where learners get other seeds on the same splits, so
    that one can be compared with itself. paired: whether replications 1 and 2, 3 and 4, … have
    no record in common. measures: those besides wrong predictions; positive: the code of the class
    that counts as positive for them.
    """

    population: Union[Dataset, Law]
    n: Optional[int]
    replace: bool
    seed: int
    partitions: int
    schemes: tuple[Scheme, ...]
    truth: Optional[Truth] = None
    confusions: bool = False
    twin: int = 0
    paired: bool = False
    measures: tuple[Asked, ...] = ()
    positive: Optional[int] = None

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def classes(self) -> tuple[str, ...]:
        """Their names, in the order of their codes."""
        if isinstance(self.population, Dataset):
            return tuple(self.population.classes)
        return tuple(populations[self.population.name].classes)


class Drawn(NamedTuple):
    """A replication: `frame` holds the records that learners see, `records` says which were drawn.

    drawn: those records as a data set of their own, with classes and groups but no features.
    fresh: the records of the frame on which the truth is measured.
    """

    frame: Dataset
    records: Indices
    drawn: Dataset
    fresh: Indices


def draw(recipe: Recipe, replication: int, truth: bool = False) -> Drawn:
    """One replication, counted from 1; with `truth` also the records that it is measured on."""
    if isinstance(recipe.population, Dataset):
        return _of_records(recipe, recipe.population, replication, truth)
    return _of_law(recipe, recipe.population, replication, truth)


def partition_seed(seed: int, replication: int, partition: int) -> int:
    """The seed of a replication's partitions; each time it is partitioned anew has its own."""
    return int(stream(seed, "study", "partition", replication, partition).random_raw() >> 1)


def fit_seed(seed: int, settings: str, train: Indices) -> int:
    """A seed below 2³² for one fit, by the learner's settings and the training records."""
    digest = hashlib.blake2b(digest_size=4)
    digest.update(f"{seed}\n{settings}\n".encode("utf-8", "surrogatepass"))
    digest.update(np.ascontiguousarray(train, dtype="<i8").tobytes())
    return int.from_bytes(digest.digest(), "little")


# --- records ----------------------------------------------------------------------------------


def _of_records(recipe: Recipe, population: Dataset, replication: int, truth: bool) -> Drawn:
    records = _chosen(recipe, population.n, replication)
    fresh: Indices = np.empty(0, dtype=np.int64)
    if truth and recipe.truth is not None:
        rest = np.ones(population.n, dtype=bool)
        rest[records] = False
        fresh = np.asarray(np.flatnonzero(rest), dtype=np.int64)
        if recipe.truth.fresh is not None and fresh.size:
            bits = stream(recipe.seed, "study", "fresh", replication)
            fresh = fresh[_below(bits, fresh.size, recipe.truth.fresh)]
    groupings = tuple(each.take(records) for each in population.groupings)
    drawn = replace(population, features=(), target=population.target[records], groupings=groupings)
    return Drawn(population, records, drawn, fresh)


def _chosen(recipe: Recipe, total: int, replication: int) -> Indices:
    if recipe.n is None:
        return np.arange(total, dtype=np.int64)
    if recipe.paired:
        pair, second = divmod(replication - 1, 2)
        bits = stream(recipe.seed, "study", "pair", pair + 1)
        first = second * recipe.n
        return permutation(bits, total)[first : first + recipe.n]
    bits = stream(recipe.seed, "study", "draw", replication)
    if recipe.replace:
        return _below(bits, total, recipe.n)
    if recipe.n > SPARSE * total:
        return permutation(bits, total)[: recipe.n]
    found = np.empty(0, dtype=np.int64)
    while len(found) < recipe.n:
        more = np.concatenate([found, _below(bits, total, recipe.n)])
        _, first = np.unique(more, return_index=True)
        found = more[np.sort(first)]
    return found[: recipe.n]


def _below(bits: np.random.PCG64, total: int, count: int) -> Indices:
    """Numbers below `total`; of 2⁶⁴ words, what is left over by the division counts for nothing."""
    return np.asarray(bits.random_raw(count) % np.uint64(total), dtype=np.int64)


# --- laws -------------------------------------------------------------------------------------


def _of_law(recipe: Recipe, law: Law, replication: int, truth: bool) -> Drawn:
    population = populations[law.name]
    n = population.n if recipe.n is None else recipe.n
    parts = [_records_of(law, n, stream(recipe.seed, "study", "draw", replication))]
    if truth and recipe.truth is not None:
        if recipe.truth.fresh is None:
            assert population.census is not None
            parts.append(population.census())
        else:
            bits = stream(recipe.seed, "study", "fresh", replication)
            parts.append(_records_of(law, recipe.truth.fresh, bits))
    features = np.concatenate([part.features for part in parts])
    target = np.concatenate([part.target for part in parts])
    columns = tuple(
        Column(f"x{at + 1}", "numeric", features[:, at]) for at in range(features.shape[1])
    )
    classes = parts[0].classes
    # No content is hashed: nothing but this process ever asks which data set it is.
    name = f"{law.name} {sorted(law.parameters.items())} {recipe.seed} {replication} {len(target)}"
    frame = Dataset(law.name, columns, target, classes, "y", f"drawn {n} {name}")
    drawn = replace(frame, features=(), target=target[:n])
    return Drawn(frame, np.arange(n), drawn, np.arange(n, len(target)))


def _records_of(law: Law, n: int, bits: np.random.PCG64) -> Draw:
    from cvinfer.data.populations import draw as draw_law

    return draw_law(law.name, n, np.random.Generator(bits), **law.parameters)
