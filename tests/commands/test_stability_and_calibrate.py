"""`cvinfer stability` and `cvinfer calibrate` as a user meets them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import ROOT

COMMANDS = (("stability", "--runs", "4"), ("calibrate", "--replications", "4"))
NAMES = [command[0] for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_words_first_and_files(command: tuple[str, ...], call: Any, small: Path) -> None:
    answer = call(*command, small, "--jobs", 1)
    assert answer.code == 0, answer.err
    first = {"stability": "On two_gaussians, majority against mean: ", "calibrate": "Take "}
    assert answer.out.startswith(first[command[0]])
    assert "fits wanted" in answer.err
    made = {path.name for path in Path("results/small").iterdir()}
    assert {f"{command[0]}.{end}" for end in ("json", "md", "csv", "tex")} <= made
    assert "result.json" not in made
    again = call(*command, small, "--jobs", 2, "--quiet", "--output", "again")
    assert again.err == ""
    name = f"{command[0]}.json"
    assert Path("again", name).read_bytes() == Path("results/small", name).read_bytes()
    once_more = call(*command, small, "--quiet")
    assert ", 0 made now" in once_more.out


@pytest.mark.parametrize("command", NAMES)
def test_help_has_examples(command: str, call: Any) -> None:
    answer = call(command, "--help")
    assert answer.code == 0
    assert f"cvinfer {command} spec.yaml\n" in answer.out
    for option in ("--set", "--output", "--store", "--jobs", "--quiet", "--allow-code"):
        assert option in answer.out


@pytest.mark.parametrize(
    "words",
    [
        ("stability", "--runs", 10**12),
        ("stability", "--runs", 1),
        ("calibrate", "--replications", 10**12),
        ("calibrate", "--n", 10**12),
        ("calibrate", "--n", 31),
        ("stability", "--set", "name=7"),
    ],
    ids=str,
)
def test_hostile_values_are_refused_at_once(words: tuple[Any, ...], call: Any, small: Path) -> None:
    began = time.monotonic()
    answer = call(words[0], small, *words[1:])
    assert (answer.code, answer.out) == (2, "")
    assert time.monotonic() - began < 5
    assert not Path("results").exists()


@pytest.mark.parametrize("command", NAMES)
def test_predictions_made_elsewhere_are_refused_by_name(command: str, call: Any) -> None:
    answer = call(command, ROOT / "specs/test-set.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert "test-set.yaml:10:3: data: digits holds predictions made elsewhere" in answer.err


@pytest.mark.parametrize("command", NAMES)
def test_splits_of_a_file_are_refused(command: str, call: Any, small: Path) -> None:
    assert call("splits", small, "-o", "splits.csv").code == 0
    given = "partition={scheme: file, path: splits.csv}"
    answer = call(command, small, "--set", given, "--set", "tests=[bcv_5x2_mcnemar]")
    assert answer.code == 2
    assert "partition: splits of a file are there once" in answer.err


@pytest.mark.parametrize("command", NAMES)
def test_a_study_is_no_comparison(command: str, call: Any, place: Path) -> None:
    Path("study.yaml").write_text("cvinfer: 1\nstudy: {population: {source: synthetic}}\n")
    answer = call(command, "study.yaml")
    assert answer.code == 2
    assert "study.yaml:2:1: study: this is a study" in answer.err


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_failed_fits_are_told_by_the_exit_code(
    command: tuple[str, ...], call: Any, small: Path
) -> None:
    many = "{engine: sklearn, learner: KNeighborsClassifier, params: {n_neighbors: 40}}"
    answer = call(*command, small, "--set", f"learners.mean={many}", "--quiet")
    assert answer.code == 3
    (path,) = Path("results/small").glob(f"{command[0]}.json")
    document = json.loads(path.read_text())
    assert document["failures"] and "failed" in document["warnings"][0]
