"""Predictions as a csv file: what a run writes, and what others may bring.

Three forms are read, and more columns than these are learners, one each:

- a run's own: scheme, replication, fold, record, truth, <learners>, and `role` where it is needed;
- from elsewhere: split, record, truth, <learners>; or fold (and replication) instead of split;
- a test set: record, truth, <learners>; one hold-out, and every row a record where none is named.

The options `record`, `truth`, `split` and `learners` name the columns where they are called
otherwise.

A row is one test record of one split. Records are names: whole numbers are taken in their order,
other texts in natural order. A split trains on all records of the file that it does not test,
unless rows with role `train` say on which; rows with role `other` only make a record known. The
learners' cells of such rows are empty, and so is the truth where it is not known.

Without a scheme column the scheme is told from the splits. Taken in natural order of their names,
they are cut into replications that test every record once. One replication: kfold, or loo if every
fold is one record. Several of two halves each: random_mx2. Several of equally many folds:
repeated_kfold. Otherwise one split is a holdout and several are a repeated_holdout. The option
`scheme` overrules this and is checked. A holdout that tests all records of the file was trained
elsewhere: its partition trains on none of them.

Columns p_<learner>_<class>, one for each class, hold a learner's probabilities, and columns
s_<learner>_<class> scores that are no probabilities; a run writes them where they were wanted, and
they are read back to the same numbers.

A learner whose cells are all empty in a split has no prediction there (its fit failed). Where the
empty text is itself a class, the first of ?, ??, ... that is no class takes its place.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer import limits
from cvinfer.arrays import entries
from cvinfer.errors import UserError
from cvinfer.losses import Loss
from cvinfer.losses.kinds import BesideError, refuse_unlike
from cvinfer.partitions import Partition
from cvinfer.partitions.split import Split
from cvinfer.partitions.told import Misfit, Told

from .dataset import Dataset, categories
from .elsewhere import MadeElsewhere
from .files import absent, listed, read_rows
from .prediction_columns import beside_column, find_columns, told_apart
from .splits_file import (
    grouped,
    natural,
    partition_of,
    refuse_one_sided,
    roles_of,
    scheme_labels,
    scheme_of,
    split_names,
    write_file,
)

__all__ = ["PredictionSet", "no_prediction", "read_predictions", "write_predictions"]

TEST, TRAIN, OTHER = "test", "train", "other"
_ROLES = (TEST, TRAIN, OTHER)
#: Records of a split beside which one of a single record is odd.
_MUCH_LARGER = 4

Codes = NDArray[np.int32]
Indices = NDArray[np.int64]
Predictions = Mapping["tuple[str, int]", "Sequence[Codes | None]"]
Table = NDArray[np.float64]
Beside = Mapping["tuple[str, int]", "Sequence[Table | None]"]


@dataclass(frozen=True, eq=False)
class PredictionSet(MadeElsewhere):
    """Predictions that need no fit.

    truth: class code of each record, -1 for a record the file only counts. predictions: by
    (learner, number of the partition) the class codes per split, in the order of `split.test`; None
    where the learner has no prediction. beside: the same with a row of probabilities or scores for
    each test record, a column for each class, for the learners of `beside_kinds`, which says what
    they are.
    """

    name: str
    truth: Codes
    classes: tuple[str, ...]
    learners: tuple[str, ...]
    partitions: tuple[Partition, ...]
    predictions: Predictions
    sha256: str
    source: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    beside: Beside = field(default_factory=dict)
    beside_kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.truth)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def measure(self) -> Loss | None:
        """It brings no scores."""
        return None


def no_prediction(classes: Collection[str]) -> str:
    """The cell of a prediction that is not there: empty, unless that is a class."""
    mark = ""
    while mark in classes:
        mark += "?"
    return mark


# Writing ------------------------------------------------------------------------------------------


def write_predictions(
    path: str | os.PathLike[str],
    dataset: Dataset | PredictionSet,
    partitions: Sequence[Partition],
    predictions: Predictions,
    beside: Beside = MappingProxyType({}),
    beside_kinds: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write what the learners predicted; a name in .gz is packed. Equal content, equal bytes.

    `predictions` and what follows are as in `PredictionSet`. Rows of role `train` are written for
    the splits that do not train on all other records, and rows of role `other` for records that no
    row names.
    """
    learners = list(dict.fromkeys(learner for learner, _ in predictions))
    tables = [learner for learner in learners if learner in beside_kinds]
    more_columns = [
        beside_column(beside_kinds[learner], learner, label)
        for learner in tables
        for label in dataset.classes
    ]
    extra = _extra_rows(partitions, dataset.n)
    roles = bool(extra) or "role" in learners
    header = ["scheme", "replication", "fold", *(["role"] if roles else []), "record", "truth"]
    cells = [_cell(label) for label in dataset.classes]
    mark = _cell(no_prediction(dataset.classes))
    truth = [mark if code < 0 else cells[code] for code in entries(dataset.truth)]
    nothing = "," * (len(learners) + len(more_columns))

    def chunks() -> Iterator[str]:
        yield ",".join([*header, *map(_cell, [*learners, *more_columns])]) + "\n"
        for number, (partition, label) in enumerate(zip(partitions, scheme_labels(partitions))):
            for at, (split, name) in enumerate(zip(partition.splits, split_names(partition))):
                head = f"{label},{name[0]},{name[1]},"
                records = entries(split.test)
                columns = [
                    _predicted(predictions, learner, number, at, cells, mark, len(records))
                    for learner in learners
                ]
                for learner in tables:
                    table = beside.get((learner, number), [None] * (at + 1))[at]
                    columns += _numbers(table, len(records), dataset.n_classes)
                start = f"{head}{TEST}," if roles else head
                yield "".join(
                    [
                        f"{start}{record},{truth[record]},{','.join(row)}\n"
                        for record, *row in zip(records, *columns)
                    ]
                )
                for role, more in extra.get((number, at), ()):
                    yield "".join(
                        [f"{head}{role},{r},{truth[r]}{nothing}\n" for r in entries(more)]
                    )

    write_file(Path(path), chunks())


def _cell(text: str) -> str:
    """A field of a csv file, in quotes where it needs them."""
    if any(char in text for char in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _predicted(
    predictions: Predictions,
    learner: str,
    partition: int,
    split: int,
    cells: list[str],
    mark: str,
    count: int,
) -> list[str]:
    codes = predictions.get((learner, partition), [None] * (split + 1))[split]
    if codes is None:
        return [mark] * count
    if len(codes) != count:
        raise ValueError(
            f"{learner}: {len(codes)} predictions for the {count} test records of split {split}"
        )
    return [cells[code] for code in entries(codes)]


def _numbers(table: Table | None, count: int, classes: int) -> list[list[str]]:
    """Columns of numbers as the shortest texts that are read back as the same numbers."""
    if table is None:
        return [[""] * count] * classes
    return [[repr(each) for each in entries(column)] for column in table.T]


def _extra_rows(
    partitions: Sequence[Partition], n: int
) -> dict[tuple[int, int], list[tuple[str, Indices]]]:
    """By (partition, split) the rows beside the tested records: (role, records)."""
    known = np.zeros(n, dtype=bool)
    extra: dict[tuple[int, int], list[tuple[str, Indices]]] = {}
    for number, partition in enumerate(partitions):
        if (partition.sizes.sum(axis=-1) == n).all():
            # Every record is trained on or tested on, so the tested ones tell the rest.
            for split in () if known.all() else partition.splits:
                known[split.test] = True
            continue
        for at, split in enumerate(partition.splits):
            extra[number, at] = [(TRAIN, split.train)]
            known[split.train] = known[split.test] = True
    unknown = np.flatnonzero(~known)
    if len(unknown):
        extra.setdefault((0, 0), []).append((OTHER, unknown))
    return extra


# Reading ------------------------------------------------------------------------------------------


def read_predictions(
    written: str,
    base: Path,
    *,
    scheme: str | None = None,
    n: int | None = None,
    classes: Sequence[str] | None = None,
    keep: Sequence[object] = (),
    drop: Sequence[object] = (),
    columns_named: Mapping[str, str] | None = None,
    learners: Any = None,
    separator: str = ",",
    encoding: str = "utf-8",
    name: str = "predictions",
    source: Mapping[str, Any] | None = None,
) -> PredictionSet:
    """The predictions of a file.

    scheme: what the splits are, for a file without a scheme column. n: number of all records, if
    there are more than the file names. classes: all classes, if more than the truth shows.
    columns_named, learners: as `find_columns` has them.
    """
    # A learner may be called like one of the fixed columns, which stand first.
    header, rows = read_rows(written, base, separator, encoding, repeats=True)
    where = repr(written)
    columns = find_columns(where, header, columns_named or {}, learners, keep, drop)
    if not rows:
        raise UserError(f"{where} has a header but no predictions", ("path",))
    texts = list(zip(*rows))
    column = {key: texts[at] for key, at in columns.fixed.items()}
    column.setdefault("record", tuple(map(str, range(len(rows)))))

    role = _roles(where, column.get("role"), len(rows))
    order = _record_order(column["record"])
    records, _ = categories(column["record"], order)
    notes: list[str] = []
    tested = role == _ROLES.index(TEST)
    labels, truth = _truth(where, column["truth"], records.astype(np.int64), order, classes, tested)
    total = _total(where, len(order), n)
    limits.records(total, ("n",))

    keys = _keys(column, len(rows))
    parts: list[tuple[str | None, Indices]] = [(scheme, np.arange(len(rows)))]
    if "scheme" in column:
        if scheme is not None:
            raise UserError(
                f"{where} has a column that names the scheme; leave the option out", ("scheme",)
            )
        parts = [(label, found) for label, found in grouped(column["scheme"])]

    partitions: list[Partition] = []
    spots: list[tuple[Indices, Indices]] = []
    for label, found in parts:
        place = where if "scheme" not in column else f"{where}: {label}"
        known = None if label is None else scheme_of(written, label)
        part = _Part(
            place,
            [keys[at] for at in found],
            records[found].astype(np.int64),
            role[found],
            total,
            order,
        )
        partition, split = _partition(part, known)
        if _elsewhere(partition):
            notes.append(_told_elsewhere(columns.one_split, total))
        notes += _odd_splits(part)
        partitions.append(partition)
        spots.append((found, split))
    if "scheme" not in column and scheme is None and not columns.one_split:
        notes.append(f"the splits of the file are read as {partitions[0].scheme_and_shape}")

    truth = np.concatenate([truth, np.full(total - len(truth), -1, dtype=np.int32)])
    found_codes: dict[tuple[str, int], tuple[Codes | None, ...]] = {}
    mark = no_prediction(labels)
    number = {label: at for at, label in enumerate(labels)}
    of_classes, of_numbers = told_apart(where, header, columns, labels, learners, drop)
    tables: dict[tuple[str, int], tuple[Table | None, ...]] = {}
    for learner, at_learner in of_classes.items():
        cells = texts[at_learner]
        codes = _codes(where, learner, cells, number, mark, tested)
        for at, (found, split) in enumerate(spots):
            mine = tested[found]
            found_codes[learner, at] = _per_split(
                f"{where}: {learner!r}",
                partitions[at],
                split[mine],
                records[found][mine],
                codes[found][mine],
            )
        if learner not in of_numbers:
            continue
        kind, places = of_numbers[learner]
        table = _table(where, header, texts, places, tested & (codes >= 0))
        _refuse_unlike(where, learner, table, kind, tested & (codes >= 0))
        for at, (found, split) in enumerate(spots):
            mine = found[tested[found]]
            order_of = np.lexsort((records[mine], split[tested[found]]))
            ends = np.cumsum([len(each.test) for each in partitions[at].splits])[:-1]
            cut = np.split(table[mine[order_of]], ends)
            tables[learner, at] = tuple(
                None if gone is None else rows for gone, rows in zip(found_codes[learner, at], cut)
            )
    names = tuple(of_classes)
    digest = _hash(truth, labels, names, partitions, found_codes, tables)
    return PredictionSet(
        name,
        truth,
        labels,
        names,
        tuple(partitions),
        MappingProxyType(found_codes),
        digest,
        MappingProxyType(dict(source or {})),
        tuple(notes),
        MappingProxyType(tables),
        MappingProxyType({learner: kind for learner, (kind, _) in of_numbers.items()}),
    )


def _roles(where: str, texts: Sequence[str] | None, count: int) -> Codes:
    if texts is None:
        return np.zeros(count, dtype=np.int32)
    wrong = sorted(set(texts) - set(_ROLES))
    if wrong:
        raise UserError(f"{where}: role {listed(wrong)} is none of {', '.join(_ROLES)}", ("path",))
    return categories(texts, _ROLES)[0]


def _record_order(texts: Sequence[str]) -> list[str]:
    """The records by number, or in natural order if one of them is no number."""
    distinct = set(texts)
    try:
        order = sorted(distinct, key=int)
    except ValueError:
        return sorted(distinct, key=natural)
    # 1 and 01 are two names; as numbers they would be one record in two guises.
    return order if len(set(map(int, order))) == len(order) else sorted(distinct, key=natural)


def _truth(
    where: str,
    texts: Sequence[str],
    records: Indices,
    order: list[str],
    classes: Sequence[str] | None,
    tested: NDArray[np.bool_],
) -> tuple[tuple[str, ...], Codes]:
    """The classes and each record's, -1 where no row tells; a record has one truth."""
    unknown_cell = no_prediction({text for text, test in zip(texts, entries(tested)) if test})
    codes, found = categories([None if text == unknown_cell else text for text in texts])
    truth: Codes = np.full(len(order), -1, dtype=np.int32)
    told = codes >= 0
    truth[records[told]] = codes[told]
    differs = told & (truth[records] != codes)
    if differs.any():
        at = int(np.argmax(differs))
        record = records[at]
        raise UserError(
            f"{where}: record {order[record]} has the truth {found[codes[at]]!r} in row {at + 1} "
            f"and {found[truth[record]]!r} in another; a record has one class",
            ("path",),
        )
    labels = found
    if classes is not None:
        for at, label in enumerate(classes):
            if not isinstance(label, str):
                raise UserError(
                    f"classes holds {label!r}, which is no text; put it in quotes", ("classes", at)
                )
        unknown = sorted(set(found) - set(classes))
        if unknown:
            raise UserError(f"{where}: truth {listed(unknown)} is not in classes", ("classes",))
        labels = tuple(sorted(set(classes)))
        number = [*(labels.index(label) for label in found), -1]
        truth = np.array(number, dtype=np.int32)[truth]
    if len(labels) < 2:
        raise UserError(
            f"{where}: the truth holds only the class {listed(labels)}; at least two are needed",
            ("path",),
        )
    return labels, truth


def _total(where: str, named: int, n: int | None) -> int:
    if n is None:
        return named
    if n < named:
        raise UserError(f"n = {n}, but {where} names {named} records", ("n",))
    return n


def _keys(column: Mapping[str, Sequence[str]], count: int) -> list[tuple[str, str]]:
    """(replication, fold) of each row; a file with `split` has one replication so far."""
    if "fold" in column:
        return list(zip(column.get("replication", ("1",) * count), column["fold"]))
    return [("1", split) for split in column.get("split", ("1",) * count)]


class _Part:
    """The rows of one scheme: which split each belongs to, its record and role."""

    def __init__(
        self,
        where: str,
        keys: list[tuple[str, str]],
        records: Indices,
        role: Codes,
        n: int,
        names: Sequence[str],
    ) -> None:
        self.where, self.records, self.n, self.names = where, records, n, names
        distinct = sorted(set(keys), key=lambda key: [natural(word) for word in key])
        number = {key: at for at, key in enumerate(distinct)}
        self.keys = distinct
        self.split = np.fromiter(map(number.__getitem__, keys), dtype=np.int64, count=len(keys))
        self.test = role == _ROLES.index(TEST)
        self.train = role == _ROLES.index(TRAIN)
        self.sizes = np.bincount(self.split[self.test], minlength=len(distinct))

    @property
    def alone(self) -> bool:
        return len(self.keys) == 1 and not self.train.any()

    def name(self, at: int) -> str:
        replication, fold = self.keys[at]
        return f"split {fold}" if replication == "1" else f"replication {replication}, fold {fold}"

    def record(self, at: int) -> str:
        """What the file calls a record; those it does not name have none."""
        return self.names[at] if at < len(self.names) else f"number {at}, which the file lacks,"

    def refuse_twice(self) -> None:
        at = np.sort(self.split[self.test] * self.n + self.records[self.test])
        twice = at[1:][at[1:] == at[:-1]]
        if twice.size:
            split, record = divmod(int(twice[0]), self.n)
            raise UserError(
                f"{self.where}: record {self.record(record)} is tested more than once in "
                f"{self.name(split)}",
                ("path",),
            )

    def regroup(self, replications: Sequence[int]) -> None:
        """Call the splits by replication and fold; `replications` has the folds of each."""
        self.keys = [
            (str(at + 1), str(fold + 1)) for at, k in enumerate(replications) for fold in range(k)
        ]


def _partition(part: _Part, scheme: str | None) -> tuple[Partition, Indices]:
    """The partition of a part, and the number of the split that each row belongs to."""
    if (part.sizes == 0).any():
        raise UserError(
            f"{part.where}: {part.name(int(np.argmin(part.sizes)))} tests no record", ("path",)
        )
    part.refuse_twice()
    one = len({key[0] for key in part.keys}) == 1
    if one or scheme is None:
        scheme = _guess(part, scheme)
    if scheme == "holdout" and part.alone and part.sizes[0] == part.n:
        # Nothing of the file is left to be trained on.
        tested = Split.tested(np.arange(part.n))
        return Partition(scheme, part.n, (), (tested,), 0, {"n1": 0}), part.split
    return partition_of(scheme, _Told(part), part.where), part.split


def _elsewhere(partition: Partition) -> bool:
    """Whether the learners were trained on records that are not in the file."""
    return partition.scheme == "holdout" and not partition.sizes[0]


def _told_elsewhere(one_split: bool, n: int) -> str:
    begin = ""
    if one_split:
        begin = f"the file names no splits, so that its {n:,} records are one hold-out; "
    return (
        f"{begin}the file does not say on which records the learners were trained (n: the number of"
        " all records says on how many)"
    )


def _odd_splits(part: _Part) -> list[str]:
    """Splits of one record beside much larger ones: a label that was mistyped makes such a one.

    Refused where the other labels are numbers and this is none; otherwise it may be meant.
    """
    labels = [fold for _, fold in part.keys]
    notes = []
    for at in map(int, np.flatnonzero(part.sizes == 1)):
        others = np.delete(part.sizes, at)
        if len(others) < 2 or np.median(others) < _MUCH_LARGER:
            continue
        numbers = [label.strip().isdecimal() for label in labels]
        message = (
            f"{part.name(at)} tests one record, the others {others.min()} to {others.max()}: is"
            " its label mistyped?"
        )
        if not numbers[at] and all(numbers[:at] + numbers[at + 1 :]):
            raise UserError(f"{part.where}: {message}", ("path",))
        notes.append(message)
    return notes


def _replications(part: _Part) -> list[int] | None:
    """How many consecutive splits make each replication that tests every record once."""
    n = part.n
    order = np.argsort(part.split[part.test], kind="stable")
    records = part.records[part.test][order]
    if len(records) % n:
        return None
    ends = np.cumsum(part.sizes)
    whole = np.flatnonzero(ends % n == 0)
    if len(whole) != len(records) // n:
        return None
    if (np.sort(records.reshape(-1, n), axis=1) != np.arange(n)).any():
        return None
    return [int(k) for k in np.diff(np.concatenate([[-1], whole]))]


def _guess(part: _Part, scheme: str | None) -> str:
    """The scheme of splits that are only numbered, regrouped into its replications."""
    folds = None if part.train.any() else _replications(part)
    even = folds is not None and len(set(folds)) == 1 and folds[0] > 1
    if scheme is None:
        if folds is None or not even:
            scheme = "holdout" if len(part.keys) == 1 else "repeated_holdout"
        elif len(folds) == 1:
            scheme = "loo" if folds[0] == part.n else "kfold"
        elif folds[0] == 2:
            halves = (np.abs(2 * part.sizes - part.n) <= 1).all()
            scheme = "random_mx2" if halves else "repeated_kfold"
        else:
            scheme = "repeated_kfold"
    if scheme == "repeated_holdout":
        part.regroup([1] * len(part.keys))
    elif scheme in ("random_mx2", "blocked_mx2"):
        if len(part.keys) % 2:
            raise UserError(
                f"{part.where}: {scheme} needs two splits a replication, but there are "
                f"{len(part.keys)}",
                ("scheme",),
            )
        part.regroup([2] * (len(part.keys) // 2))
    elif scheme == "repeated_kfold":
        if folds is None or not even:
            raise UserError(
                f"{part.where}: the splits do not make replications that test every record once",
                ("scheme",),
            )
        part.regroup(folds)
    return scheme


class _Told(Told):
    """The splits of a part. The folds are told by the tested records alone where it has no others,
    without a table of all roles."""

    def __init__(self, part: _Part) -> None:
        super().__init__(part.n, part.keys, lambda: _all_roles(part))
        self.part = part

    def folds(self, scheme: str) -> Indices:
        part = self.part
        if part.train.any():
            return super().folds(scheme)
        k = self.folds_each(scheme)
        r = len(self.counts)
        replication, fold = np.divmod(part.split[part.test], k)
        at = replication * part.n + part.records[part.test]
        times = np.bincount(at, minlength=r * part.n)
        if (times != 1).any():
            first = int(np.argmax(times != 1))
            raise Misfit(
                f"record {part.record(first % part.n)} is tested {times[first]} times in "
                f"replication {first // part.n + 1}; {scheme} tests every record once"
            )
        folds = np.empty(r * part.n, dtype=np.int64)
        folds[at] = fold
        return folds.reshape(r, part.n)


def _all_roles(part: _Part) -> NDArray[np.uint8]:
    """Roles of all records in all splits; without rows that say so, all others are trained on."""
    used = part.test | part.train
    marks = len(part.keys) * part.n
    limits.room(marks // 8, f"{len(part.keys):,} splits of {part.n:,} records", ("n",))
    names = [part.name(at) for at in range(len(part.keys))]
    role = np.where(part.test, 2, 1)[used]
    roles = roles_of(
        part.where, names, part.split[used], part.records[used], role, part.n, part.names
    )
    silent = ~(roles == 1).any(axis=1)
    roles[silent] = np.where(roles[silent] == 0, 1, roles[silent])
    refuse_one_sided(part.where, part.keys, roles)
    return roles


def _codes(
    where: str,
    learner: str,
    cells: Sequence[str],
    number: Mapping[str, int],
    mark: str,
    tested: NDArray[np.bool_],
) -> Codes:
    """Class codes of a learner's cells, -1 for no prediction."""
    known = {**number, mark: -1}
    found = [known.get(cell, -2) for cell in cells]
    codes = np.array(found, dtype=np.int32)
    wrong = (codes == -2) & tested
    if wrong.any():
        at = int(np.argmax(wrong))
        fault = (
            f"{where}: {learner!r} predicts {cells[at]!r} in row {at + 1}, which is no class of "
            "the truth; if it is a class, say classes: [...], and if the column is no learner's, "
            "say learners: [...] without it"
        )
        raise absent(fault, ("path",), cells[at], number)
    return codes


def _table(
    where: str,
    header: Sequence[str],
    texts: Sequence[Sequence[str]],
    places: Sequence[int],
    needed: NDArray[np.bool_],
) -> Table:
    """The numbers of some columns; only rows with a prediction have any."""
    table = np.zeros((len(needed), len(places)))
    rows = np.flatnonzero(needed)
    for column, place in enumerate(places):
        cells = texts[place]
        for row in entries(rows):
            try:
                table[row, column] = float(cells[row])
            except ValueError:
                raise UserError(
                    f"{where}: {header[place]!r} holds {cells[row]!r} in row {row + 1}, which is no"
                    " number",
                    ("path",),
                ) from None
    return table


def _refuse_unlike(
    where: str, learner: str, table: Table, kind: str, needed: NDArray[np.bool_]
) -> None:
    rows = np.flatnonzero(needed)
    try:
        refuse_unlike(table[rows], kind)
    except BesideError as error:
        raise UserError(
            f"{where}: the {kind} of {learner!r} in row {rows[error.at] + 1} are {error}", ("path",)
        ) from None


def _per_split(
    where: str, partition: Partition, split: Indices, records: Codes, codes: Codes
) -> tuple[Codes | None, ...]:
    """The codes cut into splits, by record; None where a split has no prediction at all."""
    order = np.argsort(split * partition.n + records, kind="stable")
    codes, split = codes[order], split[order]
    sizes = np.bincount(split, minlength=len(partition.splits))
    absent = np.bincount(split, weights=codes < 0, minlength=len(partition.splits)).astype(np.int64)
    partly = (absent > 0) & (absent < sizes)
    if partly.any():
        at = int(np.argmax(partly))
        replication, fold = split_names(partition)[at]
        raise UserError(
            f"{where} has no prediction for {absent[at]} of the {sizes[at]} records tested in "
            f"replication {replication}, fold {fold}; a split has all or none",
            ("path",),
        )
    cut = np.split(codes, np.cumsum(sizes)[:-1])
    return tuple(None if gone else piece for gone, piece in zip(entries(absent), cut))


def _hash(
    truth: Codes,
    classes: Sequence[str],
    learners: Sequence[str],
    partitions: Sequence[Partition],
    predictions: Predictions,
    beside: Beside,
) -> str:
    """sha256 of the content: classes, truth, splits and predictions, however they were stored."""
    digest = hashlib.sha256(b"cvinfer predictions 1\n")
    for words in (
        classes,
        learners,
        [f"{partition.scheme} {partition.fingerprint}" for partition in partitions],
    ):
        digest.update(len(words).to_bytes(8, "little"))
        for word in words:
            coded = word.encode()
            digest.update(len(coded).to_bytes(8, "little") + coded)
    digest.update(truth.astype("<i4").tobytes())
    for learner in learners:
        for partition in range(len(partitions)):
            for codes in predictions[learner, partition]:
                digest.update(b"\0" if codes is None else b"\1" + codes.astype("<i4").tobytes())
    for tables in beside.values():
        for table in tables:
            digest.update(b"\2" if table is None else b"\3" + table.astype("<f8").tobytes())
    return digest.hexdigest()
