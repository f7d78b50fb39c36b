"""The pages that are made from the ledger: words, counts, and what differs standing out."""

from __future__ import annotations

from pathlib import Path

from cvinfer.studies.ledger.page import look, pages
from tests.studies.ledger.made import item_of, results, test_cell

BODY = """cells:
  - study: one
    kind: test
    field: rate
    digits: 3
    printed: {kfold_t: 0.1, cvci_z: 0.1, combined_5x2_f: 0.05}
    misprint: {combined_5x2_f: "0.3, as its row says"}
claims:
  - text: it rises
    check: {rises: {of: {study: two, kind: test, name: kfold_t}, along: n}}
"""
CELLS = [test_cell("kfold_t", 300), test_cell("cvci_z", 101), test_cell("combined_5x2_f", 300)]


def test_what_differs_stands_out_and_counts_come_first(tmp_path: Path) -> None:
    item = item_of(tmp_path, BODY)
    folder = tmp_path / "kept" / "s1" / "table5"
    folder.mkdir(parents=True)
    (folder / "one.png").write_bytes(b"")
    found = pages(look([item], results(one=CELLS), tmp_path / "kept"))
    first = found["reproduction.md"]
    assert "Of 3 printed cells 3 were compared: 1 agree, **1 differ**" in first
    assert "| table5 | a table | 1,000 of 1,000, 1 of 2 studies not run |" in first
    assert "- **differs**: table5, one, kfold_t: printed 0.100, ours 0.3000, z = +11.2" in first
    assert "- misprint: table5, one, combined_5x2_f: printed 0.050" in first
    assert "it should read 0.3, as its row says" in first
    assert "![table5: a table](reproduction/s1/table5/one.png)" in first
    assert first.index("## Counts") < first.index("## S1")
    assert "2 cells have a z. 1 of them lie beyond 3" in " ".join(first.split())
    page = found["reproduction/s1.md"]
    assert (
        "| one | kfold_t | 0.100 | 0.3000 | 1,000 of 1,000 | 0.018 | +11.2 | **differs** |" in page
    )
    assert "| it rises |  |  | not run | no stored result |" in page
    assert set(found) == {"reproduction.md", "reproduction/s1.md"}


def test_cells_on_few_replications_are_counted_and_marked(tmp_path: Path) -> None:
    """A tenth of the printed 1,000 is enough, 99 are few; what agrees so is told apart."""
    cells = [test_cell("kfold_t", 10, 99), test_cell("cvci_z", 10, 100)]
    cells.append(test_cell("combined_5x2_f", 60, 99))
    found = pages(look([item_of(tmp_path, BODY)], results(one=cells)))
    first = found["reproduction.md"]
    assert "2 of the 3 rest on fewer than a tenth of the printed replications" in first
    assert "1 of these agree), 1 on more or on a formula." in first
    assert "| S1 | 3 | 2 |  |  | 1 |  | 2 | not run |" in first
    page = found["reproduction/s1.md"]
    assert "| 99 of 1,000 | 0.032 | +0.0 | agrees, few |" in page
    assert "| 100 of 1,000 | 0.031 | +0.0 | agrees |" in page
    none = pages(look([item_of(tmp_path, BODY)], results(one=CELLS)))["reproduction.md"]
    assert "None of them rests on fewer than a tenth" in none


def test_without_results_nothing_is_claimed(tmp_path: Path) -> None:
    first = pages(look([item_of(tmp_path, BODY)], results()))["reproduction.md"]
    assert "Of 3 printed cells 0 were compared" in first
    assert "**differs**: table5" not in first
