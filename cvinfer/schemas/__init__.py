"""The JSON Schemas of the package: in the tree links to `schemas/` at its top, in wheels files."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any


@lru_cache(maxsize=None)
def schema(name: str) -> dict[str, Any]:
    """The schema called `name`, for example "spec"; shared, so not to be changed."""
    text = (resources.files(__name__) / f"{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def place(name: str) -> Path:
    """The file of the schema called `name`, for editors."""
    return Path(str(resources.files(__name__) / f"{name}.schema.json")).absolute()
