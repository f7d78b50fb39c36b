"""Runs that want more than class codes: what is made, what is stored, and what is made again."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Mapping

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.engines.engine_data import clouds
from tests.execute.run_examples import BAYES, NEAREST_MEAN, spec_of

from cvinfer import runner
from cvinfer.engines.base import LearnerSpec, Prediction
from cvinfer.errors import LearnerError
from cvinfer.execute.replications.recipe import Recipe, Scheme, draw
from cvinfer.execute.store import Store, Stored, packed, unpacked
from cvinfer.execute.work import Job, Order, Outcome
from cvinfer.execute.works.fit import checked_beside
from cvinfer.execute.works.replications import _Fits
from cvinfer.losses.kinds import CODES, PROBABILITIES, SCORES, BesideError, most, refuse_unlike
from cvinfer.runner import Planned

LEARNERS = {"B": BAYES, "M": NEAREST_MEAN}


def planned(tmp_path: Path, wants: Mapping[str, str], learners: Any = LEARNERS) -> Planned:
    made = runner.plan(runner.load(spec_of(tmp_path, learners)))
    plans = [None if each is None else replace(each, wants=wants) for each in made.plans]
    return made._replace(plans=plans)


def done(plan: Planned, store: Store) -> tuple[Outcome, Any]:
    outcome = runner.execute(plan, store, jobs=1)
    (found,) = runner.analyse(plan, store, outcome).found
    return outcome, found.predicted


def test_what_is_wanted_is_made_once_and_kept(tmp_path: Path) -> None:
    nothing, wants = planned(tmp_path, {}), planned(tmp_path, {"B": PROBABILITIES, "M": SCORES})
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        outcome, plain = done(nothing, store)
        assert (outcome.fitted, plain.beside, plain.beside_kinds) == (20, {}, {})
    with Store(path) as store:
        outcome, found = done(wants, store)
        assert (outcome.reused, outcome.fitted, outcome.damaged) == (0, 20, 0)
    assert found.beside_kinds == {"B": PROBABILITIES, "M": SCORES}
    for key, column in plain.codes.items():
        assert all((a == b).all() for a, b in zip(column, found.codes[key]))
    with Store(path) as store:
        outcome, again = done(wants, store)
        assert (outcome.reused, outcome.fitted) == (20, 0)
        assert store.check() == (20, [], [])
    for key, column in found.beside.items():
        assert all(a.tobytes() == b.tobytes() for a, b in zip(column, again.beside[key]))
    with Store(path) as store:  # who wants codes is served, and reads no more
        outcome, codes = done(nothing, store)
        assert (outcome.reused, codes.beside) == (20, {})
        assert all(each.beside is None for each in store._held.values())
    dataset, (partition,) = wants.plans[0].dataset, found.partitions  # type: ignore[union-attr]
    x = np.column_stack([each.values for each in dataset.features])
    for split, rows in zip(partition.splits, found.beside["B", 0]):
        plain_model = GaussianNB().fit(x[split.train], dataset.target[split.train])
        assert (plain_model.predict_proba(x[split.test]) == rows).all()


def test_only_what_lacks_it_is_made_again(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        done(planned(tmp_path, {"B": SCORES}), store)
        outcome, found = done(planned(tmp_path, {"B": PROBABILITIES, "M": SCORES}), store)
        assert (outcome.reused, outcome.fitted, outcome.damaged) == (10, 10, 0)
        assert set(found.beside) == {("B", 0), ("M", 0)}
        _, found = done(planned(tmp_path, {"B": SCORES}), store)
        assert set(found.beside_kinds) == {"B"}, "what another run wanted is none of this one's"


def test_a_learner_that_cannot_fails_whatever_is_stored(tmp_path: Path) -> None:
    wants = planned(tmp_path, {"M": PROBABILITIES})
    with Store(None) as store:
        done(planned(tmp_path, {"M": SCORES}), store)
        outcome, found = done(wants, store)
        assert len(outcome.failures) == 10 and outcome.reused == 10
        assert found.codes["M", 0] == [None] * 10 == found.beside["M", 0]
    with Store(None) as store:
        assert done(wants, store)[1].failures == found.failures
    (said,) = set(found.failures.values())
    assert said.startswith("MeanClassifier gives no probabilities")


DAMAGES = ["packed = x'00'", "kind = 'scores'", "classes = 1", "warnings = '[\"no\"]'"]


@pytest.mark.parametrize("setting", DAMAGES)
def test_damage_beside_the_codes_is_found(tmp_path: Path, setting: str) -> None:
    codes, rows = np.zeros(3, dtype=np.int32), np.array([[1.0, 0.0], [0.5, 0.5], [0.1, 0.9]])
    beside = Stored(codes, 1.0, 1.0, (), beside=rows, beside_kind=PROBABILITIES)
    with Store(tmp_path / "store.sqlite") as store:
        store.put_many([("a", "B", beside), ("b", "B", beside), ("c", "M", replace(beside))])
        store.put("c", "M", Stored(codes, 1.0, 1.0, ()))  # of another fit: what was beside it goes
    with Store(tmp_path / "store.sqlite") as store:
        assert store.get_many("abc", beside=True)["c"].beside is None
        with store._db:
            store._db.execute(f"update besides set {setting} where key = 'a'")
        assert store.check() == (3, ["B"], [])
        assert store.hold("ab") == {"a", "b"}, "who wants codes does not notice"
        assert store.hold("ab", beside=True) == {"b"} and store.damaged == {"a"}
        assert store.mend() == 3
        assert store.check() == (3, [], [])
        assert store._db.execute("select key from besides").fetchall() == [("b",)]
        store.prune()
        assert store._db.execute("select key from besides").fetchall() == []


def test_a_store_of_the_third_version_stays_readable(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        done(planned(tmp_path, {}), store)
    with sqlite3.connect(path) as database:
        database.execute("drop table besides")
        database.execute("pragma user_version = 3")
    database.close()
    with Store(path) as store:
        assert done(planned(tmp_path, {}), store)[0].reused == 20
        assert done(planned(tmp_path, {"B": SCORES}), store)[0].fitted == 10


def test_packing_is_exact_and_packs() -> None:
    rng = np.random.default_rng(1)
    odd = np.array([[0.1, 0.9], [5e-324, 1.0], [-np.inf, -0.0], [1 / 3, np.nextafter(1, 0)]])
    for table in (odd, rng.dirichlet(np.ones(26), 200), np.empty((0, 3))):
        again = unpacked(packed(table), table.shape[1])
        assert again.tobytes() == table.tobytes() and again.shape == table.shape
    few = np.tile([[0.25, 0.75], [1.0, 0.0]], (500, 1))
    assert len(packed(few)) < few.nbytes / 50


def made(rows: Any, kind: str = PROBABILITIES) -> Prediction:
    codes = np.zeros(len(rows), dtype=np.int32)
    return Prediction(codes, 0.0, 0.0, beside=np.array(rows, dtype=float), beside_kind=kind)


@pytest.mark.parametrize(
    "rows, kind, said",
    [
        ([[0.5, 0.5], [0.5, 0.6]], PROBABILITIES, "record 2 of 2 are 0.5, 0.6, 1.1 together"),
        ([[0.5, 0.5], [-0.1, 1.1]], PROBABILITIES, "record 2 of 2 are -0.1, 1.1, not all within"),
        ([[np.nan, 1.0]], PROBABILITIES, "record 1 of 1 are not a number"),
        ([[np.nan, 1.0]], SCORES, "record 1 of 1 are not a number"),
        ([[np.inf, 1.0]], SCORES, "record 1 of 1 are inf, 1, not finite"),
        ([[1.0, 0.0, 0.0]], SCORES, "L gave 1 x 3 scores for 1 test records and 2 classes"),
    ],
)
def test_what_is_no_probability_is_told(rows: Any, kind: str, said: str) -> None:
    learner = LearnerSpec("A", "sklearn", "L")
    with pytest.raises(LearnerError, match=said):
        checked_beside(learner, made(rows, kind), len(rows), 2, SCORES)


def test_rounding_is_no_fault_and_a_class_may_be_unknown() -> None:
    refuse_unlike(np.array([[0.5, 0.5000009]]), PROBABILITIES)
    refuse_unlike(np.array([[-np.inf, 3.0]]), SCORES)
    with pytest.raises(BesideError):
        refuse_unlike(np.array([[0.5, 0.5000011]]), PROBABILITIES)


def test_what_is_wanted_most() -> None:
    assert most([]) == CODES
    assert most([SCORES, CODES]) == SCORES
    assert most([SCORES, PROBABILITIES, CODES]) == PROBABILITIES


class Old:
    """A session of a plug-in that was written before anything was wanted."""

    def predict(self, learner: Any, train: Any, test: Any, seed: int) -> Prediction:
        return Prediction(np.zeros(len(test), dtype=np.int32), 0.0, 0.0)


def of_study(wants: str, monkeypatch: pytest.MonkeyPatch, session: Any = None) -> Any:
    data = clouds(60, classes=2)
    recipe = Recipe(data, 40, False, 1, 1, (Scheme("holdout"),))
    job = Job([LearnerSpec("B", "sklearn", "GaussianNB")], None, ("replications",), [wants])
    desk: Any = SimpleNamespace(job=job, kept={}, material=lambda number: recipe)
    fits = _Fits(desk, Order(0, 0, 1, 0, 1), recipe)
    if session is not None:
        monkeypatch.setattr(fits, "_session", lambda frame: session)
    # What came of the fits, before it is reduced to what studies keep.
    monkeypatch.setattr(fits, "_reduced", lambda replication, some: [each for _, each in some])
    drawn = draw(recipe, 1)
    (found,) = fits.fit_all(drawn, [(np.arange(20), np.arange(20, 40))], 3)
    return found, fits.failures


def test_the_workers_of_a_study_know_what_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, _ = of_study(CODES, monkeypatch)
    more, _ = of_study(PROBABILITIES, monkeypatch)
    assert plain.beside is None and more.beside.shape == (20, 2)
    assert (plain.codes == more.codes).all()
    found, failures = of_study(CODES, monkeypatch, Old())
    assert found is not None and not failures
    found, failures = of_study(SCORES, monkeypatch, Old())
    assert found is None and len(failures) == 1
