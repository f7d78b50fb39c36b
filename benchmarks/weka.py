"""What the way to Weka costs: J48 and IBk on letter, 10 half/half splits of one blocked 5×2.

(1) a plain RWeka script in R, (2) cvinfer with one worker, (3) the same fits in pure Java. Seconds
are without start-up: from the first fit begun to the last one done. Every way has a JVM of its
own and starts cold. All three must predict the same, record by record; that is checked.

Besides: start-up of a worker and its memory after J48 on 20,000 records, and how much faster two
workers are than one on the whole of specs/letter.yaml.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from cvinfer.arrays import entries

HERE = Path(__file__).resolve().parent
LETTER = HERE.parent / "specs" / "data" / "letter.csv.gz"
SPEC = HERE.parent / "specs" / "letter.yaml"
SIZES = (300, 2000, 20000)
CLASSES = {"J48": "weka.classifiers.trees.J48", "IBk": "weka.classifiers.lazy.IBk"}

MOST_OVER_JAVA = 1.15
LEAST_OVER_PLAIN = 2.0
MOST_START = 2.5
MOST_MEMORY = 350
LEAST_SPEED_UP = 1.6


class Case(NamedTuple):
    """The data of one size in the forms that the three ways read."""

    spec: dict[str, Any]
    data: Path
    splits: Path
    place: Path


class Ours(NamedTuple):
    seconds: float
    start: float
    memory: float
    codes: list[list[int]]


def case(n: int, place: Path) -> Case:
    """`n` letters, drawn by a fixed seed, with the splits that cvinfer makes of them."""
    from cvinfer.runner import load, run_plans

    place.mkdir()
    with gzip.open(LETTER, "rt", newline="") as stream:
        header, *rows = csv.reader(stream)
    chosen = np.sort(np.random.default_rng(n).choice(len(rows), n, replace=False))
    with open(place / "letter.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([header, *(rows[i] for i in chosen)])
    spec = {
        "cvinfer": 1,
        "name": f"letter-{n}",
        "data": {"source": "csv", "path": str(place / "letter.csv"), "target": "class"},
        "partition": {"scheme": "blocked_mx2", "m": 5},
        "tests": [],
        "intervals": ["f1_beta_prime"],
        "seed": 1,
    }
    majority = {"majority": {"engine": "builtin", "learner": "majority"}}
    made, (dataset,) = load({**spec, "learners": majority})
    (partition,) = run_plans(made, [dataset])
    assert partition is not None
    numbers = np.column_stack([dataset.truth, *(each.values for each in dataset.features)])
    np.savetxt(place / "data.txt", numbers, fmt="%g")
    with open(place / "splits.txt", "w") as stream:
        for split in partition.partitions[0].splits:
            for half in (split.train, split.test):
                stream.write(" ".join(map(str, entries(half))) + "\n")
    return Case(spec, place / "data.txt", place / "splits.txt", place)


def outside(command: Sequence[str], case: Case, which: str) -> tuple[float, list[list[int]]]:
    """Seconds that the other program tells, and its predictions."""
    out = case.place / "predictions.txt"
    words = [*command[:-1], str(case.data), str(case.splits), command[-1], str(out)]
    # Weka would make a folder in the user's home.
    variables = {**environment(), "WEKA_HOME": str(case.place / "weka")}
    done = subprocess.run(words, capture_output=True, text=True, env=variables)
    if done.returncode:
        sys.exit(f"{which} failed:\n{done.stderr}")
    codes = [list(map(int, line.split())) for line in out.read_text().splitlines()]
    return float(done.stdout.split()[-1]), codes


def environment() -> dict[str, str]:
    from cvinfer.engines._r.installation import library

    own = library()
    paths = [str(own)] if own else []
    if os.environ.get("R_LIBS"):
        paths.append(os.environ["R_LIBS"])
    return {**os.environ, "R_LIBS": os.pathsep.join(paths)}


def ours(case: Case, learner: str) -> Ours:
    from cvinfer.data import read_predictions
    from cvinfer.runner import run

    output = case.place / "result"
    shutil.rmtree(output, ignore_errors=True)
    (case.place / "store.sqlite").unlink(missing_ok=True)
    spec = {**case.spec, "learners": {learner: {"engine": "rweka", "learner": learner}}}
    with Watch() as watch:
        result = run(spec, jobs=1, output=output, write=True)
    if result.failed:
        sys.exit(str(result.document["failures"][0]))
    found = read_predictions("predictions.csv.gz", output)
    made = (column for column in found.predictions[learner, 0] if column is not None)
    codes = [entries(column) for column in made]
    seconds = result.seconds
    return Ours(seconds["working"], seconds["startup"], watch.most, codes)


class Watch:
    """The most memory that a child of this process has, in megabytes, while it lasts."""

    def __init__(self) -> None:
        self.most = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        import psutil  # type: ignore[import]

        me = psutil.Process()
        while not self._over.wait(0.05):
            for child in me.children(recursive=True):
                try:
                    self.most = max(self.most, child.memory_info().rss / 1e6)
                except psutil.Error:
                    continue


def compare(case: Case, learner: str, n: int, passes: int) -> tuple[bool, Ours]:
    jar = weka_jar()
    plain: list[float] = []
    java: list[float] = []
    own: list[float] = []
    codes: list[list[list[int]]] = []
    for _ in range(passes):
        seconds, made = outside(["Rscript", str(HERE / "plain_rweka.R"), learner], case, "RWeka")
        plain.append(seconds)
        codes.append(made)
        one = ours(case, learner)
        own.append(one.seconds)
        codes.append(one.codes)
        command = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", jar]
        words = [*command, str(HERE / "PureWeka.java"), CLASSES[learner]]
        seconds, made = outside(words, case, "Java")
        java.append(seconds)
        codes.append(made)
    same = all(each == codes[0] for each in codes)
    first, second, third = (float(statistics.median(each)) for each in (plain, own, java))
    over_plain, over_java = first / second, second / third
    fine = same
    wanted = []
    if n >= 2000:
        fine &= over_java <= MOST_OVER_JAVA
        wanted.append(f"(2)/(3) at most {MOST_OVER_JAVA}")
    if (learner, n) in (("J48", 300), ("IBk", 2000)):
        fine &= over_plain >= LEAST_OVER_PLAIN
        wanted.append(f"(1)/(2) at least {LEAST_OVER_PLAIN:g}")
    note = "" if same else "  PREDICTIONS DIFFER"
    print(
        f"{learner:4} {n:6} {first:9.2f} {second:9.2f} {third:9.2f} {over_plain:8.2f}"
        f" {over_java:8.2f}  {', '.join(wanted)}{note}",
        flush=True,
    )
    return fine, one


def weka_jar() -> str:
    words = ["Rscript", "-e", "cat(system.file('java', 'weka.jar', package = 'RWekajars'))"]
    found = subprocess.run(words, capture_output=True, text=True, env=environment()).stdout
    if not found:
        sys.exit("R has no package RWekajars; run tools/setup.sh")
    return found


def speed_up(place: Path) -> bool:
    from cvinfer.runner import run

    walls = []
    for jobs in (1, 2):
        start = time.monotonic()
        result = run(SPEC, jobs=jobs, output=place / f"letter-{jobs}" / "result", write=True)
        walls.append(time.monotonic() - start)
        print(
            f"specs/letter.yaml, {jobs} worker(s), {result.outcome.fitted} fits: {walls[-1]:.1f} s"
        )
    ratio = walls[0] / walls[1]
    print(f"  two workers are {ratio:.2f} times faster (at least {LEAST_SPEED_UP})")
    return ratio >= LEAST_SPEED_UP


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="numbers of records")
    parser.add_argument("--passes", type=int, default=3, help="runs of each way below 20,000")
    parser.add_argument("--no-letter", action="store_true", help="leave the whole spec out")
    options = parser.parse_args(arguments)
    fine = True
    largest: Optional[Ours] = None
    with tempfile.TemporaryDirectory() as made:
        if options.sizes:
            print("            (1) RWeka (2) cvinfer (3) Java  (1)/(2)  (2)/(3)")
        for n in options.sizes:
            one = case(n, Path(made) / str(n))
            for learner in CLASSES:
                passes = options.passes if n < 20000 else 1
                good, last = compare(one, learner, n, passes)
                fine &= good
                if learner == "J48":
                    largest = last
        if largest is not None:
            print(f"start of a worker {largest.start:.2f} s (at most {MOST_START})")
            memory = f"{largest.memory:.0f} MB (at most {MOST_MEMORY})"
            print(f"its memory after J48 on {n} records {memory}")
            fine &= largest.start <= MOST_START and largest.memory <= MOST_MEMORY
        if not options.no_letter:
            fine &= speed_up(Path(made))
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
