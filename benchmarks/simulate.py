"""Speed of studies: S1's Simple column, the Epsilon population, learners of R and Weka.

Simple (n = 1,000, logistic regression of R against the majority, 14 tests): the share of one
worker's time that is inside learners; two workers against one, by the clock and with their start;
replications against a loop over `cvinfer.run`, one test at a time, so that no fit is shared. Of
the loop the starts of its workers are left out, which are most of it.

Epsilon (14 tests, nothing is fitted): replications a second of `cvinfer simulate` with one worker
on one core against `study` of benchmarks/epsilon.py, in processor time of all processes, imports
left out; and the largest memory of a process for two numbers of replications.

R (`tree` against the weighted nearest neighbour on 300 letters): what a worker's time has beside
the fits' own, as a share of these. Weka: fits of J48 on 300 letters a second against a plain loop
over RWeka's own functions, both from a cold JVM.

Where others use the machine, times by the clock say little: two workers against one most of all.
Exit code 1 where a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import epsilon
from overhead import TESTS

HERE = Path(__file__).resolve().parent
LETTER = HERE.parent / "specs" / "data" / "letter.csv.gz"

LEAST_SHARE = 0.85
LEAST_SPEED_UP = 1.8
LEAST_OVER_LOOP = 1.4
LEAST_OVER_STUDY = 2.0
MOST_MEMORY = 500
MOST_R = 0.15
LEAST_OVER_RWEKA = 3.0

GLM = {"engine": "r", "learner": "glm"}
MAJORITY = {"engine": "builtin", "learner": "majority"}
TREE = {"engine": "r", "learner": "tree"}
NEIGHBOUR = {
    "engine": "builtin",
    "learner": "first_nearest_neighbour",
    "params": {"v": 30.09},
}
SIMPLE = {"source": "synthetic", "population": "simple", "n": 1000, "delta": 0.0}
LETTERS = {"source": "csv", "path": str(LETTER), "target": "class"}


class Ran(NamedTuple):
    """Seconds by the clock: all of it, from the first fit to the last, inside learners; and fits'
    processor time, of this process and its workers."""

    total: float
    working: float
    inside: float
    processor: float


def simulated(learners: Mapping[str, Any], study: Mapping[str, Any], jobs: int, **more: Any) -> Ran:
    """A study from nothing, with a store of its own."""
    from cvinfer.studies import simulate

    spec: dict[str, Any] = {"cvinfer": 1, "name": "speed", "study": study, "seed": 1}
    spec["tests"] = list(TESTS)
    if learners:
        spec.update(learners=learners, compare=list(learners))
    spec.update(more)
    with tempfile.TemporaryDirectory() as made:
        began, clock = processor_time(), time.monotonic()
        found = simulate(spec, jobs=jobs, store=Path(made) / "store.sqlite")
        wall = time.monotonic() - clock
    if found.failed:
        sys.exit(str(found.document["failures"][0]))
    outcome = found.outcome
    return Ran(wall, outcome.working, outcome.seconds, processor_time() - began)


def processor_time() -> float:
    """Of this process and of those that it waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def told(what: str, value: float, bound: float, least: bool, unit: str = "") -> bool:
    word = "at least" if least else "at most"
    print(f"  {what:52} {value:8.3f}{unit} ({word} {bound:g}{unit})", flush=True)
    return value >= bound if least else value <= bound


# --- Simple ---------------------------------------------------------------------------------------


def simple(options: argparse.Namespace) -> bool:
    count = options.simple
    print(f"Simple, n = 1,000, {count} replications, 14 tests")
    learners = {"glm": GLM, "majority": MAJORITY}
    study = {"population": SIMPLE, "replications": count}
    ran = {jobs: simulated(learners, study, jobs) for jobs in (1, 2)}
    for jobs, each in ran.items():
        print(
            f"  {jobs} worker(s): {each.total:.1f} s, {each.working:.1f} s from the first fit to"
            f" the last, {each.inside:.1f} s inside learners, {each.processor:.1f} s of processors"
        )
    seconds, inside = one_by_one(options.loop)
    print(f"  one run a test: {seconds:.2f} s a replication, {inside:.2f} s inside learners")
    one, two = ran[1], ran[2]
    fine = told("one worker's time inside learners", one.inside / one.working, LEAST_SHARE, True)
    fine &= told("two workers against one", one.total / two.total, LEAST_SPEED_UP, True)
    loop = seconds / (one.working / count)
    return told("one worker against a loop over runs", loop, LEAST_OVER_LOOP, True) and fine


def one_by_one(replications: int) -> tuple[float, float]:
    """Seconds a replication takes with one run for each test, from first fit to result, and of
    them inside learners."""
    from cvinfer.runner import run

    total = inside = 0.0
    for number in range(replications):
        for test in TESTS:
            spec = {
                "cvinfer": 1,
                "name": "loop",
                "data": SIMPLE,
                "learners": {"glm": GLM, "majority": MAJORITY},
                "compare": ["glm", "majority"],
                "tests": [test],
                "seed": number + 1,
            }
            seconds = run(spec, jobs=1).seconds
            total += seconds["working"] + seconds["inference"]
            inside += seconds["in learners"]
    return total / replications, inside / replications


# --- Epsilon --------------------------------------------------------------------------------------


def drawn(options: argparse.Namespace) -> bool:
    count = options.epsilon
    print(f"Epsilon, n = {epsilon.N}, {count} replications, 14 tests, one core")
    few = max(count // 5, 1)
    rates, megabytes = [], []
    before: list[float] = []
    for size in (few, count):
        before.append(share_of_study(max(size // 5, 1000)))
        rate, most = alone(size)
        rates.append(rate)
        megabytes.append(most)
        print(f"  {size} replications: {rate:.0f} a second, {most:.0f} MB in the largest process")
    before.append(share_of_study(few))
    print(f"  benchmarks/epsilon.py: {', '.join(f'{rate:.0f}' for rate in before)} a second")
    over = rates[-1] / (sum(before) / len(before))
    fine = told("simulate against the study of benchmarks/epsilon.py", over, LEAST_OVER_STUDY, True)
    return told("peak memory", max(megabytes), MOST_MEMORY, False, " MB") and fine


def share_of_study(replications: int) -> float:
    """Replications a second of the plain study in batches."""
    epsilon.study(epsilon.CHUNK)
    began = processor_time()
    epsilon.study(replications)
    return replications / (processor_time() - began)


def alone(replications: int) -> tuple[float, float]:
    """Replications a second and the megabytes of the largest process, in a process of its own."""
    command = [sys.executable, str(Path(__file__)), "--measure", str(replications)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    rate, most = json.loads(done.stdout)
    return rate, most


def measure(replications: int) -> None:
    """What `alone` asks for."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    population = {"source": "synthetic", "population": "epsilon", "epsilon": epsilon.EPSILON}
    # Imports are not what is measured.
    simulated({}, {"population": population, "replications": 100}, 1)
    ran = simulated({}, {"population": population, "replications": replications}, 1)
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(each).ru_maxrss for each in who) / 1024
    print(json.dumps([replications / ran.processor, most]))


# --- R and Weka -----------------------------------------------------------------------------------


def foreign(options: argparse.Namespace) -> bool:
    count = options.letter
    print(f"letters, n = 300, {count} replications, 14 tests, one worker")
    study = {"population": LETTERS, "draw": {"n": 300, "replace": True}, "replications": count}
    ran = simulated({"tree": TREE, "neighbour": NEIGHBOUR}, study, 1)
    print(f"  {ran.working:.1f} s, {ran.inside:.1f} s inside tree and the nearest neighbour")
    return told("beside the fits, over the fits", ran.working / ran.inside - 1, MOST_R, False)


def weka(options: argparse.Namespace) -> bool:
    import weka as by_hand

    count = options.weka
    print(f"Weka's J48 on letters, n = 300, {10 * count} fits of a 5×2, one worker")
    with tempfile.TemporaryDirectory() as made:
        case = by_hand.case(300, Path(made) / "case")
        halves = case.splits.read_text()
        case.splits.write_text(halves * count)
        command = ["Rscript", str(HERE / "plain_rweka.R"), "J48"]
        plain: list[float] = []
        own: list[float] = []
        for _ in range(options.passes):
            seconds, _ = by_hand.outside(command, case, "RWeka")
            plain.append(10 * count / seconds)
            study = {"population": LETTERS, "draw": {"n": 300}, "replications": count}
            learner = {"J48": {"engine": "rweka", "learner": "J48"}}
            tests = [{"combined_5x2_t": {"mu0": 0.5}}]
            ran = simulated(learner, study, 1, tests=tests)
            own.append(10 * count / ran.working)
    rates = [f"{theirs:.0f} and {ours:.0f}" for theirs, ours in zip(plain, own)]
    print(f"  fits a second of RWeka and of cvinfer: {', '.join(rates)}")
    return told("J48 against a plain loop", max(own) / max(plain), LEAST_OVER_RWEKA, True)


PARTS: Mapping[str, Callable[[argparse.Namespace], bool]] = {
    "simple": simple,
    "epsilon": drawn,
    "r": foreign,
    "weka": weka,
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--simple", type=int, default=200, help="replications of Simple")
    parser.add_argument("--loop", type=int, default=3, help="replications of the loop over runs")
    parser.add_argument("--epsilon", type=int, default=100_000, help="replications of Epsilon")
    parser.add_argument("--letter", type=int, default=20, help="replications with R's tree")
    parser.add_argument("--weka", type=int, default=30, help="replications with Weka's J48")
    parser.add_argument("--passes", type=int, default=2, help="of both ways to Weka")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), help="some of the parts")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        measure(options.measure)
        return 0
    fine = True
    for name in options.only or PARTS:
        fine &= PARTS[name](options)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
