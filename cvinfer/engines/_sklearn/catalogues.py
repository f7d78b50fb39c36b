"""The classes that can be named: scikit-learn's own, and the project's beside them."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect

from cvinfer.engines._sklearn.recipes import Catalogue

SEVERAL_TARGETS = "it predicts several targets at once, and a comparison has one"
UNFIT = {"ClassifierChain": SEVERAL_TARGETS, "MultiOutputClassifier": SEVERAL_TARGETS}
KINDS = {
    "regressor": "RegressorMixin",
    "transformer": "TransformerMixin",
    "clusterer": "ClusterMixin",
}
# Estimators that are public only once these are imported, and modules below the public ones.
EXPERIMENTAL = ("enable_iterative_imputer", "enable_halving_search_cv")
BELOW = ("feature_extraction.text", "feature_extraction.image")
#: The two engines of estimators; each says where a name is that only the other one has.
OWN_ENGINE, SKLEARN_ENGINE = "builtin", "sklearn"
#: The project's own classifiers with their short names, by the module where they are.
OWN_MODULES = {
    "classifiers": {
        "MajorityClassifier": "majority",
        "MeanClassifier": "mean",
        "FirstNearestNeighbour": "first_nearest_neighbour",
        "LeastSquaresClassifier": "least_squares",
    },
    "quick": {
        "NaiveBayes": "naive_bayes",
        "LinearDiscriminant": "linear_discriminant",
        "NearestNeighbours": "nearest_neighbours",
    },
}
OWN_NAMES = {name: short for names in OWN_MODULES.values() for name, short in names.items()}


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
    return Catalogue(classifiers, others, kinds, UNFIT, elsewhere=_own_names())


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


def _own_names() -> dict[str, str]:
    return {name: OWN_ENGINE for pair in OWN_NAMES.items() for name in pair}


@functools.lru_cache(maxsize=None)
def own_catalogue() -> Catalogue:
    """The project's own classifiers; before the last step anything of scikit-learn may stand."""
    known = sklearn_catalogue()
    aliases = {short: long for long, short in OWN_NAMES.items()}
    others = {**known.others, **known.classifiers}
    elsewhere = {name: SKLEARN_ENGINE for name in known.classifiers}
    own = {name: own_class(name) for name in OWN_NAMES}
    return Catalogue(own, others, known.kinds, aliases=aliases, elsewhere=elsewhere)


def own_class(name: str) -> type:
    """One of the project's own classifiers; scikit-learn is loaded at that moment."""
    (module,) = (module for module, names in OWN_MODULES.items() if name in names)
    found: type = getattr(importlib.import_module(f"cvinfer.engines._sklearn.{module}"), name)
    return found
