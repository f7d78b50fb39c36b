"""Some replications of a study by one learner: drawn, partitioned, fitted and reduced here.

An order's `dataset` is the number of a recipe, its `partition` that of a scheme of the recipe (one
past the last is the truth), `split` the first replication, and `seed` how many there are.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from typing import Any, Iterator, NamedTuple, Optional, Sequence, Union, cast

import numpy as np
from numpy.typing import NDArray

from cvinfer.data.dataset import Dataset
from cvinfer.engines.base import Fit, LearnerSpec, ManyFits, Prediction, Session, only
from cvinfer.errors import LearnerError
from cvinfer.execute.replications.packed import Made, pack
from cvinfer.execute.replications.recipe import Drawn, Indices, Recipe, draw, fit_seed
from cvinfer.execute.replications.recipe import partition_seed
from cvinfer.execute.work import Desk, Done, Order, Work, works
from cvinfer.execute.works.fit import checked, checked_beside, wanting
from cvinfer.inference.records import one_against_rest
from cvinfer.losses import loss
from cvinfer.losses.kinds import CODES, REDUCED, most
from cvinfer.worker import captured, workplace

#: At most so many different warnings of a learner are kept for an order.
SAID = 3
#: Splits with at most so many record numbers are kept for the next order.
KEPT = 1 << 22
#: Test records whose predictions are held at once, beyond those of one fit.
TOGETHER = 1 << 20


class Fitted(NamedTuple):
    """One fit: which test records were wrong, and the confusions of the classes if wanted.

    values: of each measure of the recipe, NaN where it does not exist.
    """

    wrong: NDArray[np.bool_]
    confusions: Optional[NDArray[np.int64]]
    values: NDArray[np.float64]


class Answer(NamedTuple):
    """What was predicted in one fit, and the probabilities or scores beside it where wanted."""

    codes: NDArray[np.int32]
    beside: Optional[NDArray[np.float64]]


class Parted(NamedTuple):
    """A replication with its partitions: the seed of each, and its splits as numbers of records."""

    replication: Drawn
    partitions: Sequence[tuple[int, Sequence[tuple[Indices, Indices]]]]


def prepare(desk: Desk, order: Order) -> None:
    """Let every engine have the records of the population; for a law, what is drawn first."""
    recipe = _recipe(desk, order)
    for engine in dict.fromkeys(learner.engine for learner in desk.job.learners):
        try:
            if isinstance(recipe.population, Dataset):
                _session(desk, order.dataset, engine, recipe.population)
            else:
                _opened(engine, draw(recipe, order.split).frame)
        except Exception:  # comes again, and is told, with the first fit that needs it
            continue


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
    every: list[tuple[int, int, Optional[Fitted]]] = []
    for replication, partitions in _parted(fits.desk, order, recipe, numbers):
        for seed, splits in partitions:
            # Some schemes have a split twice; it is fitted once.
            keys = [train.tobytes() + test.tobytes() for train, test in splits]
            asked = dict(zip(keys, splits))
            known = dict(zip(asked, fits.fit_all(replication, list(asked.values()), seed)))
            every += [(len(split[0]), len(split[1]), known[k]) for k, split in zip(keys, splits)]
    shape = (len(numbers), recipe.partitions, -1)
    wrong = [np.zeros(test, dtype=bool) if one is None else one.wrong for _, test, one in every]
    return Made(
        train=np.array([train for train, _, _ in every], dtype=np.int32).reshape(shape),
        test=np.array([test for _, test, _ in every], dtype=np.int32).reshape(shape),
        wrong=np.packbits(np.concatenate(wrong)),
        failed=np.array([one is None for _, _, one in every]).reshape(shape),
        confusions=_stacked([one for _, _, one in every], recipe, shape),
        messages=dict(fits.failures),
        values=_valued([one for _, _, one in every], recipe, shape),
    )


def _parted(desk: Desk, order: Order, recipe: Recipe, numbers: Sequence[int]) -> Iterator[Parted]:
    """The replications of an order with their splits.

    Those of the last order are kept where they are not too large: the next one is often of another
    learner on the same.
    """
    key = (order.dataset, order.partition, numbers[0], len(numbers))
    known = desk.kept.get("parted")
    if isinstance(known, tuple) and known[0] == key:
        yield from cast("list[Parted]", known[1])
        return
    desk.kept.pop("parted", None)
    scheme = recipe.schemes[order.partition]
    kept: Optional[list[Parted]] = []
    size = 0
    for number in numbers:
        replication = draw(recipe, number)
        partitions = []
        for again in range(recipe.partitions):
            seed = partition_seed(recipe.seed, number, again)
            made = scheme.made(replication.drawn, seed).splits
            partitions.append((seed, [(split.train, split.test) for split in made]))
        one = Parted(replication, partitions)
        size += sum(len(half) for _, splits in partitions for split in splits for half in split)
        if size > KEPT:
            kept = None
        if kept is not None:
            kept.append(one)
        yield one
    if kept is not None:
        desk.kept["parted"] = (key, kept)


def _truths(fits: "_Fits", recipe: Recipe, numbers: Sequence[int]) -> Made:
    """What the learner is worth when it is trained on all records of a replication: counts."""
    rows: list[tuple[int, int, Optional[Fitted]]] = []
    for number in numbers:
        replication = draw(recipe, number, truth=True)
        train, fresh = replication.records, replication.fresh
        seed = partition_seed(recipe.seed, number, 0)
        if fresh.size:
            one = fits.fit(replication, train, fresh, seed)
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
        values=_valued([one for _, _, one in rows], recipe, shape),
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


def _valued(
    made: Sequence[Optional[Fitted]], recipe: Recipe, shape: tuple[int, ...]
) -> Optional[NDArray[np.float64]]:
    if not recipe.measures:
        return None
    nothing = np.full(len(recipe.measures), np.nan)
    rows = [nothing if one is None else one.values for one in made]
    return np.asarray(np.stack(rows).reshape(*shape, len(recipe.measures)))


class _Fits:
    """The fits of one order: their time, what the learner said, why some failed."""

    def __init__(self, desk: Desk, order: Order, recipe: Recipe) -> None:
        self.desk, self.order, self.recipe = desk, order, recipe
        self.learner: LearnerSpec = desk.job.learners[order.learner]
        declared = [loss(asked.name) for asked in recipe.measures]
        self.wants = most([desk.job.wanted(order.learner), *(each.takes for each in declared)])
        self.measures = [
            (
                each.takes,
                each.on(recipe.classes, recipe.positive, json.loads(asked.options)),
                asked.power,
            )
            for each, asked in zip(declared, recipe.measures)
        ]
        self.settings = json.dumps(self.learner.settings(), sort_keys=True)
        if recipe.twin:
            self.settings = f"{recipe.twin} {self.settings}"
        self.seconds = [0.0, 0.0]
        self.said: dict[str, None] = {}
        self.failures: Counter[str] = Counter()
        self._open: Optional[tuple[str, Session]] = None

    def fit_all(
        self, replication: Drawn, splits: Sequence[tuple[Indices, Indices]], seed: int
    ) -> list[Optional[Fitted]]:
        """Fits on some splits of what was drawn; None where one failed, which is counted."""
        records = replication.records
        asked = [
            Fit(records[train], records[test], fit_seed(seed, self.settings, train), self.wants)
            for train, test in splits
        ]
        return self._made(replication, asked)

    def fit(self, replication: Drawn, train: Indices, test: Indices, seed: int) -> Optional[Fitted]:
        """One fit on all that was drawn, tested on other records."""
        drawn = np.arange(len(train))
        asked = Fit(train, test, fit_seed(seed, self.settings, drawn), self.wants)
        return self._made(replication, [asked])[0]

    def _made(self, replication: Drawn, fits: Sequence[Fit]) -> list[Optional[Fitted]]:
        answers: Sequence[Any] = [None] * len(fits)
        with contextlib.suppress(Exception):  # it comes again, by itself, with the fit it is of
            session = self._session(replication.frame)
            if isinstance(session, ManyFits):
                answers = session.predict_all(self.learner, fits)
        found: list[Optional[Fitted]] = []
        some: list[tuple[Fit, Optional[Answer]]] = []
        size = 0
        for asked, answer in zip(fits, answers):
            some.append((asked, self._answer(replication, asked, answer)))
            size += len(asked.test)
            if size > TOGETHER:
                found += self._reduced(replication, some)
                some, size = [], 0
        return found + self._reduced(replication, some)

    def _answer(
        self, replication: Drawn, asked: Fit, answer: Union[Prediction, LearnerError, None]
    ) -> Optional[Answer]:
        """What was predicted, checked; None where the fit failed, which is counted."""
        count = self.recipe.n_classes
        try:
            if answer is None:
                train, test, seed, wants = asked
                session = self._session(replication.frame)
                made = session.predict(self.learner, train, test, seed, **wanting(wants))
            else:
                made = only([answer])
            codes = checked(made.values, len(asked.test), count, made.kind)
            beside = None
            if asked.wants != CODES:
                beside = checked_beside(self.learner, made, len(codes), count, asked.wants)
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
        return Answer(codes, beside)

    def _reduced(
        self, replication: Drawn, answers: Sequence[tuple[Fit, Optional[Answer]]]
    ) -> list[Optional[Fitted]]:
        """What is kept of some fits; the measures of all are taken together."""
        there = [(asked, answer) for asked, answer in answers if answer is not None]
        if not there:
            return [None] * len(answers)
        starts = np.cumsum([0, *(len(asked.test) for asked, _ in there)])
        truth = replication.frame.target[np.concatenate([asked.test for asked, _ in there])]
        codes = np.concatenate([answer.codes for _, answer in there])
        given: dict[bool, NDArray[Any]] = {True: codes}
        if self.wants != CODES:
            given[False] = np.concatenate([np.asarray(answer.beside) for _, answer in there])
        wrong = codes != truth
        values = [
            of.means(truth, given[takes == CODES], starts[:-1], power)
            for takes, of, power in self.measures
        ]
        rows = np.stack(values, axis=1) if values else np.empty((len(there), 0))
        made = []
        for at, (first, last) in enumerate(zip(starts[:-1], starts[1:])):
            confusions = None
            if self.recipe.confusions:
                confusions = one_against_rest(
                    truth[first:last], codes[first:last], self.recipe.n_classes
                )
            made.append(Fitted(wrong[first:last], confusions, rows[at]))
        each = iter(made)
        return [None if answer is None else next(each) for _, answer in answers]

    def _session(self, frame: Dataset) -> Session:
        if frame is self.recipe.population:
            return _session(self.desk, self.order.dataset, self.learner.engine, frame)
        # A drawn data set is used up with its replication; the last one is all that is kept.
        if self._open is None or self._open[0] != frame.sha256:
            self._open = (frame.sha256, _opened(self.learner.engine, frame))
        return self._open[1]


def _session(desk: Desk, dataset: int, engine: str, population: Dataset) -> Session:
    """The engine's own form of the population, made once in a worker."""
    key = ("population", dataset, engine)
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
