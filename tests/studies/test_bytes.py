"""study.json has the same bytes however its replications came about, and nothing is made twice."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any, Sequence

import pytest
from tests.execute.run_examples import MAJORITY, NEAREST_MEAN, TREE, marked, script
from tests.execute.test_bytes import wait_for_fits
from tests.studies.study_examples import EPSILON, PLAIN, WHOLE, changed, of_file

from cvinfer.documents import JsonObject
from cvinfer.studies import Simulated, simulate
from cvinfer.studies.document import merge
from cvinfer.studies.files import study_text


def parts(study: JsonObject, store: Path, ends: Sequence[int]) -> list[JsonObject]:
    """The documents of consecutive ranges that end there."""
    firsts = [1, *(end + 1 for end in ends[:-1])]
    pairs = zip(firsts, ends)
    return [simulate(study, jobs=1, range_=pair, store=store).document for pair in pairs]


def made(found: Simulated) -> tuple[int, int]:
    return found.outcome.reused, found.outcome.fitted


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes") / "store.sqlite"


@pytest.fixture(scope="module")
def whole(store: Path) -> str:
    return study_text(simulate(WHOLE, jobs=1, store=store).document)


def test_workers_move_no_byte(whole: str) -> None:
    assert study_text(simulate(WHOLE, jobs=2).document) == whole


@pytest.mark.parametrize("ends", [(50, 100), (1, 7, 13, 100)])
def test_ranges_add_up_to_one_run(whole: str, store: Path, ends: Sequence[int]) -> None:
    assert study_text(merge(parts(WHOLE, store, ends))) == whole


def test_losses_that_are_drawn_add_up_across_their_granules(tmp_path: Path) -> None:
    study = changed(EPSILON, replications=2100)
    found = study_text(simulate(study, jobs=1).document)
    pieces = [simulate(study, jobs=1, range_=each).document for each in ((1, 7), (8, 1500))]
    last = simulate(study, jobs=2, range_=(1501, 2100)).document
    assert study_text(merge([last, *pieces])) == found


def test_a_part_of_a_larger_study_is_the_same_as_the_study(store: Path) -> None:
    """Ranges of a study of 100 that end before it, and such as go beyond."""
    both = merge(parts(PLAIN, store, (20, 50)))
    one = simulate(PLAIN, jobs=1, range_=(1, 50), store=store).document
    assert both == one and one["study"]["replications"] == 100
    more = merge([*parts(PLAIN, store, (100, 130))])
    assert more == simulate(changed(PLAIN, replications=130), jobs=1, store=store).document


def test_more_replications_later_fit_what_is_new(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    first = simulate(PLAIN, jobs=1, store=store, replications=50)
    # Two learners, blocks of 16: 16 + 16 + 16 + 2 replications.
    assert made(first) == (0, 8)
    again = simulate(PLAIN, jobs=1, store=store, replications=50)
    assert made(again) == (8, 0) and again.document == first.document
    more = simulate(PLAIN, jobs=1, store=store)
    # The 14 that fill the fourth block come in 2 + 4 + 8, then 16 + 16 + 4.
    assert made(more) == (8, 12)
    assert study_text(more.document) == study_text(simulate(PLAIN, jobs=1).document)


def test_odd_ranges_share_their_blocks(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    odd = simulate(PLAIN, jobs=1, store=store, range_=(7, 13))
    assert made(odd) == (0, 6)  # 7-8, 9-12 and 13, of two learners
    wide = simulate(PLAIN, jobs=1, store=store, range_=(1, 40))
    assert wide.outcome.reused == 6
    assert wide.document == simulate(PLAIN, jobs=1, range_=(1, 40)).document


def test_a_point_a_test_or_a_learner_more_costs_what_is_new(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    small = changed(PLAIN, replications=16, grid={"study.draw.n": [30]})
    assert made(simulate(small, jobs=1, store=store)) == (0, 2)
    point = changed(small, grid={"study.draw.n": [30, 40]})
    assert made(simulate(point, jobs=1, store=store)) == (2, 2)
    level = changed(point, grid={"study.draw.n": [30, 40], "alpha": [0.05, 0.1]})
    assert made(simulate(level, jobs=1, store=store)) == (4, 0)
    # cvci_z and corrected_kfold_t live on the same folds.
    tests = changed(point, tests=["kfold_t", "cvci_z", "corrected_kfold_t"])
    assert made(simulate(tests, jobs=1, store=store)) == (4, 0)
    other = changed(point, tests=["kfold_t", "holdout_mcnemar"])
    assert made(simulate(other, jobs=1, store=store)) == (4, 4)
    learners = {"A": MAJORITY, "B": NEAREST_MEAN, "C": TREE}
    third = changed(point, learners=learners, compare=[["A", "B"], ["A", "C"]])
    assert made(simulate(third, jobs=1, store=store)) == (4, 2)


def test_the_order_of_grid_keys_moves_cells_alone(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    grid = {"alpha": [0.05, 0.1], "study.draw.n": [30, 40]}
    turned = {key: grid[key] for key in reversed(list(grid))}
    one = simulate(changed(PLAIN, replications=10, grid=grid), jobs=1, store=store).document
    two = simulate(changed(PLAIN, replications=10, grid=turned), jobs=1, store=store).document
    assert one["settings"] == two["settings"] and one["cells"] != two["cells"]

    def by_point(document: JsonObject) -> dict[Any, Any]:
        return {
            tuple(sorted(c["at"].items())): (c["rate"], c["estimate"]) for c in document["cells"]
        }

    assert by_point(one) == by_point(two) and len(by_point(one)) == 4


RUN = """
import sys
from cvinfer.studies import simulate
try:
    simulate(sys.argv[1], jobs=2, write=True, output=sys.argv[2], allow_code=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    "sign, blocks",
    [
        (signal.SIGKILL, 3),
        (signal.SIGINT, 2),
        pytest.param(signal.SIGKILL, 1, marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, 4, marks=pytest.mark.long),
    ],
)
def test_a_study_that_was_ended_is_resumed_to_the_same_bytes(
    tmp_path: Path, sign: signal.Signals, blocks: int
) -> None:
    path = of_file(tmp_path / "study", marked("fine", seconds=0.01), 48)
    ended = script(RUN, tmp_path, path, tmp_path / "ended" / "made")
    wait_for_fits(tmp_path / "ended" / "store.sqlite", blocks)
    os.kill(ended.pid, sign)
    ended.communicate(timeout=60)
    assert ended.returncode in (-signal.SIGKILL, 130)
    assert not (tmp_path / "ended" / "made" / "study.json").exists()
    options: dict[str, Any] = {"write": True, "allow_code": True, "jobs": 2}
    resumed = simulate(path, output=tmp_path / "ended" / "made", **options)
    assert resumed.outcome.reused >= blocks and sum(made(resumed)) == 6
    simulate(path, output=tmp_path / "whole" / "made", **options)
    texts = [(tmp_path / name / "made" / "study.json").read_bytes() for name in ("ended", "whole")]
    assert texts[0] == texts[1]
