"""What a comparison on many data sets needs, beside one on the largest of them alone.

Six quick learners are fitted on ten folds of every csv file of a folder (`--data`, with the class
in the column `class`), or of forty drawn data sets of 300 to 30,000 records. Said are the seconds
from the start of the command to the first finished fit, which is when progress is seen to move, and
the largest memory of the main process and of any worker; then the same for the largest data set
alone, and the ratios. At most 10 seconds on two idle cores, and ratios near 1, are wanted: memory
is that of one data set at a time. Exit code 1 where that is not so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, Optional, Sequence

MOST_SECONDS, MOST_RATIO = 10.0, 1.25
LEARNERS = {
    "majority": {"engine": "builtin", "learner": "majority"},
    "bayes": {"engine": "sklearn", "learner": "GaussianNB"},
    "stump": {"engine": "sklearn", "learner": "DecisionTreeClassifier", "params": {"max_depth": 1}},
    "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier", "params": {"max_depth": 4}},
    "centroid": {"engine": "sklearn", "learner": "NearestCentroid"},
    "ridge": {"engine": "sklearn", "learner": "RidgeClassifier"},
}


class Cost(NamedTuple):
    """Seconds until the first fit is done and until all is, megabytes of main and of a worker."""

    first: float
    whole: float
    main: float
    worker: float


def draw(folder: Path, sets: int) -> list[Path]:
    """Data sets of different sizes, the largest a hundred times the smallest."""
    import numpy as np

    from cvinfer.arrays import entries

    made = []
    for number in range(sets):
        random = np.random.default_rng(number)
        n = int(300 * 100 ** (number / max(1, sets - 1)))
        p = 10 + 2 * (number % 20)
        x = random.normal(size=(n, p))
        y = np.where(x[:, 0] + x[:, 1] + random.normal(size=n) > 0, "a", "b")
        path = folder / f"drawn{number:02}.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write(",".join(f"x{at}" for at in range(p)) + ",class\n")
            file.writelines(
                ",".join([*(f"{value:.4f}" for value in row), label]) + "\n"
                for row, label in zip(entries(x), entries(y))
            )
        made.append(path)
    return made


def spec_of(paths: Sequence[Path]) -> str:
    """The comparison, as JSON, which is YAML too."""
    sets = [
        {"source": "csv", "path": str(each), "target": "class", "missing": "impute"}
        for each in paths
    ]
    return json.dumps(
        {
            "cvinfer": 1,
            "name": "many",
            "data": sets,
            "learners": LEARNERS,
            "tests": ["corrected_kfold_t"],
        }
    )


def cost(paths: Sequence[Path], jobs: int) -> Cost:
    """What one run costs, with a store of its own."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        (directory / "spec.yaml").write_text(spec_of(paths), encoding="utf-8")
        words = [sys.executable, "-m", "cvinfer", "run", "spec.yaml", "--quiet"]
        words += ["--jobs", str(jobs), "--no-cache"]
        began = time.perf_counter()
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(words, cwd=directory, stdout=out, stderr=out)
            most: dict[int, float] = {}
            while process.poll() is None:
                for pid in (process.pid, *below(process.pid)):
                    most[pid] = max(most.get(pid, 0.0), high_water(pid))
                time.sleep(0.05)
            whole = time.perf_counter() - began
            out.seek(0)
            if process.returncode:
                sys.exit(f"the run ended with {process.returncode}:\n{out.read()}")
        seconds = json.loads((directory / "results/many/run.json").read_text())["seconds"]
    # The clock of the run begins when Python has started.
    before = whole - seconds["total"] + seconds["loading"] + seconds["planning"]
    main = most.pop(process.pid)
    return Cost(before + seconds["startup"], whole, main, max(most.values(), default=0.0))


def below(pid: int) -> list[int]:
    """All processes that came of one."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(each) for each in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *below(child)]
    return found


def high_water(pid: int) -> float:
    """The largest memory that a process ever had, in megabytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    sizes = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(sizes[0]) * 1024 / 1e6 if sizes else 0.0


def features(path: Path) -> int:
    """About how many values a data set has."""
    import pandas

    frame = pandas.read_csv(path, dtype="category")
    return int(frame.size)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of csv files with a column class")
    parser.add_argument("--sets", type=int, default=40, help="how many are drawn without --data")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        if given.data is None:
            paths = draw(Path(place), given.sets)
        else:
            paths = sorted(path.resolve() for path in given.data.glob("*.csv*"))
        sizes = {path: features(path) for path in paths}
        largest = max(paths, key=lambda path: sizes[path])
        many, one = cost(paths, given.jobs), cost([largest], given.jobs)
    print(f"{len(paths)} data sets, the largest {largest.name} with {sizes[largest]:,} values of")
    print(f"{sum(sizes.values()):,}; {len(LEARNERS)} learners, 10 splits, {given.jobs} workers")
    print(f"  {'':16}{'first fit s':>12}{'all s':>8}{'main MB':>9}{'worker MB':>11}")
    for name, each in (("all of them", many), ("the largest", one)):
        told = f"{each.first:12.1f}{each.whole:8.1f}{each.main:9.0f}{each.worker:11.0f}"
        print(f"  {name:16}{told}")
    ratios = many.main / one.main, many.worker / one.worker
    print(f"  {'ratio':16}{many.first / one.first:12.2f}{many.whole / one.whole:8.2f}", end="")
    print(f"{ratios[0]:9.2f}{ratios[1]:11.2f}")
    return 0 if many.first <= MOST_SECONDS and max(ratios) <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
