"""Leaks in the data: what is noticed, and what must not be."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Sequence

import numpy as np
import pytest

from cvinfer.data import Dataset, Groups, leaks, load
from cvinfer.data.dataset import Column
from cvinfer.partitions import kfold

N = 60
RNG = np.random.default_rng(8)
Y = np.arange(N) % 3
MEASURED = RNG.normal(size=N)


def numeric(name: str, values: Any) -> Column:
    return Column(name, "numeric", np.asarray(values, dtype=float))


def categorical(name: str, codes: Any) -> Column:
    codes = np.asarray(codes, dtype=np.int32)
    return Column(name, "categorical", codes, tuple(f"level {i}" for i in range(codes.max() + 1)))


def dataset(*columns: Column, y: Any = Y, groups: Optional[Sequence[int]] = None) -> Dataset:
    target = np.asarray(y, dtype=np.int32)
    grouped: dict[str, Any] = {}
    if groups is not None:
        made = Groups("patient", np.asarray(groups, dtype=np.int32))
        grouped = {"group_column": "patient", "groupings": (made,)}
    classes = tuple(map(str, range(int(target.max()) + 1)))
    return Dataset("made", columns, target, classes, "y", "0" * 64, **grouped)


SORTED = np.sort(Y)
#: What gives the class or the place of a record away: the column, the classes, a word of the note.
TOLD: dict[str, tuple[Column, Any, str]] = {
    "row number": (numeric("id", np.arange(N) + 1), Y, "'id' is a row number, or"),
    "falling": (numeric("id", 5000 - 10 * np.arange(N)), Y, "'id' is a row number, or"),
    "with gaps": (numeric("id", np.cumsum(RNG.integers(1, 9, N))), Y, "'id' is a row number, or"),
    "shuffled": (numeric("id", RNG.permutation(N) + 100), Y, "'id' is a row number, or"),
    "in order of classes": (numeric("id", np.arange(N)), SORTED, "and tells the class"),
    "sorted with the classes": (numeric("x", Y + 0.9 * RNG.random(N)), Y, "sorted by it"),
    "the class as a number": (numeric("x", (Y + 1) % 3), Y, "'x' alone determines the class"),
    "values not in order": (
        numeric("x", [0, 1, 2, 3, 4, 5] * 10),
        [0, 1, 0, 1, 0, 1] * 10,
        "of its 6",
    ),
    "the class as a word": (categorical("x", Y), Y, "each of its 3 values"),
    "words of one class": (categorical("x", np.arange(N) % 12), Y, "each of its 12 values"),
    "pairs of one class": (categorical("x", np.arange(N) // 2), np.arange(N) // 2 % 2, "of its 30"),
}


@pytest.mark.parametrize("case", TOLD)
def test_columns_that_leak_are_told_once_with_their_name(case: str) -> None:
    column, y, words = TOLD[case]
    notes = leaks.data_notes(dataset(numeric("measured", MEASURED), column, y=y))
    assert len(notes) == 1 and words in notes[0] and repr(column.name) in notes[0]


#: What is a feature like others.
FINE: dict[str, tuple[Column, Any]] = {
    "measured": (numeric("x", MEASURED), Y),
    "whole numbers": (numeric("x", RNG.integers(0, 1000, N)), Y),
    "sorted measurements": (numeric("x", np.sort(MEASURED)), Y),
    "sorted whole numbers with ties": (numeric("x", np.sort(RNG.integers(0, 50, N))), Y),
    "a strong feature": (numeric("x", Y + 2 * RNG.random(N)), Y),
    "the class but once": (categorical("x", np.where(np.arange(N) == 7, 0, Y)), Y),
    "a name for each record": (categorical("x", np.arange(N)), Y),
    "nearly a name for each": (
        categorical("x", np.maximum(np.arange(N), 3)),
        [0] * 4 + [1, 2] * 28,
    ),
    "rounded, each value of one class": (
        numeric("x", np.arange(N) // 2 * 0.5),
        np.arange(N) // 2 % 2,
    ),
    "one record of its class": (numeric("x", np.append(MEASURED[1:], 9)), [0] * (N - 1) + [1]),
    "missing": (numeric("x", np.where(np.arange(N) == 3, np.nan, np.arange(N))), Y),
}


@pytest.mark.parametrize("case", FINE)
def test_features_like_others_raise_no_alarm(case: str) -> None:
    column, y = FINE[case]
    assert leaks.column_notes(dataset(numeric("measured", MEASURED), column, y=y)) == []


def test_few_records_are_in_order_by_chance() -> None:
    y = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    x = numeric("x", [1.5, 2.5, 0.5, 3.5, 9.5, 8.5, 7.5, 6.5, 5.5, 4.5])
    assert leaks.column_notes(dataset(x, y=y)) == []
    assert leaks.column_notes(dataset(numeric("x", np.repeat(x.values, 6)), y=np.repeat(y, 6)))


def test_many_records_are_looked_at_whole() -> None:
    """One record in a million tells that a column does not determine the class."""
    n = 1_000_000
    y = np.arange(n) % 2
    codes, row, measured = y.copy(), np.arange(n), np.random.default_rng(1).normal(size=n)
    columns = [numeric("measured", measured), categorical("leak", codes), numeric("row", row)]
    assert len(leaks.data_notes(dataset(*columns, y=y))) == 2
    codes[654_321] ^= 1
    row[654_321] = 7
    columns = [numeric("measured", measured), categorical("leak", codes), numeric("row", row)]
    assert leaks.data_notes(dataset(*columns, y=y)) == []


def test_equal_records_are_counted() -> None:
    x, z = RNG.normal(size=N), RNG.integers(0, 5, N).astype(float)
    copies = {10: 3, 11: 3, 40: 20}
    y = Y.copy()
    for to, of in copies.items():
        x[to], z[to], y[to] = x[of], z[of], y[of]
    x[50], z[50] = x[20], z[20]
    y[50] = (y[20] + 1) % 3  # of another class
    x[55] = z[55] = np.nan
    x[56] = z[56] = np.nan
    y[56] = y[55]
    data = dataset(numeric("x", x), numeric("z", z), y=y)
    twins = leaks.duplicates(data)
    assert np.flatnonzero(twins >= 0).tolist() == [3, 10, 11, 20, 40, 55, 56]
    assert twins[3] == twins[10] == twins[11] != twins[20] == twins[40]
    (note,) = leaks.data_notes(data)
    assert note.startswith("7 of 60 records equal another one") and "chance" not in note


def test_equal_records_on_both_sides_of_splits_are_counted() -> None:
    x = MEASURED.copy()
    y = Y.copy()
    x[1::2], y[1::2] = x[::2], y[::2]
    data = dataset(numeric("x", x), y=y)
    partition = kfold(N, k=5, seed=3)
    known = 0
    for split in partition.splits:
        train = {(x[i], y[i]) for i in split.train}
        known += sum((x[i], y[i]) in train for i in split.test)
    (note,) = leaks.run_notes(data, [partition, partition])
    share = f"{100 * known / N:.1f} %"
    assert f"over all splits {2 * known} of {2 * N} tested records ({share})" in note
    together = kfold(N, k=5, seed=3, groups=np.arange(N) // 2)
    assert leaks.run_notes(data, [together]) == []


def test_equal_records_that_are_kept_together_are_fine() -> None:
    x, y = np.repeat(MEASURED[: N // 2], 2), np.repeat(Y[: N // 2], 2)
    assert leaks.data_notes(dataset(numeric("x", x), y=y, groups=np.arange(N) // 2)) == []
    assert len(leaks.data_notes(dataset(numeric("x", x), y=y, groups=np.arange(N) // 3))) == 1


def test_records_that_must_be_equal_are_no_copies() -> None:
    """Two features of two values: 60 records cannot all differ; nor are drawn ones copies."""
    columns = [numeric("a", RNG.integers(0, 2, N)), categorical("b", RNG.integers(0, 2, N))]
    assert leaks.data_notes(dataset(*columns)) == []
    coarse = [numeric(f"x{i}", RNG.integers(0, 3, N)) for i in range(4)]
    (note,) = leaks.data_notes(dataset(*coarse))
    assert "perhaps by chance" in note
    drawn = load({"source": "synthetic", "population": "exp6", "n": 300}, Path("."), 1)
    assert isinstance(drawn, Dataset) and leaks.data_notes(drawn) == []


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "iris", "wine"])
def test_known_data_raises_no_alarm(name: str) -> None:
    data = load({"source": "sklearn", "dataset": name}, Path("."), 0)
    assert isinstance(data, Dataset)
    assert leaks.column_notes(data) == []
    records = np.column_stack([each.values for each in data.features] + [data.target])
    equal = np.unique(records, axis=0, return_counts=True)[1]
    assert (leaks.duplicates(data) >= 0).sum() == equal[equal > 1].sum() == 2 * (name == "iris")
