"""A result.json as a spec: what it was made from stands in it, and it can be run again.

Its keys are sorted, so the order of the learners is taken from its list of them. It holds no
directory of this machine: `base_of` finds the files that it was made from.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

from cvinfer import limits
from cvinfer.spec.faults import Fault, path_text

RESULT_NAME = "result.json"
#: Facts of a run that are no part of its result; written beside it.
FACTS_NAME = "run.json"


def is_result(content: bytes) -> bool:
    """Whether a file holds a result and no spec; a spec may be JSON too."""
    return result_in(content) is not None


def is_result_file(path: Any) -> bool:
    """Whether a path leads to a result; False for whatever cannot be read."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    try:
        file = Path(path)
        return file.is_file() and is_result(limits.read_file(file, limits.RESULT_BYTES))
    except (OSError, ValueError):
        return False


def result_in(content: bytes) -> Optional[Mapping[str, Any]]:
    """The document in the content of a result.json; None for anything else."""
    if not content.lstrip()[:1] == b"{" or b'"manifest"' not in content:
        return None
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    parts = {"spec": dict, "manifest": dict, "learners": list}
    whole = isinstance(found, dict) and all(
        isinstance(found.get(part), kind) for part, kind in parts.items()
    )
    return found if whole else None


def spec_in(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec that a result was made from, with the learners in their order."""
    spec = document["spec"]
    learners = spec.get("learners")
    if not isinstance(learners, dict):
        return dict(spec)
    listed = [str(each.get("name")) for each in document["learners"] if isinstance(each, dict)]
    order = [*(name for name in listed if name in learners), *learners]
    return {**spec, "learners": {name: learners[name] for name in order}}


def base_of(file: Path, spec: Any) -> tuple[Path, list[Fault]]:
    """The directory that the relative paths of a result start from, and what is not found there.

    The first of these that has every file: where they were when the result was made, as run.json
    beside it says (by a path from there to there); the result's own directory; the working
    directory.
    """
    wanted = dict(_relative_paths(spec))
    places = _places(file.absolute().parent)
    for place in places:
        if all((place / path).exists() for path in wanted.values()):
            return place, []
    tried = ", ".join(dict.fromkeys(os.path.relpath(place) for place in places))
    remedy = "say where it is with --base DIR, the directory that its path starts from"
    lost = {
        path: at
        for at, path in wanted.items()
        if not any((place / path).exists() for place in places)
    }
    # Each may be somewhere, but not all in one place.
    lost = lost or {path: at for at, path in wanted.items()}
    return places[0], [
        Fault(str(file), 0, 0, f"spec.{at}", f"{path!r} is not in {tried}; {remedy}")
        for path, at in lost.items()
    ]


def _places(beside: Path) -> list[Path]:
    """Where the files of a result may be."""
    known = None
    try:
        facts = json.loads(limits.read_file(beside / FACTS_NAME, limits.SPEC_BYTES))
        known = facts.get("base") if isinstance(facts, dict) else None
    except (OSError, ValueError, RecursionError):
        pass
    first = [Path(os.path.normpath(beside / known))] if isinstance(known, str) else []
    return list(dict.fromkeys([*first, beside, Path.cwd()]))


def _relative_paths(spec: Any) -> Iterator[tuple[str, str]]:
    """Where a spec names a file relative to itself, and how."""
    if not isinstance(spec, Mapping):
        return
    for key in ("data", "partition"):
        entries = spec.get(key)
        for at, entry in enumerate(entries if isinstance(entries, list) else [entries]):
            path = entry.get("path") if isinstance(entry, Mapping) else None
            if not isinstance(path, str) or path == limits.STANDARD_INPUT:
                continue
            if not path.startswith("~") and not Path(path).is_absolute():
                yield path_text((key, at, "path")), path
