"""Small comparisons with learners of Python, R and Weka, and what they give undisturbed."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

from torture.commands import Answer, command, files

SPLITS_TESTS = ["kfold_t", "blocked_3x2_t"]
BAYES = {"engine": "sklearn", "learner": "GaussianNB"}
TREE = {"engine": "sklearn", "learner": "DecisionTreeClassifier"}
FOREST = {
    "engine": "sklearn",
    "learner": "RandomForestClassifier",
    "params": {"n_estimators": 15},
}
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "Python": {"tree": TREE, "Bayes": BAYES, "forest": FOREST},
    "R": {"rpart": {"engine": "r", "learner": "rpart"}, "Bayes": BAYES},
    "Weka": {"J48": {"engine": "rweka", "learner": "J48"}, "Bayes": BAYES},
}


@dataclass(frozen=True)
class Comparison:
    """A spec, the files that it gives when nothing disturbs it, and the seconds that takes."""

    spec: Path
    expected: Mapping[str, bytes]
    fits: int
    seconds: float


@dataclass
class Undisturbed:
    """A comparison for each engine that is here, and why the others are not."""

    found: dict[str, Comparison] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def write_data(path: Path, n: int = 120) -> None:
    """Two features that tell something of three classes."""
    draw = random.Random(1)
    rows = ["u,v,class"]
    for number in range(n):
        label = number % 3
        rows.append(f"{draw.gauss(label, 1):.5f},{draw.gauss(-label, 1):.5f},c{label}")
    path.write_text("\n".join(rows) + "\n")


def write_spec(directory: Path, learners: Mapping[str, Any], **more: Any) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    write_data(directory / "data.csv")
    spec = {
        "cvinfer": 1,
        "name": "made",
        "data": {"source": "csv", "path": "data.csv", "target": "class"},
        "learners": learners,
        "tests": SPLITS_TESTS,
        "seed": 7,
        **more,
    }
    path = directory / "spec.json"
    path.write_text(json.dumps(spec))
    return path


def undisturbed(place: Path, engines: Mapping[str, Mapping[str, Any]] = LEARNERS) -> Undisturbed:
    """Run each comparison once."""
    made = Undisturbed()
    for name, learners in engines.items():
        spec = write_spec(place / name, learners)
        began = time.monotonic()
        answer = command(
            place / name, "run", spec, "--output", place / name / "r" / "made", mark="undisturbed"
        )
        if answer.code != 0:
            made.missing[name] = _first_line(answer)
            continue
        expected = files(place / name / "r" / "made")
        fits = json.loads((place / name / "r" / "made" / "run.json").read_text())["fits"]
        seconds = time.monotonic() - began
        made.found[name] = Comparison(spec, expected, fits["fitted"], seconds)
    return made


def _first_line(answer: Answer) -> str:
    lines = [line for line in answer.text.splitlines() if line.strip()]
    return lines[0] if lines else f"exit code {answer.code}"
