"""A user's own code: Python files beside the spec, which may be imported once code is allowed.

What is installed comes first, so that a file beside a spec takes no other's place. Workers look
for modules where the main process does.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Iterator, Optional

from cvinfer import limits

#: The directory that is looked into: that of the spec read last.
_beside: Optional[Path] = None
#: Whether its entry in sys.path is ours, and the top-level names that were loaded before it was.
_entered = False
_loaded: frozenset[str] = frozenset()


def look_beside(directory: Path) -> None:
    """Let modules of a directory be imported, and those of the one before no longer.

    Two specs may each have a file of the same name. What the process had loaded by itself stays.
    """
    global _beside, _entered, _loaded
    place = Path(directory).absolute()
    if _entered and str(_beside) in sys.path:
        sys.path.remove(str(_beside))
    for name, module in list(sys.modules.items()):
        if _top(name) not in _loaded and _lies_beside(name, getattr(module, "__file__", None)):
            del sys.modules[name]
    _beside, _loaded = place, frozenset(map(_top, sys.modules))
    _entered = str(place) not in sys.path
    if _entered:
        sys.path.append(str(place))
    importlib.invalidate_caches()  # files may have come since the directory was last looked into


def own_versions(module: str) -> dict[str, str]:
    """The content of a module beside the spec and of those that it imports from there.

    By name of the file or package; empty where the module comes from elsewhere.
    """
    found: dict[str, str] = {}
    wanted = [_top(module)]
    while wanted:
        name = wanted.pop()
        files = _files(name)
        if not files or name in found:
            continue
        digest = hashlib.sha256()
        for file in files:
            content = limits.read_file(file)
            digest.update(f"{file.name} {len(content)}\n".encode("utf-8", "surrogateescape"))
            digest.update(content)
            wanted += _imports(content)
        found[name] = "sha256:" + digest.hexdigest()
    return dict(sorted(found.items()))


def _top(name: str) -> str:
    return name.partition(".")[0]


def _lies_beside(name: str, file: object) -> bool:
    """Whether a module's file is there under the module's own name.

    Deeper in the same directory there may be a whole environment with what is installed.
    """
    if _beside is None or not isinstance(file, str) or _beside not in Path(file).parents:
        return False
    return _top(Path(file).relative_to(_beside).parts[0]) == _top(name)


def _files(name: str) -> list[Path]:
    """The Python files of a module beside the spec, all of them where it is a package."""
    if _beside is None:
        return []
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return []
    if found is None or not found.origin or not _lies_beside(name, found.origin):
        return []
    file = Path(found.origin)
    return sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def _imports(content: bytes) -> Iterator[str]:
    """The top-level names that a file imports, also those that it does inside its functions."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):  # told where it is imported
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_top(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield _top(node.module)
