"""Runs of cvinfer beside plain R scripts on the same splits."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence

import numpy as np
import pytest

from cvinfer.places import predictions_files
from cvinfer.cli import main
from cvinfer.data.dataset import Dataset
from cvinfer.engines._r.installation import library
from cvinfer.execute.backends.worker import ONE_THREAD
from cvinfer.planning import plan_run
from cvinfer.runner import Result, load, run
from cvinfer.spec.model import Spec

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

#: Many short fits: what the JVM spends on its own tuning would be more than what it saves.
QUICK_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"

#: Scheme, replication and fold as the files write them.
Split = tuple[str, str, str]


class Outcome(NamedTuple):
    """Of one learner on one split: the label of each test record, or why there is none."""

    records: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    fault: Optional[str] = None


#: By data set, learner and split.
Outcomes = dict[tuple[str, str, Split], Outcome]


class Study(NamedTuple):
    """A run and, where there was one, the plain script beside it."""

    directory: Path
    result: Result
    sets: Sequence[Dataset]
    found: Outcomes
    plain: Outcomes

    def of(self, data: str, learner: str) -> dict[Split, Outcome]:
        return {key[2]: each for key, each in self.found.items() if key[:2] == (data, learner)}


# --- specs and runs -------------------------------------------------------------------------------


def spec_of(
    directory: Path, data: Any, learners: Mapping[str, Any], tests: Any = None, **more: Any
) -> Path:
    """A spec file whose learners are all fitted, each being compared with the first."""
    directory.mkdir(parents=True, exist_ok=True)
    first, *others = learners
    spec = {
        "cvinfer": 1,
        "name": "proof",
        "data": data,
        "learners": learners,
        "compare": {"each": [first], "against": others},
        "tests": tests or ["blocked_3x2_t"],
        "seed": 20,
        **more,
    }
    path = directory / "spec.json"
    path.write_text(json.dumps(spec, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def r_data(package: str, dataset: str, target: str, **more: Any) -> dict[str, Any]:
    place = {"source": "r", "package": package, "dataset": dataset, "target": target}
    return {"name": dataset, **place, **more}


class Background(NamedTuple):
    """A script of R that runs, and the file of what it says."""

    process: "subprocess.Popen[str]"
    said: Path


class Begun(NamedTuple):
    """A study whose plain scripts are running."""

    path: Path
    spec: Spec
    sets: Sequence[Dataset]
    scripts: Sequence[Background]
    allow_code: bool


def begin(
    path: Path, *scripts: str, without: Sequence[str] = (), allow_code: bool = False
) -> Begun:
    """Check a spec, export its splits, and start the plain scripts on them.

    without: data sets that the scripts leave out.
    """
    spec, sets = load(path, allow_code=allow_code)
    if scripts:
        files = export_splits(path, [each.name for each in sets], allow_code)
        _write_sets(path.parent, sets, files, without)
        _write_seeds(path.parent, spec, sets)
    return Begun(path, spec, sets, [start(each, path.parent) for each in scripts], allow_code)


def complete(begun: Begun, jobs: int = 1) -> Study:
    """Run the spec while the scripts run, and read what all of them found."""
    path, _, sets, scripts, allow_code = begun
    output = path.parent / "out" / "proof"
    with pytest.MonkeyPatch.context() as patch:
        if scripts:
            patch.setenv("JAVA_TOOL_OPTIONS", QUICK_JAVA)
        result = run(path, output=output, write=True, jobs=jobs, allow_code=allow_code)
    plain: Outcomes = {}
    for each in scripts:
        finish(each)
        plain.update(read_plain(each.said.with_suffix(".csv")))
    return Study(path.parent, result, sets, found_in(result, sets), plain)


def study(path: Path, *scripts: str, jobs: int = 1, **more: Any) -> Study:
    """One run from beginning to end."""
    return complete(begin(path, *scripts, **more), jobs)


def export_splits(path: Path, names: Sequence[str], allow_code: bool = False) -> list[Path]:
    """What `cvinfer splits` writes, a file for each data set."""
    output = path.parent / "splits.csv"
    try:
        main(["splits", str(path), "-o", str(output), *["--allow-code"] * allow_code])
    except SystemExit as ended:
        if ended.code:
            raise AssertionError(f"cvinfer splits ended with {ended.code}") from None
    if len(names) == 1:
        return [output]
    return [path.parent / f"splits-{name}.csv" for name in names]


def found_in(result: Result, sets: Sequence[Dataset]) -> Outcomes:
    """The predictions of a run from its files, and its failures."""
    assert result.directory is not None
    found: Outcomes = {}
    for one, file in zip(sets, predictions_files([each.name for each in sets])):
        path = result.directory / file
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row.get("role", "test") == "test"]
        for split, at in _grouped(rows).items():
            records = tuple(int(row["record"]) for row in at)
            for learner in result.spec.learners:
                labels = tuple(row[learner] for row in at)
                found[one.name, learner, split] = Outcome(records, labels)
    for each in result.document["failures"]:
        partition = result.document["partitions"][each["partition"]]
        assert partition["scheme"] in {split[0] for _, _, split in found}
        names = list(
            dict.fromkeys(
                s for d, _, s in found if d == each["data"] and s[0] == partition["scheme"]
            )
        )
        key = (each["data"], each["learner"], names[each["split"]])
        found[key] = found[key]._replace(labels=(), fault=each["message"])
    return found


def _grouped(rows: Iterable[Mapping[str, str]]) -> dict[Split, list[Mapping[str, str]]]:
    groups: dict[Split, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        groups[row["scheme"], row["replication"], row["fold"]].append(row)
    return groups


# --- plain R --------------------------------------------------------------------------------------


def r_environment(place: Path) -> dict[str, str]:
    """R as a user has it, with the project's library, in the locale of the workers."""
    own = library()
    paths = [str(own) if own else "", os.environ.get("R_LIBS", "")]
    weka = place / "weka-home"
    weka.mkdir(exist_ok=True)
    return {
        **os.environ,
        **ONE_THREAD,
        "R_LIBS": os.pathsep.join(filter(None, paths)),
        "LC_ALL": "C.UTF-8",
        "WEKA_HOME": str(weka),
        "JAVA_TOOL_OPTIONS": QUICK_JAVA,
    }


def start(script: str, place: Path, *words: str) -> Background:
    """Start a script of this folder with `place` as its working directory."""
    said = place / f"{Path(script).stem}.out"
    with open(said, "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            ["Rscript", "--no-init-file", str(HERE / script), str(HERE), *words],
            cwd=place,
            env=r_environment(place),
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    return Background(process, said)


def finish(started: Background) -> str:
    """Wait for a script; what it said."""
    code = started.process.wait(120)
    said = started.said.read_text(encoding="utf-8")
    assert code == 0, said
    return said


def _write_sets(
    directory: Path, sets: Sequence[Dataset], files: Sequence[Path], without: Sequence[str]
) -> None:
    """What the script needs to have the same records: where they are, and which."""
    with open(directory / "sets.csv", "w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        keys = ("package", "dataset", "path", "target", "missing")
        writer.writerow(["name", *keys, "drop", "rows", "splits"])
        for one, path in zip(sets, files):
            if one.name in without:
                continue
            entry = one.source
            rows = ""
            if entry.get("sample") is not None:
                rows = f"rows-{one.name}.csv"
                chosen = "".join(f"{at + 1}\n" for at in _sampled(one))
                (directory / rows).write_text("row\n" + chosen)
            drop = " ".join(entry.get("drop", ()))
            given = [entry.get(key, "") for key in keys]
            writer.writerow([one.name, *given, drop, rows, path.name])


def _sampled(dataset: Dataset) -> list[int]:
    """Which records of the whole data set a sample holds, told by what is in them.

    Of equal records any will do.
    """
    from cvinfer.data import load as load_data

    entry = {key: value for key, value in dataset.source.items() if key != "sample"}
    whole = load_data(entry, Path(), 0)
    assert isinstance(whole, Dataset)
    at = {row: number for number, row in enumerate(_rows(whole))}
    return [at[row] for row in _rows(dataset)]


def _rows(dataset: Dataset) -> list[tuple[Any, ...]]:
    labels = np.array(dataset.classes)[dataset.target]
    return list(zip(labels.tolist(), *(column.values.tolist() for column in dataset.features)))


def _write_seeds(directory: Path, spec: Spec, sets: Sequence[Dataset]) -> None:
    from cvinfer.data.splits_file import scheme_labels, split_names

    with open(directory / "seeds.csv", "w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["data", "learner", "scheme", "replication", "fold", "seed"])
        for one in sets:
            made = plan_run(spec, one)
            labels = scheme_labels(made.partitions)
            for fit in made.fits:
                replication, fold = split_names(made.partitions[fit.partition])[fit.number]
                name = (labels[fit.partition], replication, fold)
                writer.writerow([one.name, fit.learner, *name, fit.seed % 2**31])


def read_plain(path: Path) -> Outcomes:
    """What a script wrote: labels, and the fits that failed."""
    found: Outcomes = {}
    with open(path, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    fits: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        fits[row["data"], row["learner"]].append(row)
    for (data, learner), of_fit in fits.items():
        for split, at in _grouped(of_fit).items():
            fault = at[0]["fault"]
            if fault:
                found[data, learner, split] = Outcome((), (), fault)
                continue
            records = tuple(int(row["record"]) for row in at)
            found[data, learner, split] = Outcome(records, tuple(row["label"] for row in at))
    return found


def same(found: Outcomes, plain: Outcomes, data: str, learner: str) -> tuple[int, int]:
    """Assert equal labels for every record of every split; fits compared and fits that failed.

    Where plain R has no prediction for every record, there must be a failure, and only there.
    """
    ours = {key[2]: each for key, each in found.items() if key[:2] == (data, learner)}
    theirs = {key[2]: each for key, each in plain.items() if key[:2] == (data, learner)}
    assert ours and ours.keys() == theirs.keys()
    failed = 0
    for split, one in ours.items():
        other = theirs[split]
        assert bool(one.fault) == bool(other.fault), (split, one.fault, other.fault)
        if one.fault:
            failed += 1
            continue
        assert one.records == other.records
        differing = sum(a != b for a, b in zip(one.labels, other.labels))
        assert differing == 0, f"{differing} of {len(one.labels)} records differ in {split}"
    return len(ours), failed


# --- the command ----------------------------------------------------------------------------------


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def faults(self) -> list[dict[str, Any]]:
        """What `validate --json` printed."""
        found: list[dict[str, Any]] = json.loads(self.out)
        return found


def command(*words: object, cwd: Path, **environment: str) -> Answer:
    """`cvinfer ...` as a process of its own."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    named = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), **environment}
    done = subprocess.run(
        [sys.executable, "-m", "cvinfer", *map(str, words)],
        cwd=cwd,
        env={**os.environ, **named},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)


def install(source: Path, into: Path) -> None:
    """Put the tests' own R package into a library."""
    into.mkdir(exist_ok=True)
    done = subprocess.run(
        [
            shutil.which("R") or "R",
            "CMD",
            "INSTALL",
            "--no-docs",
            "--no-test-load",
            "--no-byte-compile",
            f"--library={into}",
            str(source),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
