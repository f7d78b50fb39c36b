"""What one spec needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Collection, Iterator, Mapping, NamedTuple, Optional, Sequence

from cvinfer.commands.doctor.learners import look_at_engine
from cvinfer.commands.doctor.lines import Line, row
from cvinfer.commands.doctor.machine import (
    latex_line,
    machine_lines,
    place_line,
    source_lines,
    store_line,
)
from cvinfer.commands.doctor.r import FoundR, look_at_r

if TYPE_CHECKING:
    from cvinfer.spec import Spec


def examine_spec(
    spec: Path,
    overrides: Sequence[str],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
) -> Iterator[Line]:
    from cvinfer.engines import engines
    from cvinfer.execute.places import output_directory, store_path
    from cvinfer.spec import check_file, render_all

    checked, faults = check_file(spec, overrides, allow_code=allow_code)
    uses = _used(checked) if checked is not None else _mentioned(spec, overrides)
    found = FoundR([])
    if uses.r:
        heap = checked.limits.get("memory_mb") if checked is not None else None
        found = look_at_r(uses.packages, uses.java, None if heap is None else int(heap))
    lines = [*found.lines]
    for name in sorted(set(uses.learners) & set(engines())):
        lines += look_at_engine(name, uses.learners[name]).lines
    yield from lines
    if found.command and (checked is None or not all(line.fine for line in lines)):
        yield Line(f"  To add: {found.command}")
    yield from source_lines()
    yield latex_line()
    yield from machine_lines()
    if checked is None:
        yield row("Spec", "FAULT", f"{spec} has faults:", False)
        yield Line(render_all(faults), False)
        yield Line("Verdict       the spec cannot run.", False)
        return
    yield row("Spec", "ok", f"{spec}, {len(checked.learners)} learners")

    directory = output_directory(checked, output)
    places = [place_line(directory), store_line(store_path(checked, output, store))]
    yield from places
    if all(line.fine for line in [*lines, *places]):
        yield Line("Verdict       the spec can run.")
    else:
        yield Line("Verdict       the spec cannot run as it is.", False)


class Uses(NamedTuple):
    """What a spec asks for: learners by their engine, R packages, whether it needs R and Java."""

    learners: Mapping[str, Collection[str]]
    packages: Collection[str]
    r: bool
    java: bool


def _used(spec: Spec) -> Uses:
    entries = [
        {"engine": each.engine, "learner": each.learner, **each.options}
        for each in spec.learners.values()
    ]
    return _uses(entries, spec.data)


def _mentioned(path: Path, overrides: Sequence[str]) -> Uses:
    """The same of a spec with faults, as far as it can be read."""
    from cvinfer import limits
    from cvinfer.spec.text import parse

    try:
        value = parse(limits.read_file(path, limits.SPEC_BYTES), str(path)).value
    except (OSError, ValueError, limits.Unreadable):
        value = None
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    learners, data = given.get("learners"), given.get("data")
    entries = list(learners.values()) if isinstance(learners, dict) else []
    sets = data if isinstance(data, list) else [data]
    word = r"\b{}\s*[:=]\s*[\"']?(\w+)"
    for override in overrides:
        entries += [{"engine": each} for each in re.findall(word.format("engine"), override)]
        sets = [*sets, *({"source": each} for each in re.findall(word.format("source"), override))]
    return _uses(
        [each for each in entries if isinstance(each, dict)],
        [each for each in sets if isinstance(each, dict)],
    )


def _uses(entries: Sequence[Mapping[str, Any]], data: Sequence[Mapping[str, Any]]) -> Uses:
    from cvinfer.data import sources
    from cvinfer.engines import InR, engines

    learners: dict[str, list[str]] = {}
    packages: set[str] = set()
    in_r: dict[str, InR] = {}
    for each in entries:
        name, learner = str(each.get("engine")), str(each.get("learner"))
        learners.setdefault(name, []).append(learner)
        engine = engines().get(name)
        if engine is not None and engine.in_r is not None:
            in_r[name] = engine.in_r
            packages.update(engine.in_r.packages(learner, each))
    data_of_r = False
    for each in data:
        source = sources().get(str(each.get("source")))
        if source is not None and source.r_package is not None:
            data_of_r = True
            packages.update(filter(None, [str(each.get(source.r_package) or "")]))
    java = any(each.java for each in in_r.values())
    return Uses(learners, packages, data_of_r or bool(in_r), java)
