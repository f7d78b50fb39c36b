"""The one exception of the partition schemes."""

from __future__ import annotations

__all__ = ["PartitionError"]


class PartitionError(ValueError):
    """A partition that was asked for cannot be made; the message names the numbers."""
