"""One learner against mu0: what a study may ask for, and an ordinary comparison may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import pytest

from cvinfer.inference import tests
from cvinfer.spec.check import check
from cvinfer.spec.faults import Fault
from cvinfer.spec.model import Spec
from cvinfer.spec.text import parse

TEXT = """\
cvinfer: 1
data: {{source: sklearn, dataset: iris}}
learners:
  TREE: {{engine: sklearn, learner: DecisionTreeClassifier}}
compare: [TREE]
tests: {tests}
"""
OF_ONE = {
    "blocked_3x2_t",
    "calibrated_5x2_bcv_f",
    "combined_5x2_f",
    "combined_5x2_t",
    "conservative_z",
    "corrected_2fold_t",
    "corrected_kfold_t",
    "corrected_repeated_holdout_t",
    "corrected_repeated_kfold_t",
    "cvci_z",
    "dietterich_5x2_t",
    "kfold_t",
    "loo_matched_t",
    "repeated_holdout_t",
    "wong_matched_t",
}


def read(chosen: str, one_learner: bool = True) -> tuple[Optional[Spec], list[Fault]]:
    document = parse(TEXT.format(tests=chosen).encode(), "spec")
    spec, _ = check(document, Path.cwd(), "one", False, one_learner=one_learner)
    return spec, document.faults


def test_which_tests_are_of_one_mean() -> None:
    assert {name for name, test in tests().items() if test.of_one_mean} == OF_ONE


@pytest.mark.parametrize("mu0", [0.25, 0.0])
def test_the_second_name_is_none(mu0: float) -> None:
    spec, faults = read(f"[{{kfold_t: {{mu0: {mu0}}}}}, {{corrected_kfold_t: {{mu0: {mu0}}}}}]")
    assert faults == [] and spec is not None
    assert spec.pairs == (("TREE", None),) and spec.of_two == ()
    assert [request.options.get("mu0", 0.0) for request in spec.tests] == [mu0, mu0]
    resolved: dict[str, Any] = spec.resolved()
    assert resolved["compare"] == ["TREE"]
    assert resolved["tests"][0]["kfold_t"]["mu0"] == mu0


@pytest.mark.parametrize("name", sorted(set(tests()) - OF_ONE))
def test_tests_of_two_learners_are_refused_by_name(name: str) -> None:
    spec, (fault,) = read(f"[{name}]")
    assert spec is None
    assert fault.message == f"{name} is of two learners, and compare names one"
    assert (fault.line, fault.column, fault.path) == (6, 9, "tests[0]")
    assert fault.allowed is not None and "kfold_t" in fault.allowed


@pytest.mark.parametrize(
    "chosen, path, column",
    [
        ("[kfold_t]", "tests[0].kfold_t.mu0", 9),
        ("[{corrected_kfold_t: {rho: 0.5}}]", "tests[0].corrected_kfold_t.mu0", 9),
    ],
)
def test_without_mu0_there_is_no_hypothesis(chosen: str, path: str, column: int) -> None:
    spec, (fault,) = read(chosen)
    assert spec is None
    assert fault.message == "is missing: one learner's mean loss is compared with it"
    assert (fault.line, fault.column, fault.path) == (6, column, path)


def test_what_is_recommended_is_of_two_learners() -> None:
    spec, (fault,) = read("recommended")
    assert spec is None and "is of two learners" in fault.message
    assert (fault.line, fault.path) == (6, "tests")


def test_a_comparison_is_of_two_learners() -> None:
    spec, faults = read("[{kfold_t: {mu0: 0.2}}]", one_learner=False)
    assert spec is None
    (fault,) = faults
    assert fault.path == "compare" and (fault.line, fault.column) == (5, 10)
    assert fault.message == "'TREE' alone is compared with nothing; a study can set it against mu0"
