"""Splits as csv: every scheme comes back as the partition it was, and nothing leaky is read."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from cvinfer.data import read_splits, write_splits
from cvinfer.errors import UserError
from cvinfer.inference.registry import tests as all_tests
from cvinfer.partitions import Partition, Split, make_partition, schemes

N = 61


def partitions(n: int = N) -> list[Partition]:
    small = {"paired_halves": {"m": 3, "j": 4}, "repeated_kfold": {"r": 3, "k": 4}}
    found = [make_partition(name, n, seed=4, **small.get(name, {})) for name in schemes()]
    found += [make_partition("kfold", n, k=2), make_partition("blocked_mx2", n, m=3)]
    found += [
        make_partition("blocked_mx2", n, m=5).nested_3x2(),
        make_partition("blocked_mx2", n, m=9),
    ]
    found += [
        make_partition("repeated_holdout", n, j=12).take([3, 1]),
        make_partition("random_mx2", n, m=1),
    ]
    return found


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz"])
def test_every_scheme_comes_back(tmp_path: Path, name: str) -> None:
    before = partitions()
    write_splits(before, tmp_path / name)
    after = read_splits(tmp_path / name, N)
    assert after == before
    for old, new in zip(before, after):
        assert (old.shape, old.replicated_by) == (new.shape, new.replicated_by)
        assert dict(new.options).items() <= dict(old.options).items()
        assert (old.sizes == new.sizes).all()
        if old.scheme == "blocked_mx2":
            assert np.array_equal(np.asarray(old.blocks), np.asarray(new.blocks))
        if old.scheme in ("kfold", "loo", "repeated_kfold"):
            assert (old.fold_of_record() == new.fold_of_record()).all()
        if old.scheme == "blocked_mx2" and old.shape == (5, 2):
            assert new.nested_3x2() == old.nested_3x2()


def test_tests_accept_what_was_read(tmp_path: Path) -> None:
    write_splits(partitions(), tmp_path / "s.csv")
    found = read_splits(tmp_path / "s.csv", N)
    for procedure in all_tests().values():
        for need in procedure.needs:
            assert any(
                need.accepts(partition.scheme, partition.options) for partition in found
            ), procedure.name


def test_equal_bytes(tmp_path: Path) -> None:
    write_splits(partitions(), tmp_path / "a.csv.gz")
    write_splits(partitions(), tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv.gz", "b.csv.gz"]
    # Bytes 4 to 7 of a gzip header are the time, bit 3 of byte 3 says that a name follows.
    head = (tmp_path / "a.csv.gz").read_bytes()[:8]
    assert head[4:] == bytes(4) and not head[3] & 8


def test_the_rows_are_what_the_header_says(tmp_path: Path) -> None:
    partition = make_partition("paired_halves", 20, m=2, j=2)
    write_splits([make_partition("kfold", 20, k=3), partition], tmp_path / "s.csv")
    with open(tmp_path / "s.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = [r for r in rows if (r["scheme"], r["replication"], r["fold"]) == ("kfold", "1", "2")]
    fold = make_partition("kfold", 20, k=3).splits[1]
    assert [int(r["record"]) for r in chosen if r["role"] == "test"] == fold.test.tolist()
    assert [int(r["record"]) for r in chosen if r["role"] == "train"] == fold.train.tolist()
    last = [r for r in rows if (r["replication"], r["fold"]) == ("2/1", "2")]
    assert (
        sorted(int(r["record"]) for r in last if r["role"] == "test")
        == partition.splits[5].test.tolist()
    )


def test_rows_may_stand_in_any_order(tmp_path: Path) -> None:
    write_splits(partitions(), tmp_path / "s.csv")
    head, *rows = (tmp_path / "s.csv").read_text().splitlines(keepends=True)
    order = np.random.default_rng(1).permutation(len(rows))
    (tmp_path / "t.csv").write_text(head + "".join(rows[at] for at in order))
    mixed = {
        (partition.scheme, partition.fingerprint)
        for partition in read_splits(tmp_path / "t.csv", N)
    }
    assert mixed == {(partition.scheme, partition.fingerprint) for partition in partitions()}


def test_a_blocked_file_with_its_halves_turned(tmp_path: Path) -> None:
    """Blocked splits that are not the printed table are read, without block numbers."""
    partition = make_partition("blocked_mx2", 64, m=5)
    splits = list(partition.splits)
    splits[0], splits[1] = splits[1], splits[0]
    turned = Partition("blocked_mx2", 64, (5, 2), splits, 0, {"m": 5}, None, "m")
    write_splits([turned], tmp_path / "s.csv")
    (found,) = read_splits(tmp_path / "s.csv", 64)
    assert found == turned and found.blocks is None and found.overlaps().worst == 0


def rows(*lines: str) -> str:
    return "scheme,replication,fold,role,record\n" + "".join(f"{line}\n" for line in lines)


def both(scheme: str, replication: str, fold: int, train: str, test: str) -> list[str]:
    head = f"{scheme},{replication},{fold},"
    return [f"{head}train,{r}" for r in train] + [f"{head}test,{r}" for r in test]


def blocked_by_chance(scheme: str) -> list[str]:
    lines = []
    partition = make_partition("random_mx2", 64, m=5)
    for at, split in enumerate(partition.splits):
        head = f"{scheme},{at // 2 + 1},{at % 2 + 1},"
        lines += [f"{head}train,{r}" for r in split.train] + [f"{head}test,{r}" for r in split.test]
    return lines


KFOLD = both("kfold", "1", 1, "23", "01") + both("kfold", "1", 2, "01", "23")


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "is empty"),
        (rows(), "no splits"),
        ("scheme,replication,fold,rol,record\n", "did you mean 'rol'?"),
        (rows(*KFOLD, "kfold,1,2,test,0"), "record 0 is both trained on and tested on"),
        (rows(*KFOLD, "kfold,1,2,test,3"), "record 3 stands 2 times as test"),
        (rows(*KFOLD, "kfold,1,2,test,4"), "record 4 in row 9"),
        (rows(*KFOLD, "kfold,1,2,test,-1"), "record -1 in row 9"),
        (rows(*KFOLD, "kfold,1,2,test,1.5"), "record '1.5' in row 9 is no whole number"),
        (rows(*KFOLD, "kfold,1,2,tst,1"), "role 'tst' is neither"),
        (rows(*KFOLD, "kfolds,1,2,test,1"), "did you mean 'kfold'?"),
        (rows(*KFOLD, "kfold#x,1,2,test,1"), "no scheme"),
        (rows(*KFOLD[:4]), "at least 2 folds"),
        (rows(*KFOLD[:-1]), "record 3 is tested 0 times"),
        (rows(*KFOLD[1:]), "record 2 is neither trained on nor tested on"),
        (rows("kfold,1,1,train,0", *KFOLD[4:]), "fold 1 has no test records"),
        (
            rows(*KFOLD, *both("kfold", "2", 1, "12", "03"), *both("kfold", "2", 2, "03", "12")),
            "kfold is one",
        ),
        (
            rows(*both("loo", "1", 1, "23", "01"), *both("loo", "1", 2, "01", "23")),
            "loo has one fold",
        ),
        (
            rows(*both("holdout", "1", 1, "23", "01"), *both("holdout", "2", 1, "01", "23")),
            "a holdout is one split",
        ),
        (
            rows(*both("random_mx2", "1", 1, "23", "01"), *both("random_mx2", "1", 2, "23", "01")),
            "turns the halves round",
        ),
        (rows(*both("random_mx2", "1", 1, "23", "01")), "has 2 folds, not [1]"),
        (rows(*both("paired_halves", "1", 1, "0", "1")), "halving/half"),
        (rows(*both("paired_halves", "1/1", 1, "0", "1")), "exactly two halves"),
        (
            rows(
                *both("paired_halves", "1/1", 1, "0", "1"),
                *both("paired_halves", "1/2", 1, "1", "2"),
            ),
            "share none",
        ),
    ],
)
def test_faults(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(UserError) as caught:
        read_splits(tmp_path / "s.csv", 4)
    assert words in str(caught.value) and caught.value.path == ("path",)


def test_records_that_count_from_one(tmp_path: Path) -> None:
    lines = both("holdout", "1", 1, "1234", "56")
    (tmp_path / "s.csv").write_text(rows(*lines))
    with pytest.raises(UserError, match="records count from 0"):
        read_splits(tmp_path / "s.csv", 6)


def test_random_halves_are_not_blocked(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(rows(*blocked_by_chance("blocked_mx2")))
    with pytest.raises(UserError, match="these halves are not blocked: the records go"):
        read_splits(tmp_path / "s.csv", 64)
    (tmp_path / "s.csv").write_text(rows(*blocked_by_chance("random_mx2")))
    assert read_splits(tmp_path / "s.csv", 64) == [make_partition("random_mx2", 64, m=5)]


def test_a_partition_with_groups_comes_back(tmp_path: Path) -> None:
    groups = np.arange(96) // 2
    before = [
        make_partition("blocked_mx2", 96, m=3, groups=groups),
        make_partition("kfold", 96, groups=groups),
    ]
    write_splits(before, tmp_path / "s.csv")
    assert read_splits(tmp_path / "s.csv", 96) == before


def test_nothing_half_written(tmp_path: Path) -> None:
    class Broken(Split):
        @property
        def train(self):  # type: ignore[no-untyped-def,override]
            raise KeyboardInterrupt

    (tmp_path / "s.csv").write_text("before")
    partition = Partition("holdout", 3, (), [Broken([0, 1], [2])], 0)
    with pytest.raises(KeyboardInterrupt):
        write_splits([partition], tmp_path / "s.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]
    assert (tmp_path / "s.csv").read_text() == "before"
