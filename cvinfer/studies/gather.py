"""From stored blocks to arrays: contingency tables, confusion matrices, truths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.execute.replications.packed import Made, unpack
from cvinfer.execute.store import Store
from cvinfer.losses import loss
from cvinfer.studies.model import Range
from cvinfer.studies.plan import Fitting, Piece, PlannedPoint, Splits, StudyPlan

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Whole(NamedTuple):
    """One learner on all splits of a scheme, for consecutive replications.

    Axes are replications, partitions, splits. losses: of all test records in one row. starts: where
    each split begins in it. alike: whether the splits have the same sizes in all replications.
    """

    train: Ints
    test: Ints
    losses: Bools
    failed: Bools
    confusions: Optional[Ints]
    tables: Optional[Ints]
    alike: bool
    values: Optional[Floats] = None

    @property
    def starts(self) -> Ints:
        sizes = self.test.reshape(-1)
        return np.asarray(np.concatenate([[0], np.cumsum(sizes)[:-1]]), dtype=np.int64)


class Truths(NamedTuple):
    """What a learner is worth in each replication: its error; NaN where it failed.

    values: of the further measures, (R, M), NaN where one does not exist.
    """

    errors: NDArray[np.float64]
    confusions: Optional[Ints]
    values: Optional[Floats] = None


@dataclass(frozen=True)
class Source:
    """Where the replications of a point are: in the blocks of the store.

    lost: why a block is not there. messages: why fits failed, by learner, with how often; it is
    filled while they are read.
    """

    plan: StudyPlan
    planned: PlannedPoint
    blocks: Mapping[Fitting, Sequence[Piece]]
    store: Store
    messages: dict[tuple[str, str], int]
    lost: Mapping[str, str]


@dataclass
class Gathered:
    """A stretch of replications of one point, read from the store when it is asked for."""

    source: Source
    stretch: Range

    def __post_init__(self) -> None:
        self.plan, self.planned = self.source.plan, self.source.planned
        self._wholes: dict[tuple[str, int], Whole] = {}
        self._tables: dict[tuple[str, Optional[str], int], tuple[Ints, Bools]] = {}
        self._truths: dict[str, Truths] = {}

    @property
    def count(self) -> int:
        return self.stretch.size

    def whole(self, learner: str, scheme: int) -> Whole:
        """Everything of a learner on a scheme of the point's recipe."""
        if (learner, scheme) not in self._wholes:
            blocks = self._blocks(learner, scheme)
            self._wholes[learner, scheme] = _joined(blocks)
        return self._wholes[learner, scheme]

    def tables(self, a: str, b: Optional[str], one: Splits) -> tuple[Ints, Bools, Ints]:
        """Contingency tables (R, P, S, 4), which splits failed, and training sizes (R, P, S).

        Without `b` the second learner is one that is never wrong.
        """
        first = self.whole(a, one.scheme)
        if (a, b, one.scheme) in self._tables:
            found, failed = self._tables[a, b, one.scheme]
        elif first.tables is not None:
            found, failed = first.tables, first.failed
        else:
            second = None if b is None else self.whole(b, one.scheme)
            wrong_a = first.losses
            wrong_b = np.zeros_like(wrong_a) if second is None else second.losses
            found = crossed(first, wrong_a, wrong_b)
            failed = first.failed if second is None else first.failed | second.failed
            self._tables[a, b, one.scheme] = found, failed
        at = _places(one.positions)
        return found[:, :, at], failed[:, :, at], first.train[:, :, at]

    def values(
        self, learner: str, one: Splits, measure: str, power: int = 1
    ) -> tuple[Floats, Bools, Ints, Ints]:
        """One measure (R, P, S), which splits have none, and the sizes (R, P, S) of both parts.

        power: 2 for the mean of the squares of what the records have.
        """
        found = self.whole(learner, one.scheme)
        at = _places(one.positions)
        if loss(measure).percent:
            tables, failed, train = self.tables(learner, None, one)
            test = tables.sum(axis=-1)
            wrong = tables[..., 0] + tables[..., 1]
            return wrong / test, failed, train, test
        assert found.values is not None
        values = found.values[..., self._column(measure, power)][:, :, at]
        gone = found.failed[:, :, at] | np.isnan(values)
        return values, gone, found.train[:, :, at], found.test[:, :, at]

    def alike(self, a: str, one: Splits) -> bool:
        """Whether its splits have the same sizes in all replications."""
        return self.whole(a, one.scheme).alike

    def confusions(self, learner: str, one: Splits) -> tuple[Ints, Bools]:
        """(R, P, S, C, 4) and which splits failed."""
        found = self.whole(learner, one.scheme)
        assert found.confusions is not None
        at = _places(one.positions)
        return found.confusions[:, :, at], found.failed[:, :, at]

    def truths(self, learner: str) -> Truths:
        """True errors of the replications, and confusion matrices (R, C, 4) where they are kept."""
        if learner not in self._truths:
            self._truths[learner] = self._true(learner)
        return self._truths[learner]

    def _true(self, learner: str) -> Truths:
        recipe = self.plan.recipes[self.planned.recipe]
        blocks = self._blocks(learner, len(recipe.schemes))
        wrong = np.concatenate([np.frombuffer(one.wrong.tobytes(), "<i8") for one in blocks])
        size = np.concatenate([one.test.reshape(-1) for one in blocks]).astype(np.float64)
        failed = np.concatenate([one.failed.reshape(-1) for one in blocks])
        errors = np.full(len(size), np.nan)
        fine = ~failed & (size > 0)
        errors[fine] = wrong[fine] / size[fine]
        confusions = None
        if all(one.confusions is not None for one in blocks):
            rows = [np.asarray(one.confusions)[:, 0, 0] for one in blocks]
            confusions = np.concatenate(rows).astype(np.int64)
        values = None
        if all(one.values is not None for one in blocks):
            values = _valued(blocks)[:, 0, 0]
        return Truths(errors, confusions, values)

    def true_values(self, learner: str, measure: str) -> Floats:
        """The value of a measure in each replication; NaN where there is none."""
        truths = self.truths(learner)
        if loss(measure).percent:
            return truths.errors
        assert truths.values is not None
        return truths.values[:, self._column(measure)]

    def _column(self, measure: str, power: int = 1) -> int:
        asked = self.plan.recipes[self.planned.recipe].measures
        return [(each.name, each.power) for each in asked].index((measure, power))

    def _blocks(self, learner: str, scheme: int) -> list[Made]:
        fitting = self.plan.fittings[self.planned.recipe, scheme, self.planned.learners[learner]]
        inside = [
            one
            for one in self.source.blocks[fitting]
            if self.stretch.first <= one.first + 1 <= self.stretch.last
        ]
        stored = self.source.store.get_many(one.key for one in inside)
        found = []
        for one in inside:
            if one.key in stored:
                made = unpack(stored[one.key].values)
                self._heard(learner, made.messages)
            else:
                made = self._nothing(scheme, one.size)
                reason = self.source.lost.get(one.key, "what was stored of it is gone")
                self._heard(learner, {reason: one.size})
            found.append(made)
        return found

    def _heard(self, learner: str, messages: Mapping[str, int]) -> None:
        known = self.source.messages
        for reason, count in messages.items():
            known[learner, reason] = known.get((learner, reason), 0) + count

    def _nothing(self, scheme: int, count: int) -> Made:
        """A block that was lost with its worker: every fit of it failed."""
        recipe = self.plan.recipes[self.planned.recipe]
        if scheme == len(recipe.schemes):
            sizes: NDArray[np.int32] = np.ones((1, 2), dtype=np.int32)
            wrong = np.zeros(count * 8, dtype=np.uint8)
        else:
            point = self.planned.point
            partition = recipe.schemes[scheme].made(point.example, 0)
            sizes = np.asarray(partition.sizes.reshape(-1, 2), dtype=np.int32)
            total = int(sizes[:, 1].sum()) * count * recipe.partitions
            wrong = np.zeros(-(-total // 8), dtype=np.uint8)
        shape = (count, recipe.partitions if scheme < len(recipe.schemes) else 1, len(sizes))
        train, test = (np.broadcast_to(sizes[:, at], shape) for at in (0, 1))
        confusions = None
        if recipe.confusions:
            confusions = np.zeros((*shape, recipe.n_classes, 4), dtype=np.int32)
        values = None
        if recipe.measures:
            values = np.full((*shape, len(recipe.measures)), np.nan)
        made = Made(train, test, wrong, np.ones(shape, dtype=bool), confusions)
        return replace(made, values=values)


def _places(positions: Ints) -> Union[slice, Ints]:
    """Places that follow each other as a slice, which costs no copy."""
    first = int(positions[0])
    if (np.diff(positions) == 1).all():
        return slice(first, first + len(positions))
    return positions


def crossed(sizes: Whole, wrong_a: Bools, wrong_b: Bools) -> Ints:
    """Contingency tables (R, P, S, 4) of two rows of losses on the splits of `sizes`."""
    starts = sizes.starts
    count_a, count_b, both = (
        np.add.reduceat(each, starts, dtype=np.int64)
        for each in (wrong_a, wrong_b, wrong_a & wrong_b)
    )
    size = sizes.test.reshape(-1)
    cells = [both, count_a - both, count_b - both, size - count_a - count_b + both]
    return np.asarray(np.stack(cells, axis=-1).reshape(*sizes.test.shape, 4))


def _joined(blocks: Sequence[Made]) -> Whole:
    def joined(name: str) -> Optional[Ints]:
        parts = [getattr(one, name) for one in blocks]
        if any(part is None for part in parts):
            return None
        return np.asarray(np.concatenate(parts), dtype=np.int64)

    tables = joined("tables")
    losses: Bools = np.empty(0, dtype=bool)
    if tables is None:
        losses = np.concatenate([one.losses for one in blocks])
    train = np.concatenate([one.train for one in blocks]).astype(np.int64)
    test = np.concatenate([one.test for one in blocks]).astype(np.int64)
    alike = all(bool((each == each[:1, :1]).all()) for each in (train, test))
    return Whole(
        train=train,
        test=test,
        losses=losses,
        failed=np.concatenate([one.failed for one in blocks]),
        confusions=joined("confusions"),
        tables=tables,
        alike=alike,
        values=None if any(one.values is None for one in blocks) else _valued(blocks),
    )


def _valued(blocks: Sequence[Made]) -> Floats:
    return np.concatenate([np.asarray(one.values, dtype=np.float64) for one in blocks])
