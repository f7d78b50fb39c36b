"""Predictions made elsewhere, on which tests run without a fit."""

from __future__ import annotations

from cvinfer.errors import UserError

from ..predictions import PredictionSet, read_predictions
from ..registry import COLUMNS, Option, Request, source
from .csv import file_stem

SCHEMES = (
    "blocked_mx2",
    "holdout",
    "kfold",
    "loo",
    "random_mx2",
    "repeated_holdout",
    "repeated_kfold",
)
OPTIONS = {
    "path": Option(
        "string",
        True,
        "csv file, plain or gzipped: record, split (or scheme, replication, fold), truth, and one "
        "column per learner",
    ),
    "scheme": Option(
        "string", False, "what the splits are; told from the file where it can be, by default"
    ),
    "n": Option("integer", False, "number of all records, if the file does not name every one"),
    "classes": Option("array", False, "all classes, if the truth does not show every one"),
    "separator": Option("string", False, "character between fields; a comma by default"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
}


@source(
    "predictions",
    "predictions made elsewhere, or by an earlier run",
    OPTIONS,
    choices={"scheme": SCHEMES},
    shared=COLUMNS,
    refuses={"groups": "predictions bring their own splits; groups belong where those are made"},
)
def read(request: Request) -> PredictionSet:
    """`keep` and `drop` choose among the learners' columns."""
    if (request.get("n") or 2) < 2:
        raise UserError(f"n = {request['n']} records; at least 2 are needed", ("n",))
    return read_predictions(
        request["path"],
        request.base,
        scheme=request.get("scheme"),
        n=request.get("n"),
        classes=request.get("classes"),
        keep=request.get("keep", ()),
        drop=request.get("drop", ()),
        separator=request.get("separator", ","),
        encoding=request.get("encoding", "utf-8"),
        name=str(request.get("name", file_stem(request["path"]))),
        source=dict(request.options),
    )
