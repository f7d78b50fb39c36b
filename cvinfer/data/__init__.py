"""Data sources: from the `data` mapping of a spec to a `Dataset` or a `PredictionSet`.

`sources()` lists the kinds of sources with their options; `faults(mapping)` finds what is wrong
with a mapping without reading any data; `load(mapping, base, seed)` reads it; `describe` tells
what a check of the spec needs. Every fault is a `UserError` whose `path` is relative to the
mapping, such as ("target",) or ("sample", "n").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cvinfer.arrays import entries
from cvinfer.progress import waiting

from . import sources as _folder  # noqa: F401  # first: the name is the function's afterwards
from .dataset import Column, DataLike, Dataset, Groups
from .groups import group_places
from .kept import table_of
from .predictions import PredictionSet, read_predictions, write_predictions
from .registry import Option, Request, SourceInfo, checked, faults, sources
from .splits_file import read_splits, write_splits
from .transforms import finish

__all__ = [
    "Column",
    "DataLike",
    "Dataset",
    "Facts",
    "Groups",
    "Option",
    "PredictionSet",
    "SourceInfo",
    "describe",
    "faults",
    "load",
    "read_predictions",
    "read_splits",
    "sources",
    "write_predictions",
    "write_splits",
]


def load(
    spec: Mapping[str, Any], base: Path, seed: int, groups: Iterable[str] = ()
) -> Dataset | PredictionSet:
    """Read what a data mapping asks for; relative paths start at `base`.

    `groups` are columns that partitions group by, beside what `groups` of the mapping names. The
    path of a fault in one of them is ("groups", column).
    """
    info = checked(spec)
    groups = tuple(groups)
    request = Request(spec, Path(base), seed, tuple(group_places(spec, groups)))
    with waiting(f"reading {spec.get('path') or spec.get('name') or spec['source']}"):
        found = table_of(info, request)
        if isinstance(found, PredictionSet):
            return found
        return finish(found, spec, seed, groups)


@dataclass(frozen=True)
class Facts:
    """What a check of a spec wants to know of the data.

    features: kind of each feature by its name, or none for predictions. missing: the features
    with missing values. learners: of predictions, else none.
    """

    n: int
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    features: Mapping[str, str]
    missing: tuple[str, ...]
    learners: tuple[str, ...]


def describe(spec: Mapping[str, Any], base: Path, seed: int = 0) -> Facts | None:
    """The facts of a data mapping; None where they would cost a download."""
    info = checked(spec)
    if not info.ready(Request(spec, Path(base), seed)):
        return None
    found = load(spec, base, seed)
    columns: tuple[Column, ...] = ()
    learners: tuple[str, ...] = ()
    if isinstance(found, PredictionSet):
        target, learners = found.truth[found.truth >= 0], found.learners
    else:
        target, columns = found.target, found.features
    counts = entries(np.bincount(target, minlength=len(found.classes)))
    return Facts(
        n=found.n,
        classes=found.classes,
        class_counts=tuple(counts),
        features={column.name: column.kind for column in columns},
        missing=tuple(column.name for column in columns if column.missing.any()),
        learners=learners,
    )
