"""Some replications of a study by one learner: drawn, partitioned, fitted and reduced here.

An order's `dataset` is the number of a recipe, its `partition` that of a scheme of the recipe (one
past the last is the truth), `split` the first replication, and `seed` how many there are.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Iterator, NamedTuple, Optional, Sequence, cast

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines.base import LearnerSpec, Session
from cvinfer.errors import LearnerError
from cvinfer.execute.replications.packed import Made, pack
from cvinfer.execute.replications.recipe import Drawn, Indices, Recipe, draw, fit_seed
from cvinfer.execute.replications.recipe import partition_seed
from cvinfer.execute.work import Desk, Done, Order, Work, works
from cvinfer.execute.works.fit import checked
from cvinfer.inference.records import one_against_rest
from cvinfer.losses.kinds import REDUCED
from cvinfer.worker import captured, workplace

#: At most so many different warnings of a learner are kept for an order.
SAID = 3


class Fitted(NamedTuple):
    """One fit: which test records were wrong, and the confusions of the classes if wanted."""

    wrong: NDArray[np.bool_]
    confusions: Optional[NDArray[np.int64]]


def prepare(desk: Desk, order: Order) -> None:
    """Let the engine have the records of the population, where it is one of records."""
    recipe = _recipe(desk, order)
    if isinstance(recipe.population, Dataset):
        _session(desk, order, recipe.population)


def replicate(desk: Desk, order: Order, began: float) -> Done:
    """Fit the learner on every split of every replication."""
    recipe = _recipe(desk, order)
    fits = _Fits(desk, order, recipe)
    numbers = range(order.split, order.split + order.seed)
    if order.partition == len(recipe.schemes):
        made = _truths(fits, recipe, numbers)
    else:
        made = _splits(fits, recipe, order, numbers)
    said = tuple(list(fits.said)[:SAID])
    fit, predict = fits.seconds
    return Done(pack(made), fit, predict, said, "", began, kind=REDUCED)


def _splits(fits: "_Fits", recipe: Recipe, order: Order, numbers: Sequence[int]) -> Made:
    scheme = recipe.schemes[order.partition]

    def fitted(number: int) -> Iterator[tuple[int, int, Optional[Fitted]]]:
        replication = draw(recipe, number)
        for again in range(recipe.partitions):
            seed = partition_seed(recipe.seed, number, again)
            partition = scheme.made(replication.drawn, seed)
            # Some schemes have a split twice; it is fitted once.
            known: dict[bytes, Optional[Fitted]] = {}
            records = replication.records
            for split in partition.splits:
                # They are made when they are asked for: once.
                train, test = split.train, split.test
                key = train.tobytes() + test.tobytes()
                if key not in known:
                    seen = records[train], records[test]
                    known[key] = fits.fit(replication, *seen, seed, train)
                yield len(train), len(test), known[key]

    rows = [list(fitted(number)) for number in numbers]
    shape = (len(numbers), recipe.partitions, -1)
    every = [each for row in rows for each in row]
    wrong = [np.zeros(test, dtype=bool) if one is None else one.wrong for _, test, one in every]
    return Made(
        train=np.array([train for train, _, _ in every], dtype=np.int32).reshape(shape),
        test=np.array([test for _, test, _ in every], dtype=np.int32).reshape(shape),
        wrong=np.packbits(np.concatenate(wrong)),
        failed=np.array([one is None for _, _, one in every]).reshape(shape),
        confusions=_stacked([one for _, _, one in every], recipe, shape),
        messages=dict(fits.failures),
    )


def _truths(fits: "_Fits", recipe: Recipe, numbers: Sequence[int]) -> Made:
    """What the learner is worth when it is trained on all records of a replication: counts."""
    rows: list[tuple[int, int, Optional[Fitted]]] = []
    for number in numbers:
        replication = draw(recipe, number, truth=True)
        train, fresh = replication.records, replication.fresh
        seed = partition_seed(recipe.seed, number, 0)
        if fresh.size:
            one = fits.fit(replication, train, fresh, seed, np.arange(len(train)))
        else:
            fits.failures["no record was left that had not been drawn"] += 1
            one = None
        rows.append((len(train), len(fresh), one))
    shape = (len(numbers), 1, 1)
    # The number of wrong ones stands in the place of the bits.
    wrong = np.array([0 if one is None else one.wrong.sum() for _, _, one in rows], dtype="<i8")
    return Made(
        train=np.array([train for train, _, _ in rows], dtype=np.int32).reshape(shape),
        test=np.array([test for _, test, _ in rows], dtype=np.int32).reshape(shape),
        wrong=np.frombuffer(wrong.tobytes(), dtype=np.uint8),
        failed=np.array([one is None for _, _, one in rows]).reshape(shape),
        confusions=_stacked([one for _, _, one in rows], recipe, shape),
        messages=dict(fits.failures),
    )


def _stacked(
    made: Sequence[Optional[Fitted]], recipe: Recipe, shape: tuple[int, ...]
) -> Optional[NDArray[np.int32]]:
    if not recipe.confusions:
        return None
    count = recipe.n_classes
    nothing = np.zeros((count, 4), dtype=np.int64)
    rows = [nothing if one is None or one.confusions is None else one.confusions for one in made]
    return np.asarray(np.stack(rows).reshape(*shape, count, 4), dtype=np.int32)


class _Fits:
    """The fits of one order: their time, what the learner said, why some failed."""

    def __init__(self, desk: Desk, order: Order, recipe: Recipe) -> None:
        self.desk, self.order, self.recipe = desk, order, recipe
        self.learner: LearnerSpec = desk.job.learners[order.learner]
        self.settings = json.dumps(self.learner.settings(), sort_keys=True)
        if recipe.twin:
            self.settings = f"{recipe.twin} {self.settings}"
        self.seconds = [0.0, 0.0]
        self.said: dict[str, None] = {}
        self.failures: Counter[str] = Counter()
        self._open: Optional[tuple[str, Session]] = None

    def fit(
        self, replication: Drawn, train: Indices, test: Indices, seed: int, drawn: Indices
    ) -> Optional[Fitted]:
        """One fit; None where it failed, which is counted. `drawn`: training records as drawn."""
        try:
            session = self._session(replication.frame)
            made = session.predict(self.learner, train, test, fit_seed(seed, self.settings, drawn))
            count = self.recipe.n_classes
            codes = checked(made.values, len(test), count, made.kind)
        except (workplace.Spent, MemoryError):
            raise  # it is this worker's end, or its trouble
        except LearnerError as error:
            self.failures[captured.one_line(error) or "no message"] += 1
            return None
        except BaseException as error:  # whatever a learner raises is a result: SystemExit too
            said = captured.one_line(error) or "no message"
            self.failures[f"{type(error).__name__}: {said}"] += 1
            return None
        self.seconds[0] += float(made.seconds_fit)
        self.seconds[1] += float(made.seconds_predict)
        self.said.update(dict.fromkeys(map(str, made.warnings)))
        truth = replication.frame.target[test]
        confusions = one_against_rest(truth, codes, count) if self.recipe.confusions else None
        return Fitted(codes != truth, confusions)

    def _session(self, frame: Dataset) -> Session:
        if frame is self.recipe.population:
            return _session(self.desk, self.order, frame)
        # A drawn data set is used up with its replication; the last one is all that is kept.
        if self._open is None or self._open[0] != frame.sha256:
            self._open = (frame.sha256, _opened(self.learner.engine, frame))
        return self._open[1]


def _session(desk: Desk, order: Order, population: Dataset) -> Session:
    """The engine's own form of the population, made once in a worker."""
    engine = desk.job.learners[order.learner].engine
    key = ("population", order.dataset, engine)
    if key not in desk.kept:
        desk.kept[key] = _opened(engine, population)
    return cast(Session, desk.kept[key])


def _opened(engine: str, dataset: Dataset) -> Session:
    from cvinfer.engines import engines

    return engines()[engine].open(dataset)


def _recipe(desk: Desk, order: Order) -> Recipe:
    found = desk.material(order.dataset)
    assert isinstance(found, Recipe)
    return found


works.add("replications", Work(prepare, replicate), __name__)
