"""`cvinfer doctor`: what is there, what is missing, and the one command that adds it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional

import pytest
from tests import r_parts

from cvinfer.commands.doctor import examination, machine, packages, r_found, r_missing
from cvinfer.commands.doctor.learners import look_at_engine
from cvinfer.commands.doctor.lines import row
from cvinfer.engines import LearnerInfo, engine, engines
from cvinfer.engines._r.declared import written_packages
from cvinfer.engines._r.installation import WEKA_PACKAGES
from cvinfer.engines.base import KNOWS_CATEGORIES

Call = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[2]
#: Packages of R's own repository, which may be in the project's library only.
FROM_CRAN = ("RWeka", "tree", "kknn")
#: The R package of each ready-made learner.
R_PACKAGES = written_packages(ROOT / "r_bridge") or {}


def why_not_everything() -> Optional[str]:
    """Why learners of R or Weka are missing here; None if all are there."""
    wanted = {*R_PACKAGES.values(), *WEKA_PACKAGES}
    reasons = [r_parts.why_no_weka(), *map(r_parts.why_no_package, sorted(wanted))]
    return next(filter(None, reasons), None)


def rows(out: str, title: str, state: str = "") -> list[str]:
    """The lines of that title, and state if one is given, without the two."""
    start = f"{title:<13} " + (f"{state:<8} " if state else "")
    return [line[len(start) :] for line in out.splitlines() if line.startswith(start)]


def commands(out: str) -> list[str]:
    """The commands that add something of R; Python's own are told above."""
    told = [line[len("  To add: ") :] for line in out.splitlines() if line.startswith("  To add:")]
    return [each for each in told if "pip install" not in each and "python3-" not in each]


@pytest.fixture
def without_r(place: Path) -> dict[str, str]:
    """An environment in which no R is found; the folder with a shell keeps the rest."""
    empty = place / "empty"
    empty.mkdir()
    return {"PATH": str(empty), "R_HOME": "", "CVINFER_R_LIBRARY": str(empty)}


@pytest.fixture
def bridge_only(place: Path) -> dict[str, str]:
    """R with cvinfer's own package and the system's, but without the project's library."""
    if r_parts.why_no_r() is not None:
        pytest.skip(str(r_parts.why_no_r()))
    from cvinfer.engines._r.client import known

    library = place / "only"
    library.mkdir()
    for each in known("inventory")["libraries"]:
        if (Path(each) / "cvinfer").is_dir():
            (library / "cvinfer").symlink_to(Path(each) / "cvinfer")
            break
    nothing = {"R_LIBS": "", "R_LIBS_USER": str(place / "none")}
    return {"CVINFER_R_LIBRARY": str(library), **nothing}


@pytest.fixture
def spec_with(place: Path, small: Path) -> Callable[[str], Path]:
    """The small spec with another learner in it."""

    def written(learner: str) -> Path:
        path = place / "other.yaml"
        old = "{engine: builtin, learner: mean}"
        assert old in small.read_text()
        path.write_text(small.read_text().replace(old, learner))
        return path

    return written


# --- everything -----------------------------------------------------------------------------------


def test_doctor_finds_this_machine_fit_or_says_why_not(call: Call) -> None:
    code, out, _ = call("doctor")
    for word in ("Python", "numpy", "scikit-learn", "builtin", "LaTeX", "Cores", "Memory"):
        assert word in out
    assert rows(out, "Trial run", "ok")
    (verdict,) = rows(out, "Verdict")
    if why_not_everything() is None:
        assert code == 0 and verdict.startswith("every engine and every learner can run")
        for title in ("R", "rpy2", "R packages", "Java", "libjvm", "Weka", "JVM heap"):
            assert rows(out, title, "ok"), title
        assert rows(out, "Trial in R", "ok") == ["rpart fitted"]
        assert rows(out, "Trial in Weka", "ok") == ["J48 fitted"]
        assert commands(out) == []
    else:
        assert code == 2 and verdict.startswith("Python learners can run; ")
        assert rows(out, "Learner", "MISSING") or rows(out, "Weka", "MISSING")
        assert len(commands(out)) == 1
    assert list(Path.cwd().iterdir()) == []


def test_the_last_line_has_what_the_list_has(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is absent or little above is named below, and nothing that is there."""
    latex = row("LaTeX", "absent", "not here", lacks="LaTeX")
    monkeypatch.setattr(examination, "latex_line", lambda: latex)
    monkeypatch.setattr(machine, "free_memory", lambda: 0.1)
    monkeypatch.setattr(examination, "engine_trial", lambda name: row("Trial", "ok", name))
    _, out, _ = call("doctor")
    (verdict,) = rows(out, "Verdict")
    if why_not_everything() is not None:
        assert verdict.startswith("Python learners can run; ")
        return
    learners = [line.partition(":")[0] for line in rows(out, "Learner", "absent")]
    assert "ClassifierChain" in learners
    assert f"every learner can run but {' and '.join(learners)};" in verdict
    for name in ("LaTeX", "enough free memory"):
        assert name in verdict.partition("optional and not there: ")[2], name
    assert ("parquet" in verdict) == bool(rows(out, "Data", "absent"))


def test_optional_file_formats_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    optional = packages.Package("no_such_module", "nosuch", "", "punched cards", False)
    monkeypatch.setattr(packages, "PACKAGES", (optional,))
    lines = list(packages.package_lines())
    assert "absent   nosuch, for punched cards: not installed" in lines[0].text
    assert all(line.fine for line in lines)
    verdict = "every engine and every learner can run; optional and not there: punched cards."
    assert examination.verdict(True, True, 0) == verdict


def test_without_r_every_learner_of_it_is_named(
    process: Call, without_r: Mapping[str, str]
) -> None:
    code, out, _ = process("doctor", **without_r)
    assert code == 2
    assert rows(out, "R", "MISSING") == ["there is no R on the PATH"]
    told = " ".join(rows(out, "Learner", "MISSING"))
    for name in ("rpart", "tree", "glm", "multinom", "J48", "JRip", "SMO"):
        assert name in re.split("[ ,:]+", told)
    count = len(R_PACKAGES) + len(engine("rweka").learners())
    assert f"; {count} learners of R and Weka cannot" in rows(out, "Verdict")[0]
    # What else is absent from the list is absent from its last line too.
    learners = [line.partition(":")[0] for line in rows(out, "Learner", "absent")]
    assert learners and f"nor can {' and '.join(learners)}" in rows(out, "Verdict")[0]
    absent = rows(out, "Data", "absent")
    assert ("parquet" in rows(out, "Verdict")[0]) == any("parquet" in line for line in absent)
    assert rows(out, "Trial run", "ok") and not rows(out, "Trial in R")
    (command,) = commands(out)
    assert "tools/setup.sh --again" in command


def test_without_the_bridge_r_is_of_no_use(process: Call, bridge_only: Mapping[str, str]) -> None:
    (Path(bridge_only["CVINFER_R_LIBRARY"]) / "cvinfer").unlink()
    code, out, _ = process("doctor", **bridge_only)
    if "R bridge" not in out:
        pytest.skip("R has cvinfer's package in a library of the system")
    assert code == 2 and rows(out, "R", "ok") and rows(out, "R bridge", "MISSING")
    assert len(rows(out, "Engine", "MISSING")) == 2
    assert len(commands(out)) == 1


def test_learners_without_their_package_are_named(
    process: Call, bridge_only: Mapping[str, str]
) -> None:
    code, out, _ = process("doctor", **bridge_only)
    absent = ", ".join(rows(out, "R packages", "absent")).split(", ")
    missed = set(FROM_CRAN) & set(absent)
    if not missed:
        pytest.skip("the system's own libraries have all packages")
    assert code == 2
    for learner in missed - {"RWeka"}:
        assert f"{learner}: R package {learner} is not installed" in rows(out, "Learner", "MISSING")
    if "RWeka" in missed:
        assert rows(out, "Weka", "MISSING") and not rows(out, "Trial in Weka")
        assert any(line.startswith("rweka: ") for line in rows(out, "Engine", "MISSING"))
    assert len(commands(out)) == 1


# --- a spec ---------------------------------------------------------------------------------------


def test_doctor_judges_a_spec(call: Call, small: Path, finished: Path) -> None:
    store = finished.parent / "store.sqlite"
    code, out, _ = call("doctor", small, "--store", store)
    assert code == 0 and "the spec can run" in out and "20 fits" in out
    code, out, _ = call("doctor", small, "--set", "tests=[nothing]")
    assert code == 2 and "there is no test 'nothing'" in out and "cannot run" in out
    code, out, _ = call("doctor", small, "--store", small)
    assert code == 2 and "is no store of cvinfer" in out and "cannot run as it is" in out
    code, out, _ = call("doctor", small, "--output", "small.yaml/x")
    assert code == 2 and "is not a directory" in out


@pytest.mark.parametrize("overrides", [[], ["--set", "tests=[nothing]"]], ids=["right", "faulty"])
def test_a_spec_without_r_neither_needs_nor_starts_it(
    process: Call, small: Path, place: Path, overrides: list[str]
) -> None:
    tools = place / "tools"
    tools.mkdir()
    for name in ("R", "Rscript"):
        (tools / name).write_text(f"#!/bin/sh\necho started >> '{place}/started'\nexit 1\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    code, out, _ = process("doctor", small, *overrides, PATH=path, R_HOME="")
    assert code == (2 if overrides else 0)
    assert not rows(out, "R") and not rows(out, "Java") and commands(out) == []
    assert not (place / "started").exists()
    process("doctor", small, "--set", "learners.mean.engine=r", PATH=path, R_HOME="")
    assert (place / "started").exists(), "what would have been seen"


@pytest.mark.parametrize(
    "learner",
    ["{engine: r, learner: rpart}", "{engine: rweka, learner: J48}"],
    ids=["r", "rweka"],
)
def test_a_spec_with_r_needs_it(
    process: Call, without_r: Mapping[str, str], spec_with: Call, learner: str
) -> None:
    spec = spec_with(learner)
    code, out, _ = process("doctor", spec, **without_r)
    assert code == 2 and rows(out, "R", "MISSING")
    assert out.rstrip().endswith("the spec cannot run.")
    (command,) = commands(out)
    assert "tools/setup.sh --again" in command
    # The run itself refuses as plainly, before any fit.
    code, out, err = process("run", spec, **without_r)
    assert code == 2 and "tools/setup.sh --again" in err and "R is not installed" in err


def test_data_of_r_needs_it(process: Call, without_r: Mapping[str, str], small: Path) -> None:
    data = "data={source: r, package: mlbench, dataset: Glass, target: Type}"
    code, out, _ = process("doctor", small, "--set", data, **without_r)
    assert code == 2 and "R's data sets need R" in out
    assert rows(out, "R", "MISSING") and len(commands(out)) == 1


def test_a_spec_with_r_runs_where_it_is(call: Call, spec_with: Call) -> None:
    if r_parts.why_no_package("rpart") is not None:
        pytest.skip(str(r_parts.why_no_package("rpart")))
    code, out, _ = call("doctor", spec_with("{engine: r, learner: rpart}"))
    assert code == 0 and rows(out, "R", "ok") and rows(out, "Engine", "ok") == ["builtin", "r"]
    assert not rows(out, "Java"), "only Weka needs it"
    assert out.rstrip().endswith("the spec can run.")


def test_only_the_learners_of_the_spec_count(
    process: Call, bridge_only: Mapping[str, str], spec_with: Call
) -> None:
    if r_parts.why_no_package("rpart") is not None:
        pytest.skip(str(r_parts.why_no_package("rpart")))
    code, out, _ = process("doctor", spec_with("{engine: r, learner: rpart}"), **bridge_only)
    assert code == 0 and commands(out) == []
    if "tree" not in ", ".join(rows(out, "R packages", "absent")).split(", "):
        pytest.skip("the system's own libraries have the package tree")
    code, out, _ = process("doctor", spec_with("{engine: r, learner: tree}"), **bridge_only)
    assert code == 2
    assert rows(out, "Learner", "MISSING") == ["tree: R package tree is not installed"]
    assert len(commands(out)) == 1


def test_memory_of_the_spec_is_what_java_gets(call: Call, spec_with: Call) -> None:
    if r_parts.why_no_weka() is not None:
        pytest.skip(str(r_parts.why_no_weka()))
    spec = spec_with("{engine: rweka, learner: J48}")
    code, out, _ = call("doctor", spec, "--set", "limits={memory_mb: 345}")
    assert code == 0 and rows(out, "JVM heap", "ok")[0].startswith("at most 345 MB")


# --- what is said ---------------------------------------------------------------------------------


def test_doctor_says_how_to_add_what_is_missing(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = packages.Package("no_such_module", "nosuch", "python3-nosuch", "this test")
    monkeypatch.setattr(packages, "PACKAGES", (*packages.PACKAGES, missing))
    code, out, _ = call("doctor")
    assert code == 2
    assert "MISSING  nosuch, for this test: not installed" in out
    (line,) = [line for line in out.splitlines() if "To add" in line and "nosuch" in line]
    assert "pip install" in line or "apt-get install" in line
    assert "nothing can run" in out


def inventory(**absent: Any) -> dict[str, Any]:
    """As R would answer, were these packages absent."""
    names = {*R_PACKAGES.values(), *WEKA_PACKAGES, "mlbench"}
    return {"packages": {**dict.fromkeys(names, "1.0"), **absent}, "faults": {}}


WANTED = {*R_PACKAGES.values(), *WEKA_PACKAGES, "mlbench"}


def test_nothing_is_to_be_added_where_all_is_there() -> None:
    assert r_missing.adding_r(WANTED, True, inventory()) is None


def test_set_up_adds_everything_to_a_source_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = r_missing.adding_r(WANTED, True, inventory(tree=None))
    assert command is not None and command.split(" && ")[0] == "tools/setup.sh --again"
    # In another environment than set-up's own, that one has to be used afterwards.
    own = Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()
    assert (" && .venv/bin/cvinfer doctor" in command) is not own
    monkeypatch.chdir(ROOT / "docs")
    command = r_missing.adding_r(WANTED, True, inventory(tree=None))
    assert command is not None and command.startswith("../tools/setup.sh --again")


def test_elsewhere_the_steps_make_one_command(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """As for an installed wheel: the R package of cvinfer last, since it builds on the others."""
    sources, library = place / "its sources", place / "its library"
    monkeypatch.setenv("CVINFER_R_LIBRARY", str(library))
    monkeypatch.setattr(r_missing, "setup_script", lambda: None)
    monkeypatch.setattr(r_missing, "r_sources", lambda: sources)
    weka = {**inventory(RWeka=None, RWekajars=None, tree=None), "faults": {"Weka": "no jar"}}
    command = r_missing.adding_r(WANTED, True, weka)
    assert command is not None
    steps = command.split(" && ")
    assert shlex.split(steps[-1]) == ["R", "CMD", "INSTALL", "--clean", f"--library={library}"] + [
        str(sources)
    ]
    *_, program, flag, code = shlex.split(steps[-2])
    assert (program, flag) == ("Rscript", "-e")
    assert code.endswith(f'install.packages(c("RWeka", "tree"), lib = "{library}")')
    assert shlex.split(steps[-3]) == ["mkdir", "-p", str(library)]
    done = subprocess.run(["bash", "-n", "-c", command], capture_output=True)
    assert done.returncode == 0, "a shell can read it"
    # RWeka brings RWekajars, but not where RWeka is there already.
    command = r_missing.adding_r(WANTED, True, inventory(RWekajars=None))
    assert command is not None and '"RWekajars"' in command and '"RWeka"' not in command
    # The learner tree alone needs neither Weka nor cvinfer's own package again.
    command = r_missing.adding_r({"tree"}, False, inventory(tree=None, RWeka=None))
    assert command is not None and "tree" in command
    assert "RWeka" not in command and "R CMD INSTALL" not in command


@pytest.mark.parametrize(
    "rpy2, r, too_new",
    [
        ("3.5.17", "4.2.2", False),
        ("3.6.0", "4.2.2", True),
        ("3.6.4", "4.4.3", True),
        ("3.6.4", "4.5.0", False),
        ("3.10.1", "4.4.0", True),
        ("3.6.4", "4.10.1", False),
        ("3.6.4", None, False),
    ],
)
def test_rpy2_must_fit_r(rpy2: str, r: Optional[str], too_new: bool) -> None:
    assert r_found.too_new(rpy2, r) is too_new


def test_little_memory_is_told_with_what_to_do() -> None:
    if machine.free_memory() is None:
        pytest.skip("psutil is not installed")
    line = r_found.heap_line(10**9)
    assert line.fine and "little" in line.text and "--jobs 1" in line.text
    assert "little" not in r_found.heap_line(1).text


def test_the_packages_of_learners_are_those_that_r_names() -> None:
    if r_parts.why_no_r() is not None:
        pytest.skip(str(r_parts.why_no_r()))
    from cvinfer.engines._r.client import known

    found = {name: each["package"] for name, each in known("learners").items()}
    assert found == R_PACKAGES


def test_where_nothing_knows_the_learners_of_r_that_is_said(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither R nor the sources of its package: no list, no count, and no crash."""
    from cvinfer.engines._r import declared

    monkeypatch.setattr(declared, "r_sources", lambda: None)
    monkeypatch.setenv("PATH", str(Path.cwd()))
    monkeypatch.setenv("R_HOME", "")
    from cvinfer.engines._r.client import known

    known.cache_clear()
    try:
        code, out, _ = call("doctor")
    finally:
        known.cache_clear()
    (line, weka) = rows(out, "Learner", "MISSING")
    assert code == 2 and line.startswith("all of the engine r; R cannot be asked")
    assert "rpart" not in line and "J48" in weka
    assert rows(out, "Verdict")[0].startswith(
        "Python learners can run; learners of R or Weka cannot"
    )


# --- engines of others ----------------------------------------------------------------------------


class Abacus:
    """As a plug-in would bring it."""

    name = "abacus"
    takes_missing, takes_flags, encodes = False, False, KNOWS_CATEGORIES
    trial: Optional[str] = "beads"
    in_r = None
    why: Optional[str] = None

    def reason(self) -> Optional[str]:
        return self.why

    def learners(self) -> list[LearnerInfo]:
        return [LearnerInfo("beads", "counts beads", self.why is None, self.why)]


@pytest.fixture
def abacus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Abacus]:
    """The engine among the others, and trials that only say what they would fit."""
    found: Any = Abacus()
    engines()
    engines.add(found.name, found, __name__)
    monkeypatch.setattr(
        examination, "engine_trial", lambda name: row(f"Trial of {name}", "ok", engine(name).trial)
    )
    yield found
    engines._forget(found.name)


def test_an_engine_of_a_plug_in_is_looked_at_and_tried(call: Call, abacus: Abacus) -> None:
    _, out, _ = call("doctor")
    assert "abacus, 1 learners" in rows(out, "Engine", "ok")
    assert "Trial of abacus ok       beads" in out


def test_an_engine_of_a_plug_in_that_cannot_run_is_named(call: Call, abacus: Abacus) -> None:
    abacus.why = "a bead is missing"
    code, out, _ = call("doctor")
    assert code == 2 and "abacus: a bead is missing" in rows(out, "Engine", "MISSING")
    assert "beads: need the engine abacus" in rows(out, "Learner", "MISSING")
    assert "Trial of abacus" not in out
    (verdict,) = rows(out, "Verdict")
    if why_not_everything() is None:
        assert verdict.startswith("Python learners can run; 1 learners of abacus cannot")
    else:
        assert re.search(r"learners of R (and|or) Weka (and|or) abacus cannot", verdict)


def test_engines_say_what_they_need_of_r() -> None:
    needs = {name: each.in_r for name, each in engines().items()}
    assert {name for name, each in needs.items() if each is not None} >= {"r", "rweka"}
    r, weka = needs["r"], needs["rweka"]
    assert r is not None and weka is not None and weka.java and not r.java
    assert set(r.packages("svm", {})) == {"e1071"}
    assert (
        set(r.packages("C50::C5.0", {})) == set(r.packages("None", {"package": "C50"})) == {"C50"}
    )
    assert set(r.packages("nothing", {})) == set()
    assert set(weka.packages("weka.classifiers.bayes.BayesNet", {})) == set(WEKA_PACKAGES)
    offered = engine("rweka").learners()
    assert set(weka.declared() or ()) == {each.name for each in offered}
    for each in engines().values():
        assert each.trial is None or each.trial in {info.name for info in each.learners()}


def test_a_learner_of_the_spec_is_missing_with_its_engine(abacus: Abacus) -> None:
    abacus.why = "a bead is missing"
    seen = look_at_engine("abacus", ["beads"])
    assert not seen.usable and seen.lost == ["beads"]
