"""Finds the engines: the files of this folder that have an `ENGINE`, or fail to load."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import MappingProxyType
from typing import TYPE_CHECKING, Mapping, Optional

from cvinfer.engines.base import (
    KNOWS_CATEGORIES,
    Engine,
    LearnerInfo,
    LearnerSpec,
    Problem,
    Session,
)
from cvinfer.names import close_match
from cvinfer.errors import LearnerError, UserError

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset


class MissingEngine:
    """Stands for an engine whose file cannot be imported: listed with its reason, never opened."""

    takes_missing = False
    takes_flags = False
    encodes = KNOWS_CATEGORIES

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    def reason(self) -> Optional[str]:
        return self._why

    def open(self, dataset: Dataset) -> Session:
        raise LearnerError(f"the engine {self.name} cannot be used here: {self._why}")

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Problem]:
        return [
            Problem(("engine",), f"the engine {self.name} cannot be used here: {self._why}"),
        ]

    def learners(self) -> list[LearnerInfo]:
        return [LearnerInfo(self.name, f"the whole engine {self.name}", False, self._why)]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        return {}

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return None


@functools.lru_cache(maxsize=None)
def engines() -> Mapping[str, Engine]:
    """Every engine by name."""
    package = __name__.rpartition(".")[0]
    return MappingProxyType(_found(package))


def engine(name: str) -> Engine:
    """The engine called `name`."""
    known = engines()
    if name in known:
        return known[name]
    close = close_match(name, known)
    hint = f"did you mean {close}?" if close else f"known are {', '.join(known)}"
    raise UserError(f"there is no engine called {name!r}; {hint}", ("engine",))


def _found(package: str) -> dict[str, Engine]:
    folder = importlib.import_module(package).__path__
    found: dict[str, Engine] = {}
    for module in sorted(pkgutil.iter_modules(folder), key=lambda each: each.name):
        if module.name.startswith("_"):
            continue
        try:
            loaded = importlib.import_module(f"{package}.{module.name}")
        except Exception as error:  # whatever keeps it from loading is its reason
            reason = f"{type(error).__name__}: {error}"
            found[module.name] = MissingEngine(module.name, reason)
            continue
        declared: Optional[Engine] = getattr(loaded, "ENGINE", None)
        if declared is not None:
            if declared.name in found:
                raise RuntimeError(f"two engines are called {declared.name!r}")
            found[declared.name] = declared
    return found
