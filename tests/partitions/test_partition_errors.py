"""What is refused, and that the message names the numbers."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from cvinfer.errors import Refusal
from cvinfer.partitions import PartitionError, make_partition, schemes

two = np.arange(20) % 2


def labels(*counts):
    return np.repeat(np.arange(len(counts)), counts)


REFUSED = [
    # n
    ("holdout", 1, {}, "holdout: n = 1 records, at least 2 are needed"),
    ("kfold", 0, {}, "kfold: n = 0 records, at least 2"),
    ("loo", 1, {}, "loo: n = 1 records"),
    ("kfold", -5, {}, "kfold: n = -5, but it must be at least 0"),
    ("kfold", 20.0, {}, "kfold: n must be a whole number, not 20.0"),
    ("kfold", "20", {}, "n must be a whole number, not '20'"),
    ("kfold", True, {}, "n must be a whole number, not True"),
    ("blocked_mx2", 7, {}, "n = 7 records cannot fill the h = 8 blocks of m = 5"),
    ("blocked_mx2", 3, {"m": 3}, "n = 3 records cannot fill the h = 4 blocks of m = 3"),
    ("blocked_mx2", 2.5, {}, "blocked_mx2: n must be a whole number, not 2.5"),
    ("paired_halves", 3, {}, "paired_halves: n = 3 records, at least 4"),
    # n1
    ("holdout", 20, {"n1": 0}, "n1 = 0 training records of n = 20; it must be between 1 and 19"),
    ("holdout", 20, {"n1": 20}, "n1 = 20 training records of n = 20"),
    ("repeated_holdout", 20, {"n1": -3}, "repeated_holdout: n1 = -3 training records"),
    ("holdout", 20, {"n1": 1.0}, "n1 = 1.0 is neither a whole number of records nor a share"),
    ("holdout", 20, {"n1": float("nan")}, "n1 = nan is neither"),
    ("holdout", 20, {"n1": Fraction(3, 2)}, "n1 = 3/2 is neither"),
    ("holdout", 20, {"n1": "half"}, "n1 must be a whole number, not 'half'"),
    ("holdout", 20, {"n1": True}, "n1 must be a whole number, not True"),
    ("holdout", 4, {"n1": 0.9}, "a share of 0.9 of n = 4 records trains on 4 and leaves 0"),
    # counts
    ("repeated_holdout", 20, {"j": 0}, "repeated_holdout: j = 0, but it must be at least 1"),
    ("kfold", 20, {"k": 1}, "kfold: k = 1, but it must be at least 2"),
    ("kfold", 5, {}, "kfold: k = 10 folds need at least 10 records, n = 5"),
    ("repeated_kfold", 5, {"k": 6}, "repeated_kfold: k = 6 folds need at least 6 records, n = 5"),
    ("kfold", 20, {"k": 2.0}, "k must be a whole number, not 2.0"),
    ("repeated_kfold", 20, {"r": 0}, "repeated_kfold: r = 0, but it must be at least 1"),
    ("random_mx2", 20, {"m": 0}, "random_mx2: m = 0, but it must be at least 1"),
    ("random_mx2", 20, {"rcp": 5}, "rcp = 5, but it must be between 0 and 4"),
    ("random_mx2", 20, {"rcp": -1}, "rcp = -1, but it must be between 0 and 4"),
    ("random_mx2", 4, {}, "5 distinct partitions .* n = 4 records .* at most 3 way"),
    ("blocked_mx2", 200, {"m": 1}, "m = 1, but it must be between 2 and 87"),
    ("blocked_mx2", 200, {"m": 88}, "m = 88, but it must be between 2 and 87"),
    ("overlapping_mx2", 3, {}, "overlapping_mx2: n = 3 records, at least 4 are needed"),
    ("overlapping_mx2", 20, {"overlap": 11}, "overlap = 11, but it must be between 0 and 10"),
    ("overlapping_mx2", 21, {"overlap": 0}, "overlap = 0, but it must be between 1 and 11"),
    ("overlapping_mx2", 20, {"overlap": 2.5}, "overlap must be a whole number, not 2.5"),
    ("overlapping_mx2", 20, {"stratify": two}, "cannot honour stratify: the overlap is a number"),
    ("overlapping_mx2", 20, {"groups": two}, "cannot honour groups: an overlap of given size"),
    ("paired_halves", 20, {"m": 0}, "paired_halves: m = 0"),
    ("paired_halves", 20, {"j": 0}, "paired_halves: j = 0"),
    ("paired_halves", 20, {"n_test": 10}, "n_test = 10 of the 10 records .* between 1 and 9"),
    ("paired_halves", 20, {"n_test": 0}, "n_test = 0 of the 10 records"),
    ("paired_halves", 5, {}, r"n_test = 0 of the 2 records of a half \(n = 5\)"),
    # blocks
    ("blocked_mx2", 20, {"m": 3, "blocks": [1, 2]}, r"each of the n = 20 .* shape \(2,\)"),
    ("blocked_mx2", 20, {"m": 3, "blocks": two}, "every block of 1..4 .*blocks holds 0, 1"),
    ("blocked_mx2", 20, {"m": 3, "blocks": np.arange(20) % 4 + 2}, "blocks holds 2, 3, 4, 5"),
    ("blocked_mx2", 20, {"m": 3, "blocks": np.arange(20)}, r"blocks holds 0, 1, .*, 9, \.\.\."),
    ("blocked_mx2", 20, {"m": 3, "blocks": two * 1.0}, "blocks must hold whole numbers"),
    (
        "blocked_mx2",
        20,
        {"m": 3, "blocks": np.arange(20) % 4, "stratify": two},
        "stratify cannot be combined with blocks",
    ),
    (
        "blocked_mx2",
        20,
        {"m": 3, "blocks": np.arange(20) % 4, "groups": two},
        "groups cannot be combined with blocks",
    ),
    # classes
    (
        "kfold",
        20,
        {"stratify": labels(11, 9)},
        r"class 1 has 9 record\(s\), .* at least 10 .*k = 10",
    ),
    ("repeated_kfold", 20, {"k": 4, "stratify": labels(17, 3)}, "class 1 has 3 .* at least 4"),
    ("holdout", 20, {"stratify": labels(1, 19)}, "holdout: class 0 has 1 .* at least 2"),
    ("repeated_holdout", 20, {"stratify": labels(1, 19)}, "repeated_holdout: class 0 has 1"),
    ("random_mx2", 20, {"stratify": labels(19, 1)}, "random_mx2: class 1 has 1 .* at least 2"),
    ("blocked_mx2", 20, {"stratify": labels(13, 7)}, "class 1 has 7 .* at least 8 .*h = 8 blocks"),
    ("paired_halves", 20, {"stratify": labels(17, 3)}, "class 1 has 3 .* at least 4"),
    ("paired_halves", 21, {"stratify": labels(17, 4)}, "class 1 has 4 .* at least 5"),
    ("loo", 20, {"stratify": two}, "loo cannot honour stratify"),
    # groups
    ("kfold", 20, {"groups": labels(*[4] * 5)}, r"5 group\(s\) cannot fill k = 10 folds"),
    ("holdout", 20, {"groups": labels(20)}, "all n = 20 records are in one group"),
    ("holdout", 20, {"groups": labels(10, 10)}, "no nearer to n1 = 13 .* n = 20 than 10 in 20"),
    ("holdout", 100, {"groups": labels(99, 1)}, "largest of 2 groups has 99 records"),
    ("random_mx2", 20, {"groups": labels(20)}, "groups cannot be halved; all n = 20"),
    (
        "random_mx2",
        20,
        {"m": 1, "groups": labels(15, 5)},
        "groups cannot be halved; .* at (15 and 5|5 and 15) of n = 20 .* 2 groups has 15 records",
    ),
    ("random_mx2", 20, {"groups": labels(10, 10)}, "5 distinct .* 2 groups .* at most 1 way"),
    ("random_mx2", 20, {"m": 3, "groups": labels(9, 1, 10)}, "3 distinct|no other was found"),
    ("blocked_mx2", 20, {"groups": labels(*[4] * 5)}, "groups cannot be halved; 5 .* h = 8 blocks"),
    (
        "blocked_mx2",
        40,
        {"groups": labels(30, *[1] * 10)},
        "groups cannot be halved; .* of n = 40 .* largest of 11 groups has 30 records",
    ),
    ("loo", 20, {"groups": two}, "loo cannot honour groups"),
    ("paired_halves", 20, {"groups": two}, "paired_halves cannot honour groups"),
]


@pytest.mark.parametrize("name, n, options, message", REFUSED)
def test_refused(name, n, options, message):
    with pytest.raises(PartitionError, match=message):
        make_partition(name, n, **options)


@pytest.mark.parametrize("name", list(schemes()))
@pytest.mark.parametrize("seed", [-1, 1.0, "0", True, None])
def test_seeds(name, seed):
    with pytest.raises(PartitionError, match=f"{name}: seed must be a whole number >= 0, not "):
        make_partition(name, 40, seed=seed)


@pytest.mark.parametrize("name", [name for name, info in schemes().items() if info.groups])
def test_stratify_and_groups(name):
    message = f"stratify and groups cannot be combined in {name}"
    with pytest.raises(PartitionError, match=message):
        make_partition(name, 40, stratify=np.arange(40) % 2, groups=np.arange(40) // 2)


@pytest.mark.parametrize("name", [name for name, info in schemes().items() if info.stratify])
@pytest.mark.parametrize(
    "values, message",
    [
        ([0, 1], "one label for each of the n = 40 records, not 2 labels"),
        (np.zeros((40, 1)), r"an array of shape \(40, 1\)"),
        (True, r"an array of shape \(\)"),
        ([float("nan")] + [1.0] * 39, "stratify holds missing labels"),
        (np.array([None] + ["a"] * 39, dtype=object), "stratify holds missing labels"),
        (np.array([float("nan")] + ["a"] * 39, dtype=object), "stratify holds missing labels"),
        (np.array(["NaT"] + ["2020-01-01"] * 39, dtype="datetime64[D]"), "holds missing labels"),
        (np.ma.masked_equal([5] + [1] * 39, 5), "stratify holds missing labels"),
        (np.array([1] * 20 + ["a"] * 20, dtype=object), "cannot be compared with each other"),
    ],
)
def test_labels_refused(name, values, message):
    with pytest.raises(PartitionError, match=message):
        make_partition(name, 40, stratify=values)


def test_labels_of_groups_are_checked_too():
    with pytest.raises(PartitionError, match="kfold: groups must hold one label for each"):
        make_partition("kfold", 40, groups=[1, 2, 3])


def test_a_partition_error_is_a_refusal_and_a_value_error():
    assert issubclass(PartitionError, Refusal) and issubclass(PartitionError, ValueError)
    with pytest.raises(PartitionError) as caught:
        make_partition("kfold", 20, k=1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.path) == (str(caught.value), ("k",))


@pytest.mark.parametrize(
    "name, n, options, path",
    [
        ("kfold", 1, {}, ("n",)),
        ("kfold", "20", {}, ("n",)),
        ("blocked_mx2", 7, {}, ("n",)),
        ("kfold", 20, {"k": 1}, ("k",)),
        ("kfold", 5, {}, ("k",)),
        ("kfold", 20, {"seed": -1}, ("seed",)),
        ("repeated_kfold", 20, {"r": 2.0}, ("r",)),
        ("random_mx2", 20, {"rcp": 5}, ("rcp",)),
        ("holdout", 20, {"n1": 20}, ("n1",)),
        ("holdout", 20, {"n1": 1.0}, ("n1",)),
        ("holdout", 4, {"n1": 0.9}, ("n1",)),
        ("holdout", 4, {"n1": "half"}, ("n1",)),
        ("paired_halves", 5, {}, ("n_test",)),
        ("blocked_mx2", 20, {"m": 3, "blocks": two}, ("blocks",)),
        ("blocked_mx2", 20, {"m": 3, "blocks": two * 1.0}, ("blocks",)),
        ("blocked_mx2", 20, {"m": 3, "blocks": [1, 2]}, ("blocks",)),
        ("blocked_mx2", 20, {"blocks": two, "groups": two}, ("groups",)),
        ("kfold", 20, {"stratify": labels(11, 9)}, ("stratify",)),
        ("kfold", 20, {"stratify": [1, 2]}, ("stratify",)),
        ("kfold", 20, {"groups": [None] * 20}, ("groups",)),
        ("kfold", 20, {"stratify": two, "groups": two}, ("stratify",)),
        ("kfold", 20, {"groups": labels(*[4] * 5)}, ("groups",)),
        ("holdout", 20, {"groups": labels(20)}, ("groups",)),
        ("random_mx2", 20, {"groups": labels(20)}, ("groups",)),
        ("random_mx2", 20, {"m": 1, "groups": labels(15, 5)}, ("groups",)),
        ("blocked_mx2", 20, {"groups": labels(*[4] * 5)}, ("groups",)),
        ("loo", 20, {"stratify": two}, ("stratify",)),
        ("loo", 20, {"groups": two}, ("groups",)),
        # Two options that do not go together: none of them is at fault.
        ("random_mx2", 4, {}, None),
        ("holdout", 20, {"groups": labels(10, 10)}, None),
    ],
)
def test_a_refusal_names_the_option_at_fault(name, n, options, path):
    with pytest.raises(PartitionError) as caught:
        make_partition(name, n, **options)
    assert caught.value.path == path
