"""Faults of a spec: what they are, and how they are shown to people and to programs."""

from __future__ import annotations

import re
from typing import Any, Iterable, NamedTuple, Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import CvinferError, Path
from cvinfer.foreign import short, shown, shown_lines

_PLAIN_KEY = re.compile(r"[^\s.\[\]\"':=]+")

#: Columns of a source line that are shown around the caret.
_SHOWN = 120


class Fault(NamedTuple):
    """One fault. `line` and `column` count from 1; 0 where there is no text to point at.

    `allowed` is what one can choose from, `there` what the data has, which is no free choice.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    allowed: Optional[str] = None
    suggestion: Optional[str] = None
    source_line: str = ""
    there: Optional[str] = None

    def __str__(self) -> str:
        return render(self)


class SpecError(CvinferError):
    """A spec with faults; `faults` has them all."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(render_all(faults))
        self.faults = tuple(faults)


def path_text(path: Path) -> str:
    """`tests[1]`, `learners.SVM.params.C`, `learners["C4.5"]`; `spec` for the spec itself."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(str(part)):
            text += f".{part}" if text else str(part)
        else:
            text += '["' + shown(part).replace('"', '\\"') + '"]'
    return text or "spec"


def headline(fault: Fault) -> str:
    """`file:line:col: path: fault; allowed: ...; did you mean '...'?` on one line."""
    place = f"{fault.file}:{fault.line}:{fault.column}" if fault.line else fault.file
    text = f"{place}: {fault.path}: {fault.message}"
    if fault.allowed:
        text += f"; allowed: {fault.allowed}"
    if fault.there:
        text += f"; {fault.there}"
    if fault.suggestion:
        text += f"; did you mean '{fault.suggestion}'?"
    return short(shown(text.replace("\n", " ")))


def render(fault: Fault) -> str:
    """The headline, and below it the source line with a caret where there is one."""
    if not fault.line or not fault.source_line:
        return headline(fault)
    start = max(0, fault.column - 1 - _SHOWN // 2) if fault.column > _SHOWN else 0
    line = fault.source_line[start : start + _SHOWN]
    # A tab under a tab keeps the caret below its character, however wide the terminal shows it.
    before = shown_lines(line[: fault.column - 1 - start])
    blank = "".join("\t" if letter == "\t" else " " for letter in before)
    return f"{headline(fault)}\n    {shown_lines(line)}\n    {blank}^"


def render_all(faults: Iterable[Fault]) -> str:
    return "\n".join(render(fault) for fault in faults)


def as_json(faults: Iterable[Fault]) -> list[JsonObject]:
    """Faults for editors and scripts."""
    return [fault._asdict() for fault in faults]


def in_order(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once, in the order of the text; faults without a line come last."""
    # What an alias repeats is one fault: it has one place in the text, though many paths.
    once: dict[Any, Fault] = {}
    for fault in faults:
        path = None if fault.line else fault.path
        once.setdefault((fault.file, fault.line, fault.column, fault.message, path), fault)
    return sorted(once.values(), key=lambda fault: (not fault.line, fault.line, fault.column))
