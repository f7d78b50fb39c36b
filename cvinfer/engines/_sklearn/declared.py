"""All of scikit-learn that differs between its versions, or that it does not promise, is here.

Its classes declare what their parameters may be, but the way to that has no public name. `TRIED`
are the versions that the tests ran with; others may do as well.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar

TRIED = ("1.2.1", "1.4.2", "1.9.0")

#: Which ends of a range belong to it.
LEFT, RIGHT = ("left", "both"), ("right", "both")

C = TypeVar("C", bound="type[Any]")


def _declared(cls: type, name: str) -> Sequence[Any]:
    """What a class says of a parameter; nothing where it does not say or does not mind."""
    known: Mapping[str, Any] = getattr(cls, "_parameter_constraints", {})
    found = known.get(name, ())
    constraints: Sequence[Any] = () if isinstance(found, str) else found
    return constraints


def refused(cls: type, name: str, value: Any) -> Optional[str]:
    """What the class allows instead of `value`, by its own declaration; None where it agrees."""
    from sklearn.utils import _param_validation as validation

    declared = _declared(cls, name)
    if not declared:
        return None
    tried = declared
    if isinstance(value, bool):
        # Python counts True as the number 1; who writes true for a number has made a mistake.
        tried = [each for each in declared if not isinstance(each, validation.Interval)]
    try:
        with warnings.catch_warnings():
            # It still lets 1 pass for true, under a warning that it will not for long.
            warnings.simplefilter("error", FutureWarning)
            validation.validate_parameter_constraints({name: tried}, {name: value}, cls.__name__)
    except (ValueError, TypeError, IndexError, FutureWarning):
        shown = [validation.make_constraint(each) for each in declared]
        return " or ".join(_in_spec_words(each) for each in shown if not each.hidden)
    return None


def words(cls: type, name: str) -> list[str]:
    """The words that a parameter may be."""
    from sklearn.utils import _param_validation as validation

    constraints = map(validation.make_constraint, _declared(cls, name))
    return [word for each in constraints for word in _words(each)]


def _words(constraint: Any) -> list[str]:
    """The words that a constraint allows, in one order; none where it is not about words."""
    options = getattr(constraint, "options", ())
    outdated = getattr(constraint, "deprecated", ())
    return sorted(each for each in options if isinstance(each, str) and each not in outdated)


def _in_spec_words(constraint: Any) -> str:
    options = _words(constraint)
    if options:
        return ", ".join(options)
    if hasattr(constraint, "closed"):
        return _range(constraint)
    said = str(constraint)
    # Where numpy's truth values are named beside, by a name that changed.
    if said.startswith(("an instance of 'bool'", "a bool")):
        return "true or false"
    return {"None": "null", "an instance of 'str'": "text"}.get(said, said)


def _range(interval: Any) -> str:
    """A range of numbers; scikit-learn's own way to write it changed more than once."""
    whole = interval.type is Integral
    left, right = (
        None if bound is None else int(bound) if whole else float(bound)
        for bound in (interval.left, interval.right)
    )
    lower = "(-inf" if left is None else f"{'[' if interval.closed in LEFT else '('}{left}"
    upper = "inf)" if right is None else f"{right}{']' if interval.closed in RIGHT else ')'}"
    return f"{'an int' if whole else 'a float'} in the range {lower}, {upper}"


# --- for estimators of our own --------------------------------------------------------------------


def parameters(**allowed: Sequence[Any]) -> Callable[[C], C]:
    """Declare a class's parameters: each is one of these types, values and `above`."""

    def declare(cls: C) -> C:
        setattr(cls, "_parameter_constraints", {name: list(each) for name, each in allowed.items()})
        return cls

    return declare


def above(kind: type, least: float) -> Any:
    """Numbers of a kind that are greater than that."""
    from sklearn.utils._param_validation import Interval

    return Interval(kind, least, None, closed="neither")


def poor_by_nature(cannot: Mapping[str, str]) -> Callable[[C], C]:
    """Tell scikit-learn's checks, old and new, that a class does not learn well.

    cannot: the names of checks that it cannot pass, and why. From version 1.6 on whoever runs the
    checks says that.
    """

    def tell(cls: C) -> C:
        found: Any = cls

        def old(self: Any) -> Mapping[str, Any]:
            return {"poor_score": True, "_xfail_checks": dict(cannot)}

        def new(self: Any) -> Any:
            tags = super(found, self).__sklearn_tags__()
            tags.classifier_tags.poor_score = True
            return tags

        setattr(cls, "_more_tags", old)
        setattr(cls, "__sklearn_tags__", new)
        return cls

    return tell


def check_parameters(estimator: Any) -> None:
    """Raise what scikit-learn has against an estimator's parameters."""
    estimator._validate_params()


def checked_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """scikit-learn's own check of the input, which has a public name since version 1.6."""
    from sklearn.utils import validation

    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, X, y, **options)
    return estimator._validate_data(X, y, **options)
