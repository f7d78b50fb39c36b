"""What estimators give beside classes: probabilities, else the values of a decision function."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from cvinfer.engines._beside import none_given, of_two
from cvinfer.engines._sklearn.recipes import Named, Node, built
from cvinfer.losses.kinds import CODES, PROBABILITIES, SCORES

PROBABLE, DECIDING = "predict_proba", "decision_function"
#: Scores of pairs of classes, which may be as many as there are classes.
PAIRWISE = "ovo"
#: How such a learner can be made one that gives probabilities.
CALIBRATE = "CalibratedClassifierCV around it does"
REMEDIES = {"SVC": f"params: {{probability: true}}, or {CALIBRATE}"}
REMEDIES["NuSVC"] = REMEDIES["SVC"]


def beside_classes(estimator: Any, x: Any, wants: str, title: str) -> tuple[Any, str]:
    """What a fitted estimator gives for the test records, and its kind."""
    if hasattr(estimator, PROBABLE):
        return _one_table(estimator.predict_proba(x)), PROBABILITIES
    last = title.rpartition(" > ")[2]
    if wants == PROBABILITIES:
        raise none_given(title, PROBABILITIES, REMEDIES.get(last, CALIBRATE))
    if not hasattr(estimator, DECIDING):
        raise none_given(title, "probabilities and no scores", CALIBRATE)
    if _pairwise(estimator):
        raise none_given(title, "scores of classes but of pairs", "decision_function_shape: ovr")
    found = np.asarray(estimator.decision_function(x))
    return (of_two(found) if found.ndim == 1 else found), SCORES


def gives(node: Node) -> Optional[str]:
    """The same without a fit; None where an estimator inside it may decide that."""
    steps = node.values.get("steps")
    last = steps[-1][1] if isinstance(steps, Named) else node
    estimator = built(last)
    if hasattr(estimator, PROBABLE):
        return PROBABILITIES
    if any(isinstance(value, (Node, Named)) for value in last.values.values()):
        return None
    return SCORES if hasattr(estimator, DECIDING) and not _pairwise(estimator) else CODES


def _one_table(found: Any) -> Any:
    """Some wrap the one table there is in a list."""
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _pairwise(estimator: Any) -> bool:
    """Whether what decides in the end compares pairs of classes."""
    if getattr(estimator, "decision_function_shape", None) == PAIRWISE:
        return True
    steps = getattr(estimator, "steps", None)
    inside = [steps[-1][1]] if steps else []
    inside += [getattr(estimator, each, None) for each in ("best_estimator_", "estimator_")]
    return any(_pairwise(each) for each in inside if each is not None)
