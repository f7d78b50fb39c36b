"""Columns as they are on their way through a pipeline: who is given them, and who cannot take them.

A step that cannot take categories fails in every fit, so that is found out before the first one.
Nothing is learned from the data for it: a step is given three made-up records that hold categories
only, and the last step two classes for them, so that it looks at its input and no further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from cvinfer.engines._sklearn.recipes import (
    DROP,
    PASS,
    Named,
    Node,
    Placed,
    Selector,
    built,
    is_known,
)
from cvinfer.errors import Refusal
from cvinfer.foreign import is_number

if TYPE_CHECKING:
    from cvinfer.data.dataset import Column, Dataset

#: Records that a step is tried with.
FEW = 3
REMEDY = "an encoder before it, as OneHotEncoder in a ColumnTransformer, or encode: onehot"


class Unknown(Exception):
    """What comes out of a step cannot be told beforehand."""


class NotTaken(Exception):
    """A step does not take categories; its arguments are the class and their names."""


class Given(NamedTuple):
    """The nodes of a ColumnTransformer (or words) and what each is given."""

    transformer: Any
    columns: list[str]


def steps_of(node: Node) -> list[Node]:
    """The steps of a pipeline; a single estimator is its own."""
    steps = node.values.get("steps")
    return [each for _, each in steps] if isinstance(steps, Named) else [node]


def is_placed(node: Node) -> bool:
    """Whether this gives parts of the columns to several transformers."""
    return isinstance(node.values.get("transformers"), Placed)


def still_missing(step: Node, holes: Sequence[str]) -> list[str]:
    """Which of these columns, that have missing values, still have some after the step."""
    if "Imputer" in step.cls.__name__ or step.cls.__name__ == "OneHotEncoder":
        return []  # filled in, or a category of their own
    if not is_placed(step):
        return list(holes)
    try:
        parts = list(_given(step, holes))
    except Unknown:
        return []
    left: list[str] = []
    for transformer, columns in parts:
        if isinstance(transformer, Node):
            for inner in steps_of(transformer):
                columns = still_missing(inner, columns)
        left += [] if transformer == DROP else columns
    return [name for name in holes if name in left]


def refused_categories(node: Node, dataset: Dataset) -> list[Refusal]:
    """The fault of a learner that is given categories where it cannot take them."""
    import pandas

    columns = [each for each in dataset.features if each.kind == "categorical"]
    frame = pandas.DataFrame({each.name: _some_levels(each) for each in columns})
    steps = steps_of(node)
    try:
        for number, step in enumerate(steps):
            if not frame.shape[1]:
                return []
            if number == len(steps) - 1:
                for each in (step, *_inside(step)):
                    _look(each, frame)
            else:
                frame = _passed(step, frame)
    except Unknown:
        return []
    except NotTaken as refused:
        name, given = refused.args
        shown = ", ".join(given[:5]) + (" and more" if len(given) > 5 else "")
        verb = "is" if len(given) == 1 else "are"
        place = ("steps", number) if "steps" in node.values else ("learner",)
        message = f"{name} takes no categories, and {shown} {verb} given to it as categories"
        return [Refusal(message, place, REMEDY)]
    return []


def _some_levels(column: Column) -> Any:
    """A few records of a categorical column; texts that are no numbers come first."""
    import pandas

    levels = sorted(column.levels, key=is_number)
    values = [levels[at % len(levels)] for at in range(FEW)]
    kind = pandas.CategoricalDtype(list(column.levels), ordered=column.detail == "ordered")
    return pandas.Categorical(values, dtype=kind)


def _passed(step: Node, frame: Any) -> Any:
    """What is left of the categories after a step."""
    import pandas

    if is_placed(step):
        parts = []
        for transformer, columns in _given(step, list(frame.columns), frame):
            part = frame[columns]
            for inner in steps_of(transformer) if isinstance(transformer, Node) else ():
                part = _passed(inner, part) if part.shape[1] else part
            parts += [] if transformer == DROP else [part]
        return pandas.concat(parts, axis=1) if parts else frame.iloc[:, :0]
    if any(_inside(step)):
        raise Unknown()
    _look(step, frame)
    try:
        made = built(step).fit_transform(frame, np.arange(FEW) % 2)
    except Exception:  # three records may be too few for it
        raise Unknown() from None
    if hasattr(made, "tocsr") or np.asarray(made).dtype.kind in "biuf":
        return frame.iloc[:, :0]
    if np.asarray(made).shape != frame.shape:
        raise Unknown()
    return pandas.DataFrame(np.asarray(made), columns=frame.columns)


def _look(step: Node, frame: Any) -> None:
    """Let an estimator look at categories; one class less than records keeps it from learning."""
    # Code of others is left to the workers, and so are patterns that a stranger may have written.
    every = [step.cls, *(each.cls for each in _inside(step))]
    if not all(map(is_known, every)) or any("feature_extraction" in e.__module__ for e in every):
        raise Unknown()
    estimator = built(step)
    # Some take columns of pandas' categories without a look, and fail when they compute; at texts
    # that are objects they look.
    tries = [frame]
    if not hasattr(estimator, "categorical_features"):
        tries.append(frame.astype(object))
    for given in tries:
        try:
            estimator.fit(given, np.arange(FEW - 1) % 2)
            return
        except ValueError as error:
            if "could not convert string to float" in str(error):
                raise NotTaken(step.cls.__name__, list(frame.columns)) from None
        except Exception:  # whatever else it has against three records
            return


def _inside(step: Node) -> Iterator[Node]:
    """The estimators that are parameters of this one."""
    for value in step.values.values():
        if isinstance(value, Node):
            yield value
        elif isinstance(value, Named):
            yield from (each for _, each in value)


def _given(step: Node, names: Sequence[str], frame: Optional[Any] = None) -> Iterator[Given]:
    """Which of these columns go to which transformer, the rest to `remainder`."""
    rest = list(names)
    for _, transformer, columns in step.values["transformers"]:
        if isinstance(columns, Selector):
            if frame is None:
                raise Unknown()
            columns = columns.made()(frame)
        elif not all(isinstance(each, str) for each in columns):
            raise Unknown()
        rest = [name for name in rest if name not in columns]
        yield Given(transformer, [name for name in names if name in columns])
    remainder = step.values.get("remainder", DROP)
    if remainder in (DROP, PASS) or isinstance(remainder, Node):
        yield Given(remainder, rest)
    else:
        raise Unknown()
