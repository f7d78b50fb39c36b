"""A study: error rates, power and coverage over replications (study.json)."""

from __future__ import annotations

import json
from typing import Any, Mapping

from cvinfer.documents import JsonObject
from cvinfer.report.kinds import Kind, Rows, Section, kinds
from cvinfer.report.studies import words
from cvinfer.report.studies.read import Study
from cvinfer.report.studies.tables import study_tables
from cvinfer.report.tables.model import Table

#: What names a cell, before the grid; and its numbers after it.
NAMES = ("kind", "name", "options", "learner", "a", "b", "of", "measure", "averaging", "scheme")
NUMBERS = (
    "replications",
    "partitions",
    "alpha",
    "mu0",
    "rejections",
    "covered",
    "rate",
    "se",
    "lower",
    "upper",
    "ties",
    "degenerate",
    "failed",
    "estimate",
    "loss_a",
    "loss_b",
    "length",
    "outside",
    "truth",
    "value",
    "critical",
    "histogram",
)


def recognises(document: JsonObject) -> bool:
    return "cells" in document and "study" in document


def tables(document: JsonObject) -> list[Table]:
    return study_tables(Study(document))


def opening(document: JsonObject) -> list[str]:
    return words.opening(Study(document))


def sections(document: JsonObject) -> list[Section]:
    found = document["warnings"]
    return [Section("Warnings", found)] if found else []


def rows(document: JsonObject) -> Rows:
    """One row a cell; `at ` and its path for each key of the grid."""
    grid = dict.fromkeys(f"at {key}" for cell in document["cells"] for key in cell["at"])
    return Rows((*NAMES, *grid, *NUMBERS), (_row(cell) for cell in document["cells"]))


def _row(cell: JsonObject) -> Mapping[str, Any]:
    at = {f"at {key}": value for key, value in cell["at"].items()}
    found = {key: cell[key] for key in (*NAMES, *NUMBERS) if key in cell}
    return {key: _flat(value) for key, value in {**found, **at}.items()}


def _flat(value: Any) -> Any:
    """What is no number and no text becomes JSON; nothing where there is nothing in it."""
    if not isinstance(value, (dict, list)):
        return value
    return json.dumps(value, sort_keys=True) if value else None


kinds.add("study", Kind("study", recognises, tables, opening, sections, rows), __name__)
