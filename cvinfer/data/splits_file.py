"""Partitions as a csv file: scheme, replication, fold, role, record.

One row per record and split, role `train` or `test`; records that a split does not use have no row.
Replications and folds count from 1, records from 0 in the order of the data set (after its own
dropping and sampling). The fold column numbers the splits inside a replication:

| scheme | replication | fold |
|---|---|---|
| holdout, kfold, loo | 1 | 1..K |
| repeated_holdout | 1..J | 1 |
| repeated_kfold, random_mx2, blocked_mx2, overlapping_mx2 | 1..R | 1..K |
| paired_halves | halving/half, such as 3/1 | hold-out inside the half |

Two partitions of one scheme in a file are told apart as `kfold` and `kfold#2`.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cvinfer.arrays import entries
from cvinfer.errors import UserError
from cvinfer.partitions import PartitionError, Partition, schemes
from cvinfer.partitions.registry import readable
from cvinfer.partitions.told import Misfit, Told
from cvinfer.whole import whole

from .dataset import categories
from .files import absent, listed, read_rows, unknown

__all__ = ["COLUMNS", "partition_of", "read_splits", "split_names", "write_file", "write_splits"]

COLUMNS = ("scheme", "replication", "fold", "role", "record")
_ROLES = ("train", "test")

Indices = NDArray[np.int64]
Roles = NDArray[np.uint8]


# Writing ------------------------------------------------------------------------------------------


def write_splits(partitions: Sequence[Partition], path: str | os.PathLike[str]) -> None:
    """Write the partitions; a name in .gz is packed. The same partitions give the same bytes."""

    def chunks() -> Iterator[str]:
        yield ",".join(COLUMNS) + "\n"
        for partition, label in zip(partitions, scheme_labels(partitions)):
            for split, (replication, fold) in zip(partition.splits, split_names(partition)):
                for role in _ROLES:
                    head = f"{label},{replication},{fold},{role},"
                    records: Indices = getattr(split, role)
                    yield "".join([f"{head}{record}\n" for record in entries(records)])

    write_file(Path(path), chunks())


def write_file(path: Path, chunks: Iterator[str]) -> None:
    """Text to a file that appears whole or not at all; packed without a time if it ends in .gz."""
    with whole(path) as raw:
        if path.suffix == ".gz":
            # Neither name nor time go into the header: equal content, equal bytes.
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
                for chunk in chunks:
                    packed.write(chunk.encode())
        else:
            for chunk in chunks:
                raw.write(chunk.encode())


def scheme_labels(partitions: Sequence[Partition]) -> list[str]:
    """The scheme of each partition, numbered where one occurs again."""
    seen: dict[str, int] = {}
    labels = []
    for partition in partitions:
        seen[partition.scheme] = seen.get(partition.scheme, 0) + 1
        count = seen[partition.scheme]
        labels.append(partition.scheme if count == 1 else f"{partition.scheme}#{count}")
    return labels


def split_names(partition: Partition) -> list[tuple[str, int]]:
    """Replication and fold of each split, in the order of the splits."""
    shape = partition.shape
    if partition.replicated_by is None:
        # The one axis, if there is one, holds the folds of the only replication.
        return [("1", fold + 1) for fold in range(len(partition.splits))]
    if len(shape) == 1:
        return [(str(at + 1), 1) for at in range(shape[0])]
    names = []
    for index in np.ndindex(*shape):
        names.append(("/".join(str(at + 1) for at in index[:-1]), index[-1] + 1))
    return names


# Reading ------------------------------------------------------------------------------------------


def read_splits(path: str | os.PathLike[str], n: int) -> list[Partition]:
    """The partitions of a file for n records; what does not fit is refused with its place."""
    written = os.fspath(path)
    header, rows = read_rows(written, Path())
    for name in COLUMNS:
        if name not in header:
            fault = f"{written!r} has no column {name!r}; a splits file has {', '.join(COLUMNS)}"
            raise absent(fault, ("path",), name, header)
    if not rows:
        raise UserError(f"{written!r} has a header but no splits", ("path",))
    column = dict(zip(header, zip(*rows)))
    roles, found = categories(column["role"])
    wrong = [role for role in found if role not in _ROLES]
    if wrong:
        raise UserError(f"{written!r}: role {listed(wrong)} is neither train nor test", ("path",))
    records = whole_numbers(written, "record", column["record"])
    outside = (records < 0) | (records >= n)
    if outside.any():
        first = int(np.argmax(outside))
        hint = " (records count from 0)" if int(records.max()) == n and records.min() == 1 else ""
        raise UserError(
            f"{written!r}: record {records[first]} in row {first + 1} of the splits, but the data "
            f"has records 0 to {n - 1}{hint}",
            ("path",),
        )
    is_test = np.array([role == "test" for role in found])[roles]
    partitions = []
    for label, where in grouped(column["scheme"]):
        partitions.append(_partition(written, label, where, column, records, is_test, n))
    return partitions


def grouped(labels: Sequence[str]) -> list[tuple[str, Indices]]:
    """Each label with the rows it is in, in the order of first appearance."""
    order = list(dict.fromkeys(labels))
    codes, _ = categories(labels, order)
    rows = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(order)))
    return list(zip(order, np.split(rows, ends[:-1])))


def whole_numbers(written: str, name: str, texts: Sequence[str]) -> Indices:
    """A column of whole numbers; the first other entry is named."""
    try:
        return np.fromiter(map(int, texts), dtype=np.int64, count=len(texts))
    except (ValueError, OverflowError):
        for at, text in enumerate(texts):
            if not text.strip().lstrip("+-").isdecimal() or len(text) > 18:
                break
        raise UserError(
            f"{written!r}: {name} {text!r} in row {at + 1} is no whole number", ("path",)
        ) from None


def scheme_of(written: str, label: str) -> str:
    """The scheme of a label such as kfold#2."""
    name, mark, count = label.partition("#")
    if name not in schemes() or (mark and not count.isdecimal()):
        raise unknown(f"{written!r}: there is no scheme {name!r}", ("path",), name, schemes())
    return name


def _partition(
    written: str,
    label: str,
    where: Indices,
    column: Mapping[str, Sequence[str]],
    records: Indices,
    is_test: NDArray[np.bool_],
    n: int,
) -> Partition:
    scheme = scheme_of(written, label)
    names = list(zip(*([column[key][at] for at in where] for key in ("replication", "fold"))))
    keys = sorted(set(names), key=lambda key: [natural(part) for part in key])
    number = {key: at for at, key in enumerate(keys)}
    split = np.fromiter(map(number.__getitem__, names), dtype=np.int64, count=len(names))
    roles = roles_of(
        f"{written!r}: {label}",
        [f"replication {a}, fold {b}" for a, b in keys],
        split,
        records[where],
        np.where(is_test[where], 2, 1),
        n,
    )
    refuse_one_sided(f"{written!r}: {label}", keys, roles)
    return partition_of(scheme, Told(n, keys, lambda: roles), f"{written!r}: {label}")


def roles_of(
    where: str,
    names: Sequence[str],
    split: Indices,
    records: Indices,
    role: Indices,
    n: int,
    called: Sequence[str] | None = None,
) -> Roles:
    """(splits, n): 0 unused, 1 train, 2 test; a record may stand once in a split.

    `names` are the splits' and `called` the records' names in messages.
    """
    at = split * n + records
    order = np.sort(at)
    twice = order[1:][order[1:] == order[:-1]]
    if twice.size:
        first = int(twice[0])
        kinds = role[at == first]
        fault = (
            "is both trained on and tested on"
            if len(set(kinds.tolist())) > 1
            else f"stands {len(kinds)} times as {_ROLES[int(kinds[0]) - 1]}"
        )
        record = called[first % n] if called is not None else first % n
        raise UserError(
            f"{where}: record {record} {fault} in {names[first // n]}; a record has one role in "
            "a split",
            ("path",),
        )
    roles = np.zeros(len(names) * n, dtype=np.uint8)
    roles[at] = role
    return roles.reshape(len(names), n)


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts r2 before r10."""
    parts: list[tuple[int, int, str]] = []
    word = ""
    for char in text + "\0":
        digit = char.isascii() and char.isdigit()
        if word and digit != (word[-1].isascii() and word[-1].isdigit()):
            parts.append(_number(word) if word.isascii() and word.isdigit() else (1, 0, word))
            word = ""
        word += char
    return parts


def _number(digits: str) -> tuple[int, int, str]:
    # By length first: of any number of digits, which int() has a limit for.
    value = digits.lstrip("0")
    return 0, len(value), value


# From roles to a partition ------------------------------------------------------------------------


def partition_of(scheme: str, told: Told, where: str) -> Partition:
    """The partition of that scheme whose splits a file tells.

    What the scheme promises is checked: a K-fold tests every record once, halves are each other's
    training sets, and so on.
    """
    build = schemes()[scheme].from_roles
    if build is None:
        raise UserError(
            f"{where}: splits of {scheme} cannot be read; {', '.join(readable)} can", ("path",)
        )
    try:
        return build(told)
    except (Misfit, PartitionError) as fault:
        raise UserError(f"{where}: {fault}", ("path",)) from None


def refuse_one_sided(where: str, keys: Sequence[Sequence[str]], roles: Roles) -> None:
    """Refuse a split that trains on nothing or tests nothing."""
    for at, row in enumerate(roles):
        for role, name in enumerate(_ROLES, 1):
            if not (row == role).any():
                replication, fold = keys[at]
                raise UserError(
                    f"{where}: replication {replication}, fold {fold} has no {name} records",
                    ("path",),
                )
