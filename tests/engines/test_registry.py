"""Engines are found by folder, listed even where they cannot be used, and light until used."""

from __future__ import annotations

import importlib
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engines.engine_data import clouds, learner

import cvinfer
from cvinfer.engines import LearnerError, engine, engines
from cvinfer.engines import registry
from cvinfer.errors import UserError
from cvinfer.registry import Registry

ROOT = Path(__file__).resolve().parents[2]


def test_both_engines_are_found() -> None:
    assert {"builtin", "sklearn"} <= set(engines())
    assert all(each.name == name for name, each in engines().items())


def test_files_of_the_folder_that_are_no_engines_are_not_among_them() -> None:
    files = {each.stem for each in Path(registry.__file__).parent.glob("[!_]*.py")}
    assert files - set(engines()) == {"base", "registry"}
    assert all(engines.module(name) == f"cvinfer.engines.{name}" for name in engines())


def test_an_unknown_engine_gets_a_hint() -> None:
    with pytest.raises(UserError, match="no engine 'sklern'; .*did you mean 'sklearn'"):
        engine("sklern")


def test_a_new_file_is_an_engine_and_a_broken_one_is_listed_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "engines_for_tests"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text("VALUE = 1\n")
    (package / "_hidden.py").write_text("raise RuntimeError('never imported')\n")
    (package / "new.py").write_text(
        "import engines_for_tests as here\n"
        "class E:\n    name = 'new'\n"
        "here.engines.add(E.name, E(), __name__)\n"
    )
    (package / "broken.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = Registry("engine", "engines_for_tests", ordered=True, broken=registry.MissingEngine)
    here = importlib.import_module("engines_for_tests")
    monkeypatch.setattr(here, "engines", found, raising=False)
    assert list(found) == ["broken", "new"]
    broken = found["broken"]
    assert "a_package_that_is_not_there" in (broken.reason() or "")
    (info,) = broken.learners()
    assert not info.available and info.reason == broken.reason()
    (problem,) = broken.check(learner("x", engine="broken"), None, False)
    assert problem.path == ("engine",) and "not_there" in problem.message
    with pytest.raises(LearnerError, match="not_there"):
        broken.open(clouds())


def in_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_finding_engines_imports_nothing_heavy() -> None:
    loaded = in_new_process(
        "import sys; from cvinfer.engines import engines; engines()\n"
        "engines()['sklearn'].versions(); engines()['builtin'].versions()\n"
        "print(*sys.modules)"
    ).split()
    assert "cvinfer.engines.builtin" in loaded
    assert {"sklearn", "scipy", "pandas", "joblib"}.isdisjoint(loaded)


def test_without_scikit_learn_the_engines_say_so() -> None:
    said = in_new_process(
        "import sys; sys.modules['sklearn'] = None\n"
        "from cvinfer.engines import engines, LearnerSpec\n"
        "for name in ('sklearn', 'builtin'):\n"
        "    e = engines()[name]\n"
        "    (info,) = e.learners(); (p,) = e.check(LearnerSpec('x', name, 'SVC'), None, False)\n"
        "    print(info.available, info.reason == e.reason(), e.reason() in p.message, p.path)\n"
    )
    assert said == "False True True ('engine',)\n" * 2


def test_learners_are_listed_with_descriptions() -> None:
    ours = {each.name: each for each in engines()["builtin"].learners()}
    assert ours["FirstNearestNeighbour"].aliases == ("first_nearest_neighbour",)
    assert len(ours) == 7
    theirs = {each.name: each for each in engines()["sklearn"].learners()}
    assert {"SVC", "KNeighborsClassifier", "GridSearchCV"} <= set(theirs)
    assert not theirs["MultiOutputClassifier"].available
    assert all(each.description for each in [*ours.values(), *theirs.values()])


def test_versions_are_those_installed() -> None:
    found = engines()["sklearn"].versions()
    for name in ("numpy", "scipy", "scikit-learn"):
        assert found[name] == importlib.metadata.version(name)
    assert "cvinfer" not in found
    assert engines()["builtin"].versions()["cvinfer"] == cvinfer.__version__


def test_builtin_hands_out_its_classes() -> None:
    from cvinfer.engines import builtin

    assert builtin.MeanClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.9]]) == [1]
    with pytest.raises(AttributeError, match="Nothing"):
        builtin.Nothing
