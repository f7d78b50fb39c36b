"""Names that were written wrongly."""

from __future__ import annotations

import difflib
from typing import Any, Iterable, Optional


#: How near a name must be, from 0 to 1.
_NEAR = 0.6


def close_match(wrong: Any, known: Iterable[str], near: float = _NEAR) -> Optional[str]:
    """The name that was probably meant, if one is near; case and outer blanks count for nothing."""
    by_folded = {_folded(name): name for name in known}
    found = difflib.get_close_matches(_folded(str(wrong)), list(by_folded), n=1, cutoff=near)
    return by_folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.strip().casefold()
