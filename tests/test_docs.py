"""The pages that people read say what the code does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from cvinfer.inference import intervals, tests

ROOT = Path(__file__).resolve().parent.parent


def _generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate_tests_md.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_md_is_what_the_registry_says():
    assert (ROOT / "docs/tests.md").read_text(encoding="utf-8") == _generator().page()


def test_readme_counts_the_procedures():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"all {len(tests())} tests and {len(intervals())} intervals" in text


def test_readme_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def _readme_code() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_readme_three_lines_print_what_the_readme_says(capsys):
    datasets = pytest.importorskip("sklearn.datasets", reason="the README's example uses it")
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = datasets.load_breast_cancer(return_X_y=True)

    def fit_predict(learner, X, y, train, test):
        return learner.fit(X[train], y[train]).predict(X[test])

    names = {
        "X": X,
        "y": y,
        "A": DecisionTreeClassifier(random_state=0),
        "B": KNeighborsClassifier(n_neighbors=1),
        "fit_predict": fit_predict,
    }
    exec(_readme_code()[0], names)
    printed = capsys.readouterr().out.strip()
    assert printed in (ROOT / "README.md").read_text(encoding="utf-8")


def test_other_readme_examples_run():
    for code in _readme_code()[1:]:
        exec(code, {})
