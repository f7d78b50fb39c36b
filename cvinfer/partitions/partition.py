"""The partition of a scheme: its splits, their shape, sizes, fingerprint and overlaps."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import integer
from .errors import PartitionError
from .labels import labels_of
from .overlaps import Overlaps, overlaps_of
from .split import TEST, TRAIN, FoldSplits, GivenSplits, Split, Splits

__all__ = ["Partition"]

# Replications 3, 2, 4 of the printed 5×2 table over the blocks {1,5}, {2,6}, {3,7}, {4,8} are the
# printed 3×2 table, in its order.
_NESTED_REPLICATIONS = (2, 1, 3)


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """The splits of one scheme on n records.

    scheme: id of the scheme. n: number of records. shape: for example (5, 2).
    splits: the splits in C order of `shape`, made when they are asked for.
    seed: the seed they were drawn with. options: the resolved options of the scheme.
    blocks: block number (from 1) of each record of a blocked m×2, else None.
    replicated_by: the option that counts the replications along the first axis; None where the
        first axis holds the folds of one replication, or where there is one split only.

    Partitions are equal when scheme, n, shape and fingerprint are.
    """

    scheme: str
    n: int
    shape: tuple[int, ...]
    splits: Sequence[Split]
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    blocks: NDArray[np.int64] | None = None
    replicated_by: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.splits, Splits):
            object.__setattr__(self, "splits", GivenSplits(self.splits, self.n))
        object.__setattr__(self, "shape", tuple(int(size) for size in self.shape))
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))
        if self.blocks is not None:
            blocks = np.array(self.blocks, dtype=np.int64)
            blocks.setflags(write=False)
            object.__setattr__(self, "blocks", blocks)
        if self.compact.n != self.n or len(self.splits) != math.prod(self.shape):
            raise PartitionError(
                f"Partition: {len(self.splits)} split(s) of {self.compact.n} records do not fit "
                f"shape {self.shape} and n = {self.n}"
            )

    @property
    def scheme_and_shape(self) -> str:
        """The id of the scheme with the shape, such as `kfold (10)`."""
        shape = "×".join(map(str, self.shape))
        return f"{self.scheme} ({shape})" if shape else self.scheme

    @property
    def label(self) -> str:
        """What the partition is called in words, as its scheme declares."""
        # The schemes are made of partitions, so that they come after them.
        from .registry import schemes

        info = schemes.get(self.scheme)
        name = (None if info is None else info.words(self)) or self.scheme_and_shape
        if self.options.get("replication"):
            name += ", folds of its own"
        for option, word in (("stratify", "stratified"), ("groups", "grouped")):
            if self.options.get(option):
                name += f", {word}"
        return name

    @property
    def compact(self) -> Splits:
        """The splits with what their compact form knows of them all."""
        assert isinstance(self.splits, Splits)
        return self.splits

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Training and test size of every split, shape (*shape, 2)."""
        sizes = self.compact.sizes().astype(np.int64).reshape(*self.shape, 2)
        sizes.setflags(write=False)
        return sizes

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over n, shape and the splits alone, in hexadecimal.

        Hashed are one header line and, per split, n bytes: 0 unused, 1 train, 2 test. Of splits
        whose records are not known it is their sizes.
        """
        shape = ",".join(map(str, self.shape))
        digest = hashlib.sha256(f"cvinfer plan n={self.n} shape={shape}\n".encode())
        for at in range(len(self.splits)):
            digest.update(self.compact.content(at))
        return digest.hexdigest()

    def overlaps(self) -> Overlaps:
        """How many records the training sets share; see `Overlaps`."""
        return overlaps_of(self)

    def __iter__(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """(train, test) of every split, as scikit-learn's `cv` takes them."""
        return ((split.train, split.test) for split in self.splits)

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The same by scikit-learn's name; X, if given, must have the n records."""
        if X is not None:
            count = int(X.shape[0]) if hasattr(X, "shape") else len(X)
            if count != self.n:
                raise PartitionError(f"X has {count} records, the partition is of n = {self.n}")
        return iter(self)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are, by scikit-learn's name."""
        return len(self.splits)

    def take(self, replications: Sequence[int]) -> Partition:
        """The partition made of the chosen replications (0-based), in the order given."""
        chosen = self._checked(replications)
        option = str(self.replicated_by)
        options: dict[str, Any] = {**self.options, option: len(chosen), "replications": chosen}
        if "rcp" in options:
            repeated = sum(replication <= options["rcp"] for replication in chosen)
            options["rcp"] = max(repeated - 1, 0)
        return self._chosen(chosen, options, self.blocks)

    def nested_3x2(self) -> Partition:
        """The blocked 3×2 inside a blocked 5×2, as printed, over four merged blocks."""
        whole = self.scheme == "blocked_mx2" and self.shape == (5, 2)
        if not whole or "replications" in self.options or self.blocks is None:
            raise PartitionError(
                f"nested_3x2: only a whole blocked_mx2 partition with m = 5 holds a blocked 3×2; "
                f"this is {self.scheme} of shape {self.shape}"
            )
        options = {**self.options, "m": 3, "blocks": "nested"}
        return self._chosen(_NESTED_REPLICATIONS, options, (self.blocks - 1) % 4 + 1)

    def inside(self) -> tuple[tuple[Partition, tuple[int, ...]], ...]:
        """Partitions for other tests that this one holds whole, each with its splits' numbers."""
        try:
            nested = self.nested_3x2()
        except PartitionError:
            return ()
        return ((nested, tuple(2 * at + k for at in _NESTED_REPLICATIONS for k in (0, 1))),)

    def fold_of_record(self) -> NDArray[np.int64]:
        """Fold number (from 0) that tests each record: (n,) for kfold and loo, (r, n) for
        repeated_kfold."""
        if not isinstance(self.splits, FoldSplits):
            raise PartitionError(
                f"fold_of_record: {self.scheme} has no folds; kfold, repeated_kfold and loo do"
            )
        folds = self.splits.folds
        return folds if self.replicated_by else np.asarray(folds[0])

    def cut_group(self, groups: Any) -> tuple[int, Any] | None:
        """The first split that trains on and tests records of one group, with that group's label;
        None if every split keeps the groups together."""
        _, labels = labels_of(self.scheme, self.n, None, groups)
        assert labels is not None
        for at in range(len(self.splits)):
            roles = self.compact.roles(at)
            sides = [np.bincount(labels.codes[roles == role]) for role in (TRAIN, TEST)]
            shortest = min(map(len, sides))
            cut = np.flatnonzero((sides[0][:shortest] > 0) & (sides[1][:shortest] > 0))
            if cut.size:
                return at, labels.names[cut[0]]
        return None

    def _checked(self, replications: Sequence[int]) -> tuple[int, ...]:
        if not self.replicated_by:
            raise PartitionError(
                f"take: {self.scheme} of shape {self.shape} is one replication; there is nothing "
                "to choose from"
            )
        chosen = tuple(
            integer("take", "a replication", one, ("replications",)) for one in replications
        )
        wrong = [replication for replication in chosen if not 0 <= replication < self.shape[0]]
        if wrong or not chosen:
            fault = f"there is no replication {wrong[0]}" if wrong else "no replication is chosen"
            raise PartitionError(f"take: {fault}; choose from 0..{self.shape[0] - 1}")
        if len(set(chosen)) < len(chosen):
            raise PartitionError(f"take: {list(chosen)} chooses a replication more than once")
        return chosen

    def _chosen(
        self,
        replications: tuple[int, ...],
        options: Mapping[str, Any],
        blocks: NDArray[np.int64] | None,
    ) -> Partition:
        splits = self.compact.take(replications, math.prod(self.shape[1:]))
        shape = (len(replications), *self.shape[1:])
        return Partition(
            self.scheme, self.n, shape, splits, self.seed, options, blocks, self.replicated_by
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        mine, theirs = (self.scheme, self.n, self.shape), (other.scheme, other.n, other.shape)
        return mine == theirs and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash((self.scheme, self.n, self.shape, self.fingerprint))

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return (
            f"Partition({self.scheme}, n={self.n}, shape={self.shape}, seed={self.seed}, {options})"
        )

    def __getstate__(self) -> dict[str, Any]:
        # A mapping proxy cannot be pickled, and partitions travel to worker processes.
        return {**self.__dict__, "options": dict(self.options)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "options": MappingProxyType(state["options"])})
