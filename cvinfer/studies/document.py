"""study.json: its content from the states of a study, and two of them added up."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Iterable, Mapping, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.spec.model import LANGUAGE_VERSION
from cvinfer.studies import states
from cvinfer.studies.model import Range, Study
from cvinfer.studies.states import State

#: At most so many different failures are told, and this stands for all others.
TOLD = 100
OTHERS = "other reasons"
#: What a state is a state of, besides its point.
_WHOSE = ("kind", "name", "of", "a", "b", "learner", "averaging", "scheme")


def identity(about: JsonObject) -> str:
    """What tells a state from all others of a study."""
    return json.dumps([about["at"], *(about.get(key) for key in _WHOSE)], sort_keys=True)


def added(found: Iterable[State]) -> list[State]:
    """States of the same thing together, in the order in which they first came."""
    known: dict[str, State] = {}
    for state in found:
        key = identity(state.about)
        known[key] = known[key].joined(state) if key in known else state
    return list(known.values())


def build(
    study: Study,
    wanted: Range,
    found: Sequence[State],
    versions: Mapping[str, str],
    failures: Sequence[JsonObject],
) -> JsonObject:
    """The document of a study over a range of replications; `failures` may have a thing twice."""
    head: JsonObject = {
        "cvinfer": LANGUAGE_VERSION,
        "name": study.name,
        "study": {**study.written, "replications": max(study.replications, wanted.last)},
        "spec": study.resolved,
        "settings": settings_hash(study.written, study.resolved),
        "versions": dict(sorted(versions.items())),
    }
    return _whole(head, [list(wanted)], found, failures)


def settings_hash(written: JsonObject, resolved: JsonObject) -> str:
    """What two studies must have in common to be added: all but the number of replications."""
    what = {key: value for key, value in written.items() if key != "replications"}
    text = json.dumps([what, {**resolved, "output": None, "limits": None}], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _whole(
    head: JsonObject,
    ranges: list[list[int]],
    found: Sequence[State],
    failures: Sequence[JsonObject],
) -> JsonObject:
    """All that is told of some replications, from what adds up and from nothing else."""
    told = told_failures(failures, [state.about["at"] for state in found])
    return {
        **head,
        "ranges": ranges,
        "cells": [cell for state in found for cell in state.cells()],
        "failures": told,
        "warnings": failure_warnings(told),
    }


def merge(documents: Sequence[JsonObject], names: Sequence[str] = ()) -> JsonObject:
    """Studies of other replications with the same settings, added up."""
    names = names or [f"study {at + 1}" for at in range(len(documents))]
    first = documents[0]
    for other, name in zip(documents[1:], names[1:]):
        if other["settings"] != first["settings"]:
            raise UserError(
                f"{name} is of another study than {names[0]}: {_difference(first, other)};"
                " only replications of one study can be added"
            )
    if first["spec"].get("tests") and _mu0_truth(first):
        raise UserError(
            f"{names[0]} tests against the mean of all its replications (mu0: truth), which is"
            " another for each part of them; run the study over the whole range"
        )
    ranges = _ranges(documents, names)
    order = sorted(range(len(documents)), key=lambda at: int(documents[at]["ranges"][0][0]))
    cells = [cell for at in order for cell in documents[at]["cells"] if cell["sums"]]
    found = added(states.read(cell["sums"]) for cell in cells)
    head = {key: first[key] for key in ("cvinfer", "name", "study", "spec", "settings")}
    asked = [int(each["study"]["replications"]) for each in documents]
    head["study"] = {**head["study"], "replications": max(*asked, ranges[-1][1])}
    head["versions"] = _versions([documents[at]["versions"] for at in order])
    failures = [row for at in order for row in documents[at]["failures"]]
    return _whole(head, ranges, found, failures)


def _mu0_truth(document: JsonObject) -> bool:
    return any(
        isinstance(options, dict) and options.get("mu0") == "truth"
        for entry in document["spec"]["tests"]
        if isinstance(entry, dict)
        for options in entry.values()
    )


def _difference(first: JsonObject, other: JsonObject) -> str:
    """The first key in which two settings differ."""
    for part in ("study", "spec"):
        for key in sorted({*first[part], *other[part]}):
            if key in ("replications", "output", "limits"):
                continue
            one, two = first[part].get(key), other[part].get(key)
            if one != two:
                where = f"study.{key}" if part == "study" else key
                return f"{where} is {_short(two)}, not {_short(one)}"
    return "their settings differ"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _ranges(documents: Sequence[JsonObject], names: Sequence[str]) -> list[list[int]]:
    """All ranges together, neighbours joined; an overlap is refused."""
    every = sorted(
        (int(start), int(last), name)
        for document, name in zip(documents, names)
        for start, last in document["ranges"]
    )
    found: list[list[int]] = []
    before = ""
    for start, last, name in every:
        if found and start <= found[-1][1]:
            raise UserError(
                f"{before} and {name} have replications {start} to {min(last, found[-1][1])} in"
                " common, which would count twice; run one of them over another --range"
            )
        if found and start == found[-1][1] + 1:
            found[-1][1] = last
        else:
            found.append([start, last])
        before = name
    return found


def _versions(every: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The versions of all; where they differ, each once."""
    found: dict[str, list[str]] = {}
    for versions in every:
        for name, version in versions.items():
            known = found.setdefault(name, [])
            known += [one for one in version.split(", ") if one not in known]
    return {name: ", ".join(found[name]) for name in sorted(found)}


def told_failures(rows: Sequence[JsonObject], points: Sequence[JsonObject]) -> list[JsonObject]:
    """What failed, each thing once, in the order of the points; the rest of very many as one."""
    known: dict[str, int] = {}
    for at in points:
        known.setdefault(_text(at), len(known))
    found: dict[tuple[int, str, str, str], JsonObject] = {}
    for row in rows:
        at, learner, reason = row["at"], row.get("learner"), row["reason"]
        key = (known.get(_text(at), len(known)), _text(at), learner or "\U0010ffff", reason)
        count = row.get("count", 1) + (found[key]["count"] if key in found else 0)
        found[key] = {"at": at, "learner": learner, "reason": reason, "count": count}
    every = [found[key] for key in sorted(found)]
    if len(every) <= TOLD:
        return every
    few = [row for row in every if row["reason"] != OTHERS]
    count = sum(row["count"] for row in few[TOLD:]) + sum(
        row["count"] for row in every if row["reason"] == OTHERS
    )
    return [*few[:TOLD], {"at": {}, "learner": None, "reason": OTHERS, "count": count}]


def _text(at: JsonObject) -> str:
    return json.dumps(at, sort_keys=True)


def failure_warnings(failures: Sequence[JsonObject]) -> list[str]:
    if not failures:
        return []
    count = sum(row["count"] for row in failures)
    shared = len({_text(row["at"]) for row in failures}) > 1
    each = ", counted at every point that needs them" * shared
    return [
        f"{count} fit{'s' * (count != 1)} failed{each}; the replications that need them are counted"
        " as failed, and rates are shares of the others"
    ]
