"""The engine `builtin`: the papers' own classifiers, as scikit-learn estimators.

`from cvinfer.engines.builtin import FirstNearestNeighbour` works as well; scikit-learn is loaded at
that moment and not before. In steps, scikit-learn's transformers can come first.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Mapping, Optional

from cvinfer import __version__
from cvinfer.engines.base import LearnerSpec, Session
from cvinfer.engines._sklearn.catalogues import (
    OWN_ENGINE,
    OWN_NAMES,
    own_catalogue,
    own_class,
)
from cvinfer.engines._sklearn.estimators import EstimatorEngine
from cvinfer.engines._sklearn.recipes import Catalogue, Node
from cvinfer.engines.registry import engines
from cvinfer.errors import Refusal

if TYPE_CHECKING:
    from cvinfer.data.dataset import Dataset


class BuiltinEngine(EstimatorEngine):
    name = OWN_ENGINE

    def catalogue(self) -> Catalogue:
        return own_catalogue()

    def open(self, dataset: Dataset) -> Session:
        super().open(dataset)  # raises where that cannot be
        from cvinfer.engines._sklearn.many import OwnSession

        return OwnSession(self.catalogue(), dataset)

    def check_fit(self, learner: LearnerSpec, node: Node, dataset: Dataset) -> list[Refusal]:
        return [] if "steps" in node.values else _width_fits(node, dataset)

    def versions(self, learner: Optional[LearnerSpec] = None) -> Mapping[str, str]:
        return {"cvinfer": __version__, **super().versions(learner)}


def _width_fits(node: Node, dataset: Dataset) -> list[Refusal]:
    """Parameters that number features, or have a value for each, against the features there are."""
    asked = inspect.signature(node.cls.check_width).parameters  # type: ignore[attr-defined]
    given = {
        name: value for name, value in node.values.items() if name in asked and value is not None
    }
    place = ("params", *given) if len(given) == 1 else ("params",)
    if not given:
        return []
    text = [each.name for each in dataset.features if each.kind == "categorical"]
    if text:
        message = f"{', '.join(given)} needs numeric features, and {', '.join(text)} is categorical"
        return [Refusal(message, place)]
    try:
        node.cls.check_width(len(dataset.features), **given)  # type: ignore[attr-defined]
    except (ValueError, TypeError) as error:
        return [Refusal(str(error), place)]
    return []


def __getattr__(name: str) -> Any:
    if name in OWN_NAMES:
        return own_class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


ENGINE = engines.add(BuiltinEngine.name, BuiltinEngine(), __name__)
