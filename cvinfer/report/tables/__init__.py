"""Tables of a result document, independent of the format they are written in.

A table has key columns (data set, learners) and groups of columns (`model`). `comparisons` and
`intervals` make them, `layout` cuts them into parts that fit.
"""

from __future__ import annotations

from typing import Any, Mapping

from cvinfer.analysis.words import measures_of
from cvinfer.report.tables.across import across_pairs, across_tables, grid_of_measure
from cvinfer.report.tables.comparisons import comparison_table
from cvinfer.report.tables.dense import dense
from cvinfer.report.tables.entries import scheme_of, shown_point
from cvinfer.report.tables.intervals import interval_table
from cvinfer.report.tables.layout import (
    Cut,
    Measure,
    Paper,
    column_width,
    columns_that_fit,
    filled_lines,
    footnotes,
    name_limits,
    one_part,
    parts,
    title_lines,
    wrap,
)
from cvinfer.report.tables.model import BREAK, Cell, Cite, Column, Group, Note, Part, Table, Words

__all__ = [
    "BREAK",
    "Cell",
    "Cite",
    "Column",
    "Cut",
    "Group",
    "Measure",
    "Note",
    "Paper",
    "Part",
    "Table",
    "Words",
    "across_pairs",
    "across_tables",
    "column_width",
    "columns_that_fit",
    "comparison_table",
    "dense",
    "filled_lines",
    "footnotes",
    "grid_of_measure",
    "interval_table",
    "name_limits",
    "one_part",
    "parts",
    "scheme_of",
    "shown_point",
    "tables",
    "title_lines",
    "wrap",
]


def tables(document: Mapping[str, Any]) -> list[Table]:
    """The tables of a document: many data sets, comparisons, intervals; none without rows."""
    by_class: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for entry in document["intervals"]:
        (others if entry["averaging"] is None else by_class).append(entry)
    made = (
        *across_tables(document),
        *(comparison_table(document, measure) for measure in measures_of(document)),
        interval_table(document, by_class),
        interval_table(document, others),
    )
    return [table for table in made if table is not None]
