"""Many fits of the project's own classifiers at once, without scikit-learn's checks of the input.

The records of a data set are checked when it is opened; a study asks for thousands of fits on them.
"""

from __future__ import annotations

import time
from typing import Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from cvinfer.engines._sklearn.classifiers import AtOnce, Halves
from cvinfer.engines._sklearn.estimators import EstimatorSession
from cvinfer.engines.base import NONE, Fit, LearnerSpec, Prediction
from cvinfer.errors import LearnerError
from cvinfer.losses.kinds import CODES, PROBABILITIES
from cvinfer.worker.captured import quietly, texts

#: At most so many values of training records of all fits that are made together.
TOGETHER = 1 << 20


class OwnSession(EstimatorSession):
    """A data set for the engine `builtin`."""

    def predict_all(
        self, learner: LearnerSpec, fits: Sequence[Fit]
    ) -> Sequence[Union[Prediction, LearnerError]]:
        found: list[Union[Prediction, LearnerError]] = []
        room = TOGETHER // max(len(self.dataset.features), 1)
        start = 0
        while start < len(fits):
            stop, records = start + 1, len(fits[start].train)
            while stop < len(fits) and records + len(fits[stop].train) <= room:
                records += len(fits[stop].train)
                stop += 1
            some = fits[start:stop]
            made = self._at_once(learner, some)
            if made is None:
                found.extend(self._one(learner, each) for each in some)
            else:
                found.extend(made)
            start = stop
        return found

    def _one(self, learner: LearnerSpec, asked: Fit) -> Union[Prediction, LearnerError]:
        try:
            return self.predict(learner, *asked)
        except LearnerError as error:
            return error

    def _at_once(self, learner: LearnerSpec, fits: Sequence[Fit]) -> Optional[list[Prediction]]:
        """The same as `predict` of each; None where that has to look closer."""
        recipe = self._recipes.of(learner)
        if not issubclass(recipe.node.cls, AtOnce) or learner.encode == NONE:
            return None
        encoder, classes = self.encoder(learner.encode), len(self.classes)
        if not encoder.plain:
            return None
        sizes = [len(each.train) for each in fits]
        rows = [len(each.test) for each in fits]
        fit_of = np.repeat(np.arange(len(fits)), sizes)
        codes = self.y[np.concatenate([each.train for each in fits])]
        if not np.bincount(fit_of * classes + codes, minlength=len(fits) * classes).all():
            return None
        halves = Halves(
            encoder.numeric[np.concatenate([each.train for each in fits])],
            codes,
            np.cumsum([0, *sizes[:-1]]),
            encoder.numeric[np.concatenate([each.test for each in fits])],
            np.cumsum([0, *rows[:-1]]),
            np.repeat(np.arange(len(fits)), rows),
        )
        start = time.perf_counter()
        with quietly() as caught:
            try:
                beside = recipe.make(0).probabilities(halves, classes)
            except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError):
                return None
        if texts(caught) or not np.isfinite(beside).all():
            return None
        seconds = (time.perf_counter() - start) / len(fits)
        predicted = beside.argmax(axis=1).astype(np.int32)
        ends = np.cumsum([0, *rows])
        return [
            _prediction(predicted[first:last], beside[first:last], seconds, each.wants)
            for first, last, each in zip(ends[:-1], ends[1:], fits)
        ]


def _prediction(
    codes: NDArray[np.int32], beside: NDArray[np.float64], seconds: float, wants: str
) -> Prediction:
    if wants == CODES:
        return Prediction(codes, seconds, 0.0)
    return Prediction(codes, seconds, 0.0, beside=beside, beside_kind=PROBABILITIES)
