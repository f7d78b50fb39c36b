"""Names that were written wrongly."""

from __future__ import annotations

import difflib
from typing import Any, Iterable, Optional


def close_match(wrong: Any, known: Iterable[str]) -> Optional[str]:
    """The name that was probably meant, if one is near; upper and lower case are one."""
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(str(wrong).casefold(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None
