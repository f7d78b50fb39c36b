"""Speed of the inference: the Epsilon study with all 14 tests, in batches and in a plain loop.

Usage: python benchmarks/inference.py [replications]   (default 100000)

Prints type I errors, replications per second, peak memory, and the ratio to a plain loop of one
replication at a time, all measured in this one run.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any, Callable

import numpy as np

import epsilon
from cvinfer.inference import rejection_rate

LOOP_REPLICATIONS = 200


def timed(work: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(*args, **options), time.perf_counter() - start


def single_calls(replications: int) -> None:
    """The batch code itself, called with batches of one replication."""
    epsilon.study(replications, seed=1, chunk=1)


def main(replications: int) -> None:
    epsilon.study(2 * epsilon.CHUNK)  # imports and caches are not what is measured
    epsilon.plain_loop(5)
    decisions, seconds = timed(epsilon.study, replications)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    _, loop_seconds = timed(epsilon.plain_loop, LOOP_REPLICATIONS)
    _, single_seconds = timed(single_calls, LOOP_REPLICATIONS)

    print(f"type I errors at 0.05, {replications} replications, printed continuity correction")
    for name, reject in decisions.items():
        rate, error = rejection_rate(reject)
        print(f"  {name:30s} {rate:.4f} +- {error:.4f}")
    batch = replications / seconds
    loop = LOOP_REPLICATIONS / loop_seconds
    single = LOOP_REPLICATIONS / single_seconds
    print(f"batch:                     {batch:10.0f} replications per second")
    print(f"plain loop through plans:  {loop:10.1f} replications per second")
    print(f"batch code, one at a time: {single:10.1f} replications per second")
    print(f"ratio to the plain loop:   {batch / loop:10.1f}   (at least 30 wanted)")
    print(f"ratio to one at a time:    {batch / single:10.1f}")
    print(f"peak memory:               {peak:10.0f} MB      (at most 2048 wanted)")


if __name__ == "__main__":
    np.seterr(all="raise")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
