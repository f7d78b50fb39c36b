"""Files of the ledger and study.json documents made by hand, for the tests of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence

from cvinfer.studies.ledger import Item, Results, load_item

HEAD = """paper: s1
item: table5
title: a table
says: what it shows
replications: 1000
reach: {replications: 100, because: a tenth}
common: {cvinfer: 1, study: {replications: 1000, population: {source: synthetic}}}
studies:
  one: {seed: 1}
  two: {study: {grid: {n: [10, 20, 30]}}}
exact:
  ten: {compute: uncorrected_kfold, k: 10, rho: 0.7, alpha: 0.05}
"""


def write(directory: Path, body: str, head: str = HEAD, name: str = "s1/table5") -> Path:
    path = directory / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + body, encoding="utf-8")
    return path


def item_of(directory: Path, body: str, head: str = HEAD) -> Item:
    return load_item(write(directory, body, head))


def results(**studies: Sequence[Mapping[str, Any]]) -> Results:
    """Results of s1:table5 with these cells."""
    given = {
        ("s1", "table5", name): {"name": name, "ranges": [[1, 1000]], "cells": list(cells)}
        for name, cells in studies.items()
    }
    return Results(given=given)


def test_cell(name: str, rejections: int, runs: int = 1000, **more: Any) -> dict[str, Any]:
    rate = rejections / runs
    found = {
        "kind": "test",
        "name": name,
        "at": {},
        "replications": runs,
        "failed": 0,
        "rejections": rejections,
        "rate": rate,
        "se": (rate * (1 - rate) / runs) ** 0.5,
    }
    return {**found, **more}


def quantity(name: str, value: float, se: float, runs: int = 1000, **more: Any) -> dict[str, Any]:
    found = {"kind": "quantity", "name": name, "at": {}, "replications": runs}
    return {**found, "value": value, "se": se, **more}


#: So that pytest does not take it for a test.
test_cell.__test__ = False  # type: ignore[attr-defined]
