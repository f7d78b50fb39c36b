"""Studies that cannot be: each fault at its place, at once, and nothing is fitted."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from cvinfer.cli import main

PLAIN = """\
cvinfer: 1
name: bad
study:
  population: {source: sklearn, dataset: iris}
  draw: {n: 40}
  replications: 10
  STUDY
learners:
  A: {engine: builtin, learner: majority}
  B: {engine: builtin, learner: mean}
compare: [A, B]
tests: [kfold_t]
seed: 1
MORE
"""
LOSSES = """\
cvinfer: 1
name: bad
study:
  population: {source: synthetic, population: epsilon, epsilon: 0.1}
  replications: 10
  STUDY
tests: [kfold_t]
seed: 1
MORE
"""
TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
GRID_9 = ", ".join(f"learners.A.params.p{at}: {TEN}" for at in range(9))
BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 9)
)
TRUTH = "truth: {records: population}\n  "


class Bad(NamedTuple):
    """What is put into a study, and what is said first: line, column, path, message."""

    told: str
    study: str = ""
    more: str = ""
    text: str = PLAIN
    swap: tuple[str, str] = ("", "")


def grid(told: str, inside: str, text: str = PLAIN) -> Bad:
    return Bad(told, f"grid: {{{inside}}}", text=text)


V = "learners.B.params.v"
BAD = {
    "a grid of 10^9 points": grid("7:10: study.grid[…]: the grid has 1,000,000,000 points", GRID_9),
    "replications": Bad(
        "6:17: study.replications: 1000000000000 is too large; allowed: a whole number from 1 to"
        " 100000000",
        swap=("10", "1" + "0" * 12),
    ),
    "fits": Bad(
        "6:17: study.replications: the study takes 2,000,000,000 fits",
        swap=("ons: 10", "ons: 100000000"),
    ),
    "unknown path": grid(
        "7:10: study.grid.alhpa: 'alhpa' is no path of this spec; …; did you mean 'alpha'?",
        "alhpa: [0.1]",
    ),
    "unknown learner": grid(
        "7:10: study.grid[…]: there is no learner 'C'; allowed: A, B", "learners.C.params.v: [1]"
    ),
    "unknown parameter": grid(
        "7:33: learners.B.params.vv: MeanClassifier has no parameter 'vv'",
        "learners.B.params.vv: [1]",
    ),
    "through text": grid(
        "7:10: study.grid[…]: 'x' leads nowhere: the text 'majority' stands there",
        "learners.A.learner.x: [1]",
    ),
    "through a default": grid("7:20: alpha: a mapping is of the wrong type", "alpha.x: [1]"),
    "data in a grid": grid("study.grid[…]: 'data.n' is no path of this spec", "data.n: [1]"),
    "an empty list": grid("7:17: study.grid.alpha: the list is empty", "alpha: []"),
    "no list": grid("7:17: study.grid.alpha: the number 0.1 is of the wrong type", "alpha: 0.1"),
    "n beyond the population": Bad(
        "5:13: study.draw.n: 151 records cannot be drawn from 150", swap=("n: 40", "n: 151")
    ),
    "n of a point": grid(
        "7:29: study.draw.n: 151 records cannot be drawn from 150", "study.draw.n: [40, 151]"
    ),
    "one record": Bad("5:13: study.draw.n: 1 is too small", swap=("n: 40", "n: 1")),
    "no record": grid("study.draw.n: 0 is too small", "study.draw.n: [0]"),
    "too many records": Bad(
        "5:13: study.draw.n: 100,000,000 records of simple take 1,600 MB",
        swap=(
            "{source: sklearn, dataset: iris}\n  draw: {n: 40}",
            "{source: synthetic, population: simple}\n  draw: {n: 100000000}",
        ),
    ),
    "no record left": Bad(
        "7:10: study.truth: every replication has all records",
        "truth: {records: population}",
        swap=("n: 40", "n: 150"),
    ),
    "no fresh record left": Bad(
        "7:10: study.truth: every replication has all records",
        "truth: {fresh: 5}",
        swap=("n: 40", "n: 150"),
    ),
    "nothing drawn, nothing left": Bad(
        "study.truth: every replication has all records",
        "truth: {fresh: 5n}",
        swap=("  draw: {n: 40}\n", ""),
    ),
    "too many fresh records": Bad(
        "7:18: study.truth.fresh: 100,000,000 records of iris take 4,000 MB",
        "truth: {fresh: 100000000}",
    ),
    "intervals without truth": Bad(
        "4:3: study.truth: is missing, and the coverage of intervals needs the truth",
        more="intervals: [f1_beta_prime]",
    ),
    "no times n": Bad("7:18: study.truth.fresh: the text '0n' does not fit", "truth: {fresh: 0n}"),
    "ties": Bad(
        "7:9: study.ties: 'maybe' is not known; allowed: not_rejected, rejected or papers",
        "ties: maybe",
    ),
    "match: learner": Bad(
        "study.match[…].to: there is no learner 'C'; allowed: A, B",
        f"{TRUTH}match: {{{V}: {{range: [1, 5], to: C}}}}",
    ),
    "match: itself": Bad(
        "study.match[…].to: a learner meets its own error at once",
        f"{TRUTH}match: {{{V}: {{range: [1, 5], to: B}}}}",
    ),
    "match: range": Bad(
        "study.match[…].range: 5 is not below 1", f"{TRUTH}match: {{{V}: {{range: [5, 1], to: A}}}}"
    ),
    "match: no number": Bad(
        "study.match[…].range: nan is not below inf",
        f"{TRUTH}match: {{{V}: {{range: [.nan, .inf], to: A}}}}",
    ),
    "match: no parameter": Bad(
        "study.match.alpha: 'alpha' is no parameter of a learner",
        f"{TRUTH}match: {{alpha: {{range: [1, 5], to: A}}}}",
    ),
    "match: unknown parameter": Bad(
        "8:41: learners.B.params.v: MeanClassifier has no parameter 'v'",
        f"{TRUTH}match: {{{V}: {{range: [1, 5], to: A}}}}",
    ),
    # The search asks for numbers between whole ones, which no learner may be fitted to find out.
    "match: whole numbers only": Bad(
        "8:49: learners.B.params.max_depth: 2.47152 is not allowed for max_depth of"
        " DecisionTreeClassifier; allowed: an int in the range [1, inf) or null",
        f"{TRUTH}match: {{learners.B.params.max_depth: {{range: [1, 5], to: A}}}}",
        swap=("builtin, learner: mean}", "sklearn, learner: DecisionTreeClassifier}"),
    ),
    "match: no truth": Bad(
        "study.truth: is missing, and match needs the truth",
        f"match: {{{V}: {{range: [1, 5], to: A}}}}",
    ),
    "data beside it": Bad(
        "14:1: data: a study has no data: it draws them",
        more="data: {source: sklearn, dataset: iris}",
    ),
    "no population": Bad(
        "study.population: is missing",
        swap=("  population: {source: sklearn, dataset: iris}\n", ""),
    ),
    "a list of populations": Bad(
        "4:15: study.population: a list is of the wrong type",
        swap=("{source: sklearn, dataset: iris}", "[{source: sklearn, dataset: iris}]"),
    ),
    "splits of a file": Bad(
        "partition: splits of a file belong to one data set, not to a study",
        more="partition: {scheme: file, path: splits.csv}",
    ),
    "another loss": Bad(
        "14:7: loss: mu0: truth is there by zero_one alone",
        swap=("[kfold_t]", "[{kfold_t: {mu0: truth}}]"),
        more="loss: f1",
    ),
    "unknown loss": Bad("loss: 'hinge' is not known", more="loss: hinge"),
    "loss of probabilities": Bad("14:7: loss: brier needs probabilities", more="loss: brier"),
    "several measures": Bad(
        "measures: the population epsilon brings the losses of two learners itself",
        text=LOSSES,
        more="measures: [zero_one, f1]",
    ),
    "mu0": Bad(
        "tests[0].kfold_t.mu0: the text 'turth' is of the wrong type",
        swap=("[kfold_t]", "[{kfold_t: {mu0: turth}}]"),
    ),
    "not a number": grid("7:18: alpha: .nan is not a finite number", "alpha: [.nan]"),
    "infinite": grid("7:18: alpha: 1e999 is not a finite number", "alpha: [1e999]"),
    "huge": grid(
        "7:25: study.draw.n: the number inf is of the wrong type", f"study.draw.n: [1{'0' * 400}]"
    ),
    "no parameters": grid(
        "7:30: learners.A.params: the number nan is of the wrong type", "learners.A.params: [.nan]"
    ),
    "the same point twice": grid(
        "7:23: study.grid.alpha[1]: value 1 of the list is the same", "alpha: [0.1, 0.1]"
    ),
    "the same in other words": grid(
        "study.grid[…][1]: value 1 of the list is the same", "study.draw.n: [40, 40.0]"
    ),
    "a path twice": grid("'alpha' sets this, too", "alpha: [0.1], '\"alpha\"': [0.2]"),
    "a path in another": grid(
        "'study.draw' sets this, too", "study.draw: [{n: 20}], study.draw.n: [25]"
    ),
    "the study itself": grid(
        "7:10: study.grid.study: study is the same at all points", "study: [1, 2]"
    ),
    **{
        f"{path} in the grid": grid(
            f"{path.split('.s')[0]} is the same at all points", f"{path}: [1, 2]"
        )
        for path in (
            "study.replications",
            "study.grid",
            "study.match",
            "study.ties",
            "study.variances",
            "study.distributions",
            "limits.seconds",
            "output",
            "name",
        )
    },
    "an alias bomb": Bad(
        "the aliases expand to more than 100,000 values", "grid: {alpha: *a8}", text=BOMB + PLAIN
    ),
    "losses: learners": Bad(
        "9:1: learners: the population epsilon brings the losses",
        more="learners: {A: {engine: builtin, learner: majority}}",
        text=LOSSES,
    ),
    "losses: compare": Bad(
        "9:1: compare: the population epsilon brings the losses",
        more="compare: [A, B]",
        text=LOSSES,
    ),
    "losses: intervals": Bad(
        "9:1: intervals: the population epsilon brings the losses",
        more="intervals: [f1_beta_prime]",
        text=LOSSES,
    ),
    "losses: truth": Bad(
        "6:3: study.truth: the population epsilon has no learners to train",
        "truth: {fresh: 5n}",
        text=LOSSES,
    ),
    "losses: stratify": Bad(
        "9:12: partition: losses of epsilon have no classes",
        more="partition: {scheme: kfold, stratify: true}",
        text=LOSSES,
    ),
    "losses: partitions": Bad(
        "6:3: study.partitions: the losses of epsilon are partitioned once",
        "partitions: 5",
        text=LOSSES,
    ),
    "losses: n": Bad(
        "6:13: study.draw.n: losses of 100,000,000 records are too many",
        "draw: {n: 100000000}",
        text=LOSSES,
    ),
    "losses: epsilon": grid(
        "study.population.epsilon: epsilon must be a finite number, not nan",
        "study.population.epsilon: [.nan]",
        LOSSES,
    ),
}


def called(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def written(directory: Path, bad: Bad) -> Path:
    rows = [f"holdout,1,1,{'test' if at < 5 else 'train'},{at}" for at in range(40)]
    head = "scheme,replication,fold,role,record"
    (directory / "splits.csv").write_text("\n".join([head, *rows]) + "\n")
    old, new = bad.swap
    text = bad.text.replace("STUDY", bad.study).replace("MORE", bad.more)
    assert old in text
    path = directory / "bad.yaml"
    path.write_text(text.replace(old, new, 1) if old else text)
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", BAD)
def test_a_bad_study_is_refused_at_once(
    place: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    path = written(place, BAD[name])
    before = set(place.iterdir())
    began = time.process_time()
    code = called("simulate", path)
    took = time.process_time() - began
    out, err = capfd.readouterr()
    told = out + err
    assert code == 2, told
    at = 0
    for part in BAD[name].told.split("…"):
        at = told.find(part, at)
        assert at >= 0, told
    assert f"{path.name}:" in told and "Traceback" not in told
    assert set(place.iterdir()) == before, "something was made"
    assert took < 2
    # `validate` says the same.
    assert called("validate", path) == 2
    assert told.splitlines()[0] in "".join(capfd.readouterr())


def test_a_study_is_no_comparison_and_the_other_way_round(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = place / "study.yaml"
    path.write_text(PLAIN.replace("STUDY", "").replace("MORE", ""))
    assert called("run", path) == 2
    assert "3:1: study: this is a study, not one comparison; cvinfer simulate runs it" in "".join(
        capfd.readouterr()
    )
    path.write_text("cvinfer: 1\ndata: {source: sklearn, dataset: iris}\n")
    assert called("simulate", path) == 2
    assert "this is no study: it has no section study; cvinfer run" in "".join(capfd.readouterr())
    assert [each.name for each in place.iterdir()] == ["study.yaml"]


@pytest.mark.parametrize("words", ["0-5", "5-1", "1", "1-", "a-b", "1-99999999999", "-3-5"])
def test_ranges_that_are_none(place: Path, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = place / "study.yaml"
    path.write_text(PLAIN.replace("STUDY", "").replace("MORE", ""))
    assert called("simulate", path, f"--range={words}") == 2
    assert "is no range of replications" in capfd.readouterr().err
