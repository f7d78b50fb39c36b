"""What a source of records hands over before columns are chosen and records are dropped."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError

from .dataset import NUMERIC, Column, Rights
from .files import absent, listed

__all__ = ["Rights", "Table", "choose", "column_of", "names_in", "numbers"]

# Anything else cannot be part of a number; Python's own float also takes 'nan' and '1_000'.
_NO_NUMBER = re.compile(r"[^0-9eE.+\-\s]")
_FEW, _MANY = 3, 10


@dataclass(frozen=True)
class Table:
    """Records as a source has them.

    columns: the features by name, each made when it is asked for, so that a dropped column costs
    nothing. labels: the class of each record as written; None = it has none. class_levels: the
    labels that the source declares, in its order. texts: the entries of a column as written, None =
    missing, where a source knows them and turning them into numbers can lose something. rights:
    licence and citation, where a source knows them.
    """

    name: str
    columns: Mapping[str, Callable[[], Column]]
    labels: Sequence[str | None]
    target: str
    notes: tuple[str, ...] = ()
    class_levels: tuple[str, ...] = ()
    texts: Callable[[str], Sequence[str | None]] | None = None
    rights: Rights = Rights()

    @property
    def n(self) -> int:
        return len(self.labels)


def numbers(texts: Sequence[str], decimal: str = ".") -> list[float] | None:
    """The texts as numbers if every one of them is finite, else None."""
    joined = "\n".join(texts)
    if decimal != ".":
        # A point is no part of a number then: it may stand between thousands.
        joined = joined.translate({ord(decimal): ".", ord("."): "x"})
    if _NO_NUMBER.search(joined):
        return None
    try:
        plain = texts if decimal == "." else [text.replace(decimal, ".") for text in texts]
        found = list(map(float, plain))
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None


def nearly_numeric(column: Column) -> str | None:
    """A note on a column that a few texts keep from being numeric, as '?' often does."""
    odd = _odd_texts(column)
    if not odd:
        return None
    return f"column {column.name!r} is categorical: {_no_numbers(column, odd)}"


def _odd_texts(column: Column) -> list[str]:
    """The few texts that keep a column from being numeric; none if there are many of them."""
    if column.kind == NUMERIC or not column.levels:
        return []
    odd = list(itertools.islice(_not_numbers(column.levels), _FEW + 1))
    if len(odd) > _FEW or len(column.levels) - len(odd) < _MANY:
        return []
    return odd if 2 * _count(column, odd) < len(column.values) else []


def _not_numbers(texts: Sequence[str]) -> Iterator[str]:
    """Those that are no numbers, in their order; many that are cost little."""
    if numbers(texts) is not None:
        return
    if len(texts) == 1:
        yield texts[0]
        return
    half = len(texts) // 2
    yield from _not_numbers(texts[:half])
    yield from _not_numbers(texts[half:])


def _count(column: Column, texts: Sequence[str]) -> int:
    return int(np.isin(column.values, [column.levels.index(text) for text in texts]).sum())


def _no_numbers(column: Column, odd: list[str]) -> str:
    return (
        f"{_count(column, odd)} of {len(column.values)} entries are no numbers ({listed(odd)}); if "
        f"they mean missing, say na: {odd!r}"
    )


def text_fault(column: Column, na: bool) -> str | None:
    """What is wrong with a column whose texts can be no categories, since no other record has them.

    That is text which differs in every record, and measurements among which a few are no numbers:
    a learner would meet next to none of the training records' categories in the test records.
    na: the source can be told which texts mean missing.
    """
    odd = measured_but(column) if na else []
    if odd:
        return (
            f"column {column.name!r} holds text where learners need numbers: "
            f"{_no_numbers(column, odd)}, or else drop: [{column.name}]"
        )
    if column.kind == NUMERIC:
        return None
    present, different = _variety(column)
    if present < _MANY or different < present:
        return None
    return (
        f"column {column.name!r} holds text where learners need numbers or categories: it differs "
        f"in each of {present} records; say drop: [{column.name}]"
    )


def measured_but(column: Column) -> list[str]:
    """The few texts among what is otherwise a measurement: numbers that seldom occur again."""
    odd = _odd_texts(column)
    if not odd:
        return []
    present, different = _variety(column)
    return odd if 2 * different > present else []


def _variety(column: Column) -> tuple[int, int]:
    """How many records have a value of a categorical column, and how many values there are."""
    counts = np.bincount(column.values[~column.missing])
    return int(counts.sum()), int(np.count_nonzero(counts))


def column_of(names: Sequence[str], wanted: str, key: str, what: str) -> None:
    """Refuse a column that is not there."""
    if wanted not in names:
        raise absent(f"{what} has no column {wanted!r}", (key,), wanted, names)


def names_in(key: str, values: Sequence[object]) -> list[str]:
    """The column names of `keep` or `drop`."""
    for at, value in enumerate(values):
        if not isinstance(value, str):
            raise UserError(
                f"{key} holds {value!r}, which is no text; write '{value}' in quotes", (key, at)
            )
    return [str(value) for value in values]


def choose(
    names: Sequence[str],
    target: str | None,
    keep: Sequence[object],
    drop: Sequence[object],
    groups: Collection[str] = (),
) -> list[str]:
    """The feature columns that stay, in the order of the source.

    An empty `keep` keeps all. Names that are not there are refused, and so is dropping the target.
    Columns of `groups` are no features.
    """
    for key, values in (("keep", keep), ("drop", drop)):
        for at, name in enumerate(names_in(key, values)):
            if name == target:
                if key == "keep":
                    continue
                raise UserError(f"drop holds the target {name!r}; it cannot go", (key, at))
            if name not in names:
                raise absent(f"{key}: there is no column {name!r}", (key, at), name, names)
    features = [name for name in names if name != target and name not in groups]
    stay = [name for name in features if not keep or name in keep]
    return [name for name in stay if name not in drop]


def numeric(name: str, values: NDArray[np.float64]) -> Callable[[], Column]:
    """A numeric column that is at hand already."""
    return lambda: Column(name, NUMERIC, values)
