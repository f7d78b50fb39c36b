"""Code that is not cvinfer's own has workers to itself: what it changes, it changes for itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, TREE, marked, spec_of

from cvinfer.runner import Result, run


def losses(result: Result, learner: str) -> Any:
    (found,) = [row["per_split"] for row in result.document["losses"] if row["learner"] == learner]
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_learner_that_patches_modules_moves_no_other(tmp_path: Path, jobs: int) -> None:
    # The marked record is in the first fold, so that most of the fits come after the patch.
    learners = {
        "patches": marked("patch"),
        "Bayes": BAYES,
        "tree": TREE,
        "foreign": marked("unpatched"),
        "again": marked("unpatched", seconds=0.001),
    }
    result = run(spec_of(tmp_path, learners), jobs=jobs, allow_code=True)
    # It has harmed itself, as is its right.
    assert {row["learner"] for row in result.document["failures"]} == {"patches"}
    clean = run(spec_of(tmp_path, {"Bayes": BAYES, "tree": TREE}), jobs=1)
    for name in ("Bayes", "tree"):
        assert losses(result, name) == losses(clean, name)


def test_others_share_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cvinfer.execute.backends.pool import Pool

    started = []
    start = Pool.start

    def counted(pool: Pool) -> Any:
        started.append(pool)
        return start(pool)

    monkeypatch.setattr(Pool, "start", counted)
    run(spec_of(tmp_path, {"A": MAJORITY, "B": BAYES, "C": TREE}), jobs=1)
    assert len(started) == 1
    run(spec_of(tmp_path, {"A": MAJORITY, "B": marked("fine"), "C": TREE}), jobs=1, allow_code=True)
    assert len(started) == 3  # A and B have one, since B comes last there; C has another
