"""Small comparisons with learners of Python, R and Weka, and what they give undisturbed."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Union

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
    seconds: float


class NotHere(Exception):
    """An engine that cannot be had; the message says why."""


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


def undisturbed(
    place: Path, learners: Mapping[str, Any], *words: str, more: Mapping[str, str] = {}
) -> Comparison:
    """Run a comparison once; it and its result stay in `place`."""
    spec = write_spec(place, learners)
    output = place / "r" / "made"
    began = time.monotonic()
    given = ("run", spec, "--output", output, *words)
    answer = command(place, *given, mark="undisturbed", more=more)
    if answer.code != 0:
        raise NotHere(_first_line(answer))
    return Comparison(spec, files(output), time.monotonic() - began)


class Comparisons:
    """The comparison of each engine, made when it is first asked for."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._made: dict[str, Union[Comparison, NotHere]] = {}
        self._lock = threading.Lock()

    def of(self, engine: str) -> Comparison:
        with self._lock:
            if engine not in self._made:
                try:
                    self._made[engine] = undisturbed(self._place / engine, LEARNERS[engine])
                except NotHere as why:
                    self._made[engine] = why
            found = self._made[engine]
        if isinstance(found, NotHere):
            raise found
        return found


def _first_line(answer: Answer) -> str:
    lines = [line for line in answer.text.splitlines() if line.strip()]
    return lines[0] if lines else f"exit code {answer.code}"
