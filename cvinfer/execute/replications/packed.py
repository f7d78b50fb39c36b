"""What is kept of the replications that one learner was fitted on: arrays in one row of bytes.

For the splits of a scheme: which test records were predicted wrong, one bit each, with the sizes of
the splits and, where they are wanted, confusion matrices. For the truth: counts alone. A fit that
failed has its mark, and its message is counted.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import CvinferError

_HEAD = struct.Struct("<I")
#: What may be in a row, with the numbers that each is made of.
_TYPES = {
    "train": "<i4",
    "test": "<i4",
    "wrong": "|u1",
    "failed": "|b1",
    "confusions": "<i4",
    "tables": "<i4",
    "values": "<f8",
}
#: Those that are nearly always the same in all replications, and those of small numbers.
_OF_ALL = ("train", "test", "failed")
_SHORT = ("confusions", "tables")
#: No array of a stored row is larger; a damaged one may claim to be.
_MOST = 1 << 31


#: What reading something else than a row can raise.
_UNREADABLE = (
    zlib.error,
    struct.error,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class DamagedError(CvinferError):
    """A row that is not what was stored."""


@dataclass(frozen=True)
class Made:
    """Some replications of one learner on the splits of one scheme.

    Axes are replications, partitions, splits. train, test: sizes of the splits. wrong: one bit for
    each test record, in that order, packed; of a failed fit they mean nothing. confusions: (..., C,
    4) or None. tables: of two learners' losses, (..., 4), where these are drawn and not fitted.
    messages: why fits failed, with how often. values: (..., M) of further measures on each split,
    NaN where there is none.
    """

    train: NDArray[np.int32]
    test: NDArray[np.int32]
    wrong: NDArray[np.uint8]
    failed: NDArray[np.bool_]
    confusions: Optional[NDArray[np.int32]] = None
    tables: Optional[NDArray[np.int32]] = None
    messages: Mapping[str, int] = field(default_factory=dict)
    values: Optional[NDArray[np.float64]] = None

    @property
    def losses(self) -> NDArray[np.bool_]:
        """1 where a prediction is wrong, in one row."""
        count = int(self.test.sum(dtype=np.int64))
        return np.unpackbits(self.wrong, count=count).astype(bool)


def pack(made: Made) -> NDArray[np.uint8]:
    """In one row: of what is the same in all replications one copy, numbers as short as can be."""
    arrays = {name: getattr(made, name) for name in _TYPES if getattr(made, name) is not None}
    head: dict[str, Any] = {
        "shapes": {name: list(array.shape) for name, array in arrays.items()},
        "messages": dict(made.messages),
        "same": [name for name in _OF_ALL if _same(arrays[name])],
        "short": [name for name in _SHORT if name in arrays and _is_short(arrays[name])],
    }
    text = json.dumps(head).encode()
    parts = [_HEAD.pack(len(text)), text]
    for name, array in arrays.items():
        given = array[:1] if name in head["same"] else array
        parts.append(np.ascontiguousarray(given, dtype=_type(name, head)).tobytes())
    return np.frombuffer(zlib.compress(b"".join(parts), 1), dtype=np.uint8)


def _same(array: NDArray[Any]) -> bool:
    return len(array) > 0 and bool((array == array[:1]).all())


def _is_short(array: NDArray[Any]) -> bool:
    return array.size > 0 and bool(array.min() >= 0 and array.max() < 256)


def _type(name: str, head: Mapping[str, Any]) -> np.dtype[Any]:
    return np.dtype("|u1" if name in head.get("short", ()) else _TYPES[name])


def unpack(values: NDArray[np.uint8]) -> Made:
    """What was packed; raises `DamagedError` where that cannot be."""
    try:
        return _unpacked(zlib.decompress(np.asarray(values, dtype=np.uint8).tobytes()))
    except _UNREADABLE as error:
        raise DamagedError(f"what is stored of a replication cannot be read: {error}") from None


def _unpacked(data: bytes) -> Made:
    (length,) = _HEAD.unpack_from(data)
    head = json.loads(data[_HEAD.size : _HEAD.size + length])
    at = _HEAD.size + length
    arrays: dict[str, Any] = {}
    for name, shape in head["shapes"].items():
        dtype = _type(name, head)
        sizes = [int(size) for size in shape]
        if not 0 <= int(np.prod(sizes, dtype=np.int64)) <= _MOST:
            raise ValueError("sizes that cannot be")
        # Rows that were stored before have all there is, and say nothing of the two.
        there = [1, *sizes[1:]] if name in head.get("same", ()) else sizes
        count = int(np.prod(there, dtype=np.int64))
        found = np.frombuffer(data, dtype, count, at).reshape(there)
        arrays[name] = np.broadcast_to(found, sizes)
        at += count * dtype.itemsize
    if at != len(data):
        raise ValueError("too long")
    messages = {str(text): int(count) for text, count in head["messages"].items()}
    made = Made(**arrays, messages=messages)
    if not made.train.shape == made.test.shape == made.failed.shape or made.test.ndim != 3:
        raise ValueError("sizes that do not agree")
    for more, last in ((made.confusions, 2), (made.tables, 1), (made.values, 1)):
        if more is not None and more.shape[:-last] != made.test.shape:
            raise ValueError("sizes that do not agree")
    return made
