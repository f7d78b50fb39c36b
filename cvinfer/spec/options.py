"""Options of tests and intervals: which there are, of what type, and whether their values fit."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Optional

from cvinfer.documents import JsonObject
from cvinfer.inference import InputError, Procedure

#: Given by the run itself, never by a user: alpha is a key of the spec, the rest comes from data.
_NOT_OPTIONS = ("alpha", "bounds", "split_axes", "scheme", "micro", "n_test_a", "n_test_b")

#: Enough records for every scheme with its default options.
_TRIAL_RECORDS = 60


def options_of(declared: Procedure) -> dict[str, inspect.Parameter]:
    """Keyword parameters that a spec may give: those with a default that are not data."""
    parameters = inspect.signature(declared.function).parameters.values()
    return {
        each.name: each
        for each in parameters
        if each.default is not inspect.Parameter.empty and each.name not in _NOT_OPTIONS
    }


def defaults_of(declared: Procedure) -> JsonObject:
    return {name: each.default for name, each in options_of(declared).items()}


def beyond_defaults(declared: Procedure, options: JsonObject) -> dict[str, Any]:
    """The options that say more than the defaults do.

    Whether a default is written down or left out is no difference, so it makes none in a result:
    neither a setting in a note nor a second test beside the first.
    """
    defaults = defaults_of(declared)
    return {name: value for name, value in options.items() if not _same(value, defaults[name])}


def _same(given: Any, default: Any) -> bool:
    # A spec has lists where Python has tuples.
    return bool((tuple(given) if isinstance(given, list) else given) == default)


def type_fault(parameter: inspect.Parameter, value: object) -> Optional[str]:
    """What type the option wants, if the value has another."""
    annotation = str(parameter.annotation)
    if annotation.startswith("Optional["):
        if value is None:
            return None
        annotation = annotation[len("Optional[") : -1]
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if annotation == "float" and number is None:
        return "a number"
    if annotation == "int" and (number is None or number != int(number)):
        return "a whole number"
    if annotation == "str" and not isinstance(value, str):
        return "text"
    if annotation == "bool" and not isinstance(value, bool):
        return "true or false"
    if annotation.startswith("tuple[int"):
        size = annotation.count(",") + 1
        items = value if isinstance(value, (list, tuple)) else ()
        if len(items) != size or not all(type(item) is int for item in items):
            return f"a list of {size} whole numbers"
    return None


def value_fault(declared: Procedure, options: JsonObject) -> Optional[str]:
    """What the procedure itself says against these options, asked on a small made-up result."""
    arguments = _interval_trial(declared) if declared.kind == "interval" else None
    if declared.kind == "interval" and arguments is None:
        return None
    try:
        if arguments is not None:
            declared.function(*arguments, **options)
        else:
            _test_trial(declared, options)
    except InputError as error:
        return error.fault
    except (ValueError, TypeError) as error:
        return str(error)
    return None


def _test_trial(declared: Procedure, options: JsonObject) -> None:
    from cvinfer.inference import compare_losses

    partitions = _trial_partitions(declared.name)
    a = [[(s.test % 3 == 0).astype(float) for s in partition.splits] for partition in partitions]
    b = [[(s.test % 4 == 0).astype(float) for s in partition.splits] for partition in partitions]
    if len(partitions) == 1:
        compare_losses(declared.name, partitions[0], a[0], b[0], **options)
    else:
        compare_losses(declared.name, partitions, a, b, **options)


@lru_cache(maxsize=None)
def _trial_partitions(name: str) -> list[Any]:
    from cvinfer.inference import procedure
    from cvinfer.partitions import make_partition

    return [
        make_partition(need.scheme, _TRIAL_RECORDS, seed=seed, **need.options)
        for seed, need in enumerate(procedure(name).needs)
    ]


def _interval_trial(declared: Procedure) -> Optional[tuple[Any, ...]]:
    import numpy as np

    from cvinfer.inference import ANY_MEASURE, value_arguments

    shape = _trial_partitions(declared.name)[0].shape
    if declared.data == "confusions":
        return (np.full((*shape, 4), 5.0),)
    if declared.data == "scores":
        return (np.linspace(0.5, 0.6, int(np.prod(shape))).reshape(shape),)
    if declared.data == "fold_errors":
        return (np.arange(shape[0]) % 3 + 1, np.full(shape, 6))
    if declared.data == "total_errors":
        return (7, _TRIAL_RECORDS)
    if declared.measure == ANY_MEASURE:
        partitions = _trial_partitions(declared.name)
        losses = [[(s.test % 3 == 0).astype(float) for s in each.splits] for each in partitions]
        return value_arguments(declared, partitions, losses)
    return None
