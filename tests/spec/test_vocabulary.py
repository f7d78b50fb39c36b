"""The names and options in the schema of specs: those of the registries, without plug-ins."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schemas/spec.schema.json"
SCRIPT = ROOT / "docs/generate_schema.py"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schema", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def committed() -> Any:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def requests(schema: Any, key: str) -> Any:
    return schema["properties"][key]["anyOf"][1]["items"]["anyOf"]


def test_the_schema_is_what_the_registries_say(generator: ModuleType) -> None:
    text = SCHEMA.read_text(encoding="utf-8")
    assert text == generator.text(text), "schemas/spec.schema.json is not up to date: run make docs"


def test_what_is_generated_comes_back(generator: ModuleType) -> None:
    """Whatever an earlier version of the file has there, or has not."""
    frame = committed()
    requests(frame, "tests")[0]["examples"] = ["gone"]
    requests(frame, "tests")[1].pop("properties")
    requests(frame, "intervals")[1]["properties"] = {"gone": {"description": "Gone."}}
    options = frame["$defs"]["scheme"]["anyOf"][1]["properties"]
    options["gone"] = {"title": "gone", "description": "Gone."}
    options["k"].update(description="Number of folds (gone).", default=3)
    frame["properties"]["loss"]["examples"] = []
    frame["$defs"]["learner"]["properties"]["engine"].pop("examples")
    keys = frame["$defs"]["data_set"]["properties"]
    keys["decimal"].pop("enum")
    keys["population"]["examples"] = ["gone"]
    assert json.loads(generator.text(json.dumps(frame))) == committed()


def test_a_new_option_needs_nothing_by_hand(generator: ModuleType) -> None:
    frame = committed()
    del frame["$defs"]["scheme"]["anyOf"][1]["properties"]["rcp"]
    del frame["$defs"]["data_set"]["properties"]["sigma0"]
    made = generator.text(json.dumps(frame))
    assert made == generator.text(made)
    found = json.loads(made)["$defs"]
    assert found["scheme"]["anyOf"][1]["properties"]["rcp"] == {
        "$comment": "generated",
        "title": "a whole number",
        "description": "Option of the scheme (random_mx2).",
        "type": "integer",
        "default": 0,
    }
    sigma = found["data_set"]["properties"]["sigma0"]
    assert (sigma["type"], sigma["title"]) == ("number", "a number")
    assert sigma["description"].startswith("synthetic: ")


def test_options_of_tests_have_types_and_defaults() -> None:
    options = requests(committed(), "tests")[1]["properties"]["corrected_kfold_t"]["properties"]
    about = {"description": "Option of corrected_kfold_t."}
    assert options == {
        "rho": {**about, "type": "number", "default": 0.7},
        "block_rho": {**about, "type": ["number", "null"]},
        "mu0": {**about, "type": "number", "default": 0.0},
    }
    pick = requests(committed(), "tests")[1]["properties"]["dietterich_5x2_t"]["properties"]["pick"]
    assert (pick["type"], pick["default"]) == ("array", [0, 0])


def test_names_are_no_closed_list() -> None:
    """Editors read this file whatever is installed, and a plug-in may bring any of these."""
    from jsonschema import Draft202012Validator

    spec = {
        "cvinfer": 1,
        "data": {"source": "brought", "depth": 3},
        "learners": {"a": {"engine": "brought", "learner": "a", "encode": "hashed"}},
        "partition": {"scheme": "brought", "width": 3},
        "tests": ["brought", {"brought_too": {"tail": 1}}],
        "intervals": ["brought", {"brought_too": {"tail": 1}}],
        "loss": "brought",
    }
    assert list(Draft202012Validator(committed()).iter_errors(spec)) == []


def test_check_tells_the_remedy(
    generator: ModuleType, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generator.main(["--check"]) == 0
    old = tmp_path / "spec.schema.json"
    old.write_text(SCHEMA.read_text(encoding="utf-8").replace('"kfold_t"', '"kfold_s"'), "utf-8")
    monkeypatch.setattr(generator, "SCHEMA", old)
    assert generator.main(["--check"]) == 1
    assert "run make docs" in capsys.readouterr().err
    assert generator.main([]) == 0
    assert old.read_bytes() == SCHEMA.read_bytes()


# --- with a plug-in -------------------------------------------------------------------------------

PLUGIN = '''
from cvinfer.data.registry import Option, source
from cvinfer.data.populations import populations
from cvinfer.losses import Loss, losses
from cvinfer.partitions.registry import scheme

@scheme("brought", sizes=())
def brought(n: int, k: str = "wide", width: int = 2, *, seed: int = 0):
    """A scheme whose k is a word."""

@source(
    "brought",
    "a source whose n is a word",
    {"n": Option("string", True, "a word"), "mood": Option("string", False, "one of two")},
    choices={"mood": ("good", "bad")},
)
def read(request):
    """Nothing."""

populations.add("brought", next(iter(populations.values())), __name__)
losses.add("brought", Loss("brought", None, "nothing"), __name__)
'''

ASKED = """
import json, sys
from cvinfer.spec.shape import check_shape
from cvinfer.spec.text import from_values
found = []
for value in json.load(sys.stdin):
    document = from_values(value)
    check_shape(document)
    found.append([fault.message for fault in document.faults])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def beside_a_plugin(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which a plug-in is installed that brings a scheme, a source and a loss."""
    place = tmp_path_factory.mktemp("plugin")
    (place / "brings.py").write_text(PLUGIN, encoding="utf-8")
    about = place / "brings-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brings\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[cvinfer]\nbrings = brings\n")
    return {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}


def run(environment: dict[str, str], *arguments: object, given: str = "") -> Any:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environment,
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
    )


def test_plugins_are_never_written(beside_a_plugin: dict[str, str]) -> None:
    code = "from cvinfer.losses import losses; print(losses.origin('brought'))"
    assert run(beside_a_plugin, "-c", code).stdout == "brings\n"
    done = run(beside_a_plugin, SCRIPT, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_entries_of_plugins_have_rules_of_their_own(beside_a_plugin: dict[str, str]) -> None:
    right = {
        "cvinfer": 1,
        "data": {"source": "brought", "n": "many", "mood": "good", "missing": "drop"},
        "learners": {"a": {"engine": "sklearn", "learner": "A"}},
        "partition": {"scheme": "brought", "k": "narrow", "width": 3},
        "loss": "brought",
    }
    word = "the text 'many' is of the wrong type"
    cases: list[tuple[dict[str, Any], list[str]]] = [
        (right, []),
        ({**right, "partition": [{"scheme": "brought", "k": "narrow"}, "kfold"]}, []),
        (
            {**right, "partition": {"scheme": "brought", "k": 3}},
            ["the number 3 is of the wrong type; put it in quotes"],
        ),
        ({**right, "partition": {"scheme": "kfold", "k": "many"}}, [word]),
        ({**right, "partition": {"k": 3}}, ["is missing"]),
        (
            {**right, "data": [{"source": "brought", "n": "x", "mood": "odd"}]},
            ["'odd' is not known"],
        ),
        (
            {**right, "data": {"source": "brought", "n": 3}},
            ["the number 3 is of the wrong type; put it in quotes"],
        ),
        (
            {**right, "data": {"source": "brought", "n": "x", "missing": 1}},
            ["the number 1 is of the wrong type"],
        ),
        ({**right, "data": {"source": "synthetic", "population": "simple", "n": "many"}}, [word]),
        ({**right, "data": {"n": 3}}, ["is missing"]),
        ({**right, "data": 3}, ["the number 3 is of the wrong type"]),
        ({**right, "loss": "brough"}, ["'brough' is not known"]),
    ]
    done = run(beside_a_plugin, "-c", ASKED, given=json.dumps([value for value, _ in cases]))
    assert done.returncode == 0, done.stderr
    for (value, wanted), found in zip(cases, json.loads(done.stdout)):
        assert found == wanted, value
