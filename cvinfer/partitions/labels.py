"""Classes to stratify by, groups to keep together, and how records are dealt out."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import PartitionError

__all__ = ["Labels", "labels_of", "need_records", "deal_order", "draw_training", "pack_groups"]

Indices = NDArray[np.int64]
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Labels:
    """One label per record: `codes` number the distinct `names`, `counts` their records."""

    codes: Indices
    names: NDArray[Any]
    counts: Indices

    def __len__(self) -> int:
        return len(self.names)


def labels_of(
    scheme: str, n: int, stratify: Any, groups: Any
) -> tuple[Labels | None, Labels | None]:
    """(classes, groups), at most one of them given."""
    if stratify is not None and groups is not None:
        raise PartitionError(
            f"stratify and groups cannot be combined in {scheme}: records of a group may belong "
            "to several classes; choose one of the two",
            ("stratify",),
        )
    return _labels(scheme, "stratify", stratify, n), _labels(scheme, "groups", groups, n)


def _labels(scheme: str, option: str, values: Any, n: int) -> Labels | None:
    if values is None:
        return None
    given = np.asarray(values)
    if given.ndim != 1 or len(given) != n:
        found = f"{len(given)} labels" if given.ndim == 1 else f"an array of shape {given.shape}"
        raise PartitionError(
            f"{option} must hold one label for each of the n = {n} records, not {found}",
            (option,),
            who=scheme,
        )
    missing = f"{option} holds missing labels (NaN or None); give every record a label"
    try:
        masked = isinstance(values, np.ma.MaskedArray) and np.any(values.mask)
        if masked or _any_missing(given):
            raise PartitionError(missing, (option,), who=scheme)
        names, codes, counts = np.unique(given, return_inverse=True, return_counts=True)
    except TypeError as error:
        # Missing values of pandas answer no comparison; labels of several types have no order.
        raise PartitionError(
            f"{option} holds labels that cannot be compared with each other (missing "
            "values, or text beside numbers); use labels of one type",
            (option,),
            who=scheme,
        ) from error
    return Labels(codes.reshape(-1).astype(np.int64), names, counts.astype(np.int64))


def _any_missing(given: NDArray[Any]) -> bool:
    if given.dtype.kind == "O":
        return any(label is None or label != label for label in set(given.tolist()))
    if given.dtype.kind in "mM":
        return bool(np.isnat(given).any())
    return given.dtype.kind in "fc" and bool(np.isnan(given).any())


def need_records(scheme: str, classes: Labels, least: int, why: str) -> None:
    """Refuse when a class has fewer records than it takes."""
    smallest = int(np.argmin(classes.counts))
    if classes.counts[smallest] < least:
        raise PartitionError(
            f"class {classes.names[smallest]!s} has {classes.counts[smallest]} "
            f"record(s), stratify needs at least {least} in each class ({why})",
            ("stratify",),
            who=scheme,
        )


def deal_order(bits: np.random.PCG64, n: int, classes: Labels | None) -> Indices:
    """A random order of the records; class after class when they are to be stratified.

    Dealt round by round, neighbours in this order go to different piles: every pile gets within
    one record the same number of each class and of all. Which class comes first is random too.
    """
    words = bits.random_raw(n)
    if classes is None:
        return np.argsort(words, kind="stable")
    rank = _class_ranks(bits, len(classes))
    return np.asarray(np.lexsort((words, rank[classes.codes])))


def _class_ranks(bits: np.random.PCG64, count: int) -> Indices:
    ranks = np.empty(count, dtype=np.int64)
    ranks[np.argsort(bits.random_raw(count), kind="stable")] = np.arange(count)
    return ranks


def draw_training(
    bits: np.random.PCG64, n: int, n1: int, classes: Labels | None
) -> NDArray[np.bool_]:
    """n1 random records of n; with classes, as near to n1/n of each class as whole records go.

    Largest remainders: class c gets floor(n_c n1 / n), and the classes with the largest
    remainders one more until n1 is reached, ties by lot.
    """
    words = bits.random_raw(n)
    training = np.zeros(n, dtype=bool)
    if classes is None:
        training[np.argsort(words, kind="stable")[:n1]] = True
        return training
    share, remainder = np.divmod(classes.counts * n1, n)
    lot = _class_ranks(bits, len(classes))
    share[np.lexsort((lot, -remainder))[: n1 - share.sum()]] += 1
    order = np.lexsort((words, classes.codes))
    first = np.cumsum(classes.counts) - classes.counts
    sorted_codes = classes.codes[order]
    training[order] = np.arange(n) - first[sorted_codes] < share[sorted_codes]
    return training


def pack_groups(bits: np.random.PCG64, groups: Labels, bins: int, strict: bool) -> Indices:
    """The bin of each record: groups go one by one into the bin that holds fewest records.

    Larger groups first, so that the small ones even out the rest. Sizes are compared by powers of
    two unless `strict`, with lots among equals: were sizes compared exactly, groups of different
    sizes would be packed the same way in every replication. Bins never differ by more than the
    largest group.
    """
    lot = bits.random_raw(len(groups))
    size = groups.counts if strict else np.frexp(groups.counts.astype(np.float64))[1]
    order = np.lexsort((lot, -size))
    # Bins that hold equally many are taken in a random order as well.
    names = np.argsort(bits.random_raw(bins), kind="stable")
    heap = [(0, at) for at in range(bins)]
    bin_of_group = np.empty(len(groups), dtype=np.int64)
    for group, count in zip(order.tolist(), groups.counts[order].tolist()):
        held, at = heap[0]
        bin_of_group[group] = names[at]
        heapq.heapreplace(heap, (held + count, at))
    return np.asarray(bin_of_group[groups.codes])
