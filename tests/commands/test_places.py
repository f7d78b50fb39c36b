"""Where results, finished fits and predictions go, and that they are found again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest

from cvinfer.places import file_names, predictions_files

Call = Callable[..., Any]

SPEC = """\
cvinfer: 1
name: mine
data: {source: synthetic, population: two_gaussians, n: 60}
learners:
  majority: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
tests: [blocked_3x2_t]
"""
FITS = 12


@pytest.fixture
def spec(place: Path) -> Path:
    path = place / "project" / "specs" / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SPEC)
    return path


def stores(place: Path) -> list[str]:
    return sorted(str(each.relative_to(place)) for each in place.rglob("store.sqlite"))


def test_a_run_from_elsewhere_finds_the_store(
    call: Call, spec: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results go where the run was started; fits that are finished are not made again."""
    project = spec.parents[1]
    monkeypatch.chdir(project)
    code, out, err = call("run", "specs/mine.yaml", "--jobs", 1)
    assert code == 0 and (project / "results/mine/result.json").is_file()
    assert f"0 reused from the store, {FITS} made now. The store is results/store.sqlite." in out
    assert "the store is results/store.sqlite" in err
    for elsewhere in (project / "specs", place / "far", project):
        elsewhere.mkdir(exist_ok=True)
        monkeypatch.chdir(elsewhere)
        code, out, err = call("run", spec, "--jobs", 1)
        assert code == 0 and (elsewhere / "results/mine/result.json").is_file()
        assert f"{FITS} reused from the store, 0 made now. The store is " in out
        assert f"{FITS} of them already stored" in err
        planned = json.loads(call("plan", spec, "--json").out)
        assert planned["fits"]["stored"] == FITS
        assert call("doctor", spec).out.count(f"store.sqlite, {FITS} fits") == 1
    assert stores(place) == ["project/results/store.sqlite"]


def test_a_store_beside_the_spec_is_told_and_only_ones_own_is_taken(
    call: Call, spec: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies beside a spec may have come with it: a run says that it believes it."""
    from cvinfer import places

    project, far = spec.parents[1], place / "far"
    far.mkdir()
    monkeypatch.chdir(project)
    out, err = call("run", "specs/mine.yaml", "--jobs", 1)[1:]
    assert "believed" not in out + err
    monkeypatch.chdir(far)
    _, out, err = call("run", spec, "--jobs", 1)
    told = "found beside the spec: its fits are believed"
    assert told in " ".join(err.split()) and told in " ".join(out.split())
    # The same file, were it another user's.
    monkeypatch.setattr(places, "_user", lambda: 54321)
    code, out, err = call("run", spec, "--jobs", 1)
    assert code == 0 and "The store is results/store.sqlite" in out and "believed" not in out + err
    assert f"0 reused from the store, {FITS} made now" in out
    store = project / "results" / "store.sqlite"
    assert f"{store} belongs to another user and is left alone" in " ".join(err.split())
    _, out, err = call("run", spec, "--jobs", 1, "--store", store)
    assert f"{FITS} reused" in out and "another user" not in err


def test_a_named_place_is_meant(
    call: Call, spec: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--output takes the store beside it, --store the one named, and no other."""
    monkeypatch.chdir(spec.parents[1])
    call("run", "specs/mine.yaml", "--jobs", 1, "--quiet")
    out = call("run", spec, "--jobs", 1, "--output", "other/mine", "--quiet").out
    assert f"0 reused from the store, {FITS} made now. The store is other/store.sqlite." in out
    out = call("run", spec, "--jobs", 1, "--store", "kept.db", "--quiet").out
    assert f"0 reused from the store, {FITS} made now. The store is kept.db." in out


def test_the_working_directory_comes_first(
    call: Call, spec: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store here is used, and where none is anywhere it is made here; nothing is looked for
    above the directory of the spec's directory."""
    (place / "results").mkdir()
    (place / "far").mkdir()
    (place / "results" / "store.sqlite").write_bytes(b"not a store")
    monkeypatch.chdir(place / "far")
    assert "The store is results/store.sqlite." in call("run", spec, "--jobs", 1, "--quiet").out
    monkeypatch.chdir(spec.parents[1])
    assert "The store is results/store.sqlite." in call("run", spec, "--jobs", 1, "--quiet").out
    monkeypatch.chdir(place / "far")
    assert "The store is results/store.sqlite." in call("run", spec, "--jobs", 1, "--quiet").out


def test_a_place_that_does_not_depend_on_where_one_is(
    call: Call, spec: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place / "home"))
    (place / "home").mkdir()
    words = ["--set", "output={directory: ~/kept}", "--jobs", 1, "--quiet"]
    assert call("run", spec, *words).code == 0
    assert (place / "home/kept/mine/result.json").is_file()
    monkeypatch.chdir(spec.parent)
    assert f"{FITS} reused" in call("run", spec, *words).out
    assert stores(place) == ["home/kept/store.sqlite"]


# --- files of predictions -------------------------------------------------------------------------

TWO = """\
cvinfer: 1
name: two
data:
  - {name: B & co, source: synthetic, population: two_gaussians, n: 60}
  - {name: a, source: synthetic, population: two_gaussians, n: 40}
learners:
  majority: {engine: builtin, learner: majority}
  mean: {engine: builtin, learner: mean}
partition: [{scheme: kfold, k: 10}, {scheme: blocked_mx2, m: 3}]
tests: [blocked_3x2_t, kfold_t]
"""


def test_predictions_are_named_after_their_data(call: Call, place: Path) -> None:
    Path("two.yaml").write_text(TWO)
    code, out, _ = call("run", "two.yaml", "--jobs", 1, "--quiet")
    assert code == 0 and "predictions-B___co.csv.gz" in out
    directory = Path("results/two")
    names = sorted(each.name for each in directory.glob("predictions*"))
    assert names == ["predictions-B___co.csv.gz", "predictions-a.csv.gz"]
    more = ["test", directory / "result.json", "--tests", "kfold_t", "--json"]
    named = call(*more)
    made = {e["data"]: e["inference"]["p_value"] for e in json.loads(named.out)["comparisons"]}
    document = json.loads((directory / "result.json").read_bytes())
    expected = [e for e in document["comparisons"] if e["test"] == "kfold_t"]
    assert made == {e["data"]: e["inference"]["p_value"] for e in expected}
    # As they were called before.
    for number, name in enumerate(names, start=1):
        shutil.move(directory / name, directory / f"predictions-{number}.csv.gz")
    numbered = call(*more)
    assert (numbered.code, numbered.out.count('"p_value"')) == (0, named.out.count('"p_value"'))
    again = {e["data"]: e["inference"]["p_value"] for e in json.loads(numbered.out)["comparisons"]}
    assert again == made
    (directory / "predictions-1.csv.gz").unlink()
    code, _, err = call(*more)
    assert code == 2 and "predictions-B___co.csv.gz is not beside" in err


def test_splits_of_sets_with_like_names_are_kept_apart(call: Call, place: Path) -> None:
    Path("two.yaml").write_text(TWO.replace("B & co", "A"))
    assert call("splits", "two.yaml", "-o", "s.csv").code == 0
    assert sorted(each.name for each in Path().glob("s-*")) == ["s-A.csv", "s-a-2.csv"]


def test_no_two_names_make_one_file() -> None:
    names = ["a b", "a_b", "A_B", "a_b-2", "", "..", "1", "x" * 300, "x" * 301, "é/ü"]
    found = file_names(names)
    assert len({each.casefold() for each in found}) == len(names)
    assert all("/" not in each and len(each) < 100 and each.strip("._") for each in found)
    assert predictions_files(["a b"]) == ["predictions.csv.gz"]
    # A number could be taken for the place of a data set in the spec.
    assert predictions_files(["2", "1"]) == [
        "predictions-data-2.csv.gz",
        "predictions-data-1.csv.gz",
    ]
