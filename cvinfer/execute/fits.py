"""The fits of some plans, as work for the scheduler."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Collection, Mapping, Optional, Sequence

from cvinfer.engines.base import LearnerSpec
from cvinfer.errors import LearnerError
from cvinfer.execute import scheduler
from cvinfer.execute.backends.base import Opener
from cvinfer.execute.store import Store, Stored
from cvinfer.execute.work import Job, Limits, Order, Outcome, Task
from cvinfer.execute.works.fit import Material, checked
from cvinfer.losses.kinds import has, most
from cvinfer.planning import RunPlan
from cvinfer.progress import Progress


class Fits:
    """What the plans of some data sets need, each fit once."""

    def __init__(
        self,
        plans: Sequence[RunPlan],
        learners: Mapping[str, LearnerSpec],
        alone: Collection[str] = (),
        memory_mb: Optional[float] = None,
    ) -> None:
        names = list(learners)
        self.materials = [Material(plan.dataset, plan.partitions) for plan in plans]
        wants = [most(plan.wanted(name) for plan in plans) for name in names]
        self.job = Job(list(learners.values()), memory_mb, ("fit",), wants)
        self.alone = frozenset(names.index(name) for name in alone)
        self.tasks: dict[str, Task] = {}
        for number, plan in enumerate(plans):
            for fit in plan.fits:
                at = names.index(fit.learner)
                order = Order(number, fit.partition, fit.number, at, fit.seed)
                self.tasks.setdefault(fit.key, Task(fit.key, fit.learner, order))

    def suits(self, key: str, stored: Stored) -> Optional[bool]:
        order = self.tasks[key].order
        dataset, partitions = self.materials[order.dataset]
        test = partitions[order.partition].splits[order.split].test
        try:
            checked(stored.values, len(test), len(dataset.classes), stored.kind)
        except LearnerError:
            return False
        if stored.beside is not None and stored.beside.shape != (len(test), len(dataset.classes)):
            return False
        return True if has(stored.beside_kind, self.job.wanted(order.learner)) else None

    def fits(self, task: Task) -> int:
        return 1

    def label(self, task: Task) -> str:
        return task.learner if len(self.materials) == 1 else f"{task.learner} on {self._data(task)}"

    def place(self, task: Task) -> str:
        partition = self.materials[task.order.dataset].partitions[task.order.partition]
        return f"split {task.order.split + 1} of {partition.label}"

    def heading(self, task: Task) -> str:
        place = f"{self.place(task)} of {self._data(task)}"
        return f"{task.learner} on {place}, seed {task.order.seed}"

    def _data(self, task: Task) -> str:
        return self.materials[task.order.dataset].dataset.name


def execute(
    plans: Sequence[RunPlan],
    learners: Mapping[str, LearnerSpec],
    store: Store,
    *,
    jobs: int,
    alone: Collection[str] = (),
    limits: Limits = Limits(),
    fail_fast: bool = False,
    progress: Optional[Progress] = None,
    meanwhile: Optional[Callable[[], None]] = None,
    log: Optional[Path] = None,
    backend: Optional[Opener] = None,
) -> Outcome:
    """Fit whatever the store does not hold yet; `scheduler.work` tells of the options.

    `alone` are the learners that share no worker process with others.
    """
    return scheduler.work(
        Fits(plans, learners, alone, limits.memory_mb),
        store,
        jobs=jobs,
        limits=limits,
        fail_fast=fail_fast,
        progress=progress,
        meanwhile=meanwhile,
        log=log,
        backend=backend,
    )
