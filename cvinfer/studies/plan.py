"""What a study has to fit: recipes, learners, and the blocks of replications that are stored.

Points that differ in a learner's parameter alone share their draws and the fits of the other
learner; a scheme whose splits are all in another one is fitted there. What is fitted is told apart
by what it is, so that another point, another test or more replications cost what is new in them.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines import engine
from cvinfer.engines.base import LearnerSpec
from cvinfer.execute.replications.recipe import GRANULE, Asked, Law, Recipe, Scheme, partition_seed
from cvinfer.execute.store import Store
from cvinfer.inference import ANY_MEASURE, Procedure, procedure
from cvinfer.inference.takes import LOSSES, takes
from cvinfer.losses.kinds import REDUCED
from cvinfer.partitions import Partition, schemes
from cvinfer.planning import Use, allocate
from cvinfer.planning.needs import requested
from cvinfer.spec.vocabulary import NOT_IN_SPECS
from cvinfer.spec.model import Spec
from cvinfer.studies.model import Point, Range, Study

#: Replications are stored in blocks of a power of two, at most so many, of about so many fits.
BLOCK = 64
BLOCK_FITS = 256
#: What stands for the learners of a population that brings their losses itself.
OUTCOMES = LearnerSpec("outcomes", "builtin", "majority")
#: Version of what is stored of a replication.
VERSION = 1
#: Kinds of data that an interval makes of errors alone.
OF_ERRORS = ("fold_errors", "total_errors")


def of_errors(declared: Procedure) -> bool:
    """Whether an interval is made of errors alone, counted in each split."""
    return declared.data in OF_ERRORS or declared.measure == ANY_MEASURE


@dataclass(frozen=True)
class Splits:
    """Where the splits of one partition of a point are fitted.

    partition: that of the first replication; shape, sizes and label are the same in all. recipe,
    scheme: numbers. positions: which splits of that scheme they are, in their order.
    """

    partition: Partition
    recipe: int
    scheme: int
    positions: NDArray[np.int64]


@dataclass(frozen=True)
class PlannedPoint:
    """A point with the partitions of its tests and intervals; learners by their numbers."""

    point: Point
    splits: tuple[Splits, ...]
    uses: tuple[Use, ...]
    interval_uses: tuple[Use, ...]
    learners: Mapping[str, int]
    recipe: int


@dataclass(frozen=True)
class Fitting:
    """One learner on one scheme of a recipe: what blocks are blocks of; `key` says what it is.

    fits: those of a replication; 0 where losses are drawn and nothing is fitted. most: replications
    that are made in one go at the most; stored blocks may be larger.
    """

    recipe: int
    scheme: int
    learner: int
    key: str
    fits: int
    most: int = GRANULE

    @property
    def block(self) -> int:
        """Replications in a whole block."""
        if self.fits == 0:
            return GRANULE
        size = 1
        while size < BLOCK and 2 * size * self.fits <= BLOCK_FITS:
            size *= 2
        return size


class Piece(NamedTuple):
    """A block of `size` replications, `first` counted from 0, with its place in the store."""

    first: int
    size: int
    key: str


@dataclass(frozen=True)
class StudyPlan:
    """Everything that a study fits."""

    study: Study
    points: tuple[PlannedPoint, ...]
    recipes: tuple[Recipe, ...]
    learners: tuple[LearnerSpec, ...]
    fittings: Mapping[tuple[int, int, int], Fitting] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """What each learner is called, with the values of the grid that are its own."""
        found = []
        for number, entry in enumerate(self.learners):
            own = [
                f"{path.rpartition('.')[2]} = {value}"
                for planned in self.points
                if planned.learners.get(entry.name) == number
                for path, value in planned.point.at.items()
                if path.startswith(f"learners.{entry.name}.")
            ]
            found.append(f"{entry.name} ({', '.join(dict.fromkeys(own))})" if own else entry.name)
        return found


def plan_study(study: Study) -> StudyPlan:
    """The plan of a study; versions of the packages behind each learner are in the keys."""
    recipes = _Recipes()
    learners: dict[str, int] = {}
    entries: list[LearnerSpec] = []
    versions: dict[str, str] = {}
    points = []
    fittings: dict[tuple[int, int, int], Fitting] = {}
    for point in study.points:
        found: dict[str, int] = {}
        for name, entry in point.spec.learners.items():
            behind = dict(engine(entry.engine).versions(entry))
            text = json.dumps([entry.settings(), behind], sort_keys=True)
            versions.update(behind)
            if text not in learners:
                learners[text] = len(entries)
                entries.append(entry)
            found[name] = learners[text]
        if not point.spec.learners:  # the population brings their losses
            text = json.dumps(["outcomes"])
            if text not in learners:
                learners[text] = len(entries)
                entries.append(OUTCOMES)
            found[OUTCOMES.name] = learners[text]
        planned = recipes.add(point, found)
        points.append(planned)
    texts = list(learners)
    # A limit of time is for one fit; a block would make it one for hundreds.
    most = GRANULE if study.spec.limits.get("seconds") is None else 1
    for planned in points:
        recipe = recipes.recipes[planned.recipe]
        wanted = {one.scheme for one in planned.splits}
        if recipe.truth is not None:
            wanted.add(len(recipe.schemes))
        used = learners_used(planned)
        for number in sorted(planned.learners[name] for name in used):
            for scheme in sorted(wanted):
                at = (planned.recipe, scheme, number)
                if at not in fittings:
                    key = key_of(recipe, scheme, texts[number])
                    fits = recipes.counts[planned.recipe].get(scheme, 1)
                    fits = fits if planned.point.spec.learners else 0
                    fittings[at] = Fitting(*at, key, fits, most)
    made = tuple(recipes.recipes)
    return StudyPlan(study, tuple(points), made, tuple(entries), fittings, versions)


def learners_used(planned: PlannedPoint) -> list[str]:
    """Those that are compared, or all where intervals are asked for or nothing is compared."""
    spec = planned.point.spec
    if spec.intervals or not spec.pairs or not spec.learners:
        return list(planned.learners)
    compared = {name for pair in spec.pairs for name in pair}
    return [name for name in planned.learners if name in compared]


def fits_of_replication(point: Point) -> int:
    """How many fits one replication of a point takes at the most; one where losses are drawn."""
    if not point.spec.learners:
        return 1
    partitions, _, _ = partitions_of(point, 1)
    splits = sum(len(partition.splits) for partition in partitions)
    truth = 0 if point.truth is None else 1
    return len(point.spec.learners) * (point.partitions * splits + truth)


def partitions_of(point: Point, replication: int) -> tuple[list[Partition], list[Use], list[Use]]:
    """The partitions of a replication, as a comparison on its data would have them."""
    seed = partition_seed(point.spec.seed, replication, 0)
    spec = replace(point.spec, seed=seed)
    return allocate(spec, point.example, requested(spec, point.example))


class _Recipes:
    """The recipes of all points, each once."""

    def __init__(self) -> None:
        self.recipes: list[Recipe] = []
        #: Fits of a replication, by recipe and scheme.
        self.counts: list[dict[int, int]] = []
        self._known: dict[str, int] = {}

    def add(self, point: Point, learners: Mapping[str, int]) -> PlannedPoint:
        partitions, uses, interval_uses = partitions_of(point, 1)
        again, _, _ = partitions_of(point, 2)
        confusions = not all(of_errors(procedure(use.request.name)) for use in interval_uses)
        number = self._number(point, confusions)
        inside = nested(partitions, again)
        splits: list[Optional[Splits]] = [None] * len(partitions)
        for at, (holder, positions) in enumerate(inside):
            scheme = self._scheme(number, point, partitions[holder])
            splits[at] = Splits(partitions[at], number, scheme, positions)
        found = tuple(one for one in splits if one is not None)
        return PlannedPoint(point, found, tuple(uses), tuple(interval_uses), learners, number)

    def _number(self, point: Point, confusions: bool) -> int:
        what = {
            "population": _population(point.population),
            "n": point.n,
            "replace": point.replace,
            "seed": point.spec.seed,
            "partitions": point.partitions,
            "truth": None if point.truth is None else [point.truth.fresh],
            "confusions": confusions,
            "twin": point.twin,
            "paired": point.paired,
            "measures": further(point.spec),
            "positive": positive_code(point),
        }
        text = json.dumps(what, sort_keys=True, default=str)
        if text not in self._known:
            self._known[text] = len(self.recipes)
            self.recipes.append(
                Recipe(
                    point.population,
                    point.n,
                    point.replace,
                    point.spec.seed,
                    point.partitions,
                    (),
                    point.truth,
                    confusions,
                    point.twin,
                    point.paired,
                    further(point.spec),
                    positive_code(point),
                )
            )
            self.counts.append({})
        return self._known[text]

    def _scheme(self, number: int, point: Point, partition: Partition) -> int:
        """The number of a partition's scheme in its recipe."""
        scheme = Scheme(partition.scheme, _asked_for(partition))
        seed = partition_seed(point.spec.seed, 1, 0)
        if scheme.made(point.example, seed).fingerprint != partition.fingerprint:
            raise RuntimeError(f"{partition.label} cannot be made again from its options")
        recipe = self.recipes[number]
        if scheme not in recipe.schemes:
            recipe = replace(recipe, schemes=(*recipe.schemes, scheme))
            self.recipes[number] = recipe
        at = recipe.schemes.index(scheme)
        self.counts[number][at] = recipe.partitions * len(partition.splits)
        return at


def further(spec: Spec) -> tuple[Asked, ...]:
    """The measures of a spec besides wrong predictions, which are kept in any case.

    Of losses of records their squares too, where an interval needs their variance in a split.
    """
    wanted = [each for each in spec.measures if not each.declared.percent]
    squared = any(takes(procedure(each.name)) == LOSSES for each in spec.intervals)
    return tuple(
        Asked(each.name, json.dumps(dict(each.options), sort_keys=True), power)
        for each in wanted
        for power in (1, 2)
        if power == 1 or (squared and each.declared.per_record)
    )


def positive_code(point: Point) -> Optional[int]:
    """The code of the positive class, where a measure besides wrong predictions asks for it."""
    label = point.example.source.get("positive") or point.spec.positive
    if label is None or not further(point.spec):
        return None
    return list(point.example.classes).index(str(label))


def _asked_for(partition: Partition) -> dict[str, Any]:
    """The options that make a partition, without what it tells of how it was made."""
    takes = {*schemes()[partition.scheme].defaults, "stratify", "groups", "replication"}
    return {
        key: value
        for key, value in partition.options.items()
        if key in takes and key not in NOT_IN_SPECS
    }


def nested(
    partitions: Sequence[Partition], again: Sequence[Partition]
) -> list[tuple[int, NDArray[np.int64]]]:
    """For each partition the one that its splits are fitted in, and where they are there.

    One lies in another where it does so for two draws, at the same places: then that is how the
    schemes are made.
    """
    order = sorted(range(len(partitions)), key=lambda i: -len(partitions[i].splits))
    places = [[_places(each) for each in drawn] for drawn in (partitions, again)]
    found: dict[int, tuple[int, NDArray[np.int64]]] = {}
    for at in order:
        for holder in order:
            if holder == at:
                break
            if found.get(holder, (holder,))[0] != holder:
                continue
            where = _where(partitions[at], places[0][holder])
            if where is not None and where == _where(again[at], places[1][holder]):
                found[at] = (holder, np.array(where, dtype=np.int64))
                break
        if at not in found:
            found[at] = (at, np.arange(len(partitions[at].splits), dtype=np.int64))
    return [found[at] for at in range(len(partitions))]


def _places(partition: Partition) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for number, split in enumerate(partition.splits):
        found.setdefault(split.train.tobytes() + b"|" + split.test.tobytes(), number)
    return found


def _where(partition: Partition, places: Mapping[bytes, int]) -> Optional[list[int]]:
    found = []
    for split in partition.splits:
        at = places.get(split.train.tobytes() + b"|" + split.test.tobytes())
        if at is None:
            return None
        found.append(at)
    return found


# --- keys and blocks ------------------------------------------------------------------------------


def _population(population: Any) -> Any:
    if isinstance(population, Dataset):
        return [population.sha256, population.impute]
    assert isinstance(population, Law)
    return [population.name, dict(population.parameters)]


def key_of(recipe: Recipe, scheme: int, learner: str) -> str:
    """What a learner's fits on a scheme of a recipe are, whatever else the study asks for."""
    truth = scheme == len(recipe.schemes)
    what: dict[str, Any] = {
        "study": VERSION,
        "population": _population(recipe.population),
        "n": recipe.n,
        "replace": recipe.replace,
        "seed": recipe.seed,
        "confusions": recipe.confusions,
        "learner": learner,
        **({"twin": recipe.twin} if recipe.twin else {}),
        **({"paired": True} if recipe.paired else {}),
        **({"measures": recipe.measures, "positive": recipe.positive} if recipe.measures else {}),
    }
    if truth:
        assert recipe.truth is not None
        what["truth"] = [recipe.truth.fresh]
        if recipe.measures:
            what["true values"] = True  # once there were none of them
    else:
        one = recipe.schemes[scheme]
        what["partitions"] = recipe.partitions
        what["scheme"] = [one.name, dict(one.options)]
    text = json.dumps(what, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def piece(fitting_key: str, first: int, count: int) -> Piece:
    text = f"{fitting_key} {first} {count}"
    return Piece(first, count, hashlib.sha256(text.encode()).hexdigest())


def candidates(fitting: Fitting, wanted: Range, size: int) -> Iterator[Piece]:
    """Every block of a size that can be of use: whole ones have sizes of their own, then halves."""
    start, stop = wanted.first - 1, wanted.last
    for at in range(-(-start // size) * size, stop - size + 1, size):
        yield piece(fitting.key, at, size)


def stored_blocks(wanted: Mapping[Fitting, Range], store: Store) -> dict[Fitting, dict[str, Piece]]:
    """The blocks of the wanted ranges that are stored, by their keys.

    Nearly all are whole ones, so that these are looked for first, and smaller ones as long as the
    store has anything that was not found: there are as many of them as replications.
    """
    found: dict[Fitting, dict[str, Piece]] = {each: {} for each in wanted}
    left = store.count(REDUCED)
    size = max((each.block for each in wanted), default=0)
    while size and left > 0:
        asked = {
            one.key: (each, one)
            for each, range_ in wanted.items()
            if size <= each.block
            for one in candidates(each, range_, size)
        }
        known = store.known(asked)
        for key in known:
            fitting, one = asked[key]
            found[fitting][key] = one
        left -= len(known)
        size //= 2
    return found


def pieces(fitting: Fitting, wanted: Range, stored: Mapping[str, Piece]) -> list[Piece]:
    """The blocks that make up the range: stored ones as they are, else as large as can be."""
    start, stop = wanted.first - 1, wanted.last
    smaller = sorted(one.first for one in stored.values() if one.size < fitting.block)

    def cover(first: int, size: int) -> list[Piece]:
        if first >= stop or first + size <= start:
            return []
        whole = start <= first and first + size <= stop
        one = piece(fitting.key, first, size)
        if size == 1 or whole and one.key in stored:
            return [one]
        whole = whole and size <= fitting.most
        if whole and bisect_left(smaller, first) == bisect_left(smaller, first + size):
            return [one]  # nothing of it is there
        parts = cover(first, size // 2) + cover(first + size // 2, size // 2)
        return [one] if whole and not any(part.key in stored for part in parts) else parts

    size = fitting.block
    first = start // size * size
    return [one for at in range(first, stop, size) for one in cover(at, size)]
