"""Partitions: fingerprints, keyed streams, taking replications, nesting."""

import copy
import hashlib
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvinfer.partitions import (
    PartitionError,
    Partition,
    Split,
    blocked_mx2,
    holdout,
    kfold,
    loo,
    make_partition,
    overlapping_mx2,
    paired_halves,
    random_mx2,
    repeated_holdout,
    repeated_kfold,
    schemes,
)
from cvinfer.partitions.streams import stream

CLASSES = np.arange(60) % 3
GROUPS = np.arange(60) // 2

# These pin the random streams: a change here means that every result computed before can no
# longer be repeated, whatever the reason for the change.
GOLDEN = {
    "holdout": (
        lambda: holdout(300),
        "f0329efb1cf9ea85dbc21f425f2c93692eeddbf87deb253cc59e868c7e1b7497",
    ),
    "repeated_holdout, 9n/10": (
        lambda: repeated_holdout(300, n1=0.9, seed=1),
        "71c9d15b8f18fffdba0b08826a97f785a1cb4ad41a716bc1b54f622756ba0441",
    ),
    "kfold": (
        lambda: kfold(300, seed=2),
        "d973e363d95d372adf0bcfb0ae3b2401670bd3ff3eb46df090a1963df31760f6",
    ),
    "repeated_kfold": (
        lambda: repeated_kfold(103, 3, 7, seed=3),
        "1001cd9c7cde9e1f2d8c789be14583d4dd2e7da66b0b4c33fe0bb944ff7d0626",
    ),
    "random_mx2": (
        lambda: random_mx2(301, seed=4),
        "2d22a38bc8080e450dea70d49cd915495e48ebcc17f3b1f03d505deb37a238b0",
    ),
    "random_mx2, rcp 2": (
        lambda: random_mx2(300, rcp=2, seed=4),
        "379f312f2300c90a5ff81521259e7a6e20a605419d8e20f9b35869457f4441c8",
    ),
    "overlapping_mx2": (
        lambda: overlapping_mx2(301, 100, seed=4),
        "1232133535ab731eb25fbac48832109337e13cbf50907bdf7068777dda155fa8",
    ),
    "blocked_mx2, m = 3": (
        lambda: blocked_mx2(302, 3, seed=5),
        "dd312381854c1555232b859a5b9d5f15d737077aa771cefb94383c4ec8a95ac6",
    ),
    "blocked_mx2, m = 5": (
        lambda: blocked_mx2(300, seed=2**80),
        "24d54b743f5d62ca0949c6a8f0a1d51519d3191e5ceae318ad96179da8fefb9d",
    ),
    "blocked_mx2, m = 27": (
        lambda: blocked_mx2(300, 27),
        "25900e81f5a27c3b3e2aac48e616c6139f78f14ca1003f857d43898d9a1d3e73",
    ),
    "blocked_mx2, m = 50": (
        lambda: blocked_mx2(500, 50),
        "11c026b3a95a5506b742f0a06c6b8ad923f3d87b9933e37785c9dc21ac28dfee",
    ),
    "loo": (lambda: loo(20), "0a12015f98f8a9ac185069528056a02261ff9fcc0f447aa7b6ca7db690ae054b"),
    "paired_halves": (
        lambda: paired_halves(101, 2, 3, seed=6),
        "0ffc66c299567668eea027ef4585fcb000204c5598ff0817dfded4a75e98731f",
    ),
    "stratified kfold": (
        lambda: kfold(60, 5, stratify=CLASSES),
        "9cd2424d5cacfb602364d9d279379ef3bc3c57f63777a7b16ff7e7c38625e321",
    ),
    "stratified holdout": (
        lambda: holdout(60, stratify=CLASSES),
        "077480cb57ce97387dae70cce638256e656c7f4d498ed18d5e9249bb8a6fd11f",
    ),
    "stratified blocks": (
        lambda: blocked_mx2(60, stratify=CLASSES),
        "dce0b217caa4ef9999eb39200f716c13bbec2beb98fa6d719abea4f317d7f3e7",
    ),
    "stratified halves": (
        lambda: random_mx2(60, stratify=CLASSES),
        "897f6c2f8713376e2c225f670ad45025acc506e15a6d6db1d1127a254cf22a2d",
    ),
    "stratified paired halves": (
        lambda: paired_halves(60, 2, 2, stratify=CLASSES),
        "c31d18f043db4daa9e304f5defec161f177d937f97ea319a6965994753564fd4",
    ),
    "grouped kfold": (
        lambda: kfold(60, 5, groups=GROUPS),
        "2eca8a4ca4b6621d06615f027e629ad92bb24b22b4e6e743af2146b6a38022ba",
    ),
    "grouped holdout": (
        lambda: holdout(60, groups=GROUPS),
        "62e3293a19d3d72f78e592e1634273606d52302ebd79209c3af232d3f873853d",
    ),
    "grouped blocks": (
        lambda: blocked_mx2(60, groups=GROUPS),
        "8487d480f40327c03bcd159837ec119ae5f4d4f94f1d6286f3cb5160d8c89f36",
    ),
    "grouped halves": (
        lambda: random_mx2(60, groups=GROUPS),
        "bf5bf5c7f144858f39e0cbfad43c4a2d0fbd5f4b70aa638f4b4e5d892bcdead9",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_fingerprints(name):
    make, expected = GOLDEN[name]
    assert make().fingerprint == expected


def test_golden_words_of_a_stream():
    """The first words of one stream, and the same from the definition."""
    words = stream(7, "kfold", 10, 0).random_raw(2)
    digest = hashlib.sha256(b"kfold/10/0").digest()
    key = tuple(np.frombuffer(digest, dtype=">u4").astype(int).tolist())
    sequence = np.random.SeedSequence(entropy=7, spawn_key=key)
    assert words.tolist() == np.random.PCG64(sequence).random_raw(2).tolist()
    assert words.tolist() == [7164155619636258050, 8145756077547550987]


def by_hand(partition):
    digest = hashlib.sha256()
    digest.update(
        f"cvinfer plan n={partition.n} shape={','.join(map(str, partition.shape))}\n".encode()
    )
    for split in partition.splits:
        roles = bytearray(partition.n)
        for record in split.train.tolist():
            roles[record] = 1
        for record in split.test.tolist():
            roles[record] = 2
        digest.update(bytes(roles))
    return digest.hexdigest()


@pytest.mark.parametrize("name", list(schemes()))
def test_fingerprint_does_not_depend_on_construction(name):
    partition = make_partition(name, 41, seed=3)
    again = Partition(
        name,
        41,
        partition.shape,
        [Split(split.train[::-1], split.test[::-1]) for split in partition.splits],
        seed=0,
    )
    assert partition.fingerprint == again.fingerprint == by_hand(partition)
    assert partition == again and hash(partition) == hash(again)
    assert np.array_equal(partition.sizes, again.sizes)


def test_fingerprint_tells_partitions_apart():
    splits = [Split([0, 1], [2, 3]), Split([2, 3], [0, 1])]
    partition = Partition("custom", 4, (2,), splits, 0)
    others = [
        Partition("custom", 5, (2,), splits, 0),
        Partition("custom", 4, (1, 2), splits, 0),
        Partition("custom", 4, (2,), splits[::-1], 0),
        Partition("custom", 4, (2,), [splits[0], Split([2, 3], [0])], 0),
    ]
    assert len({other.fingerprint for other in others} | {partition.fingerprint}) == 5
    assert all(partition != other for other in others)
    assert partition != Partition("other", 4, (2,), splits, 0)
    assert partition != "plan"


def test_partitions_are_frozen_and_travel():
    partition = blocked_mx2(60, 5, seed=8)
    with pytest.raises(AttributeError):
        partition.n = 3
    with pytest.raises(TypeError):
        partition.options["m"] = 3
    for array in (partition.blocks, partition.sizes, kfold(20).fold_of_record()):
        with pytest.raises(ValueError):
            array[0] = 0
    for other in (pickle.loads(pickle.dumps(partition)), copy.deepcopy(partition)):
        assert other == partition and dict(other.options) == dict(partition.options)
        assert np.array_equal(other.blocks, partition.blocks)
    assert repr(partition).startswith("Partition(blocked_mx2, n=60, shape=(5, 2), seed=8, m=5")


def test_splits_behave_like_a_sequence():
    splits = kfold(10, 5).splits
    assert len(splits) == 5 and splits[-1] == splits[4]
    assert list(splits) == [splits[i] for i in range(5)] == list(splits[:])
    assert list(splits[::2]) == [splits[0], splits[2], splits[4]]
    with pytest.raises(IndexError):
        splits[5]


def test_splits_that_do_not_fit():
    split = Split([0, 1], [2])
    with pytest.raises(PartitionError, match=r"1 split\(s\) of 3 records do not fit shape \(2,\)"):
        Partition("custom", 3, (2,), [split], 0)
    with pytest.raises(PartitionError, match="split 0 holds record 2, but n = 2"):
        Partition("custom", 2, (1,), [split], 0)


# --- keyed streams -------------------------------------------------------------------------


@given(st.integers(8, 40), st.integers(0, 2**40))
def test_more_replications_move_nothing(n, seed):
    pairs = [
        (repeated_kfold(n, 2, 4, seed=seed), repeated_kfold(n, 5, 4, seed=seed)),
        (repeated_holdout(n, 2, seed=seed), repeated_holdout(n, 6, seed=seed)),
        (random_mx2(n, 2, seed=seed), random_mx2(n, 7, seed=seed)),
        (paired_halves(n, 2, 3, 2, seed=seed), paired_halves(n, 4, 3, 2, seed=seed)),
    ]
    for few, many in pairs:
        assert list(few.splits) == list(many.splits)[: len(few.splits)]
        assert many.take(range(2)) == few
    few, many = paired_halves(n, 2, 2, 2, seed=seed), paired_halves(n, 2, 5, 2, seed=seed)
    few_of = np.arange(8).reshape(2, 2, 2)
    many_of = np.arange(20).reshape(2, 2, 5)[..., :2]
    for one, other in zip(few_of.ravel(), many_of.ravel()):
        assert few.splits[one] == many.splits[other]


def test_one_scheme_more_moves_no_other():
    alone = {name: make_partition(name, 40, seed=5).fingerprint for name in schemes()}
    for name in reversed(list(schemes())):
        np.random.seed(1)
        np.random.random(17)
        assert make_partition(name, 40, seed=5).fingerprint == alone[name]


def test_streams_do_not_coincide():
    """Different schemes, sizes and replications draw from different streams."""
    keys = [("kfold", 10, 0), ("kfold", 10, 1), ("kfold", 1, 0), ("holdout", 10, 0), ("kfold", 100)]
    first = {int(stream(seed, *key).random_raw()) for key in keys for seed in (0, 1)}
    assert len(first) == 2 * len(keys)


# --- taking and nesting --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [name for name in schemes() if name not in ("holdout", "kfold", "loo")]
)
def test_take(name):
    partition = make_partition(name, 40, seed=2)
    last = min(2, partition.shape[0] - 1)
    taken = partition.take([last, 0])
    per = len(partition.splits) // partition.shape[0]
    assert taken.scheme == name and taken.shape == (2, *partition.shape[1:])
    chosen = partition.splits[last * per : (last + 1) * per]
    assert list(taken.splits) == [*chosen, *partition.splits[:per]]
    assert np.array_equal(taken.sizes, partition.sizes[[last, 0]])
    assert taken.options[partition.replicated_by] == 2
    assert taken.options["replications"] == (last, 0)
    if name == "blocked_mx2":
        assert np.array_equal(taken.blocks, partition.blocks)
        assert np.array_equal(taken.overlaps().matrix, partition.overlaps().matrix[2::-2, 2::-2])
    if name == "repeated_kfold":
        assert np.array_equal(taken.fold_of_record(), partition.fold_of_record()[[2, 0]])


def test_take_counts_repetitions_anew():
    partition = random_mx2(40, 5, rcp=2)
    assert partition.take([0, 2, 4]).options["rcp"] == 1
    assert partition.take([1, 3, 4]).options["rcp"] == 0
    assert partition.take([3, 4]).options["rcp"] == 0


def test_taking_from_given_splits():
    splits = [Split([0], [1]), Split([1], [0]), Split([0], [2])]
    partition = Partition("custom", 3, (3,), splits, 0, replicated_by="j")
    assert list(partition.take([1]).splits) == [splits[1]]


@pytest.mark.parametrize("name", ["holdout", "kfold", "loo"])
def test_nothing_to_take(name):
    with pytest.raises(PartitionError, match=f"take: {name} of shape .* is one replication"):
        make_partition(name, 20).take([0])


@pytest.mark.parametrize(
    "chosen, message",
    [
        ([5], "there is no replication 5; choose from 0..4"),
        ([0, -1], "there is no replication -1; choose from 0..4"),
        ([0.5], "take: a replication must be a whole number, not 0.5"),
        ([], "no replication is chosen; choose from 0..4"),
        ([1, 1], r"take: \[1, 1\] chooses a replication more than once"),
    ],
)
def test_take_refused(chosen, message):
    with pytest.raises(PartitionError, match=message):
        random_mx2(20).take(chosen)


@given(st.integers(8, 90), st.integers(0, 2**32))
def test_the_3x2_inside_the_5x2(n, seed):
    partition = blocked_mx2(n, 5, seed=seed)
    nested = partition.nested_3x2()
    merged = np.array([0, 1, 2, 3, 4, 1, 2, 3, 4])[partition.blocks]
    assert np.array_equal(nested.blocks, merged)
    assert nested == blocked_mx2(n, 3, blocks=merged)
    # Asked for by itself it is the same: a 5×2 beside it moves nothing.
    alone = blocked_mx2(n, 3, seed=seed)
    assert alone == nested and np.array_equal(alone.blocks, merged)
    assert list(nested.splits) == list(partition.take([2, 1, 3]).splits)
    assert (nested.scheme, nested.shape) == ("blocked_mx2", (3, 2))
    assert nested.options["m"] == 3 and nested.options["blocks"] == "nested"
    # The table of S0, by name of the merged blocks.
    for j, blocks in enumerate([(1, 2), (1, 3), (1, 4)]):
        assert np.array_equal(nested.splits[2 * j].train, np.flatnonzero(np.isin(merged, blocks)))


@pytest.mark.parametrize(
    "partition",
    [
        blocked_mx2(40, 3),
        blocked_mx2(40, 7),
        random_mx2(40, 5),
        blocked_mx2(40, 7).take([0, 1, 2, 3, 4]),
        blocked_mx2(40, 5).take([4, 3, 2, 1, 0]),
    ],
)
def test_nothing_nested(partition):
    with pytest.raises(
        PartitionError, match="nested_3x2: only a whole blocked_mx2 partition with m = 5"
    ):
        partition.nested_3x2()


@pytest.mark.parametrize("name", ["holdout", "repeated_holdout", "random_mx2", "blocked_mx2"])
def test_no_folds(name):
    with pytest.raises(PartitionError, match=f"fold_of_record: {name} has no folds"):
        make_partition(name, 20).fold_of_record()
