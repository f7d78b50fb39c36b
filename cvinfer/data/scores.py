"""Scores made elsewhere: one value of a measure for each split and learner, and no records.

The forms of files are in `score_forms`; each gives rows, one for each value. Here they become a
grid of learners and splits, with the scheme and the sizes that the file or the options tell.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer import limits
from cvinfer.errors import UserError
from cvinfer.losses import HIGHER, LOWER, Loss, losses
from cvinfer.partitions import Partition, PartitionError
from cvinfer.partitions.sized import axes_of, sized_partition, sized_schemes

from .elsewhere import MadeElsewhere
from .files import absent, listed
from .splits_file import natural

__all__ = ["Row", "ScoreSet", "ToldScores", "assembled", "measure_of"]

Values = Mapping[tuple[str, int], NDArray[np.float64]]
_NO_RECORD = np.zeros(0, dtype=np.int32)
_NO_RECORD.setflags(write=False)


class Row(NamedTuple):
    """One value. where: its place in words. replication: None where only splits are counted.

    value: as written, or a number. sizes: training and test records, None where nothing tells.
    """

    where: str
    learner: str
    replication: str | None
    fold: str
    value: Any
    sizes: tuple[int | None, int | None] = (None, None)


class ToldScores(NamedTuple):
    """What a file tells: its rows, and the scheme where it has a word for that."""

    rows: Sequence[Row]
    scheme: str | None = None


@dataclass(frozen=True, eq=False)
class ScoreSet(MadeElsewhere):
    """Values of a measure that need no fit. values: by (learner, 0), in the partition's order.

    It has no records, no classes and no predictions; its partition knows the sizes of its splits.
    """

    name: str
    measure: Loss
    learners: tuple[str, ...]
    partitions: tuple[Partition, ...]
    values: Values
    sha256: str
    source: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of records behind the splits."""
        return self.partitions[0].n

    @property
    def truth(self) -> NDArray[np.int32]:
        """Of no record is the class known."""
        return _NO_RECORD

    @property
    def classes(self) -> tuple[str, ...]:
        return ()


def measure_of(given: Mapping[str, Any]) -> Loss:
    """The measure of `{name, better}`: what is known under that name, else as it is declared.

    Of a measure that is not known no bounds are, and values stay on the scale of the file.
    """
    for key in given:
        if key not in ("name", "better"):
            raise UserError(f"measure takes name and better, not {key!r}", ("measure", str(key)))
    name, better = given.get("name"), given.get("better")
    if not isinstance(name, str) or not name.strip():
        raise UserError(
            "measure needs a name, such as {name: auc, better: higher}", ("measure", "name")
        )
    known = losses()[name] if name in list(losses()) else None
    if better is None and known is not None:
        better = known.better
    if better not in (HIGHER, LOWER):
        raise UserError(
            f"which values of {name!r} are better nobody can know but you",
            ("measure", "better") if "better" in given else ("measure",),
            "better: higher or better: lower",
        )
    if known is not None and better != known.better:
        raise UserError(
            f"of {name} {known.better} values are better", ("measure", "better"), known.better
        )
    unit, short = (known.unit, known.short) if known is not None else (name, name)
    measure = Loss(
        name,
        _nothing_to_score,
        f"{name} as the file has it",
        bounds=_bounds(known),
        unit=unit,
        per_record=False,
        better=str(better),
        short=short,
        brought=True,
    )
    losses.tell(measure)
    return measure


def _bounds(known: Loss | None) -> tuple[float, float]:
    if known is None or callable(known.bounds):
        return (-math.inf, math.inf)
    return known.bounds


def _nothing_to_score(truth: Any, predicted: Any) -> float:
    raise ValueError("scores made elsewhere have no predictions")


def assembled(
    where: str,
    told: ToldScores,
    measure: Loss,
    name: str,
    *,
    scheme: str | None = None,
    folds: int | None = None,
    n: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    learners: Any = None,
    source: Mapping[str, Any] | None = None,
) -> ScoreSet:
    """The grid of a file's rows; scheme, folds, n, n_train, n_test where the file does not tell."""
    if not told.rows:
        raise UserError(f"{where} has no scores", ("path",))
    rows = _of_learners(where, told.rows, learners)
    names = list(dict.fromkeys(row.learner for row in rows))
    grid: dict[tuple[str, tuple[str | None, str]], Row] = {}
    for row in rows:
        key = (row.learner, (row.replication, row.fold))
        if key in grid:
            raise UserError(
                f"{where}: {row.where} is a second value of {row.learner!r} for {_called(row)};"
                f" the first is {grid[key].where}",
                ("path",),
            )
        grid[key] = row
    splits = sorted({key for _, key in grid}, key=_natural)
    for learner in names:
        for split in splits:
            if (learner, split) not in grid:
                other = next(row for (_, key), row in grid.items() if key == split)
                raise UserError(
                    f"{where} has no value of {learner!r} for {_called(other)}, which"
                    f" {other.learner!r} has; every learner needs a value for each split, or is"
                    " left out by learners: [...]",
                    ("path",),
                )
    told_scheme, replications, per = _scheme(where, told, splits, scheme, folds)
    sizes = _sizes(where, [[grid[each, split] for each in names] for split in splits])
    if n_train is not None or n_test is not None:
        sizes = _given_sizes(where, sizes, len(splits), n_train, n_test, n)
    partition = _partition(where, told_scheme, replications, per, sizes, n)
    values = {
        (learner, 0): _frozen([_number(where, grid[learner, split], measure) for split in splits])
        for learner in names
    }
    notes = []
    if scheme is None and told.scheme is None:
        notes.append(f"the splits of the file are read as {partition.scheme_and_shape}")
    return ScoreSet(
        name,
        measure,
        tuple(names),
        (partition,),
        MappingProxyType(values),
        _hash(measure, names, partition, values),
        MappingProxyType(dict(source or {})),
        tuple(notes),
    )


def _of_learners(where: str, rows: Sequence[Row], chosen: Any) -> list[Row]:
    """The rows of the learners that are wanted, under the names that they shall have."""
    there = list(dict.fromkeys(row.learner for row in rows))
    if chosen is None:
        return list(rows)
    wanted = dict(chosen) if isinstance(chosen, Mapping) else {each: each for each in chosen}
    for key, written in wanted.items():
        if written not in there:
            at = key if isinstance(chosen, Mapping) else list(chosen).index(key)
            raise absent(
                f"{where} has no learner {written!r}", ("learners", at), str(written), there
            )
    called = {written: key for key, written in wanted.items()}
    return [
        row._replace(learner=str(called[written]))
        for written in wanted.values()
        for row in rows
        if row.learner == written
    ]


def _called(row: Row) -> str:
    if row.replication is None:
        return f"split {row.fold}"
    return f"replication {row.replication}, fold {row.fold}"


def _natural(split: tuple[str | None, str]) -> Any:
    return natural(split[0] or ""), natural(split[1])


def _scheme(
    where: str,
    told: ToldScores,
    splits: Sequence[tuple[str | None, str]],
    given: str | None,
    folds: int | None,
) -> tuple[str, int, int]:
    """The scheme, how many replications, and of how many folds each."""
    if given is not None and told.scheme is not None and given != told.scheme:
        raise UserError(f"{where} says that its splits are {told.scheme}", ("scheme",), told.scheme)
    scheme = given or told.scheme
    if scheme is not None and scheme not in sized_schemes():
        raise UserError(
            f"scores on splits of {scheme} cannot be read; {listed(sized_schemes())} can",
            ("scheme",),
        )
    counts: dict[str | None, int] = {}
    for replication, _ in splits:
        counts[replication] = counts.get(replication, 0) + 1
    if None not in counts:
        if len(set(counts.values())) > 1:
            raise UserError(
                f"{where}: the replications have {listed(map(str, sorted(set(counts.values()))))}"
                " folds; all need equally many",
                ("path",),
            )
        per = next(iter(counts.values()))
        return scheme or _told_scheme(len(counts), per), len(counts), per
    total = len(splits)
    shown = "1 split" if total == 1 else f"{total} splits"
    if scheme is None:
        raise UserError(
            f"{where} has {shown} for each learner and does not say what they are; say"
            " scheme: kfold, or repeated_kfold with folds, or what else they were",
            ("path",),
        )
    axes = axes_of(scheme)
    if axes.folded and not axes.replicated:
        return scheme, 1, total
    fixed = next((size for size in axes.names if isinstance(size, int)), None)
    per = 1 if not axes.folded else folds or fixed or 0
    if not per:
        raise UserError(
            f"{where} has {shown} for each learner and does not say how many are one"
            f" replication of {scheme}; say folds: 10, or how many they were",
            ("path",),
        )
    if total % per:
        raise UserError(
            f"{where} has {shown} for each learner, which {per} folds do not divide",
            ("folds",) if folds else ("path",),
        )
    return scheme, total // per, per


def _told_scheme(replications: int, folds: int) -> str:
    """As predictions without a scheme are read."""
    if folds == 1:
        return "holdout" if replications == 1 else "repeated_holdout"
    if replications == 1:
        return "kfold"
    return "random_mx2" if folds == 2 else "repeated_kfold"


def _sizes(where: str, splits: Sequence[Sequence[Row]]) -> list[tuple[int, int]] | None:
    """Training and test size of each split, on which all learners agree; None without any."""
    found: list[tuple[int, int]] = []
    for rows in splits:
        told = {row.sizes for row in rows}
        if len(told) > 1:
            other = next(row for row in rows if row.sizes != rows[0].sizes)
            raise UserError(
                f"{where}: {_called(rows[0])} has other sizes for {other.learner!r} than for"
                f" {rows[0].learner!r}; scores can be compared on the same splits only",
                ("path",),
            )
        ((train, test),) = told
        if train is not None and test is not None:
            found.append((train, test))
    if not found:
        return None
    if len(found) < len(splits):
        raise UserError(f"{where} has the sizes of some splits and not of others", ("path",))
    return found


def _given_sizes(
    where: str,
    sizes: list[tuple[int, int]] | None,
    count: int,
    n_train: int | None,
    n_test: int | None,
    n: int | None,
) -> list[tuple[int, int]]:
    key = "n_train" if n_train is not None else "n_test"
    if sizes is not None:
        raise UserError(f"{where} has the sizes of its splits; leave {key} out", (key,))
    if n_train is None or n_test is None:
        if n is None:
            other = "n_test" if n_train is not None else "n_train"
            raise UserError(f"{key} alone does not tell both sizes; say {other} or n too", (key,))
        known = n_train if n_train is not None else n_test
        assert known is not None
        if not 1 <= known < n:
            raise UserError(f"{key} = {known} of n = {n} records", (key,))
        n_train, n_test = (known, n - known) if n_test is None else (n - known, known)
    for name, size in (("n_train", n_train), ("n_test", n_test)):
        if size < 1:
            raise UserError(f"{name} = {size} records; at least 1 is needed", (name,))
    return [(n_train, n_test)] * count


def _partition(
    where: str,
    scheme: str,
    replications: int,
    folds: int,
    sizes: list[tuple[int, int]] | None,
    n: int | None,
) -> Partition:
    if sizes is None and (n is None or not axes_of(scheme).folded):
        raise UserError(
            f"{where} does not say how many records a split trains on and tests; say"
            f" {'n, the number of records' if axes_of(scheme).folded else 'n_train and n_test'}",
            ("path",),
        )
    most = max(sum(each) for each in sizes) if sizes is not None else 0
    if n is not None and n < max(most, 2):
        raise UserError(f"n = {n}, but a split uses {max(most, 2)} records", ("n",))
    limits.records(n or most, ("n",) if n is not None else ("path",))
    try:
        return sized_partition(scheme, replications, folds, n or most, sizes)
    except PartitionError as fault:
        raise UserError(f"{where}: its splits are no {scheme}: {fault}", ("path",)) from None


def _number(where: str, row: Row, measure: Loss) -> float:
    try:
        value = float(row.value)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise UserError(
            f"{where}: the value of {row.learner!r} for {_called(row)} in {row.where} is"
            f" {row.value!r}, no number; nothing is put in its place, so leave the learner out by"
            " learners: [...], or the file to a measure that exists there",
            ("path",),
        )
    least, most = _bounds(measure)
    if not least <= value <= most:
        raise UserError(
            f"{where}: the value of {row.learner!r} for {_called(row)} in {row.where} is {value:g},"
            f" and {measure.name} lies between {least:g} and {most:g}; call it by another name if"
            " it is something else, such as per cent",
            ("path",),
        )
    return value


def _frozen(values: Sequence[float]) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _hash(measure: Loss, names: Sequence[str], partition: Partition, values: Values) -> str:
    """sha256 of the content: measure, learners, splits and values, however they were stored."""
    digest = hashlib.sha256(b"cvinfer scores 1\n")
    for word in (measure.name, measure.better, *names, partition.scheme, partition.fingerprint):
        coded = word.encode()
        digest.update(len(coded).to_bytes(8, "little") + coded)
    for name in names:
        digest.update(values[name, 0].astype("<f8").tobytes())
    return digest.hexdigest()
