"""Run the studies of error rates and coverage by measure: specs/rates, one for each learner.

    .venv/bin/python benchmarks/study_rates.py --replications 3000 --jobs 2

What comes of specs/rates/null/naive_bayes.yaml is a study.json that goes to
cvinfer/inference/rates/null/naive_bayes.json, which docs/tests.md and the choice of the recommended
test read. Replications are stored (`--store`), so that a study that was interrupted, or is to have
more of them, goes on where it stopped. About a quarter of an hour of computing for 1,000
replications of all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Sequence

from cvinfer.inference.measured import STUDIED
from cvinfer.studies import simulate
from cvinfer.studies.files import study_text

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "specs" / "rates"
OUTPUT = ROOT / "cvinfer" / "inference" / "rates"


def specs() -> list[Path]:
    """Those that are judged by first."""
    return [path for role in STUDIED for path in sorted((SPECS / role).glob("*.yaml"))]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Error rates and coverage by measure.")
    parser.add_argument("--replications", type=int, help="the specs' own number where left out")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--store", type=Path, default=ROOT / "results" / "rates.sqlite")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("names", nargs="*", help="null/naive_bayes ...; all where left out")
    given = parser.parse_args(arguments)
    for spec in specs():
        name = spec.relative_to(SPECS).with_suffix("")
        if given.names and str(name) not in given.names:
            continue
        found = simulate(spec, replications=given.replications, jobs=given.jobs, store=given.store)
        path = given.output / name.with_suffix(".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(study_text(found.document), encoding="utf-8")
        print(name, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
