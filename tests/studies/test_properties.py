"""What holds for any numbers: sums without rounding, blocks that tile, rows that come back."""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import numpy as np
import pytest
from fractions import Fraction
from hypothesis import given, settings
from hypothesis import strategies as st

from cvinfer.errors import UserError
from cvinfer.execute.replications.packed import _HEAD, DamagedError, Made, pack, unpack
from cvinfer.execute.store import Store, Stored
from cvinfer.losses.kinds import REDUCED
from cvinfer.studies.exact import exact, plus, value
from cvinfer.studies.model import Range
from cvinfer.studies.plan import BLOCK, Fitting, candidates, pieces, stored_blocks

numbers = st.floats(min_value=-1e300, max_value=1e300, allow_nan=False, allow_subnormal=True)


@given(st.lists(numbers, max_size=40), st.randoms(use_true_random=False), st.data())
def test_sums_are_the_same_in_any_order_and_any_parts(
    found: list[float], order: random.Random, data: Any
) -> None:
    whole = exact(found)
    mixed = list(found)
    order.shuffle(mixed)
    cut = data.draw(st.integers(0, len(mixed)))
    more = data.draw(st.integers(cut, len(mixed)))
    a, b, c = exact(mixed[:cut]), exact(mixed[cut:more]), exact(mixed[more:])
    for again in (plus(a, b, c), plus(plus(a, b), c), plus(a, plus(b, c)), plus(c, a, b)):
        assert [x.hex() for x in again] == [x.hex() for x in whole]
    # Without rounding: the parts are the sum, and the first is what a float has of it.
    assert sum(map(Fraction, whole), Fraction()) == sum(map(Fraction, found), Fraction())
    assert value(whole) == float(sum(map(Fraction, found), Fraction()))
    assert exact(json.loads(json.dumps(whole))) == whole


@pytest.mark.parametrize("bad", [[float("inf")], [float("nan")], [1e308] * 2, [np.inf, -np.inf]])
def test_a_sum_that_is_not_finite_is_refused(bad: list[float]) -> None:
    with pytest.raises(UserError, match="not finite"):
        exact(bad)


@given(
    st.integers(0, 300),
    st.integers(1, 200),
    st.integers(1, 300),
    st.sampled_from([1, 8, 1024]),
    st.data(),
)
@settings(max_examples=60)
def test_blocks_tile_a_range_once(first: int, size: int, fits: int, most: int, data: Any) -> None:
    fitting = Fitting(0, 0, 0, "key", fits, most)
    wanted = Range(first + 1, first + size)
    sizes = [2**power for power in reversed(range(fitting.block.bit_length()))]
    known = [one for each in sizes for one in candidates(fitting, wanted, each)]
    picked = data.draw(st.sets(st.integers(0, len(known) - 1), max_size=12)) if known else set()
    stored = {known[at].key: known[at] for at in picked}
    with Store(None) as store:
        row = Stored(np.zeros(1, dtype=np.uint8), 0.0, 0.0, (), REDUCED)
        store.put_many((key, "a learner", row) for key in [*stored, "of another study"])
        assert stored_blocks({fitting: wanted}, store) == {fitting: stored}
    found = pieces(fitting, wanted, stored)
    made = [number for one in found for number in range(one.first, one.first + one.size)]
    assert made == list(range(first, first + size))
    assert fitting.block <= BLOCK
    for one in found:
        assert one.first % one.size == 0 and one.size & (one.size - 1) == 0
        assert one.key in stored or one.size <= most
    # A stored block that is not used lies in one that is.
    used = {one.key for one in found}
    spans = [(one.first, one.first + one.size) for one in found if one.key in stored]
    for at in picked:
        one = known[at]
        inside = any(low <= one.first and one.first + one.size <= high for low, high in spans)
        assert one.key in used or inside


def some(data: Any) -> Made:
    shape = tuple(data.draw(st.integers(1, 3)) for _ in range(3))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    test = rng.integers(1, 9, size=shape)
    wrong = np.packbits(rng.integers(0, 2, size=int(test.sum())).astype(bool))
    with_confusions = data.draw(st.booleans())
    most = data.draw(st.sampled_from([9, 256, 257, 10**6]))  # of which some are short
    failed = rng.integers(0, 2, size=shape).astype(bool)
    train = rng.integers(1, 99, size=shape).astype(np.int32)
    if data.draw(st.booleans()):  # the same in all replications
        failed, train = (np.broadcast_to(each[:1], shape) for each in (failed, train))
    return Made(
        train=train,
        test=test.astype(np.int32),
        wrong=wrong,
        failed=failed,
        confusions=(
            rng.integers(0, most, size=(*shape, 2, 4)).astype(np.int32) if with_confusions else None
        ),
        messages=data.draw(st.dictionaries(st.text(max_size=9), st.integers(1, 99), max_size=2)),
    )


@given(st.data())
@settings(max_examples=50)
def test_rows_come_back(data: Any) -> None:
    made = some(data)
    again = unpack(pack(made))
    assert again.messages == made.messages
    for name in ("train", "test", "wrong", "failed", "confusions", "tables"):
        one, two = getattr(made, name), getattr(again, name)
        assert (one is None and two is None) or np.array_equal(one, two), name
    assert np.array_equal(again.losses, made.losses)


@given(st.data())
@settings(max_examples=80)
def test_damaged_rows_are_refused(data: Any) -> None:
    row = pack(some(data))
    at = data.draw(st.integers(0, len(row) - 1))
    bit = data.draw(st.integers(0, 7))
    kind = data.draw(st.sampled_from(["bit", "cut", "more", "other"]))
    if kind == "bit":
        damaged = row.copy()
        damaged[at] ^= 1 << bit
        if np.array_equal(damaged, row):
            return
    elif kind == "cut":
        damaged = row[:at]
    elif kind == "more":
        damaged = np.frombuffer(zlib.compress(zlib.decompress(row.tobytes()) + b"x"), np.uint8)
    else:
        damaged = np.frombuffer(data.draw(st.binary(max_size=60)), np.uint8)
    try:
        again = unpack(damaged)
    except DamagedError:
        return
    # Bits of zlib's own head say nothing of the content.
    assert kind == "bit" and at < 2
    assert np.array_equal(again.wrong, unpack(row).wrong)


@pytest.mark.parametrize(
    "head",
    [
        "[]",
        "{}",
        '{"shapes": 3, "messages": {}}',
        '{"shapes": {"train": [99999999999999999999]}, "messages": {}}',
        '{"shapes": {"train": [1e999]}, "messages": {}}',
        '{"shapes": {"train": [-1, -1, -1]}, "messages": {}}',
        '{"shapes": {"other": [1]}, "messages": {}}',
        '{"shapes": {"train": [0,0,0], "test": [0,0,0]}, "messages": {}}',
        '{"shapes": {"train": [0,0,1], "test": [0,0,0], "wrong": [0], "failed": [0,0,0]},'
        ' "messages": {}}',
        '{"shapes": {"train": [0], "test": [0], "wrong": [0], "failed": [0]}, "messages": {}}',
        '{"shapes": {"train": [2147483647]}, "messages": {}}',
        "[" * 100_000,
    ],
)
def test_heads_that_claim_what_cannot_be(head: str) -> None:
    data = _HEAD.pack(len(head)) + head.encode()
    with pytest.raises(DamagedError):
        unpack(np.frombuffer(zlib.compress(data), np.uint8))


@pytest.mark.parametrize("counted", [True, False])
def test_nested_losses_enter_by_their_means_and_squares(counted: bool) -> None:
    """Which records of a fold have which losses does not matter to the interval."""
    from cvinfer.inference import infer, procedure, value_arguments
    from cvinfer.inference.mean_intervals import nested_cv_moments
    from cvinfer.partitions import make_partition

    rng = np.random.default_rng(4)
    partitions = [make_partition("nested_cv", 31, r=2, k=4, seed=seed) for seed in (1, 2)]

    def drawn(size: int) -> Any:
        return (rng.random(size) < 0.4) * 1.0 if counted else rng.exponential(size=size)

    losses = [[drawn(len(split.test)) for split in each.splits] for each in partitions]
    means, squares = (
        np.array([[np.mean(loss**power) for loss in each] for each in losses]).reshape(2, 2, 4, 4)
        for power in (1, 2)
    )
    sizes = np.stack([each.sizes for each in partitions])[..., 1]
    again = nested_cv_moments(means, squares, sizes)
    for at, (partition, each) in enumerate(zip(partitions, losses)):
        arguments = value_arguments(procedure("nested_cv_interval"), [partition], [each])
        found = infer("nested_cv_interval", *arguments)
        assert again.lower[at] == pytest.approx(found.lower, rel=1e-12)
        assert again.upper[at] == pytest.approx(found.upper, rel=1e-12)
