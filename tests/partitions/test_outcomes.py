"""Tables of outcomes, drawn without drawing partitions: they must have the law of real ones."""

from __future__ import annotations

from collections import Counter
from typing import Any

import epsilon
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cvinfer.data.populations import outcomes
from cvinfer.partitions import Partition, PartitionError, Split, make_partition, schemes
from cvinfer.partitions.deals import deal_each, one_deal
from cvinfer.partitions.outcomes import OutcomeTables, tables

#: Options with few splits, so that whole sets of tables come again; and n, even and odd.
SMALL: list[tuple[str, int, dict[str, Any]]] = [
    ("holdout", 12, {}),
    ("repeated_holdout", 12, {"j": 2}),
    ("kfold", 13, {"k": 3}),
    ("repeated_kfold", 12, {"r": 2, "k": 2}),
    ("random_mx2", 7, {"m": 3}),
    ("random_mx2", 40, {"m": 2}),
    ("random_mx2", 41, {"m": 3, "rcp": 1}),
    ("blocked_mx2", 12, {"m": 2}),
    ("blocked_mx2", 13, {"m": 3}),
    ("blocked_mx2", 11, {"m": 5}),
    ("overlapping_mx2", 13, {"overlap": 2}),
    ("loo", 6, {}),
    ("paired_halves", 12, {"m": 1, "j": 2, "n_test": 3}),
    ("paired_halves", 13, {"m": 2, "j": 1, "n_test": 2}),
]
IDS = [f"{name}-{n}-{sorted(options.items())}" for name, n, options in SMALL]
DRAWN, REAL = 20_000, 4_000


def codes_of(n: int) -> np.ndarray:
    """Few records of all outcomes but one, not in order."""
    codes = np.full(n, 3, dtype=np.int8)
    codes[[0, n // 2, n - 1]], codes[1] = (1, 2, 1), 0
    return codes


def counted(codes: np.ndarray, partition: Partition) -> np.ndarray:
    found = [np.bincount(codes[split.test], minlength=4) for split in partition.splits]
    return np.array(found).reshape(*partition.shape, 4)


def chi_squared_p(one: Counter[bytes], two: Counter[bytes]) -> float:
    """Whether two samples have one law; what is rare in both together is put together."""
    names = sorted(set(one) | set(two))
    table = np.array([[one[name], two[name]] for name in names])
    rare = table.sum(axis=1) * min(table.sum(axis=0)) / table.sum() < 5
    rows = np.vstack([table[~rare], table[rare].sum(axis=0)])
    rows = rows[rows.sum(axis=1) > 0]
    return 1.0 if len(rows) == 1 else float(stats.chi2_contingency(rows, correction=False)[1])


@pytest.mark.parametrize("name, n, options", SMALL, ids=IDS)
def test_tables_have_the_law_of_real_partitions(name: str, n: int, options: Any) -> None:
    codes = codes_of(n)
    first = make_partition(name, n, **options)
    rng = np.random.default_rng(7)
    fast = tables(np.tile(codes, (DRAWN, 1)), first, rng)
    assert fast.shape == (DRAWN, *first.shape, 4)
    drawn = Counter(each.tobytes() for each in fast)
    real = Counter(
        counted(codes, make_partition(name, n, seed=seed, **options)).tobytes()
        for seed in range(1, REAL + 1)
    )
    assert chi_squared_p(drawn, real) > 1e-4


def test_another_law_is_noticed() -> None:
    """Each record goes into a fold by itself, so that folds differ in size."""
    codes, rng = codes_of(12), np.random.default_rng(3)
    first = make_partition("kfold", 12, k=3)
    drawn = Counter(each.tobytes() for each in tables(np.tile(codes, (DRAWN, 1)), first, rng))
    folds = rng.integers(3, size=(DRAWN, 12))
    wrong: Counter[bytes] = Counter()
    for row in folds:
        found = [np.bincount(codes[row == fold], minlength=4) for fold in range(3)]
        wrong[np.array(found).tobytes()] += 1
    assert chi_squared_p(drawn, wrong) < 1e-6


@pytest.mark.parametrize("kind, scheme", [("folds", "kfold"), ("blocked_5x2", "blocked_mx2")])
def test_tables_have_the_law_of_shuffled_records(kind: str, scheme: str) -> None:
    """Squares of the fold differences, which most tests rest on: two samples, one distribution."""
    rng = np.random.default_rng(11)
    codes = outcomes("epsilon", 4000, epsilon.N, rng)
    shuffled = epsilon.tables(codes[:2000], rng)[kind]
    fast = tables(codes[2000:], make_partition(scheme, epsilon.N), rng)
    for statistic in (np.mean, np.var):
        found = [
            statistic((each[..., 1] - each[..., 2]).reshape(len(each), -1), axis=1)
            for each in (shuffled, fast)
        ]
        assert stats.ks_2samp(*found).pvalue > 1e-4


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_every_record_is_counted_where_it_belongs(data: Any) -> None:
    name, n, options = data.draw(st.sampled_from(SMALL))
    partition = make_partition(name, n, **options)
    row = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    codes = np.array(data.draw(st.lists(row, min_size=1, max_size=4)), dtype=np.int8)
    found = tables(codes, partition, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert (found >= 0).all()
    assert (found.sum(axis=-1) == partition.sizes[..., 1]).all()
    whole = np.stack([np.bincount(each, minlength=4) for each in codes])
    if name in ("kfold", "loo"):
        assert (found.sum(axis=1) == whole).all()
    elif name in ("repeated_kfold", "random_mx2", "blocked_mx2", "overlapping_mx2"):
        assert (found.sum(axis=2) == whole[:, None]).all()
    else:
        assert (found.reshape(len(codes), -1, 4) <= whole[:, None]).all()


def test_what_is_not_random_is_counted_as_it_is() -> None:
    codes = outcomes("epsilon", 5, 24, np.random.default_rng(2))
    found = tables(codes, make_partition("loo", 24), np.random.default_rng(0))
    assert (found.argmax(axis=-1) == codes).all() and (found.sum(axis=-1) == 1).all()
    given = make_partition("blocked_mx2", 24, m=3, blocks=np.arange(24) // 6)
    found = tables(codes, given, np.random.default_rng(0))
    assert (found == [counted(row, given) for row in codes]).all()


def test_a_repeated_halving_has_the_same_tables() -> None:
    codes = outcomes("epsilon", 50, 60, np.random.default_rng(2))
    found = tables(codes, make_partition("random_mx2", 60, rcp=2), np.random.default_rng(0))
    assert (found[:, 0] == found[:, 1]).all() and (found[:, 0] == found[:, 2]).all()
    assert (found[:, 0] != found[:, 3]).any() and (found[:, 3] != found[:, 4]).any()


def test_partitions_share_what_they_share() -> None:
    codes = outcomes("epsilon", 50, 61, np.random.default_rng(2))
    asked = {
        "kfold": {},
        "repeated_kfold": {},
        "holdout": {},
        "repeated_holdout": {},
        "random_mx2": {},
        "blocked_mx2": {"m": 5},
    }
    partitions = [make_partition(name, 61, seed=4, **options) for name, options in asked.items()]
    partitions.append(make_partition("blocked_mx2", 61, m=3, seed=4))
    found = OutcomeTables(partitions).draw(codes, np.random.default_rng(1))
    folds, repeated, one, several, halves, five, three = found
    assert (folds == repeated[:, 0]).all() and (one == several[:, 0]).all()
    assert (three == five[:, [2, 1, 3]]).all()
    assert (halves[:, 0] != five[:, 0]).any()
    # Another seed shares nothing.
    apart = OutcomeTables([partitions[1], make_partition("kfold", 61, seed=5)])
    repeated, folds = apart.draw(codes, np.random.default_rng(1))
    assert (folds != repeated[:, 0]).any()


def test_halvings_of_one_deal_are_not_taken_for_independent_ones() -> None:
    """Two random halvings that happen to be those of blocks have another law than these."""
    blocked = make_partition("blocked_mx2", 48, m=3, seed=1)
    alike = Partition(
        "random_mx2", 48, (2, 2), blocked.take([0, 1]).splits, 1, {"m": 2, "rcp": 0}, None, "m"
    )
    assert OutcomeTables([blocked, alike])._found == [None, None]
    nested = OutcomeTables([blocked, blocked.take([0, 1])])._found
    assert nested[0] is None and nested[1] is not None


@pytest.mark.parametrize("name", [name for name in schemes() if schemes.origin(name) is None])
def test_a_scheme_says_how_it_deals(name: str) -> None:
    info = schemes()[name]
    assert info.dealt is not None
    partition = make_partition(name, 60)
    deals = info.dealt(partition)
    assert deals is not None
    splits = np.concatenate([deal.splits.ravel() for deal in deals]) if deals else np.arange(60)
    assert sorted(splits) == list(range(len(partition.splits)))


def test_deals_are_read_off_the_splits() -> None:
    (deal,) = one_deal(make_partition("blocked_mx2", 300, m=5))
    assert sorted(deal.sizes) == [37] * 4 + [38] * 4 and deal.times == 1
    assert (deal.tested.sum(axis=1) == 4).all() and deal.tested.shape == (10, 8)
    (deal,) = deal_each(make_partition("repeated_kfold", 300))
    assert (deal.times, deal.sizes) == (10, (30,) * 10) and deal.splits.shape == (10, 10)
    (deal,) = one_deal(make_partition("holdout", 300))
    assert deal.sizes == (100,)
    repeated, others = deal_each(make_partition("random_mx2", 300, rcp=2))
    assert (repeated.times, others.times) == (1, 2) and repeated.splits.tolist() == [[*range(6)]]


def test_a_scheme_that_does_not_say_is_drawn() -> None:
    """Few records: a halving that came before is drawn again, as only the scheme can."""
    partition = make_partition("random_mx2", 6, m=10)
    codes = np.array([[0, 1, 2, 3, 3, 3]] * 5, dtype=np.int8)
    found = tables(codes, partition, np.random.default_rng(1))
    # All ten halvings are there each time, in some order: their tables are always the same ones.
    as_sets = {tuple(sorted(map(bytes, each.reshape(-1, 4)))) for each in found}
    assert len(as_sets) == 1 and (found[0] != found[1]).any()


@pytest.mark.parametrize("option", ["stratify", "groups"])
def test_what_depends_on_more_than_outcomes_is_refused(option: str) -> None:
    partition = make_partition("kfold", 60, k=3, **{option: np.arange(60) % 20})
    with pytest.raises(PartitionError, match=f"depends on {option}"):
        OutcomeTables([partition])


def test_partitions_are_of_the_same_records() -> None:
    with pytest.raises(PartitionError, match="different numbers of records"):
        OutcomeTables([make_partition("kfold", 60), make_partition("kfold", 61)])


def test_partitions_that_nobody_can_draw_again() -> None:
    mine = Partition("mine", 3, (), [Split([0], [1])], 0)
    with pytest.raises(PartitionError, match="cannot be drawn again"):
        tables(np.zeros((1, 3), dtype=np.int8), mine, np.random.default_rng(0))
