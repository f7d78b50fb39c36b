"""What cvinfer costs beside the learners themselves, and what a second worker gains.

Overhead: the 14 tests of the 5×2 BCV McNemar paper on 2,000 records with one worker. Wall time from
the first fit begun to the last fit stored, with inference and writing, over the time inside the
learners' own fit and predict. The start of the worker is told apart.

Speed-up: wall time of whole runs, start included, with one worker over that with two, on a job of
about a minute.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence

MOST_OVERHEAD = 1.15
LEAST_SPEED_UP = 1.7
LETTER = Path(__file__).resolve().parent.parent / "specs" / "data" / "letter.csv.gz"

TESTS = (
    "proportion_z",
    "holdout_mcnemar",
    "repeated_holdout_t",
    "corrected_repeated_holdout_t",
    "kfold_t",
    "naive_kfold_mcnemar",
    "cvci_z",
    "corrected_repeated_kfold_t",
    "dietterich_5x2_t",
    "combined_5x2_t",
    "combined_5x2_f",
    "blocked_3x2_t",
    "calibrated_5x2_bcv_f",
    "bcv_5x2_mcnemar",
)
NEIGHBOUR = {"engine": "sklearn", "learner": "KNeighborsClassifier", "params": {"n_neighbors": 1}}
TREE = {"engine": "sklearn", "learner": "DecisionTreeClassifier"}


def forest(trees: int) -> dict[str, Any]:
    params = {"n_estimators": trees}
    return {"engine": "sklearn", "learner": "RandomForestClassifier", "params": params}


def data(n: int, directory: Path) -> dict[str, Any]:
    """`n` records of letter where it is at hand, made-up ones of the same width otherwise."""
    if LETTER.is_file():
        # Beside the spec, so that the result does not hold a path of this machine.
        shutil.copy(LETTER, directory / "letter.csv.gz")
        found = {"source": "csv", "path": "letter.csv.gz", "target": "class"}
        return {**found, "sample": {"n": n}}
    import numpy as np

    rng = np.random.default_rng(1)
    y = rng.integers(26, size=n)
    x = rng.normal(size=(26, 16))[y] + rng.normal(size=(n, 16))
    header = ",".join([*(f"x{j}" for j in range(16)), "class"])
    rows = np.column_stack([x, y])
    np.savetxt(directory / "made.csv", rows, delimiter=",", header=header, comments="")
    return {"source": "csv", "path": "made.csv", "target": "class"}


def timed(directory: Path, name: str, learners: dict[str, Any], n: int, jobs: int) -> Any:
    """One whole run from nothing; a name of its own, so that no run finds another's fits."""
    from cvinfer.runner import run

    (directory / name).mkdir()
    spec = {
        "cvinfer": 1,
        "name": name,
        "data": data(n, directory / name),
        "learners": learners,
        "tests": list(TESTS),
        "seed": 1,
    }
    import json

    path = directory / name / "spec.json"
    path.write_text(json.dumps(spec))
    output = directory / name / "result"
    return run(path, jobs=jobs, output=output, write=True)


def overhead(directory: Path, n: int) -> float:
    result = timed(directory, "overhead", {"1-NN": NEIGHBOUR, "tree": TREE}, n, 1)
    seconds = result.seconds
    wall = seconds["working"] + seconds["inference"] + seconds["writing"]
    ratio = wall / seconds["in learners"]
    print(f"one worker, n = {n}, {result.outcome.fitted} fits of 1-NN and a tree")
    for name in ("startup", "working", "inference", "writing", "in learners"):
        print(f"  {name:12} {seconds[name]:8.3f} s")
    print(f"  wall over learners {ratio:.3f} (at most {MOST_OVERHEAD})")
    return ratio


def speed_up(directory: Path, n: int, trees: int) -> float:
    learners = {"1-NN": NEIGHBOUR, "tree": TREE, "forest": forest(trees)}
    walls = []
    for jobs in (1, 2):
        result = timed(directory, f"jobs-{jobs}", learners, n, jobs)
        walls.append(result.seconds["total"])
        print(f"{jobs} worker(s), {result.outcome.fitted} fits: {walls[-1]:.1f} s")
    ratio = walls[0] / walls[1]
    print(f"  two workers are {ratio:.2f} times faster (at least {LEAST_SPEED_UP})")
    return ratio


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--n", type=int, default=2000, help="records")
    parser.add_argument("--trees", type=int, default=200, help="trees of the slower learner")
    parser.add_argument("--only", choices=("overhead", "speed-up"), help="one of the two")
    options = parser.parse_args(arguments)
    fine = True
    with tempfile.TemporaryDirectory() as made:
        if options.only != "speed-up":
            fine &= overhead(Path(made), options.n) <= MOST_OVERHEAD
        if options.only != "overhead":
            fine &= speed_up(Path(made), options.n, options.trees) >= LEAST_SPEED_UP
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
