"""The ledger's own files: all are right, and hold every cell of the papers' tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cvinfer.studies.ledger import Item, Results, claims_of, compare_item, load_ledger
from cvinfer.studies.ledger.reproduce import find_ledger

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def ledger() -> dict[str, Item]:
    return load_ledger(find_ledger(ROOT))


def test_every_table_is_there_with_all_its_cells(ledger: dict[str, Item]) -> None:
    cells: Counter[str] = Counter()
    for item in ledger.values():
        if item.is_table:
            cells[item.paper] += item.cells
    assert cells == {"s0": 350, "s1": 88, "s2": 7, "s3": 596, "s4": 42}
    assert sum(cells.values()) == 1083
    wanted = {f"s0:table{n}" for n in range(2, 11)} | {f"s0:figure{n}" for n in range(1, 12)}
    wanted |= {"s1:table5", "s1:table6"} | {f"s1:figure{n}" for n in (1, 3, 4, 5, 6)}
    wanted |= {f"s3:table{n}" for n in range(2, 9)}
    assert set(ledger) == wanted | {"s2:examples", "s4:table1", "s4:table2", "s4:text"}


# Table 10's row of replicability follows from its counts of rejections: a check of both.
def test_printed_replicability_follows_from_printed_counts(ledger: dict[str, Item]) -> None:
    from cvinfer.inference import replicability

    groups = ledger["s0:table10"].groups
    rows = [group for group in groups if group.study is not None]
    printed = {cell.name: cell.printed for cell in groups[len(rows)].cells}
    for at, name in enumerate(printed):
        counts = [int(row.cells[at].printed) for row in rows]
        assert replicability(counts, 50) == pytest.approx(printed[name], abs=0.0006)


# Tables 2 and 3 of S0 print four functions of two numbers: 3 − 4ρ2 is 3 − 2·(2ρ2), and so on.
@pytest.mark.parametrize("key", ["s0:table2", "s0:table3"])
def test_printed_rows_of_correlations_fit_together(ledger: dict[str, Item], key: str) -> None:
    (group,) = ledger[key].groups
    rows: dict[str, list[float]] = {}
    for cell in group.cells:
        rows.setdefault(cell.name, []).append(cell.printed)
    first, second, third, fourth = rows.values()
    for one, two, three, four in zip(first, second, third, fourth):
        rho1 = (1 - one) / 2
        assert three == pytest.approx(2 - rho1 - two, abs=0.0016)
        assert four == pytest.approx(3 - 2 * two, abs=0.0016)


def test_exact_items_need_nothing_stored(ledger: dict[str, Item]) -> None:
    assert {cell.verdict for cell in compare_item(ledger["s2:examples"], Results())} == {
        "agrees",
        "misprint",
    }
    for key in ("s0:table5", "s4:table1"):
        verdicts = Counter(claim.verdict for claim in claims_of(ledger[key], Results()))
        assert set(verdicts) <= {"holds", "misprint"}, key
    assert verdicts == {"holds": 5}


def test_unshipped_data_is_said_to_come_from_somewhere(ledger: dict[str, Item]) -> None:
    for item in ledger.values():
        text = str({name: source.spec for name, source in item.studies.items()})
        assert ("shared/data" in text) == (item.data_from is not None), item.key
