"""The whole report: what is there, what is missing, what that costs and how to add it."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Optional, Sequence

from cvinfer.commands.doctor.learners import look_at_engine
from cvinfer.commands.doctor.lines import Line
from cvinfer.commands.doctor.machine import latex_line, machine_lines, place_line, source_lines
from cvinfer.commands.doctor.packages import absent_uses, package_lines, python_lines
from cvinfer.commands.doctor.r import look_at_r
from cvinfer.commands.doctor.spec import examine_spec
from cvinfer.commands.doctor.trials import engine_trial, trial_line


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
    from cvinfer.engines._r.installation import DATA_PACKAGES

    known = engines()
    in_r = {name: each.in_r for name, each in known.items() if each.in_r is not None}
    declared = [names for each in in_r.values() for names in (each.declared() or {}).values()]
    wanted = {*DATA_PACKAGES, *(package for names in declared for package in names)}
    found = look_at_r(wanted, any(each.java for each in in_r.values()))
    yield from found.lines
    seen = {name: look_at_engine(name) for name in known}
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
    tried = [name for name, each in known.items() if each.trial and seen[name].usable]
    trials = {name: engine_trial(name) for name in tried} if works.fine else {}
    yield from trials.values()
    python = place.fine and works.fine
    others = not missing and all(each.fine for each in trials.values())
    lost = [each.lost for each in seen.values()]
    count = 0 if None in lost else sum(len(each or ()) for each in lost)
    faulty = {name for name, each in trials.items() if not each.fine}
    faulty |= {name for name, each in seen.items() if not all(line.fine for line in each.lines)}
    of = [name for name in known if name in faulty and name not in in_r]
    if faulty & set(in_r) or not of:
        of = [*(each.software for each in in_r.values()), *of]
    unfit = [each.lacks for each in lines if each.lacks]
    lacks = [each.lacks for each in (*found.lines, latex, *machine) if each.lacks]
    text = verdict(python, others, count, unfit, lacks, of)
    yield Line(f"Verdict       {text}", python and others)


def verdict(
    python: bool,
    others: bool,
    lost: int,
    unfit: Sequence[str] = (),
    lacks: Sequence[str] = (),
    of: Sequence[str] = (),
) -> str:
    """The last line; whatever the list above has as not there or little is in it too.

    others: whether the learners beyond cvinfer's own in Python can run. lost: how many of those
    cannot, where that is known, and `of` what they are.
    """
    if not python:
        return "not ready."
    absent = [*absent_uses(), *lacks]
    without = f"; optional and not there: {', '.join(absent)}" if absent else ""
    if not others:
        whose = (" and " if lost else " or ").join(of)
        those = f"{lost} learners of {whose}" if lost else f"learners of {whose}"
        nor = f", nor can {' and '.join(unfit)}" if unfit else ""
        return f"Python learners can run; {those} cannot, as said above{nor}{without}."
    but = f" but {' and '.join(unfit)}" if unfit else ""
    return f"every engine and every learner can run{but}{without}."
