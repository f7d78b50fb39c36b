"""What travels between the main process and a worker.

A worker has two pipes of its own, and shares nothing with other workers that one of them could
leave locked or half-written when it is killed. Orders are numbers, few enough for one write that
never waits: a worker is sent a batch when it has answered the last one, so its pipe is empty, and
an empty pipe takes 4,096 bytes. Results may be of any size; a thread that serves one worker only
reads them.
"""

from __future__ import annotations

import os
import pickle
import struct
from typing import BinaryIO, NamedTuple, Sequence, Union

from cvinfer.execute.work import Done, Order

#: Bytes that an empty pipe takes at once, wherever there are pipes.
ROOM = 4096
#: What a worker writes first. Whatever came before is talk of the interpreter's start.
PREFACE = b"\0cvinfer worker\n"
#: More talk than this is no start.
TALK = 1 << 20

_HEAD = struct.Struct("<qq")
_ORDER = struct.Struct(f"<{len(Order._fields)}q")
_SIZE = struct.Struct("<Q")
#: So many orders fit into one write.
MOST_ORDERS = (ROOM - _HEAD.size) // _ORDER.size


class Ready(NamedTuple):
    """A worker has started, and has the material for the batch that it was given."""


class Made(NamedTuple):
    """The fits of one batch, in its order."""

    batch: int
    done: Sequence[Done]


#: What workers tell.
Message = Union[Ready, Made]
#: A kind of work and a material, which a worker makes its own before its first such order.
Supply = tuple[int, int]


def supply(order: Order) -> Supply:
    return order.work, order.dataset


def packed(batch: int, orders: Sequence[Order]) -> bytes:
    """Orders as one message."""
    if len(orders) > MOST_ORDERS:
        raise ValueError(f"{len(orders)} orders at once, at most {MOST_ORDERS}")
    return _HEAD.pack(batch, len(orders)) + b"".join(_ORDER.pack(*order) for order in orders)


def next_orders(descriptor: int) -> tuple[int, list[Order]]:
    """The next batch, when it comes; raises `EOFError` when there is nobody to send any more."""
    batch, count = _HEAD.unpack(_exactly(descriptor, _HEAD.size))
    data = _exactly(descriptor, count * _ORDER.size)
    return batch, [Order(*order) for order in _ORDER.iter_unpack(data)]


def send(descriptor: int, message: Message) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    left = memoryview(_SIZE.pack(len(data)) + data)
    while left:
        left = left[os.write(descriptor, left) :]


def skip_to_preface(stream: BinaryIO) -> None:
    seen = bytearray()
    while not seen.endswith(PREFACE):
        byte = stream.read(1)
        if not byte or len(seen) > TALK:
            raise EOFError("no worker speaks there")
        seen += byte


def receive(stream: BinaryIO) -> object:
    """The next message; raises `EOFError` at the end, also in the middle of a message.

    It should be a `Message`, but a learner can write to any file that its process has open.
    """
    (size,) = _SIZE.unpack(_whole(stream, _SIZE.size))
    message: object = pickle.loads(_whole(stream, size))
    return message


def _whole(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _exactly(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            raise EOFError
        data += part
    return data
