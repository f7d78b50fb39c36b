"""study.json: its content from the states of a study, and two of them added up."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Iterable, Mapping, Sequence

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.spec.model import LANGUAGE_VERSION
from cvinfer.studies import states
from cvinfer.studies.model import MU0_TRUTH, Range, Study
from cvinfer.studies.states import State

#: At most so many different failures are told, and this stands for all others.
TOLD = 100
OTHERS = "other reasons"
#: A setting of more characters than this is told by the part of it that differs.
SHORT = 60
#: What a state is a state of, besides its point.
_WHOSE = ("kind", "name", "of", "a", "b", "learner", "averaging", "scheme", "measure", "options")


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
    if _mu0_truth([first["spec"].get("tests"), first["study"].get("grid")]):
        raise UserError(
            f"{names[0]} tests against the mean of all its replications (mu0: truth), which is"
            " another for each part of them; run the study over the whole range"
        )
    ranges = _ranges(documents, names)
    order = sorted(range(len(documents)), key=lambda at: int(documents[at]["ranges"][0][0]))
    found = added(state for at in order for state in _states(documents[at], names[at]))
    head = {key: first[key] for key in ("cvinfer", "name", "study", "spec", "settings")}
    asked = [int(each["study"]["replications"]) for each in documents]
    head["study"] = {**head["study"], "replications": max(*asked, ranges[-1][1])}
    head["versions"] = _versions([documents[at]["versions"] for at in order])
    failures = [row for at in order for row in documents[at]["failures"]]
    return _whole(head, ranges, found, failures)


def _states(document: JsonObject, name: str) -> list[State]:
    """The states that the cells carry: all that is told comes of them, and nothing of the cells."""
    try:
        found = [states.read(cell["sums"]) for cell in document["cells"] if cell["sums"]]
        for state in found:
            state.cells()
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, UserError):
        raise UserError(f"{name} is no study.json: its sums cannot be added up") from None
    total = sum(last - start + 1 for start, last in document["ranges"])
    for state in found:
        # What all replications share has no count of its own.
        if state.counts.get("replications", total) != total:
            raise UserError(f"{name} is no study.json: its cells are of other replications")
    return found


def _mu0_truth(value: Any) -> bool:
    """Whether a test anywhere in a spec, or in its grid, has the truth as its hypothesis."""
    if isinstance(value, Mapping):
        found = [(key, each) for key, each in value.items()]
        return any(str(key).endswith("mu0") and _has_truth(each) for key, each in found) or any(
            _mu0_truth(each) for _, each in found
        )
    return isinstance(value, list) and any(map(_mu0_truth, value))


def _has_truth(value: Any) -> bool:
    return value == MU0_TRUTH or (isinstance(value, list) and MU0_TRUTH in value)


def _difference(first: JsonObject, other: JsonObject) -> str:
    """The first key in which two settings differ."""
    for part in ("study", "spec"):
        keys = {*first[part], *other[part]} - {"replications", "output", "limits"}
        # The primary test is the first of the tests, where nothing else is said.
        for key in sorted(keys, key=lambda key: (key == "primary", key)):
            one, two = first[part].get(key), other[part].get(key)
            if one != two:
                return _told_apart(f"study.{key}" if part == "study" else key, one, two)
    return "their settings differ"


def _told_apart(where: str, one: Any, two: Any) -> str:
    """A setting and what it is in both; of a long one, where in it the first difference is."""
    if max(len(json.dumps(each)) for each in (one, two)) <= SHORT:
        return f"{where} is {_short(two)}, not {_short(one)}"
    if isinstance(one, dict) and isinstance(two, dict):
        key = next(key for key in sorted({*one, *two}) if one.get(key) != two.get(key))
        return _told_apart(f"{where}.{key}", one.get(key), two.get(key))
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        at = next(at for at in range(len(one)) if one[at] != two[at])
        return _told_apart(f"{where}[{at}]", one[at], two[at])
    return f"{where} is {_short(two)}, not {_short(one)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHORT else text[: SHORT - 3] + "..."


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
        if start > last:
            raise UserError(f"{name} is no study.json: it has a range from {start} to {last}")
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
