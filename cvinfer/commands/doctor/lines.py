"""The report is lines; a row has a title, a state and a text."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """One line of the report; not `fine` means that something asked for cannot run as it is.

    `lacks` is what is not there and no fault, in the words of the last line.
    """

    text: str
    fine: bool = True
    lacks: str = ""


def row(title: str, state: str, text: str, fine: bool = True, lacks: str = "") -> Line:
    return Line(f"{title:<13} {state:<8} {text}".rstrip(), fine, lacks)
