"""Where a stratified partition would have helped: told with the partition to ask for."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.partitions import PartitionError, Partition, make_partition, schemes

Codes = NDArray[Any]


def lacking_in_training(
    partition: Partition, split: int, target: Codes, classes: tuple[str, ...]
) -> str:
    """Which classes the training records of a split lack, with the remedy, in words.

    Empty where there is none, or where the same partition, stratified, would not help.
    """
    train = partition.splits[split].train
    lacking = _lacking(target, train, len(classes))
    if not lacking.size:
        return ""
    stratified = _stratified(partition, target)
    if stratified is None or any(
        _lacking(target, each.train, len(classes)).size for each in stratified.splits
    ):
        return ""
    names = ", ".join(repr(classes[each]) for each in lacking)
    return (
        f"its {len(train)} training records have none of class {names}; {_written(partition)} would"
        " avoid it"
    )


def tested_everywhere(partition: Partition, target: Codes, code: int) -> str:
    """The partition whose every test set has a class, as one asks for it; empty if none has."""
    stratified = _stratified(partition, target)
    if stratified is None or not all((target[s.test] == code).any() for s in stratified.splits):
        return ""
    return f"{_written(partition)} would avoid it"


def _lacking(target: Codes, records: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The classes that the data has and these records do not."""
    there, here = (np.bincount(codes, minlength=count) for codes in (target, target[records]))
    return np.flatnonzero((there > 0) & (here == 0))


def _stratified(partition: Partition, target: Codes) -> Optional[Partition]:
    """The same scheme with the classes shared out; None where it is so already, or cannot be."""
    info = schemes().get(partition.scheme)
    # One that was read from a file says nothing of classes, and grouped ones cannot share them.
    if info is None or not info.stratify or partition.options.get("stratify") is not False:
        return None
    if partition.options.get("groups"):
        return None
    try:
        return make_partition(
            partition.scheme,
            partition.n,
            seed=partition.seed,
            stratify=target,
            **_options(partition),
        )
    except PartitionError:
        return None


def _options(partition: Partition) -> dict[str, Any]:
    """The options of a partition that a spec can give."""
    known = schemes()[partition.scheme].defaults
    given = {name: partition.options.get(name) for name in known if name != "blocks"}
    return {name: value for name, value in given.items() if value is not None}


def _written(partition: Partition) -> str:
    defaults = schemes()[partition.scheme].defaults
    given = {name: value for name, value in _options(partition).items() if value != defaults[name]}
    options = "".join(f", {name}: {value}" for name, value in given.items())
    return f"partition: {{scheme: {partition.scheme}{options}, stratify: true}}"
