"""Features that wait in a file without a name while other data sets are at work.

A run over many data sets needs the features of one at a time: to check it, to hand it to workers,
to look for leaks. What stays in memory are names, levels and classes.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .dataset import Column, Dataset

__all__ = ["parked"]

#: Bytes of features that stay where they are.
SMALL = 50_000


class _Parked(Column):
    """A column whose values are read whenever they are asked for; elsewhere it is a plain one."""

    def __init__(self, column: Column, file: IO[bytes], start: int) -> None:
        values = column.values
        where = (file, start, values.nbytes, values.dtype)
        known = {name: getattr(column, name) for name in ("name", "kind", "levels", "detail")}
        self.__dict__.update(known, _where=where)

    @property
    def values(self) -> NDArray[Any]:  # type: ignore[override]
        file, start, size, dtype = self.__dict__["_where"]
        content, end = bytearray(size), 0
        with memoryview(content) as view:
            while end < size:
                got = os.preadv(file.fileno(), [view[end:]], start + end)
                if not got:
                    raise OSError("a data set that waits in a temporary file was cut short")
                end += got
        found = np.frombuffer(content, dtype=dtype)
        found.setflags(write=False)
        return found

    def __reduce__(self) -> Any:
        return Column, (self.name, self.kind, np.array(self.values), self.levels, self.detail)


def parked(dataset: Dataset) -> Dataset:
    """The same data set, its features in a file that is gone with it.

    Small ones stay in memory, and so do all where there is no room for such a file.
    """
    size = sum(column.values.nbytes for column in dataset.features)
    if size < SMALL or not hasattr(os, "preadv"):
        return dataset
    features, start = [], 0
    try:
        file = tempfile.TemporaryFile(prefix="cvinfer-", buffering=0)
        for column in dataset.features:
            features.append(_Parked(column, file, start))
            start += _written(file, column.values)
    except OSError:
        return dataset
    return replace(dataset, features=tuple(features))


def _written(file: IO[bytes], values: NDArray[Any]) -> int:
    """Write all of an array; how many bytes that is."""
    left = memoryview(values.tobytes())
    while left:
        left = left[file.write(left) :]
    return values.nbytes
