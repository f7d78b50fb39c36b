"""`cvinfer table`, `test` and `store`, and `cvinfer.run` from Python."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from cvinfer.report import render, write_report

Call = Callable[..., Any]


@pytest.fixture
def document(finished: Path) -> dict[str, Any]:
    return dict(json.loads((finished / "result.json").read_bytes()))


# --- table ----------------------------------------------------------------------------------------


def test_table_in_every_format(call: Call, finished: Path, document: dict[str, Any]) -> None:
    result = finished / "result.json"
    assert call("table", result, "--format", "latex").out == (finished / "result.tex").read_text()
    markdown = call("table", result, "--format", "markdown").out
    assert markdown == (finished / "result.md").read_text()
    rows = list(csv.DictReader(io.StringIO(call("table", result, "--format", "csv").out)))
    found = {row["name"]: float(row["p_value"]) for row in rows}
    expected = {e["test"]: e["inference"]["p_value"] for e in document["comparisons"]}
    assert found == expected
    assert "Err. A" in call("table", result).out

    code, out, _ = call("table", result, "--format", "csv", "-o", "tables/t.csv")
    assert (code, out) == (0, "written: tables/t.csv\n")
    assert len(list(csv.DictReader(Path("tables/t.csv").open()))) == len(rows)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_table_prints_a_screen_unless_all_is_asked_for(
    call: Call, place: Path, document: dict[str, Any], form: str
) -> None:
    result = place / "result.json"
    document["comparisons"][0]["warnings"] = [f"warning {at}: {'x' * at}" for at in range(50)]
    write_report(place, document)
    brief = call("table", result, "--format", form).out
    assert len(brief.splitlines()) <= 40
    assert brief.splitlines()[0 if form == "text" else 2].startswith(("▲", "?", "- "))
    assert call("table", result, "--format", form, "--verbose").out == render(document, form)
    call("table", result, "--format", form, "-o", "file")
    assert Path("file").read_text() == render(document, form)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "not JSON"),
        (b"\x80\x81", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "is no result of cvinfer"),
        (b'{"cvinfer": 1}', "is a required property"),
    ],
)
@pytest.mark.parametrize("words", [["table"], ["test", "--tests", "kfold_t"]])
def test_what_is_no_result_is_refused(
    call: Call, place: Path, words: list[str], content: bytes | None, said: str
) -> None:
    if content is not None:
        Path("r.json").write_bytes(content)
    code, out, err = call(words[0], "r.json", *words[1:])
    assert (code, out) == (2, "")
    assert err.startswith("error: r.json") and said in err


# --- test -----------------------------------------------------------------------------------------


def test_more_tests_without_a_fit(call: Call, finished: Path, document: dict[str, Any]) -> None:
    tests = "bcv_5x2_mcnemar, calibrated_5x2_bcv_f, blocked_3x2_t"
    code, out, err = call("test", finished / "result.json", "--tests", tests, "--json")
    assert (code, err) == (0, "")
    made = {entry["test"]: entry for entry in json.loads(out)["comparisons"]}
    assert list(made) == tests.split(", ")
    for entry in document["comparisons"]:
        assert made[entry["test"]]["inference"] == entry["inference"]

    words = ["--tests", "bcv_5x2_mcnemar: {rho1: 0.4}", "-o", "more"]
    code, out, _ = call("test", finished, *words)
    assert code == 0 and "in more" in out
    more = json.loads(Path("more/result.json").read_bytes())
    assert more["comparisons"][0]["options"]["rho1"] == 0.4


def test_the_test_that_decided_goes_on_to_decide(
    call: Call, finished: Path, document: dict[str, Any]
) -> None:
    """A test that is picked when the results are known names no winner."""
    decided = document["verdicts"][0]["primary"]
    result = finished / "result.json"
    code, out, _ = call("test", result, "--tests", "calibrated_5x2_bcv_f", "--json")
    more = json.loads(out)
    assert code == 0
    assert {entry["test"] for entry in more["comparisons"]} == {decided, "calibrated_5x2_bcv_f"}
    keys = ("a", "b", "primary", "verdict", "p_corrected", "interval")
    made, first = ([[v[key] for key in keys] for v in d["verdicts"]] for d in (more, document))
    assert made == first
    for entry in more["comparisons"]:
        assert entry["test"] == decided or (entry["better"], entry["sentence"]) == (None, None)


def test_a_missing_scheme_is_named(call: Call, finished: Path) -> None:
    tests = "kfold_t,blocked_3x2_t,conservative_z"
    code, out, err = call("test", finished / "result.json", "--tests", tests)
    assert (code, out) == (2, "")
    assert "kfold_t needs the scheme kfold(k=10)" in err
    assert "paired_halves" in err
    assert "blocked_3x2_t needs" not in err
    assert "cvinfer run SPEC --set 'tests=[kfold_t, blocked_3x2_t, conservative_z]'" in err


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("blocked_3x2", "did you mean 'blocked_3x2_t'?"),
        ("blocked_3x2_t: {lamb: 1}", "has no option 'lamb'"),
        ("", "names no test"),
        ("[", "cannot be read"),
        ("{", "cannot be read"),
    ],
)
def test_wrong_tests_are_refused(call: Call, finished: Path, tests: str, said: str) -> None:
    code, _, err = call("test", finished / "result.json", "--tests", tests)
    assert code == 2
    assert said in err and "--tests" in err


def test_predictions_must_be_there(call: Call, place: Path, finished: Path) -> None:
    shutil.copy(finished / "result.json", place)
    code, _, err = call("test", "result.json", "--tests", "blocked_3x2_t")
    assert code == 2 and "predictions.csv.gz is not beside" in err


# --- store ----------------------------------------------------------------------------------------


def test_store_info_and_prune(call: Call, place: Path, finished: Path) -> None:
    shutil.copy(finished.parent / "store.sqlite", place / "s.sqlite")
    code, out, _ = call("store", "info", "--store", "s.sqlite", "--json")
    assert code == 0 and json.loads(out)["fits"] == 20
    out = call("store", "info", "--store", "s.sqlite").out
    assert ["fits", "20"] in [line.split() for line in out.splitlines()]

    code, _, err = call("store", "prune", "--store", "s.sqlite")
    assert code == 2 and "--yes" in err
    kept = call("store", "prune", "--store", "s.sqlite", "--older-than", 1, "--yes")
    assert kept.code == 0 and kept.out.startswith("0 fits removed")
    gone = call("store", "prune", "--store", "s.sqlite", "--yes")
    assert gone.code == 0 and gone.out.startswith("20 fits removed")
    assert json.loads(call("store", "info", "--store", "s.sqlite", "--json").out)["fits"] == 0


def test_store_check(call: Call, place: Path, small: Path, finished: Path) -> None:
    shutil.copy(finished.parent / "store.sqlite", place / "s.sqlite")
    words = ("store", "check", "--store", "s.sqlite")
    assert call(*words)[:2] == (0, "20 fits in s.sqlite are sound, 0 are damaged\n")
    with sqlite3.connect("s.sqlite") as database:
        database.execute("update fits set seconds_fit = 9 where learner = 'mean'")
    database.close()
    code, out, _ = call(*words)
    assert code == 4 and "10 are damaged\n  damaged: 10 of mean\n" in out
    code, out, _ = call(*words, "--json")
    assert code == 4 and json.loads(out) == {
        "path": "s.sqlite",
        "fits": 10,
        "damaged": ["mean"] * 10,
        "structure": [],
        "mended": False,
    }
    # A run goes on without them, and says so.
    shutil.copy("s.sqlite", "t.sqlite")
    code, _, err = call("run", small, "--quiet", "--store", "t.sqlite")
    told = (
        "warning: 10 fits were damaged in the store t.sqlite, and made again; cvinfer store check"
    )
    assert code == 0 and told in err
    assert Path("results/small/result.json").read_bytes() == (finished / "result.json").read_bytes()
    assert call("store", "check", "--store", "t.sqlite").code == 0
    code, out, _ = call(*words, "--mend")
    assert code == 0 and "The sound fits are kept" in out
    assert call(*words)[:2] == (0, "10 fits in s.sqlite are sound, 0 are damaged\n")


def test_only_a_store_is_touched(call: Call, place: Path) -> None:
    Path("text").write_text("not a database, but longer than the header of one " * 4)
    with sqlite3.connect("other.db") as other:
        other.execute("create table mine (x)")
    other.close()
    before = Path("other.db").read_bytes()
    for name, said in [("text", "no store"), ("other.db", "another program's"), ("no", "no store")]:
        for words in (["info"], ["check"], ["prune", "--yes"]):
            code, _, err = call("store", *words, "--store", name)
            assert code == 2 and said in err
    assert Path("other.db").read_bytes() == before
    assert not Path("no").exists()
    assert call("store", "prune", "--older-than", "-1").code == 2


# --- from Python ----------------------------------------------------------------------------------

PROBE = """
import sys
import cvinfer
assert not {"numpy", "scipy", "sklearn", "yaml", "click"} & set(sys.modules), "import is light"
assert callable(cvinfer.run)
try:
    cvinfer.run("nowhere.yaml")
except cvinfer.errors.CvinferError as error:
    print("refused:", error)
first = cvinfer.run("small.yaml", jobs=1, store="s.sqlite")
assert callable(cvinfer.run), "the name stays the function's"
import yaml
second = cvinfer.run(yaml.safe_load(open("small.yaml")), jobs=1, store="s.sqlite")
assert first.document == second.document
assert second.outcome.reused == 20
print(second.comparisons[0]["test"], second.failed)
"""


def test_run_from_python(small: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        cwd=small.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "refused: nowhere.yaml: spec: there is no such file",
        "bcv_5x2_mcnemar False",
    ]
    assert not (small.parent / "results").exists()
