"""From records to results: the record functions and `compare` against plain loops."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cvinfer import inference
from cvinfer.inference import InputError
from cvinfer.partitions import make_partition, random_mx2
from tests.properties.drawn import assert_close, assert_same_test, seeds

pytestmark = pytest.mark.filterwarnings("error")

TESTS = inference.tests()
few = settings(deadline=None, max_examples=8)
#: Tests that take any bounded loss, not only errors counted or the 0/1 loss.
ANY_LOSS = [
    name
    for name, declared in TESTS.items()
    if declared.data
    in ("differences", "differences_and_sizes", "differences_and_halves", "losses_and_folds")
]
PLANS = {
    "holdout": ("holdout", {}),
    "repeated_holdout": ("repeated_holdout", {"j": 3}),
    "kfold": ("kfold", {"k": 4}),
    "kfold, k=2": ("kfold", {"k": 2}),
    "repeated_kfold": ("repeated_kfold", {"r": 2, "k": 3}),
    "random_mx2": ("random_mx2", {"m": 5}),
    "random_mx2, m=4": ("random_mx2", {"m": 4}),
    "blocked_mx2, m=3": ("blocked_mx2", {"m": 3}),
    "blocked_mx2, m=5": ("blocked_mx2", {"m": 5}),
    "loo": ("loo", {}),
    "paired_halves": ("paired_halves", {"m": 2, "j": 2}),
}


@functools.lru_cache(maxsize=None)
def cached_partition(scheme, n, options):
    return make_partition(scheme, n, **dict(options))


def partitions_for(name, n):
    """A partition for each scheme the test needs; two K-folds get folds of their own."""
    partitions = []
    for seed, need in enumerate(TESTS[name].needs):
        # Fewer repetitions than the tests' defaults show as much, sooner.
        smaller = {"paired_halves": {"m": 3, "j": 4}, "repeated_kfold": {"r": 3}}
        options = {**need.options, **smaller.get(need.scheme, {}), "seed": seed}
        partitions.append(cached_partition(need.scheme, n, tuple(sorted(options.items()))))
    return partitions


def guesses(rng, truth, partition, classes, error):
    """A prediction per test record of each split, wrong or not at random."""
    return [
        np.where(rng.random(len(s.test)) < error, rng.choice(classes, len(s.test)), truth[s.test])
        for s in partition.splits
    ]


def single(values):
    """One partition is passed as it is, two as a pair."""
    return values[0] if len(values) == 1 else values


def problem(rng, partitions, classes=("cat", "dog", "eel"), errors=(0.6, 0.4)):
    """Truth, and predictions of A and of B for each partition."""
    truth = rng.choice(np.array(classes), partitions[0].n)
    a = [guesses(rng, truth, partition, np.array(classes), errors[0]) for partition in partitions]
    b = [guesses(rng, truth, partition, np.array(classes), errors[1]) for partition in partitions]
    return truth, a, b


# --- plain loops, one record at a time ----------------------------------------------------------


def wrong(truth, predictions, partition):
    """[split][record]: 1 where the prediction is wrong."""
    return [
        [int(str(guess) != str(truth[record])) for guess, record in zip(predicted, split.test)]
        for predicted, split in zip(predictions, partition.splits)
    ]


def mean(values):
    return sum(values) / len(values)


def hand_differences(a, b, partition):
    return np.array([mean(x) - mean(y) for x, y in zip(a, b)]).reshape(partition.shape)


def hand_tables(a, b, partition):
    tables = np.zeros((len(a), 4))
    for at, (x, y) in enumerate(zip(a, b)):
        for wrong_a, wrong_b in zip(x, y):
            tables[at, {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[wrong_a, wrong_b]] += 1
    return tables.reshape(*partition.shape, 4)


def hand_records(a, partition):
    values, folds = [None] * partition.n, [None] * partition.n
    for fold, (losses, split) in enumerate(zip(a, partition.splits)):
        for loss, record in zip(losses, split.test):
            values[record], folds[record] = loss, fold
    return values, folds


def hand_halves(a, b, partition):
    m, two, j = partition.shape
    d = [mean(x) - mean(y) for x, y in zip(a, b)]
    return [
        [mean([d[(r * two + h) * j + i] for i in range(j)]) for h in range(two)] for r in range(m)
    ]


def by_hand(data, partitions, a, b):
    """The arguments of a test from lists of errors per split, for each kind of data."""
    partition = partitions[0]
    sizes = [len(split.test) for split in partition.splits]
    if data in ("differences", "record_differences"):
        return (hand_differences(a[0], b[0], partition),)
    if data == "differences_and_sizes":
        total = sum(len(split.train) for split in partition.splits), sum(sizes)
        return (hand_differences(a[0], b[0], partition), *total)
    if data == "differences_and_halves":
        return (hand_differences(a[0], b[0], partition), hand_halves(a[1], b[1], partitions[1]))
    if data in ("table", "tables"):
        return (hand_tables(a[0], b[0], partition),)
    if data == "losses_and_folds":
        (values_a, folds), (values_b, _) = hand_records(a[0], partition), hand_records(
            b[0], partition
        )
        return (values_a, values_b, folds)
    if data == "error_counts":
        return ([sum(x) for x in a[0]], [sum(y) for y in b[0]], sizes)
    if data == "error_rates":
        return (mean([mean(x) for x in a[0]]), mean([mean(y) for y in b[1]]), partition.n)
    if data == "fold_error_rates":
        sizes_b = [len(split.test) for split in partitions[1].splits]
        return ([mean(x) for x in a[0]], [mean(y) for y in b[1]], sizes, sizes_b)
    if data == "total_error_counts":
        return (sum(map(sum, a[0])), sum(map(sum, b[0])), partition.n)
    raise AssertionError(f"no loop is written for data {data!r}")


@pytest.mark.parametrize("name", TESTS)
@few
@given(seed=seeds, n=st.sampled_from([60, 67]))
def test_compare_is_doing_it_by_hand(name, seed, n):
    rng = np.random.default_rng(seed)
    partitions = partitions_for(name, n)
    truth, pred_a, pred_b = problem(rng, partitions)
    got = inference.compare(name, single(partitions), truth, single(pred_a), single(pred_b))
    wrong_a = [wrong(truth, p, partition) for p, partition in zip(pred_a, partitions)]
    wrong_b = [wrong(truth, p, partition) for p, partition in zip(pred_b, partitions)]
    expected = inference.infer(name, *by_hand(TESTS[name].data, partitions, wrong_a, wrong_b))
    assert got.name == expected.name == name
    assert_same_test(got, expected, "estimate")
    assert (got.df, got.shape) == (expected.df, expected.shape)
    if expected.variance is not None:
        assert_close(got.variance, expected.variance)
    if expected.interval() is not None:
        assert_close(got.interval(), expected.interval())
    posteriors = expected.extra.get("posteriors", {})
    for key, value in posteriors.items():
        assert got.extra["posteriors"][key] == value
    for key, value in expected.extra.items():
        if isinstance(value, str):
            assert got.extra[key] == value
            continue
        if key == "posteriors":
            continue
        # 1/(1 - rho_alpha) is (t_0/t_crit)²: near t_0 = 0 the bound itself is all rounding.
        scale = (lambda x: 1 / (1 - x)) if key == "rho_alpha" else np.asarray
        assert_close(scale(got.extra[key]), scale(value), key)
    assert_close(got.extra["loss_a"] - got.extra["loss_b"], got.estimate)
    if "loss_a" not in expected.extra:
        assert_close(got.extra["loss_a"], mean([mean(x) for x in wrong_a[0]]))
        assert_close(got.extra["loss_b"], mean([mean(y) for y in wrong_b[0]]))
    assert got.extra["sizes"] == single([partition.sizes.tolist() for partition in partitions])
    got.as_dict()


@pytest.mark.parametrize("name", TESTS)
@few
@given(seed=seeds)
def test_compare_on_predictions_and_on_losses_agree(name, seed):
    rng = np.random.default_rng(seed)
    partitions = partitions_for(name, 60)
    truth, pred_a, pred_b = problem(rng, partitions, classes=(0, 1))
    loss_a = [
        inference.zero_one_losses(truth, p, partition) for p, partition in zip(pred_a, partitions)
    ]
    loss_b = [
        inference.zero_one_losses(truth, p, partition) for p, partition in zip(pred_b, partitions)
    ]
    one = inference.compare(
        name, single(partitions), truth, single(pred_a), single(pred_b), alpha=0.1
    )
    other = inference.compare_losses(
        name, single(partitions), single(loss_a), single(loss_b), alpha=0.1
    )
    assert one.alpha == 0.1
    assert one.as_dict() == other.as_dict()


@pytest.mark.parametrize("name", TESTS)
@few
@given(seed=seeds)
def test_exchanging_learners_through_compare(name, seed):
    rng = np.random.default_rng(seed)
    partitions = partitions_for(name, 60)
    truth, pred_a, pred_b = problem(rng, partitions)
    one = inference.compare(name, single(partitions), truth, single(pred_a), single(pred_b))
    if TESTS[name].data in ("error_rates", "fold_error_rates"):
        # The learners have folds of their own, which change hands with them.
        partitions, pred_a, pred_b = partitions[::-1], pred_a[::-1], pred_b[::-1]
    other = inference.compare(name, single(partitions), truth, single(pred_b), single(pred_a))
    assert_close(other.estimate, -one.estimate)
    assert_close(other.p_value, one.p_value)
    assert_close(
        [other.extra["loss_b"], other.extra["loss_a"]], [one.extra["loss_a"], one.extra["loss_b"]]
    )


@pytest.mark.parametrize("name", TESTS)
@few
@given(seed=seeds, denominator=st.sampled_from([1, 16]))
def test_permuting_the_records_of_a_split_changes_nothing(name, seed, denominator):
    rng = np.random.default_rng(seed)
    if name not in ANY_LOSS:
        denominator = 1  # tables and error counts need 0/1 losses
    losses = [], []
    orders = []
    partitions = partitions_for(name, 64)
    for partition in partitions:
        for of_learner in losses:
            of_learner.append(
                [
                    rng.integers(0, denominator + 1, len(s.test)) / denominator
                    for s in partition.splits
                ]
            )
        orders.append([rng.permutation(len(split.test)) for split in partition.splits])
    permuted = tuple(
        [[x[o] for x, o in zip(xs, os)] for xs, os in zip(of_learner, orders)]
        for of_learner in losses
    )
    one = inference.compare_losses(name, single(partitions), *map(single, losses))
    other = inference.compare_losses(name, single(partitions), *map(single, permuted))
    assert_same_test(other, one, "estimate")


@pytest.mark.parametrize("name", [*ANY_LOSS, "wong_welch_t"])
@few
@given(seed=seeds, constant=st.integers(0, 8))
def test_adding_a_constant_to_both_losses_changes_nothing(name, seed, constant):
    rng = np.random.default_rng(seed)
    c = constant / 16
    losses, raised = [], []
    partitions = partitions_for(name, 64)
    for _ in "ab":
        per_partition = [
            [rng.integers(0, 9, len(s.test)) / 16 for s in p.splits] for p in partitions
        ]
        losses.append(single(per_partition))
        raised.append(single([[x + c for x in xs] for xs in per_partition]))
    one = inference.compare_losses(name, single(partitions), *losses)
    other = inference.compare_losses(name, single(partitions), *raised, bounds=(c, 1 + c))
    assert_same_test(other, one, "estimate", "variance")
    assert_close(other.extra["loss_a"], one.extra["loss_a"] + c)


# --- the record functions -----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", PLANS)
@few
@given(seed=seeds, n=st.integers(16, 40))
def test_tables_and_counts_of_every_scheme(scheme, seed, n):
    rng = np.random.default_rng(seed)
    kind, options = PLANS[scheme]
    partition = make_partition(kind, n, **options)
    truth, (pred_a,), (pred_b,) = problem(rng, [partition])
    loss_a = inference.zero_one_losses(truth, pred_a, partition)
    loss_b = inference.zero_one_losses(truth, pred_b, partition)
    wrong_a, wrong_b = wrong(truth, pred_a, partition), wrong(truth, pred_b, partition)
    assert [x.tolist() for x in loss_a] == wrong_a
    tables = inference.contingency_tables(loss_a, loss_b, partition)
    assert tables.shape == (*partition.shape, 4)
    assert np.array_equal(tables.sum(axis=-1), partition.sizes[..., 1])
    assert np.array_equal(tables, hand_tables(wrong_a, wrong_b, partition))
    errors_a = inference.error_counts(loss_a, partition)
    assert np.array_equal(errors_a, tables[..., 0] + tables[..., 1])
    assert errors_a.shape == partition.shape
    assert_close(inference.split_means(loss_a, partition), errors_a / partition.sizes[..., 1])
    d = inference.split_differences(loss_a, loss_b, partition)
    assert_close(d, (tables[..., 1] - tables[..., 2]) / partition.sizes[..., 1])
    if kind in ("kfold", "loo"):
        values, folds = inference.record_losses(loss_a, partition)
        assert (values.tolist(), folds.tolist()) == hand_records(wrong_a, partition)
        assert np.array_equal(folds, partition.fold_of_record())
    else:
        with pytest.raises(InputError, match="needs a kfold or loo partition"):
            inference.record_losses(loss_a, partition)


@pytest.mark.parametrize("scheme", PLANS)
@few
@given(seed=seeds, numbers=st.booleans())
def test_confusion_matrices_of_every_class(scheme, seed, numbers):
    rng = np.random.default_rng(seed)
    kind, options = PLANS[scheme]
    partition = make_partition(kind, 24, **options)
    classes = [0, 1, 2] if numbers else ["cat", "dog", "eel"]
    truth, (predicted,), _ = problem(rng, [partition], classes)
    assume(len(set(truth.tolist())) == 3)
    matrices = inference.class_confusions(truth, predicted, partition)
    assert matrices.shape == (3, *partition.shape, 4)
    # Every record is counted once for each class, is positive for one and predicted as one.
    size = partition.sizes[..., 1]
    assert np.array_equal(matrices.sum(axis=-1), np.broadcast_to(size, (3, *partition.shape)))
    assert np.array_equal((matrices[..., 0] + matrices[..., 2]).sum(axis=0), size)
    assert np.array_equal((matrices[..., 0] + matrices[..., 1]).sum(axis=0), size)
    assert np.array_equal(matrices[..., 1].sum(axis=0), matrices[..., 2].sum(axis=0))
    expected = np.zeros((3, len(partition.splits), 4))
    for c, label in enumerate(classes):
        for at, (guess, split) in enumerate(zip(predicted, partition.splits)):
            for g, record in zip(guess.tolist(), split.test):
                cell = {(True, True): 0, (False, True): 1, (True, False): 2, (False, False): 3}
                expected[c, at, cell[truth[record] == label, g == label]] += 1
        one = inference.confusion_matrices(truth, predicted, partition, positive=label)
        assert np.array_equal(one, matrices[c])
    assert np.array_equal(matrices, expected.reshape(3, *partition.shape, 4))
    micro = inference.micro_confusions(matrices)
    assert np.array_equal(micro, expected.sum(axis=0).reshape(*partition.shape, 4))
    # Micro F1 of all classes together is the accuracy.
    correct = inference.split_means(
        inference.zero_one_losses(truth, predicted, partition), partition
    )
    assert_close(inference.f1_scores(micro), 1 - correct)
    scores = inference.f1_scores(matrices)
    assert_close(inference.macro_f1(matrices), scores.mean(axis=0))
    chosen = inference.class_confusions(truth, predicted, partition, classes=classes[:0:-1])
    assert np.array_equal(chosen, matrices[:0:-1])


@few
@given(seed=seeds)
def test_predictions_to_an_f1_interval(seed):
    rng = np.random.default_rng(seed)
    partition = make_partition("blocked_mx2", 40, m=3)
    truth, (predicted,), _ = problem(rng, [partition], (0, 1))
    assume(0 < truth.sum() < 40)
    matrices = inference.confusion_matrices(truth, predicted, partition, positive=1)
    result = inference.infer("f1_beta_prime", matrices)
    tp, fp, fn, _ = matrices.reshape(6, 4).mean(axis=0)
    assert_close([result.a, result.b], [fp + fn + 2, tp + 1])
    posterior = inference.F1Distribution(fp + fn + 2, tp + 1)
    assert_close([result.lower, result.upper], posterior.interval(0.95))
    assert_close(result.mode, posterior.mode())
    assert_close(result.point, 2 * tp / (2 * tp + fp + fn))


def test_equal_learners_that_round_differently_do_not_differ():
    # Losses that are equal on paper: 0.1 + 0.2 and 0.3, in another order for every record.
    rng = np.random.default_rng(5)
    for scheme, test in (("kfold", "kfold_t"), ("random_mx2", "combined_5x2_f")):
        partition = make_partition(scheme, 40)
        parts = [rng.uniform(0, 0.3, (len(split.test), 3)) for split in partition.splits]
        a = [(p[:, 0] + p[:, 1]) + p[:, 2] for p in parts]
        b = [p[:, 0] + (p[:, 1] + p[:, 2]) for p in parts]
        assert any((x != y).any() for x, y in zip(a, b))
        result = inference.compare_losses(test, partition, a, b)
        assert result.degenerate and result.p_value == 1.0 and not result.reject
        assert result.estimate == 0 and result.direction == 0
        assert (inference.split_differences(a, b, partition) == 0).all()
        smaller = [x - 1e-9 for x in b]
        assert (inference.split_differences(a, smaller, partition) > 0.9e-9).all()


# --- refusals -----------------------------------------------------------------------------------


def refused(name, partitions, **options):
    rng = np.random.default_rng(9)
    truth, pred_a, pred_b = problem(rng, partitions)
    with pytest.raises(InputError) as caught:
        inference.compare(
            name, single(partitions), truth, single(pred_a), single(pred_b), **options
        )
    return str(caught.value)


@pytest.mark.parametrize("scheme", PLANS)
@pytest.mark.parametrize("name", TESTS)
def test_a_partition_of_the_wrong_scheme(name, scheme):
    declared = TESTS[name]
    kind, options = PLANS[scheme]
    partition = make_partition(kind, 24, **options)
    first = declared.needs[0]
    accepted = len(declared.needs) == 1 and kind in (first.scheme, *first.also)
    fixed = {key: first.options[key] for key in first.fixed}
    # A blocked 5×2 has a blocked 3×2 in it.
    nested = (name, scheme) == ("blocked_3x2_t", "blocked_mx2, m=5")
    if nested or accepted and all(options.get(key) == value for key, value in fixed.items()):
        truth, (a,), (b,) = problem(np.random.default_rng(1), [partition])
        result = inference.compare(name, partition, truth, a, b)
        assert result.name == name and result.scheme == kind
        return
    message = refused(name, [partition])
    assert message.startswith(f"{name} needs the scheme {declared.scheme}, got {kind}")


@pytest.mark.parametrize("name", [n for n, d in TESTS.items() if len(d.needs) == 2])
def test_a_pair_of_partitions_that_does_not_fit(name):
    partitions = partitions_for(name, 24)
    other = make_partition("loo", 24)
    for pair in ([partitions[0], other], [other, partitions[1]], [*partitions, other]):
        assert f"{name} needs the scheme {TESTS[name].scheme}" in refused(name, pair)


def test_conservative_z_takes_its_partitions_in_order():
    partitions = partitions_for("conservative_z", 40)
    message = refused("conservative_z", partitions[::-1])
    assert message.startswith("conservative_z needs the scheme repeated_holdout")


@pytest.mark.parametrize("name", [n for n, d in TESTS.items() if len(d.needs) == 1])
def test_two_partitions_where_one_is_needed(name):
    partition = partitions_for(name, 24)[0]
    assert f"{name} needs the scheme {TESTS[name].scheme}" in refused(name, [partition, partition])


def test_partitions_of_different_data_sets():
    partitions = [make_partition("kfold", 40), make_partition("kfold", 50)]
    losses = [[np.ones(len(s.test)) for s in partition.splits] for partition in partitions]
    for name in ("wong_independent_z", "wong_welch_t"):
        with pytest.raises(InputError, match=f"{name}.* 40 .*50"):
            inference.compare_losses(name, partitions, losses, losses)


@pytest.fixture
def case():
    partition = make_partition("kfold", 20, k=4)
    truth, (a,), (b,) = problem(np.random.default_rng(2), [partition])
    return partition, truth, a, b


def test_predictions_for_a_split_too_few_or_too_many(case):
    partition, truth, a, b = case
    for given_ in (a[:-1], [*a, a[0]], []):
        with pytest.raises(InputError, match=f"each of the 4 splits.* got {len(given_)}"):
            inference.compare("kfold_t", partition, truth, given_, b)
        with pytest.raises(InputError, match="each of the 4 splits"):
            inference.compare("kfold_t", partition, truth, a, given_)
        with pytest.raises(InputError, match="each of the 4 splits"):
            inference.confusion_matrices(truth, given_, partition, truth[0])
        with pytest.raises(InputError, match="loss_b must have one array for each of the 4 splits"):
            losses = inference.zero_one_losses(truth, a, partition)
            inference.compare_losses("kfold_t", partition, losses, [np.zeros(5)] * len(given_))


def test_a_prediction_too_few_or_too_many(case):
    partition, truth, a, b = case
    for wrong_length in (a[2][:-1], np.append(a[2], a[2][0]), a[2][:1], a[2][0], [a[2]]):
        broken = [a[0], a[1], wrong_length, a[3]]
        for run in (
            lambda: inference.compare("kfold_t", partition, truth, broken, b),
            lambda: inference.compare("kfold_t", partition, truth, b, broken),
            lambda: inference.confusion_matrices(truth, broken, partition, truth[0]),
        ):
            with pytest.raises(InputError, match="split 2 must have one entry for each of its 5"):
                run()
    zeros = [np.zeros(5)] * 3
    with pytest.raises(InputError, match="loss_a of split 3 must have one entry"):
        inference.compare_losses("kfold_t", partition, [*zeros, np.zeros(1)], [*zeros, np.zeros(5)])


def test_truth_of_the_wrong_length(case):
    partition, truth, a, b = case
    for wrong_truth in (truth[:-1], np.append(truth, truth[0]), truth[:, None], truth[0]):
        with pytest.raises(InputError, match="truth must hold 20 class labels"):
            inference.compare("kfold_t", partition, wrong_truth, a, b)
        with pytest.raises(InputError, match="truth must hold 20 class labels"):
            inference.confusion_matrices(wrong_truth, a, partition, "cat")


def test_labels_that_could_never_agree(case):
    partition, truth, a, b = case
    numbers = [np.zeros(5, dtype=int)] * 4
    with pytest.raises(InputError, match="no prediction could ever be right"):
        inference.compare("kfold_t", partition, truth, numbers, b)
    with pytest.raises(InputError, match="no prediction could ever be right"):
        inference.confusion_matrices(truth, numbers, partition, truth[0])
    with pytest.raises(InputError, match="no record has the class 'cow'; the classes are"):
        inference.confusion_matrices(truth, a, partition, "cow")


@pytest.mark.parametrize("missing", [np.nan, None], ids=str)
def test_missing_labels(case, missing):
    partition = case[0]
    truth = np.array([0.0, 1.0] * 10)
    good = [truth[split.test] for split in partition.splits]
    hole = np.array([missing, *good[1][1:]], dtype=float if missing else object)
    broken = [good[0], hole, *good[2:]]
    with pytest.raises(InputError, match="predictions of split 1 .*missing"):
        inference.compare("kfold_t", partition, truth, good, broken)
    with pytest.raises(InputError, match="predictions of split 1 .*missing"):
        inference.confusion_matrices(truth, broken, partition, 1.0)
    with pytest.raises(InputError, match="truth .*missing"):
        inference.compare("kfold_t", partition, np.array([missing, *truth[1:]]), good, good)


def test_losses_out_of_bounds(case):
    partition = case[0]
    zeros = [np.zeros(5)] * 4
    for bad in (1.5, -0.1, np.nan, np.inf):
        losses = [*zeros[:3], np.array([0, 0, bad, 0, 0])]
        for pair in ((losses, zeros), (zeros, losses)):
            with pytest.raises(InputError, match="loss_[ab] of split 3"):
                inference.compare_losses("kfold_t", partition, *pair)
    losses = [*zeros[:3], np.array([0, 0, 1.5, 0, 0])]
    assert inference.compare_losses("kfold_t", partition, losses, zeros, bounds=(0, 2)).estimate > 0
    assert inference.compare_losses("kfold_t", partition, losses, zeros, bounds=None).estimate > 0
    assert inference.compare_losses("cvci_z", partition, losses, zeros, bounds=(0, 2)).estimate > 0


def test_losses_that_are_no_errors():
    partition = make_partition("holdout", 30)
    losses = [np.full(10, 0.5)]
    with pytest.raises(InputError, match="need 0/1 losses"):
        inference.compare_losses("holdout_mcnemar", partition, losses, losses)


def test_an_interval_is_not_a_test(case):
    partition, truth, a, b = case
    with pytest.raises(InputError, match="kfold_t_interval is an interval for one learner"):
        inference.compare("kfold_t_interval", partition, truth, a, b)
    with pytest.raises(inference.UnknownNameError, match="did you mean 'kfold_t'"):
        inference.compare("kfold_tt", partition, truth, a, b)


def test_predictions_for_one_of_two_partitions():
    partitions = [make_partition("kfold", 20, k=4), make_partition("kfold", 20, k=4, seed=1)]
    truth, a, b = problem(np.random.default_rng(3), partitions)
    with pytest.raises(InputError, match="predictions_a must have one entry for each of the 2"):
        inference.compare("wong_welch_t", partitions, truth, [a[0]], b)


def test_options_reach_the_test(case):
    partition, truth, a, b = case
    result = inference.compare(
        "corrected_kfold_t", partition, truth, a, b, rho=0.2, mu0=0.1, alpha=0.3
    )
    assert result.extra["rho"] == 0.2 and result.alpha == 0.3
    with pytest.raises(InputError, match="corrected_kfold_t: rho must lie"):
        inference.compare("corrected_kfold_t", partition, truth, a, b, rho=2.0)


def test_a_repeated_partition_is_still_a_5x2():
    partition = random_mx2(24, 5, rcp=2)
    truth, (a,), (b,) = problem(np.random.default_rng(4), [partition])
    assert inference.compare("combined_5x2_f", partition, truth, a, b).shape == (5, 2)
