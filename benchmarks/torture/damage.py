"""Stores with a flipped bit, or a piece that is missing: the same bytes, or a clear refusal."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Callable, Mapping

from torture.cases import Case, Fault, Part, Tally
from torture.commands import clear, no_complaint, nothing_left, same
from torture.comparisons import BAYES, TREE, Comparison, undisturbed
from torture.inside import Several

NAME = "store.sqlite"
ENDS = ("", "-wal", "-shm")


@dataclass
class Ground:
    comparison: Comparison
    stores: Mapping[str, Path]
    inside: Several

    def close(self) -> list[str]:
        return self.inside.close()


def prepared(place: Path, tally: Tally) -> Ground:
    comparison = undisturbed(place / "Python", {"tree": TREE, "Bayes": BAYES})
    whole = place / "Python" / "r" / NAME
    stores = {"closed": place / "closed"}
    stores["closed"].mkdir()
    shutil.copy(whole, stores["closed"] / NAME)
    for name, merged in (("all in the log", 0), ("half in the log", 16)):
        stores[name] = place / name.replace(" ", "-")
        _open_store(whole, stores[name], merged)
    return Ground(comparison, stores, Several(place / "inside", 2))


def _open_store(whole: Path, to: Path, merged: int) -> None:
    """A store as a killed run leaves it: all but the first `merged` fits in the write-ahead log."""
    import sqlite3

    from cvinfer.execute.store import Store

    to.mkdir()
    with Store(whole) as source, sqlite3.connect(whole) as keys, Store(to / "new") as made:
        rows = keys.execute("select key, learner from fits order by key").fetchall()
        made._db.execute("pragma wal_autocheckpoint = 0")
        for number, (key, learner) in enumerate(rows):
            if number == merged:
                made._db.execute("pragma wal_checkpoint(truncate)").fetchall()
            fit = source.get(key)
            assert fit is not None
            made.put(key, learner, fit)
        for end in ENDS:  # as they are in the middle of it
            shutil.copy(f"{to / 'new'}{end}", f"{to / NAME}{end}")
    for end in ENDS:
        Path(f"{to / 'new'}{end}").unlink(missing_ok=True)


# --- the damage -----------------------------------------------------------------------------------


def flipped_bit(path: Path, draw: Random) -> str:
    data = bytearray(path.read_bytes())
    # Half of them where there is something: much of a small file is empty.
    full = [number for number, byte in enumerate(data) if byte] or [0]
    at, bit = draw.choice((draw.choice(full), draw.randrange(len(data)))), draw.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"bit {bit} of byte {at} of {path.name}"


def truncated(path: Path, draw: Random) -> str:
    size = draw.randrange(path.stat().st_size)
    with open(path, "r+b") as stream:
        stream.truncate(size)
    return f"{path.name} cut to {size} bytes"


def overwritten(path: Path, draw: Random) -> str:
    data = bytearray(path.read_bytes())
    at, size = draw.randrange(len(data)), draw.choice((1, 16, 512, 4096))
    data[at : at + size] = draw.choice((bytes(size), draw.randbytes(size)))[: len(data) - at]
    path.write_bytes(data)
    return f"{size} bytes from {at} of {path.name} overwritten"


def grown(path: Path, draw: Random) -> str:
    with open(path, "ab") as stream:
        stream.write(draw.randbytes(draw.choice((1, 100, 4096, 5000))))
    return f"{path.name} grown"


def removed(path: Path, draw: Random) -> str:
    path.unlink()
    return f"{path.name} removed"


KINDS: Mapping[str, tuple[int, Callable[[Path, Random], str]]] = {
    "flipped bits": (12, flipped_bit),
    "truncations": (6, truncated),
    "overwritten pieces": (2, overwritten),
    "grown files": (1, grown),
    "removed files": (1, removed),
}


def case(this: Case) -> None:
    ground: Ground = this.ground
    name = this.draw.choice(sorted(ground.stores))
    for each in ground.stores[name].iterdir():
        shutil.copy(each, this.place / each.name)
    store = this.place / NAME
    there = [path for path in (Path(f"{store}{end}") for end in ENDS) if path.is_file()]
    kind = this.draw.choice([kind for kind, (turns, _) in KINDS.items() for _ in range(turns)])
    # The index of the log is made anew by whoever opens the store; it is hit now and then.
    hit = this.draw.choice([path for path in there for _ in range(1 if "-shm" in path.name else 4)])
    what = f"{KINDS[kind][1](hit, this.draw)} ({name})"
    output = this.place / "made"
    words = ("run", ground.comparison.spec, "--store", store, "--output", output, "--jobs", 1)
    answer = ground.inside.ask(this.place, *words, "--quiet")
    no_complaint(answer)
    if answer.code == 0:
        same(output, ground.comparison.expected)
        this.tally.count("the same bytes")
        if "damaged in the store" in answer.text:
            this.tally.count("of these with a warning")
    elif answer.code == 2 and f"the store {store} cannot be used" in answer.text:
        if (output / "result.json").exists():
            raise Fault(f"{what}: refused, but there is a result")
        this.tally.count("clear refusals")
    else:
        raise Fault(f"{what}: {answer.short()}")
    nothing_left(this.place, output)
    _mended(this, what, words, refused=answer.code == 2)
    this.tally.count(kind)
    clear(this.place)


def _mended(this: Case, what: str, words: tuple[object, ...], refused: bool) -> None:
    """`store check` never fails in another way, and after `--mend` nothing is wrong any more."""
    store = this.place / NAME
    if not store.is_file():
        return
    checked = this.ground.inside.ask(this.place, "store", "check", "--mend", "--store", store)
    no_complaint(checked)
    if checked.code not in (0, 2):
        raise Fault(f"{what}: store check --mend: {checked.short()}")
    if not refused and checked.code != 0:
        raise Fault(f"{what}: a run used it, store check did not: {checked.short()}")
    if refused and checked.code == 0:
        answer = this.ground.inside.ask(this.place, *words)
        no_complaint(answer)
        if answer.code != 0:
            raise Fault(f"{what}: mended, but {answer.short()}")
        same(this.place / "made", this.ground.comparison.expected)
        this.tally.count("mended stores that run")


PART = Part("damage", "damaged stores", 200, case, prepared)
