"""Comparisons in the small, to see whether they work."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from cvinfer.commands.doctor.lines import Line, row


def engine_trial(engine: str) -> Line:
    """The learner that an engine names for this, fitted in a worker: with R, or R and a JVM."""
    from cvinfer.engines import engines

    found = engines()[engine]
    learner, title = found.trial, f"Trial in {found.in_r.software if found.in_r else engine}"
    fault = _tried({engine: {"engine": engine, "learner": learner}})
    if fault is not None:
        return row(title, "FAULT", fault, False)
    return row(title, "ok", f"{learner} fitted")


def trial_line() -> Line:
    """A comparison in the small, from the spec to the result, in worker processes."""
    from cvinfer.engines.builtin import ENGINE

    fault = _tried({"mean": {"engine": ENGINE.name, "learner": "mean"}})
    if fault is not None:
        return row("Trial run", "FAULT", fault, False)
    return row("Trial run", "ok", "two small learners compared")


def _tried(learner: Mapping[str, Any]) -> Optional[str]:
    """What went wrong when a learner was compared with guessing; None if nothing did."""
    from cvinfer.engines.builtin import ENGINE
    from cvinfer.runner import run

    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "doctor",
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 40},
        "learners": {"majority": {"engine": ENGINE.name, "learner": "majority"}, **learner},
        "tests": ["blocked_3x2_t"],
    }
    try:
        failures = run(spec, jobs=1).document["failures"]
    except Exception as error:  # the finding of the trial
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return str(failures[0]["message"]) if failures else None
