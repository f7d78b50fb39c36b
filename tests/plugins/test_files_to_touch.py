"""How many files a new thing takes in the tree: put into a copy, it is found complete."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.plugins.plugin_places import EXAMPLE, ROOT

from cvinfer.commands.doctor.r_missing import NOT_IN_DEBIAN
from cvinfer.engines._r import declared

LOSS = '''"""Loss by how far the class codes are apart."""

import numpy as np

from cvinfer.losses.registry import Loss, losses


def apart(truth, predicted):
    return np.abs(np.asarray(predicted, dtype=np.float64) - truth)


losses.add("apart", Loss("apart", apart, "apart is how many classes lie between"), __name__)
'''
TEST_OF_LOSS = '''"""Loss by how far the class codes are apart."""

import cvinfer
import pytest
from cvinfer.errors import CvinferError

SPEC = {
    "cvinfer": 1,
    "data": {"source": "sklearn", "dataset": "wine"},
    "learners": {
        "A": {"engine": "builtin", "learner": "majority"},
        "B": {"engine": "sklearn", "learner": "GaussianNB"},
    },
    "partition": {"scheme": "kfold", "k": 5},
    "loss": "apart",
    "tests": ["corrected_kfold_t"],
    "intervals": [],
    "seed": 1,
}


def test_apart(tmp_path):
    document = cvinfer.run(SPEC, jobs=1, store=tmp_path / "store.sqlite").document
    (comparison,) = document["comparisons"]
    # The middle class is the largest and is always said: its neighbours are one apart.
    assert comparison["inference"]["extra"]["loss_a"] == pytest.approx(107 / 178, abs=0.02)
    assert "mean loss" in document["verdicts"][0]["sentence"]


def test_what_counts_errors_is_refused(tmp_path):
    with pytest.raises(CvinferError, match="counts wrong predictions"):
        cvinfer.run({**SPEC, "tests": ["naive_kfold_mcnemar"]}, store=tmp_path / "store.sqlite")
'''
FORMAT = '''"""org: the sentences as a list."""

from cvinfer.report.formats import output_format


@output_format("org", of={"result": "result.org"})
def org(document):
    """The sentences of a document as a list."""
    return "".join(f"- {verdict['sentence']}\\n" for verdict in document["verdicts"])
'''
TEST_OF_FORMAT = '''"""org: the sentences as a list."""

from cvinfer.report import render


def test_org():
    document = {"comparisons": [], "verdicts": [{"sentence": "A is better."}]}
    assert render(document, "org") == "- A is better.\\n"
'''


class Change(NamedTuple):
    """New files with their texts; `listed` is the list of `cvinfer list` that then has `name`."""

    name: str
    listed: str
    files: dict[str, str]


def example(path: str) -> str:
    return (EXAMPLE / path).read_text(encoding="utf-8")


CHANGES = {
    "scheme": Change(
        "interleaved",
        "schemes",
        {
            "cvinfer/partitions/schemes/interleaved.py": example("cvinfer_example/scheme.py"),
            "tests/partitions/test_interleaved.py": example("tests/test_interleaved.py"),
        },
    ),
    "source": Change(
        "chequers",
        "data",
        {
            "cvinfer/data/sources/chequers.py": example("cvinfer_example/source.py"),
            "tests/data/test_chequers.py": example("tests/test_chequers.py"),
        },
    ),
    "loss": Change(
        "apart",
        "losses",
        {"cvinfer/losses/apart.py": LOSS, "tests/losses/test_apart.py": TEST_OF_LOSS},
    ),
    "format": Change(
        "org",
        "formats",
        {"cvinfer/report/formats/org.py": FORMAT, "tests/report/test_org.py": TEST_OF_FORMAT},
    ),
}


def python(place: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    given = {**os.environ, "PYTHONPATH": str(place)}  # the copy is compiled once, for all of them
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=given, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all changes made."""
    copy = tmp_path_factory.mktemp("changed")
    for folder in ("cvinfer", "tests/contract", "schemas", "docs"):
        nothing = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, copy / folder, ignore=nothing, symlinks=True)
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(ROOT / file, copy / file)
    for change in CHANGES.values():
        for path, text in change.files.items():
            assert not (copy / path).exists()
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text(text, encoding="utf-8")
    return copy


@pytest.mark.parametrize("kind", CHANGES)
def test_two_files_are_a_complete_change(copied: Path, kind: str) -> None:
    change = CHANGES[kind]
    declaring, testing = change.files
    assert declaring.startswith("cvinfer/") and testing.startswith("tests/")
    listed = python(copied, "-m", "cvinfer", "list", change.listed)
    assert re.search(f"^{change.name}$", listed.stdout, re.MULTILINE), listed.stderr
    contracts = ("tests/contract/test_schemes.py",) if kind == "scheme" else ()
    quick = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    found = python(copied, *quick, "-k", change.name, testing, *contracts)
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-1000:]


def test_the_schema_follows_by_make_docs(copied: Path) -> None:
    script = str(copied / "docs/generate_schema.py")
    assert python(copied, script, "--check").returncode == 1
    assert python(copied, script).returncode == 0
    written = (copied / "schemas/spec.schema.json").read_text(encoding="utf-8")
    names = [change.name for kind, change in CHANGES.items() if kind != "format"]
    assert all(f'"{name}"' in written for name in names)


def test_the_plug_in_has_as_many() -> None:
    """A test takes three, with its source; whatever else it adds takes two."""
    about = {"README.md", "pyproject.toml", "spec.yaml"}
    texts = {
        path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8")
        for path in EXAMPLE.rglob("*")
        if path.suffix in (".py", ".bib") and path.name not in about
    }
    bibliography = {path for path in texts if path.endswith(".bib")}

    def files(declaring: str, name: str) -> set[str]:
        own = f"tests/test_{name}.py"
        assert declaring in texts and own in texts
        return {declaring, own}

    def cites(path: str) -> bool:
        return any(key in texts[path] for key in re.findall(r"@\w+\{(\w+),", texts[bib]))

    (bib,) = bibliography
    by_thing = {
        "test": files("cvinfer_example/test.py", "interleaved_t"),
        "scheme": files("cvinfer_example/scheme.py", "interleaved"),
        "source": files("cvinfer_example/source.py", "chequers"),
        "learner": files("cvinfer_example/learner.py", "last_seen"),
    }
    for thing, own in by_thing.items():
        own |= {bib} if any(map(cites, own)) else set()
    assert {thing: len(own) for thing, own in by_thing.items()} == {
        **{"test": 3, "scheme": 2, "source": 2, "learner": 2}
    }
    # Nothing else speaks of them: what is left imports whatever is there.
    (left,) = set(texts) - set().union(*by_thing.values())
    assert left == "cvinfer_example/__init__.py"
    assert not any(name in texts[left] for name in ("scheme", "source", "learner", "interleaved"))


def test_an_r_learner_is_its_call_and_its_proof() -> None:
    """No other file of the package, of set-up or of R's side names one that is ready-made."""
    known = declared.written_packages(ROOT / "r_bridge")
    assert known is not None and len(known) > 10
    files = [
        path
        for folder, ending in (("cvinfer", "*.py"), ("r_bridge/R", "*.R"), ("tools", "*.sh"))
        for path in (ROOT / folder).rglob(ending)
        if path.name != "learners.R"
    ]
    named = {
        (name, path.relative_to(ROOT).as_posix())
        for path in files
        for name in re.findall(r"""["']([\w.]+)["']""", path.read_text(encoding="utf-8"))
        if name in known
    }
    # The engine says which one the doctor tries, and the doctor what Debian has no package for.
    debian = "cvinfer/commands/doctor/r_missing.py"
    tried = ("rpart", "cvinfer/engines/r.py")
    assert named <= {tried, *((package, debian) for package in NOT_IN_DEBIAN)}
    proof = (ROOT / "tests/engines/r/test_identity_r.py").read_text(encoding="utf-8")
    assert all(f'"{name}"' in proof for name in known)
