"""Reading whichever kind of document a command is given."""

from __future__ import annotations

import json
from pathlib import Path

from cvinfer.documents import JsonObject
from cvinfer.errors import UserError


def read_document(path: Path) -> JsonObject:
    """A result.json, study.json, stability.json or calibrate.json, checked against its schema."""
    from cvinfer import limits
    from cvinfer.report.kinds import kinds
    from cvinfer.spec.finished import RESULT_NAME, read_result

    if path.is_dir():
        names = [RESULT_NAME, *(f"{kind}.json" for kind in kinds)]
        path = next((path / name for name in names if (path / name).is_file()), path / RESULT_NAME)
    try:
        found = json.loads(limits.read_file(path, limits.RESULT_BYTES))
        kind = next((each.name for each in kinds.values() if each.recognises(found)), "result")
    except (limits.Unreadable, OSError, ValueError, RecursionError, TypeError):
        kind = "result"  # which says what is wrong with the file
    return read_result(path) if kind == "result" else _checked(path, found, kind)


def _checked(path: Path, found: JsonObject, kind: str) -> JsonObject:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    from cvinfer.schemas import schema

    fault = best_match(Draft202012Validator(schema(kind)).iter_errors(found))
    if fault is not None:
        place = ".".join(map(str, fault.absolute_path)) or "the whole"
        raise UserError(f"{path} is no {kind}.json: {place}: {fault.message[:200]}")
    return found


def read_facts(beside: Path) -> JsonObject:
    """What run.json beside a document says of its making; nothing where there is none."""
    from cvinfer import limits
    from cvinfer.spec.finished import FACTS_NAME

    folder = beside if beside.is_dir() else beside.parent
    try:
        found = json.loads(limits.read_file(folder / FACTS_NAME, limits.SPEC_BYTES))
    except (limits.Unreadable, OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
