"""Records that belong together, such as those of one patient: read from a column, kept by schemes.

The column is no feature. Every record has a group; one that belongs to no other has a label of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError
from cvinfer.partitions import PartitionError, Partition

from .dataset import NUMERIC, Column, Dataset, Groups, Texts, categories
from .files import absent
from .table import Table

__all__ = [
    "drop_or_refuse",
    "group_column",
    "group_places",
    "groups_note",
    "read_groups",
    "refuse_cut_groups",
]


def group_places(spec: Mapping[str, Any], asked: Iterable[str]) -> dict[str, tuple[object, ...]]:
    """The columns that hold groups, with the path of a fault in them.

    That is `("groups",)` for what the data mapping itself names, and `("groups", column)` for what
    was `asked` for from elsewhere: a partition can have groups of its own.
    """
    places: dict[str, tuple[object, ...]] = {column: ("groups", column) for column in asked}
    if spec.get("groups") is not None:
        places[str(spec["groups"])] = ("groups",)
    return places


def read_groups(
    table: Table, places: Mapping[str, tuple[object, ...]], drop: Sequence[object], notes: list[str]
) -> list[Groups]:
    """The groups of each column, -1 where a record has none."""
    found = []
    for column, path in places.items():
        if column == table.target:
            raise UserError(
                f"groups is the target {column!r}; name the column that says which records belong "
                "together",
                path,
            )
        if column not in table.columns:
            fault = f"groups: there is no column {column!r}"
            raise absent(fault, path, column, table.columns)
        if column in drop:
            raise UserError(
                f"drop holds the column {column!r}, which groups needs; it is no feature anyway, "
                "so take it out of drop",
                ("drop", list(drop).index(column)),
            )
        found.append(_groups(table, column, notes))
    return found


def _groups(table: Table, column: str, notes: list[str]) -> Groups:
    if table.texts is None:
        return Groups(column, _codes(table.columns[column]()))
    # As written: numbers would make one group of 7 and 07, or of long ones that differ at the end.
    found = Texts(*categories(table.texts(column)))
    codes, labels = categories(found.mapped(lambda text: text if text.strip() else None))
    alike: dict[str, str] = {}
    for label in labels:
        other = alike.setdefault(label.strip().casefold().lstrip("0"), label)
        if other != label:
            notes.append(
                f"groups {other!r} and {label!r} of column {column!r} differ by blanks, case or "
                "leading zeros only; they are taken for two groups"
            )
            break
    return Groups(column, codes)


def _codes(column: Column) -> Any:
    present = ~column.missing
    codes = np.full(len(column.values), -1, dtype=np.int32)
    # Zero has two signs and one value.
    values = column.values + 0.0 if column.kind == NUMERIC else column.values
    codes[present] = np.unique(values[present], return_inverse=True)[1]
    return codes


def drop_or_refuse(
    groups: Sequence[Groups],
    places: Mapping[str, tuple[object, ...]],
    missing: str | None,
    labelled: NDArray[np.bool_],
) -> NDArray[np.bool_] | None:
    """Which records have to go for want of a group, or None; without `missing: drop` a fault.

    Those that have no label go anyway.
    """
    holes = {each.name: (each.codes < 0) & labelled for each in groups}
    bare = {name: hole for name, hole in holes.items() if hole.any()}
    if not bare:
        return None
    for name, hole in bare.items():
        if hole.sum() == labelled.sum():
            raise UserError(
                f"groups: column {name!r} has no value in any record; name another", places[name]
            )
        if missing != "drop":
            raise UserError(
                f"groups: column {name!r} is missing in {int(hole.sum())} of {len(hole)} records; "
                "give each of them a group, one of its own if it belongs to no other, or say "
                "missing: drop to leave them out",
                places[name],
            )
    return np.asarray(np.logical_or.reduce(list(bare.values())))


def groups_note(groups: Groups) -> str:
    """What a reader should know of the groups of a data set."""
    sizes = np.bincount(groups.codes)
    low, high = int(sizes.min()), int(sizes.max())
    each = f"{low} to {high} records" if low < high else f"{low} record{'s' if low > 1 else ''}"
    return (
        f"{len(sizes)} group{'s' if len(sizes) > 1 else ''} by {groups.name!r}, {each} each: in a "
        "grouped partition no group is both trained on and tested on. The tests still take records "
        "for independent: where those of a group are alike, p-values come out too small, those of "
        "tests that count records (McNemar, z) most of all"
    )


def group_column(asked: Any, of_data: str | None) -> str | None:
    """The column that a scheme groups by: its own, else that of the data; False stands for none."""
    if asked is None:
        return of_data
    return None if asked is False else str(asked)


def refuse_cut_groups(partition: Partition, data: Dataset, column: str | None) -> None:
    """Refuse splits that were made before if one of them cuts a group."""
    groups = data.groups_by(column)
    cut = None if groups is None else partition.cut_group(groups)
    if cut is None:
        return
    at, group = cut
    both = np.flatnonzero(groups == group)
    roles = partition.splits[at].roles(partition.n)[both]
    raise PartitionError(
        f"{partition.scheme} cuts groups: its split {at + 1} trains on record "
        f"{both[roles == 1][0]} and tests record {both[roles == 2][0]}, which are of one "
        f"group by {column!r}"
    )
