"""An engine with one learner that needs no library."""

from __future__ import annotations

import time
from typing import Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from cvinfer.data import Dataset
from cvinfer.engines.base import KNOWS_CATEGORIES, InR, LearnerInfo, LearnerSpec, Prediction
from cvinfer.engines.registry import engines
from cvinfer.errors import Refusal
from cvinfer.names import close_match

LEARNERS = {"last_seen": "always the class of the last training record"}


class ExampleSession:
    """One data set, at hand for every fit."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def predict(
        self, learner: LearnerSpec, train: NDArray[np.int64], test: NDArray[np.int64], seed: int
    ) -> Prediction:
        began = time.perf_counter()
        last = int(self.dataset.target[train[-1]])
        fitted = time.perf_counter()
        codes = np.full(len(test), last, dtype=np.int32)
        return Prediction(codes, fitted - began, time.perf_counter() - fitted)


class ExampleEngine:
    name = "example"
    takes_missing = True
    takes_flags = False
    encodes = KNOWS_CATEGORIES
    trial: Optional[str] = "last_seen"
    in_r: Optional[InR] = None

    def reason(self) -> Optional[str]:
        return None

    def open(self, dataset: Dataset) -> ExampleSession:
        return ExampleSession(dataset)

    def check(
        self, learner: LearnerSpec, dataset: Optional[Dataset], allow_code: bool
    ) -> list[Refusal]:
        if learner.learner not in LEARNERS:
            message = f"the engine {self.name} has no learner {learner.learner!r}"
            meant = close_match(learner.learner, LEARNERS)
            return [Refusal(message, ("learner",), list(LEARNERS), meant)]
        return [
            Refusal(f"{learner.learner} has no parameter {key!r}", ("params", key), about_key=True)
            for key in learner.params
        ]

    def learners(self) -> list[LearnerInfo]:
        return [LearnerInfo(name, description) for name, description in LEARNERS.items()]

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        return {"cvinfer-example": "1.0"}

    def na_action(self, learner: LearnerSpec) -> Optional[str]:
        return None


engines.add(ExampleEngine.name, ExampleEngine(), __name__)
