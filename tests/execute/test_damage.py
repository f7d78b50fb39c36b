"""A store that is not what it was: no damage reaches a result."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.execute.run_examples import BAYES, TREE, marked, script, spec_of
from tests.execute.test_bytes import KILLED, files, wait_for_fits

from cvinfer.errors import UserError
from cvinfer.progress import Progress
from cvinfer.execute.store import VERSION, Store, Stored
from cvinfer.runner import run

#: The table as version 1 had it.
FIRST = """
create table fits (
    key text primary key,
    codes blob not null,
    seconds_fit real not null,
    seconds_predict real not null,
    warnings text not null,
    learner text not null,
    made text not null default current_timestamp
) without rowid
"""


def change(path: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(path) as database:
        assert database.execute(statement, values).rowcount > 0
    database.close()


def one_bit(codes: bytes) -> bytes:
    return bytes([codes[0] ^ 1]) + codes[1:]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; not to be changed."""
    directory = tmp_path_factory.mktemp("whole")
    path = spec_of(directory / "spec", {"tree": TREE, "Bayes": BAYES})
    run(path, jobs=1, write=True, output=directory / "r" / "made")
    return directory


@pytest.fixture
def again(whole: Path, tmp_path: Path) -> Path:
    """The store of that run, to be damaged."""
    with Store(whole / "r" / "store.sqlite"):
        pass  # everything is in the one file now
    shutil.copy(whole / "r" / "store.sqlite", tmp_path / "store.sqlite")
    return tmp_path / "store.sqlite"


DAMAGES = {
    "another class": ("codes = ?", lambda row: one_bit(row["codes"])),
    "text for codes": ("codes = ?", lambda row: "0000"),
    "one code less": ("codes = ?", lambda row: row["codes"][4:]),
    "half a code": ("codes = ?", lambda row: row["codes"][:-1]),
    "no code": ("codes = ?", lambda row: b""),
    "warnings that are none": ("warnings = ?", lambda row: "{"),
    "warnings of warnings": ("warnings = ?", lambda row: "[" * 100_000),
    "a number for warnings": ("warnings = ?", lambda row: "7"),
    "a warning more": ("warnings = ?", lambda row: '["it is not so"]'),
    "bytes for warnings": ("warnings = ?", lambda row: b"\xff\xfe"),
    "text for seconds": ("seconds_fit = ?", lambda row: "a while"),
    "other seconds": ("seconds_predict = ?", lambda row: row["seconds_predict"] + 1.0),
    "another learner": ("learner = ?", lambda row: "nobody"),
    "another time": ("made = ?", lambda row: "2001-01-01 00:00:00"),
    "no checksum": ("checksum = ?", lambda row: ""),
    "another checksum": ("checksum = ?", lambda row: "0" * 32),
    "no text": ("learner = cast(? as text)", lambda row: b"\xff\xfe"),
}


def damage(path: Path, what: str, which: int = 0) -> str:
    """Damage a fit of a store; its key."""
    setting, value = DAMAGES[what]
    with sqlite3.connect(path) as database:
        database.row_factory = sqlite3.Row
        row = database.execute("select * from fits order by key").fetchall()[which]
    database.close()
    change(path, f"update fits set {setting} where key = ?", value(row), row["key"])
    return str(row["key"])


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_fit_is_found(again: Path, what: str) -> None:
    key = damage(again, what)
    with Store(again) as store:
        found = store.check()
        assert (found.fits, len(found.damaged), found.sound) == (19, 1, False)
        assert store.known([key]) == set() and store.get(key) is None


def test_damaged_fits_are_made_again(whole: Path, again: Path, tmp_path: Path) -> None:
    """Every kind of damage in one store, each in another fit."""
    keys = {damage(again, what, which) for which, what in enumerate(DAMAGES)}
    count = len(DAMAGES)
    assert len(keys) == count < 20
    path, output = whole / "spec" / "spec.json", tmp_path / "r"
    told = f"{count} fits were damaged in the store .*store.sqlite"
    with pytest.warns(RuntimeWarning, match=told):
        result = run(path, jobs=1, write=True, output=output, store=again)
    outcome = result.outcome
    assert (outcome.reused, outcome.fitted, outcome.damaged) == (20 - count, count, count)
    assert files(output) == files(whole / "r" / "made")
    with Store(again) as store:
        assert store.check().sound


def test_a_sound_fit_that_does_not_suit_is_made_again(
    whole: Path, again: Path, tmp_path: Path
) -> None:
    with Store(again) as store:
        (key,) = store._db.execute("select key from fits order by key limit 1").fetchone()
        store.put(key, "tree", Stored(np.array([5, 5], dtype=np.int32), 1.0, 1.0, ()))
        assert store.check().sound
    with pytest.warns(RuntimeWarning, match="damaged"):
        result = run(whole / "spec" / "spec.json", jobs=1, store=again, write=True, output=tmp_path)
    assert result.outcome.damaged == 1
    assert files(tmp_path) == files(whole / "r" / "made")


def test_flipped_bits_change_no_result(whole: Path, again: Path, tmp_path: Path) -> None:
    """A bit somewhere in the file: the same result, or a refusal that names the file."""
    sound = again.read_bytes()
    right = expected(whole)
    rng = random.Random(7)
    refused = 0
    for _ in range(12):
        flipped = bytearray(sound)
        at = rng.randrange(len(flipped))
        flipped[at] ^= 1 << rng.randrange(8)
        for end in ("-wal", "-shm"):
            again.with_name(again.name + end).unlink(missing_ok=True)
        again.write_bytes(flipped)
        try:
            result = run(whole / "spec" / "spec.json", jobs=1, store=again, progress=Progress())
        except UserError as error:
            assert "store.sqlite cannot be used" in str(error), at
            refused += 1
            continue
        assert result.document == right, at
    assert refused < 12


def expected(whole: Path) -> Any:
    return run(whole / "spec" / "spec.json", store=whole / "r" / "store.sqlite").document


def first_version(path: Path) -> None:
    """Turn a store into one of version 1."""
    with sqlite3.connect(path) as database:
        database.execute("alter table fits rename to later")
        database.execute(FIRST)
        columns = "key, codes, seconds_fit, seconds_predict, warnings, learner, made"
        database.execute(f"insert into fits select {columns} from later")
        database.execute("drop table later")
        database.execute("pragma user_version = 1")
    database.close()


def test_a_store_of_the_first_version_stays_readable(whole: Path, again: Path) -> None:
    first_version(again)
    change(again, "update fits set codes = 'text' where key = (select min(key) from fits)")
    with pytest.warns(RuntimeWarning, match="1 fit was damaged"):
        result = run(whole / "spec" / "spec.json", jobs=1, store=again)
    assert (result.outcome.reused, result.outcome.fitted) == (19, 1)
    with Store(again) as store:
        assert store._db.execute("pragma user_version").fetchone() == (VERSION,)
        assert store.check() == (20, [], [])


def second_version(path: Path) -> None:
    """Turn a store into one of version 2, which had class codes only."""
    with sqlite3.connect(path) as database:
        database.execute("alter table fits rename to later")
        database.execute(FIRST.replace("current_timestamp", "current_timestamp, checksum text"))
        columns = "key, codes, seconds_fit, seconds_predict, warnings, learner, made, checksum"
        database.execute(f"insert into fits select {columns} from later")
        database.execute("drop table later")
        database.execute("pragma user_version = 2")
    database.close()


def test_a_store_of_the_second_version_stays_readable(whole: Path, again: Path) -> None:
    second_version(again)
    result = run(whole / "spec" / "spec.json", jobs=1, store=again)
    assert (result.outcome.reused, result.outcome.fitted, result.outcome.damaged) == (20, 0, 0)
    assert result.document == expected(whole)
    with Store(again) as store:
        assert store._db.execute("pragma user_version").fetchone() == (VERSION,)
        assert store.check() == (20, [], [])


def test_many_fits_of_the_first_version_get_their_checksums(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        codes = np.arange(3, dtype=np.int32)
        store.put_many((f"{i:064}", "t", Stored(codes, 1.0, 2.0, ())) for i in range(1234))
    first_version(path)
    with Store(path) as store:
        assert store.check() == (1234, [], [])


def test_a_version_that_was_flipped_harms_nothing(again: Path) -> None:
    with sqlite3.connect(again) as database:
        database.execute("pragma user_version = 0")
    database.close()
    with Store(again) as store:
        assert store.check() == (20, [], [])


def test_mending_keeps_what_is_sound(again: Path) -> None:
    change(again, "update fits set key = 'a' || key where key = (select min(key) from fits)")
    with Store(again) as store:
        assert store.check() == (19, ["tree"], [])
        assert store.mend() == 19
        assert store.check() == (19, [], [])
        assert store._db.execute("pragma user_version").fetchone() == (VERSION,)


PRUNED = {"tree": TREE, "slow": marked("fine", seconds=0.2)}


def test_a_store_may_be_pruned_under_a_run(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec", PRUNED)
    run(
        spec_of(tmp_path / "spec", {"tree": TREE, "Bayes": BAYES}),
        write=True,
        output=tmp_path / "r" / "other",
    )
    path = spec_of(tmp_path / "spec", PRUNED)
    process = script(KILLED, tmp_path, path, tmp_path / "r" / "made")
    wait_for_fits(tmp_path / "r" / "store.sqlite", 23)
    with Store(tmp_path / "r" / "store.sqlite") as store:
        assert store.prune() >= 23
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    run(path, jobs=2, write=True, output=tmp_path / "whole" / "made", allow_code=True)
    assert files(tmp_path / "r" / "made") == files(tmp_path / "whole" / "made")


def test_a_locked_store_is_not_to_be_removed(again: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cvinfer.execute.store.PATIENCE", 0.2)
    with Store(again) as store:
        with sqlite3.connect(again) as other:
            other.execute("begin exclusive")
            with pytest.raises(UserError, match="locked; another program has it") as told:
                store.put("a", "t", Stored(np.zeros(1, dtype=np.int32), 1.0, 1.0, ()))
        other.close()
    assert "remove" not in str(told.value)


def test_a_full_store_is_not_to_be_removed(again: Path) -> None:
    with Store(again) as store:
        (pages,) = store._db.execute("pragma page_count").fetchone()
        store._db.execute(f"pragma max_page_count = {pages}")
        codes = np.zeros(10**5, dtype=np.int32)
        with pytest.raises(UserError, match="full; is there room on the disk") as told:
            store.put("a", "t", Stored(codes, 1.0, 1.0, ()))
        assert "remove" not in str(told.value)
        assert store.check() == (20, [], [])
