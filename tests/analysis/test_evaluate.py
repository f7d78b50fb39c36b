"""From predictions to intervals and comparisons, without a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest
from tests.execute.run_examples import spec_of

from cvinfer.errors import UserError
from cvinfer.inference import class_confusions, compare_losses, f1_scores, infer, macro_f1
from cvinfer.analysis.evaluate import Predicted, evaluate
from cvinfer.partitions import make_partition
from cvinfer.planning import Use
from cvinfer.runner import load
from cvinfer.spec.model import TestRequest

N = 60


@pytest.fixture()
def case(tmp_path: Path) -> Any:
    spec, (dataset,) = load(spec_of(tmp_path, classes=3, alpha=0.2))
    rng = np.random.default_rng(5)
    partitions = (
        make_partition("blocked_mx2", N, m=3),
        make_partition("kfold", N, k=5),
        make_partition("holdout", N),
    )
    codes: dict[tuple[str, int], Any] = {}
    for learner, rate in (("A", 0.3), ("B", 0.5)):
        for index, partition in enumerate(partitions):
            guesses = np.where(rng.random(N) < rate, rng.integers(3, size=N), dataset.target)
            codes[learner, index] = [guesses[s.test].astype(np.int32) for s in partition.splits]
    return spec, dataset, Predicted(dataset.target, dataset.classes, partitions, codes, {})


def found(
    case: Any, name: str, partition: int, positive: Optional[str] = None, **options: Any
) -> Any:
    spec, dataset, predicted = case
    use = Use(TestRequest(name, options), (partition,), 0)
    run = evaluate(replace(spec, positive=positive), dataset, predicted, (), (use,), ())
    return {one.averaging: one for one in run.intervals if one.learner == "A"}


def confusions(case: Any, partition: int) -> Any:
    _, dataset, predicted = case
    codes = predicted.codes["A", partition]
    return class_confusions(dataset.target, codes, predicted.partitions[partition], [0, 1, 2])


@pytest.mark.parametrize("partition", [0, 1, 2])
@pytest.mark.parametrize("name", ["f1_beta_prime", "precision_beta", "recall_beta"])
def test_confusions_per_class_and_micro(case: Any, name: str, partition: int) -> None:
    runs = found(case, name, partition)
    assert list(runs) == ["class 'c0'", "class 'c1'", "class 'c2'", "micro"]
    matrices = confusions(case, partition)
    scheme = case[2].partitions[partition].scheme
    for word, of_class in zip(runs, [*matrices, matrices.sum(axis=0)]):
        expected = infer(name, of_class, alpha=0.2, scheme=scheme, micro=word == "micro")
        assert runs[word].result.as_dict() == expected.as_dict()


def test_folds_count_every_record_once_and_halves_half_of_them(case: Any) -> None:
    """The posterior of a micro average holds right + 1 and wrong + 1: a + b - 2 records."""
    for partition, records in ((0, N / 2), (1, N)):
        result = found(case, "f1_beta_prime", partition)["micro"].result
        assert result.a + result.b - 2 == pytest.approx(records)
    effective = found(case, "f1_beta_prime", 0, counts="effective")["micro"].result
    # 2m/(1 + 1/2 + (m - 1)) = 12/7 at m = 3.
    assert effective.a + effective.b - 2 == pytest.approx(12 / 7 * N / 2)


def test_scores_are_macro_averages(case: Any) -> None:
    runs = found(case, "blocked_3x2_t_interval", 0)
    assert list(runs) == ["macro"]
    expected = infer("blocked_3x2_t_interval", macro_f1(confusions(case, 0)), alpha=0.2)
    assert runs["macro"].result.as_dict() == expected.as_dict()


def test_the_positive_class_alone(case: Any) -> None:
    runs = found(case, "f1_beta_prime", 0, positive="c1")
    assert list(runs) == ["class 'c1'"]
    scores = found(case, "blocked_3x2_t_interval", 0, positive="c2")
    expected = infer("blocked_3x2_t_interval", f1_scores(confusions(case, 0)[2]), alpha=0.2)
    assert scores["class 'c2'"].result.as_dict() == expected.as_dict()
    with pytest.raises(UserError, match="no class 'x'; the classes are 'c0', 'c1', 'c2'"):
        found(case, "f1_beta_prime", 0, positive="x")


def test_error_rates_need_no_class(case: Any) -> None:
    _, dataset, predicted = case
    partition = predicted.partitions[1]
    wrong = [
        (codes != dataset.target[split.test]).sum()
        for codes, split in zip(predicted.codes["A", 1], partition.splits)
    ]
    runs = found(case, "error_kfold_t", 1)
    sizes = partition.sizes[:, 1]
    expected = infer("error_kfold_t", np.array(wrong), sizes, alpha=0.2)
    assert runs[None].result.as_dict() == expected.as_dict()
    whole = found(case, "error_dataset_z", 1)[None].result
    assert whole.as_dict() == infer("error_dataset_z", sum(wrong), N, alpha=0.2).as_dict()


def test_options_go_to_the_procedure(case: Any) -> None:
    wide = found(case, "f1_beta_prime", 0, level=0.99)["micro"].result
    narrow = found(case, "f1_beta_prime", 0)["micro"].result
    assert wide.lower < narrow.lower < narrow.upper < wide.upper


def test_comparisons_take_alpha_and_options(case: Any) -> None:
    spec, dataset, predicted = case
    use = Use(TestRequest("kfold_t", {"mu0": 0.05}), (1,), 5)
    (one,) = evaluate(spec, dataset, predicted, (use,), (), (("A", "B"),)).comparisons
    losses: list[Any] = [
        [
            (codes != dataset.target[split.test]).astype(float)
            for codes, split in zip(predicted.codes[learner, 1], predicted.partitions[1].splits)
        ]
        for learner in "AB"
    ]
    expected = compare_losses(
        "kfold_t", predicted.partitions[1], losses[0], losses[1], alpha=0.2, mu0=0.05
    )
    assert one.inference is not None and one.inference.as_dict() == expected.as_dict()
    assert one.inference.alpha == 0.2 and dict(one.options) == {"mu0": 0.05}


def test_a_test_that_refuses_its_data_says_why(case: Any) -> None:
    spec, dataset, predicted = case
    use = Use(TestRequest("blocked_3x2_t"), (1,), 5)
    (one,) = evaluate(spec, dataset, predicted, (use,), (), (("A", "B"),)).comparisons
    assert one.inference is None and "needs the scheme blocked_mx2" in str(one.failed)


def test_intervals_of_any_measure_are_made_of_the_losses(case: Any) -> None:
    """Each against its own function, from what the losses were drawn as."""
    spec, dataset, predicted = case
    partitions = (
        make_partition("repeated_holdout", N, j=4, n1=45),
        make_partition("paired_halves", N, m=3, j=2),
        make_partition("nested_cv", N, r=2, k=3),
    )
    rng = np.random.default_rng(7)
    wrong = rng.random((3, 20, N)) < 0.4
    codes = {
        ("A", index): [
            (dataset.target + wrong[index, at])[split.test] % 3
            for at, split in enumerate(partition.splits)
        ]
        for index, partition in enumerate(partitions)
    }
    run = evaluate(
        spec,
        dataset,
        replace(predicted, partitions=partitions, codes=codes),
        (),
        [
            Use(TestRequest("corrected_resampled_interval", {}), (0,), 0),
            Use(TestRequest("conservative_interval", {}), (0, 1), 0),
            Use(TestRequest("nested_cv_interval", {"level": 0.9}), (2,), 0),
        ],
        (),
    )
    rates = [
        [wrong[index, at][split.test].mean() for at, split in enumerate(partition.splits)]
        for index, partition in enumerate(partitions)
    ]
    folds = np.zeros((2, N), dtype=int)
    losses = np.zeros((2, 3, N))
    for at, split in enumerate(partitions[2].splits):
        losses[at // 9, at // 3 % 3, split.test] = wrong[2, at][split.test]
        folds[at // 9, split.test] = at % 3
    expected = [
        infer("corrected_resampled_interval", rates[0], 45, 15, alpha=0.2),
        infer(
            "conservative_interval", rates[0], np.reshape(rates[1], (3, 2, 2)).mean(-1), alpha=0.2
        ),
        infer("nested_cv_interval", losses, folds, level=0.9),
    ]
    assert [one.failed for one in run.intervals] == [None] * 3
    for one, other in zip(run.intervals, expected):
        assert one.result is not None and one.measure == "error rate" and one.averaging is None
        assert one.result.as_dict() == other.as_dict()
