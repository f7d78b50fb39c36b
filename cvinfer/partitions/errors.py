"""The one refusal of the partition schemes."""

from __future__ import annotations

from cvinfer.errors import Refusal

__all__ = ["PartitionError"]


class PartitionError(Refusal, ValueError):
    """A partition that was asked for cannot be made; the message names the numbers.

    `path` is the option at fault, such as ("k",), where the message is about one.
    """
