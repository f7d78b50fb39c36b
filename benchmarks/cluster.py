"""What a Dask cluster costs beside the local back end, and what a second worker gains.

Each case is measured in a process of its own, on a cluster on loopback that is there already, and
what is compared is measured in one run of this file: seconds move with what else the machine does,
ratios less. A fit that does nothing is the majority class of 40 records.

    .venv/bin/python benchmarks/cluster.py
    .venv/bin/python benchmarks/cluster.py --only no-op --sizes 1000 20000
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Optional, Sequence

ROOT = Path(__file__).resolve().parent.parent
#: What is promised: time on two Dask workers over that on two of our own; one over two Dask
#: workers; milliseconds a fit that does nothing; growth of the client's memory.
MOST_OVER_LOCAL, LEAST_SPEED_UP, MOST_OVERHEAD, MOST_GROWTH = 1.15, 1.8, 2.0, 1.2
CASES = ("no-op", "letter", "study")
SIZES = (1_000, 20_000)


def no_op_spec(fits: int) -> dict[str, Any]:
    return {
        "cvinfer": 1,
        "name": "no-op",
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 40},
        "learners": {
            "A": {"engine": "builtin", "learner": "majority"},
            "B": {"engine": "builtin", "learner": "mean"},
        },
        "tests": ["repeated_holdout_t"],
        "partition": {"scheme": "repeated_holdout", "j": fits // 2},
    }


def measure(case: str, size: int, where: str) -> dict[str, Any]:
    """One case in this process, with an empty store in memory."""
    from cvinfer.execute.backends.dask import Cluster
    from cvinfer.execute.store import Store
    from cvinfer.runner import stages

    cluster = None if where.isdigit() else Cluster(where)
    jobs = int(where) if where.isdigit() else None
    sent = 0
    with Store(None) as store:
        began = time.monotonic()
        if case == "study":
            from cvinfer.studies import simulate

            spec = ROOT / "specs" / "studies" / "type-1-error.yaml"
            outcome = simulate(spec, replications=size, jobs=jobs, backend=cluster).outcome
        else:
            source: Any = ROOT / "specs" / "letter-quick.yaml"
            planned = stages.plan(stages.load(no_op_spec(size) if case == "no-op" else source))
            began = time.monotonic()
            outcome = stages.execute(planned, store, jobs=jobs, backend=cluster)
        seconds = time.monotonic() - began
    if cluster is not None:
        sent = cluster.connected().sent
        cluster.close()
    return {
        "seconds": seconds,
        "working": outcome.working,
        "in learners": outcome.seconds,
        "fits": outcome.fitted,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "sent": sent,
    }


def measured(case: str, size: int, where: str) -> dict[str, Any]:
    """The same in a process of its own."""
    words = [sys.executable, __file__, "--one", case, str(size), where]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case} of {size} on {where} failed: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    found.update(case=case, size=size, where="local" if where.isdigit() else "dask")
    return found


def judged(text: str, value: float, bound: float, most: bool) -> bool:
    fine = value <= bound if most else value >= bound
    word = "at most" if most else "at least"
    print(f"  {text}: {value:.2f} ({word} {bound:g}){'' if fine else '  MISSED'}", flush=True)
    return fine


def no_op(one: str, sizes: Sequence[int]) -> bool:
    """Milliseconds a fit, and the client's memory, for few fits and for many."""
    rows = [measured("no-op", size, one) for size in sizes]
    overheads = []
    for row in rows:
        overheads.append(1000 * (row["working"] - row["in learners"]) / row["fits"])
        print(
            f"no-op, {row['fits']:,} fits: {row['working']:.1f} s, client's peak"
            f" {row['peak MB']:.0f} MB, {row['sent'] / row['fits']:.0f} bytes a fit sent"
        )
    fine = [judged("ms a fit", each, MOST_OVERHEAD, True) for each in overheads]
    growth = rows[-1]["peak MB"] / rows[0]["peak MB"]
    fine.append(judged("peak memory, most fits over fewest", growth, MOST_GROWTH, True))
    return all(fine)


def compared(case: str, size: int, two: str, one: str = "") -> bool:
    """Two workers of ours, two Dask workers on a cluster that is new to this, and once more; one.

    The first command on a cluster waits until each worker has asked R for its versions; they are
    asked once. Without `one` there is no comparison with a single worker.
    """
    local = measured(case, size, "2")["seconds"]
    print(f"{case}: two of ours {local:.1f} s", end="", flush=True)
    first, both = (measured(case, size, two)["seconds"] for _ in range(2))
    print(f", two Dask workers {both:.1f} s (the first time {first:.1f} s)", flush=True)
    fine = [judged("two Dask workers over two of ours", both / local, MOST_OVER_LOCAL, True)]
    if one:
        single, ours = measured(case, size, one)["seconds"], measured(case, size, "1")["seconds"]
        print(f"{case}: one Dask worker {single:.1f} s, one of ours {ours:.1f} s")
        print(f"  one of ours over two of ours: {ours / local:.2f} (what the machine has to give)")
        fine.append(judged("one Dask worker over two", single / both, LEAST_SPEED_UP, False))
    return all(fine)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES, help="fits that do nothing")
    parser.add_argument("--replications", type=int, default=300, help="of the study")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        case, size, where = given.one
        print(json.dumps(measure(case, int(size), where)))
        return 0
    from cvinfer.execute.backends._dask.site import Local

    load = f"{os.getloadavg()[0]:.1f} with {os.cpu_count()} cores"
    print(f"load of the machine before: {load}", flush=True)
    one, two = Local(1, False), Local(2, False)
    fine = True
    try:
        for case in given.only or CASES:
            if case == "no-op":
                fine &= no_op(one.address, given.sizes)
            else:
                # Ten seconds of fits are too few to see what a second worker gains.
                single = one.address if case == "study" else ""
                fine &= compared(case, given.replications, two.address, single)
    finally:
        one.close()
        two.close()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
