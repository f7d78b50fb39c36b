"""What a test needs of R and Weka, and why it cannot have it here."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Optional

from cvinfer.engines import engine
from cvinfer.engines._r.client import known
from cvinfer.engines._r.installation import NoR
from cvinfer.errors import CvinferError


@lru_cache(maxsize=None)
def why_no_r() -> Optional[str]:
    """Why R cannot be used with the bridge's own package."""
    try:
        known("versions", ())
    except CvinferError as error:
        return str(error)
    return None


@lru_cache(maxsize=None)
def why_no_weka() -> Optional[str]:
    """Why Weka cannot be used; a JVM is started to find out."""
    why = why_no_r() or engine("rweka").reason()
    if why is None:
        try:
            known("weka_versions")
        except NoR as error:
            return str(error)
    return why


@lru_cache(maxsize=None)
def why_no_package(name: str) -> Optional[str]:
    """Why a package of R cannot be used."""
    why = why_no_r()
    if why is None and not known("versions", (name,)).get(name):
        return f"R has no package {name}"
    return why


def why_not(spec: str) -> Optional[str]:
    """Why this text of a spec cannot run here, as far as R is concerned."""
    if re.search(r"engine: rweka\b", spec) and why_no_weka():
        return why_no_weka()
    if re.search(r"(engine|source): r\b", spec):
        packages = re.findall(r"package: (\w+)", spec)
        return why_no_r() or next(filter(None, map(why_no_package, packages)), None)
    return None
