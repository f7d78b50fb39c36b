"""How many cells agree, and how many beyond |z| = 3 chance would bring about."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Mapping, NamedTuple

from scipy import stats

from cvinfer.studies.ledger.compare import BEYOND, Compared
from cvinfer.studies.ledger.model import VERDICTS

#: Share of a normal distribution beyond ±3.
SHARE = float(2.0 * stats.norm.sf(BEYOND))


class Counts(NamedTuple):
    """Cells by verdict, in the order of `VERDICTS`."""

    of: Mapping[str, int]

    @property
    def all(self) -> int:
        return sum(self.of.values())


class Chance(NamedTuple):
    """compared: cells with a z. beyond: those with |z| ≥ 3. expected: how many chance brings.

    probability: that chance brings at least as many, if the cells were independent.
    """

    compared: int
    beyond: int
    expected: float
    probability: float


def count(cells: Iterable[Compared]) -> Counts:
    found = Counter(cell.verdict for cell in cells)
    return Counts({verdict: found.get(verdict, 0) for verdict in VERDICTS})


def chance(cells: Iterable[Compared]) -> Chance:
    """Misprints are no deviations of chance and are left out."""
    sizes = [abs(cell.z) for cell in cells if cell.z is not None and cell.verdict != "misprint"]
    beyond = sum(size >= BEYOND for size in sizes)
    probability = float(stats.binom.sf(beyond - 1, len(sizes), SHARE)) if sizes else 1.0
    return Chance(len(sizes), beyond, SHARE * len(sizes), probability)
