"""The replications of a study as work for the scheduler."""

from __future__ import annotations

from typing import Collection, Mapping, Optional, Sequence

from cvinfer.data.populations import populations
from cvinfer.engines.base import LearnerSpec
from cvinfer.execute.replications.packed import DamagedError, unpack
from cvinfer.execute.replications.recipe import Law, Recipe
from cvinfer.execute.store import Stored
from cvinfer.execute.work import Job, Order, Task
from cvinfer.losses.kinds import REDUCED
from cvinfer.studies.plan import Fitting, Piece

#: The kinds of work, by the number that orders have.
WORKS = ("replications", "outcomes")


class Replications:
    """Blocks of replications, each once."""

    def __init__(
        self,
        recipes: Sequence[Recipe],
        learners: Sequence[LearnerSpec],
        wanted: Mapping[Fitting, Sequence[Piece]],
        alone: Collection[int] = (),
        memory_mb: Optional[float] = None,
        labels: Sequence[str] = (),
        wants: Sequence[str] = (),
    ) -> None:
        self.materials = list(recipes)
        self.job = Job(list(learners), memory_mb, WORKS, wants)
        self.alone = frozenset(alone)
        self._labels = labels or [learner.name for learner in learners]
        self._fits = {(each.recipe, each.scheme, each.learner): each.fits for each in wanted}
        self.tasks: dict[str, Task] = {}
        rows = [(one, fitting) for fitting, found in wanted.items() for one in found]
        # The first replications of all first: an interrupted study has something of every point.
        # Then those of one scheme: a worker that fits two learners on the same splits makes them
        # once.
        for one, fitting in sorted(rows, key=_place):
            work = 1 if _brings_losses(recipes[fitting.recipe]) else 0
            order = Order(
                fitting.recipe, fitting.scheme, one.first + 1, fitting.learner, one.size, work
            )
            name = learners[fitting.learner].name
            self.tasks.setdefault(one.key, Task(one.key, name, order))

    def suits(self, key: str, stored: Stored) -> bool:
        if stored.kind != REDUCED:
            return False
        try:
            made = unpack(stored.values)
        except DamagedError:
            return False
        return bool(made.test.shape[:1] == (self.tasks[key].order.seed,))

    def fits(self, task: Task) -> int:
        """Where losses are drawn a replication counts for one."""
        order = task.order
        return order.seed * max(self._fits[order.dataset, order.partition, order.learner], 1)

    def label(self, task: Task) -> str:
        return f"{self._labels[task.order.learner]}, replications {self._numbers(task)}"

    def place(self, task: Task) -> str:
        recipe = self.materials[task.order.dataset]
        if task.order.partition == len(recipe.schemes):
            what = "the truth"
        else:
            what = recipe.schemes[task.order.partition].name
        return f"{what} of replications {self._numbers(task)}"

    def heading(self, task: Task) -> str:
        return f"{task.learner} on {self.place(task)}"

    def _numbers(self, task: Task) -> str:
        first, count = task.order.split, task.order.seed
        return f"{first}" if count == 1 else f"{first} to {first + count - 1}"


def _place(row: tuple[Piece, Fitting]) -> tuple[int, int, int, int]:
    one, fitting = row
    return one.first, fitting.recipe, fitting.scheme, fitting.learner


def _brings_losses(recipe: Recipe) -> bool:
    found = recipe.population
    return isinstance(found, Law) and populations[found.name].losses is not None
