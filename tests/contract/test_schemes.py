"""What every scheme that is registered declares: its name in words, and how it is read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cvinfer.data import read_splits, sources, write_splits
from cvinfer.partitions import Partition, Split, make_partition, schemes
from cvinfer.partitions.registry import readable

N = 48
LABELS = {
    "blocked_mx2": "blocked 5×2",
    "holdout": "hold-out, 32 for training",
    "kfold": "10-fold",
    "loo": "leave-one-out",
    "overlapping_mx2": "2×2, training sets share 12",
    "paired_halves": "10 paired halvings",
    "random_mx2": "random 5×2",
    "repeated_holdout": "15 hold-outs, 32 for training",
    "repeated_kfold": "10×10-fold",
}


@pytest.mark.parametrize("name", list(schemes()))
def test_a_scheme_has_a_label(name: str) -> None:
    info, partition = schemes()[name], make_partition(name, N)
    assert info.label is not None
    assert partition.label == LABELS.get(name, partition.label)
    assert partition.label != name and "{" not in partition.label


@pytest.mark.parametrize("name", list(schemes()))
def test_a_scheme_is_read_back_to_the_same_partition(name: str, tmp_path: Path) -> None:
    before = make_partition(name, N, seed=3)
    write_splits([before], tmp_path / "splits.csv")
    (after,) = read_splits(tmp_path / "splits.csv", N)
    assert after == before and after.label == before.label
    assert after.replicated_by == before.replicated_by
    assert after.options.items() <= before.options.items()
    assert (after.blocks is None) == (before.blocks is None)
    assert name in readable and name in sources()["predictions"].choices["scheme"]


@pytest.mark.parametrize(
    "name, options",
    [("random_mx2", {"rcp": 2}), ("random_mx2", {"rcp": 4}), ("overlapping_mx2", {"overlap": 0})],
)
def test_what_it_was_asked_for_is_read_back(
    name: str, options: dict[str, int], tmp_path: Path
) -> None:
    before = make_partition(name, N, seed=3, **options)
    write_splits([before], tmp_path / "splits.csv")
    (after,) = read_splits(tmp_path / "splits.csv", N)
    assert after == before and after.label == before.label
    assert options.items() <= after.options.items() <= before.options.items()


def test_labels_say_what_else_a_partition_is() -> None:
    classes, groups = np.arange(N) % 2, np.arange(N) // 2
    assert make_partition("kfold", N, k=5, stratify=classes).label == "5-fold, stratified"
    assert make_partition("random_mx2", N, m=2, groups=groups).label == "random 2×2, grouped"
    assert make_partition("repeated_kfold", N, k=4).take([1, 0]).label == "2×4-fold"
    repeated = make_partition("random_mx2", N, rcp=2)
    assert repeated.label == "random 5×2, the first 3 the same"
    assert repeated.take([2, 3]).label == "random 2×2"
    uneven = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 7, 4, 4, 4, 4, 4])
    held_out = make_partition("repeated_holdout", N, j=9, groups=uneven)
    least, most = held_out.sizes[:, 0].min(), held_out.sizes[:, 0].max()
    assert held_out.label == f"9 hold-outs, {least} to {most} for training, grouped"
    alone = Partition("holdout", 1200, (), (Split.tested(np.arange(1200)),), 0, {"n1": 0})
    assert alone.label == "hold-out, 1,200 records tested"
    own = Partition("kfold", 2, (2,), make_partition("kfold", 2, k=2).splits, 0, {"replication": 2})
    assert own.label == "2-fold, folds of its own"


def test_a_scheme_without_a_label_has_its_name_and_shape() -> None:
    splits = [Split.complement([at], 6) for at in range(6)]
    assert Partition("mine", 6, (3, 2), splits, 0).label == "mine (3×2)"
    assert Partition("mine", 6, (), splits[:1], 0).label == "mine"
