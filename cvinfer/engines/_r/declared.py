"""The R package of each ready-made learner of R: as R says or, without R, as its sources do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

from cvinfer.engines._r.installation import r_sources
from cvinfer.errors import CvinferError

#: The calls in learners.R begin with the names of the learner and of its package.
_CALL = re.compile(r"""^learner\(\s*["']([^"']+)["'],\s*["']([^"']+)["']""", re.MULTILINE)


def learner_packages() -> Optional[dict[str, str]]:
    """The R package of each ready-made learner; None where neither R nor the sources can tell."""
    from cvinfer.engines._r.client import known

    try:
        found = known("learners")
    except CvinferError:
        return written_packages(r_sources())
    return {str(name): str(each["package"]) for name, each in found.items()}


def written_packages(sources: Optional[Path]) -> Optional[dict[str, str]]:
    """The same by the sources of the bridge's R package, for when R cannot be asked."""
    if sources is None:
        return None
    try:
        text = (sources / "R" / "learners.R").read_text(encoding="utf-8")
    except OSError:
        return None
    return dict(_CALL.findall(text)) or None
