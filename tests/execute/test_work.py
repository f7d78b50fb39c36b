"""A second kind of work, known to no file of cvinfer: the scheduler and its workers do it as well.

It is what a study needs: each order draws a sample, fits, and brings back one number.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Sequence

import pytest

from cvinfer.engines.base import LearnerSpec
from cvinfer.execute import scheduler
from cvinfer.execute.store import Store, Stored
from cvinfer.execute.work import Job, Order, Task, works
from cvinfer.losses.kinds import SCORES

#: A distribution that brings it; workers find it as they find every plug-in.
REPLICATION = '''
import os
from pathlib import Path

import numpy as np

from cvinfer.data import load
from cvinfer.engines import engines
from cvinfer.execute.work import Done, Work, works
from cvinfer.losses.kinds import SCORES
from cvinfer.partitions import make_partition


class Population:
    """What orders mean by `dataset`; it notes who reads it."""

    def __init__(self, settings, notes):
        self.settings, self.notes = settings, notes

    def __getstate__(self):
        note(self.notes, "packed", self.settings["n"])
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__.update(state)
        note(self.notes, "read", self.settings["n"])


def note(path, *words):
    with open(path, "a") as stream:
        print(os.getpid(), *words, file=stream)


def prepare(desk, order):
    note(desk.material(order.dataset).notes, "prepared", order.work, order.dataset)


def error_rate(population, seed, learner):
    drawn = load(population.settings, Path(), seed)
    session = engines()[learner.engine].open(drawn)
    wrong = 0
    for split in make_partition("kfold", drawn.n, seed=seed, k=5).splits:
        codes = session.predict(learner, split.train, split.test, seed).codes
        wrong += int((codes != drawn.target[split.test]).sum())
    return wrong / drawn.n


def replicate(desk, order, began):
    found = error_rate(
        desk.material(order.dataset), order.seed, desk.job.learners[order.learner]
    )
    return Done(np.array([found]), 0.01, 0.0, (str(os.getpid()),), "", began, kind=SCORES)


def die_first(desk, order, began):
    """At its first order the worker dies."""
    mark = Path(desk.material(order.dataset).notes + ".dead")
    if not mark.exists():
        mark.touch()
        os._exit(9)
    return replicate(desk, order, began)


works.add("toy_replication", Work(prepare, replicate), __name__)
works.add("toy_accident", Work(prepare, die_first), __name__)
'''


class Replications(NamedTuple):
    """An agenda of them."""

    tasks: Mapping[str, Task]
    job: Job
    materials: Sequence[object]
    alone: frozenset[int] = frozenset()

    def suits(self, key: str, stored: Stored) -> bool:
        return stored.kind == SCORES and len(stored.values) == 1

    def fits(self, task: Task) -> int:
        return 1

    def label(self, task: Task) -> str:
        return task.learner

    def place(self, task: Task) -> str:
        return f"replication {task.order.split + 1}"

    def heading(self, task: Task) -> str:
        return f"{task.learner} on {self.place(task)}"


@pytest.fixture()
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The distribution, installed where this process and its workers look for modules."""
    (tmp_path / "toy_study.py").write_text(REPLICATION)
    about = tmp_path / "toy_study-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-study\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[cvinfer]\nstudy = toy_study\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("toy_study", None)
    for name in ("toy_replication", "toy_accident"):
        works._forget(name)


MEAN = LearnerSpec("mean", "builtin", "mean")


def agenda(
    brought: Path, counts: Sequence[int], kinds: Sequence[str] = ("toy_replication",)
) -> Replications:
    """So many replications on each of some populations, by each of the kinds of work."""
    study = importlib.import_module("toy_study")
    settings = [{"source": "synthetic", "population": "exp6", "n": 60 + at} for at in range(9)]
    materials = [
        study.Population(settings[at], str(brought / "notes")) for at in range(len(counts))
    ]
    orders = [
        Order(dataset, 0, split, 0, 100 + split, work)
        for dataset, count in enumerate(counts)
        for split in range(count)
        for work in range(len(kinds))
    ]
    tasks = {repr(order): Task(repr(order), "mean", order) for order in orders}
    return Replications(tasks, Job([MEAN], None, kinds), materials)


def noted(brought: Path, word: str) -> list[tuple[int, str]]:
    """Which process noted what under this word, in the order of time."""
    lines = [line.split(None, 2) for line in (brought / "notes").read_text().splitlines()]
    return [(int(pid), rest) for pid, said, rest in lines if said == word]


def expected(work: Replications) -> dict[str, float]:
    """The same, in a loop."""
    study = importlib.import_module("toy_study")
    return {
        key: study.error_rate(work.materials[task.order.dataset], task.order.seed, MEAN)
        for key, task in work.tasks.items()
    }


def values(store: Store, work: Replications) -> dict[str, float]:
    return {key: float(fit.values[0]) for key, fit in store.get_many(work.tasks).items()}


def test_replications_are_drawn_fitted_and_reduced_in_workers(brought: Path) -> None:
    work = agenda(brought, [6])
    path = brought / "store.sqlite"
    with Store(path) as store:
        outcome = scheduler.work(work, store, jobs=2)
        assert (outcome.reused, outcome.fitted, outcome.failures) == (0, 6, {})
        assert values(store, work) == expected(work)
        assert 1 < len(set(values(store, work).values())), "each draws a sample of its own"
        said = {fit.warnings[0] for fit in store.get_many(work.tasks).values()}
        assert str(os.getpid()) not in said
    with Store(path) as store:
        outcome = scheduler.work(work, store, jobs=2)
        assert (outcome.reused, outcome.fitted) == (6, 0)
        assert values(store, work) == expected(work)
        assert {fit.kind for fit in store.get_many(work.tasks).values()} == {SCORES}


def test_a_worker_is_given_what_it_needs_when_it_first_needs_it(brought: Path) -> None:
    work = agenda(brought, [3, 0, 3])
    with Store(None) as store:
        scheduler.work(work, store, jobs=1)
        assert values(store, work) == expected(work)
    # Nobody needs the second, so it is not even made ready to be sent.
    assert noted(brought, "packed") == [(os.getpid(), "60"), (os.getpid(), "62")]
    read, prepared = noted(brought, "read"), noted(brought, "prepared")
    assert [what for _, what in read] == ["60", "62"]
    assert [what for _, what in prepared] == ["0 0", "0 2"]
    assert len({pid for pid, _ in read + prepared}) == 1
    lines = (brought / "notes").read_text()
    assert lines.index("prepared 0 0") < lines.index("packed 62") < lines.index("read 62")


def test_two_kinds_of_work_prepare_the_same_material_each(brought: Path) -> None:
    (brought / "notes.dead").touch()  # no accident here
    work = agenda(brought, [3], ("toy_replication", "toy_accident"))
    with Store(None) as store:
        scheduler.work(work, store, jobs=1)
        assert values(store, work) == expected(work)
    assert [what for _, what in noted(brought, "prepared")] == ["0 0", "1 0"]
    assert len(noted(brought, "read")) == 1


def test_a_worker_that_dies_costs_nothing_but_time(brought: Path) -> None:
    work = agenda(brought, [4], ("toy_accident",))
    with Store(None) as store:
        outcome = scheduler.work(work, store, jobs=1)
        assert (outcome.fitted, outcome.failures) == (4, {})
        assert values(store, work) == expected(work)
    assert len({pid for pid, _ in noted(brought, "read")}) == 2


def test_what_raises_is_a_failure_with_its_words(brought: Path) -> None:
    work = agenda(brought, [2])
    broken = work._replace(job=work.job._replace(learners=[LearnerSpec("mean", "builtin", "gone")]))
    with Store(None) as store:
        outcome = scheduler.work(broken, store, jobs=1)
    assert outcome.fitted == 0 and len(outcome.failures) == 2
    assert all("gone" in message for message in outcome.failures.values())


def test_scheduler_and_back_ends_know_no_kind_of_work() -> None:
    place = Path(scheduler.__file__).parent
    for path in (place / "scheduler.py", place / "work.py", *place.glob("backends/*.py")):
        named = {
            f"{node.module}.{each.name}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }
        wrong = [name for name in named if name.startswith("cvinfer.execute.works.")]
        assert wrong == [] and "cvinfer.execute.fits" not in named, path.name
