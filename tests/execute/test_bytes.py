"""The same bytes however a run came about."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, TREE, marked, script, spec_of

from cvinfer.execute.store import Store
from cvinfer.runner import run

FOREST = {
    "engine": "sklearn",
    "learner": "RandomForestClassifier",
    "params": {"n_estimators": 5},
}
LEARNERS = {"tree": TREE, "forest": FOREST, "Bayes": BAYES}
TESTS = ("bcv_5x2_mcnemar", "blocked_3x2_t", "kfold_t")
FILES = ("result.json", "result.tex", "result.md", "predictions.csv.gz")


def files(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in FILES}


def test_jobs_order_directory_and_store_move_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spec_of(tmp_path / "spec", LEARNERS, TESTS, classes=3, intervals=["f1_beta_prime"])
    one = run(path, jobs=1, write=True, output=tmp_path / "one" / "made")
    assert (one.outcome.reused, one.outcome.fitted) == (0, 3 * 20)
    expected = files(tmp_path / "one" / "made")
    two = run(path, jobs=2, write=True, output=tmp_path / "two" / "made")
    assert two.outcome.fitted == 60
    assert files(tmp_path / "two" / "made") == expected

    # Everything from the store, from another directory, through a relative path.
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store = tmp_path / "two" / "store.sqlite"
    again = run(Path("..") / "spec" / "spec.json", write=True, store=store)
    assert (again.outcome.reused, again.outcome.fitted) == (60, 0)
    assert files(Path("results") / "made") == expected

    # A spec that shares some fits reuses those, and alone gives the same as together.
    other = spec_of(tmp_path / "other", {"tree": TREE, "A": MAJORITY}, ["kfold_t"], classes=3)
    both = run(other, jobs=1, store=store)
    assert (both.outcome.reused, both.outcome.fitted) == (10, 10)

    facts = json.loads((tmp_path / "two" / "made" / "run.json").read_text())
    assert facts["fits"] == {"reused": 0, "fitted": 60, "failed": 0}
    assert facts["jobs"] == 2 and facts["host"] and facts["seconds"]["total"] > 0
    text = expected["result.json"].decode()
    assert str(tmp_path) not in text and "seconds_fit" not in text


SLOW = {"A": marked("fine", seconds=0.15), "B": MAJORITY}
KILLED = """
import sys
from cvinfer.runner import run
run(sys.argv[1], jobs=2, write=True, output=sys.argv[2], allow_code=True)
"""


def wait_for_fits(store: Path, count: int, seconds: float = 60.0) -> None:
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if store.exists():
            with Store(store) as opened:
                if int(str(opened.info()["fits"])) >= count:
                    return
        time.sleep(0.05)
    raise AssertionError(f"no {count} fits within {seconds} s")


def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec", SLOW, ["kfold_t", "bcv_5x2_mcnemar"])
    killed = script(KILLED, tmp_path, path, tmp_path / "killed" / "made")
    wait_for_fits(tmp_path / "killed" / "store.sqlite", 4)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=30)
    assert not (tmp_path / "killed" / "made" / "result.json").exists()
    resumed = run(path, jobs=1, write=True, output=tmp_path / "killed" / "made", allow_code=True)
    assert resumed.outcome.reused >= 4
    assert resumed.outcome.reused + resumed.outcome.fitted == 40
    run(path, jobs=2, write=True, output=tmp_path / "whole" / "made", allow_code=True)
    assert files(tmp_path / "killed" / "made") == files(tmp_path / "whole" / "made")
    leftovers = [each for each in (tmp_path / "killed" / "made").iterdir() if each.name[0] == "."]
    assert leftovers == []


UNGUARDED = """
import sys
import cvinfer
print("began")
result = cvinfer.run(sys.argv[1], jobs=2)
print(len(result.comparisons), result.outcome.fitted)
print(sys.modules["__main__"].__file__.endswith("script.py"))
"""


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    ran = script(UNGUARDED, tmp_path, spec_of(tmp_path / "spec"))
    output, errors = ran.communicate(timeout=100)
    assert output.decode().split() == ["began", "1", "20", "True"], errors.decode()


@pytest.mark.long
def test_two_runs_share_a_store(tmp_path: Path) -> None:
    path = spec_of(tmp_path / "spec", SLOW, ["kfold_t", "bcv_5x2_mcnemar"])
    runs = [script(KILLED, tmp_path, path, tmp_path / "r" / name) for name in "ab"]
    for each in runs:
        _, errors = each.communicate(timeout=100)
        assert each.returncode == 0, errors.decode()
    a, b = files(tmp_path / "r" / "a"), files(tmp_path / "r" / "b")
    assert a == b
