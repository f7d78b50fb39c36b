"""R and Weka: what there is, and how to add what is not."""

from __future__ import annotations

from typing import Any, Collection, Mapping, NamedTuple, Optional, Sequence

from cvinfer.commands.doctor.lines import Line, row
from cvinfer.commands.doctor.r_found import (
    heap_line,
    r_lines,
    r_package_lines,
    rpy2_line,
    weka_lines,
)
from cvinfer.commands.doctor.r_missing import adding_r


class FoundR(NamedTuple):
    """What there is of R and Weka, as lines, and the one command that adds what is missing."""

    lines: Sequence[Line]
    command: Optional[str] = None


def look_at_r(packages: Collection[str], weka: bool, heap_mb: Optional[int] = None) -> FoundR:
    """R, rpy2 and R packages and, for the engine rweka, Java and Weka.

    R is started for this, in a process of its own.
    """
    from cvinfer.engines._r.client import ask
    from cvinfer.engines._r.installation import NoR
    from cvinfer.errors import CvinferError

    lines = [*r_lines(), rpy2_line()]
    if not all(line.fine for line in lines):
        return FoundR(lines, adding_r(packages, weka))
    try:
        found: Mapping[str, Any] = ask("inventory")
    except CvinferError as error:
        said = str(error) if isinstance(error, NoR) else f"R cannot be asked: {error}"
        lines.append(row("R bridge", "MISSING", said, False))
        return FoundR(lines, adding_r(packages, weka))
    lines += r_package_lines(found["packages"])
    if weka:
        lines += [*weka_lines(found), heap_line(heap_mb or int(found["heap_mb"]))]
    return FoundR(lines, adding_r(packages, weka, found))
