"""The engine `builtin`: the papers' own classifiers, as scikit-learn estimators.

`from cvinfer.engines.builtin import FirstNearestNeighbour` works as well; scikit-learn is loaded at
that moment and not before. In steps, scikit-learn's transformers can come first.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any, Mapping, Optional

import cvinfer
from cvinfer.engines.base import LearnerSpec
from cvinfer.engines._sklearn.estimators import EstimatorEngine
from cvinfer.engines._sklearn.recipes import Catalogue, Node
from cvinfer.engines.registry import engines
from cvinfer.errors import Refusal

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset

NAMES = {
    "MajorityClassifier": "majority",
    "MeanClassifier": "mean",
    "FirstNearestNeighbour": "first_nearest_neighbour",
    "LeastSquaresClassifier": "least_squares",
}


class BuiltinEngine(EstimatorEngine):
    name = "builtin"

    def catalogue(self) -> Catalogue:
        return _catalogue()

    def check_fit(self, learner: LearnerSpec, node: Node, dataset: Dataset) -> list[Refusal]:
        if "steps" in node.values or node.cls.__name__ != "FirstNearestNeighbour":
            return []
        return _weights_fit(node, dataset)

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        return {"cvinfer": cvinfer.__version__, **super().versions(learner)}


@functools.lru_cache(maxsize=None)
def _catalogue() -> Catalogue:
    from cvinfer.engines.sklearn import sklearn_catalogue

    classifiers = {name: __getattr__(name) for name in NAMES}
    known = sklearn_catalogue()
    aliases = {short: long for long, short in NAMES.items()}
    # Before the last step anything of scikit-learn may stand; the last is one of our own.
    others = {**known.others, **known.classifiers}
    elsewhere = {name: "sklearn" for name in known.classifiers}
    return Catalogue(classifiers, others, known.kinds, aliases=aliases, elsewhere=elsewhere)


def _weights_fit(node: Node, dataset: Dataset) -> list[Refusal]:
    """The weights of first nearest neighbour against the features there are."""
    given = {name: value for name, value in node.values.items() if value is not None}
    place = ("params", *given) if len(given) == 1 else ("params",)
    if not given:
        return []
    text = [each.name for each in dataset.features if each.kind == "categorical"]
    if text:
        message = f"{', '.join(given)} needs numeric features, and {', '.join(text)} is categorical"
        return [Refusal(message, place)]
    classifiers = importlib.import_module("cvinfer.engines._sklearn.classifiers")
    try:
        classifiers.feature_weights(len(dataset.features), **given)
    except (ValueError, TypeError) as error:
        return [Refusal(str(error), place)]
    return []


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return getattr(importlib.import_module("cvinfer.engines._sklearn.classifiers"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


ENGINE = engines.add(BuiltinEngine.name, BuiltinEngine(), __name__)
