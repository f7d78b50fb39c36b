"""The engine `object`: estimators of a Python session, handed over by `cvinfer.compare`.

No spec can name them: what they are is in the memory of the session. A worker has them pickled,
beside the features as they were handed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

from cvinfer.data.memory import InMemory
from cvinfer.engines._sklearn.estimators import (
    MAKERS,
    EstimatorSession,
    foreign_version,
    package_version,
)
from cvinfer.engines._sklearn.objects import OBJECT_ENGINE, Handed, HandedRecipe, Rows
from cvinfer.engines._sklearn.recipes import Catalogue
from cvinfer.engines.base import (
    KNOWS_CATEGORIES,
    InR,
    LearnerInfo,
    LearnerSpec,
    Session,
)
from cvinfer.engines.registry import engines
from cvinfer.errors import LearnerError, Refusal

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset

_ONLY_THERE = "estimators that are objects can be compared from Python only, by cvinfer.compare"


class ObjectEngine:
    name = OBJECT_ENGINE
    takes_missing = True
    takes_flags = False
    encodes = KNOWS_CATEGORIES
    trial: Optional[str] = None
    in_r: Optional[InR] = None

    def reason(self) -> Optional[str]:
        return None

    def open(self, dataset: Dataset) -> Session:
        if not isinstance(dataset, InMemory):
            raise LearnerError(_ONLY_THERE)
        return ObjectSession(dataset)

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        if isinstance(learner, Handed):
            ours = allow_code or not learner.foreign
            return [] if ours else [Refusal("code of others", ("learner",))]
        if isinstance(dataset, InMemory):
            return []  # its place is taken by the object
        return [Refusal(_ONLY_THERE, ("engine",), "a learner that has a name")]

    def learners(self) -> list[LearnerInfo]:
        return []

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        found = {each.name: package_version(each.name, each.module) for each in MAKERS}
        if isinstance(learner, Handed):
            found[f"estimator {learner.name}"] = learner.fingerprint
            for module in learner.foreign:
                found.update({} if module == "__main__" else foreign_version(module))
        return dict(sorted(found.items()))

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return None

    def gives(self, learner: LearnerSpec) -> Optional[str]:
        return None


class ObjectSession(EstimatorSession):
    """The features as they were handed over; estimators see the labels of the session."""

    def __init__(self, dataset: InMemory) -> None:
        super().__init__(Catalogue({}, {}, {}), dataset)
        self._rows = Rows(dataset.X)
        self._labels = dataset.labels

    def encoder(self, encode: Optional[str] = None) -> Any:
        return self._rows

    def _recipe(self, learner: LearnerSpec) -> Any:
        if not isinstance(learner, Handed) or self._labels is None:
            raise LearnerError(_ONLY_THERE)
        return HandedRecipe(learner, self._labels)


ENGINE = engines.add(ObjectEngine.name, ObjectEngine(), __name__)
