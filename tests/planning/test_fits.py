"""From tests to distinct fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, S1_TESTS, spec_of

from cvinfer.data import write_splits
from cvinfer.errors import UserError
from cvinfer.execute.store import Store, Stored
from cvinfer.partitions import make_partition
from cvinfer.planning import allocate, fit_seed, plan_run, plan_summary, split_key
from cvinfer.runner import load, run_plans
from cvinfer.spec.model import SchemeRequest, TestRequest


def planned(path: Path) -> tuple[Any, Any]:
    spec, sets = load(path)
    (plan,) = run_plans(spec, sets)
    return spec, plan


@pytest.mark.parametrize("n", [60, 61, 300])
def test_the_14_tests_share_their_fits(tmp_path: Path, n: int) -> None:
    _, plan = planned(spec_of(tmp_path, tests=S1_TESTS, n=n))
    found = plan_summary([plan])
    assert found["fits"] == {"naive": 2 * 218, "distinct": 2 * 150, "stored": 0}
    assert [(row["learner"], row["naive"], row["distinct"]) for row in found["learners"]] == [
        ("A", 218, 150),
        ("B", 218, 150),
    ]
    assert len(found["tests"]) == 2 * 14
    assert sum(row["distinct"] for row in found["tests"]) == 300


def test_without_the_10x10_test_60_fits_are_left(tmp_path: Path) -> None:
    tests = [name for name in S1_TESTS if name != "corrected_repeated_kfold_t"]
    _, plan = planned(spec_of(tmp_path, tests=tests))
    assert plan_summary([plan])["fits"] == {"naive": 2 * 118, "distinct": 2 * 60, "stored": 0}


@pytest.mark.parametrize("rcp", range(5))
def test_a_halving_that_comes_again_is_fitted_once(tmp_path: Path, rcp: int) -> None:
    partition = {"scheme": "random_mx2", "m": 5, "rcp": rcp}
    _, plan = planned(spec_of(tmp_path, tests=["bcv_5x2_mcnemar"], partition=partition))
    distinct = 2 * 2 * (5 - rcp)
    assert plan_summary([plan])["fits"] == {"naive": 2 * 10, "distinct": distinct, "stored": 0}


def test_the_order_of_the_tests_moves_no_fit(tmp_path: Path) -> None:
    _, plan = planned(spec_of(tmp_path / "a", tests=S1_TESTS))
    _, turned = planned(spec_of(tmp_path / "b", tests=S1_TESTS[::-1]))
    assert {fit.key for fit in plan.fits} == {fit.key for fit in turned.fits}


def test_one_test_more_moves_no_fit(tmp_path: Path) -> None:
    _, every = planned(spec_of(tmp_path / "all", tests=S1_TESTS))
    whole = {fit.key for fit in every.fits}
    for name in S1_TESTS:
        _, alone = planned(spec_of(tmp_path / name, tests=[name]))
        assert {fit.key for fit in alone.fits} <= whole, name


def test_stored_fits_are_counted_where_they_are_needed(tmp_path: Path) -> None:
    _, plan = planned(spec_of(tmp_path, tests=["kfold_t", "cvci_z", "blocked_3x2_t"]))
    with Store(None) as store:
        for fit in plan.fits[:10]:
            store.put(fit.key, fit.learner, Stored(np.zeros(6, np.int32), 0.1, 0.1, ()))
        found = plan_summary([plan, None], store)
    assert found["fits"] == {"naive": 2 * 26, "distinct": 2 * 16, "stored": 10}
    rows = {(row["learner"], row["test"]): row for row in found["tests"]}
    assert rows["A", "kfold_t"]["stored"] == 10
    assert (rows["A", "cvci_z"]["naive"], rows["A", "cvci_z"]["distinct"]) == (10, 0)
    assert rows["B", "kfold_t"]["stored"] == 0


def test_learners_that_are_not_compared_are_not_fitted(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": NEAREST_MEAN, "C": BAYES}
    _, plan = planned(spec_of(tmp_path, learners, compare=["A", "B"]))
    assert {fit.learner for fit in plan.fits} == {"A", "B"}
    more = spec_of(tmp_path, learners, compare=["A", "B"], intervals=["f1_beta_prime"])
    _, plan = planned(more)
    assert [fit.learner for fit in plan.fits].count("C") == 6


def test_an_interval_uses_the_nested_halves(tmp_path: Path) -> None:
    path = spec_of(tmp_path, tests=["bcv_5x2_mcnemar"], intervals=["f1_beta_prime"])
    _, plan = planned(path)
    assert len(plan.fits) == 2 * 10
    assert plan.partitions[plan.interval_uses[0].partitions[0]].shape == (3, 2)


def test_keys_depend_on_what_makes_a_fit_and_on_nothing_else(tmp_path: Path) -> None:
    spec, sets = load(spec_of(tmp_path))
    keys = {fit.key for fit in plan_run(spec, sets[0]).fits}
    named = replace(spec, name="other", alpha=0.01, learners=dict(reversed(spec.learners.items())))
    assert {fit.key for fit in plan_run(named, sets[0]).fits} == keys
    for other in (
        plan_run(replace(spec, seed=8), sets[0]),
        plan_run(spec, replace(sets[0], sha256="1" * 64)),
        plan_run(spec, replace(sets[0], impute=True)),
        plan_run(spec, sets[0], {"A": {"numpy": "9"}, "B": {"numpy": "9"}}),
    ):
        assert not keys & {fit.key for fit in other.fits}


def test_seeds_are_keyed_and_small() -> None:
    seeds = {fit_seed(s, {"params": p}, k) for s in (0, 1) for p in (1, 2) for k in "ab"}
    assert len(seeds) == 8 and all(0 <= seed < 2**32 for seed in seeds)
    assert fit_seed(3, {"a": 1, "b": 2}, "x") == fit_seed(3, {"b": 2, "a": 1}, "x")


def test_split_keys_tell_splits_apart() -> None:
    plan = make_partition("repeated_kfold", 30, r=2, k=5, seed=3)
    assert len({split_key(30, split) for split in plan.splits}) == 10
    first = make_partition("kfold", 30, k=5, seed=3)
    assert [split_key(30, s) for s in first.splits] == [split_key(30, s) for s in plan.splits[:5]]


def test_independent_tests_get_folds_of_their_own(tmp_path: Path) -> None:
    spec, plan = planned(spec_of(tmp_path, tests=["wong_welch_t", "kfold_t"]))
    first, second = plan.uses[0].partitions
    assert plan.partitions[first] != plan.partitions[second]
    assert plan.uses[1].partitions == (first,)
    repeated = make_partition("repeated_kfold", 60, r=2, k=10, seed=spec.seed)
    assert plan.partitions[second].splits[0] == repeated.splits[10]


def test_own_folds_are_stratified_like_the_first(tmp_path: Path) -> None:
    given = {"scheme": "kfold", "k": 5, "stratify": True}
    spec, plan = planned(spec_of(tmp_path, tests=["wong_welch_t"], partition=given))
    second = plan.partitions[plan.uses[0].partitions[1]]
    counts = [np.bincount(plan.dataset.target[s.test], minlength=2) for s in second.splits]
    assert np.ptp(counts, axis=0).max() <= 1


def test_a_written_partition_gives_every_test_the_plan_it_had(tmp_path: Path) -> None:
    tests = [*S1_TESTS, "wong_welch_t", "conservative_z", "corrected_2fold_t"]
    spec, plan = planned(spec_of(tmp_path, tests=tests, intervals=["f1_beta_prime"]))
    write_splits(plan.partitions, tmp_path / "splits.csv")
    file = SchemeRequest("file", {"path": "splits.csv"})
    again = plan_run(replace(spec, partition=(file,)), plan.dataset)
    for use, other in zip(plan.uses + plan.interval_uses, again.uses + again.interval_uses):
        assert [plan.partitions[i] for i in use.partitions] == [
            again.partitions[i] for i in other.partitions
        ], use
    assert {fit.split_key for fit in again.fits} == {fit.split_key for fit in plan.fits}


def test_a_test_without_its_partition_is_refused(tmp_path: Path) -> None:
    spec, sets = load(spec_of(tmp_path))
    holdout = replace(spec, partition=(SchemeRequest("holdout", {}),))
    with pytest.raises(UserError, match="kfold_t needs the scheme kfold.*hold-out, 40") as caught:
        plan_run(holdout, sets[0])
    assert caught.value.path == ("tests", "kfold_t")


def test_fixed_plans_keep_the_reason(tmp_path: Path) -> None:
    spec, sets = load(spec_of(tmp_path))
    asked = replace(spec, tests=(TestRequest("kfold_t"), TestRequest("wong_welch_t")))
    given = [make_partition("kfold", 60, k=5)]
    plans, (fine, own), _ = allocate(asked, sets[0], given, fixed=True)
    assert (fine.partitions, fine.failed, len(plans)) == ((0,), None, 1)
    assert own.partitions == () and "folds of its own" in str(own.failed)


def test_a_scheme_that_does_not_fit_the_data_is_a_users_mistake(tmp_path: Path) -> None:
    spec, sets = load(spec_of(tmp_path))
    many = replace(spec, partition=(SchemeRequest("kfold", {"k": 61}),))
    with pytest.raises(UserError, match="k = 61"):
        plan_run(many, sets[0])
