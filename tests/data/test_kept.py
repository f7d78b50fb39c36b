"""What was read of a large file is kept, and taken only for the same file and if it is sound."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from cvinfer.data import Dataset, kept, load
from cvinfer.data.sources import csv as csv_source

Write = Callable[..., str]

TEXT = "x,c,g,y\n" + "".join(
    f"{at * 0.37:.3f},{'uvw'[at % 3]},{at % 7:02d},{'ab'[at % 2]}\n" for at in range(90)
)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Inside a command, in a directory of its own; which files were read."""
    found: list[str] = []
    really = csv_source.read_utf8

    def counted(written: str, *more: Any) -> bytes:
        found.append(written)
        return really(written, *more)

    monkeypatch.setattr(csv_source, "read_utf8", counted)
    monkeypatch.setattr(kept, "SMALLEST", 100)
    monkeypatch.chdir(tmp_path)
    with kept.keeping(kept.Keeping()):
        yield found


def settled(path: Path, seconds: float = 5.0) -> None:
    """Wait until nothing can be written to a file any more without another time."""
    import time

    while time.time() - path.stat().st_ctime <= kept.UNSURE:
        time.sleep(0.02)


def write(path: Path, text: str = TEXT) -> None:
    path.write_text(text)
    settled(path)


def read(base: Path, **more: Any) -> Dataset:
    spec = {"source": "csv", "path": "d.csv", "target": "y", **more}
    found = load(spec, base, 1)
    assert isinstance(found, Dataset)
    return found


def files(base: Path) -> list[Path]:
    return sorted((base / "results" / "store.data").glob("*"))


def same(one: Dataset, other: Dataset) -> None:
    assert one.sha256 == other.sha256 and one.notes == other.notes
    for new, old in zip(one.features, other.features):
        assert (new.name, new.kind, new.levels, new.detail) == (
            old.name,
            old.kind,
            old.levels,
            old.detail,
        )
        assert new.values.tobytes() == old.values.tobytes()
        assert not new.values.flags.writeable
    assert one.classes == other.classes and one.target.tobytes() == other.target.tobytes()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"drop": ["c"]},
        {"keep": ["x"]},
        {"groups": "g"},
        {"sample": {"n": 20}},
        {"na": ["u"], "missing": "impute"},
        {"na": ["b"], "missing_target": "drop", "groups": "g"},
    ],
    ids=str,
)
def test_a_file_is_read_once(tmp_path: Path, reads: list[str], more: dict[str, Any]) -> None:
    write(tmp_path / "d.csv", TEXT + "7,u,01,c\n")
    first = read(tmp_path, **more)
    assert reads == ["d.csv"] and len(files(tmp_path)) == 1
    same(read(tmp_path, **more), first)
    assert reads == ["d.csv"]


def test_fewer_columns_are_taken_from_more(tmp_path: Path, reads: list[str]) -> None:
    write(tmp_path / "d.csv")
    read(tmp_path)
    narrow = read(tmp_path, drop=["x"], sample={"n": 30}, missing="drop")
    assert [column.name for column in narrow.features] == ["c", "g"] and len(reads) == 1
    (file,) = files(tmp_path)
    file.unlink()
    read(tmp_path, drop=["x"])
    wide = read(tmp_path)
    assert len(wide.features) == 3 and len(reads) == 3
    read(tmp_path, drop=["x"])
    assert len(reads) == 3 and len(files(tmp_path)) == 1


@pytest.mark.parametrize(
    "change",
    ["content", "content and time", "touched", "another file", "options", "groups", "limit"],
)
def test_a_change_is_noticed(tmp_path: Path, reads: list[str], change: str) -> None:
    from cvinfer.limits import limited

    path = tmp_path / "d.csv"
    write(path)
    before, stat = read(tmp_path), path.stat()
    other = TEXT.replace("0.370", "9.990")
    more: dict[str, Any] = {}
    if change == "content":
        path.write_text(other)
    elif change == "content and time":
        # Of the same size, and said to be as old.
        path.write_text(other)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    elif change == "touched":
        os.utime(path)
    elif change == "another file":
        (tmp_path / "e.csv").write_text(other)
        os.utime(tmp_path / "e.csv", ns=(stat.st_atime_ns, stat.st_mtime_ns))
        os.replace(tmp_path / "e.csv", path)
    elif change == "options":
        more = {"na": ["zzz"]}
    elif change == "groups":
        more = {"groups": "g"}
    with limited(max_bytes=10_000 if change == "limit" else None):
        after = read(tmp_path, **more)
    assert len(reads) == 2
    assert (after.sha256 != before.sha256) == (change not in ("touched", "options", "limit"))


def test_a_file_that_has_just_changed_is_not_kept(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "UNSURE", 1e9)
    (tmp_path / "d.csv").write_text(TEXT)
    read(tmp_path)
    assert not files(tmp_path)


def test_a_file_that_changes_while_it_is_read_is_not_kept(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "d.csv")
    really = csv_source.read_columns

    def changed(*words: Any) -> Any:
        (tmp_path / "d.csv").write_text(TEXT + "1,u,01,a\n")
        return really(*words)

    monkeypatch.setattr(csv_source, "read_columns", changed)
    assert read(tmp_path).n == 90
    assert not files(tmp_path)


def test_damage_anywhere_is_noticed(tmp_path: Path, reads: list[str]) -> None:
    write(tmp_path / "d.csv")
    first = read(tmp_path, groups="g")
    (file,) = files(tmp_path)
    sound = file.read_bytes()
    for at in [*range(0, 40), *range(40, len(sound), 97), len(sound) - 1]:
        file.write_bytes(sound[:at] + bytes([sound[at] ^ 16]) + sound[at + 1 :])
        before = len(reads)
        same(read(tmp_path, groups="g"), first)
        assert len(reads) == before + 1, f"byte {at}"
        assert file.read_bytes() == sound  # made again
    for length in (0, 5, 30, len(sound) // 2, len(sound) - 1):
        file.write_bytes(sound[:length])
        same(read(tmp_path, groups="g"), first)
    assert file.read_bytes() == sound


def test_what_others_made_is_left_aside(tmp_path: Path, reads: list[str]) -> None:
    write(tmp_path / "d.csv")
    first = read(tmp_path)
    (file,) = files(tmp_path)
    file.chmod(0o666)
    same(read(tmp_path), first)
    assert len(reads) == 2 and file.stat().st_mode & 0o022 == 0
    moved = file.rename(tmp_path / "elsewhere")
    file.symlink_to(moved)
    same(read(tmp_path), first)
    assert len(reads) == 3 and not file.is_symlink()
    file.unlink()
    os.mkfifo(file)
    same(read(tmp_path), first)
    assert len(reads) == 4
    file.unlink()
    file.mkdir()
    same(read(tmp_path), first)
    assert len(reads) == 5


def test_a_reading_of_another_file_is_not_taken(tmp_path: Path, reads: list[str]) -> None:
    write(tmp_path / "d.csv")
    first = read(tmp_path)
    (file,) = files(tmp_path)
    file.unlink()
    write(tmp_path / "d.csv", TEXT.replace("0.370", "9.990"))
    other = read(tmp_path)
    (others,) = files(tmp_path)
    write(tmp_path / "d.csv")
    third = read(tmp_path)
    (own,) = [each for each in files(tmp_path) if each != others]
    # Under the name of the right one.
    own.write_bytes(others.read_bytes())
    count = len(reads)
    same(read(tmp_path), first)
    assert len(reads) == count + 1 and third.sha256 != other.sha256


def test_room_is_bounded(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "d.csv")
    read(tmp_path)
    size = files(tmp_path)[0].stat().st_size
    monkeypatch.setattr(kept, "LARGEST", 3 * size + 200)
    for at in range(6):
        read(tmp_path, na=[f"z{at}"])
        assert sum(each.stat().st_size for each in files(tmp_path)) <= kept.LARGEST
    assert len(files(tmp_path)) == 3
    count = len(reads)
    read(tmp_path, na=["z5"])  # the last is there still
    assert len(reads) == count
    monkeypatch.setattr(kept, "LARGEST", size // 2)
    read(tmp_path, na=["new"])
    assert len(files(tmp_path)) == 3


def test_where_nothing_can_be_kept_data_is_read(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "d.csv")
    (tmp_path / "results").write_text("no directory")
    first = read(tmp_path)
    same(read(tmp_path), first)
    assert len(reads) == 2


def test_without_a_command_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "SMALLEST", 100)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "d.csv")
    read(tmp_path)
    assert not (tmp_path / "results").exists()


def test_small_files_are_not_kept(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "SMALLEST", 1_000_000)
    write(tmp_path / "d.csv")
    read(tmp_path)
    assert not (tmp_path / "results").exists()
