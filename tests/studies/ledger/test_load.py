"""Files of the ledger that are wrong get their faults told at their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from cvinfer.spec.faults import SpecError
from cvinfer.studies.ledger import load_ledger
from cvinfer.studies.ledger.load import merged
from tests.studies.ledger.made import HEAD, item_of, write

GROUP = """cells:
  - study: one
    kind: test
    field: rate
    digits: 3
    printed: {kfold_t: 0.1}
"""


def test_a_study_is_laid_over_what_all_share(tmp_path: Path) -> None:
    item = item_of(tmp_path, GROUP)
    two = item.studies["two"].spec
    assert two["study"]["grid"] == {"n": [10, 20, 30]}
    assert two["study"]["population"] == {"source": "synthetic"}
    assert "grid" not in item.studies["one"].spec["study"]
    assert two["name"] == "s1-table5-two"


def test_lists_are_replaced_and_mappings_merged() -> None:
    below = {"a": {"b": 1, "c": [1, 2]}}
    assert merged(below, {"a": {"c": [3]}}) == {"a": {"b": 1, "c": [3]}}
    assert below == {"a": {"b": 1, "c": [1, 2]}}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("study: one", "study: ones", "'ones' is not known; allowed: one, two; did you mean 'one'"),
        ("kind: test", "kind: tests", "did you mean 'test'"),
        ("digits: 3", "digit: 3", "the key 'digit' is not known"),
        ("digits: 3", "digits: many", "it must be a whole number from 0 to 12"),
        ("printed: {kfold_t: 0.1}", "printed: {kfold_t: ten}", "what is printed must be numbers"),
        ("printed: {kfold_t: 0.1}", "printed: {kfold_t: [0.1]}", "what is printed must be numbers"),
        ("study: one", "exact: eleven", "'eleven' is not known; allowed: ten"),
        ("study: one", "digits: 3", "the key 'digits' is there twice"),
        ("digits: 3", "digits: 3\n    misprint: {cvci_z: 1}", "'cvci_z' is not known"),
        ("digits: 3", "digits: 3\n    along: {n: [1, 2]}", "a list of 2 numbers"),
        ("digits: 3", "digits: 3\n    derived: {kfold_t: {rule: liner}}", "did you mean 'linear'"),
        (
            "digits: 3",
            "digits: 3\n    otherwise: {study: two, because: why}",
            "is not known; allowed: none",
        ),
        (
            "digits: 3",
            "digits: 3\n    otherwise: {exact: ten, because: why}",
            "a second study and the reason are needed, no exact",
        ),
    ],
)
def test_faults_of_cells_are_told_where_they_are(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(SpecError) as caught:
        item_of(tmp_path, GROUP.replace(old, new, 1))
    assert message in str(caught.value)
    assert all(fault.line > len(HEAD.splitlines()) for fault in caught.value.faults)


@pytest.mark.parametrize(
    "check, message",
    [
        ("{rise: {of: {}}}", "did you mean 'rises'"),
        ("{rises: {along: n}}", "the key `of` is missing"),
        ("{rises: {of: {study: three, kind: test, name: t}, along: n}}", "'three' is not known"),
        ("{rises: {of: {study: one, kind: test}, along: n}}", "either `name` or `derived`"),
        ("{identity: {exact: eleven}}", "'eleven' is not known"),
    ],
)
def test_faults_of_claims_are_told(tmp_path: Path, check: str, message: str) -> None:
    with pytest.raises(SpecError, match="claims"):
        item_of(tmp_path, f"claims: [{{text: it does, check: {check}}}]\n")
    try:
        item_of(tmp_path, f"claims: [{{text: it does, check: {check}}}]\n")
    except SpecError as error:
        assert message in str(error)


def test_computations_and_their_options_are_checked(tmp_path: Path) -> None:
    for old, new, message in (
        ("uncorrected_kfold", "uncorrected", "did you mean 'uncorrected_kfold'"),
        ("alpha: 0.05", "alfa: 0.05", "uncorrected_kfold has no option 'alfa'"),
        (", alpha: 0.05", "", "uncorrected_kfold needs the option 'alpha'"),
    ):
        with pytest.raises(SpecError) as caught:
            item_of(tmp_path, GROUP, HEAD.replace(old, new))
        assert message in str(caught.value)


def test_a_file_lies_where_it_says(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="the file is that of s1:table7"):
        write(tmp_path, GROUP, name="s1/table7")
        load_ledger(tmp_path)


def test_borrowed_studies_have_to_be_there(tmp_path: Path) -> None:
    write(tmp_path, GROUP)
    head = HEAD.replace("table5", "figure6").replace(
        "one: {seed: 1}", 'one: {from: "s1:table5.%s"}'
    )
    write(tmp_path, "", head % "two", "s1/figure6")
    assert load_ledger(tmp_path)["s1:figure6"].own_studies == ("two",)
    write(tmp_path, "", head % "three", "s1/figure6")
    with pytest.raises(SpecError, match="there is no study s1:table5.three"):
        load_ledger(tmp_path)
