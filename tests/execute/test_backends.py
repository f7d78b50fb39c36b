"""A second back end, in a few lines: whatever has the two verbs can do the work of a run."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Hashable, Iterator, Optional, Sequence, Union

import pytest
from tests.execute.run_examples import BAYES, MAJORITY, TREE, marked, spec_of

from cvinfer import runner
from cvinfer.execute.backends.base import Backend, Orders
from cvinfer.execute.store import Store
from cvinfer.execute.work import (
    Batch,
    Fate,
    FitError,
    Job,
    Limits,
    Lost,
    Made,
    Printed,
    do,
)


class Here:
    """Does everything in this process, one batch after the other; loses what it is told to."""

    def __init__(
        self, job: Job, materials: Sequence[object], jobs: int, losses: list[Fate]
    ) -> None:
        self.job, self.jobs = job, jobs
        self.kept: dict[Hashable, object] = {}
        self.log = Told()
        self.facts = {"lamp": "on"}
        self.cancelled = 0
        self._materials, self._losses = materials, losses

    def material(self, number: int) -> object:
        return self._materials[number]

    def results(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        while orders.has():
            batch = orders.take()
            orders.at_work([batch])
            if self._losses:
                yield Lost(batch, 0, self._losses.pop(), "the light went out", Printed(0, 0))
                continue
            made = Made(batch, [do(self, task.order) for task in batch.tasks])
            orders.answered(made)
            yield made

    def cancel(self) -> Sequence[tuple[Batch, int, Printed]]:
        self.cancelled += 1
        return ()


class Told:
    """A log that only remembers."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def printed(self, pid: int, start: int, end: Optional[int], heading: str) -> None:
        raise AssertionError("nothing is printed here")

    def lost(self, pid: int, start: int, heading: str) -> None:
        self.failures.append(heading)

    def failed(self, text: str) -> None:
        self.failures.append(text)

    def write(self, path: Path) -> None:
        path.write_text("\n".join(self.failures))


class Opened:
    """Opens them, and keeps the last."""

    def __init__(self, *losses: Fate) -> None:
        self.losses = list(losses)
        self.open = 0
        self.last: Optional[Here] = None

    @contextlib.contextmanager
    def __call__(
        self, job: Job, materials: Sequence[object], limits: Limits, jobs: int
    ) -> Iterator[Backend]:
        self.last = Here(job, materials, jobs, self.losses)
        self.open += 1
        yield self.last
        self.open -= 1


@pytest.fixture()
def planned(tmp_path: Path) -> runner.Planned:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": BAYES, "tree": TREE})
    return runner.plan(runner.load(path))


def test_another_back_end_gives_the_same_result(planned: runner.Planned) -> None:
    documents = []
    for backend in (Opened(), None):
        with Store(None) as store:
            outcome = runner.execute(planned, store, jobs=2, backend=backend)
            assert (outcome.fitted, outcome.failures) == (30, {})
            documents.append(runner.analyse(planned, store, outcome).document)
        if backend is not None:
            assert backend.last is not None and backend.last.cancelled == 1 and not backend.open
    assert documents[0] == documents[1]


def test_it_is_not_opened_where_everything_is_stored(planned: runner.Planned) -> None:
    backend = Opened()
    with Store(None) as store:
        runner.execute(planned, store, jobs=1, backend=backend)
        backend.last = None
        assert runner.execute(planned, store, jobs=1, backend=backend).reused == 30
    assert backend.last is None


def test_what_it_loses_is_tried_again_or_blamed_by_the_scheduler(
    planned: runner.Planned, tmp_path: Path
) -> None:
    with Store(None) as store:
        outcome = runner.execute(planned, store, jobs=1, backend=Opened(Fate.ACCIDENT))
        assert (outcome.fitted, outcome.failures) == (30, {})
    log = tmp_path / "run.log"
    with Store(None) as store:
        twice = Opened(Fate.ACCIDENT, Fate.ACCIDENT)
        outcome = runner.execute(planned, store, jobs=1, backend=twice, log=log)
        assert outcome.fitted == 29
        assert list(outcome.failures.values()) == [
            "its worker process died 2 times (the light went out)"
        ]
        assert log.read_text().count("the light went out") == 3
    with Store(None) as store:
        outcome = runner.execute(planned, store, jobs=1, backend=Opened(Fate.FINAL))
        assert list(outcome.failures.values()) == ["the light went out"]


def test_it_is_cancelled_at_the_first_failure_that_ends_a_run(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "bad": marked("raise")}
    path = spec_of(tmp_path, learners)
    planned = runner.plan(runner.load(path, allow_code=True))
    backend = Opened()
    with Store(None) as store, pytest.raises(FitError, match="bad failed on split"):
        runner.execute(planned, store, jobs=1, fail_fast=True, backend=backend)
    assert backend.last is not None and backend.last.cancelled == 1
