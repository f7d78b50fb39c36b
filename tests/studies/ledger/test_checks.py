"""What texts say about figures, checked on study cells made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cvinfer.studies.ledger import ClaimFound, claims_of
from tests.studies.ledger.made import item_of, quantity, results, test_cell


def claim(directory: Path, check: str, more: str = "", **studies: Any) -> ClaimFound:
    body = f"claims:\n  - text: it does\n    check: {check}\n{more}"
    (found,) = claims_of(item_of(directory, body), results(**studies))
    return found


def curve(
    *values: float, se: float = 0.01, name: str = "rho1", **more: Any
) -> list[dict[str, Any]]:
    return [
        quantity(name, value, se, at={"n": 10 * (number + 1)}, **more)
        for number, value in enumerate(values)
    ]


RHO1 = "{study: two, kind: quantity, name: rho1}"
RHO2 = "{study: two, kind: quantity, name: rho2}"


@pytest.mark.parametrize(
    "values, verdict",
    [((0.1, 0.2, 0.3), "holds"), ((0.1, 0.09, 0.3), "holds"), ((0.1, 0.0, 0.3), "fails")],
)
def test_a_curve_rises_but_for_three_standard_errors(
    tmp_path: Path, values: tuple[float, ...], verdict: str
) -> None:
    check = f"{{rises: {{of: {RHO1}, along: n}}}}"
    assert claim(tmp_path, check, two=curve(*values)).verdict == verdict


def test_a_curve_falls(tmp_path: Path) -> None:
    check = f"{{falls: {{of: {RHO1}, along: n}}}}"
    assert claim(tmp_path, check, two=curve(0.3, 0.2, 0.1)).verdict == "holds"
    assert claim(tmp_path, check, two=curve(0.1, 0.2, 0.3)).verdict == "fails"


def test_the_lowest_point_is_where_the_text_says(tmp_path: Path) -> None:
    check = f"{{lowest: {{of: {RHO1}, along: n, at: 20}}}}"
    assert claim(tmp_path, check, two=curve(0.3, 0.1, 0.2)).verdict == "holds"
    assert claim(tmp_path, check, two=curve(0.0, 0.1, 0.2)).verdict == "fails"


def test_points_are_compared_where_they_stand(tmp_path: Path) -> None:
    check = f"{{less: {{left: {RHO1}, right: {RHO2}}}}}"
    cells = curve(0.1, 0.2, 0.3) + curve(0.2, 0.3, 0.4, name="rho2")
    found = claim(tmp_path, check, two=cells)
    assert (found.verdict, found.right, found.points) == ("holds", 3, 3)
    cells = curve(0.1, 0.2, 0.3) + curve(0.2, 0.3, 0.1, name="rho2")
    found = claim(tmp_path, check, two=cells)
    assert (found.verdict, found.right) == ("fails", 2)
    assert "n 30" in found.worst


def test_a_claim_tells_the_fewest_replications_that_it_rests_on(tmp_path: Path) -> None:
    check = f"{{less: {{left: {RHO1}, right: {RHO2}}}}}"
    many, some = curve(0.1, 0.2, runs=900), curve(0.2, 0.3, name="rho2", runs=99)
    found = claim(tmp_path, check, two=many + some)
    assert (found.replications, found.of_print, found.few) == (99, 1000, True)
    # A number of print rests on nothing of ours.
    found = claim(tmp_path, f"{{less: {{left: {RHO1}, right: 1}}}}", two=many)
    assert (found.replications, found.few) == (900, False)
    assert not claim(tmp_path, check).few


def test_a_share_of_the_points_may_be_enough(tmp_path: Path) -> None:
    check = f"{{less: {{left: {RHO1}, right: 0.25, share: %s}}}}"
    cells = curve(0.1, 0.2, 0.9)
    assert claim(tmp_path, check % 0.5, two=cells).verdict == "holds"
    assert claim(tmp_path, check % 0.7, two=cells).verdict == "fails"


def test_where_keeps_some_points(tmp_path: Path) -> None:
    check = f"{{more: {{left: {RHO1}, right: 0.25, where: {{n: [30]}}}}}}"
    found = claim(tmp_path, check, two=curve(0.1, 0.2, 0.9))
    assert (found.verdict, found.points) == ("holds", 1)


def test_learners_and_pairs_are_kept_apart(tmp_path: Path) -> None:
    check = f"{{less: {{left: {RHO1}, right: {RHO2}}}}}"
    cells = [
        quantity(name, value, 0.001, at={"n": 10}, a=pair[0], b=pair[1])
        for pair, low, high in ((("A", "B"), 0.1, 0.2), (("A", "C"), 0.3, 0.4))
        for name, value in (("rho1", low), ("rho2", high))
    ]
    assert claim(tmp_path, check, two=cells).points == 2


def test_a_ratio_lies_between_two_numbers(tmp_path: Path) -> None:
    of = "{study: two, kind: quantity, derived: {rule: ratio, of: rho1, over: rho2, times: 0.5}}"
    check = f"{{between: {{of: {of}, low: 0.2, high: %s}}}}"
    cells = curve(1.0, 2.0, 3.0) + curve(2.0, 4.0, 6.0, name="rho2")
    found = claim(tmp_path, check % 0.3, two=cells)
    assert (found.verdict, found.points) == ("holds", 3)
    assert claim(tmp_path, check % 0.21, two=cells).verdict == "fails"


def test_tests_are_compared_by_their_rates(tmp_path: Path) -> None:
    t = "{study: one, kind: test, name: %s}"
    check = f"{{less: {{left: {t % 'kfold_t'}, right: {t % 'cvci_z'}}}}}"
    cells = [test_cell("kfold_t", 500), test_cell("cvci_z", 100)]
    assert claim(tmp_path, check, one=cells).verdict == "fails"
    assert claim(tmp_path, check, "    explained: evidence\n", one=cells).verdict == "explained"


def test_what_was_not_run_is_not_judged(tmp_path: Path) -> None:
    assert claim(tmp_path, f"{{rises: {{of: {RHO1}, along: n}}}}").verdict == "not run"
