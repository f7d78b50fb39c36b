"""What every scheme promises of groups: none is both trained on and tested on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cvinfer.partitions import PartitionError, kfold, make_partition, paired_halves, schemes

HONOURING = [name for name, info in schemes().items() if info.groups]
REFUSING = [name for name, info in schemes().items() if not info.groups]
SMALL = {
    "repeated_kfold": {"r": 3, "k": 4},
    "nested_cv": {"r": 2, "k": 3},
    "kfold": {"k": 4},
    "repeated_holdout": {"j": 4},
}


@st.composite
def grouped(draw):
    """Groups of 1 to 5 records, enough of them for every scheme, in any order."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=24, max_size=40))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return groups[np.argsort(np.random.default_rng(draw(st.integers(0, 99))).random(len(groups)))]


def cut(partition, groups):
    """The splits that have a group on both sides, record by record."""
    found = []
    for at, split in enumerate(partition.splits):
        train, test = ({groups[record] for record in part} for part in (split.train, split.test))
        if train & test:
            found.append(at)
    return found


@pytest.mark.parametrize("name", HONOURING)
@settings(max_examples=30)
@given(groups=grouped(), seed=st.integers(0, 2**32))
def test_no_split_cuts_a_group(name, groups, seed):
    partition = make_partition(name, len(groups), seed=seed, groups=groups, **SMALL.get(name, {}))
    assert partition.options["groups"] is True
    assert cut(partition, groups) == [] and partition.cut_group(groups) is None
    for at, split in enumerate(partition.splits):
        used = len(split.train) + len(split.test)
        # Of three times three, inner splits of nested_cv leave the fold of the outer one out.
        inner = name == "nested_cv" and at % 9 not in (0, 4, 8)
        assert used < len(groups) if inner else used == len(groups)
    # What the groups are called does not matter, only their order.
    named = np.array([f"group {code:03d}" for code in groups])
    assert (
        make_partition(name, len(groups), seed=seed, groups=named, **SMALL.get(name, {}))
        == partition
    )


@pytest.mark.parametrize("name", [*HONOURING, *REFUSING])
@settings(max_examples=30)
@given(groups=grouped(), seed=st.integers(0, 2**32))
def test_the_first_cut_is_found(name, groups, seed):
    options = {"m": 1, "j": 2, "n_test": 5} if name == "paired_halves" else SMALL.get(name, {})
    partition = make_partition(name, len(groups), seed=seed, **options)
    found, splits = partition.cut_group(groups), cut(partition, groups)
    assert (found is None) == (splits == [])
    if found is not None:
        at, group = found
        assert at == splits[0]
        assert (
            group in groups[partition.splits[at].train]
            and group in groups[partition.splits[at].test]
        )


def test_groups_of_one_record_are_never_cut():
    for name in schemes():
        options = {"m": 1, "j": 2} if name == "paired_halves" else {}
        assert make_partition(name, 40, **options).cut_group(np.arange(40)) is None


def test_records_that_a_split_does_not_use_cut_nothing():
    # One group reaches from the test records of the first half into the second half, which the
    # first split leaves alone, and there over both sides of the second split.
    partition = paired_halves(12, 1, 1, 2)
    first, second = partition.splits
    groups = np.arange(12)
    groups[[first.test[0], second.train[0]]] = 20
    assert partition.cut_group(groups) is None
    groups[second.test[0]] = 20
    assert partition.cut_group(groups) == (1, 20)


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(PartitionError, match="one label for each of the n = 40 records"):
        kfold(40).cut_group(np.arange(39))


@pytest.mark.parametrize("name", REFUSING)
def test_a_scheme_that_cuts_groups_says_why(name):
    why = schemes()[name].refuses["groups"]
    with pytest.raises(PartitionError) as caught:
        make_partition(name, 40, groups=np.arange(40) // 2)
    assert str(caught.value) == f"{name} cannot honour groups: {why}; leave groups out"


@pytest.mark.parametrize("name", HONOURING)
def test_groups_and_classes_cannot_be_had_together(name):
    with pytest.raises(PartitionError, match=f"stratify and groups cannot be combined in {name}"):
        make_partition(name, 40, groups=np.arange(40) // 2, stratify=np.arange(40) % 2)
