"""Whole specs: every file in specs/valid is right, every one in specs/invalid has its faults.

Dropping in a file adds a test. Beside `invalid/name.yaml` stands `name.expected` with one line for
each fault, in order: `line:col: path: fault; allowed: ...; did you mean '...'?`. Where the text
depends on what is installed, `…` stands for any text.
"""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests import r_parts

from cvinfer.spec import check_file, headline, load_spec, read_spec, render

ROOT = Path(__file__).resolve().parents[2]
VALID = sorted((ROOT / "tests" / "specs" / "valid").glob("*.yaml"))
INVALID = sorted((ROOT / "tests" / "specs" / "invalid").glob("*.yaml"))
EXAMPLES = sorted((ROOT / "specs").glob("*.yaml"))

#: Examples that cannot be checked without a package that is not always there.
NEEDS = {"parquet": "pyarrow"}


def stem(path: Path) -> str:
    return path.stem


def skip_without_r(path: Path) -> None:
    why = r_parts.why_not(path.read_text("utf-8"))
    if why is not None:
        pytest.skip(f"{path.name}: {why}")


def matches(expected: str, got: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, got) is not None


def test_there_are_enough_files() -> None:
    assert len(INVALID) >= 60
    assert len(VALID) >= 10
    sources = {"csv", "arff", "sklearn", "openml", "synthetic", "predictions", "parquet", "r"}
    assert sources | {"quickstart", "letter", "letter-quick"} <= {path.stem for path in EXAMPLES}


def test_every_expectation_has_its_spec() -> None:
    expectations = (ROOT / "tests" / "specs" / "invalid").glob("*.expected")
    assert {path.stem for path in expectations} == {path.stem for path in INVALID}


@pytest.mark.parametrize("path", INVALID, ids=stem)
def test_invalid_spec_has_exactly_the_expected_faults(path: Path) -> None:
    expected = path.with_suffix(".expected")
    assert expected.exists(), f"write {expected.name} with the faults that {path.name} must have"
    spec, faults = check_file(path)
    assert spec is None
    got = [headline(fault).removeprefix(f"{path}:") for fault in faults]
    wanted = expected.read_text("utf-8").splitlines()
    assert wanted, f"{expected.name} is empty"
    unlike = [pair for pair in zip(wanted, got) if not matches(*pair)]
    assert len(got) == len(wanted) and not unlike, "\n".join(["got:", *got, "wanted:", *wanted])


@pytest.mark.parametrize("path", INVALID, ids=stem)
def test_every_fault_shows_its_line_and_a_caret_under_the_place(path: Path) -> None:
    for fault in check_file(path)[1]:
        assert fault.line >= 1 and fault.column >= 1 and fault.path and fault.message
        shown = render(fault).split("\n")
        if fault.source_line:
            assert len(shown) == 3
            assert shown[2].index("^") == 4 + fault.column - 1
            at = shown[1][4 + fault.column - 1 : 4 + fault.column]
            meant = fault.source_line[fault.column - 1 : fault.column]
            assert at in ("", meant) or (at == "\\" and not meant.isprintable())


@pytest.mark.parametrize("path", VALID, ids=stem)
def test_valid_spec_has_no_faults(path: Path) -> None:
    spec, faults = check_file(path)
    assert [headline(fault) for fault in faults] == []
    assert spec is not None


@pytest.mark.parametrize("path", [*VALID, *EXAMPLES], ids=stem)
def test_resolved_spec_is_plain_and_means_the_same(path: Path) -> None:
    if path.stem in NEEDS and importlib.util.find_spec(NEEDS[path.stem]) is None:
        pytest.skip(f"{path.name} needs {NEEDS[path.stem]}")
    skip_without_r(path)
    spec = load_spec(path)
    resolved = spec.resolved()
    text = json.dumps(resolved, allow_nan=False)
    again = load_spec(json.loads(text), base=path.parent)
    assert again.resolved() == resolved
    assert again.pairs == spec.pairs and list(again.learners) == list(spec.learners)


@pytest.mark.parametrize("path", EXAMPLES, ids=stem)
def test_example_is_right_and_names_the_schema(path: Path) -> None:
    first = path.read_text("utf-8").split("\n")[0]
    assert first == "# yaml-language-server: $schema=../schemas/spec.schema.json"
    skip_without_r(path)
    spec, data, faults = read_spec(path)
    if path.stem in NEEDS and importlib.util.find_spec(NEEDS[path.stem]) is None:
        assert [fault.path for fault in faults] == ["data.source"]
        assert NEEDS[path.stem] in faults[0].message
        return
    assert [headline(fault) for fault in faults] == []
    assert spec is not None and spec.name == path.stem
    assert len(data) == len(spec.data)


def test_letter_is_whole() -> None:
    (letter,) = read_spec(ROOT / "specs" / "letter.yaml").data
    assert (letter.n, letter.n_classes, len(letter.features)) == (20000, 26, 16)


def values(path: Path, *keys: str) -> Any:
    resolved: Any = load_spec(path).resolved()
    for key in keys:
        resolved = resolved[key]
    return resolved


def test_labels_stay_as_written() -> None:
    path = ROOT / "tests" / "specs" / "valid" / "labels_as_written.yaml"
    assert values(path, "positive") == "NO"
    assert values(path, "data")[0]["binarize"] == {"NO": ["NO", "01"], "YES": ["1", "TRUE"]}


def test_every_key_arrives() -> None:
    path = ROOT / "tests" / "specs" / "valid" / "every_key.yaml"
    spec = load_spec(path)
    assert spec.pairs == (("CART", "SVM"), ("1-NN", "SVM"))
    assert spec.partition is None and spec.alpha == 0.01 and spec.seed == 2014
    assert spec.correction == "benjamini-hochberg" and spec.positive == "a"
    assert dict(spec.limits) == {"seconds": 30, "memory_mb": 500}
    assert dict(spec.output) == {"directory": "elsewhere/results"}
    assert [request.name for request in spec.tests] == ["bcv_5x2_mcnemar"] + 2 * [
        "corrected_kfold_t"
    ]
    assert dict(spec.tests[1].options) == {"rho": 0.5, "mu0": 0.01}
    assert spec.learners["SVM"].steps == (("StandardScaler", {}), ("SVC", {"C": 10}))
    assert dict(spec.learners["1-NN"].params) == {"n_neighbors": 1}
    assert spec.base == path.parent and spec.data[0]["name"] == "small"
    resolved = spec.resolved()
    assert resolved["data"] == [
        {
            "name": "small",
            "source": "csv",
            "path": "small.csv",
            "target": "y",
            "keep": ["x1", "x2"],
            "sample": {"n": 50, "replace": True},
        }
    ]
    assert resolved["learners"]["SVM"] == {
        "engine": "sklearn",
        "steps": [{"StandardScaler": {}}, {"SVC": {"C": 10}}],
        "encode": "onehot",
    }
    assert resolved["compare"] == [["CART", "SVM"], ["1-NN", "SVM"]]
    assert resolved["tests"][1] == {
        "corrected_kfold_t": {"rho": 0.5, "block_rho": None, "mu0": 0.01}
    }
    assert resolved["intervals"][1] == {"error_kfold_t": {"level": 0.9}}
    scalars = ("cvinfer", "name", "partition", "alpha", "correction", "seed", "loss", "positive")
    assert [resolved[key] for key in scalars] == [
        1,
        "everything",
        "auto",
        0.01,
        "benjamini-hochberg",
        2014,
        "zero_one",
        "a",
    ]
    assert resolved["limits"] == {"seconds": 30, "memory_mb": 500}
    assert resolved["output"] == {"directory": "elsewhere/results"}
