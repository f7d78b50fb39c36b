"""The bibliography behind the `cite` keys; references.bib travels inside the package."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=None)
def bibliography() -> str:
    """The text of references.bib, ready to be written beside a LaTeX table."""
    source = resources.files("cvinfer.inference").joinpath("references.bib")
    return source.read_text(encoding="utf-8")


def citation_keys() -> tuple[str, ...]:
    """The keys of references.bib in its order."""
    return tuple(re.findall(r"^@\w+\{([^,\s]+),", bibliography(), flags=re.MULTILINE))
