"""The pages that people read say what the code does."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest


ROOT = Path(__file__).resolve().parents[2]


def _generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate_tests_md.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_md_is_what_the_registry_says():
    assert (ROOT / "docs/tests.md").read_text(encoding="utf-8") == _generator().page()


def test_the_reproduction_is_what_the_ledger_and_its_results_say():
    from cvinfer.studies.ledger import Results, load_ledger
    from cvinfer.studies.ledger.page import look, pages

    kept = ROOT / "docs" / "reproduction"
    items = load_ledger(ROOT / "specs" / "papers").values()
    for name, text in pages(look(items, Results((kept,)), kept)).items():
        found = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert found == text, f"docs/{name} is not up to date: make docs"


def test_readme_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def _readme_code() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def _is_of_arrays(code: str) -> bool:
    """Whether a block goes on from learners and data that a reader has already."""
    return "fit_predict(" in code


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
    (code,) = filter(_is_of_arrays, _readme_code())
    exec(code, names)
    printed = capsys.readouterr().out.strip()
    assert printed in (ROOT / "README.md").read_text(encoding="utf-8")


def test_other_readme_examples_run():
    others = [code for code in _readme_code() if not _is_of_arrays(code)]
    assert len(others) > 3
    for code in others:
        exec(code, {})


def test_the_r_code_of_the_readme_runs_on_the_splits_and_its_predictions_are_tested(tmp_path):
    import subprocess

    from tests import r_parts
    from cvinfer.engines._r.installation import library
    from cvinfer.runner import run

    why = r_parts.why_not((ROOT / "specs" / "r.yaml").read_text(encoding="utf-8"))
    if why is not None:
        pytest.skip(why)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```r\n(.*?)```", text, flags=re.DOTALL)
    (command,) = re.findall(r"`cvinfer (splits specs/r.yaml -o splits.csv)`", text)
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    (tmp_path / ".r-library").symlink_to(library())
    for words in ([sys.executable, "-m", "cvinfer", *command.split()], ["Rscript", "-e", code]):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    data = {"source": "predictions", "path": str(tmp_path / "predictions.csv")}
    result = run({"cvinfer": 1, "name": "from-r", "data": data, "tests": "recommended"})
    assert not result.failed
    assert {(each["a"], each["b"]) for each in result.comparisons} == {("rpart", "bayes")}
    assert [each["primary"] for each in result.verdicts] == ["bcv_5x2_mcnemar"]


def test_the_test_set_of_the_readme_is_its_spec_and_its_result(tmp_path):
    """The worked example, with the sentence that it gives."""
    import yaml

    from cvinfer.report import render
    from cvinfer.runner import run

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## A test set and")[2].partition("\n## ")[0]
    shown, sentence = re.findall(r"```(?:yaml)?\n(.*?)```", section, flags=re.DOTALL)
    path = ROOT / "specs" / "test-set.yaml"
    assert yaml.safe_load(shown) == yaml.safe_load(path.read_text(encoding="utf-8"))
    result = run(path, write=True, output=tmp_path / "r" / "made")
    assert sentence in render(result.document, "text")
    assert not (tmp_path / "r" / "store.sqlite").exists()  # nothing is fitted


def test_what_the_page_recommends_is_what_the_rates_say():
    from cvinfer.inference.cautions import spread
    from cvinfer.inference.measured import measured_rates

    page = ROOT / "docs" / "decisions" / "recommended-on-a-partition.md"
    rows = re.findall(r"^\| ([^|]+) \| `(\w+)` \| ([^|,]+).*\| (.+) \|$", page.read_text(), re.M)
    assert len(rows) == 8
    for partition, name, level, power in rows:
        scheme = "random_mx2" if partition.startswith("random") else None
        assert spread(measured_rates(name, scheme=scheme).values()) == level.strip(), name
        assert spread(measured_rates(name, "difference", scheme=scheme).values()) == power, name


def test_the_recommended_tests_held_in_the_studies_that_are_kept() -> None:
    """In none of the papers' populations are they above alpha by more than four standard errors."""
    import json

    from cvinfer.spec.model import RECOMMENDED_TESTS

    kept = sorted((ROOT / "docs/reproduction/s1/table5").glob("*.json"))
    assert kept
    for path in kept:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        rates = {cell["name"]: cell for cell in cells if cell["kind"] == "test"}
        for name in RECOMMENDED_TESTS:
            alpha, count = rates[name]["alpha"], rates[name]["replications"]
            assert rates[name]["rate"] <= alpha + 4 * (alpha * (1 - alpha) / count) ** 0.5, path
