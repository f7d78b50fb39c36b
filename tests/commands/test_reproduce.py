"""`cvinfer reproduce`: items are listed, run through simulate, written and compared."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cvinfer.errors import UserError
from cvinfer.studies.ledger import load_item
from cvinfer.studies.ledger.reproduce import replications_for, run_item, study_spec
from tests.studies.ledger.made import HEAD, test_cell, write

BODY = """cells:
  - study: one
    kind: test
    field: rate
    digits: 3
    printed: {kfold_t: 0.1}
"""


@pytest.fixture
def ledger(place: Path) -> Path:
    write(place / "specs" / "papers", BODY)
    return place


def pretended(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """`simulate` that notes how it was called and finds 100 rejections of 1,000."""
    import cvinfer.studies

    calls: list[dict[str, Any]] = []

    def simulate(source: Any, **named: Any) -> Any:
        calls.append({"source": source, **named})
        runs = named["replications"]
        cells = [test_cell("kfold_t", runs // 10, runs)]
        head = {"name": source["name"], "ranges": [[1, runs]], "failures": []}
        return SimpleNamespace(document={**head, "cells": cells})

    monkeypatch.setattr(cvinfer.studies, "simulate", simulate)
    return calls


def test_an_item_is_run_written_and_compared(ledger, call, monkeypatch) -> None:
    calls = pretended(monkeypatch)
    answer = call("reproduce", "s1:table5", "--quiet", "--jobs", "2")
    assert answer.code == 0, answer.err
    assert [call["replications"] for call in calls] == [100, 100]
    assert calls[0]["base"] == ledger / "specs" / "papers" / "s1"
    assert calls[0]["jobs"] == 2
    file = ledger / "results" / "reproduction" / "s1" / "table5" / "one.json"
    assert json.loads(file.read_text())["name"] == "s1-table5-one"
    assert "agrees  one, kfold_t: printed 0.100, ours 0.1000" in answer.out
    assert "1 cells: 1 agrees." in answer.out


def test_fewer_replications_and_single_studies(ledger, call, monkeypatch) -> None:
    calls = pretended(monkeypatch)
    call("reproduce", "s1:table5", "--quiet", "--quick", "--study", "two")
    call("reproduce", "s1:table5", "--quiet", "--replications", "7", "--study", "one")
    assert [call["replications"] for call in calls] == [20, 7]
    answer = call("reproduce", "s1:table5", "--study", "tow")
    assert (answer.code, len(calls)) == (2, 2)
    assert "did you mean 'two'" in answer.err


def test_items_are_listed_with_what_is_stored(ledger, call) -> None:
    answer = call("reproduce", "--list")
    assert answer.out.splitlines() == ["s1:table5  a table", "    1 not run"]


def test_unknown_items_and_a_missing_ledger_are_told(ledger, call) -> None:
    answer = call("reproduce", "s1:tabel5")
    assert answer.code == 2 and "did you mean 's1:table5'" in answer.err


def test_data_is_looked_for_where_the_file_says_or_the_user(tmp_path: Path) -> None:
    head = HEAD.replace("{source: synthetic}", "{source: csv, path: ../up/a.csv}")
    head += "data_from: {path: ../up, what: files of letters}\n"
    item = load_item(write(tmp_path, BODY, head))
    population = study_spec(item, "one", tmp_path / "mine")["study"]["population"]
    assert population["path"] == str(tmp_path / "mine" / "a.csv")
    assert study_spec(item, "one")["study"]["population"]["path"] == "../up/a.csv"
    with pytest.raises(UserError, match="up is not there") as caught:
        list(run_item(item, None, output=tmp_path))  # type: ignore[arg-type]
    assert "files of letters" in str(caught.value)


def test_reach_may_differ_by_study(tmp_path: Path) -> None:
    head = HEAD.replace("because", "studies: {two: 30}, because")
    item = load_item(write(tmp_path, BODY, head))
    assert replications_for(item, "one", None, False) == 100
    assert replications_for(item, "two", None, False) == 30
    assert replications_for(item, "two", None, True) == 20
    assert replications_for(item, "two", 5, True) == 5
