"""The engine `sklearn`: any scikit-learn classifier by its name, and pipelines by their steps."""

from __future__ import annotations

from cvinfer.engines.base import LearnerInfo
from cvinfer.engines._sklearn.catalogues import SKLEARN_ENGINE, sklearn_catalogue
from cvinfer.engines._sklearn.estimators import EstimatorEngine, first_line
from cvinfer.engines._sklearn.recipes import Catalogue
from cvinfer.engines.registry import engines

# Searches become classifiers by what they search, so scikit-learn does not list them as such.
SEARCHES = ("GridSearchCV", "RandomizedSearchCV")


class SklearnEngine(EstimatorEngine):
    name = SKLEARN_ENGINE

    def catalogue(self) -> Catalogue:
        return sklearn_catalogue()

    def learners(self) -> list[LearnerInfo]:
        found = super().learners()
        if self.reason() is None:
            others = self.catalogue().others
            found += [LearnerInfo(name, first_line(others[name])) for name in SEARCHES]
        return sorted(found)


ENGINE = engines.add(SklearnEngine.name, SklearnEngine(), __name__)
