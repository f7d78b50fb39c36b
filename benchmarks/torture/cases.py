"""Parts, their cases, and what became of them."""

from __future__ import annotations

import random
import sys
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

#: A case is given up after this many faults of its part: the rest would be more of the same.
ENOUGH = 40


class Fault(Exception):
    """Something gave way."""


class Skip(Exception):
    """A case cannot be had on this machine; the message says why."""


@dataclass
class Tally:
    """What became of the cases of one part. `worst` are the largest of some measured numbers."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    _lock: Any = field(default_factory=threading.Lock)

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.counts[what] += number

    def measured(self, what: str, value: float) -> None:
        with self._lock:
            self.worst[what] = max(value, self.worst.get(what, 0.0))

    def fault(self, number: int, message: str) -> None:
        with self._lock:
            self.faults.append((number, message))

    def skip(self, why: str) -> None:
        with self._lock:
            self.skipped[why] += 1


@dataclass(frozen=True)
class Case:
    """One case: where it may write, what it draws from, where it counts."""

    number: int
    place: Path
    draw: random.Random
    tally: Tally
    ground: Any


@dataclass(frozen=True)
class Part:
    """Cases of one kind. `prepared` makes what they share. `target` is how many of `counted` are
    wanted in a whole run; without `counted` it is the number of cases."""

    name: str
    title: str
    target: int
    case: Callable[[Case], None]
    prepared: Optional[Callable[[Path, Tally], Any]] = None
    counted: Optional[str] = None


def carry_out(
    part: Part, seed: int, share: float, place: Path, jobs: int, only: Sequence[int] = ()
) -> Tally:
    """Run the cases of a part, several at a time, until there are enough."""
    tally = Tally()
    began = time.monotonic()
    place.mkdir()
    try:
        ground = part.prepared(place / "ground", tally) if part.prepared else None
    except Exception as error:  # what is not tried must not pass for success
        tally.fault(-1, f"nothing could be prepared: {error}")
        return tally
    wanted = max(1, round(part.target * share))

    def enough(numbers_given: int) -> bool:
        if len(tally.faults) >= ENOUGH or numbers_given > 20 * wanted + 100:
            return True
        return (tally.counts[part.counted] if part.counted else numbers_given) >= wanted

    def one(number: int) -> None:
        where = place / str(number)
        where.mkdir()
        draw = random.Random(f"{seed} {part.name} {number}")
        try:
            part.case(Case(number, where, draw, tally, ground))
        except Skip as why:
            tally.skip(str(why))
        except Fault as fault:
            tally.fault(number, str(fault))
        except Exception:  # the program itself is at fault, which must not pass for success
            tally.fault(number, "in the torture itself: " + traceback.format_exc())

    given = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal given
        while True:
            with lock:
                if enough(given):
                    return
                number, given = given, given + 1
            one(number)
            if sys.stderr.isatty():
                print(f"\r{part.name}: {given} cases", end="", file=sys.stderr, flush=True)

    if only:
        for number in only:
            one(number)
    else:
        with ThreadPoolExecutor(jobs) as pool:
            for each in [pool.submit(work) for _ in range(jobs)]:
                each.result()
    close = getattr(ground, "close", None)
    if close is not None:
        for message in close():
            tally.fault(-1, message)
    tally.seconds = time.monotonic() - began
    return tally
