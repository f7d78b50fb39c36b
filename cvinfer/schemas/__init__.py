"""The JSON Schemas of the package: in the tree links to `schemas/` at its top, in wheels files."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Optional

ENDING = ".schema.json"


@lru_cache(maxsize=None)
def schema(name: str) -> dict[str, Any]:
    """The schema called `name`, for example "spec"; shared, so not to be changed."""
    text = (resources.files(__name__) / f"{name}{ENDING}").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def place(name: str) -> Path:
    """The file of the schema called `name`, for editors."""
    return Path(str(resources.files(__name__) / f"{name}{ENDING}")).absolute()


def documents() -> list[str]:
    """The kinds of finished documents: whatever has a schema and is no spec."""
    files = (each.name for each in resources.files(__name__).iterdir())
    names = (name[: -len(ENDING)] for name in files if name.endswith(ENDING))
    return sorted(name for name in names if name != "spec")


def document_kind(found: object) -> Optional[str]:
    """The kind of document of which it has most keys that no other kind must have, if any."""
    if not isinstance(found, dict):
        return None
    required = {kind: set(schema(kind)["required"]) for kind in documents()}
    times = Counter(key for keys in required.values() for key in keys)
    own = {kind: sum(times[k] == 1 and k in found for k in keys) for kind, keys in required.items()}
    best = max(own, key=lambda kind: own[kind])
    return best if own[best] else None
