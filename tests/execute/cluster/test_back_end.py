"""What the back end makes of what it hears, without a network: a cluster that is only told of."""

from __future__ import annotations

import queue
import sys
from pathlib import Path
from typing import Any, Sequence

import numpy as np
import pytest
from tests.execute.cluster.real_cluster import NEEDS_DASK

from cvinfer.errors import Interruption, UserError
from cvinfer.execute.work import Batch, Done, Fate, Limits, Lost, Made, Order, Printed, Task
from cvinfer.execute.work import WorkerError
from cvinfer.worker.scratch import Scratch

pytestmark = NEEDS_DASK
VERSIONS = {"cvinfer": "1", "numpy": "2"}


class Told:
    """In the place of a conversation: what is heard is put there by the test."""

    def __init__(self, *addresses: str) -> None:
        self.heard: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self.asked: "list[tuple[str, Any]]" = []
        self.forgotten: "list[int]" = []
        self.line: Any = type("Line", (), {"address": "tcp://there:1"})
        self._addresses = addresses

    def start(self) -> Sequence[str]:
        for each in self._addresses:
            self.join(each)
        return self._addresses

    def join(self, address: str, refusal: Any = None, **versions: str) -> None:
        from cvinfer.execute.backends._dask import line
        from cvinfer.execute.backends._dask.versions import Greeting

        told = Greeting({**VERSIONS, **versions}, refusal, "host", 1, ())
        self.heard.put(line.Joined(address, told))

    def leave(self, address: str) -> None:
        from cvinfer.execute.backends._dask import line

        self.heard.put(line.Left(address))

    def answer(self, number: int, address: str, what: Any, texts: Any = ()) -> None:
        from cvinfer.execute.backends._dask import bench, line

        self.heard.put(line.Answered(number, address, bench.Answer(what, texts)))

    def ask(self, address: str, asked: Any) -> None:
        self.asked.append((address, asked))

    def forget(self, number: int) -> None:
        self.forgotten.append(number)

    def end(self) -> None:
        """Nothing is there."""


class Waiting:
    """Orders, one task each."""

    def __init__(self, count: int) -> None:
        self.tasks = [Task(str(at), "A", Order(0, 0, at, 0, 0)) for at in range(count)]
        self.number = 0
        self.begun: "list[Batch]" = []

    def has(self, kept_for: Any = None) -> bool:
        return bool(self.tasks)

    def take(self, kept_for: Any = None) -> Batch:
        self.number += 1
        return Batch(self.number, [self.tasks.pop(0)], None)

    def back(self, batch: Batch) -> None:
        self.tasks[:0] = batch.tasks

    def answered(self, made: Made) -> None:
        """The pace does not matter."""

    def at_work(self, batches: Sequence[Batch]) -> None:
        self.begun = list(batches)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = Scratch()
    yield made
    made.remove()


def place(told: Told, scratch: Scratch, **options: Any) -> Any:
    from cvinfer.execute.backends.dask import Cluster, OnDask

    remarks: "list[str]" = []
    found = OnDask(
        Cluster("tcp://there:1", tell=remarks.append, **options), told, VERSIONS, scratch
    )
    return found, remarks


def finished(age: float = 0.01) -> Any:
    from cvinfer.execute.backends._dask import bench

    done = Done(np.zeros(1, dtype=np.int32), 0.0, 0.0, (), "", 5.0, Printed(77, 0, 4))
    return bench.Finished([done], [age])


def test_a_window_of_two_for_quick_fits(scratch: Scratch) -> None:
    told, orders = Told("a", "b"), Waiting(9)
    back_end, _ = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    assert [address for address, _ in told.asked] == ["a", "b"]
    assert back_end.jobs == 2
    told.answer(1, "a", finished())
    made = next(results)
    assert isinstance(made, Made) and made.batch.number == 1
    # Quick ones have another behind them, and no more than one.
    assert [address for address, _ in told.asked] == ["a", "b", "a", "a", "b"]
    told.answer(3, "a", finished(age=9.0))
    next(results)
    assert len(told.asked) == 5  # slow ones have none: "a" still has its second
    assert [each.number for each in orders.begun] == [4, 2]


def test_a_lost_worker_costs_what_it_was_at(scratch: Scratch) -> None:
    told, orders = Told("a"), Waiting(4)
    back_end, _ = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    told.answer(1, "a", finished())
    next(results)
    told.leave("a")
    told.answer(2, "a", finished())  # too late
    told.join("late")
    lost = next(results)
    assert isinstance(lost, Lost) and lost.batch.number == 2 and lost.fate is Fate.ACCIDENT
    assert told.forgotten == [2, 3]
    assert [task.key for task in orders.tasks] == ["2", "3"]
    orders.back(lost.batch)
    told.leave("nobody")
    told.answer(4, "late", finished())
    assert next(results).batch.tasks[0].key == "1"
    assert told.asked[3][0] == "late"


def test_what_a_bench_tells_of_its_worker_is_passed_on(scratch: Scratch, tmp_path: Path) -> None:
    from cvinfer.execute.backends._dask import bench

    told, orders = Told("a", "b"), Waiting(2)
    back_end, _ = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    texts = [bench.Text(77, 0, b"one\n")]
    told.answer(1, "a", bench.Gone(0, Fate.FINAL, "took longer than 1 s", Printed(77, 4)), texts)
    lost = next(results)
    assert (lost.fate, lost.why, lost.printed.start) == (Fate.FINAL, "took longer than 1 s", 4)
    # The same process number on another machine is another process.
    told.answer(2, "b", finished(), [bench.Text(77, 0, b"two\n")])
    made = next(results)
    assert made.done[0].printed.pid != lost.printed.pid
    back_end.log.printed(*made.done[0].printed, "the second")
    back_end.log.write(tmp_path / "run.log")
    assert "--- the second\ntwo\n" in (tmp_path / "run.log").read_text()


def test_other_versions_are_refused_before_the_first_fit(scratch: Scratch) -> None:
    told = Told("a")
    told.join("b", numpy="3")
    back_end, _ = place(told, scratch)
    with pytest.raises(UserError, match="numpy 3 there, 2 here.*--allow-versions"):
        back_end.begin()
    told = Told("a")
    told.join("b", numpy="3")
    back_end, _ = place(told, scratch, allow_versions=True)
    back_end.begin()
    assert back_end.facts["version differences"] == ["numpy 3 there, 2 here"]
    assert back_end.facts["workers"] == back_end.jobs == 2


def test_who_comes_late_with_other_versions_is_left_aside(scratch: Scratch) -> None:
    told, orders = Told("a"), Waiting(3)
    back_end, remarks = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    told.join("b", numpy="3")
    told.join("c", refusal="it is tired")
    told.answer(1, "a", finished())
    next(results)
    assert {address for address, _ in told.asked} == {"a"}
    assert "worker b on host is left aside: numpy 3" in remarks[0] and "tired" in remarks[1]


def test_a_worker_that_can_start_nothing_gets_nothing_more(scratch: Scratch) -> None:
    from cvinfer.execute.backends._dask import bench

    told, orders = Told("a", "b"), Waiting(3)
    back_end, remarks = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    told.answer(1, "a", bench.Unfit("no room"))
    told.answer(2, "b", finished())
    assert next(results).batch.number == 2
    assert remarks == ["worker a on host is left aside: no room"]
    told.answer(3, "b", bench.Unfit("no room either"))
    with pytest.raises(WorkerError, match="no worker of the cluster is of use: a: no room"):
        list(results)


def test_a_batch_that_does_not_get_through_is_sent_again(scratch: Scratch) -> None:
    from cvinfer.execute.backends._dask import line

    told, orders = Told("a"), Waiting(1)
    back_end, remarks = place(told, scratch)
    back_end.begin()
    results = back_end.results(orders)
    told.heard.put(line.Broken(1, "a", "a hiccup"))
    told.heard.put(line.Broken(2, "a", "Dask saw it end", killed=True))
    lost = next(results)
    assert isinstance(lost, Lost) and lost.fate is Fate.ACCIDENT and not remarks
    orders.back(lost.batch)
    told.heard.put(line.Broken(3, "a", "a hiccup"))
    with pytest.raises(WorkerError, match="no worker of the cluster is of use: a: a hiccup"):
        next(results)


def test_no_scheduler_and_no_worker_end_the_work(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cvinfer.execute.backends import dask
    from cvinfer.execute.backends._dask import line

    told = Told("a")
    back_end, _ = place(told, scratch)
    back_end.begin()
    told.heard.put(line.Gone("nobody answers"))
    with pytest.raises(Interruption, match="tcp://there:1, is gone .nobody answers.") as found:
        list(back_end.results(Waiting(1)))
    assert found.value.exit_code == 129
    monkeypatch.setattr(dask, "ALONE", 0.0)
    back_end, _ = place(Told(), scratch)
    back_end.begin()
    with pytest.raises(Interruption, match="cvinfer workers tcp://there:1"):
        list(back_end.results(Waiting(1)))


@pytest.mark.parametrize(
    "where, why",
    [
        ("local:0", "N from 1 to 256"),
        ("local", "N from 1 to 256"),
        ("nowhere.json", "no such scheduler file"),
        ("http://host:1", "tcp://HOST:PORT"),
        ("tls://host:1", "--tls-ca"),
    ],
)
def test_what_is_no_cluster(where: str, why: str) -> None:
    from cvinfer.execute.backends.dask import Cluster

    with pytest.raises(UserError, match=why):
        Cluster(where)


def test_workers_on_loopback_are_of_no_use_elsewhere() -> None:
    from cvinfer.execute.backends._dask.site import refuse_host

    refuse_host("tcp://127.0.0.1:1", "127.0.0.1")
    refuse_host("tcp://localhost:1", "127.0.0.1")
    refuse_host("tcp://[::1]:1", "::1")
    refuse_host("tcp://10.0.0.1:1", "10.0.0.2")
    with pytest.raises(UserError, match="--host"):
        refuse_host("tcp://10.0.0.1:1", "127.0.0.1")


def test_data_sets_travel_once_and_come_out_the_same() -> None:
    from cvinfer import data
    from cvinfer.execute.backends._dask.parcels import Packer, Unpacked, pieces
    from cvinfer.execute.works.fit import Material
    from cvinfer.partitions import make_partition

    dataset = data.load({"source": "synthetic", "population": "two_gaussians", "n": 40}, Path(), 1)
    split = make_partition("kfold", 40, seed=1, k=4)
    packer = Packer([Material(dataset, (split,)), Material(dataset, ())])
    first, second = packer.parcel(0), packer.parcel(1)
    assert first.parts == second.parts and len(first.parts) == 1
    (name,) = first.parts
    assert len(second.content) < 200 < len(packer.part(name))
    assert len(first.content) < 400  # scheme, options and seed
    assert b"".join(pieces(packer.part(name))) == packer.part(name)
    found = Unpacked({0: first, 1: second}, {name: packer.part(name)})
    assert found[0].dataset.sha256 == dataset.sha256  # type: ignore[attr-defined]
    assert found[0].partitions == (split,)  # type: ignore[attr-defined]
    assert found[0].partitions[0].options == split.options  # type: ignore[attr-defined]


def test_partitions_that_hang_on_more_than_a_seed_travel_with_their_splits() -> None:
    from cvinfer.execute.backends._dask.parcels import Packer, Unpacked
    from cvinfer.partitions import make_partition

    target = [at % 3 for at in range(60)]
    made = [
        make_partition("kfold", 60, seed=1, k=4, stratify=target),
        make_partition("kfold", 60, seed=1, k=4, groups=[at // 2 for at in range(60)]),
        make_partition("blocked_mx2", 60, seed=3, m=3).take([0, 2]),
    ]
    packer = Packer(made)
    found = Unpacked({at: packer.parcel(at) for at in range(3)}, {})
    assert [found[at] for at in range(3)] == made


def test_code_of_others_needs_leave_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    from cvinfer.engines import foreign
    from cvinfer.engines.base import LearnerSpec
    from cvinfer.execute.backends._dask import versions

    own = LearnerSpec("A", "sklearn", "GaussianNB")
    other = LearnerSpec("B", "sklearn", "tests.execute.bad_learners:Marked")
    monkeypatch.delenv(versions.ALLOW_CODE, raising=False)
    assert foreign([own, other]) == ["B"]
    assert versions.refusal([own]) is None
    assert "cvinfer workers --allow-code" in str(versions.refusal([own, other], ["B"]))
    monkeypatch.setenv(versions.ALLOW_CODE, "1")
    assert versions.refusal([own, other], ["B"]) is None


def test_code_that_is_not_allowed_is_not_even_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cvinfer.engines.base import LearnerSpec
    from cvinfer.execute.backends._dask import versions

    (tmp_path / "strange_code.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(versions.ALLOW_CODE, raising=False)
    other = LearnerSpec("B", "sklearn", "strange_code:Learner")
    assert "--allow-code" in str(versions.refusal([other], ["B"]))
    assert "strange_code" not in sys.modules


def test_what_cannot_be_run_there_is_refused_with_the_reason() -> None:
    from cvinfer.engines.base import LearnerSpec
    from cvinfer.execute.backends._dask import versions

    unknown = LearnerSpec("C", "sklearn", "GaussianNaive")
    told = versions.refusal([unknown])
    assert told is not None and told.startswith("C cannot be run there: ")
    assert "GaussianNaive" in told


def test_limits_are_told_to_benches() -> None:
    import pickle

    from cvinfer.execute.backends._dask.bench import Brief
    from cvinfer.execute.work import Job

    brief = Brief(Job(()), Limits(1.0, 5.0))
    assert pickle.loads(pickle.dumps(brief)) == brief
