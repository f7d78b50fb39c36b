"""More replications of an item are added to those that were kept: the bytes of one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cvinfer.studies import simulate
from cvinfer.studies.ledger.load import load_item
from cvinfer.studies.ledger.reproduce import run_item

ITEM = """
paper: s1
item: table1
title: A table
says: It shows a rate.
replications: 10
reach: {replications: 10, because: in full}
studies:
  mean:
    cvinfer: 1
    study:
      population: {source: csv, path: ../../../elsewhere/records.csv, target: y}
      draw: {n: 20, replace: true}
      replications: 10
    learners:
      A: {engine: builtin, learner: majority}
      B: {engine: builtin, learner: mean}
    compare: [A, B]
    tests: [blocked_3x2_t]
    seed: 3
data_from: {path: ../../../elsewhere, what: some records}
cells:
  - {study: mean, kind: test, field: rate, digits: 2, printed: {blocked_3x2_t: 0.05}}
"""


@pytest.fixture()
def item(tmp_path: Path) -> Path:
    file = tmp_path / "specs" / "papers" / "s1" / "table1.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(ITEM, encoding="utf-8")
    data = tmp_path / "data"
    data.mkdir()
    rows = [f"{(at * 37) % 11},{at % 2}" for at in range(60)]
    (data / "records.csv").write_text("\n".join(["x,y", *rows]) + "\n", encoding="utf-8")
    return file


def test_kept_replications_are_extended(item: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    found = load_item(item)

    def made(output: str, count: int) -> bytes:
        (ran,) = run_item(
            found, simulate, output=tmp_path / output, data=data, replications=count, jobs=1
        )
        return ran.file.read_bytes()

    whole = made("whole", 10)
    made("parts", 6)
    parts = made("parts", 10)
    assert parts == whole
    # Fewer than there are leaves what is there.
    assert made("parts", 4) == whole
    document = json.loads(whole)
    assert document["ranges"] == [[1, 10]]
    # Where the data lay is no part of the result.
    assert str(tmp_path) not in whole.decode()
    assert document["study"]["population"]["path"] == "../../../elsewhere/records.csv"
