"""Predictions made elsewhere, on which tests run without a fit."""

from __future__ import annotations

from cvinfer.errors import UserError
from cvinfer.partitions.registry import readable

from ..prediction_columns import in_order
from ..predictions import PredictionSet, read_predictions
from ..registry import COLUMNS, Option, Request, source
from .csv import file_stem

OPTIONS = {
    "path": Option(
        "string",
        True,
        "csv file, plain or gzipped: record, split (or scheme, replication, fold), truth, and one "
        "column per learner; without split it is a test set, one hold-out",
    ),
    "record": Option("string", False, "column that tells the records apart; record by default"),
    "truth": Option("string", False, "column with the true classes; truth by default"),
    "split": Option("string", False, "column with the split of a row; split by default"),
    "learners": Option(
        "array | object",
        False,
        "columns of the learners, [column, ...] or {name: column, ...}; all other columns are left "
        "out",
    ),
    "scheme": Option(
        "string", False, "what the splits are; told from the file where it can be, by default"
    ),
    "n": Option("integer", False, "number of all records, if the file does not name every one"),
    "classes": Option("array", False, "all classes, if the truth does not show every one"),
    "separator": Option("string", False, "character between fields; a comma by default"),
    "encoding": Option("string", False, "encoding of the file; utf-8 by default"),
}
#: Columns that may be called otherwise.
MAPPED = ("record", "truth", "split")


@source(
    "predictions",
    "predictions made elsewhere, or by an earlier run",
    OPTIONS,
    choices={"scheme": readable},
    shared=COLUMNS,
    refuses={"groups": "predictions bring their own splits; groups belong where those are made"},
    elsewhere=True,
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
        columns_named={key: request[key] for key in MAPPED if request.get(key) is not None},
        learners=request.get("learners"),
        separator=request.get("separator", ","),
        encoding=request.get("encoding", "utf-8"),
        name=str(request.get("name", file_stem(request["path"]))),
        source=in_order(request.options),
    )
