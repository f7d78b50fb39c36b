"""Probabilities and scores in files of predictions: written, read back, and their faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.test_predictions import dataset, guesses, read

from cvinfer.data import write_predictions
from cvinfer.errors import UserError
from cvinfer.losses.kinds import PROBABILITIES, SCORES
from cvinfer.partitions import make_partition

HEAD = "split,record,truth,A,B,p_A_x,p_A_y"
ROWS = ["1,1,x,x,x,0.75,0.25", "1,2,y,x,y,0.5,0.5", "2,3,x,y,,1e-3,0.999", "2,4,y,y,,0,1"]


def text(tmp_path: Path, *rows: str, head: str = HEAD, **more: Any) -> Any:
    (tmp_path / "p.csv").write_text("\n".join([head, *rows]) + "\n")
    return read(tmp_path, "p.csv", **more)


def test_what_others_bring_is_read(tmp_path: Path) -> None:
    found = text(tmp_path, *reversed(ROWS))
    assert found.learners == ("A", "B") and found.beside_kinds == {"A": PROBABILITIES}
    first, second = found.beside["A", 0]
    assert first.tolist() == [[0.75, 0.25], [0.5, 0.5]]
    assert second.tolist() == [[0.001, 0.999], [0.0, 1.0]]
    plain = text(tmp_path, *ROWS, drop=["p_A_x", "p_A_y"])
    assert plain.beside == {} and plain.sha256 != found.sha256
    renamed = text(tmp_path, *ROWS, learners={"mine": "A"})
    assert renamed.learners == ("mine",) and set(renamed.beside) == {("mine", 0)}
    assert text(tmp_path, *ROWS, keep=["A"]).beside_kinds == {"A": PROBABILITIES}


def test_a_run_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    data = dataset(40, ["a", "b,c", "d"])
    partitions = [make_partition("kfold", 40, k=4), make_partition("holdout", 40)]
    codes = guesses(data, partitions, ["N", "T", "p_q"])
    rng = np.random.default_rng(2)
    beside: dict[Any, Any] = {}
    for (learner, at), column in codes.items():
        if learner == "N":
            beside[learner, at] = [rng.dirichlet(np.ones(3), len(each)) for each in column]
        elif learner == "T":
            beside[learner, at] = [rng.normal(size=(len(each), 3)) / 3 for each in column]
            beside[learner, at][0][:, 1] = -np.inf
    kinds = {"N": PROBABILITIES, "T": SCORES}
    codes["N", 0] = [None, *codes["N", 0][1:]]
    beside["N", 0][0] = None
    write_predictions(tmp_path / "p.csv.gz", data, partitions, codes, beside, kinds)
    found = read(tmp_path, "p.csv.gz")
    assert found.learners == ("N", "T", "p_q") and found.beside_kinds == kinds
    assert found.beside["N", 0][0] is None
    for key, tables in beside.items():
        for old, new in zip(tables, found.beside[key]):
            assert old is new is None or (old is not None and old.tobytes() == new.tobytes())


@pytest.mark.parametrize(
    "rows, head, said",
    [
        (["1,1,x,x,x,high,0.25", *ROWS[1:]], HEAD, "'p_A_x' holds 'high' in row 1, which is no n"),
        ([*ROWS[:3], "2,4,y,y,,,1"], HEAD, "'p_A_x' holds '' in row 4, which is no number"),
        (
            [ROWS[0], "1,2,y,x,y,0.5,0.6", *ROWS[2:]],
            HEAD,
            "'A' in row 2 are 0.5, 0.6, 1.1 together",
        ),
        (ROWS, HEAD.replace("p_A_y", "p_A_z"), "has column 'p_A_x' and no column 'p_A_y'"),
        ([row + ",1" for row in ROWS], HEAD + ",p_A_x", "names column 'p_A_x' more than once"),
    ],
)
def test_faults_say_where(tmp_path: Path, rows: list[str], head: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        text(tmp_path, *rows, head=head)
    assert told.value.path == ("path",)
