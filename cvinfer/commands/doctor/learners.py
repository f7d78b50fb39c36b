"""The engines, and the learners that they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Collection, NamedTuple, Optional, Sequence

from cvinfer.commands.doctor.lines import Line, row

if TYPE_CHECKING:
    from cvinfer.engines import Engine


class Seen(NamedTuple):
    """An engine as lines, how many of its learners can be used, and those that a package adds.

    lost: None where nothing can tell which they are.
    """

    lines: Sequence[Line]
    usable: int
    lost: Optional[Sequence[str]] = ()


def look_at_engine(name: str, wanted: Optional[Collection[str]] = None) -> Seen:
    """An engine with the learners that it lacks, all of them or those of `wanted`.

    What a package would bring is missing. What no package brings, as some of scikit-learn's that
    predict several targets, is absent and no fault.
    """
    from cvinfer.engines import engines

    engine = engines()[name]
    learners = engine.learners()
    usable = sum(each.available for each in learners)
    lacks = {each.name: each.reason or "" for each in learners if not each.available}
    why = engine.reason() or (next(iter(lacks.values()), None) if not usable else None)
    if why is not None:
        return _unusable(engine, why, _would_have(engine) if wanted is None else set(wanted))
    count = f", {usable} learners" if wanted is None else ""
    lines = [row("Engine", "ok", name + count)]
    if wanted is not None:
        names = {each.name for each in learners if {each.name, *each.aliases} & set(wanted)}
        lacks = {each: reason for each, reason in lacks.items() if each in names}
    in_r = engine.in_r is not None
    for each, reason in lacks.items():
        fine = wanted is None and not in_r
        state, lost_one = ("absent", each) if fine else ("MISSING", "")
        lines.append(row("Learner", state, f"{each}: {reason}", fine, lost_one))
    return Seen(lines, usable, list(lacks) if in_r else [])


def _would_have(engine: Engine) -> Optional[Collection[str]]:
    """The learners that an engine would have, could it be used; None if nothing here can tell."""
    if engine.in_r is not None:
        return engine.in_r.declared()
    return [each.name for each in engine.learners()]


def _unusable(engine: Engine, why: str, would_have: Optional[Collection[str]]) -> Seen:
    lines = [row("Engine", "MISSING", f"{engine.name}: {why}", False)]
    if would_have is None:
        text = (
            f"all of the engine {engine.name}; R cannot be asked for their names, and the sources"
            " of cvinfer's R package, which have them, are not here"
        )
        return Seen([*lines, row("Learner", "MISSING", text, False)], 0, None)
    lost = sorted(would_have, key=str.lower)
    text = f"{', '.join(lost)}: need the engine {engine.name}"
    return Seen([*lines, row("Learner", "MISSING", text, False)], 0, lost)
