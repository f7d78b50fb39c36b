"""The name of a comparison."""

from __future__ import annotations

import re
from typing import Optional

from cvinfer.spec.check.common import Context
from cvinfer.spec.shape import quoted

_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_WINDOWS_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST_NAME = 100


def name_of(here: Context, default_name: str) -> Optional[str]:
    if not here.fine(("name",)):
        return None
    given = "name" in here.value
    name = str(here.value["name"]) if given else default_name
    why = _unusable(name)
    if why is None:
        return name
    if not given:
        message = f"is missing, and the file's own name {quoted(name)} {why}"
        here.fault((), message, "text that can name a directory", shown=("name",))
        return None
    here.fault(("name",), f"{quoted(name)} {why}", "text that can name a directory")
    return None


def _unusable(name: str) -> Optional[str]:
    """Why a name cannot be that of a directory on every system."""
    if name in (".", "..") or not name.strip():
        return "is not a name"
    wrong = _NOT_IN_NAMES.search(name)
    if wrong:
        return f"has the character {wrong.group()!r} in it"
    if name != name.strip() or name.endswith("."):
        return "begins or ends with a space or ends with a full stop"
    if name.startswith("-"):
        return "begins with a hyphen"
    if len(name.encode()) > _LONGEST_NAME:
        return f"is longer than {_LONGEST_NAME} bytes"
    if _WINDOWS_DEVICES.fullmatch(name):
        return "is the name of a device on Windows"
    return None
