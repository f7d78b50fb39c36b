"""The command that makes the same result again."""

from __future__ import annotations

import json

from cvinfer.report.page.markup import Content, tag
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section


@section("rerun", "To make it again", of=("result", "study", "stability", "calibrate"), place=900)
def rerun(reading: Reading) -> Content:
    if reading.kind != "result":
        return _study(reading)
    words = (
        "The result holds its spec, its seed and the hash of its data. The first command runs"
        " all of it again and compares; the second does the same and writes nothing."
    )
    seed = reading.document["manifest"].get("seed")
    return [
        tag("p", words),
        tag(
            "pre", tag("code", "cvinfer run result.json --output again\ncvinfer verify result.json")
        ),
        tag("p", f"Seed {seed}.", class_="muted") if seed is not None else None,
    ]


def _study(reading: Reading) -> Content:
    """A study does not run from its document, but its spec is in there, and JSON is YAML."""
    command = {"study": "simulate"}.get(reading.kind, reading.kind)
    spec = json.dumps(reading.document["spec"], indent=1, ensure_ascii=False, sort_keys=True)
    return [
        tag("p", "Save this as spec.yaml beside the data files that it names:"),
        tag("details", tag("summary", "spec.yaml"), tag("pre", tag("code", spec))),
        tag("pre", tag("code", f"cvinfer {command} spec.yaml")),
    ]
