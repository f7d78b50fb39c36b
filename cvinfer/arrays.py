"""What numpy's annotations leave open, and differently in each of its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from numpy.typing import NDArray


def entries(values: NDArray[Any]) -> list[Any]:
    """The entries of an array with one axis as Python's own numbers."""
    return cast("list[Any]", values.tolist())
