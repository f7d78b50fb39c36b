"""What was fitted, on what, with what versions, and how long it took."""

from __future__ import annotations

import json

from cvinfer.analysis.words import scheme_title, split_sizes
from cvinfer.documents import JsonObject
from cvinfer.report.page.markup import Content, bdi, tag
from cvinfer.report.page.parts import Data, Head, Row, facts, plural, table
from cvinfer.report.page.reading import Reading
from cvinfer.report.page.sections import section

#: Failures that are listed.
MOST_FAILURES = 20


@section("fitted", "What was fitted", of=("result",), place=110)
def fitted(reading: Reading) -> Content:
    document = reading.document
    made: list[Content] = [_learners(reading), _partitions(reading)]
    if reading.facts:
        made += [tag("h3", "Times"), _times(reading.facts)]
    if document["failures"]:
        made += [tag("h3", "Failed fits"), _failures(document)]
    versions = document["manifest"].get("versions", {})
    made += [
        tag("h3", "Versions"),
        tag("p", ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))),
    ]
    return made


def _learners(reading: Reading) -> Content:
    heads = [Head("Learner", sort="text"), Head("Engine", "", "text"), Head("Settings")]
    rows = [
        Row(
            bdi(each["name"]),
            [Data(each["engine"]), Data(tag("code", bdi(_settings(each["settings"]))), "wrap")],
        )
        for each in reading.document["learners"]
    ]
    return table("Learners", heads, [("", rows)], label="Learners")


def _settings(settings: JsonObject) -> str:
    kept = {key: value for key, value in settings.items() if value not in ({}, [], None)}
    said = (f"{key}: {_value(value)}" for key, value in sorted(kept.items()) if key != "engine")
    return ", ".join(said)


def _value(value: object) -> str:
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )


def _partitions(reading: Reading) -> Content:
    document = reading.document
    users: dict[int, list[str]] = {}
    for entry in document["losses"]:
        users.setdefault(entry["partition"], []).append(entry["learner"])
    heads = [
        Head("Partition", sort="text"),
        Head("Data set", "", "text"),
        Head("Splits", "number", "number"),
        Head("Training records", "number"),
        Head("Test records", "number"),
        Head("Learners", "number", "number"),
        Head("Fingerprint"),
    ]
    rows = []
    for at, partition in enumerate(document["partitions"]):
        sizes = split_sizes(partition["sizes"])
        count = len(set(users.get(at, ())))
        cells = [
            Data(bdi(partition["data"])),
            Data(f"{len(sizes):,}", "number", len(sizes)),
            Data(_range([train for train, _ in sizes]), "number"),
            Data(_range([test for _, test in sizes]), "number"),
            Data(f"{count:,}", "number", count),
            Data(tag("code", partition["fingerprint"][:16])),
        ]
        rows.append(Row(scheme_title(partition, [partition]), cells))
    return table("Partitions", heads, [("", rows)], label="Partitions")


def _range(sizes: "list[int]") -> str:
    least, most = min(sizes), max(sizes)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _times(run: JsonObject) -> Content:
    fits = run.get("fits") or {}
    said: list[tuple[Content, Content]] = []
    if run.get("started"):
        said.append(("Started", str(run["started"])))
    counted = [f"{count:,} {name}" for name, count in fits.items() if isinstance(count, int)]
    if counted:
        said.append(("Fits", ", ".join(counted)))
    if run.get("jobs"):
        said.append(("Worker processes", str(run["jobs"])))
    for name, value in (run.get("seconds") or {}).items():
        said.append((str(name), f"{float(value):,.1f} s"))
    return [
        facts(said),
        tag("p", "“in learners” adds up what all workers spent in fits.", class_="muted"),
    ]


def _failures(document: JsonObject) -> Content:
    partitions = document["partitions"]
    alike: dict[tuple[str, str, str], list[JsonObject]] = {}
    for each in document["failures"]:
        alike.setdefault((each["learner"], each["data"], each["message"]), []).append(each)
    items = []
    for (learner, data, message), group in list(alike.items())[:MOST_FAILURES]:
        where = f"split {group[0]['split'] + 1} of {partitions[group[0]['partition']]['label']}"
        times = f"{plural(len(group), 'time')}, first on {where}" if len(group) > 1 else where
        items.append(
            tag("li", tag("strong", bdi(learner)), " on ", bdi(data), f", {times}: {message}")
        )
    if len(alike) > MOST_FAILURES:
        items.append(
            tag("li", f"and {len(alike) - MOST_FAILURES} more reasons; result.json has them")
        )
    return tag("ul", items)
