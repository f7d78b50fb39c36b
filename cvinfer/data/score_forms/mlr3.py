"""mlr3's `bmr$score()`, written as csv without its columns of objects."""

from __future__ import annotations

from cvinfer.errors import UserError

from ..scores import Row, ToldScores
from ._form import Asked, Form, forms

#: What it calls a measure, behind the kind of task.
MEASURES = {"zero_one": "ce", "accuracy": "acc", "f1": "fbeta", "log_loss": "logloss"}
#: Its resamplings; the others are no schemes of ours.
RESAMPLINGS = {
    "cv": "kfold",
    "repeated_cv": "repeated_kfold",
    "subsampling": "repeated_holdout",
    "holdout": "holdout",
    "loo": "loo",
}


def read(asked: Asked) -> ToldScores:
    """Iterations are numbered through all repetitions, those of one after the other."""
    table = asked.table()
    learners = table.column("learner_id", "mlr3")
    splits = table.column("iteration", "mlr3")
    resamplings = table.columns.get("resampling_id")
    name = MEASURES.get(asked.measure.name, asked.measure.name)
    values = table.value((f"classif.{name}", name, asked.measure.name), asked)
    at_all = table.of_data("task_id", asked)
    found = {resamplings[at] for at in at_all} if resamplings is not None else set()
    if len(found) > 1:
        raise UserError(
            f"{table.where} has scores of several resamplings, {', '.join(sorted(found))}; one"
            " file for each",
            ("path",),
        )
    scheme = None
    if found:
        (resampling,) = found
        scheme = RESAMPLINGS.get(resampling)
        if scheme is None:
            raise UserError(
                f"{table.where} has scores of the resampling {resampling!r}, for which there is"
                f" no test; {', '.join(RESAMPLINGS)} can be read",
                ("path",),
            )
    rows = [Row(f"row {at + 1}", learners[at], None, splits[at], values[at]) for at in at_all]
    return ToldScores(rows, scheme)


forms.add("mlr3", Form("mlr3", "bmr$score() of mlr3 as csv", read), __name__)
