"""What numpy's annotations leave open, and differently in each of its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from numpy.typing import NDArray


def entries(values: NDArray[Any]) -> list[Any]:
    """The entries of an array as Python's own numbers; of several axes, in lists of lists."""
    return cast("list[Any]", values.tolist())
