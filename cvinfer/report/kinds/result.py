"""A finished run: comparisons, intervals and their verdicts (result.json)."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from cvinfer.analysis import judge
from cvinfer.analysis.words import measure_of
from cvinfer.documents import JsonObject
from cvinfer.report.kinds import Headline, Kind, Rows, Section, kinds
from cvinfer.report.kinds._named import options_text
from cvinfer.report.tables import scheme_of, shown_point, tables
from cvinfer.report.warned import one_name, warning_lines

COLUMNS = (
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


def headlines(document: JsonObject) -> Sequence[Headline]:
    from cvinfer.report import headlines as lines  # needs numpy

    return lines.headlines(document)


def opening(document: JsonObject) -> Sequence[str]:
    from cvinfer.report import headlines as lines

    return lines.setting(document)


def sections(document: JsonObject) -> list[Section]:
    made = []
    if document["verdicts"]:
        said = [one_name(verdict["sentence"], document) for verdict in document["verdicts"]]
        made.append(Section("In words", said, spoken=True))
    posteriors = [each["sentence"] for each in document.get("bayes", ())]
    if posteriors:
        made.append(Section("Posteriors, which decide nothing", posteriors))
    notes = judge.data_notes(document)
    if notes:
        made.append(Section("Notes on the data", notes))
    return [*made, *_warnings(document, brief=False)]


def brief(document: JsonObject) -> list[Section]:
    return _warnings(document, brief=True)


def _warnings(document: JsonObject, brief: bool) -> list[Section]:
    found = warning_lines(document, brief)
    return [Section("Warnings", found)] if found else []


def rows(document: JsonObject) -> Rows:
    """One row per test of a comparison and per interval (its learner is `a`)."""
    return Rows(COLUMNS, _rows(document))


def _rows(document: JsonObject) -> Iterator[Mapping[str, Any]]:
    verdicts = {
        (v["data"], v["a"], v["b"], measure_of(v, document)): v["verdict"]
        for v in document["verdicts"]
    }
    for entry in document["comparisons"]:
        row = _comparison_row(entry, document["partitions"])
        row["measure"] = measure_of(entry, document)
        if row["primary"]:
            row["verdict"] = verdicts[entry["data"], entry["a"], entry["b"], row["measure"]]
        yield row
    for entry in document["intervals"]:
        yield _interval_row(entry, document["partitions"])


def _comparison_row(entry: Mapping[str, Any], partitions: Any) -> dict[str, Any]:
    row = {
        "kind": "comparison",
        **{key: entry[key] for key in ("data", "a", "b", "better", "failed", "p_corrected")},
        "name": entry["test"],
        "primary": entry["sentence"] is not None,
        "trained_on": entry["trained_on"],
        "options": options_text(entry),
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
        "options": options_text(entry),
        "scheme": scheme_of([entry], partitions),
    }
    if entry["result"] is not None:
        keys = ("lower", "upper", "level", "degenerate", "note")
        row |= {key: entry["result"][key] for key in keys}
        row |= {"estimate": shown_point(entry["result"]), "point": entry["result"]["point"]}
    return row


def recognises(document: JsonObject) -> bool:
    return "comparisons" in document


kinds.add(
    "result",
    Kind(
        "result",
        recognises,
        tables,
        opening,
        sections,
        rows,
        cites=True,
        headlines=headlines,
        brief=brief,
        bold="bold green",
    ),
    __name__,
)
