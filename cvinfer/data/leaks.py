"""What makes a comparison too good to be true, noticed in the data: docs/leaks.md has the rules.

Each finding is one sentence with its column. Nothing is refused for it: whether a row number or a
repeated record is a leak, only who made the data can tell.

It must cost next to nothing beside reading the data. A column that tells the class of every record
tells it in any part of them, so a part is looked at first, and the whole only where that agrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .dataset import CATEGORICAL, NUMERIC, Column, Dataset
from .registry import sources

if TYPE_CHECKING:
    from cvinfer.partitions import Partition

__all__ = ["column_notes", "data_notes", "duplicates", "run_notes"]

#: Fewer records than this can be in order by chance.
_LEAST = 10
#: Records that are looked at before the whole, at least, and how many of them are neighbours.
_PART, _RUN = 4096, 64
#: How often chance alone may raise a note on a data set.
_CHANCE = 1e-6
#: In how many records a value must occur on the average before it can be said to tell the class.
_REPEATED = {NUMERIC: 5, CATEGORICAL: 2}

#: Where no feature has more values than this, equal records come by chance easily.
_FEW = 20

#: Columns by which records are told apart before the others are looked at.
_FIRST = 3

Codes = NDArray[np.int64]


def data_notes(data: Dataset) -> list[str]:
    """Every note on a data set that can be told before there are splits."""
    notes = column_notes(data)
    twins = _copies(data)
    if twins is not None and not _inside_groups(twins, data):
        notes.append(f"{_equal(twins, data)}; splits train on some of them and test the others")
    return notes


def run_notes(data: Dataset, partitions: Iterable[Partition]) -> list[str]:
    """Every note on a data set and the splits it was used in."""
    notes = column_notes(data)
    twins = _copies(data)
    if twins is None:
        return notes
    tested = known = 0
    for partition in partitions:
        for split in partition.splits:
            tested += len(split.test)
            known += _known(twins, split.train, split.test)
    if known:
        share = f"{100 * known / tested:.1f} %"
        notes.append(
            f"{_equal(twins, data)}; over all splits {known:,} of {tested:,} tested records "
            f"({share}) have an equal one among the training records"
        )
    return notes


def _copies(data: Dataset) -> Codes | None:
    """The sets of equal records, where there are some and that need not be so."""
    known = sources().get(str(data.source.get("source")))
    if known is not None and known.independent or not data.features:
        return None
    twins = duplicates(data)
    return twins if (twins >= 0).any() and not _few_kinds(data) else None


def _equal(twins: Codes, data: Dataset) -> str:
    count = int((twins >= 0).sum())
    few = max(_kinds(data)) <= _FEW
    chance = " (perhaps by chance: no feature has many values)" if few else ""
    records = f"{count:,} of {data.n:,} records"
    return f"{records} equal another one in every feature and in class{chance}"


def _known(twins: Codes, train: Codes, test: Codes) -> int:
    """How many test records have an equal one in the training records."""
    seen = np.zeros(int(twins.max()) + 2, dtype=bool)
    seen[twins[train]] = True
    seen[-1] = False  # where records without an equal one went
    return int(seen[twins[test]].sum())


# Columns ------------------------------------------------------------------------------------------


def column_notes(data: Dataset) -> list[str]:
    """One note for each column that gives the class, or the place of a record, away."""
    if data.n < _LEAST:
        return []
    counts = np.bincount(data.target, minlength=data.n_classes)
    by_chance = _log_orders(counts)
    limit = math.log(_CHANCE / max(1, len(data.features)))
    part = _part(data.n)
    return list(filter(None, (_note(each, data, part, by_chance, limit) for each in data.features)))


def _note(column: Column, data: Dataset, part: Codes, by_chance: float, limit: float) -> str | None:
    name = repr(column.name)
    sorts = _sorts_classes(column, data, part, math.lgamma(data.n_classes + 1) - by_chance, limit)
    if _counts_records(column, part):
        if sorts:
            return f"column {name} is a row number, and tells the class: classes follow its order"
        return f"column {name} is a row number, or grows like one: it says nothing of new records"
    if sorts:
        return f"column {name} alone determines the class: sorted by it, the classes are too"
    values = _values_that_tell(column, data, part, by_chance, limit)
    if values is None:
        return None
    return (
        f"column {name} alone determines the class: each of its {values:,} values occurs with one "
        "class only"
    )


def _counts_records(column: Column, part: Codes) -> bool:
    """Whole numbers that grow (or fall) from record to record, or that count without a gap."""
    values = column.values
    if column.kind != NUMERIC or not _whole(values[part]) or not _whole(values):
        return False
    low, high = float(values.min()), float(values.max())
    if high - low == len(values) - 1:
        # As many numbers as places between the ends: a count if none of them is there twice.
        places = np.bincount((values - low).astype(np.int64), minlength=len(values))
        return bool((places == 1).all())
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _whole(values: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.floor(values)).all())


def _sorts_classes(
    column: Column, data: Dataset, part: Codes, log_chance: float, limit: float
) -> bool:
    """Whether thresholds on this column, one fewer than classes, tell the class of each record."""
    if column.kind != NUMERIC or log_chance >= limit:
        return False
    values, target, classes = column.values, data.target, data.n_classes
    return _in_blocks(values[part], target[part], classes) and _in_blocks(values, target, classes)


def _in_blocks(values: NDArray[np.float64], target: NDArray[np.int32], classes: int) -> bool:
    if np.isnan(values).any():
        return False
    order = np.argsort(values, kind="stable")
    values, target = values[order], target[order]
    changes = np.flatnonzero(target[1:] != target[:-1])
    if len(changes) >= classes:
        return False
    if (values[changes] == values[changes + 1]).any():
        return False
    # With as many blocks as classes no class comes back.
    return len(changes) + 1 == len(np.unique(target))


def _values_that_tell(
    column: Column, data: Dataset, part: Codes, by_chance: float, limit: float
) -> int | None:
    """How many values there are, where each occurs with one class only, and often enough."""
    pure, values = _pure(column.values[part], data.target[part])
    # Where values are as few as they must be, some of this part are equal.
    if not pure or (values == len(part) < data.n) or column.missing.any():
        return None
    pure, values = _pure(column.values, data.target)
    few = values * _REPEATED[column.kind] <= data.n
    log_chance = values * math.log(data.n_classes) - by_chance
    return values if pure and few and log_chance < limit else None


def _pure(values: NDArray[Any], target: NDArray[np.int32]) -> tuple[bool, int]:
    """Whether every value has one class, and how many values there are."""
    order = np.argsort(values, kind="stable")
    values, target = values[order], target[order]
    same = values[1:] == values[:-1]
    return not bool((same & (target[1:] != target[:-1])).any()), int((~same).sum()) + 1


def _log_orders(counts: Sequence[int] | Codes) -> float:
    """The logarithm of the number of orders that the classes could come in."""
    return math.lgamma(sum(counts) + 1) - sum(math.lgamma(each + 1) for each in counts)


def _part(n: int) -> Codes:
    """A part of the records, in runs that are spread over all of them.

    It is large enough that of n/2 values, each in two records, some come twice.
    """
    if n <= _PART:
        return np.arange(n)
    runs = max(_PART, 4 * math.isqrt(n)) // _RUN
    starts = np.linspace(0, n - _RUN, runs).astype(np.int64)
    return np.unique(starts[:, np.newaxis] + np.arange(_RUN))


# Records ------------------------------------------------------------------------------------------


def duplicates(data: Dataset) -> Codes:
    """For each record the number of the set of equal records it is in, -1 where it has no equal.

    Records are equal if all their features and their class are, missing values among them.
    """
    kinds = _kinds(data)
    varied = [data.features[at] for at in np.argsort(kinds, kind="stable")[::-1]]
    keys: NDArray[np.uint64] = np.zeros(data.n, dtype=np.uint64)
    records: Codes = np.arange(data.n)
    _mix(keys, data.target)
    # Few are equal in the columns that vary most, and only those few need a further look.
    for columns in (varied[:_FIRST], varied[_FIRST:]):
        for column in columns:
            _mix(keys, _taken(column.values, records))
        sets = _equal_keys(keys)
        keys, records, sets = keys[sets >= 0], records[sets >= 0], sets[sets >= 0]
    found = np.full(data.n, -1, dtype=np.int64)
    found[records] = sets
    return found


def _taken(values: NDArray[Any], records: Codes) -> NDArray[Any]:
    return values if len(records) == len(values) else values[records]


def _equal_keys(keys: NDArray[np.uint64]) -> Codes:
    """The number of each key among those that occur more than once, -1 for the others."""
    in_order = np.sort(keys)
    twice = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
    if not twice.size:
        return np.full(keys.size, -1, dtype=np.int64)
    places = np.searchsorted(twice, keys).clip(max=twice.size - 1)
    return np.where(twice[places] == keys, places, -1)


_ODD = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)))


def _mix(keys: NDArray[np.uint64], values: NDArray[Any]) -> None:
    """Stir a column into 64-bit keys (SplitMix64): unequal records get equal keys next to never."""
    if values.dtype == np.float64:
        # One pattern for zero and its negative, and one for missing.
        plain = values + 0.0
        np.copyto(plain, np.nan, where=np.isnan(plain))
        bits = plain.view(np.uint64)
    else:
        bits = values.astype(np.int64).view(np.uint64)
    keys += bits
    keys += _ODD[0]
    for shift, factor in ((30, _ODD[1]), (27, _ODD[2])):
        keys ^= keys >> np.uint64(shift)
        keys *= factor
    keys ^= keys >> np.uint64(31)


def _few_kinds(data: Dataset) -> bool:
    """Whether few values combine in fewer ways than there are records: some must be equal."""
    kinds = _kinds(data)
    return max(kinds) <= _FEW and math.prod(kinds) < data.n


def _kinds(data: Dataset) -> list[int]:
    """How many values each feature has, as far as a part of the records shows."""
    part = _part(data.n)
    return [len(np.unique(column.values[part])) for column in data.features]


def _inside_groups(twins: Codes, data: Dataset) -> bool:
    """Whether equal records are in one group always, so that no grouped split parts them."""
    groups = data.groups
    if groups is None:
        return False
    equal = np.flatnonzero(twins >= 0)
    first = np.full(int(twins.max()) + 1, -1, dtype=np.int64)
    first[twins[equal]] = groups[equal]
    return bool((first[twins[equal]] == groups[equal]).all())
