"""The example plug-in: installed in a temporary place, every command knows what it adds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.plugin_places import EXAMPLE, MISSING, ROOT, installed, run

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"nothing can be installed without {', '.join(MISSING)}"
)

NAME = "cvinfer-example"
BROUGHT = {
    "tests": "interleaved_t",
    "schemes": "interleaved",
    "data": "chequers",
    "learners": "last_seen",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(EXAMPLE, tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def place(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where its spec was run."""
    made = tmp_path_factory.mktemp("work")
    shutil.copy(EXAMPLE / "spec.yaml", made)
    done = run(site, made, "-m", "cvinfer", "run", "spec.yaml", "--quiet", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "last" in done.stdout and "interleaved 5-fold" in done.stdout
    return made


def listed(site: Path, place: Path, what: str) -> dict[str, Any]:
    done = run(site, place, "-m", "cvinfer", "list", what, "--json")
    assert done.returncode == 0, done.stderr
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


@pytest.mark.parametrize("what", BROUGHT)
def test_list(site: Path, tmp_path: Path, what: str) -> None:
    found = listed(site, tmp_path, what)
    brought = [name for name, entry in found.items() if entry["distribution"] == NAME]
    assert brought == [BROUGHT[what]] and len(found) > 3
    text = run(site, tmp_path, "-m", "cvinfer", "list", what).stdout
    assert f"(from {NAME})" in next(
        line for line in text.splitlines() if line.split()[0] == BROUGHT[what]
    )


def test_validate_and_plan(site: Path, place: Path) -> None:
    done = run(site, place, "-m", "cvinfer", "validate", "spec.yaml")
    assert (done.returncode, done.stdout) == (0, "spec.yaml: ok\n")
    done = run(site, place, "-m", "cvinfer", "plan", "spec.yaml")
    assert done.returncode == 0 and "chequers, 200 records" in done.stdout
    assert "interleaved_t" in done.stdout and "10 of them stored already" in done.stdout


def test_validate_says_what_was_meant(site: Path, place: Path, tmp_path: Path) -> None:
    text = (place / "spec.yaml").read_text()
    for name in BROUGHT.values():
        text = text.replace(name, name[:-1] + "x")
    (tmp_path / "spec.yaml").write_text(text)
    done = run(site, tmp_path, "-m", "cvinfer", "validate", "spec.yaml")
    assert done.returncode == 2
    meant = ("chequers", "interleaved", "last_seen", "interleaved_t")
    assert all(f"did you mean '{name}'?" in done.stdout for name in meant), done.stdout


def test_run(place: Path) -> None:
    document = json.loads((place / "results/example-plugin/result.json").read_text())
    (comparison,) = document["comparisons"]
    assert comparison["test"] == "interleaved_t" and comparison["inference"]["p_value"] < 1e-3
    (partition,) = document["partitions"]
    assert partition["label"] == "interleaved 5-fold"
    written = (place / "results/example-plugin/references.bib").read_text()
    assert "@article{student1908," in written and "@article{dietterich1998," in written


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_table(site: Path, place: Path, form: str) -> None:
    result = "results/example-plugin/result.json"
    done = run(site, place, "-m", "cvinfer", "table", result, "--format", form)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("chequers", "last", "interleaved"))
    # What was made is shown where the plug-in is not there any more, too.
    assert run(None, place, "-m", "cvinfer", "table", result, "--format", form).returncode == 0


def test_docs(site: Path, tmp_path: Path) -> None:
    page = str(ROOT / "docs/generate_tests_md.py")
    told = run(site, tmp_path, page, "--plugins").stdout
    assert all(f"### {name}\n" in told for name in BROUGHT.values())
    # Pages that are written hang on nothing that happens to be installed.
    for script in (page, str(ROOT / "docs/generate_schema.py")):
        done = run(site, tmp_path, script, "--check")
        assert (done.returncode, done.stderr) == (0, "")


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE / "tests", tmp_path / "tests")
    done = run(site, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout


def test_one_that_cannot_be_imported_is_listed_and_breaks_nothing(
    site: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "site"
    shutil.copytree(site, broken)
    with open(broken / "cvinfer_example/learner.py", "a") as stream:
        stream.write("\nimport no_such_package\n")
    for what in ("tests", "plugins"):
        entry = listed(broken, tmp_path, what)["cvinfer_example"]
        assert (entry["available"], entry["distribution"]) == (False, NAME)
        assert "No module named 'no_such_package'" in entry["reason"]
    assert not {"interleaved_t"} & set(listed(broken, tmp_path, "tests"))
    done = run(broken, tmp_path, "-m", "cvinfer", "list", "schemes")
    assert "Not available: ModuleNotFoundError" in done.stdout and "kfold" in done.stdout
    spec = str(ROOT / "specs/test-set.yaml")
    assert run(broken, tmp_path, "-m", "cvinfer", "run", spec, "--quiet").returncode == 0
