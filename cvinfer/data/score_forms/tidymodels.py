"""tidymodels' `collect_metrics(summarize = FALSE)`, written as csv.

Splits are told by `id` (and `id2`) as rsample calls them: Fold01; Repeat1 and Fold01; Resample01.
Learners by `wflow_id` of a workflow set, a column `learner` or `model` that was bound to it, or by
`.config`.
"""

from __future__ import annotations

import re

from cvinfer.errors import UserError

from ..scores import Row, ToldScores
from ._form import Asked, Form, forms

#: What yardstick calls a measure.
METRICS = {
    "auc": "roc_auc",
    "f1": "f_meas",
    "kappa": "kap",
    "log_loss": "mn_log_loss",
    "balanced_accuracy": "bal_accuracy",
}
#: What rsample calls its splits, without their numbers, and the scheme of one replication.
RESAMPLINGS = {"Fold": "kfold", "Resample": "repeated_holdout", "train/test split": "holdout"}
_LEARNERS = ("learner", "wflow_id", "model", ".config")


def read(asked: Asked) -> ToldScores:
    """One metric of many rows is read; whether several settings were tuned `.config` tells."""
    table = asked.table()
    values = table.column(".estimate", "tidymodels")
    metrics = table.column(".metric", "tidymodels")
    ids, inner = table.column("id", "tidymodels"), table.columns.get("id2")
    there = list(dict.fromkeys(metrics))
    wanted = asked.value or METRICS.get(asked.measure.name, asked.measure.name)
    if wanted not in there:
        raise UserError(
            f"{table.where} has no metric {wanted!r}, but {', '.join(there)}; say which is"
            f" {asked.measure.name} by value: its name",
            ("value",) if asked.value is not None else ("path",),
        )
    at_all = [at for at in table.of_data("data", asked) if metrics[at] == wanted]
    learners = _learners(table.columns, at_all)
    kinds = {_kind((inner or ids)[at]) for at in at_all}
    unknown = sorted(kinds - set(RESAMPLINGS))
    if unknown or len(kinds) > 1:
        raise UserError(
            f"{table.where}: splits called {', '.join(unknown or sorted(kinds))} are no scheme for"
            f" which there is a test; {', '.join(RESAMPLINGS)} can be read",
            ("path",),
        )
    (kind,) = kinds
    scheme = RESAMPLINGS[kind] if inner is None else "repeated_kfold"
    rows = []
    for at in at_all:
        if kind == "Fold":
            replication, fold = (ids[at], inner[at]) if inner is not None else ("1", ids[at])
        else:
            replication, fold = ids[at], "1"
        where = f"row {at + 1}"
        rows.append(Row(where, learners[at], replication, fold, values[at]))
    return ToldScores(rows, scheme)


def _learners(columns: object, at_all: list[int]) -> dict[int, str]:
    """The first columns that tell rows apart; `.config` beside another where that is not enough."""
    assert isinstance(columns, dict)
    there = [name for name in _LEARNERS if name in columns]
    name = next((each for each in there if each != ".config"), None)
    configs = {columns[".config"][at] for at in at_all} if ".config" in columns else set()
    found = {}
    for at in at_all:
        parts = [columns[name][at]] if name is not None else []
        if ".config" in columns and (name is None or len(configs) > 1):
            parts.append(columns[".config"][at])
        found[at] = " ".join(parts) or "learner"
    return found


def _kind(split: str) -> str:
    """Fold for Fold01."""
    return re.sub(r"\d+$", "", split)


forms.add(
    "tidymodels",
    Form("tidymodels", "collect_metrics(summarize = FALSE) of tidymodels as csv", read),
    __name__,
)
