"""Printed cells beside ours: standard errors, z and verdicts of the ledger."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cvinfer.studies.ledger import chance, compare_item, count
from cvinfer.studies.ledger.compare import distance
from cvinfer.studies.ledger.exact import compute, the_exact_cell
from cvinfer.studies.ledger.results import Absent
from cvinfer.studies.ledger.rules import Measured
from tests.studies.ledger.made import item_of, quantity, results, test_cell

RATE = """cells:
  - study: one
    kind: test
    field: rate
    digits: 3
    printed: {kfold_t: 0.1}
"""


def test_a_rate_is_compared_at_the_pooled_rate(tmp_path: Path) -> None:
    (cell,) = compare_item(item_of(tmp_path, RATE), results(one=[test_cell("kfold_t", 80, 500)]))
    # 80 of 500 and 100 of 1,000: pooled 0.12.
    error = math.sqrt(0.12 * 0.88 * (1 / 500 + 1 / 1000))
    assert cell.se == pytest.approx(error)
    assert cell.z == pytest.approx((0.16 - 0.1) / error)
    assert cell.verdict == "differs"


def test_rates_of_zero_have_the_error_of_half_a_count() -> None:
    found = distance(0.0, 3, 1.0, Measured(0.0, 0.0, 1000, rate=True), 1000)
    share = 0.5 / 2000
    assert found.se == pytest.approx(math.sqrt(share * (1 - share) * 2 / 1000))
    assert found.agrees


def test_rounding_counts_only_where_print_hides_single_replications() -> None:
    ours = Measured(0.08, 0.0086, 1000, rate=True)
    three, two = distance(0.08, 3, 1.0, ours, 1000), distance(0.08, 2, 1.0, ours, 1000)
    assert three.se is not None and two.se is not None
    assert two.se**2 - three.se**2 == pytest.approx(0.01**2 / 12)


def test_per_cent_and_counts_are_in_the_units_of_print(tmp_path: Path) -> None:
    body = RATE.replace("digits: 3", "digits: 1\n    scale: 100").replace("0.1}", "10.0}")
    (cell,) = compare_item(item_of(tmp_path, body), results(one=[test_cell("kfold_t", 110)]))
    assert (cell.ours, cell.verdict) == (pytest.approx(11.0), "agrees")
    assert cell.se == pytest.approx(100 * math.sqrt(0.105 * 0.895 * 2 / 1000))


def test_the_papers_error_of_a_quantity_is_ours_scaled_to_its_replications() -> None:
    found = distance(1.0, 9, 1.0, Measured(1.1, 0.03, 100), 400)
    assert found.se == pytest.approx(0.03 * math.sqrt(1 + 100 / 400))
    assert found.z == pytest.approx(0.1 / (0.03 * math.sqrt(1.25)))


def test_a_mean_over_few_replications_is_judged_by_students_law() -> None:
    """t of 16 replications at 4.0 has the tail of a z of 3.25; R: qnorm(pt(4, 15))."""
    error = 0.03 * math.sqrt(1 + 16 / 1000)
    found = distance(1.0, 9, 1.0, Measured(1.0 - 4.0 * error, 0.03, 16), 1000)
    assert found.z == pytest.approx(-3.248704888, abs=1e-6)
    assert found.se == pytest.approx(error)
    two = distance(1.0, 9, 1.0, Measured(1.0 + 30 * error, 0.03, 2), 1000)
    assert two.agrees and two.z is not None and 1.5 < two.z < 2.5


def test_a_quantity_without_an_error_is_not_compared(tmp_path: Path) -> None:
    body = RATE.replace("kind: test", "kind: quantity").replace("field: rate", "field: value")
    without = {**quantity("kfold_t", 0.1, 0.0), "se": None}
    (cell,) = compare_item(item_of(tmp_path, body), results(one=[without]))
    assert cell.verdict == "not run"


def test_exact_cells_agree_within_half_a_unit(tmp_path: Path) -> None:
    body = """cells:
  - exact: ten
    digits: 4
    printed: {type I error: %s}
"""
    # 2 P(t9 > 2.262 √0.3) = 0.24667...
    for printed, verdict in (("0.2467", "agrees"), ("0.2466", "differs")):
        (cell,) = compare_item(item_of(tmp_path, body % printed), results())
        assert (cell.verdict, cell.z) == (verdict, None)


def test_words_on_a_cell_decide_only_where_they_may(tmp_path: Path) -> None:
    body = RATE + "    explained: {kfold_t: evidence}\n"
    far, near = [test_cell("kfold_t", 300)], [test_cell("kfold_t", 100)]
    item = item_of(tmp_path, body)
    assert compare_item(item, results(one=far))[0].verdict == "explained"
    assert compare_item(item, results(one=near))[0].verdict == "agrees"
    item = item_of(tmp_path, RATE + "    misprint: {kfold_t: 0.3}\n")
    found = compare_item(item, results(one=far))[0]
    assert (found.verdict, found.note) == ("misprint", "0.3")
    assert compare_item(item, results())[0].verdict == "not run"


def test_a_second_study_explains_what_the_first_does_not(tmp_path: Path) -> None:
    body = RATE + "    otherwise: {study: two, because: why}\nreasons: {why: the other setting}\n"
    item = item_of(tmp_path, body)
    far, near = [test_cell("kfold_t", 300)], [test_cell("kfold_t", 101)]
    found = compare_item(item, results(one=far, two=near))[0]
    assert (found.verdict, found.note) == ("explained", "the other setting (0.101)")
    assert compare_item(item, results(one=far, two=far))[0].verdict == "differs"
    # Where the printed setting agrees, that the other does not is not lost.
    found = compare_item(item, results(one=near, two=far))[0]
    assert (found.verdict, found.other) == ("agrees", False)


def test_a_second_exact_number_explains_too(tmp_path: Path) -> None:
    body = """  less: {compute: uncorrected_kfold, k: 10, rho: 0.3, alpha: 0.05}
reasons: {why: a smaller correlation}
cells:
  - exact: ten
    digits: 1
    scale: 100
    otherwise: {exact: less, because: why}
    printed: {type I error: PRINTED}
"""
    both = compute({"compute": "uncorrected_kfold", "k": 10, "rho": 0.3, "alpha": 0.05})
    less = f"{100 * the_exact_cell(both, 'type I error', {}).value:.1f}"
    found = [
        compare_item(item_of(tmp_path, body.replace("PRINTED", each)), results())[0]
        for each in (less, "24.7", "50.0")
    ]
    assert (found[0].verdict, found[0].note) == ("explained", f"a smaller correlation ({less})")
    assert [(each.verdict, each.other) for each in found[1:]] == [
        ("agrees", False),
        ("differs", False),
    ]


def test_lists_run_along_the_grid_and_rules_make_numbers(tmp_path: Path) -> None:
    body = """cells:
  - study: two
    along: {n: [10, 20, 30]}
    kind: quantity
    field: value
    digits: 3
    match: {learner: LR}
    derived: {1 - 2 rho1: {rule: linear, constant: 1, rho1: -2}}
    printed: {1 - 2 rho1: [0.8, 0.6, 0.9]}
"""
    cells = [
        quantity("rho1", rho, 0.01, at={"n": n}, learner=learner)
        for n, rho in ((10, 0.1), (20, 0.2), (30, 0.3))
        for learner in ("LR", "CT")
    ]
    found = compare_item(item_of(tmp_path, body), results(two=cells))
    assert [cell.ours for cell in found] == pytest.approx([0.8, 0.6, 0.4])
    assert [cell.verdict for cell in found] == ["agrees", "agrees", "differs"]
    assert found[0].se == pytest.approx(math.sqrt(0.02**2 * 2 + 0.001**2 / 12))
    with pytest.raises(Absent, match="2 cells of quantity 'rho1' at n 10"):
        item = item_of(tmp_path, body.replace("    match: {learner: LR}\n", ""))
        compare_item(item, results(two=cells))


def test_replicability_is_taken_over_studies(tmp_path: Path) -> None:
    body = """cells:
  - across: {rule: replicability, studies: [one, two]}
    kind: test
    digits: 3
    replications: 50
    printed: {kfold_t: 0.75}
"""
    cells = {"one": [test_cell("kfold_t", 0, 50)], "two": [test_cell("kfold_t", 25, 50)]}
    (cell,) = compare_item(item_of(tmp_path, body), results(**cells))
    # R(0, 50) = 1, R(25, 50) = 2·300/1225.
    assert cell.ours == pytest.approx((1 + 600 / 1225) / 2)
    assert cell.verdict == "agrees"


def test_chance_counts_what_lies_beyond_three(tmp_path: Path) -> None:
    body = RATE.replace("printed: {kfold_t: 0.1}", "printed: {kfold_t: 0.1, cvci_z: 0.1}")
    cells = [test_cell("kfold_t", 300), test_cell("cvci_z", 100)]
    found = compare_item(item_of(tmp_path, body), results(one=cells))
    assert count(found).of["differs"] == 1
    seen = chance(found)
    assert (seen.compared, seen.beyond) == (2, 1)
    assert seen.expected == pytest.approx(2 * 0.0026998, rel=1e-4)
    assert seen.probability == pytest.approx(1 - (1 - 0.0026998) ** 2, rel=1e-4)
