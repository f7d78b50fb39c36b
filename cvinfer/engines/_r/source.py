"""Data sets of R's packages: the source `r`, which is here because only engines know R."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cvinfer.data.dataset import CATEGORICAL, NUMERIC, Column
from cvinfer.data.registry import Option, Request, source
from cvinfer.data.table import Table, column_of
from cvinfer.engines._r.installation import NoR, is_package_name, remedy, why_no_r
from cvinfer.errors import UserError

OPTIONS = {
    "package": Option("string", True, "R package that has the data set, such as mlbench"),
    "dataset": Option("string", True, "name of the data set in its package"),
    "target": Option("string", True, "column that holds the class"),
}
#: What R calls the two values of a logical.
LOGICAL = ("FALSE", "TRUE")


@source("r", "a data set of an R package", OPTIONS, why_not=why_no_r, r_package="package")
def read_r(request: Request) -> Table:
    """Factors keep their levels and their order, logicals are FALSE and TRUE, NA is missing.

    R is asked in a process of its own; this one never loads it.
    """
    package, dataset, target = request["package"], request["dataset"], request["target"]
    found = _asked(package, dataset)
    names = list(found["names"])
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise UserError(
            f"{package}::{dataset} has more than one column called {repeated[0]!r}", ("dataset",)
        )
    column_of(names, target, "target", f"{package}::{dataset}")
    parts = {
        name: (kind, values, levels)
        for name, kind, values, levels in zip(
            names, found["types"], found["columns"], found["levels"]
        )
    }
    labels, class_levels = _labels(*parts.pop(target))
    features = {
        name: (lambda name=name, part=part: _column(name, *part)) for name, part in parts.items()
    }
    return Table(dataset, features, labels, target, class_levels=class_levels)


def _asked(package: str, dataset: str) -> Mapping[str, Any]:
    from cvinfer.engines._r.client import ask

    for key, name in (("package", package), ("dataset", dataset)):
        if not name:
            raise UserError(f"{key} is empty; it is the name of the R {key}", (key,))
    if not is_package_name(package):
        raise UserError(f"{package!r} is no name of an R package", ("package",))
    why = why_no_r()
    if why is not None:
        raise UserError(f"R's data sets need R: {why}; {remedy()}", ("source",))
    try:
        found: Mapping[str, Any] = ask("data", package, dataset)
    except NoR as error:
        raise UserError(f"R's data sets need R: {error}", ("source",)) from None
    except UserError as error:
        there = ask("versions", (package,))[package] is not None
        raise UserError(error.message, ("dataset" if there else "package",)) from None
    return found


def _column(name: str, kind: str, values: Any, levels: Sequence[str] | None) -> Column:
    if kind in ("numeric", "integer"):
        if np.isinf(values).any():
            raise UserError(f"column {name!r} holds an infinite number", ("dataset",))
        return Column(name, NUMERIC, values)
    codes = _codes(values)
    texts = LOGICAL if kind == "logical" else tuple(levels or ())
    detail = kind if kind in ("logical", "ordered") else ""
    return Column(name, CATEGORICAL, codes, texts, detail)


def _codes(values: Any) -> Any:
    # R counts from 1 and has the smallest integer for NA.
    numbers = np.asarray(values, dtype=np.int64)
    return np.where(numbers < 1, -1, numbers - 1).astype(np.int32)


def _labels(
    kind: str, values: Any, levels: Sequence[str] | None
) -> tuple[list[str | None], tuple[str, ...]]:
    """The class of each record as text, and the levels in R's order."""
    if kind in ("numeric", "integer"):
        missing = np.isnan(values)
        distinct = np.unique(values[~missing])
        text = {number: _number(number) for number in distinct.tolist()}
        return [text.get(number) for number in values.tolist()], tuple(text.values())
    texts: Sequence[str] = LOGICAL if kind == "logical" else tuple(levels or ())
    known = dict(enumerate(texts))
    return [known.get(code) for code in _codes(values).tolist()], tuple(texts)


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
