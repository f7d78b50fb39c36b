"""The store of finished fits: one SQLite file in WAL mode, written by the main process only."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError

SCHEMA = """
create table if not exists fits (
    key text primary key,
    codes blob not null,
    seconds_fit real not null,
    seconds_predict real not null,
    warnings text not null,
    learner text not null,
    made text not null default current_timestamp
) without rowid
"""
#: Version of the schema, kept in the file as SQLite's user_version.
VERSION = 1
#: SQLite's limit on variables in one statement is at least this.
MANY = 500
#: Seconds to wait for another run that is writing.
PATIENCE = 30.0


@dataclass(frozen=True)
class Stored:
    """The predicted class codes of one fit, with what it took and what the learner said."""

    codes: NDArray[np.int32]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...]


class Store:
    """Finished fits by content key; `path` None keeps them in memory.

    Several runs may share one file. Each `put` is a commit of its own, so that a kill loses
    nothing that was put; only a power failure could cost the last ones.
    """

    def __init__(self, path: Optional[Path]) -> None:
        self.path = path
        with self._told():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path) if path else ":memory:", timeout=PATIENCE)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def put(self, key: str, learner: str, fit: Stored) -> None:
        self.put_many([(key, learner, fit)])

    def put_many(self, fits: Iterable[tuple[str, str, Stored]]) -> None:
        """Several fits at once: all of them are stored, or none."""
        rows = [
            (
                key,
                np.ascontiguousarray(fit.codes, dtype="<i4").tobytes(),
                fit.seconds_fit,
                fit.seconds_predict,
                json.dumps(list(fit.warnings)),
                _writable(learner),
            )
            for key, learner, fit in fits
        ]
        with self._told(), self._db:
            self._db.executemany(
                "insert or replace into fits (key, codes, seconds_fit, seconds_predict, warnings,"
                " learner) values (?, ?, ?, ?, ?, ?)",
                rows,
            )

    def get(self, key: str) -> Optional[Stored]:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, Stored]:
        """The fits that are stored among these."""
        columns = "key, codes, seconds_fit, seconds_predict, warnings"
        found = {}
        with self._told():
            for key, codes, fit, predict, said in self._chosen(columns, keys):
                array = np.frombuffer(codes, dtype="<i4").astype(np.int32)
                found[key] = Stored(array, fit, predict, tuple(json.loads(said)))
        return found

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of the keys are stored."""
        with self._told():
            return {row[0] for row in self._chosen("key", keys)}

    def info(self) -> dict[str, object]:
        """Number of fits, bytes on disk, seconds saved by a reuse of all."""
        with self._told():
            count, seconds, first, last = self._db.execute(
                "select count(*), coalesce(sum(seconds_fit + seconds_predict), 0), min(made),"
                " max(made) from fits"
            ).fetchone()
        size = 0
        if self.path is not None:
            files = (self.path.with_name(self.path.name + end) for end in ("", "-wal", "-shm"))
            size = sum(each.stat().st_size for each in files if each.is_file())
        return {
            "path": str(self.path) if self.path else None,
            "fits": count,
            "bytes": size,
            "seconds": seconds,
            "first": first,
            "last": last,
        }

    def prune(self, days: Optional[float] = None) -> int:
        """Remove fits older than `days` (all without it) and give the space back."""
        where, values = "", ()  # type: tuple[str, Sequence[float]]
        if days is not None:
            where, values = " where julianday('now') - julianday(made) > ?", (float(days),)
        with self._told():
            with self._db:
                removed = self._db.execute("delete from fits" + where, values).rowcount
            self._db.execute("vacuum")
            self._db.execute("pragma wal_checkpoint(truncate)")
        return int(removed)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> None:
        # The change to WAL does not wait for others by itself.
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                self._db.execute("pragma journal_mode = wal").fetchall()
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
        self._db.execute("pragma synchronous = normal")
        (version,) = self._db.execute("pragma user_version").fetchone()
        tables = self._db.execute("select name from sqlite_master where type = 'table'").fetchall()
        if version not in (0, VERSION) or (version == 0 and set(tables) - {("fits",)}):
            raise sqlite3.DatabaseError("it is not a store, or one of another version of cvinfer")
        if version == VERSION:
            return
        with self._db:
            self._db.execute("begin immediate")
            self._db.execute(SCHEMA)
            self._db.execute(f"pragma user_version = {VERSION}")

    def _chosen(self, columns: str, keys: Iterable[str]) -> Iterator[Any]:
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), MANY):
            part = wanted[start : start + MANY]
            marks = ",".join("?" * len(part))
            yield from self._db.execute(f"select {columns} from fits where key in ({marks})", part)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite or the system has against the file, in words."""
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise UserError(
                f"the store {self.path} cannot be used: {error}; name another file with --store,"
                " or remove this one"
            ) from None


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
