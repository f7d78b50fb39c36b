"""A table of one's own: learner, split (or replication and fold), value, n_train, n_test."""

from __future__ import annotations

from ..scores import Row, ToldScores
from ._form import Asked, Form, forms, size


def read(asked: Asked) -> ToldScores:
    """`data` names the data set where a file holds several; sizes may be left out."""
    table = asked.table()
    learners = table.column("learner", "plain")
    values = table.value(("value", asked.measure.name), asked)
    folded = "fold" in table.columns
    folds = table.column("fold" if folded else "split", "plain")
    replications = table.columns.get("replication") if folded else None
    train, test = table.columns.get("n_train"), table.columns.get("n_test")
    rows = []
    for at in table.of_data("data", asked):
        where = f"row {at + 1}"
        replication = replications[at] if replications is not None else "1" if folded else None
        sizes = (
            None if train is None else size(train[at], f"{table.where}, {where}", "n_train"),
            None if test is None else size(test[at], f"{table.where}, {where}", "n_test"),
        )
        rows.append(Row(where, learners[at], replication, folds[at], values[at], sizes))
    return ToldScores(rows)


forms.add(
    "plain",
    Form("plain", "csv: learner, split (or replication, fold), value, n_train, n_test", read),
    __name__,
)
