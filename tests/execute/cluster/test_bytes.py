"""The same bytes on a cluster as on this machine, whatever the number of workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from tests.execute.cluster.real_cluster import (
    NEEDS_DASK,
    Processes,
    cluster,
    opened,
    throw_away_authority,
)
from tests.execute.run_examples import BAYES, MAJORITY, TREE, marked, spec_of
from tests.r_parts import why_no_r, why_no_weka

from cvinfer.runner import run

pytestmark = NEEDS_DASK


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """Encrypted, where there is openssl to make the certificates."""
    tls = throw_away_authority(tmp_path_factory.mktemp("authority"))
    with cluster(tmp_path_factory.mktemp("cluster"), 1, "--allow-code", tls=tls) as found:
        assert found.address.startswith("tcp" if tls is None else "tls")
        yield found


def learners() -> "dict[str, Any]":
    found = {"A": MAJORITY, "B": BAYES, "C": TREE}
    if why_no_r() is None:
        found["E"] = {"engine": "r", "learner": "rpart"}
    if why_no_weka() is None:
        found["F"] = {"engine": "rweka", "learner": "J48"}
    return found


def test_a_learner_that_crashes_is_told_of_in_the_same_words(
    tmp_path: Path, processes: Processes
) -> None:
    path = spec_of(tmp_path / "spec", {"A": MAJORITY, "B": marked("segfault")})
    wanted = run(path, allow_code=True)
    with opened(processes.address, tls=processes.tls) as place:
        found = run(path, allow_code=True, backend=place)
    assert found.document == wanted.document
    assert "SIGSEGV" in str(found.document["failures"])


@pytest.mark.long
def test_the_doctor_looks_at_workers(processes: Processes) -> None:
    from cvinfer.commands.doctor.cluster import examine_cluster

    with opened(processes.address, tls=processes.tls) as place:
        lines = list(examine_cluster(place))
    assert all(line.fine for line in lines)
    text = "\n".join(line.text for line in lines)
    assert "ms there and back; engines builtin, sklearn" in text and "code of specs" in text
    assert "numpy " in text and "1 worker with the versions that are here" in text


@pytest.mark.parametrize("workers", [1, 2, pytest.param(4, marks=pytest.mark.long)])
def test_bytes_of_workers(tmp_path: Path, processes: Processes, workers: int) -> None:
    path = spec_of(tmp_path / "spec", learners(), ["holdout_mcnemar"])
    run(path, write=True, output=tmp_path / "local" / "made")
    while len(processes.groups) < workers:
        processes.start_workers(1)
    there = tmp_path / str(workers) / "made"
    with opened(processes.address, tls=processes.tls) as place:
        run(path, write=True, output=there, backend=place)
        assert place.facts["workers"] == workers
    for name in ("result.json", "predictions.csv.gz"):
        here = tmp_path / "local" / "made" / name
        assert (there / name).read_bytes() == here.read_bytes()
    assert json.loads((there / "run.json").read_text())["cluster"]["workers"] == workers
