"""The engine `sklearn`: any scikit-learn classifier by its name, and pipelines by their steps."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect

from cvinfer.engines.base import LearnerInfo
from cvinfer.engines._sklearn.estimators import EstimatorEngine, first_line
from cvinfer.engines._sklearn.recipes import Catalogue
from cvinfer.engines.registry import engines

SEVERAL_TARGETS = "it predicts several targets at once, and a comparison has one"
UNFIT = {"ClassifierChain": SEVERAL_TARGETS, "MultiOutputClassifier": SEVERAL_TARGETS}
# Searches become classifiers by what they search, so scikit-learn does not list them as such.
SEARCHES = ("GridSearchCV", "RandomizedSearchCV")
KINDS = {
    "regressor": "RegressorMixin",
    "transformer": "TransformerMixin",
    "clusterer": "ClusterMixin",
}
# Estimators that are public only once these are imported, and modules below the public ones.
EXPERIMENTAL = ("enable_iterative_imputer", "enable_halving_search_cv")
BELOW = ("feature_extraction.text", "feature_extraction.image")


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
    base = importlib.import_module("sklearn.base")
    everything = public_estimators()
    classifiers = _of_kind(everything, base.ClassifierMixin)
    kinds = {
        name: kind
        for kind, mixin in KINDS.items()
        for name in _of_kind(everything, getattr(base, mixin))
    }
    others = {name: cls for name, cls in everything.items() if name not in classifiers}
    return Catalogue(classifiers, others, kinds, UNFIT, elsewhere=_builtin_names())


def public_estimators() -> dict[str, type]:
    """Every estimator class that scikit-learn's public modules show, by name.

    Not by its own `all_estimators`: that walks into build helpers too, which load setuptools and
    fail where distutils is loaded already, and it takes a second in every worker.
    """
    for name in EXPERIMENTAL:
        with contextlib.suppress(ImportError):
            importlib.import_module(f"sklearn.experimental.{name}")
    base = importlib.import_module("sklearn.base")
    found: dict[str, type] = {}
    for name in (*importlib.import_module("sklearn").__all__, *BELOW):
        try:
            module = importlib.import_module(f"sklearn.{name}")
        except ImportError:  # a function of the package itself, not a module
            continue
        found.update(
            (each, cls)
            for each, cls in vars(module).items()
            if inspect.isclass(cls)
            and issubclass(cls, base.BaseEstimator)
            and cls is not base.BaseEstimator
            and cls.__name__ == each
            and not each.startswith("_")
            and not inspect.isabstract(cls)
        )
    return dict(sorted(found.items()))


def _of_kind(classes: dict[str, type], mixin: type) -> dict[str, type]:
    return {name: cls for name, cls in classes.items() if issubclass(cls, mixin)}


def _builtin_names() -> dict[str, str]:
    from cvinfer.engines.builtin import NAMES

    return {name: "builtin" for pair in NAMES.items() for name in pair}


ENGINE = engines.add(SklearnEngine.name, SklearnEngine(), __name__)
