"""Interleaved folds: each record is tested once, by its number."""

from cvinfer.partitions import make_partition


def test_interleaved() -> None:
    partition = make_partition("interleaved", 7, k=3)
    assert [split.test.tolist() for split in partition.splits] == [[0, 3, 6], [1, 4], [2, 5]]
    assert partition.label == "interleaved 3-fold"
