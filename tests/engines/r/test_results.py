"""What a run with R and Weka leaves behind: versions, fits, counts, bytes, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Mapping

import numpy as np
import pytest
from tests.engines.r.r_proof import (
    ROOT,
    Study,
    command,
    export_splits,
    r_data,
    r_environment,
    spec_of,
    study,
)

from cvinfer.execute.store import Store
from cvinfer.runner import run

VOTES = r_data("mlbench", "HouseVotes84", "Class")
PIMA = r_data("MASS", "Pima.tr2", "type")
RANDOM: dict[str, dict[str, Any]] = {
    "Weka's forest": {"engine": "rweka", "learner": "RandomForest", "params": {"I": 8}},
    "perceptron": {"engine": "rweka", "learner": "MultilayerPerceptron", "params": {"N": 5}},
    "JRip": {"engine": "rweka", "learner": "JRip", "seeding": "fit"},
    "naive Bayes": {"engine": "r", "learner": "naiveBayes", "na_action": "omit"},
    "rpart": {"engine": "r", "learner": "rpart"},
    "J48": {"engine": "rweka", "learner": "J48"},
    "J48 with gaps": {"engine": "rweka", "learner": "J48", "na_action": "pass"},
}
#: These take no gaps, and draw random numbers in R.
DRAWING = {
    "ranger": {"engine": "r", "learner": "ranger", "params": {"num.trees": 10}},
    "nnet": {"engine": "r", "learner": "nnet", "params": {"size": 2, "maxit": 20}},
    "forest": {"engine": "r", "learner": "randomForest", "params": {"ntree": 10}},
    "Weka's forest": {"engine": "rweka", "learner": "RandomForest", "params": {"I": 8}},
    "majority": {"engine": "builtin", "learner": "majority"},
}
FILES = ("result.json", "result.md", "result.tex", "predictions.csv.gz")


def files(found: Study) -> dict[str, bytes]:
    assert found.result.directory is not None
    return {name: (found.result.directory / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def first(weka: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study(spec_of(tmp_path_factory.mktemp("first"), [VOTES, PIMA], RANDOM))


@pytest.fixture(scope="module")
def drawn(weka: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    data = r_data("MASS", "Pima.tr", "type")
    return study(spec_of(tmp_path_factory.mktemp("drawn"), data, DRAWING), jobs=2)


# --- manifest and store ---------------------------------------------------------------------------


def test_versions_of_everything_between_us_and_weka_are_in_the_manifest(
    first: Study, tmp_path: Path
) -> None:
    versions = first.result.document["manifest"]["versions"]
    packages = ("RWeka", "rJava", "RWekajars", "rpart", "e1071")
    asked = "; ".join(
        f'cat("{name}", format(packageVersion("{name}")), "\\n")' for name in packages
    )
    script = (
        f'cat("R", format(getRversion()), "\\n"); {asked}; rJava::.jinit();'
        'cat("Java", rJava::.jcall("java/lang/System", "S", "getProperty", "java.version"), "\\n");'
        'rJava::.jaddClassPath(system.file("java/weka.jar", package = "RWekajars"));'
        'cat("Weka", rJava::J("weka.core.Version")$VERSION, "\\n")'
    )
    done = subprocess.run(
        ["Rscript", "--no-init-file", "-e", script],
        env=r_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    told = dict(line.split() for line in done.stdout.splitlines())
    assert set(told) == {"R", "Java", "Weka", *packages}
    # Debian's packages have a revision that format() leaves as it is.
    assert {name: versions[name].replace("-", ".") for name in told} == {
        name: version.replace("-", ".") for name, version in told.items()
    }
    # The bridge's own package has its place beside this one.
    assert versions["cvinfer (R)"] and versions["cvinfer"]


def test_versions_are_part_of_the_keys(first: Study) -> None:
    from cvinfer.planning import plan_run
    from cvinfer.runner.stages import learner_versions, run_plans

    spec, sets = first.result.spec, first.sets
    versions = learner_versions(spec)
    assert {"R", "Weka", "Java", "RWeka", "rJava"} <= set(versions["J48"])
    assert {"R", "rpart"} <= set(versions["rpart"]) and "Weka" not in versions["rpart"]
    plans = run_plans(spec, sets)
    assert plans[0] is not None
    keys = plans[0].fit_keys()
    other: dict[str, Mapping[str, str]] = {**versions, "J48": {**versions["J48"], "Weka": "0"}}
    changed = plan_run(spec, sets[0], other).fit_keys()
    assert {
        learner for learner, split in keys if keys[learner, split] != changed[learner, split]
    } == {"J48"}


def test_a_second_run_makes_no_fit(first: Study) -> None:
    fits = 2 * 6 * len(RANDOM)
    assert (first.result.outcome.reused, first.result.outcome.fitted) == (0, fits)
    assert not first.result.failed
    before = files_of_two(first)
    again = run(
        first.directory / "spec.json", output=first.directory / "out" / "proof", write=True, jobs=2
    )
    assert (again.outcome.reused, again.outcome.fitted) == (fits, 0)
    assert files_of_two(first) == before
    with Store(first.directory / "out" / "store.sqlite") as store:
        assert store.info()["fits"] == fits


def files_of_two(found: Study) -> dict[str, bytes]:
    assert found.result.directory is not None
    sets = found.result.document["data"]
    names = (*FILES[:3], *(f"predictions-{each['name']}.csv.gz" for each in sets))
    return {name: (found.result.directory / name).read_bytes() for name in names}


def test_one_worker_and_two_give_the_same_bytes(drawn: Study, tmp_path: Path) -> None:
    one = study(spec_of(tmp_path, r_data("MASS", "Pima.tr", "type"), DRAWING), jobs=1)
    assert one.result.outcome.fitted == drawn.result.outcome.fitted == 6 * len(DRAWING)
    assert not one.result.failed
    assert files(one) == files(drawn)


def test_another_seed_moves_what_is_drawn_and_nothing_else(first: Study, tmp_path: Path) -> None:
    # The same splits, from a file.
    export_splits(spec_of(tmp_path, VOTES, RANDOM), ["HouseVotes84"])
    given = {"scheme": "file", "path": "splits.csv"}
    other = study(spec_of(tmp_path, VOTES, RANDOM, partition=given, seed=21))
    assert (first.result.spec.seed, other.result.spec.seed) == (20, 21)
    moved = set()
    for learner in RANDOM:
        one, two = first.of("HouseVotes84", learner), other.of("HouseVotes84", learner)
        assert [each.records for each in one.values()] == [each.records for each in two.values()]
        if one != two:
            moved.add(learner)
    assert moved == {"Weka's forest", "perceptron", "JRip"}


# --- missing values -------------------------------------------------------------------------------


def test_the_result_counts_training_records_with_gaps(first: Study) -> None:
    assert first.result.directory is not None
    document = json.loads((first.result.directory / "result.json").read_text())
    entries = {(each["data"], each["learner"]): each for each in document["missing"]}
    assert set(entries) == {(one.name, learner) for one in first.sets for learner in RANDOM}
    for one in first.sets:
        holes = np.any([column.missing for column in one.features], axis=0)
        counts = []
        for outcome in first.of(one.name, "J48").values():
            train = np.setdiff1d(np.arange(one.n), outcome.records)
            counts.append(int(holes[train].sum()))
        assert len(counts) == 6 and min(counts) > 0
        ranges = {"least": min(counts), "most": max(counts), "total": sum(counts)}
        for learner, settings in RANDOM.items():
            usual = "omit" if settings["engine"] == "rweka" else "pass"
            action = settings.get("na_action", usual)
            entry = entries[one.name, learner]
            assert entry["na_action"] == action
            assert entry["records"] == holes.sum()
            assert entry["in_training"] == ranges
            none = {"least": 0, "most": 0, "total": 0}
            assert entry["dropped"] == (ranges if action == "omit" else none)
    told = [text for text in document["warnings"] if "na_action" in text]
    assert len(told) == len(entries)


def test_without_gaps_nothing_is_told_of_them(drawn: Study) -> None:
    assert "missing" not in drawn.result.document
    assert not [text for text in drawn.result.document["warnings"] if "na_action" in text]


# --- processes, output, files ---------------------------------------------------------------------

PYTHON_ONLY = """\
cvinfer: 1
name: small
data: {source: synthetic, population: two_gaussians, n: 60}
learners:
  majority: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
tests: [blocked_3x2_t]
"""

WATCHED = """\
import subprocess, sys
from pathlib import Path

import pandas  # sid's asks `uname -p` while it is imported; that is not ours

started = []
beginning = subprocess.Popen.__init__

def watched(self, args, *more, **named):
    started.append(args)
    beginning(self, args, *more, **named)

subprocess.Popen.__init__ = watched

import cvinfer

if __name__ == "__main__":
    result = cvinfer.run("small.yaml", jobs=1)
    assert not result.failed
    loaded = [name for name in sys.modules if name.split(".")[0] == "rpy2"]
    assert not loaded, loaded
    asked = [name for name in sys.modules if name in ("cvinfer.engines._r.embedded",)]
    assert not asked, asked
    if Path("/proc/self/maps").exists():
        maps = Path("/proc/self/maps").read_text()
        assert "libR.so" not in maps and "libjvm" not in maps
    # Workers and their guardian are Python, and nothing else is started; nor is R's own helper.
    others = [command for command in started if command[0] != sys.executable]
    assert not others, others
    helper = sys.modules.get("cvinfer.engines._r.client")
    assert helper is None or helper._current is None
"""


def test_a_spec_without_r_never_starts_r(weka: Path, tmp_path: Path) -> None:
    place, programs = tmp_path / "place", tmp_path / "programs"
    for directory in (place, programs):
        directory.mkdir()
    for name in ("R", "Rscript", "java"):
        (programs / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\nexit 1\n")
        (programs / name).chmod(0o755)
    (place / "small.yaml").write_text(PYTHON_ONLY)
    (place / "watched.py").write_text(WATCHED)
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    environment.pop("R_HOME", None)
    done = subprocess.run(
        [sys.executable, "watched.py"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "started").exists()
    # The trap works: a spec with R does go through it.
    spec = PYTHON_ONLY.replace("{engine: builtin, learner: mean}", "{engine: r, learner: rpart}")
    (place / "small.yaml").write_text(spec)
    answer = command("validate", "small.yaml", cwd=place, PATH=path, R_HOME="")
    assert answer.code == 2 and (tmp_path / "started").exists()


def test_a_run_prints_its_result_and_leaves_its_results_only(weka: Path, tmp_path: Path) -> None:
    home, temporary, place = (tmp_path / name for name in ("home", "tmp", "place"))
    for directory in (home, temporary, place):
        directory.mkdir()
    learners = {
        "net": {"engine": "r", "learner": "nnet", "params": {"size": 1, "trace": True}},
        "rules": {"engine": "rweka", "learner": "JRip", "params": {"output-debug-info": True}},
        "tree": {"engine": "rweka", "learner": "J48"},
        "talk": {"engine": "r", "learner": "cvproof::loud"},
    }
    spec_of(place, r_data("MASS", "Pima.tr", "type"), learners, tests=["holdout_mcnemar"])
    own = {"HOME": str(home), "TMPDIR": str(temporary)}
    answer = command("run", "spec.json", "--allow-code", "--jobs", "2", cwd=place, **own)
    assert answer.code == 0, answer.err
    log = (place / "results" / "proof" / "run.log").read_text()
    for said in (
        "print says it",  # by R itself
        "cat says it",
        "message says it",
        "shell says it",  # by a process that R starts
        "# weights:",  # by nnet
        "*** Building stage ***",  # by Java
    ):
        assert said in log
        assert said not in answer.out and said not in answer.err
    # A warning is told as such.
    assert "talk: warning says it (in 1 of 1 fits)" in " ".join(answer.out.split())
    assert list(home.iterdir()) == []
    assert list(temporary.iterdir()) == []
    assert {each.name for each in place.iterdir()} == {"spec.json", "results"}
    left = {each.name for each in (place / "results" / "proof").iterdir()}
    assert left == {*FILES, "references.bib", "report.html", "run.json", "run.log"}
