"""The same bytes on a cluster as on this machine, whatever the number of workers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
from click.testing import CliRunner
from tests.execute.cluster.real_cluster import (
    NEEDS_DASK,
    Processes,
    cluster,
    opened,
    throw_away_authority,
)
from tests.execute.run_examples import (
    BAYES,
    MAJORITY,
    NEAREST_MEAN,
    TREE,
    environment,
    marked,
    spec_of,
)
from tests.execute.test_bytes import files
from tests.r_parts import why_no_r, why_no_weka
from tests.studies.ledger import made as ledger
from tests.studies.study_examples import PLAIN, changed

from cvinfer.cli import cli
from cvinfer.engines import engines
from cvinfer.runner import run

pytestmark = NEEDS_DASK
LEDGER = """cells:
  - study: one
    kind: test
    field: rate
    digits: 3
    printed: {kfold_t: 0.1}
"""


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """Encrypted, where there is openssl to make the certificates."""
    tls = throw_away_authority(tmp_path_factory.mktemp("authority"))
    with cluster(tmp_path_factory.mktemp("cluster"), 1, "--allow-code", tls=tls) as found:
        assert found.address.startswith("tcp" if tls is None else "tls")
        yield found


def ledger_head() -> str:
    """An item whose studies are small."""
    common = json.dumps({name: PLAIN[name] for name in PLAIN if name not in ("name", "seed")})
    lines = ledger.HEAD.splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("common: ", "exact:", "  ten: "))]
    return "".join(kept) + f"common: {common}\n"


def learners() -> "dict[str, Any]":
    found = {"A": MAJORITY, "B": BAYES, "C": TREE}
    if why_no_r() is None:
        found["E"] = {"engine": "r", "learner": "rpart"}
    if why_no_weka() is None:
        found["F"] = {"engine": "rweka", "learner": "J48"}
    return found


#: What each does on one split of ten, and what is told of it.
FAULTS = {
    "crash": "signal SIGSEGV",
    "leave": "quit() in R",
    "hoard": "used more than 150 MB (limits.memory_mb)",
    "endless": "took longer than 3 s",
}
MODES = {"crash": "segfault", "leave": "quit", "hoard": "hoard", "endless": "endless"}


@pytest.mark.parametrize(
    "names", [("crash",), pytest.param(("leave", "hoard", "endless"), marks=pytest.mark.long)]
)
def test_faults_are_told_in_the_same_words(
    tmp_path: Path, processes: Processes, names: "tuple[str, ...]"
) -> None:
    learners = {"A": MAJORITY, **{name: marked(MODES[name]) for name in names}}
    limits = {"seconds": 3, "memory_mb": 150}
    path = spec_of(tmp_path / "spec", learners, limits=limits)
    wanted = run(path, allow_code=True)
    with opened(processes.address, tls=processes.tls) as place:
        found = run(path, allow_code=True, backend=place)
    assert found.document == wanted.document
    told = {each["learner"]: each["message"] for each in found.document["failures"]}
    assert set(told) == set(names)
    for name in names:
        assert FAULTS[name] in told[name]


@pytest.mark.parametrize(
    "words, made",
    [
        (("simulate", "study.json"), "study.json"),
        (("stability", "small.json", "--runs", "3"), "stability.json"),
        (("calibrate", "small.json", "--replications", "3"), "calibrate.json"),
        (("reproduce", "s1:table5", "--replications", "3", "--study", "one"), "one.json"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_every_command_gives_the_same_bytes(
    tmp_path: Path,
    processes: Processes,
    monkeypatch: pytest.MonkeyPatch,
    words: "tuple[str, ...]",
    made: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    study = changed(PLAIN, replications=20)
    Path("study.json").write_text(json.dumps(study))
    data = {"source": "synthetic", "population": "two_gaussians", "n": 60}
    pair = {"A": MAJORITY, "B": NEAREST_MEAN}
    small = {"cvinfer": 1, "name": "small", "data": data, "learners": pair, "tests": ["kfold_t"]}
    Path("small.json").write_text(json.dumps(small))
    ledger.write(tmp_path / "specs" / "papers", LEDGER, ledger_head())
    for place, where in (("here", ["--jobs", "1"]), ("there", processes.words)):
        asked = [*words, "--quiet", "--output", place, *where]
        answer = CliRunner().invoke(cli, asked)
        assert answer.exit_code == 0, answer.output
    (here,), (there,) = (list(Path(place).rglob(made)) for place in ("here", "there"))
    assert there.read_bytes() == here.read_bytes()


def test_two_commands_at_once_do_not_disturb_each_other(
    tmp_path: Path, processes: Processes
) -> None:
    specs = [
        spec_of(tmp_path / name, {"A": MAJORITY, "B": marked("fine", seconds=seconds)}, n=n)
        for name, seconds, n in (("one", 0.1, 60), ("two", 0.15, 50))
    ]
    both = []
    for path in specs:
        words = ["run", str(path), "--allow-code", "--quiet", *processes.words]
        both.append(
            subprocess.Popen(
                [sys.executable, "-m", "cvinfer", *words, "--output", str(path.parent / "there")],
                cwd=path.parent,
                env=environment(),
                stderr=subprocess.PIPE,
            )
        )
    for path, process in zip(specs, both):
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
        run(path, allow_code=True, write=True, output=path.parent / "here")
        assert files(path.parent / "there") == files(path.parent / "here")


def test_workers_listen_on_loopback_only(processes: Processes) -> None:
    psutil = pytest.importorskip("psutil")
    pids = {
        each.pid
        for group in processes.groups
        for first in [psutil.Process(group.pid)]
        for each in [first, *first.children(recursive=True)]
    }
    listening = [
        each.laddr.ip
        for each in psutil.net_connections("inet")
        if each.pid in pids and each.status == psutil.CONN_LISTEN
    ]
    assert set(listening) == {"127.0.0.1"}  # nannies and workers


@pytest.mark.long
def test_the_doctor_looks_at_workers(processes: Processes) -> None:
    from cvinfer.commands.doctor.cluster import examine_cluster

    with opened(processes.address, tls=processes.tls) as place:
        lines = list(examine_cluster(place))
    assert all(line.fine for line in lines)
    text = "\n".join(line.text for line in lines)
    usable = [name for name, each in engines().items() if each.reason() is None]
    assert f"ms there and back; engines {', '.join(usable)}, code of specs\n" in text
    assert "numpy " in text and "1 worker with the versions that are here" in text


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Path, Path]":
    """A spec with learners of every engine there is, and what it gives on this machine."""
    place = tmp_path_factory.mktemp("local")
    path = spec_of(place / "spec", learners(), ["holdout_mcnemar"])
    run(path, write=True, output=place / "made")
    return path, place / "made"


@pytest.mark.parametrize("workers", [1, 2, pytest.param(4, marks=pytest.mark.long)])
def test_bytes_of_workers(
    tmp_path: Path, processes: Processes, local: "tuple[Path, Path]", workers: int
) -> None:
    path, here = local
    while len(processes.groups) < workers:
        processes.start_workers(1)
    there = tmp_path / "made"
    with opened(processes.address, tls=processes.tls) as place:
        run(path, write=True, output=there, backend=place)
        assert place.facts["workers"] == workers
    for name in ("result.json", "predictions.csv.gz"):
        assert (there / name).read_bytes() == (here / name).read_bytes()
    assert json.loads((there / "run.json").read_text())["cluster"]["workers"] == workers
