"""The one refusal of the partition schemes."""

from __future__ import annotations

from typing import Iterable, Optional, Union

from cvinfer.errors import Path, Refusal

__all__ = ["PartitionError"]


class PartitionError(Refusal, ValueError):
    """A partition that was asked for cannot be made; the message names the numbers.

    `path` is the option at fault, such as ("k",), where the message is about one. `who` refuses it:
    the scheme, where it is one. `fault` is what is told without that.
    """

    def __init__(
        self,
        message: str,
        path: Optional[Path] = None,
        allowed: Union[None, str, Iterable[str]] = None,
        suggestion: Optional[str] = None,
        about_key: bool = False,
        who: Optional[str] = None,
    ) -> None:
        self.who = who
        super().__init__(message, path, allowed, suggestion, about_key=about_key)

    @property
    def fault(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return self.fault if self.who is None else f"{self.who}: {self.fault}"
