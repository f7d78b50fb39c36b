"""csv: one row for each test of a comparison and each interval, in full precision."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Mapping

from cvinfer.foreign import csv_cell
from cvinfer.report.formats import output_format
from cvinfer.report.tables import scheme_of, shown_point

CSV_COLUMNS = (
    "kind",
    "data",
    "a",
    "b",
    "name",
    "options",
    "scheme",
    "loss_a",
    "loss_b",
    "estimate",
    "lower",
    "upper",
    "level",
    "statistic",
    "null",
    "p_value",
    "p_corrected",
    "significant",
    "primary",
    "verdict",
    "better",
    "trained_on",
    "degenerate",
    "measure",
    "averaging",
    "note",
    "failed",
    "point",
)


@output_format("csv")
def csv_text(document: Mapping[str, Any]) -> str:
    """One row per test of a comparison and per interval (its learner is `a`), full precision."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, CSV_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    verdicts = {(v["data"], v["a"], v["b"]): v["verdict"] for v in document["verdicts"]}
    for entry in document["comparisons"]:
        row = _comparison_row(entry, document["partitions"])
        if row["primary"]:
            row["verdict"] = verdicts[entry["data"], entry["a"], entry["b"]]
        writer.writerow(_filled(row))
    for entry in document["intervals"]:
        writer.writerow(_filled(_interval_row(entry, document["partitions"])))
    return stream.getvalue()


def _comparison_row(entry: Mapping[str, Any], partitions: Any) -> dict[str, Any]:
    row = {
        "kind": "comparison",
        **{key: entry[key] for key in ("data", "a", "b", "better", "failed", "p_corrected")},
        "name": entry["test"],
        "primary": entry["sentence"] is not None,
        "trained_on": entry["trained_on"],
        "options": _options(entry),
        "scheme": scheme_of([entry], partitions),
        "significant": entry["reject_corrected"],
    }
    inference = entry["inference"]
    if inference is not None:
        lower, upper = inference["interval"] or (None, None)
        null = inference["null"]
        row |= {key: inference[key] for key in ("estimate", "statistic", "p_value", "degenerate")}
        row |= {key: inference["extra"][key] for key in ("loss_a", "loss_b")}
        row |= {"lower": lower, "upper": upper, "note": inference["note"]}
        row |= {"level": 1 - inference["alpha"]}
        row["null"] = " ".join([null["family"], *(f"{p:.6g}" for p in null["parameters"])])
    return row


def _interval_row(entry: Mapping[str, Any], partitions: Any) -> dict[str, Any]:
    row = {
        "kind": "interval",
        **{key: entry[key] for key in ("data", "measure", "averaging", "failed", "trained_on")},
        "a": entry["learner"],
        "name": entry["interval"],
        "options": _options(entry),
        "scheme": scheme_of([entry], partitions),
    }
    if entry["result"] is not None:
        keys = ("lower", "upper", "level", "degenerate", "note")
        row |= {key: entry["result"][key] for key in keys}
        row |= {"estimate": shown_point(entry["result"]), "point": entry["result"]["point"]}
    return row


def _options(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry["options"], sort_keys=True) if entry["options"] else ""


def _filled(row: Mapping[str, Any]) -> dict[str, Any]:
    words = {True: "true", False: "false", None: ""}
    return {
        k: words[v] if v is None or isinstance(v, bool) else csv_cell(v) for k, v in row.items()
    }
