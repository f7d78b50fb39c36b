"""Studies for the tests: small, quick, and with everything in them that adds up."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Mapping, Optional

from tests.execute.run_examples import MAJORITY, NEAREST_MEAN, write_data

from cvinfer.documents import JsonObject

TESTS = ["kfold_t", "blocked_3x2_t", "bcv_5x2_mcnemar", "cvci_z"]
INTERVALS = ["f1_beta_prime", "blocked_3x2_t_interval", "error_kfold_t", "error_dataset_z"]

#: Variances, histograms, two partitions a set, truths and intervals, at two points.
WHOLE: JsonObject = {
    "cvinfer": 1,
    "name": "whole",
    "study": {
        "population": {"source": "sklearn", "dataset": "iris"},
        "draw": {"n": 40},
        "replications": 100,
        "grid": {"alpha": [0.05, 0.2]},
        "truth": {"records": "population"},
        "variances": True,
        "distributions": True,
        "partitions": 2,
    },
    "learners": {"A": MAJORITY, "B": NEAREST_MEAN},
    "compare": ["A", "B"],
    "tests": TESTS,
    "intervals": INTERVALS,
    "seed": 5,
}
#: One test of two rules, at one point.
PLAIN: JsonObject = {
    "cvinfer": 1,
    "name": "plain",
    "study": {
        "population": {"source": "sklearn", "dataset": "iris"},
        "draw": {"n": 40},
        "replications": 100,
    },
    "learners": {"A": MAJORITY, "B": NEAREST_MEAN},
    "compare": ["A", "B"],
    "tests": ["kfold_t"],
    "seed": 5,
}
#: The losses of two learners, drawn at once.
EPSILON: JsonObject = {
    "cvinfer": 1,
    "name": "losses",
    "study": {
        "population": {"source": "synthetic", "population": "epsilon", "epsilon": 0.1},
        "replications": 100,
        "variances": True,
    },
    "tests": ["kfold_t", "blocked_3x2_t"],
    "seed": 5,
}


def changed(study: Mapping[str, Any], **more: Any) -> JsonObject:
    """A study with other values: those of its section `study` by their names alone."""
    found = copy.deepcopy(dict(study))
    for key, value in more.items():
        part = (
            found if key in ("learners", "compare", "tests", "limits", "name") else found["study"]
        )
        part[key] = value
    return found


def of_file(directory: Path, learner: JsonObject, replications: int, **more: Any) -> Path:
    """A study file beside its data: the most frequent class against `learner`."""
    directory.mkdir(parents=True, exist_ok=True)
    write_data(directory)
    population = {"source": "csv", "path": "data.csv", "target": "class"}
    study = changed(
        PLAIN,
        population=population,
        draw={"n": 30},
        replications=replications,
        learners={"A": MAJORITY, "B": learner},
        **more,
    )
    path = directory / "study.json"
    path.write_text(json.dumps(study))
    return path


def cell_of(document: JsonObject, name: str, kind: str = "test", at: Optional[int] = 0) -> Any:
    """The cell of that name, of a point by its number."""
    found = [c for c in document["cells"] if (c["kind"], c["name"]) == (kind, name)]
    return found[at or 0]
