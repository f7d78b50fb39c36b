"""The four stages of a run, called one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, spec_of

from cvinfer import runner
from cvinfer.execute.store import Store


def test_stages_in_a_loop_give_what_a_run_gives(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": BAYES})
    planned = runner.plan(runner.load(path))
    documents = []
    with Store(None) as store:
        for reused in (0, 20):
            outcome = runner.execute(planned, store, jobs=1)
            assert outcome.reused == reused
            documents.append(runner.analyse(planned, store, outcome).document)
    assert documents == [runner.run(path, jobs=1).document] * 2


def test_two_specs_in_a_loop_share_a_store(tmp_path: Path) -> None:
    first = spec_of(tmp_path / "first", {"A": MAJORITY, "B": BAYES})
    second = spec_of(tmp_path / "second", {"B": BAYES, "C": NEAREST_MEAN})
    alone = [runner.run(path, jobs=1).document for path in (first, second)]
    found, counts = [], []
    with Store(tmp_path / "store.sqlite") as store:
        for path in (first, second):
            planned = runner.plan(runner.load(path))
            outcome = runner.execute(planned, store, jobs=1)
            counts.append((outcome.reused, outcome.fitted))
            found.append(runner.analyse(planned, store, outcome).document)
    assert counts == [(0, 20), (10, 10)]
    assert found == alone


def test_versions_are_asked_once_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": BAYES})
    asked = []
    ask = runner.learner_versions
    monkeypatch.setattr(runner, "learner_versions", lambda spec: asked.append(spec) or ask(spec))
    runner.run(path, jobs=1)
    assert len(asked) == 1
