"""A spec and what `cvinfer show` makes of it are one: the same bytes come of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, TREE, spec_of

from cvinfer.runner import run
from cvinfer.spec import SpecError, load_spec

FILES = ("result.json", "result.tex", "result.md")
NAMED: dict[str, Any] = {
    # The weights go with the order of the estimators, which is not that of their names.
    "voting": {
        "engine": "sklearn",
        "learner": "VotingClassifier",
        "params": {
            "estimators": {
                "z": "GaussianNB",
                "a": {"DecisionTreeClassifier": {"max_depth": 2}},
                "m": {"KNeighborsClassifier": {"n_neighbors": 1}},
            },
            "voting": "soft",
            "weights": [5, 1, 1],
        },
    },
    "1-NN": {
        "engine": "sklearn",
        "steps": [
            "StandardScaler",
            {"KNeighborsClassifier": {"n_neighbors": 1, "p": float("inf")}},
        ],
    },
}
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "every test": {
        "tests": "all",
        "intervals": "all",
        "partition": ["blocked_mx2", {"scheme": "kfold", "k": 10}],
        "learners": {"z": TREE, "a": BAYES},
    },
    "options": {
        "tests": [
            {"corrected_kfold_t": {"rho": 0.5}},
            {"corrected_kfold_t": {"rho": 0.7, "mu0": 0}},
            {"dietterich_5x2_t": {"pick": [1, 0]}},
        ],
        "intervals": [{"error_kfold_t": {"level": 0.9}}, "f1_beta_prime"],
        "primary": "dietterich_5x2_t",
        "correction": "bonferroni",
    },
    "partitions": {
        "partition": ["blocked_mx2", {"scheme": "kfold", "k": 5, "stratify": True}],
        "tests": ["kfold_t", "bcv_5x2_mcnemar"],
        "compare": {"each": ["B"], "against": ["A"]},
        "margin": 0.05,
    },
    "order": {"learners": {"z": NEAREST_MEAN, "b": MAJORITY, "Ä": BAYES}, "compare": ["z", "Ä"]},
    "named estimators": {"learners": NAMED},
}


def written(path: Path, output: Path) -> dict[str, bytes]:
    run(path, jobs=1, write=True, output=output)
    return {name: (output / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("case", CASES)
def test_shown_and_run_gives_the_same_bytes(tmp_path: Path, case: str) -> None:
    path = spec_of(tmp_path / "spec")
    path.write_text(
        yaml.safe_dump({**yaml.safe_load(path.read_text()), **CASES[case]}, sort_keys=False)
    )
    shown = yaml.safe_dump(load_spec(path).resolved(), sort_keys=False, allow_unicode=True)
    (path.parent / "shown.yaml").write_text(shown)
    expected = written(path, tmp_path / "one" / "made")
    assert written(path.parent / "shown.yaml", tmp_path / "two" / "made") == expected


def test_a_default_that_is_written_down_is_no_second_test(tmp_path: Path) -> None:
    tests = ["corrected_kfold_t", {"corrected_kfold_t": {"rho": 0.7}}]
    with pytest.raises(SpecError, match="twice with the same options"):
        load_spec(spec_of(tmp_path, tests=tests))


def test_the_order_of_named_estimators_makes_another_fit(tmp_path: Path) -> None:
    """Two orders with the same weights are two learners: neither may be given the other's fits."""
    other = {**NAMED["voting"]["params"]}
    other["estimators"] = dict(sorted(other["estimators"].items()))
    both = {"one": NAMED["voting"], "other": {**NAMED["voting"], "params": other}}
    learners = load_spec(spec_of(tmp_path, both)).learners
    assert learners["one"].settings() != learners["other"].settings()
    assert learners["other"].settings()["params"]["estimators"] == other["estimators"] | {
        "m": {"KNeighborsClassifier": {"n_neighbors": 1}}
    }
