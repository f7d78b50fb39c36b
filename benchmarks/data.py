"""What `init`, `validate` and `run` need to read a csv file, in time and memory, beside pandas.

A file of n records, 20 features (15 numbers with six decimals, 3 whole numbers, 2 columns of text)
and a class is read by `pandas.read_csv` in a process of its own, then by each command, for the
first time and again, when what was read is kept beside the store. `run` draws a sample of 500
records and makes 20 quick fits. The time of pandas is that of `read_csv` alone; that of a command
is all of it, with its start, and the share is what is above one second, over the time of pandas.
Memory is the largest of the process. At most 3 times the time plus a second, and at most 2 times
the memory, are wanted of each at a million records; exit code 1 where that is not so.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, Optional, Sequence

MOST_TIME, SPARE, MOST_MEMORY = 3.0, 1.0, 2.0
PANDAS = """\
import sys, time
import pandas
began = time.perf_counter(), time.process_time()
pandas.read_csv(sys.argv[1])
print(time.perf_counter() - began[0], time.process_time() - began[1])
"""
SPEC = """\
cvinfer: 1
data: {source: csv, path: data.csv, target: y, sample: {n: 500}}
learners:
  tree: {engine: sklearn, learner: DecisionTreeClassifier}
  majority: {engine: builtin, learner: majority}
"""


class Cost(NamedTuple):
    """Seconds by the clock and of the processor, and the largest megabytes."""

    wall: float
    cpu: float
    memory: float


def write_data(path: Path, n: int) -> None:
    import numpy as np

    random = np.random.default_rng(1)
    colours = np.array(["red", "green", "blue", "yellow"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(f"x{at}" for at in range(20)) + ",y\n")
        for at in range(0, n, 50_000):
            size = min(50_000, n - at)
            x = random.normal(size=(size, 18))
            columns = [[f"{value:.6f}" for value in x[:, at]] for at in range(15)]
            columns += [[f"{100 * value:.0f}" for value in x[:, at]] for at in range(15, 18)]
            columns.append([str(each) for each in colours[random.integers(4, size=size)]])
            columns.append([f"c{code}" for code in random.integers(50, size=size)])
            noisy = x[:, 0] + random.normal(size=size) > 0
            columns.append(["yes" if each else "no" for each in noisy])
            file.writelines(map("{}\n".format, map(",".join, zip(*columns))))


def cost(words: Sequence[str], directory: Path) -> tuple[Cost, str]:
    """What a process costs, and what it printed."""
    with tempfile.TemporaryFile("w+") as out:
        began = time.perf_counter()
        process = subprocess.Popen(words, cwd=directory, stdout=out, stderr=out)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}:\n{text}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3), text


def pandas_cost(directory: Path) -> Cost:
    whole, text = cost([sys.executable, "-c", PANDAS, "data.csv"], directory)
    wall, cpu = map(float, text.split())
    return Cost(wall, cpu, whole.memory)


def least(costs: Sequence[Cost]) -> Cost:
    """What is left when others on the machine take least."""
    return Cost(
        min(each.wall for each in costs),
        min(each.cpu for each in costs),
        min(each.memory for each in costs),
    )


def measured(n: int, repeats: int) -> bool:
    """Print the costs for files of n records; whether they are as wanted."""
    command = [sys.executable, "-m", "cvinfer"]
    commands = {
        "init": [*command, "init", "data.csv", "--target", "y", "-o", "new.yaml", "--force"],
        "validate": [*command, "validate", "spec.yaml"],
        "run": [*command, "run", "spec.yaml", "--quiet"],
    }
    found: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        write_data(directory / "data.csv", n)
        (directory / "spec.yaml").write_text(SPEC, encoding="utf-8")
        time.sleep(0.2)  # what has just been written is not kept
        for _ in range(repeats):
            found.setdefault("pandas", []).append(pandas_cost(directory))
            for name, words in commands.items():
                shutil.rmtree(directory / "results", ignore_errors=True)
                for when in ("first", "again"):
                    found.setdefault(f"{name}, {when}", []).append(cost(words, directory)[0])
        size = (directory / "data.csv").stat().st_size / 1e6
    base = least(found.pop("pandas"))
    print(f"{n:,} records, {size:.0f} MB, least of {repeats}")
    print(f"  {'':16}{'clock s':>9}{'share':>7}{'cpu s':>8}{'share':>7}{'MB':>7}{'share':>7}")
    print(f"  {'pandas':16}{base.wall:9.2f}{'':7}{base.cpu:8.2f}{'':7}{base.memory:7.0f}")
    fine = True
    for name, costs in found.items():
        here = least(costs)
        by_clock, by_cpu = (here.wall - SPARE) / base.wall, (here.cpu - SPARE) / base.cpu
        memory = here.memory / base.memory
        print(
            f"  {name:16}{here.wall:9.2f}{by_clock:7.2f}{here.cpu:8.2f}{by_cpu:7.2f}"
            f"{here.memory:7.0f}{memory:7.2f}"
        )
        fine = fine and by_clock <= MOST_TIME and memory <= MOST_MEMORY
    return fine


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args(arguments)
    fine = {n: measured(n, given.repeats) for n in given.records}
    return 0 if fine.get(max(fine), True) else 1


if __name__ == "__main__":
    sys.exit(main())
