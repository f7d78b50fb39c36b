"""The engines there are: those that the files of this folder add, and files that fail to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Mapping, Optional

from cvinfer.engines.base import (
    KNOWS_CATEGORIES,
    Engine,
    InR,
    LearnerInfo,
    LearnerSpec,
    Session,
)
from cvinfer.errors import LearnerError, Refusal
from cvinfer.registry import Registry

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset


class MissingEngine:
    """Stands for an engine whose file cannot be imported: listed with its reason, never opened."""

    takes_missing = False
    takes_flags = False
    encodes = KNOWS_CATEGORIES
    trial: Optional[str] = None
    in_r: Optional[InR] = None

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    def reason(self) -> Optional[str]:
        return self._why

    def open(self, dataset: Dataset) -> Session:
        raise LearnerError(f"the engine {self.name} cannot be used here: {self._why}")

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        return [
            Refusal(f"the engine {self.name} cannot be used here: {self._why}", ("engine",)),
        ]

    def learners(self) -> list[LearnerInfo]:
        return [LearnerInfo(self.name, f"the whole engine {self.name}", False, self._why)]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        return {}

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return None

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        return None


#: Every engine by name.
engines: Registry[Engine] = Registry(
    "engine", "cvinfer.engines", ordered=True, broken=MissingEngine
)


def engine(name: str) -> Engine:
    """The engine called `name`."""
    return engines.find(name, ("engine",))


def foreign(learners: Iterable[LearnerSpec]) -> list[str]:
    """The names of those that are code of others: what their engines refuse unless it is allowed.

    They have been checked, so that nothing else is refused.
    """
    return [one.name for one in learners if engine(one.engine).check(one, None, allow_code=False)]
