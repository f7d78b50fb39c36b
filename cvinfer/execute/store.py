"""The store of finished fits: one SQLite file in WAL mode, written by the main process only.

Every fit carries a checksum of all its fields. One that does not agree with it is as good as not
there: it is made again. Stores of version 1 had none; when such a store is opened, each of its fits
gets the checksum of what is there then, if it has the form of a fit at all. Stores of version 2 had
class codes only; since then each fit has the kind of its values, in the column `codes` as before.
Since version 4 probabilities and scores stand in a table of their own, packed, where they were
asked for: whoever wants class codes does not read them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import sqlite3
import struct
import time
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, TypedDict

import numpy as np
from numpy.typing import NDArray

from cvinfer.errors import UserError
from cvinfer.losses.kinds import CODES, NUMBERS, PROBABILITIES, SCORES, codes_of

SCHEMA = """
create table if not exists {name} (
    key text primary key,
    codes blob not null,
    seconds_fit real not null,
    seconds_predict real not null,
    warnings text not null,
    learner text not null,
    made text not null default current_timestamp,
    checksum text not null default '',
    kind text not null default 'codes'
) without rowid
"""
#: What stands beside class codes; `classes` is the number of its columns.
BESIDE = """
create table if not exists {name} (
    key text primary key,
    kind text not null,
    classes integer not null,
    packed blob not null,
    warnings text not null,
    checksum text not null
) without rowid
"""
BESIDE_FIELDS = ("key", "kind", "classes", "packed", "warnings")
#: The fields of a fit that its checksum is over.
FIELDS = ("key", "codes", "seconds_fit", "seconds_predict", "warnings", "learner", "made", "kind")
#: Version of the schema, kept in the file as SQLite's user_version.
VERSION = 4
#: How hard probabilities are packed: more takes longer and hardly makes them smaller.
PACKING = 6
#: SQLite's limit on variables in one statement is at least this.
MANY = 500
#: Seconds to wait for another run that is writing.
PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Stored:
    """What one fit predicted, with what it took and what the learner said.

    values: in one row, one record after the other. kind: what they are (`cvinfer.losses.kinds`).
    beside and what follows: as an engine's `Prediction` has them; None where nothing was wanted.
    """

    values: NDArray[Any]
    seconds_fit: float
    seconds_predict: float
    warnings: tuple[str, ...]
    kind: str = CODES
    beside: Optional[NDArray[np.float64]] = None
    beside_kind: Optional[str] = None
    beside_warnings: tuple[str, ...] = ()

    @property
    def codes(self) -> NDArray[np.int32]:
        """The values, where they are class codes."""
        return codes_of(self.values, self.kind)


class Checked(NamedTuple):
    """What a look at a whole store found.

    fits: how many are sound. damaged: the learner of each that is not, as far as it can be read.
    structure: what SQLite has against the file itself.
    """

    fits: int
    damaged: Sequence[str]
    structure: Sequence[str]

    @property
    def sound(self) -> bool:
        return not (self.damaged or self.structure)


class Info(TypedDict):
    """What a store holds, in numbers; `first` and `last` are when its fits were made."""

    path: Optional[str]
    fits: int
    bytes: int
    seconds: float
    first: Optional[str]
    last: Optional[str]


class Store:
    """Finished fits by content key; `path` None keeps them in memory.

    Several runs may share one file. Each `put` is a commit of its own, so that a kill loses
    nothing that was put; only a power failure could cost the last ones. Whatever was put, or
    asked for by `hold`, stays at hand until the store is closed, even if somebody prunes the file;
    with `at_hand` false it is read anew each time, for work that is larger than memory.
    """

    def __init__(self, path: Optional[Path], at_hand: bool = True) -> None:
        self.path = path
        self._at_hand = at_hand
        #: Keys of damaged fits that were met.
        self.damaged: set[str] = set()
        self._held: dict[str, Stored] = {}
        with self._told():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(str(path) if path else ":memory:", timeout=PATIENCE)
            # Damaged text must not keep what is sound from being read.
            self._db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def put(self, key: str, learner: str, fit: Stored) -> None:
        self.put_many([(key, learner, fit)])

    def put_many(self, fits: Iterable[tuple[str, str, Stored]]) -> None:
        """Several fits at once: all of them are stored, or none."""
        given = [(key, learner, _in_one_row(fit)) for key, learner, fit in fits]
        made = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        rows = [_row(key, _writable(learner), fit, made) for key, learner, fit in given]
        more = [_beside_row(key, fit) for key, _, fit in given if fit.beside is not None]
        with self._told(), self._db:
            # What stands together is of one fit.
            self._db.executemany("delete from besides where key = ?", [row[:1] for row in rows])
            self._db.executemany(_insert("besides", BESIDE_FIELDS), more)
            self._db.executemany(_insert("fits", FIELDS), rows)
        if self._at_hand:
            self._held.update((key, fit) for key, _, fit in given)

    def get(self, key: str) -> Optional[Stored]:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str], beside: bool = False) -> dict[str, Stored]:
        """The fits that are stored among these, and sound.

        What stands beside the codes is read only if so asked, but for fits that are at hand.
        """
        wanted = list(dict.fromkeys(keys))
        found = {key: self._held[key] for key in wanted if key in self._held}
        found.update(self._read((key for key in wanted if key not in found), beside))
        return found

    def hold(
        self,
        keys: Iterable[str],
        suits: Callable[[str, Stored], Optional[bool]] = lambda key, fit: True,
        beside: bool = False,
    ) -> set[str]:
        """Which of the keys are stored, sound and suitable; from now on they are at hand.

        One that `suits` answers with None is sound and not enough.
        """
        held = set()
        for key, fit in self._read(keys, beside):
            suitable = suits(key, fit)
            if suitable:
                held.add(key)
                if self._at_hand:
                    self._held[key] = fit
            elif suitable is not None:
                self.damaged.add(key)
        return held

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of the keys are stored, and sound."""
        return {key for key, _ in self._read(keys)}

    def count(self, kind: str) -> int:
        """How many fits with such values there are, sound or not."""
        with self._told():
            query = "select count(*) from fits where kind = ?"
            (found,) = self._db.execute(query, (kind,)).fetchone()
        return int(found)

    def check(self) -> Checked:
        """Look at every fit, and at the file."""
        fits, damaged, structure = 0, [], []
        try:
            for row in self._db.execute(f"select {', '.join(FIELDS)}, checksum from fits"):
                if _sound(row) is None:
                    damaged.append(str(row[FIELDS.index("learner")]))
                else:
                    fits += 1
            for learner, *more in self._db.execute(_OF_FITS):
                if _sound_beside(more) is None:
                    damaged.append(str(learner))
            told = [str(row[0]) for row in self._db.execute("pragma integrity_check")]
            structure = [line for line in told if line != "ok"]
        except sqlite3.DatabaseError as error:
            if not _corrupt(error):
                with self._told():
                    raise
            structure = [str(error)]
        return Checked(fits, damaged, structure)

    def mend(self) -> int:
        """Keep the sound fits only, in tables made anew; how many there are."""
        columns = ", ".join([*FIELDS, "checksum"])
        with self._told():
            with self._db:
                self._db.execute("begin immediate")
                self._db.execute(SCHEMA.format(name="mended"))
                rows = self._db.execute(f"select {columns} from fits")
                sound = (row for row in rows if _sound(row) is not None)
                self._db.executemany(_insert("mended", FIELDS), sound)
                self._db.execute("drop table fits")
                self._db.execute("alter table mended rename to fits")
                self._db.execute(BESIDE.format(name="mended"))
                found = (row[1:] for row in self._db.execute(_OF_FITS))
                whole = (row for row in found if _sound_beside(row) is not None)
                self._db.executemany(_insert("mended", BESIDE_FIELDS), whole)
                self._db.execute("drop table besides")
                self._db.execute("alter table mended rename to besides")
                (count,) = self._db.execute("select count(*) from fits").fetchone()
            self._db.execute("vacuum")
        return int(count)

    def info(self) -> Info:
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
        where: str = ""
        values: Sequence[float] = ()
        if days is not None:
            where, values = " where julianday('now') - julianday(made) > ?", (float(days),)
        with self._told():
            with self._db:
                removed = self._db.execute("delete from fits" + where, values).rowcount
                self._db.execute("delete from besides where key not in (select key from fits)")
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
        version, tables = self._version()
        if not 0 <= version <= VERSION or (version == 0 and tables - {"fits", "besides"}):
            raise sqlite3.DatabaseError("it is not a store, or one of another version of cvinfer")
        if version == VERSION:
            return
        with self._db:
            self._db.execute("begin immediate")
            version, tables = self._version()  # another run may have been quicker
            if version < VERSION and "fits" in tables:
                self._upgrade()
            self._db.execute(SCHEMA.format(name="fits"))
            self._db.execute(BESIDE.format(name="besides"))
            self._db.execute(f"pragma user_version = {VERSION}")

    def _version(self) -> tuple[int, set[str]]:
        (version,) = self._db.execute("pragma user_version").fetchone()
        tables = self._db.execute("select name from sqlite_master where type = 'table'").fetchall()
        return int(version), {str(name) for (name,) in tables}

    def _upgrade(self) -> None:
        """Make a store of an earlier version one of today; it may be that only the number is."""
        columns = [row[1] for row in self._db.execute("pragma table_info(fits)")]
        if "kind" not in columns:
            self._db.execute(f"alter table fits add column kind text not null default '{CODES}'")
        if "checksum" not in columns:
            self._db.execute("alter table fits add column checksum text not null default ''")
            self._add_checksums()

    def _add_checksums(self) -> None:
        fields, last = ", ".join(FIELDS), ""
        while True:
            rows = self._db.execute(
                f"select {fields} from fits where key > ? order by key limit {MANY}", (last,)
            ).fetchall()
            sums = [(_checksum(row), row[0]) for row in rows if _fit_of(row) is not None]
            self._db.executemany("update fits set checksum = ? where key = ?", sums)
            if len(rows) < MANY or not _is_text(rows[-1][0]):
                return
            last = rows[-1][0]

    def _read(self, keys: Iterable[str], beside: bool = False) -> Iterator[tuple[str, Stored]]:
        """The sound fits among these; the others are noted."""
        wanted = list(dict.fromkeys(keys))
        columns = ", ".join([*FIELDS, "checksum"])
        with self._told():
            for start in range(0, len(wanted), MANY):
                part = wanted[start : start + MANY]
                marks = ",".join("?" * len(part))
                query = f"select {columns} from fits where key in ({marks})"
                more = self._beside(part) if beside else {}
                for row in self._db.execute(query, part).fetchall():
                    fit = _sound(row)
                    if fit is not None and row[0] in more:
                        fit = _with_beside(fit, more[row[0]])
                    if fit is None:
                        self.damaged.add(str(row[0]))
                    else:
                        yield row[0], fit

    def _beside(self, keys: Sequence[str]) -> dict[str, Sequence[object]]:
        """What stands beside the codes of these, as it is stored."""
        columns = ", ".join([*BESIDE_FIELDS, "checksum"])
        marks = ",".join("?" * len(keys))
        query = f"select {columns} from besides where key in ({marks})"
        return {row[0]: row for row in self._db.execute(query, keys).fetchall()}

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever SQLite or the system has against the file, in words."""
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as error:
            raise UserError(
                f"the store {self.path} cannot be used: {error}; {_remedy(error)}"
            ) from None


def _in_one_row(fit: Stored) -> Stored:
    """As it will be read, so that it is the same for whoever comes first and for others.

    What came through a pipe is a view of more than itself, which would stay with it.
    """
    values = fit.values.ravel()
    whole = values if values.base is None else values.copy()
    return fit if whole is fit.values else replace(fit, values=whole)


def _row(key: str, learner: str, fit: Stored, made: str) -> tuple[object, ...]:
    values = np.ascontiguousarray(fit.values, dtype=NUMBERS[fit.kind]).tobytes()
    said = json.dumps(list(fit.warnings))
    seconds = float(fit.seconds_fit), float(fit.seconds_predict)
    fields = (key, values, *seconds, said, learner, made, fit.kind)
    return (*fields, _checksum(fields))


def _insert(table: str, fields: Sequence[str]) -> str:
    marks = ", ".join("?" * (len(fields) + 1))
    return f"insert or replace into {table} ({', '.join(fields)}, checksum) values ({marks})"


#: What stands beside codes, each with the learner whose fit it is.
_OF_FITS = (
    f"select learner, {', '.join(f'besides.{each}' for each in (*BESIDE_FIELDS, 'checksum'))}"
    " from besides join fits on besides.key = fits.key"
)


def _beside_row(key: str, fit: Stored) -> tuple[object, ...]:
    assert fit.beside is not None and fit.beside_kind is not None
    said = json.dumps(list(fit.beside_warnings))
    fields = (key, fit.beside_kind, int(fit.beside.shape[1]), packed(fit.beside), said)
    return (*fields, _digest(fields))


def packed(table: NDArray[np.float64]) -> bytes:
    """Numbers column by column, the first bytes of all before the second ones: these are alike."""
    numbers = np.ascontiguousarray(table.T, dtype="<f8")
    return zlib.compress(numbers.view(np.uint8).reshape(-1, 8).T.tobytes(), PACKING)


def unpacked(data: bytes, columns: int) -> NDArray[np.float64]:
    """The same numbers, to the last bit; raises `ValueError` where they cannot be had."""
    try:
        found = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(8, -1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    numbers = np.ascontiguousarray(found.T).view("<f8").astype(np.float64)
    return np.ascontiguousarray(numbers.reshape(columns, -1).T)


def _with_beside(fit: Stored, row: Sequence[object]) -> Optional[Stored]:
    """The fit with what stands beside its codes, if that is sound and of as many records."""
    found = _sound_beside(row)
    if found is None or len(found[0]) != len(fit.values):
        return None
    return replace(fit, beside=found[0], beside_kind=found[1], beside_warnings=found[2])


def _sound_beside(
    row: Sequence[object],
) -> Optional[tuple[NDArray[np.float64], str, tuple[str, ...]]]:
    """The table of a row with its kind and its warnings, if it is what was put there."""
    *fields, checksum = row
    _, kind, classes, data, said = fields
    warnings = _warnings_of(said)
    if checksum != _digest(fields) or warnings is None or kind not in (PROBABILITIES, SCORES):
        return None
    if not isinstance(data, bytes) or not isinstance(classes, int) or classes < 1:
        return None
    try:
        return unpacked(data, classes), str(kind), warnings
    except ValueError:
        return None


def _checksum(fields: Sequence[object]) -> str:
    """A digest of the fields of one fit.

    The kind of values has no part in that of class codes, which is the one of version 2.
    """
    return _digest(fields[:-1] if fields[-1] == CODES else fields)


def _digest(fields: Sequence[object]) -> str:
    """A digest of some fields, each with its kind and its length."""
    digest = hashlib.blake2b(digest_size=16)
    for value in fields:
        if isinstance(value, bytes):
            kind, data = b"b", value
        elif isinstance(value, float):
            kind, data = b"f", struct.pack("<d", value)
        else:
            kind, data = b"t", str(value).encode("utf-8", "surrogateescape")
        digest.update(kind + struct.pack("<q", len(data)))
        digest.update(data)
    return digest.hexdigest()


def _sound(row: Sequence[object]) -> Optional[Stored]:
    """The fit of a row, if it is what was put there."""
    *fields, checksum = row
    fit = _fit_of(fields)
    return fit if fit is not None and checksum == _checksum(fields) else None


def _fit_of(fields: Sequence[object]) -> Optional[Stored]:
    """The fit of a row, if it has the form of one."""
    key, values, seconds_fit, seconds_predict, said, learner, made, kind = fields
    if not all(map(_is_text, (key, said, learner, made))):
        return None
    if not isinstance(kind, str) or kind not in NUMBERS:
        return None
    numbers = np.dtype(NUMBERS[kind])
    if not isinstance(values, bytes) or len(values) % numbers.itemsize:
        return None
    if not (isinstance(seconds_fit, float) and isinstance(seconds_predict, float)):
        return None
    warnings = _warnings_of(said)
    if warnings is None:
        return None
    array = np.frombuffer(values, dtype=numbers).astype(numbers.newbyteorder("="))
    return Stored(array, seconds_fit, seconds_predict, warnings, kind)


def _warnings_of(said: object) -> Optional[tuple[str, ...]]:
    if not isinstance(said, str):
        return None
    try:
        warnings = json.loads(said)
    except (ValueError, RecursionError):
        return None
    if not isinstance(warnings, list) or not all(isinstance(each, str) for each in warnings):
        return None
    return tuple(warnings)


def _is_text(value: object) -> bool:
    """Whether it is text that SQLite can have been given."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _remedy(error: Exception) -> str:
    """What helps. A file that is sound must not be removed for being locked or full."""
    said = str(error)
    if "locked" in said or "busy" in said:
        return (
            "another program has it; wait until that is done, or name another file with --store."
            " Finished fits are kept"
        )
    if "full" in said or "disk I/O" in said or getattr(error, "errno", None) == errno.ENOSPC:
        return (
            "is there room on the disk? With some more, run the same command again: finished fits"
            " are kept"
        )
    if isinstance(error, sqlite3.DatabaseError) and _corrupt(error):
        return (
            "name another file with --store, or, if this was a store, remove it: its fits are"
            " made again"
        )
    return "name another file with --store"


def _corrupt(error: sqlite3.DatabaseError) -> bool:
    """Whether the content of the file is at fault, not its place, its lock or the room for it."""
    words = ("malformed", "not a database", "no such column", "no such table", "corrupt")
    return any(each in str(error) for each in words)


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
