"""The R packages of learners are declared in learners.R; whatever else speaks of them agrees."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cvinfer.commands.doctor.r_missing import NOT_IN_DEBIAN, WITH_R, debian_package
from cvinfer.engines._r import declared
from cvinfer.engines._r.installation import DATA_PACKAGES, WEKA_PACKAGES, NoR, r_sources

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "r_bridge"
NEW = """
learner("C5.0", "C50", "Decision tree",
  takes = "C5.0.default"
)
learner(
  'apart', "another.one", "A call that is laid out in another way"
)
"""


def test_the_sources_have_every_learner_with_its_package() -> None:
    found = declared.written_packages(SOURCES)
    assert found is not None and r_sources() == SOURCES
    calls = re.findall(r"^learner\(", (SOURCES / "R" / "learners.R").read_text(), re.MULTILINE)
    assert len(found) == len(calls) and found["svm"] == "e1071"


def test_a_new_learner_is_known_by_its_call_alone(tmp_path: Path) -> None:
    shutil.copytree(SOURCES / "R", tmp_path / "R")
    with open(tmp_path / "R" / "learners.R", "a") as stream:
        stream.write(NEW)
    found = declared.written_packages(tmp_path)
    assert found is not None and (found["C5.0"], found["apart"]) == ("C50", "another.one")


def test_without_sources_there_is_no_list(tmp_path: Path) -> None:
    assert declared.written_packages(None) is None
    assert declared.written_packages(tmp_path) is None


def test_r_has_the_last_word_and_the_sources_speak_where_it_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cvinfer.engines._r import client

    monkeypatch.setattr(client, "known", lambda question: {"x": {"package": "y"}})
    assert declared.learner_packages() == {"x": "y"}

    def silent(question: str) -> None:
        raise NoR("no R")

    monkeypatch.setattr(client, "known", silent)
    assert declared.learner_packages() == declared.written_packages(SOURCES)


def test_the_description_of_the_r_package_suggests_them_all() -> None:
    text = (SOURCES / "DESCRIPTION").read_text()
    fields = dict(re.findall(r"^(\w+): ((?:.|\n[ ])*)", text, re.MULTILINE))
    named = {
        key: set(re.findall(r"[\w.]+(?=,|$| \()", fields[key])) for key in ("Imports", "Suggests")
    }
    wanted = set((declared.written_packages(SOURCES) or {}).values())
    others = {*WEKA_PACKAGES, *DATA_PACKAGES, "testthat", "generics", "rsample", "mlr3"}
    others |= {"knitr", "markdown"}
    assert named["Suggests"] == (wanted - WITH_R) | others
    assert WITH_R <= named["Imports"]


def needs_of_set_up(place: Path) -> dict[str, list[str]]:
    """The lines of R_NEEDS in tools/setup.sh, which stops before it looks at anything."""
    (place / "tools").mkdir()
    script = (ROOT / "tools" / "setup.sh").read_text().partition("# ---- looking")[0]
    (place / "tools" / "setup.sh").write_text(script + "printf '%s\\n' \"${R_NEEDS[@]}\"\n")
    said = subprocess.run(
        ["bash", str(place / "tools" / "setup.sh")], capture_output=True, text=True, check=True
    )
    assert said.stderr == ""
    return {line.split("|")[2]: line.split("|") for line in said.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_set_up_takes_them_from_there(tmp_path: Path) -> None:
    shutil.copytree(SOURCES / "R", tmp_path / "r_bridge" / "R")
    with open(tmp_path / "r_bridge" / "R" / "learners.R", "a") as stream:
        stream.write(NEW.partition("\nlearner(\n")[0])
    needs = needs_of_set_up(tmp_path)
    wanted = set((declared.written_packages(SOURCES) or {}).values()) - WITH_R
    assert set(needs) == wanted | {
        "C50",
        "rJava",
        "RWeka",
        "mlbench",
        "testthat",
        "knitr",
        "markdown",
    }
    assert needs["C50"][3:] == ["r-cran-c50", "engine r lacks the learner C5.0"]
    assert needs["e1071"][4] == "engine r lacks the learners svm and naiveBayes"
    # What Debian has is told alike by set-up and by `cvinfer doctor`.
    assert {name: each[3] for name, each in needs.items()} == {
        name: debian_package(name) or "" for name in needs
    }
    assert {"tree", "kknn", "RWeka"} <= set(NOT_IN_DEBIAN)
