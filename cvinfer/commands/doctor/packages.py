"""Python itself and its packages."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import shutil
import sys
from typing import Iterator, Optional, Sequence

from cvinfer.commands.doctor.lines import Line, row
from cvinfer.packages import PACKAGES, Package

OLDEST = (3, 10)


def python_lines() -> Iterator[Line]:
    version = platform.python_version()
    if sys.version_info >= OLDEST:
        yield row("Python", "ok", f"{version}, {sys.executable}")
    else:
        oldest = ".".join(map(str, OLDEST))
        yield row("Python", "MISSING", f"{version}; {oldest} or newer is needed", False)


def package_lines() -> Iterator[Line]:
    missing: list[Package] = []
    for package in PACKAGES:
        reason = why_not(package.module)
        if reason is None:
            yield row("Package", "ok", f"{package.name} {_version(package)}")
            continue
        missing.append(package)
        state = "MISSING" if package.needed else "absent"
        text = f"{package.name}, for {package.use}: {reason}"
        yield row("Package", state, text, not package.needed)
    for command in adding(missing):
        yield Line(f"  To add: {command}")


def why_not(module: str) -> Optional[str]:
    """Why a module cannot be imported; a compiled one can be there and not work."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            return "not installed"
        return " ".join(str(error).split())[:200]
    except Exception as error:  # whatever it is, it is the reason
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None


def absent_uses() -> list[str]:
    """What the optional packages that are not there would be for."""
    return [each.use for each in PACKAGES if not each.needed and why_not(each.module)]


def _version(package: Package) -> str:
    try:
        return importlib.metadata.version(package.name)
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(importlib.import_module(package.module), "__version__", ""))


def adding(packages: Sequence[Package]) -> list[str]:
    """The command that adds packages to this interpreter; a second one where Debian lacks some."""
    debian = sys.base_prefix == "/usr" and shutil.which("apt-get") is not None
    by_apt = [each.debian for each in packages if debian and each.debian]
    by_pip = [each.name for each in packages if not (debian and each.debian)]
    commands = [f"{sudo()}apt-get install {' '.join(by_apt)}"] if by_apt else []
    return commands + ([f"{sys.executable} -m pip install {' '.join(by_pip)}"] if by_pip else [])


def sudo() -> str:
    return "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "
