"""Replications that fail are counted where they are needed, told, and cost the others nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests import r_parts
from tests.execute.run_examples import marked
from tests.studies.study_examples import cell_of, changed, of_file

from cvinfer.cli import main
from cvinfer.studies import simulate
from cvinfer.studies.document import merge
from cvinfer.spec.finished import read_kind
from cvinfer.studies.files import study_text

#: Of 8 replications of 30 among 60 records with seed 5, those that draw the record whose mark is 0.
REPLICATIONS = 8


def drawn(path: Path) -> set[int]:
    """The replications that have the marked record, which is the first."""
    from cvinfer.execute.replications.recipe import Recipe, draw
    from cvinfer.studies.load import load_study

    (point,) = load_study(path, allow_code=True).points
    recipe = Recipe(point.population, point.n, point.replace, point.spec.seed, 1, ())
    numbers = range(1, REPLICATIONS + 1)
    return {number for number in numbers if 0 in draw(recipe, number).records}


def found(path: Path, **options: Any) -> Any:
    return simulate(path, allow_code=True, **options)


def test_fits_that_fail_are_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    truth = {"truth": {"records": "population"}, "variances": True, "partitions": 2}
    path = of_file(tmp_path / "study", marked("error"), REPLICATIONS, **truth)
    bad = drawn(path)
    assert 0 < len(bad) < REPLICATIONS
    with pytest.raises(SystemExit) as ended:
        main(["simulate", str(path), "--allow-code", "--output", str(tmp_path / "a" / "made")])
    assert ended.value.code == 3
    assert "failure" in capfd.readouterr().out
    document = read_kind(tmp_path / "a" / "made" / "study.json", "study")
    cell = cell_of(document, "kfold_t")
    assert (cell["replications"], cell["failed"]) == (REPLICATIONS, len(bad))
    assert cell["sums"]["counts"]["decisions"] == 2 * (REPLICATIONS - len(bad))
    # One of the ten folds tests the record, in each of two partitions. The truth is measured on the
    # records that were not drawn, and fails where the record is among these.
    rows = {row["reason"].split(": ")[0]: row["count"] for row in document["failures"]}
    assert rows == {
        "Marked failed with 27 training records": 2 * len(bad),
        "Marked failed with 30 training records": REPLICATIONS - len(bad),
    }
    assert {row["learner"] for row in document["failures"]} == {"B"}
    assert document["warnings"][0].startswith(f"{REPLICATIONS + len(bad)} fits failed")
    truths = [c for c in document["cells"] if c["name"] == "true_loss"]
    made = {c["learner"]: c["sums"]["counts"]["made"] for c in truths}
    assert made == {"A": REPLICATIONS, "B": len(bad)}
    # Parts of it add up, failures and warnings too.
    store = tmp_path / "a" / "store.sqlite"
    parts = [found(path, jobs=1, store=store, range_=each).document for each in ((1, 3), (4, 8))]
    assert study_text(merge(parts)) == (tmp_path / "a" / "made" / "study.json").read_text()


def test_others_are_as_without_the_failure(tmp_path: Path) -> None:
    """The mean of those that are left is that of the same replications in a study without fault."""
    path = of_file(tmp_path / "study", marked("error"), REPLICATIONS)
    bad = drawn(path)
    fine = json.loads(path.read_text())
    fine["learners"]["B"]["params"]["mode"] = "fine"
    whole = [
        cell_of(found(fine, base=path.parent, jobs=1, range_=(n, n)).document, "kfold_t")["loss_b"]
        for n in range(1, REPLICATIONS + 1)
        if n not in bad
    ]
    cell = cell_of(found(path, jobs=1).document, "kfold_t")
    assert cell["loss_b"] == pytest.approx(sum(whole) / len(whole), rel=1e-12)


def test_a_worker_that_dies_costs_one_replication(tmp_path: Path) -> None:
    """The block is lost with its worker; its replications are then made one by one."""
    path = of_file(tmp_path / "study", marked("exit_3"), REPLICATIONS)
    bad = drawn(path)
    made = found(path, jobs=2, write=True, output=tmp_path / "a" / "made")
    cell = cell_of(made.document, "kfold_t")
    assert (cell["failed"], made.failed) == (len(bad), True)
    (row,) = made.document["failures"]
    assert row["reason"] == "its worker process died 2 times (exit code 3)"
    assert (row["learner"], row["count"]) == ("B", len(bad))
    # What was fine is stored by itself; of A there is the whole block.
    good = {number for number in range(1, REPLICATIONS + 1) if number not in bad}
    first = found(
        path, jobs=1, range_=(min(good), min(good)), store=tmp_path / "a" / "store.sqlite"
    )
    assert (first.outcome.reused, first.outcome.fitted) == (1, 1) and not first.failed


def test_a_fit_without_end_is_ended(tmp_path: Path) -> None:
    limits = {"seconds": 0.15}
    path = of_file(tmp_path / "study", marked("endless"), REPLICATIONS, limits=limits)
    made = found(path, jobs=2)
    cell = cell_of(made.document, "kfold_t")
    assert cell["failed"] == len(drawn(path))
    (row,) = made.document["failures"]
    # A replication has the time of its ten fits.
    assert row["reason"] == "took longer than 1.5 s"


def test_stored_blocks_serve_where_time_is_limited(tmp_path: Path) -> None:
    path = of_file(tmp_path / "study", marked("fine"), 16)
    store = tmp_path / "store.sqlite"
    whole = found(path, jobs=1, store=store)
    limited = json.loads(path.read_text())
    limited["limits"] = {"seconds": 60}
    again = found(limited, base=path.parent, jobs=1, store=store)
    assert (again.outcome.reused, again.outcome.fitted) == (2, 0)
    assert again.document["cells"] == whole.document["cells"]


R_SPEC = {
    "cvinfer": 1,
    "name": "r",
    "study": {
        "population": {"source": "sklearn", "dataset": "iris"},
        "draw": {"n": 28},
        "replications": 8,
    },
    "learners": {
        "A": {"engine": "builtin", "learner": "majority"},
        "B": {"engine": "r", "learner": "qda"},
    },
    "compare": ["A", "B"],
    "tests": ["kfold_t"],
    "seed": 2,
}


@pytest.mark.skipif(shutil.which("R") is None, reason="R is not here")
def test_an_error_of_r_is_counted() -> None:
    """qda refuses a class of four records or fewer, which some of the training sets have."""
    why = r_parts.why_not(json.dumps(R_SPEC))
    if why is not None:
        pytest.skip(why)
    made = simulate(changed(R_SPEC), jobs=1)
    cell = cell_of(made.document, "kfold_t")
    assert 0 < cell["failed"] < cell["replications"]
    assert {row["learner"] for row in made.document["failures"]} == {"B"}
    assert made.failed and cell["rate"] is not None
