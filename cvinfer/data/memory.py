"""Data that a Python session has at hand: arrays, sparse matrices, data frames.

Features become columns, as those of a file do, so that learners of a spec can be fitted on them;
`X` and `labels` stay as they were handed over, for estimators that are objects of the session.
"""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError

from .dataset import (
    CATEGORICAL,
    NUMERIC,
    Column,
    Dataset,
    Groups,
    categories,
    content_hash,
    sorted_classes,
)

__all__ = ["MEMORY", "InMemory", "in_memory", "label_text"]

#: What the data mapping of a result says of such data; no source reads it.
MEMORY = "memory"


@dataclass(frozen=True, eq=False)
class InMemory(Dataset):
    """A data set with what it was made of.

    X: the features as they were handed over. labels: the label of each class code, as it was.
    whole: whether the columns say all of X; what is sparse or a text for each record has none.
    """

    X: Any = None
    labels: NDArray[Any] | None = None
    whole: bool = True


def in_memory(X: Any, y: Any, groups: Any = None, name: str = "data") -> InMemory:
    """The data set of features `X` with classes `y`, one label for each record.

    `groups` has one label for each record, or names a column of a data frame.
    """
    together = "groups"
    if isinstance(groups, str):
        together = groups
        if not hasattr(X, "columns") or groups not in X.columns:
            raise UserError(f"groups: X has no column {groups!r}", ("groups",))
        X, groups = X.drop(columns=[groups]), X[groups]
    labels = _vector(y, "y")
    texts = [label_text(label) for label in labels]
    _one_label_each(labels, texts)
    features, whole = _features(X)
    count = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    if count != len(texts):
        raise UserError(f"X has {count} records, y has {len(texts)} labels", ("y",))
    codes, classes = sorted_classes(*categories(texts))
    if len(classes) < 2:
        raise UserError(f"y holds only the class {classes[0]!r}; at least two are needed", ("y",))
    at_hand = dict(zip(texts, labels))
    groupings = _groupings(together, groups, count)
    digest = content_hash(features, codes, classes, "y", (), groupings)
    if not whole:
        digest = hashlib.sha256(f"{digest} {_digest(X)}".encode()).hexdigest()
    return InMemory(
        name=name,
        features=features,
        target=codes,
        classes=classes,
        target_name="y",
        sha256=digest,
        source={"source": MEMORY, "name": name},
        group_column=together if groupings else None,
        groupings=groupings,
        X=X,
        labels=_array([at_hand[label] for label in classes], labels),
        whole=whole,
    )


def label_text(label: Any) -> str:
    """A label as the name of a class: text as it is, numbers as Python writes them."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def _vector(values: Any, what: str) -> NDArray[Any]:
    """One value for each record, none missing."""
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or not found.size:
        raise UserError(
            f"{what} must hold one value for each record, not an array of shape {found.shape}",
            (what,),
        )
    missing = [each is None or each != each for each in found.tolist()]
    if any(missing):
        raise UserError(f"{what} is missing in {sum(missing)} of {found.size} records", (what,))
    if what == "y" and found.dtype.kind == "f" and not np.equal(found, np.round(found)).all():
        raise UserError(
            "y holds numbers that are no class labels; classifiers are compared here", ("y",)
        )
    return found


def _one_label_each(labels: NDArray[Any], texts: Sequence[str]) -> None:
    """Refuse two labels that have one name, such as 1 beside '1'."""
    if labels.dtype.kind != "O":
        return
    known: dict[str, Any] = {}
    for label, text in zip(labels.tolist(), texts):
        if known.setdefault(text, label) != label:
            raise UserError(f"y holds {known[text]!r} beside {label!r}: use one of them", ("y",))


def _array(values: Sequence[Any], like: NDArray[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=like.dtype)
    found[:] = values
    return found


def _groupings(name: str, groups: Any, count: int) -> tuple[Groups, ...]:
    if groups is None:
        return ()
    texts = [str(each) for each in _vector(groups, "groups")]
    if len(texts) != count:
        raise UserError(f"X has {count} records, groups has {len(texts)} labels", ("groups",))
    return (Groups(name, categories(texts)[0]),)


def _features(X: Any) -> tuple[tuple[Column, ...], bool]:
    """X as columns, and whether they are all of it."""
    if hasattr(X, "tocsr"):
        return (), False
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        names = [str(each) for each in X.columns]
        twice = {each for each in names if names.count(each) > 1}
        if twice:
            raise UserError(f"X has more than one column called {min(twice)!r}", ("X",))
        return tuple(_column(name, X.iloc[:, at]) for at, name in enumerate(names)), True
    found = np.asarray(X)
    if found.ndim == 1 and found.dtype.kind in "OU" and all(isinstance(x, str) for x in X):
        return (), False
    if found.ndim != 2 or not found.shape[1]:
        raise UserError(
            "X must have a row for each record and a column for each feature, not the shape "
            f"{found.shape}",
            ("X",),
        )
    width = len(str(found.shape[1] - 1))
    return (
        tuple(_column(f"x{at:0{width}}", found[:, at]) for at in range(found.shape[1])),
        True,
    )


def _column(name: str, values: Any) -> Column:
    """A column of numbers, or one of categories, whatever pandas or numpy calls it."""
    dtype = getattr(values, "dtype", None)
    levels = getattr(dtype, "categories", None)
    if levels is not None:
        names = [str(level) for level in levels]
        detail = "ordered" if getattr(dtype, "ordered", False) else ""
        codes = np.asarray(values.cat.codes, dtype=np.int32)
        return Column(name, CATEGORICAL, codes, tuple(names), detail)
    if getattr(dtype, "kind", "O") in "biuf":
        if hasattr(values, "to_numpy"):
            numeric = values.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            numeric = np.asarray(values, dtype=np.float64)
        if np.isinf(numeric).any():
            raise UserError(f"X holds an infinite number in column {name!r}", ("X",))
        return Column(name, NUMERIC, np.array(numeric))
    every = [None if _missing(each) else each for each in np.asarray(values, dtype=object)]
    if all(each is None or isinstance(each, numbers.Real) for each in every):
        return Column(name, NUMERIC, np.array([np.nan if e is None else float(e) for e in every]))
    return Column(name, CATEGORICAL, *categories([e if e is None else str(e) for e in every]))


def _missing(value: Any) -> bool:
    """None, NaN and pandas' NA, which is equal to nothing and says so with itself."""
    if value is None:
        return True
    same = value == value
    return same is not True and not (isinstance(same, np.bool_) and bool(same))


def _digest(X: Any) -> str:
    """A fingerprint of features that are no columns."""
    digest = hashlib.sha256()
    if hasattr(X, "tocsr"):
        rows = X.tocsr().copy()
        rows.sum_duplicates()
        digest.update(f"sparse {rows.shape}".encode())
        for part, dtype in ((rows.indptr, "<i8"), (rows.indices, "<i8"), (rows.data, "<f8")):
            digest.update(np.ascontiguousarray(part, dtype=dtype).data)
    else:
        for text in X:
            coded = str(text).encode("utf-8", "surrogatepass")
            digest.update(len(coded).to_bytes(8, "little") + coded)
    return digest.hexdigest()
