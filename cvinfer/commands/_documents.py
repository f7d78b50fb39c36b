"""What stands beside a document that a command is given."""

from __future__ import annotations

import json
from pathlib import Path

from cvinfer.documents import JsonObject


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
