"""What OpenML's tasks and suites say, and the splits of a task: reading, no fetching."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cvinfer import limits
from cvinfer.arrays import entries
from cvinfer.errors import UserError
from cvinfer.foreign import cut, quoted
from cvinfer.partitions import Partition
from cvinfer.partitions.told import Told

from .splits_file import partition_of, refuse_one_sided, roles_of

#: OpenML's number of supervised classification among the types of tasks.
CLASSIFICATION = "1"
#: Estimation procedures whose splits are partitions; others draw records twice, or in an order.
CROSS_VALIDATION = ("crossvalidation", "leaveoneout")
HOLDOUT = ("holdout", "holdout_ordered", "customholdout")

_ATTRIBUTE = re.compile(r"^\s*@attribute\s+['\"]?(\w+)", re.IGNORECASE)
_DATA = re.compile(r"^\s*@data\b", re.IGNORECASE)
#: Lines of a header; those of OpenML's splits have fewer than ten.
_MOST_HEADER = 1000
_COUNTED = ("rowid", "repeat", "fold")
_ROLES = {"TRAIN": 1, "TEST": 2}

Indices = NDArray[np.int64]


class Task(NamedTuple):
    """A task of classification: its data set, its class column, and how it is estimated.

    procedure: the kind of its splits, empty where it names none. splits: their address.
    """

    data: int
    target: str
    procedure: str = ""
    splits: str = ""


class NotSo(Exception):
    """An answer that is not of the form that OpenML documents, or not what is asked for."""


def task_of(found: Mapping[str, Any]) -> Task:
    """A task, from the answer of /task/N."""
    if str(found.get("task_type_id", CLASSIFICATION)) != CLASSIFICATION:
        kind = found.get("task_type") or f"of type {found['task_type_id']}"
        raise NotSo(f"is {quoted(str(kind))}; classifiers are compared here")
    parts = {str(each.get("name")): each for each in _each(found.get("input"))}
    source = _inside(parts, "source_data", "data_set")
    estimation = parts.get("estimation_procedure", {}).get("estimation_procedure")
    estimation = estimation if isinstance(estimation, Mapping) else {}
    return Task(
        _whole(source, "data_set_id"),
        str(source.get("target_feature") or ""),
        str(estimation.get("type") or ""),
        str(estimation.get("data_splits_url") or ""),
    )


def members_of(found: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
    """The members of a suite, from the answer of /study/N: "task" or "id", and their numbers."""
    for key, part, each in (("task", "tasks", "task_id"), ("id", "data", "data_id")):
        numbers = _each((found.get(part) or {}).get(each) if isinstance(found, Mapping) else None)
        if numbers:
            known = dict.fromkeys(_number(number, each) for number in numbers)
            return key, tuple(known)
    raise NotSo("has neither tasks nor data sets")


def _each(value: Any) -> Sequence[Any]:
    """OpenML has the one thing itself where there could be several."""
    if value is None:
        return ()
    return value if isinstance(value, list) else [value]


def _inside(parts: Mapping[str, Any], name: str, key: str) -> Mapping[str, Any]:
    found = parts.get(name, {}).get(key)
    if not isinstance(found, Mapping):
        raise NotSo(f"has no input {name!r}")
    return found


def _whole(found: Mapping[str, Any], key: str) -> int:
    return _number(found.get(key), key)


def _number(value: Any, key: str) -> int:
    text = str(value)
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 18 and int(text) > 0):
        raise NotSo(f"has {quoted(text)} where {key} should be a number")
    return int(text)


# --- splits ---------------------------------------------------------------------------------------


def partition_told(content: bytes, procedure: str, n: int, where: str) -> Partition:
    """The partition of a file of splits: arff with type, rowid, repeat and fold of each record.

    Cross-validation becomes kfold, repeated_kfold, random_mx2 or loo by what it is; a hold-out
    holdout or repeated_holdout. What is wrong is a `UserError` without a path.
    """
    if procedure and procedure not in (*CROSS_VALIDATION, *HOLDOUT):
        raise UserError(
            f"{where} are {quoted(procedure)}; there is no test for such splits",
            allowed="another partition, or a task of crossvalidation or holdout",
        )
    try:
        kind, columns = _rows(content, where)
        rows, repeat, fold = (columns[name] for name in _COUNTED)
        outside = (rows < 0) | (rows >= n)
        if outside.any():
            raise NotSo(f"name record {rows[outside][0]}, but the data has records 0 to {n - 1}")
        pairs, split = np.unique(np.stack([repeat, fold]), axis=1, return_inverse=True)
        keys = [(str(r + 1), str(f + 1)) for r, f in entries(pairs.T)]
        limits.room(len(keys) * n // 8, f"{where} are {len(keys):,} on {n:,} records and")
        names = [f"repeat {a}, fold {b}" for a, b in keys]
        roles = roles_of(where, names, split.reshape(-1), rows, kind, n)
        refuse_one_sided(where, keys, roles)
        scheme = _scheme(procedure, keys, roles)
        if scheme == "repeated_holdout":
            keys = [(str(at + 1), "1") for at in range(len(keys))]
        return partition_of(scheme, Told(n, keys, lambda: roles), where)
    except NotSo as fault:
        raise UserError(f"{where} {fault}") from None
    except UserError as error:
        raise UserError(error.message, allowed=error.allowed) from None


def _scheme(procedure: str, keys: Sequence[tuple[str, str]], roles: NDArray[np.uint8]) -> str:
    """What the splits are; those that nobody names are told by whether they test all records."""
    folds = [first for first, _ in keys].count(keys[0][0])
    crossed = procedure in CROSS_VALIDATION
    if not procedure:
        tested = (roles == 2).sum(axis=0)
        crossed = folds > 1 and bool((tested == len(keys) // folds).all())
    if not crossed:
        return "holdout" if len(keys) == 1 else "repeated_holdout"
    if folds == roles.shape[1]:
        return "loo"
    if len(keys) == folds:
        return "kfold"
    sizes = (roles == 2).sum(axis=1)
    halves = folds == 2 and bool((np.abs(2 * sizes - roles.shape[1]) <= 1).all())
    return "random_mx2" if halves else "repeated_kfold"


def _rows(content: bytes, where: str) -> tuple[Indices, dict[str, Indices]]:
    """The role of each row, and its numbers."""
    names, start = _header(content)
    lacking = [name for name in ("type", *_COUNTED) if name not in names]
    if lacking:
        raise NotSo(f"have no attribute {lacking[0]!r}; {', '.join(names) or 'none'} are there")
    body = content[start:]
    limits.room(body.count(b"\n") * len(names) // 4, f"{where}, a file of such length,")
    import pandas

    try:
        frame = pandas.read_csv(
            io.BytesIO(body),
            header=None,
            names=names,
            dtype="category",
            comment="%",
            quotechar="'",
            skipinitialspace=True,
            na_filter=False,
            index_col=False,
        )
    except (ValueError, pandas.errors.ParserError) as error:
        raise NotSo(f"cannot be read: {cut(' '.join(str(error).split()), 200)}") from None
    if not len(frame):
        raise NotSo("name no records")
    kinds = _mapped(frame["type"], lambda text: _ROLES.get(text.strip().upper()), "TRAIN or TEST")
    return kinds, {name: _mapped(frame[name], _count, "a number from 0") for name in _COUNTED}


def _header(content: bytes) -> tuple[list[str], int]:
    """The attributes and where the data begin."""
    names: list[str] = []
    stream = io.BytesIO(content)
    for _ in range(_MOST_HEADER):
        line = stream.readline(limits.SPEC_BYTES).decode("utf-8", "replace")
        if not line or _DATA.match(line):
            break
        found = _ATTRIBUTE.match(line)
        names += [found[1].lower()] if found else []
    else:
        line = ""
    if not line:
        raise NotSo("have no @data line; are they an arff file?")
    return names, stream.tell()


def _count(text: str) -> int | None:
    text = text.strip().removesuffix(".0")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else None


def _mapped(column: Any, value: Any, what: str) -> Indices:
    """A column of few different texts as numbers; the first that is none is named."""
    levels = [str(level) for level in column.cat.categories]
    known = [value(level) for level in levels]
    if None in known:
        codes = column.cat.codes.to_numpy()
        odd = [at for at, each in enumerate(known) if each is None]
        first = int(np.argmax(np.isin(codes, odd)))
        text = levels[int(codes[first])]
        raise NotSo(f"have {quoted(text)} as {column.name} in row {first + 1}, which is not {what}")
    return np.asarray(np.array(known, dtype=np.int64)[column.cat.codes.to_numpy()])


def different(names: Sequence[str], numbers: Sequence[int], key: str) -> list[str]:
    """The names, those that occur twice with the number of what they are of."""
    twice = {name for name in names if names.count(name) > 1}
    word = "task" if key == "task" else "data"
    return [f"{a}-{word}-{b}" if a in twice else a for a, b in zip(names, numbers)]
