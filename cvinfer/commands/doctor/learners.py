"""The engines, and the learners that they lack."""

from __future__ import annotations

from typing import Collection, NamedTuple, Optional, Sequence

from cvinfer.commands.doctor.lines import Line, row
from cvinfer.commands.doctor.r_found import R, R_PACKAGES, TRIED


class Seen(NamedTuple):
    """An engine as lines, how many of its learners can be used, and those that a package adds."""

    lines: Sequence[Line]
    usable: int
    lost: Sequence[str] = ()


def look_at_engine(name: str, wanted: Optional[Collection[str]] = None) -> Seen:
    """An engine with the learners that it lacks, all of them or those of `wanted`.

    What a package would bring is missing. What no package brings, as some of scikit-learn's that
    predict several targets, is absent and no fault.
    """
    from cvinfer.engines import engines

    engine, in_r = engines()[name], name in TRIED
    learners = engine.learners()
    usable = sum(each.available for each in learners)
    lacks = {each.name: each.reason or "" for each in learners if not each.available}
    why = engine.reason() or (next(iter(lacks.values()), None) if not usable else None)
    if why is not None:
        # R, if it cannot be asked, does not say which learners it would have.
        known = [*R_PACKAGES] if name == R else [each.name for each in learners]
        lost = sorted(known if wanted is None else set(wanted), key=str.lower)
        lines = [row("Engine", "MISSING", f"{name}: {why}", False)]
        needs = f"{', '.join(lost)}: need the engine {name}"
        return Seen([*lines, row("Learner", "MISSING", needs, False)], 0, lost)
    count = f", {usable} learners" if wanted is None else ""
    lines = [row("Engine", "ok", name + count)]
    if wanted is not None:
        names = {each.name for each in learners if {each.name, *each.aliases} & set(wanted)}
        lacks = {each: reason for each, reason in lacks.items() if each in names}
    for each, reason in lacks.items():
        fine = wanted is None and not in_r
        state, lost_one = ("absent", each) if fine else ("MISSING", "")
        lines.append(row("Learner", state, f"{each}: {reason}", fine, lost_one))
    return Seen(lines, usable, list(lacks) if in_r else [])
