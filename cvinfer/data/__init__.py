"""Data sources: from the `data` of a spec to a `Dataset`, a `PredictionSet` or a `ScoreSet`.

`sources()` lists the kinds of sources with their options; `faults(mapping)` finds what is wrong
with a mapping without reading any data; `load(mapping, base, seed)` reads it.
Every fault is a `UserError` whose `path` is relative to the mapping, such as ("target",) or
("sample", "n").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


from cvinfer.progress import waiting

from . import sources as _folder  # noqa: F401  # first: the name is the function's afterwards
from .dataset import Column, DataLike, Dataset, Groups
from .groups import group_places
from .kept import table_of
from .predictions import PredictionSet, read_predictions, write_predictions
from .scores import ScoreSet
from .registry import Option, Request, SourceInfo, checked, faults, sources
from .splits_file import read_splits, write_splits
from .transforms import finish

__all__ = [
    "Column",
    "DataLike",
    "Dataset",
    "Groups",
    "Option",
    "PredictionSet",
    "ScoreSet",
    "SourceInfo",
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
) -> Dataset | PredictionSet | ScoreSet:
    """Read what a data mapping asks for; relative paths start at `base`.

    `groups` are columns that partitions group by, beside what `groups` of the mapping names. The
    path of a fault in one of them is ("groups", column).
    """
    info = checked(spec)
    groups = tuple(groups)
    request = Request(spec, Path(base), seed, tuple(group_places(spec, groups)))
    with waiting(f"reading {spec.get('path') or spec.get('name') or spec['source']}"):
        found = table_of(info, request)
        if isinstance(found, (PredictionSet, ScoreSet)):
            return found
        return finish(found, spec, seed, groups)
