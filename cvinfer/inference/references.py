"""The bibliography behind the `cite` keys; references.bib travels inside the package.

A plug-in whose tests have sources of their own brings a references.bib beside the module.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=None)
def bibliography() -> str:
    """The text of references.bib, ready to be written beside a LaTeX table."""
    from cvinfer.inference.registry import packages_of_plugins

    return "\n".join([own_bibliography(), *filter(None, map(_text, packages_of_plugins()))])


def own_bibliography() -> str:
    """The part of it that hangs on nothing else that is installed."""
    return _text("cvinfer.inference")


def _text(package: str) -> str:
    source = resources.files(package).joinpath("references.bib")
    return source.read_text(encoding="utf-8") if source.is_file() else ""


def citation_keys() -> tuple[str, ...]:
    """The keys of references.bib in its order."""
    return tuple(re.findall(r"^@\w+\{([^,\s]+),", bibliography(), flags=re.MULTILINE))
