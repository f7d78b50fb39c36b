"""What is refused: a message with place, fault and remedy, never a traceback.

A refusal is data. Whoever raises or returns one says what is wrong, what is allowed and what was
probably meant, each in its own field; how that is shown is decided where it is shown. Nothing
takes a message apart again.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

from cvinfer.foreign import short

#: A place inside a spec: keys and list indices from the top, or from where the refuser knows.
Path = tuple[Any, ...]


class CvinferError(Exception):
    """Base of all errors that are the user's to mend; `exit_code` is what the command returns."""

    exit_code = 2


class Refusal(CvinferError):
    """One thing that is refused. It can be raised, or be collected with others.

    path: the place, as far as the refuser knows it. message: the fault alone. allowed: what one
    can choose from, or the remedy. suggestion: the one name that was probably meant. there: the
    names that the data has, which are no free choice. about_key: the name of the last key of `path`
    is at fault, not its value.
    """

    def __init__(
        self,
        message: str,
        path: Optional[Path] = None,
        allowed: Union[None, str, Iterable[str]] = None,
        suggestion: Optional[str] = None,
        there: Optional[str] = None,
        about_key: bool = False,
    ) -> None:
        self.message = short(message)
        self.path = path
        self.allowed = allowed if allowed is None or isinstance(allowed, str) else listed(allowed)
        self.suggestion = suggestion
        self.there = there
        self.about_key = about_key
        super().__init__(self.message)

    def __str__(self) -> str:
        text = self.message
        if self.allowed:
            text += f"; allowed: {self.allowed}"
        if self.there:
            text += f"; the data has {self.there}"
        if self.suggestion:
            text += f"; did you mean {self.suggestion!r}?"
        return short(text)


class UserError(Refusal):
    """A mistake in what was asked for."""


class Interruption(CvinferError):
    """Work ended from outside before it was done; what is finished is stored.

    The code is that of a line that was hung up.
    """

    exit_code = 129


class LearnerError(CvinferError):
    """A learner that failed on one split: recorded with its message, never guessed around."""

    exit_code = 3


def listed(names: Iterable[Any], limit: int = 30) -> str:
    """Names with commas between; a long list is cut and says so."""
    every = [str(name) for name in names]
    rest = len(every) - limit
    return ", ".join(every[:limit]) + (f" and {rest} more" if rest > 0 else "")
