"""Learners that fail on a split: recorded, never guessed around, and the rest goes on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Iterable

import pytest
from tests.execute.run_examples import MAJORITY, NEAREST_MEAN, marked, spec_of

from cvinfer.errors import UserError
from cvinfer.execute.work import FitError
from cvinfer.execute.store import Store
from cvinfer.runner import Result, run

MODES = {
    "error": r"Marked failed with 54 training records: ValueError: no luck with <object .*",
    "few": r"Marked gave 5 predictions for 6 test records",
    "unknown": r"Marked predicted what is no class of the data: 77 \(6 of 6 test records\)",
    "system_exit": r"SystemExit: 4",
    "memory": r"out of memory",
    "exit_0": r"its worker process died 2 times \(exit code 0\)",
}
DEADLY = {
    "exit_3": r"its worker process died 2 times \(exit code 3\)",
    "segfault": r"its worker process died 2 times \(signal SIGSEGV\)",
}


def compared(result: Result) -> dict[tuple[str, str, str], Any]:
    return {(row["a"], row["b"], row["test"]): row for row in result.comparisons}


def failed_run(directory: Path, modes: Iterable[str]) -> Result:
    learners = {"A": MAJORITY, "B": NEAREST_MEAN, **{mode: marked(mode) for mode in modes}}
    compare = [["A", "B"], *(["A", mode] for mode in modes)]
    path = spec_of(directory, learners, compare=compare, intervals=["error_kfold_t"])
    return run(path, jobs=2, allow_code=True)


def check_message(result: Result, mode: str, expected: str) -> None:
    # One fold tests the marked record.
    (row,) = [row for row in result.document["failures"] if row["learner"] == mode]
    assert re.fullmatch(expected, row["message"]), row["message"]
    assert "0x7f" not in row["message"]


def check_tests(result: Result, mode: str) -> None:
    row = compared(result)["A", mode, "kfold_t"]
    assert row["inference"] is None and row["better"] is None
    assert re.match(rf"{mode} failed on split \d+ of 10-fold: ", row["failed"])
    (interval,) = [row for row in result.intervals if row["learner"] == mode]
    assert interval["result"] is None and interval["failed"] == row["failed"]


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return failed_run(tmp_path_factory.mktemp("failures"), MODES)


@pytest.mark.parametrize("mode", MODES)
def test_a_failure_is_recorded_and_tests_that_need_the_split_say_so(
    failed: Result, mode: str
) -> None:
    check_message(failed, mode, MODES[mode])
    check_tests(failed, mode)


def test_the_others_go_on(failed: Result) -> None:
    assert failed.failed
    assert compared(failed)["A", "B", "kfold_t"]["inference"] is not None
    assert failed.outcome.fitted == 10 * (2 + len(MODES)) - len(MODES)
    assert len(failed.outcome.failures) == len(MODES)
    for row in failed.document["losses"]:
        lost = row["per_split"].count(None)
        assert lost == (row["learner"] in MODES)
        assert (row["mean"] is None) == bool(lost)


@pytest.mark.long
def test_dead_workers_cost_their_fit_only(tmp_path: Path) -> None:
    result = failed_run(tmp_path, DEADLY)
    for mode, expected in DEADLY.items():
        check_message(result, mode, expected)
        check_tests(result, mode)
    assert result.outcome.fitted == 10 * 4 - 2
    assert compared(result)["A", "B", "kfold_t"]["inference"] is not None


def test_a_death_is_blamed_on_the_fit_that_was_at_work(tmp_path: Path) -> None:
    # Leave-one-out has quick fits that travel together; record 40 is in the middle of a batch.
    learners = {"A": MAJORITY, "B": marked("exit_3")}
    result = run(spec_of(tmp_path, learners, ["loo_matched_t"], marked=40), jobs=1, allow_code=True)
    (row,) = result.document["failures"]
    assert (row["learner"], row["split"]) == ("B", 40)
    assert row["message"] == "its worker process died 2 times (exit code 3)"
    assert result.outcome.fitted == 2 * 60 - 1


def test_many_failures_are_counted(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("error")}, ["combined_5x2_t"])
    (row,) = run(path, jobs=1, allow_code=True).comparisons
    assert row["failed"].count("B failed on split") == 3
    assert row["failed"].endswith("(and 2 more)")


def test_failures_are_not_stored_and_a_rerun_tells_the_same(tmp_path: Path) -> None:
    path = spec_of(tmp_path, {"A": MAJORITY, "B": marked("error")})
    store = tmp_path / "store.sqlite"
    first = run(path, jobs=1, allow_code=True, store=store)
    with Store(store) as opened:
        assert opened.info()["fits"] == 19
    again = run(path, jobs=2, allow_code=True, store=store)
    assert (again.outcome.reused, again.outcome.fitted) == (19, 0)
    assert again.document == first.document


def test_a_time_limit_ends_one_fit(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": marked("endless")}
    path = spec_of(tmp_path, learners, limits={"seconds": 0.5})
    result = run(path, jobs=2, allow_code=True)
    (row,) = result.document["failures"]
    assert (row["learner"], row["message"]) == ("B", "took longer than 0.5 s")
    assert result.outcome.fitted == 19


def test_fail_fast_stops_at_the_first(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": marked("error", seconds=0.2)}
    path = spec_of(tmp_path, learners)
    with pytest.raises(
        FitError, match=r"B failed on split \d+ of 10-fold: Marked failed"
    ) as caught:
        run(path, jobs=1, allow_code=True, fail_fast=True, write=True, output=tmp_path / "r" / "x")
    assert caught.value.exit_code == 3
    assert not (tmp_path / "r" / "x" / "result.json").exists()
    with Store(tmp_path / "r" / "store.sqlite") as store:
        assert int(str(store.info()["fits"])) >= 10


def test_warnings_of_learners_are_told_once(tmp_path: Path, capfd: Any) -> None:
    learners = {"A": marked("warning"), "B": marked("loud")}
    path = spec_of(tmp_path, learners, ["kfold_t", "combined_5x2_t"])
    result = run(path, jobs=2, allow_code=True)
    told = [text for text in result.document["warnings"] if "how it is" in text]
    assert told == ["A: RuntimeWarning: that is how it is (in 6 of 20 fits)"]
    assert "loud" not in "".join(capfd.readouterr())


def test_results_that_cannot_be_written_are_refused_before_the_fits(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="results cannot be written to .*file"):
        run(spec_of(tmp_path), output=tmp_path / "file" / "made", write=True)
    with pytest.raises(UserError, match="jobs = 0"):
        run(spec_of(tmp_path), jobs=0)


KNN = {"engine": "sklearn", "learner": "KNeighborsClassifier", "params": {"n_neighbors": 58}}


def test_a_failed_fit_that_two_partitions_share_is_counted_once(tmp_path: Path) -> None:
    names = ["kfold_t", "corrected_repeated_kfold_t"]
    result = run(spec_of(tmp_path, {"A": MAJORITY, "B": KNN}, names), jobs=1)
    # The ten folds are the first of the ten times ten.
    assert len(result.document["failures"]) == len(result.outcome.failures) == 100
    assert [row["partition"] for row in result.document["failures"]].count(0) == 10
    assert all(row["failed"] for row in result.comparisons)
    # One comparison for each test: nothing is corrected, so nothing is said of it.
    assert "correction" not in " ".join(result.document["warnings"])


def rare(directory: Path, count: int, **more: Any) -> Path:
    """Two classes and `count` records of a third, all at the end."""
    # A learner that is told of three classes cannot do with two.
    bayes = {"engine": "sklearn", "learner": "GaussianNB", "params": {"priors": [0.4, 0.4, 0.2]}}
    path = spec_of(directory, {"A": MAJORITY, "B": bayes}, **more)
    rows = [f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(60 - count)]
    rows += [f"{i},{i},c" for i in range(count)]
    (directory / "data.csv").write_text("x,mark,class\n" + "\n".join(rows) + "\n")
    return path


def test_a_failure_that_stratification_would_avoid_says_so(tmp_path: Path) -> None:
    path = rare(tmp_path, 2, tests=["dietterich_5x2_t"], seed=3)
    result = run(path, jobs=1)
    messages = [row["message"] for row in result.document["failures"]]
    assert messages
    for message in messages:
        assert "have none of class 'c'" in message
        assert "partition: {scheme: random_mx2, stratify: true} would avoid it" in message
    spec = ["partition={scheme: random_mx2, stratify: true}"]
    assert not run(path, jobs=1, overrides=spec).failed
    # Nothing helps a class of one record; and a failure for another reason is no case for it.
    lonely = run(rare(tmp_path, 1, tests=["dietterich_5x2_t"]), jobs=1)
    assert lonely.failed
    other = run(spec_of(tmp_path, {"A": MAJORITY, "B": KNN}), jobs=1)
    for row in [*lonely.document["failures"], *other.document["failures"]]:
        assert "stratify" not in row["message"]


def test_an_f1_that_a_fold_does_not_have_is_told(tmp_path: Path) -> None:
    learners = {"A": MAJORITY, "B": NEAREST_MEAN}
    path = spec_of(tmp_path, learners, ["kfold_t"], intervals=["kfold_t_interval"])
    rows = [f"{i},{i % 5},{'ab'[i % 2]}" for i in range(57)] + [f"{i},3,c" for i in range(3)]
    (tmp_path / "data.csv").write_text("x,mark,class\n" + "\n".join(rows) + "\n")
    for overrides in ([], ["positive=c"]):
        result = run(path, jobs=1, overrides=overrides)
        for row in result.intervals:
            assert "finite" not in row["failed"] and "nan" not in row["failed"]
            assert "no record of class 'c'" in row["failed"] and "10-fold" in row["failed"]
    assert "stratify" not in row["failed"]  # three records cannot be in ten folds
    three = run(path, jobs=1, overrides=["partition={scheme: kfold, k: 3}", "seed=2"])
    told = [row["failed"] for row in three.intervals if row["failed"]]
    assert told and all("k: 3, stratify: true} would avoid it" in text for text in told)
