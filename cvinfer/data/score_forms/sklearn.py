"""scikit-learn's `cv_results_` of a search, and what `cross_validate` returns, as csv or JSON.

A search has a learner for each setting, called after its parameters; `cross_validate` one learner,
unless the JSON maps learners to what it returned for each, or the csv has a column `learner`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cvinfer.errors import UserError
from cvinfer.foreign import quoted
from cvinfer.losses import LOWER

from ..files import absent, listed, read_text
from ..scores import Row, ToldScores
from ._form import Asked, Form, forms

#: What its scorers call a measure.
SCORERS = {"auc": "roc_auc", "log_loss": "neg_log_loss", "brier": "neg_brier_score"}
#: Scorers that turn a loss round begin so.
NEGATED = "neg_"
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_ONE = "learner"


def read(asked: Asked) -> ToldScores:
    """Training scores and times are left alone."""
    if asked.path.lower().removesuffix(".gz").endswith(".json"):
        columns = _json(asked)
    else:
        columns = asked.table().columns
        columns = {name: column for name, column in columns.items() if name}  # the row numbers
    if any(_SPLIT.fullmatch(name) for name in columns):
        return ToldScores(_search(asked, columns))
    return ToldScores(_cross_validated(asked, columns))


def _json(asked: Asked) -> Mapping[str, Any]:
    text = read_text(asked.path, asked.base, asked.encoding)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{quoted(asked.path)} is no JSON: {error}", ("path",)) from None
    if not isinstance(found, dict) or not found:
        raise UserError(f"{quoted(asked.path)} must hold a mapping of names to lists", ("path",))
    if all(isinstance(each, dict) for each in found.values()):
        columns: dict[str, list[Any]] = {}
        for learner, one in found.items():
            length = max((len(x) for x in one.values() if isinstance(x, list)), default=0)
            columns.setdefault(_ONE, []).extend([learner] * length)
            for name, values in one.items():
                columns.setdefault(str(name), []).extend(_list(asked, str(name), values))
        found = columns
    lists = {str(name): _list(asked, str(name), values) for name, values in found.items()}
    if len(set(map(len, lists.values()))) > 1:
        raise UserError(
            f"{quoted(asked.path)}: the lists of one learner must be equally long, and the same"
            " for all learners",
            ("path",),
        )
    return lists


def _list(asked: Asked, name: str, values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise UserError(f"{quoted(asked.path)}: {quoted(name)} is no list", ("path",))
    return values


def _search(asked: Asked, columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """A row for each setting, a column for each split."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in columns:
        match = _SPLIT.fullmatch(name)
        if match:
            found.setdefault(match[2], []).append((int(match[1]), name))
    scorer = _scorer(asked, list(found))
    settings = [name for name in columns if name.startswith("param_")]
    rows = []
    for at in range(len(next(iter(columns.values())))):
        parts = [
            f"{name.removeprefix('param_')}={columns[name][at]}"
            for name in settings
            if columns[name][at] not in ("", None)
        ]
        learner = ", ".join(parts) or _ONE
        for split, name in sorted(found[scorer]):
            where = f"row {at + 1}, column {name!r}"
            value = _turned(asked, scorer, columns[name][at])
            rows.append(Row(where, learner, None, str(split + 1), value))
    return rows


def _cross_validated(asked: Asked, columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """A row for each split."""
    there = [name.removeprefix("test_") for name in columns if name.startswith("test_")]
    if not there:
        raise UserError(
            f"{quoted(asked.path)} has neither split0_test_... nor test_..., so that it is no"
            " cv_results_ and no result of cross_validate",
            ("path",),
        )
    scorer = _scorer(asked, there)
    values = [_turned(asked, scorer, value) for value in columns[f"test_{scorer}"]]
    learners = columns.get(_ONE, [_ONE] * len(values))
    count: dict[str, int] = {}
    rows = []
    for at, (learner, value) in enumerate(zip(learners, values)):
        count[str(learner)] = count.get(str(learner), 0) + 1
        rows.append(Row(f"row {at + 1}", str(learner), None, str(count[str(learner)]), value))
    return rows


def _turned(asked: Asked, scorer: str, value: Any) -> Any:
    """A loss as it is, where scikit-learn has minus the loss, so that a greater score is better."""
    if not scorer.startswith(NEGATED) or asked.measure.better != LOWER:
        return value
    try:
        return -float(value)
    except (TypeError, ValueError):
        return value


def _scorer(asked: Asked, there: Sequence[str]) -> str:
    """The scorer asked for; else the one called as the measure is, or the only one."""
    if asked.value is not None:
        if asked.value not in there:
            fault = f"{quoted(asked.path)} has no scorer {asked.value!r}"
            raise absent(fault, ("value",), asked.value, there)
        return asked.value
    name = asked.measure.name
    for each in (name, SCORERS.get(name)):
        if each in there:
            return str(each)
    if len(there) == 1:
        return there[0]
    raise UserError(
        f"{quoted(asked.path)} has the scorers {listed(there)}; say which is {name} by value: its"
        " name",
        ("path",),
    )


forms.add(
    "sklearn",
    Form("sklearn", "cv_results_ or cross_validate of scikit-learn, csv or JSON", read),
    __name__,
)
