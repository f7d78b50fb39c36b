"""The four stages of a run, called one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, spec_of

from cvinfer import runner
from cvinfer.execute.store import Store
from cvinfer.losses.kinds import CODES
from cvinfer.runner import stages


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
    ask = stages.learner_versions
    monkeypatch.setattr(stages, "learner_versions", lambda spec: asked.append(spec) or ask(spec))
    runner.run(path, jobs=1)
    assert len(asked) == 1


def test_another_alpha_takes_another_analysis_and_no_fit(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": BAYES})
    planned = runner.plan(runner.load(path))
    with Store(None) as store:
        outcome = runner.execute(planned, store, jobs=1)
        assert {fit.kind for fit in store.get_many(_keys(planned)).values()} == {CODES}
        for alpha in (0.05, 0.2, 0.05):
            spec = replace(planned.loaded.spec, alpha=alpha)
            other = planned._replace(loaded=planned.loaded._replace(spec=spec))
            found = runner.analyse(other, store, outcome).document
            assert found["spec"]["alpha"] == alpha
            assert found == runner.run(path, overrides=[f"alpha={alpha}"], jobs=1).document


def test_plans_for_several_seeds_share_the_data_that_were_read_once(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": BAYES})
    loaded = runner.load(path)
    keys: set[str] = set()
    with Store(None) as store:
        for seed in (1, 2, 3):
            spec = replace(loaded.spec, seed=seed)
            planned = runner.plan(loaded._replace(spec=spec))
            assert keys.isdisjoint(_keys(planned))
            keys |= _keys(planned)
            outcome = runner.execute(planned, store, jobs=1)
            assert (outcome.reused, outcome.fitted) == (0, 20)
            found = runner.analyse(planned, store, outcome).document
            assert found == runner.run(path, overrides=[f"seed={seed}"], jobs=1).document
    assert len(keys) == 60


def _keys(planned: runner.Planned) -> set[str]:
    return {fit.key for plan in planned.plans if plan is not None for fit in plan.fits}
