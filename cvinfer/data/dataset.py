"""What every source ends in: features, classes, and a fingerprint of the content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Protocol

import numpy as np
from numpy.typing import NDArray

from cvinfer.arrays import entries

if TYPE_CHECKING:
    from cvinfer.losses import Loss
    from cvinfer.partitions import Partition

__all__ = [
    "Column",
    "DataLike",
    "Dataset",
    "Groups",
    "Rights",
    "Texts",
    "categories",
    "content_hash",
    "sorted_classes",
]

NUMERIC, CATEGORICAL = "numeric", "categorical"


def _frozen(values: Any, dtype: Any) -> NDArray[Any]:
    """The values in an array that nobody changes; a copy unless they are in one already."""
    if isinstance(values, np.ndarray) and values.dtype == dtype and values.base is None:
        if not values.flags.writeable:
            return values
    own = np.array(values, dtype=dtype)
    own.setflags(write=False)
    return own


@dataclass(frozen=True, eq=False)
class Column:
    """One feature.

    numeric: float64 values, NaN = missing. categorical: int32 codes into `levels`, -1 = missing;
    the levels are texts as the source writes them. detail: what R would want to know besides,
    "ordered" or "logical" of a categorical feature.
    """

    name: str
    kind: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    detail: str = ""

    def __post_init__(self) -> None:
        dtype = np.float64 if self.kind == NUMERIC else np.int32
        object.__setattr__(self, "values", _frozen(self.values, dtype))

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which records have no value."""
        return np.asarray(np.isnan(self.values) if self.kind == NUMERIC else self.values < 0)

    def take(self, records: NDArray[np.int64]) -> Column:
        return Column(self.name, self.kind, self.values[records], self.levels, self.detail)


@dataclass(frozen=True, eq=False)
class Groups:
    """Which records belong together: the group of each, counted from 0, by the column `name`."""

    name: str
    codes: NDArray[np.int32]

    def __post_init__(self) -> None:
        codes = np.array(self.codes, dtype=np.int32)
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)

    def take(self, records: NDArray[np.int64]) -> Groups:
        """The groups of these records; those that are left are counted anew, in their order."""
        codes = np.unique(self.codes[records], return_inverse=True)[1]
        return Groups(self.name, codes.astype(np.int32))


class Rights(NamedTuple):
    """Under which licence data are, and how they are to be cited; empty where nobody says."""

    licence: str = ""
    citation: str = ""


class DataLike(Protocol):
    """What data to fit on and predictions made elsewhere have in common.

    truth: class code of each record into `classes`, -1 where it is not known. partitions: those
    that it brings with it; nothing can be fitted on others where it was `made_elsewhere`.
    learners: those whose predictions it brings. features: none where there is nothing to fit.
    source: the data mapping of the spec. group_column: see `Dataset`.
    """

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def n(self) -> int:
        """Number of records."""

    @property
    def truth(self) -> NDArray[np.int32]:
        """Class code of each record."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Labels of the codes."""

    @property
    def sha256(self) -> str:
        """Digest of the content."""

    @property
    def source(self) -> Mapping[str, Any]:
        """The data mapping of the spec."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed in reading it."""

    @property
    def made_elsewhere(self) -> bool:
        """Whether nothing can be fitted on it."""

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """Those that it brings."""

    @property
    def learners(self) -> tuple[str, ...]:
        """Those whose predictions it brings."""

    @property
    def measure(self) -> Loss | None:
        """What it brings values of, where it brings scores in the place of predictions."""

    @property
    def features(self) -> tuple[Column, ...]:
        """What learners see."""

    @property
    def group_column(self) -> str | None:
        """The column that groups its records."""

    @property
    def rights(self) -> Rights:
        """Its licence and citation."""

    def groups_by(self, column: str | None) -> NDArray[np.int32] | None:
        """The group of each record by a column; None for None."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records with features and a class.

    target: class codes into `classes`, which are the labels as written, sorted by code point.
    sha256: over names, kinds, levels, values, classes, target and groups; see `content_hash`.
    source: the data mapping of the spec with its paths as written. impute: missing values are to
    be filled in, with what was learned from the training records of a split only. class_levels:
    the labels in the order that the source declares, with those that never occur, where that is
    not `classes`; ties between classes can depend on it. group_column: the column that `groups` of
    the data mapping names, if it does. groupings: the groups by that column, and by those that
    partitions name. rights: as its source tells them.
    left_out: how many records of the source are none of it, for want of a value or a label.
    """

    name: str
    features: tuple[Column, ...]
    target: NDArray[np.int32]
    classes: tuple[str, ...]
    target_name: str
    sha256: str
    source: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    impute: bool = False
    class_levels: tuple[str, ...] = ()
    group_column: str | None = None
    groupings: tuple[Groups, ...] = ()
    rights: Rights = Rights()
    left_out: int = 0

    def __post_init__(self) -> None:
        target = np.array(self.target, dtype=np.int32)
        target.setflags(write=False)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "source", MappingProxyType(dict(self.source)))

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.target)

    @property
    def truth(self) -> NDArray[np.int32]:
        """The target, by the name that it has for predictions too."""
        return self.target

    @property
    def made_elsewhere(self) -> bool:
        """Learners are fitted on it."""
        return False

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """It brings none."""
        return ()

    @property
    def learners(self) -> tuple[str, ...]:
        """It brings no predictions."""
        return ()

    @property
    def measure(self) -> Loss | None:
        """It brings no scores."""
        return None

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def groups(self) -> NDArray[np.int32] | None:
        """The group of each record by `group_column`; None where the data names no groups."""
        return self.groups_by(self.group_column)

    def groups_by(self, column: str | None) -> NDArray[np.int32] | None:
        """The group of each record by a column that `groups` names somewhere; None for None."""
        if column is None:
            return None
        return {each.name: each.codes for each in self.groupings}[column]

    def __getstate__(self) -> dict[str, Any]:
        # A mapping proxy cannot be pickled, and data sets travel to worker processes.
        return {**self.__dict__, "source": dict(self.source)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "source": MappingProxyType(state["source"])})


@dataclass(frozen=True, eq=False)
class Texts(Sequence[Optional[str]]):
    """One text or None for each record, as codes (-1 for None) into the different ones.

    levels: the texts that occur, each once, by code point.
    """

    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: Any) -> Any:
        code = self.codes[at]
        if isinstance(code, np.ndarray):
            return [None if each < 0 else self.levels[each] for each in code]
        return None if code < 0 else self.levels[code]

    def mapped(self, change: Callable[[str], Optional[str]]) -> Texts:
        """Other texts in the place of these."""
        codes, levels = categories([change(level) for level in self.levels])
        return Texts(np.append(codes, np.int32(-1))[self.codes], levels)


def categories(
    texts: Sequence[str | None], levels: Iterable[str] | None = None
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes (-1 for None) and levels: those given, else the texts found, by code point."""
    if isinstance(texts, Texts) and levels is None:
        return texts.codes, texts.levels
    if levels is None:
        levels = sorted({text for text in texts if text is not None})
    levels = tuple(levels)
    number: dict[str | None, int] = {level: at for at, level in enumerate(levels)}
    number[None] = -1
    codes = np.fromiter(map(number.__getitem__, texts), dtype=np.int32, count=len(texts))
    return codes, levels


def sorted_classes(
    codes: NDArray[np.int32], labels: Sequence[str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes and labels of the classes that occur, labels sorted by code point."""
    present = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    order = sorted(entries(present), key=lambda at: str(labels[at]))
    renumbered = np.full(len(labels), -1, dtype=np.int32)
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    return renumbered[codes], tuple(labels[at] for at in order)


def content_hash(
    features: Sequence[Column],
    target: NDArray[np.int32],
    classes: Sequence[str],
    target_name: str,
    class_levels: Sequence[str] = (),
    groupings: Sequence[Groups] = (),
) -> str:
    """sha256 of the content, the same on every platform and for every way to store it.

    Texts go in as their length and their UTF-8 bytes, numbers as little-endian float64 with one
    bit pattern for missing, codes as little-endian int32. What only some have (`detail` of a
    column, `class_levels`, groups in the order of their columns' names) goes in where it is there.
    """
    digest = hashlib.sha256(b"cvinfer data 1\n")

    def texts(*words: str) -> None:
        digest.update(len(words).to_bytes(8, "little"))
        for word in words:
            coded = word.encode("utf-8", "surrogatepass")
            digest.update(len(coded).to_bytes(8, "little") + coded)

    texts(str(len(target)), str(len(features)), target_name)
    for column in features:
        texts(column.name, column.kind)
        texts(*column.levels)
        if column.detail:
            texts("detail", column.detail)
        if column.kind == NUMERIC:
            gone = np.isnan(column.values)
            values = np.where(gone, np.nan, column.values) if gone.any() else column.values
            digest.update(np.ascontiguousarray(values, dtype="<f8").data)
        else:
            digest.update(np.ascontiguousarray(column.values, dtype="<i4").data)
    texts(*classes)
    digest.update(target.astype("<i4").tobytes())
    if class_levels:
        texts("class levels", *class_levels)
    for each in sorted(groupings, key=lambda groups: groups.name):
        texts("groups", each.name)
        digest.update(each.codes.astype("<i4").tobytes())
    return digest.hexdigest()
