"""Scores made elsewhere: a value for each split and learner, on which tests run without records."""

from __future__ import annotations


from ..prediction_columns import in_order
from ..registry import Option, Request, source
from ..score_forms._form import Asked, forms
from ..scores import ScoreSet, assembled, measure_of
from .csv import file_stem

OPTIONS = {
    "path": Option("string", True, "the file with the scores, plain or gzipped"),
    "measure": Option(
        "object",
        True,
        "what was measured, and which values are better: {name: auc, better: higher}",
    ),
    "form": Option("string", False, "what wrote the file; plain by default"),
    "value": Option(
        "string", False, "column, scorer or metric with the values, where it is called otherwise"
    ),
    "dataset": Option("string", False, "the data set to read, of a file that holds several"),
    "learners": Option(
        "array | object",
        False,
        "learners to read, [name, ...] or {name here: name in the file, ...}; all by default",
    ),
    "scheme": Option("string", False, "what the splits are, where the file does not tell"),
    "folds": Option("integer", False, "folds of one replication, where the file does not tell"),
    "n": Option("integer", False, "number of records, where the file has no sizes"),
    "n_train": Option("integer", False, "training records of a split, where the file has no sizes"),
    "n_test": Option("integer", False, "test records of a split, where the file has no sizes"),
    "separator": Option("string", False, "character between fields; a comma by default"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
}


@source(
    "scores",
    "scores made elsewhere: a value of one measure for each split and learner",
    OPTIONS,
    choices={"form": forms},
    shared={},
    refuses={
        "positive": "scores are of no class any more",
        "groups": "scores bring their own splits; groups belong where those are made",
    },
    elsewhere=True,
)
def read(request: Request) -> ScoreSet:
    """The scheme, replications, folds and sizes are the file's where it has them."""
    measure = measure_of(request["measure"])
    asked = Asked(
        request["path"],
        request.base,
        measure,
        request.get("value"),
        request.get("dataset"),
        request.get("separator", ","),
        request.get("encoding", "utf-8"),
    )
    told = forms.find(request.get("form", "plain"), ("form",)).read(asked)
    return assembled(
        repr(request["path"]),
        told,
        measure,
        str(request.get("name", request.get("dataset", file_stem(request["path"])))),
        scheme=request.get("scheme"),
        folds=request.get("folds"),
        n=request.get("n"),
        n_train=request.get("n_train"),
        n_test=request.get("n_test"),
        learners=request.get("learners"),
        source=in_order(request.options),
    )
