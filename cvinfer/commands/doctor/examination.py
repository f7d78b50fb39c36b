"""The whole report: what is there, what is missing, what that costs and how to add it."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Optional, Sequence

from cvinfer.commands.doctor import packages
from cvinfer.commands.doctor.learners import look_at_engine
from cvinfer.commands.doctor.lines import Line
from cvinfer.commands.doctor.machine import latex_line, machine_lines, place_line, source_lines
from cvinfer.commands.doctor.packages import package_lines, python_lines, why_not
from cvinfer.commands.doctor.r import look_at_r
from cvinfer.commands.doctor.r_found import R_PACKAGES, TRIED, WEKA_PACKAGES
from cvinfer.commands.doctor.spec import examine_spec
from cvinfer.commands.doctor.trials import trial_in_r, trial_line


def examine(
    spec: Optional[Path],
    overrides: Sequence[str] = (),
    allow_code: bool = False,
    output: Optional[Path] = None,
    store: Optional[Path] = None,
) -> Iterator[Line]:
    """The report, line by line."""
    yield from python_lines()
    broken = False
    for line in package_lines():
        broken = broken or not line.fine
        yield line
    if broken:
        yield Line("Verdict       a package that is needed is missing, so nothing can run.", False)
        return
    if spec is None:
        yield from _everything()
    else:
        yield from examine_spec(spec, overrides, allow_code, output, store)


def _everything() -> Iterator[Line]:
    """All engines with all their learners, and a trial of each kind."""
    from cvinfer.engines import engines

    found = look_at_r({*R_PACKAGES.values(), *WEKA_PACKAGES, "mlbench"}, weka=True)
    yield from found.lines
    seen = {name: look_at_engine(name) for name in engines()}
    lines = [line for each in seen.values() for line in each.lines]
    yield from lines
    missing = not all(line.fine for line in [*found.lines, *lines])
    if found.command and missing:
        yield Line(f"  To add: {found.command}")
    yield from source_lines()
    latex, machine = latex_line(), list(machine_lines())
    yield latex
    yield from machine
    place, works = place_line(Path("results")), trial_line()
    yield place
    yield works
    trials = [trial_in_r(name) for name in TRIED if seen[name].usable] if works.fine else []
    yield from trials
    python = place.fine and works.fine
    r = not missing and all(each.fine for each in trials)
    lost = [name for each in seen.values() for name in each.lost]
    unfit = [each.lacks for each in lines if each.lacks]
    lacks = [each.lacks for each in (*found.lines, latex, *machine) if each.lacks]
    yield Line(f"Verdict       {verdict(python, r, len(lost), unfit, lacks)}", python and r)


def verdict(
    python: bool, r: bool, lost: int, unfit: Sequence[str] = (), lacks: Sequence[str] = ()
) -> str:
    """The last line; whatever the list above has as not there or little is in it too."""
    if not python:
        return "not ready."
    formats = [each.use for each in packages.PACKAGES if not each.needed and why_not(each.module)]
    absent = [*formats, *lacks]
    without = f"; optional and not there: {', '.join(absent)}" if absent else ""
    if not r:
        those = f"{lost} learners of R and Weka" if lost else "learners of R or Weka"
        nor = f", nor can {' and '.join(unfit)}" if unfit else ""
        return f"Python learners can run; {those} cannot, as said above{nor}{without}."
    but = f" but {' and '.join(unfit)}" if unfit else ""
    return f"every engine and every learner can run{but}{without}."
