"""`cvinfer verify` and `cvinfer run` on a result.json: a result is run again from itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

Call = Callable[..., Any]

#: Learners in no sorted order, a default that is written down, data beside the spec.
SPEC = """\
cvinfer: 1
name: mine
data: {source: csv, path: data/points.csv, target: class}
learners:
  zero: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
  Bayes: {engine: sklearn, learner: GaussianNB}
compare: {each: [zero, Bayes], against: [mean]}
tests: [bcv_5x2_mcnemar, {corrected_kfold_t: {rho: 0.7}}]
intervals: [{f1_beta_prime: {prior: 1}}, error_kfold_t]
seed: 3
"""
FILES = ("result.json", "result.tex", "result.md", "predictions.csv.gz")


def points(shift: float = 0.0) -> str:
    rows = [f"{(7 * i) % 11 + (i % 2) + shift},{i % 5},{'ab'[i % 2]}" for i in range(60)]
    return "\n".join(["u,v,class", *rows]) + "\n"


@pytest.fixture(scope="session")
def project_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import cvinfer

    root = tmp_path_factory.mktemp("project")
    (root / "specs" / "data").mkdir(parents=True)
    (root / "specs" / "mine.yaml").write_text(SPEC)
    (root / "specs" / "data" / "points.csv").write_text(points())
    made = root / "results" / "mine"
    cvinfer.run(root / "specs" / "mine.yaml", output=made, write=True, jobs=1)
    return root


@pytest.fixture
def project(project_once: Path, place: Path) -> Path:
    """A project with a finished run, in a directory beside the working directory."""
    shutil.copytree(project_once, place / "project")
    (place / "here").mkdir()
    return place / "project"


def changed(result: Path, *path: Any, to: Any) -> Any:
    """Change one value of a result; the value before."""
    document = json.loads(result.read_bytes())
    part = document
    for step in path[:-1]:
        part = part[step]
    before, part[path[-1]] = part[path[-1]], to
    result.write_text(json.dumps(document))
    return before


def listing(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_result_comes_out_of_itself(call: Call, project: Path) -> None:
    """From anywhere, without the store, in the learners' order, and nothing is written."""
    before = listing(project)
    code, out, err = call("verify", project / "results/mine/result.json", "--jobs", 1)
    assert (code, out.split(":")[0]) == (0, "SAME")
    # 10 and 10 fits of each of three learners, all made anew.
    assert "60 fits wanted, 0 of them already stored" in err
    assert listing(project) == before
    assert {each.name for each in Path().iterdir()} == {"project", "here"}
    stored = project / "results/store.sqlite"
    code, out, err = call("verify", project / "results/mine", "--store", stored, "--quiet")
    assert (code, err) == (0, "") and out.startswith("SAME")


def test_a_result_is_run_as_its_spec(call: Call, project: Path) -> None:
    result = project / "results/mine/result.json"
    code, out, _ = call("run", result, "--output", "again/mine", "--jobs", 1, "--quiet")
    assert code == 0 and out.splitlines()[-1].startswith("SAME: ")
    for name in FILES:
        assert Path("again/mine", name).read_bytes() == (result.parent / name).read_bytes(), name
    text = Path("again/mine/result.md").read_text()
    assert "rho" not in text and "prior" not in text, "defaults are no settings"
    document = json.loads(result.read_bytes())
    assert [each["name"] for each in document["learners"]] == ["zero", "mean", "Bayes"]
    # From the copy as well: its run.json knows the way to the data.
    code, out, _ = call("verify", "again/mine/result.json", "--store", "again/store.sqlite")
    assert code == 0 and out.startswith("SAME")
    # Changed by --set it is another comparison, which is compared with nothing.
    code, out, _ = call("run", result, "--set", "alpha=0.2", "--output", "again/other", "--quiet")
    assert code == 0 and "SAME" not in out and "DIFFERENT" not in out
    shown = call("show", result)
    assert shown.code == 0
    Path("project/specs/shown.yaml").write_text(shown.out)
    code, out, _ = call("run", "project/specs/shown.yaml", "--output", "again/shown", "--quiet")
    assert Path("again/shown/result.json").read_bytes() == result.read_bytes()


def test_other_data_is_told_first(call: Call, project: Path) -> None:
    data, result = project / "specs/data/points.csv", project / "results/mine/result.json"
    expected = json.loads(result.read_bytes())["data"][0]["sha256"]
    data.write_text(points(shift=0.5))
    for words in (["verify", result], ["run", result, "--output", "again/mine"]):
        code, out, err = call(*words)
        assert code == 4 and "SAME" not in out
        assert f"points (data/points.csv): expected sha256 {expected}, found " in err
        assert "fits wanted" not in err and not Path("again").exists()
    assert "the data is not that of" in err and "result.json" in err


def test_the_first_difference_is_told(call: Call, project: Path) -> None:
    result = project / "results/mine/result.json"
    before = changed(result, "comparisons", 1, "inference", "p_value", to=0.25)
    changed(result, "verdicts", 0, "agree", to=7)
    code, out, _ = call("verify", result, "--store", project / "results/store.sqlite", "--quiet")
    assert code == 4
    assert out.splitlines()[0].startswith("DIFFERENT: ")
    assert "the first of 2 differences" in out
    assert f"comparisons[1].inference.p_value: 0.25 there, {before!r} now" in out
    code, out, _ = call("run", result, "--output", "again/mine", "--quiet")
    assert code == 4 and "comparisons[1].inference.p_value" in out


def test_versions_are_told_but_do_not_decide(call: Call, project: Path) -> None:
    result = project / "results/mine/result.json"
    before = changed(result, "manifest", "versions", "numpy", to="0.9")
    words = ["--store", project / "results/store.sqlite", "--quiet"]
    code, out, _ = call("verify", result, *words)
    assert code == 0 and f'numpy: "0.9" there, "{before}" now' in out
    assert out.splitlines()[-1].startswith("SAME: ") and "by other versions" in out


def test_the_data_is_found_or_asked_for(call: Call, project: Path) -> None:
    """Where it was when the result was made, beside the result, here, or where --base says."""
    store = ["--store", project / "results/store.sqlite", "--quiet"]
    shutil.copy(project / "results/mine/result.json", "here")
    code, out, err = call("verify", "here/result.json", *store)
    assert (code, out) == (2, "")
    assert "here/result.json: spec.data[0].path: 'data/points.csv' is not in here, .;" in err
    assert "--base DIR" in err
    found = call("verify", "here/result.json", *store, "--base", project / "specs")
    assert found.code == 0 and found.out.startswith("SAME")
    shutil.copytree(project / "specs/data", "here/data")
    assert call("verify", "here/result.json", *store).out.startswith("SAME")
    shutil.move("here/data", "data")
    assert call("verify", "here/result.json", *store).out.startswith("SAME")
    wrong = call("verify", "here/result.json", *store, "--base", "nowhere")
    assert wrong.code == 2 and "there is no file 'data/points.csv'" in wrong.err


def test_results_on_predictions_come_out_too(call: Call, project: Path) -> None:
    result = project / "results/mine/result.json"
    code, _, _ = call("test", result, "--tests", "kfold_t", "-o", "more")
    assert code == 0
    code, out, err = call("verify", "more/result.json")
    assert code == 0 and out.startswith("SAME"), err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"cvinfer: 1\n", "it is not JSON"),
        (b'{"cvinfer": 1, "spec": {}, "learners": [], "manifest": {}}', "is a required property"),
    ],
)
def test_only_results_are_verified(call: Call, content: bytes | None, said: str) -> None:
    if content is not None:
        Path("r.json").write_bytes(content)
    code, out, err = call("verify", "r.json")
    assert (code, out) == (2, "") and said in err


def test_a_result_on_standard_input_is_verified_with_it(command: list[str], project: Path) -> None:
    def given(rows: str, *words: object) -> Any:
        call = [*command, *map(str, words), "--quiet"]
        text = f"x,class\n{rows}"
        return subprocess.run(call, input=text, capture_output=True, text=True, timeout=60)

    spec = project / "piped.yaml"
    spec.write_text(
        "cvinfer: 1\ndata: {source: csv, path: '-', target: class}\nlearners:\n"
        "  majority: {engine: builtin, learner: majority}\n"
        "  mean: {engine: builtin, learner: mean}\ntests: [kfold_t]\n"
    )
    rows = "".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(40))
    made = given(rows, "run", spec, "--output", "piped")
    assert made.returncode == 0, made.stderr
    again = given(rows, "verify", "piped/result.json")
    assert again.returncode == 0 and "SAME" in again.stdout, again.stderr
    other = given(f"9,a\n{rows}", "verify", "piped/result.json")
    assert other.returncode == 4 and "(-): expected sha256" in other.stderr
