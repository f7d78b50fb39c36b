"""Errors that a user can cause: a message with place, fault and remedy, never a traceback."""

from __future__ import annotations

from typing import Optional

from cvinfer.foreign import short


class CvinferError(Exception):
    """Base of all errors that are the user's to mend; `exit_code` is what the command returns."""

    exit_code = 2


class UserError(CvinferError):
    """A mistake in what was asked for: `path` is the place inside the spec, if there is one."""

    def __init__(self, message: str, path: Optional[tuple[object, ...]] = None) -> None:
        super().__init__(short(message))
        self.path = path
