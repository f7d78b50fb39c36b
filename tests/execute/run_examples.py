"""Data and specs for the tests of runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

S1_TESTS = (
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
MAJORITY = {"engine": "builtin", "learner": "majority"}
NEAREST_MEAN = {"engine": "builtin", "learner": "mean"}
TREE = {"engine": "sklearn", "learner": "DecisionTreeClassifier"}
BAYES = {"engine": "sklearn", "learner": "GaussianNB"}


def marked(mode: str, **params: Any) -> dict[str, Any]:
    learner = "tests.execute.bad_learners:Marked"
    return {"engine": "sklearn", "learner": learner, "params": {"mode": mode, **params}}


def write_data(directory: Path, n: int = 60, classes: int = 2, marked: int = 0) -> Path:
    """A csv with a mark (0 for one record), two features and a class that they tell of."""
    rng = np.random.default_rng(1)
    y = rng.integers(classes, size=n)
    x = rng.normal(size=(n, 2)) + y[:, None]
    rows = [f"{(i - marked) % n},{x[i, 0]:.6f},{x[i, 1]:.6f},c{y[i]}" for i in range(n)]
    path = directory / "data.csv"
    path.write_text("\n".join(["mark,u,v,class", *rows]) + "\n")
    return path


def spec_of(
    directory: Path,
    learners: Optional[Mapping[str, Any]] = None,
    tests: Sequence[Any] = ("kfold_t",),
    n: int = 60,
    classes: int = 2,
    marked: int = 0,
    **more: Any,
) -> Path:
    """A spec file beside its data."""
    directory.mkdir(parents=True, exist_ok=True)
    write_data(directory, n, classes, marked)
    spec = {
        "cvinfer": 1,
        "name": "made",
        "data": {"source": "csv", "path": "data.csv", "target": "class"},
        "learners": learners or {"A": MAJORITY, "B": NEAREST_MEAN},
        "tests": list(tests),
        "seed": 7,
        **more,
    }
    path = directory / "spec.json"
    path.write_text(json.dumps(spec))
    return path


def environment(*first: Path) -> dict[str, str]:
    """For python processes that the tests start; `first` are places of modules."""
    paths = [*map(str, first), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def script(text: str, cwd: Path, *arguments: object, **variables: str) -> "subprocess.Popen[bytes]":
    """A python process of its own process group that runs `text` from a file."""
    path = cwd / "script.py"
    path.write_text(text)
    return subprocess.Popen(
        [sys.executable, str(path), *map(str, arguments)],
        cwd=cwd,
        env={**environment(), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
