"""A split cannot leak, and cannot be changed."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvinfer.partitions import PartitionError, Split


def test_indices_are_sorted_int64_and_read_only():
    split = Split([5, 1, 3], np.array([4, 0], dtype=np.uint8))
    assert split.train.tolist() == [1, 3, 5]
    assert split.test.tolist() == [0, 4]
    assert split.train.dtype == split.test.dtype == np.int64
    assert split.sizes == (3, 2)
    for indices in (split.train, split.test, Split.complement([1], 3).train):
        with pytest.raises(ValueError):
            indices[0] = 7


def test_the_arrays_given_are_not_the_arrays_kept():
    train = np.array([0, 1, 2])
    split = Split(train, [3])
    train[0] = 3
    assert split.train.tolist() == [0, 1, 2]
    assert train.flags.writeable


@pytest.mark.parametrize("name", ["train", "test", "_train", "_test", "other"])
def test_a_split_cannot_be_changed(name):
    split = Split([0], [1])
    with pytest.raises(AttributeError, match="cannot be changed"):
        setattr(split, name, np.array([1]))
    with pytest.raises(AttributeError, match="cannot be changed"):
        delattr(split, name)


@pytest.mark.parametrize(
    "train, test, message",
    [
        ([0, 1, 2], [2, 3], r"share 1 record\(s\), the first is 2"),
        ([0, 1, 2], [2, 1], r"share 2 record\(s\), the first is 1"),
        ([0, 1, 1], [2], "train holds record 1 more than once"),
        ([0], [2, 3, 2], "test holds record 2 more than once"),
        ([-1, 0], [1], "train holds the negative record number -1"),
        ([0], [-3], "test holds the negative record number -3"),
        ([], [1], "train is empty"),
        ([1], [], "test is empty"),
        ([0.0, 1.0], [2], "float64 values; give whole record numbers"),
        ([True, False], [2], "bool values"),
        ([[0, 1]], [2], "2 dimensions"),
        (3, [2], "0 dimensions"),
    ],
)
def test_refused(train, test, message):
    with pytest.raises(PartitionError, match=message):
        Split(train, test)


@pytest.mark.parametrize(
    "test, n, message",
    [
        ([0, 5], 5, "test holds record 5, but n = 5"),
        ([0, 1], 2, "train is empty, test holds all n = 2"),
        ([1, 1], 5, "more than once"),
        ([], 5, "test is empty"),
        ([1], 5.0, "n must be a whole number, not 5.0"),
    ],
)
def test_complement_refused(test, n, message):
    with pytest.raises(PartitionError, match=message):
        Split.complement(test, n)


@given(st.data())
def test_any_shared_record_is_refused(data):
    train = data.draw(st.sets(st.integers(0, 60), min_size=1))
    test = data.draw(st.sets(st.integers(0, 60), min_size=1))
    if train & test:
        with pytest.raises(PartitionError, match="share"):
            Split(list(train), list(test))
    else:
        split = Split(list(train), list(test))
        assert (split.train.tolist(), split.test.tolist()) == (sorted(train), sorted(test))


@given(st.integers(2, 60), st.data())
def test_complement_is_the_plain_split(n, data):
    test = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
    lean = Split.complement(list(test), n)
    plain = Split(sorted(set(range(n)) - test), sorted(test))
    assert lean == plain and hash(lean) == hash(plain)
    assert lean.sizes == plain.sizes == (n - len(test), len(test))
    assert np.array_equal(lean.roles(n), plain.roles(n))
    assert lean.top() == plain.top() == n - 1


def test_equality_and_copies():
    split, lean = Split([0, 1], [2]), Split.complement([2], 4)
    assert split != lean and split != "split"
    for one in (split, lean):
        assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    assert repr(split) == "Split(2 train, 1 test)"
