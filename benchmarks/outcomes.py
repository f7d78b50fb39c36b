"""How long the tables of the 14 tests take on the Epsilon population: shuffled, and drawn at once.

    python benchmarks/outcomes.py [replications]

Both in one run on one core, the best of five; microseconds for each replication.
"""

from __future__ import annotations

import sys
import time
from typing import Callable

import epsilon
import numpy as np

from cvinfer.data.populations import outcomes
from cvinfer.partitions.outcomes import OutcomeTables


def best(replications: int, work: Callable[[], object], times: int = 5) -> float:
    """Microseconds for each replication, the best of some times."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return 1e6 * min(seconds) / replications


def measure(replications: int = epsilon.CHUNK) -> dict[str, float]:
    rng = np.random.default_rng(1)
    codes = outcomes("epsilon", replications, epsilon.N, rng)
    partitions = list(epsilon._partitions(seed=1).values())
    drawn = OutcomeTables(partitions)
    return {
        "outcomes": best(replications, lambda: outcomes("epsilon", replications, epsilon.N, rng)),
        "tables, shuffled": best(replications, lambda: epsilon.tables(codes, rng)),
        "tables, drawn": best(replications, lambda: drawn.draw(codes, rng)),
    }


if __name__ == "__main__":
    for name, microseconds in measure(*map(int, sys.argv[1:2])).items():
        print(f"{name:18} {microseconds:8.1f} µs a replication")
