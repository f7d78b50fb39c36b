"""Comparisons in the small, to see whether they work."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from cvinfer.commands.doctor.lines import Line, row
from cvinfer.commands.doctor.r_found import R, TRIED


def trial_in_r(engine: str) -> Line:
    """One learner fitted in a worker with R, or with R and a JVM."""
    learner = TRIED[engine]
    title = "Trial in R" if engine == R else "Trial in Weka"
    fault = _tried({learner: {"engine": engine, "learner": learner}})
    if fault is not None:
        return row(title, "FAULT", fault, False)
    return row(title, "ok", f"{learner} fitted")


def trial_line() -> Line:
    """A comparison in the small, from the spec to the result, in worker processes."""
    fault = _tried({"mean": {"engine": "builtin", "learner": "mean"}})
    if fault is not None:
        return row("Trial run", "FAULT", fault, False)
    return row("Trial run", "ok", "two small learners compared")


def _tried(learner: Mapping[str, Any]) -> Optional[str]:
    """What went wrong when a learner was compared with guessing; None if nothing did."""
    from cvinfer.runner import run

    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "doctor",
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 40},
        "learners": {"majority": {"engine": "builtin", "learner": "majority"}, **learner},
        "tests": ["blocked_3x2_t"],
    }
    try:
        failures = run(spec, jobs=1).document["failures"]
    except Exception as error:  # the finding of the trial
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return str(failures[0]["message"]) if failures else None
