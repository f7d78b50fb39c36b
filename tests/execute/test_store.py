"""The store of finished fits."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.execute.run_examples import script

from cvinfer.errors import UserError
from cvinfer.execute.store import Store, Stored
from cvinfer.losses.kinds import PROBABILITIES, SCORES


def fit(*codes: int, warnings: tuple[str, ...] = ()) -> Stored:
    return Stored(np.array(codes, dtype=np.int32), 0.5, 0.25, warnings)


@pytest.mark.parametrize("named", [True, False])
def test_what_is_put_comes_back(tmp_path: Path, named: bool) -> None:
    with Store(tmp_path / "new" / "store.sqlite" if named else None) as store:
        store.put("a", "tree", fit(1, 0, 2, warnings=("ä \udcff", "b")))
        store.put_many((key, "tree \udcff", fit(3)) for key in "bc")
        found = store.get("a")
        assert found is not None and found.codes.tolist() == [1, 0, 2]
        assert found.codes.dtype == np.int32
        assert (found.seconds_fit, found.seconds_predict) == (0.5, 0.25)
        assert found.warnings == ("ä \udcff", "b")
        assert store.get("none") is None
        assert store.known(["a", "none", "c"]) == {"a", "c"}
        assert set(store.get_many("abcd")) == {"a", "b", "c"}


@pytest.mark.parametrize("kind", [PROBABILITIES, SCORES])
def test_values_come_back_with_their_kind(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store.sqlite"
    values = np.array([[0.25, 0.75], [1 / 3, 2 / 3]])
    given = Stored(values, 0.5, 0.25, (), kind)
    with Store(path) as store:
        store.put("a", "tree", given)
        at_once = store.get("a")
    with Store(path) as store:
        later = store.get("a")
    for found in (at_once, later):
        assert found is not None and found.kind == kind
        assert found.values.dtype == np.float64 and found.values.tolist() == values.ravel().tolist()
        with pytest.raises(ValueError, match=f"these are {kind}, no class codes"):
            found.codes
    with sqlite3.connect(path) as database:
        other = SCORES if kind == PROBABILITIES else PROBABILITIES
        database.execute("update fits set kind = ?", (other,))
    database.close()
    with Store(path) as store:
        assert store.get("a") is None, "the kind is part of what the checksum is over"


def test_many_keys_are_asked_in_parts() -> None:
    with Store(None) as store:
        keys = [str(i) for i in range(1700)]
        store.put_many((key, "t", fit(1)) for key in keys[::2])
        assert store.known(keys) == set(keys[::2])


def test_another_process_sees_what_was_put(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put("a", "tree", fit(1))
        with Store(path) as other:
            assert other.known(["a"]) == {"a"}
            other.put("b", "tree", fit(1))
        assert store.known("ab") == {"a", "b"}
        assert store._db.execute("pragma journal_mode").fetchone() == ("wal",)


def test_info_and_prune(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        store.put_many((str(i), "tree", fit(*range(100))) for i in range(50))
        info = store.info()
        assert (info["fits"], info["seconds"]) == (50, 37.5)
        assert int(str(info["bytes"])) > 20000
        assert store.prune(days=1) == 0
        assert store.prune(days=-1) == 50
        store.put("a", "tree", fit(1))
        assert store.prune() == 1
        assert store.info()["fits"] == 0 and int(str(store.info()["bytes"])) < 100000


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\1" * 5000]
)
def test_a_corrupt_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.sqlite"
    path.write_bytes(content)
    with pytest.raises(UserError, match="store.sqlite cannot be used: .*another file"):
        Store(path)
    assert path.read_bytes() == content


def test_damage_in_the_middle_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many((f"{i:064}", "tree", fit(*range(500))) for i in range(200))
    damaged = bytearray(path.read_bytes())
    damaged[8192 : len(damaged) - 4096] = b"\xff" * (len(damaged) - 12288)
    path.write_bytes(damaged)
    with Store(path) as store, pytest.raises(UserError, match="cannot be used"):
        store.get_many(f"{i:064}" for i in range(200))


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("create table mine (a)")
    with pytest.raises(UserError, match="not a store"):
        Store(path)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be used"):
        Store(tmp_path / "file" / "store.sqlite")
    with pytest.raises(UserError, match="cannot be used"):
        Store(tmp_path)
    if sys.platform == "linux":
        with pytest.raises(UserError, match="cannot be used"):
            Store(Path("/proc/store.sqlite"))


WRITER = """
import sys, numpy as np
from pathlib import Path
from cvinfer.execute.store import Store, Stored
for part in range(5):
    with Store(Path(sys.argv[1])) as store:
        for i in range(40):
            codes = np.array([i], dtype=np.int32)
            store.put(f"{sys.argv[2]} {part} {i}", "tree", Stored(codes, 1.0, 1.0, ()))
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    writers = [script(WRITER, tmp_path, path, name) for name in "ab"]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors.decode()
    with Store(path) as store:
        assert store.info()["fits"] == 400
