"""csv: a row for every result, in full precision."""

from __future__ import annotations

import csv
import io
from typing import Any, Mapping

from cvinfer.foreign import csv_cell
from cvinfer.report.formats import output_format
from cvinfer.report.kinds import kind_of


@output_format(
    "csv",
    of={
        "result": None,
        "study": "study.csv",
        "stability": "stability.csv",
        "calibrate": "calibrate.csv",
    },
)
def csv_text(document: Mapping[str, Any]) -> str:
    """The rows of a document, in full precision."""
    rows = kind_of(document).rows(document)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows.columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_filled(row) for row in rows.values)
    return stream.getvalue()


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    words = {True: "true", False: "false", None: ""}
    return {
        k: words[v] if v is None or isinstance(v, bool) else csv_cell(v) for k, v in row.items()
    }
