"""Code beside a spec: importable with the user's word, in workers too, and part of the keys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
from tests.execute.run_examples import MAJORITY, spec_of

from cvinfer.runner import run
from cvinfer.spec import SpecError, check_file

ROOT = Path(__file__).resolve().parents[2]

CODE = """
from sklearn.base import BaseEstimator, ClassifierMixin
from {helper} import choose

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_, self.label_ = sorted(set(y)), choose(y)
        return self
    def predict(self, X):
        return [self.label_] * len(X)
"""


@pytest.fixture(autouse=True)
def path_as_it_was() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before


def write_code(directory: Path, module: str, label: str = "max") -> None:
    (directory / f"{module}.py").write_text(CODE.format(helper=f"{module}_helper"))
    (directory / f"{module}_helper.py").write_text(f"def choose(y):\n    return {label}(y)\n")


def own(directory: Path, module: str, **more: Any) -> Path:
    mine = {"engine": "sklearn", "learner": f"{module}:Mine"}
    path = spec_of(directory, {"A": MAJORITY, "mine": mine}, **more)
    write_code(directory, module)
    return path


def versions(result: Any) -> dict[str, str]:
    return dict(result.document["manifest"]["versions"])


def test_code_beside_the_spec_is_fitted_in_workers(tmp_path: Path) -> None:
    path = own(tmp_path, "beside_one")
    result = run(path, jobs=2, allow_code=True)
    assert not result.failed and result.outcome.fitted == 20
    assert versions(result)["beside_one"].startswith("sha256:")
    assert "beside_one_helper" in versions(result)


def test_a_change_of_the_code_or_of_what_it_imports_makes_new_fits(tmp_path: Path) -> None:
    path, store = own(tmp_path, "beside_two"), tmp_path / "store.sqlite"
    first = run(path, jobs=1, allow_code=True, store=store)
    assert run(path, jobs=1, allow_code=True, store=store).outcome.fitted == 0
    write_code(tmp_path, "beside_two", "min")
    again = run(path, jobs=1, allow_code=True, store=store)
    assert again.outcome.fitted == 10  # those of the learner whose code is another now
    assert first.comparisons[0]["inference"] != again.comparisons[0]["inference"]


def test_each_spec_has_the_code_beside_itself(tmp_path: Path) -> None:
    one, two = own(tmp_path / "one", "beside_three"), own(tmp_path / "two", "beside_three")
    write_code(tmp_path / "two", "beside_three", "min")
    first, second = (run(path, jobs=1, allow_code=True) for path in (one, two))
    assert versions(first)["beside_three_helper"] != versions(second)["beside_three_helper"]
    (a,), (b,) = first.comparisons, second.comparisons
    assert a["inference"]["extra"]["loss_b"] != b["inference"]["extra"]["loss_b"]


def test_installed_modules_come_first(tmp_path: Path) -> None:
    path = own(tmp_path, "beside_four")
    (tmp_path / "colorsys.py").write_text("raise RuntimeError('never')\n")
    (tmp_path / "beside_four_helper.py").write_text("import colorsys\nchoose = max\n")
    assert not run(path, jobs=1, allow_code=True).failed


def test_without_the_word_it_is_a_located_fault(tmp_path: Path) -> None:
    path = own(tmp_path, "beside_five")
    (tmp_path / "beside_five.py").write_text("raise RuntimeError('this must not run')\n")
    with pytest.raises(SpecError) as caught:
        run(path)
    (fault,) = caught.value.faults
    assert fault.path == "learners.mine.learner" and "--allow-code" in str(fault)
    assert "beside_five" not in sys.modules and str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    "learner, words",
    [
        ("beside_six.Mine", "did you mean 'beside_six:Mine'?"),
        ("beside_sx:Mine", "in the directory of the spec"),
    ],
    ids=["dot", "misspelt"],
)
def test_a_name_that_leads_nowhere_says_where_was_looked(
    tmp_path: Path, learner: str, words: str
) -> None:
    path = own(tmp_path, "beside_six")
    spec = json.loads(path.read_text())
    spec["learners"]["mine"]["learner"] = learner
    path.write_text(json.dumps(spec))
    (fault,) = check_file(path, allow_code=True)[1]
    assert words in str(fault)


def test_a_result_finds_the_code_again(tmp_path: Path) -> None:
    from cvinfer.commands._made_again import verify

    path = own(tmp_path / "project", "beside_seven")
    run(path, jobs=1, allow_code=True, write=True, output=tmp_path / "out" / "made")
    file = tmp_path / "out" / "made" / "result.json"
    assert verify(file, jobs=1, allow_code=True).same
    write_code(tmp_path / "project", "beside_seven", "min")
    assert not verify(file, jobs=1, allow_code=True).same


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    # A project's environment may lie beside the spec, and so may this package; Python may have
    # been started there.
    installed = tmp_path / ".venv" / "lib"
    installed.mkdir(parents=True)
    (installed / "beside_installed.py").write_text("")
    (tmp_path / "beside_started.py").write_text("")
    (tmp_path / "beside_eight.py").write_text("import beside_installed, beside_started\n")
    code = """
import sys
import beside_installed, beside_started
from cvinfer.engines._sklearn import own_code

before, path = dict(sys.modules), list(sys.path)
project, package = sys.argv[1:]
for directory in (project, project, package, "elsewhere"):
    own_code.look_beside(directory)
    assert all(sys.modules.get(name) is module for name, module in before.items())
    assert sys.path[: len(path)] == path
    if directory == project:
        import beside_eight
        assert list(own_code.own_versions("beside_eight")) == ["beside_eight", "beside_started"]
assert "beside_eight" not in sys.modules
"""
    places = os.pathsep.join(map(str, (ROOT, tmp_path, installed)))
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(ROOT)],
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
