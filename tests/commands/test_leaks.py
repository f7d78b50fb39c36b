"""Leaks are told by `validate` and `run`, and are no faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

Call = Callable[..., Any]

SPEC = """\
cvinfer: 1
data: {source: csv, path: given.csv, target: y%s}
learners:
  majority: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
tests: [kfold_t]
"""
NAMES = ("'id' is a row number", "'cured\\x1b[31m' alone determines", "8 of 60 records equal")


def given(place: Path, more: str = "") -> Path:
    """A row number, a column that says what the class does, and four records twice."""
    rows = [(i, i % 7 * 1.25 + i / 9, "no yes".split()[i % 2], "ab"[i % 2]) for i in range(60)]
    rows[40:44] = [(i + 40, *rows[i][1:]) for i in range(4)]
    lines = ["id,x,cured\x1b[31m,y", *(",".join(map(str, row)) for row in rows)]
    (place / "given.csv").write_text("\n".join(lines) + "\n")
    (place / "spec.yaml").write_text(SPEC % more)
    return place / "spec.yaml"


def test_validate_and_run_tell_what_they_notice(call: Call, place: Path) -> None:
    spec = given(place)
    told = call("validate", spec)
    assert (told.code, told.err) == (0, "")
    first, *notes = told.out.splitlines()
    assert first == f"{spec}: ok" and len(notes) == 2
    assert all(note.startswith("  note: given: column ") for note in notes)
    assert NAMES[0] in told.out and NAMES[1] in told.out
    # The row number makes every record another; without it there are equal ones.
    spec = given(place, ", drop: [id]")
    told = call("validate", spec)
    assert NAMES[1] in told.out and NAMES[2] in told.out
    ran = call("run", spec, "--quiet")
    assert ran.code == 0
    document = json.loads((place / "results" / "spec" / "result.json").read_text())
    found = [each for each in document["warnings"] if each.startswith("given: ")]
    assert len(found) == 2 and all(any(name in each for each in found) for name in NAMES[1:])
    assert "tested records" in found[1]
    assert "\x1b[31m" not in ran.out and "alone determines" in ran.out


def test_json_of_validate_has_faults_only(call: Call, place: Path) -> None:
    told = call("validate", given(place), "--json")
    assert told.code == 0 and json.loads(told.out) == []
