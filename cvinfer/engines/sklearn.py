"""The engine `sklearn`: any scikit-learn classifier by its name, and pipelines by their steps."""

from __future__ import annotations

import functools
import importlib

from cvinfer.engines.base import Engine, LearnerInfo
from cvinfer.engines.estimators import EstimatorEngine, first_line
from cvinfer.engines.recipes import Catalogue

SEVERAL_TARGETS = "it predicts several targets at once, and a comparison has one"
UNFIT = {"ClassifierChain": SEVERAL_TARGETS, "MultiOutputClassifier": SEVERAL_TARGETS}
# Searches become classifiers by what they search, so scikit-learn does not list them as such.
SEARCHES = ("GridSearchCV", "RandomizedSearchCV")
KINDS = ("regressor", "transformer", "cluster")


class SklearnEngine(EstimatorEngine):
    name = "sklearn"

    def catalogue(self) -> Catalogue:
        return sklearn_catalogue()

    def learners(self) -> list[LearnerInfo]:
        found = super().learners()
        if self.reason() is None:
            others = self.catalogue().others
            found += [LearnerInfo(name, first_line(others[name])) for name in SEARCHES]
        return sorted(found)


@functools.lru_cache(maxsize=None)
def sklearn_catalogue() -> Catalogue:
    try:
        discovery = importlib.import_module("sklearn.utils.discovery")
    except ImportError:  # before 1.1
        discovery = importlib.import_module("sklearn.utils")
    everything = dict(discovery.all_estimators())
    classifiers = dict(discovery.all_estimators(type_filter="classifier"))
    kinds = {
        name: {"cluster": "clusterer"}.get(kind, kind)
        for kind in KINDS
        for name, _ in discovery.all_estimators(type_filter=kind)
    }
    others = {name: cls for name, cls in everything.items() if name not in classifiers}
    return Catalogue(classifiers, others, kinds, UNFIT, elsewhere=_builtin_names())


def _builtin_names() -> dict[str, str]:
    from cvinfer.engines.builtin import NAMES

    return {name: "builtin" for pair in NAMES.items() for name in pair}


ENGINE: Engine = SklearnEngine()
