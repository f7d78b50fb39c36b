"""`cvinfer merge`: what it adds up, and what it refuses."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any, Callable

import pytest
from tests.studies.study_examples import PLAIN, changed

from cvinfer.cli import main
from cvinfer.documents import JsonObject
from cvinfer.errors import UserError
from cvinfer.report.studies import render_study
from cvinfer.studies import simulate
from cvinfer.studies.document import merge
from cvinfer.spec.finished import read_kind
from cvinfer.studies.files import study_text
from cvinfer.studies.load import load_study

STUDY = changed(PLAIN, replications=30, variances=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("merge") / "store.sqlite"
    simulate(STUDY, jobs=1, store=path)
    return path


@pytest.fixture(scope="module")
def part(store: Path) -> Callable[..., JsonObject]:
    """A range of the study, whose fits are all stored; named values change the study."""

    def made(first: int, last: int, **more: Any) -> JsonObject:
        study = changed(STUDY, **more)
        return simulate(study, jobs=1, store=store, range_=(first, last)).document

    return made


def written(directory: Path, name: str, document: Any) -> Path:
    path = directory / name
    path.write_text(document if isinstance(document, str) else study_text(document))
    return path


def called(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_three_files_in_any_order_are_one_run(tmp_path: Path, part: Any) -> None:
    ranges = {"a": (9, 12), "b": (1, 8), "c": (13, 30)}
    files = [written(tmp_path, name, part(*ends)) for name, ends in ranges.items()]
    assert called("merge", *files, "-o", tmp_path / "both") == 0
    found = (tmp_path / "both" / "study.json").read_text()
    assert found == study_text(part(1, 30))
    assert json.loads(found)["ranges"] == [[1, 30]]
    # It is a study.json, and can be added to again.
    beyond = read_kind(tmp_path / "both" / "study.json", "study")
    assert merge([part(31, 33), beyond])["ranges"] == [[1, 33]]


def test_tables_and_the_page_are_of_any_document(
    tmp_path: Path, part: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study where a result is wanted is called what it is."""
    written(tmp_path, "study.json", part(1, 30))
    for form in ("text", "markdown", "latex", "csv"):
        assert called("table", tmp_path, "--format", form) == 0
        assert "Rejection rates in" in capsys.readouterr().out or form == "csv"
    assert called("report", tmp_path) == 0
    for words in (["write"], ["test", "--tests", "kfold_t"], ["verify"]):
        assert called(words[0], tmp_path / "study.json", *words[1:]) == 2
        assert "study.json is a study.json, and this takes a result.json" in capsys.readouterr().err


def test_a_gap_stays_one(part: Any) -> None:
    found = merge([part(1, 5), part(11, 30)])
    assert found["ranges"] == [[1, 5], [11, 30]]
    assert {cell["replications"] for cell in found["cells"]} == {25}
    assert merge([found, part(6, 10)]) == part(1, 30)


@pytest.mark.parametrize("ends", [(5, 12), (10, 10), (1, 10), (1, 30)])
def test_replications_in_common_are_refused(part: Any, ends: tuple[int, int]) -> None:
    with pytest.raises(UserError, match="replications .* in common"):
        merge([part(1, 10), part(*ends)], ["a.json", "b.json"])


@pytest.mark.parametrize(
    "change, told",
    [
        ({"draw": {"n": 41}}, r'study\.draw is \{"n": 41\}, not \{"n": 40\}'),
        ({"ties": "papers"}, r'study\.ties is "papers", not "not_rejected"'),
        ({"variances": False}, r"study\.variances is false, not true"),
        ({"tests": ["cvci_z"]}, r"tests is "),
        ({"grid": {"alpha": [0.1]}}, r"study\.grid is |alpha is "),
        ({"name": "other"}, r'name is "other", not "plain"'),
    ],
)
def test_other_settings_are_refused_by_their_key(part: Any, change: Any, told: str) -> None:
    with pytest.raises(UserError, match=told):
        merge([part(1, 3), part(4, 5, **change)], ["a.json", "b.json"])


def test_of_a_long_setting_the_part_that_differs_is_told(part: Any) -> None:
    other = copy.deepcopy(part(4, 5))
    other["settings"] = "0" * 64
    other["spec"]["learners"]["A"]["learner"] = "somebody"
    with pytest.raises(UserError, match=r'learners\.A\.learner is "somebody", not "\w+";'):
        merge([part(1, 3), other], ["a.json", "b.json"])


def test_the_number_of_replications_and_limits_are_no_other_settings(part: Any) -> None:
    limited = part(6, 10, replications=10, limits={"memory_mb": 4000})
    assert merge([part(1, 5), limited])["ranges"] == [[1, 10]]


@pytest.mark.parametrize(
    "tests, grid", [([{"kfold_t": {"mu0": "truth"}}], {}), (["kfold_t"], {"tests": [["kfold_t"]]})]
)
def test_the_truth_of_all_replications_is_not_that_of_parts(
    part: Any, store: Path, tests: Any, grid: Any
) -> None:
    if grid:
        grid = {"tests": [["kfold_t"], [{"kfold_t": {"mu0": "truth"}}]]}
    study = changed(STUDY, tests=tests, grid=grid, replications=6)
    with pytest.raises(UserError, match="mu0: truth"):
        simulate(study, jobs=1, store=store, range_=(1, 3))
    whole = simulate(study, jobs=1, store=store).document
    with pytest.raises(UserError, match="mu0: truth"):
        merge([whole, {**whole, "ranges": [[7, 12]]}])


def hostile(part: Any) -> dict[str, Any]:
    """Texts and documents that are no study.json, with what is said of each."""
    good = part(1, 3)

    def bad(change: Callable[[Any], None]) -> JsonObject:
        found = copy.deepcopy(good)
        change(found)
        return found

    def sums(found: Any) -> Any:
        return found["cells"][0]["sums"]

    text = study_text(good)
    return {
        "no JSON": (text[:1000], "it is not JSON"),
        "empty": ("", "it is not JSON"),
        "nested": ("[" * 100_000, "it is not JSON"),
        "not a number": (text.replace('"count/0": [1.0]', '"count/0": [NaN]'), "it is not JSON"),
        "a list": ("[]", "is no study of cvinfer"),
        "a result": ('{"cvinfer": 1, "comparisons": []}', "is a result.json, and this takes"),
        "state": (bad(lambda d: sums(d).update(state="of mind")), "is no study of cvinfer"),
        "about": (bad(lambda d: sums(d)["about"].pop("kind")), "cannot be added up"),
        "settings": (bad(lambda d: sums(d)["about"].update(settings={})), "cannot be added up"),
        "m": (
            bad(lambda d: sums(d)["about"]["settings"].update(m=10**9)),
            "cannot be added up",
        ),
        "too large": (
            bad(lambda d: sums(d)["sums"].update(estimate=[1e308, 1e308])),
            "not finite|cannot be added up",
        ),
        "other replications": (bad(lambda d: d.update(ranges=[[1, 2]])), "other replications"),
        "reversed": (bad(lambda d: d.update(ranges=[[3, 1]])), "range from 3 to 1|other rep"),
        "huge": (bad(lambda d: d.update(ranges=[[9, 10**30]])), "other replications"),
    }


def test_what_is_no_study_is_refused(
    tmp_path: Path, part: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    other = written(tmp_path, "other.json", part(4, 5))
    for name, (content, told) in hostile(part).items():
        path = written(tmp_path, "bad.json", content)
        capfd.readouterr()
        code = called("merge", path, other, "--output", tmp_path / "out")
        said = capfd.readouterr().err
        assert code == 2 and re.search(told, said), (name, code, said)
        assert "bad.json" in said or "not finite" in said, name
        assert "Traceback" not in said and not (tmp_path / "out").exists(), name


def test_files_that_are_none(tmp_path: Path, part: Any, capfd: pytest.CaptureFixture[str]) -> None:
    other = written(tmp_path, "other.json", part(4, 5))
    huge = tmp_path / "huge.json"
    with open(huge, "wb") as stream:
        stream.truncate(200_000_000)
    for path in (tmp_path / "none.json", tmp_path, huge):
        assert called("merge", path, other, "--output", tmp_path / "out") == 2
        assert str(path) in capfd.readouterr().err


def test_what_a_match_found_is_one_of_the_settings() -> None:
    """Parts of studies of other numbers have other parameters, and are other studies."""
    bayes = {"engine": "sklearn", "learner": "GaussianNB", "params": {"var_smoothing": 0.1}}
    path = "learners.B.params.var_smoothing"
    study = changed(
        PLAIN,
        learners={"A": PLAIN["learners"]["A"], "B": bayes},
        truth={"records": "population"},
        match={path: {"range": [0.1, 2], "to": "A"}},
    )
    counts = [
        load_study(changed(study, replications=count)).written["match"][path]["replications"]
        for count in (20, 30)
    ]
    assert counts == [20, 30]


def cells_of(document: JsonObject, options: JsonObject) -> list[JsonObject]:
    """Those of tests and intervals with these options, without the options themselves."""
    return [
        {key: each for key, each in cell.items() if key not in ("options", "sums")}
        for cell in document["cells"]
        if options.items() <= cell.get("options", options).items() and cell["kind"] != "quantity"
    ]


def test_a_test_with_other_options_is_another_one(tmp_path: Path) -> None:
    """It has cells of its own, which are those of a study of it alone, and parts add up."""
    tests = [{"bcv_5x2_mcnemar": {"continuity": each}} for each in ("none", "printed")]
    study = changed(STUDY, tests=tests, replications=20, truth={"records": "population"})
    study["intervals"] = [{"f1_beta_prime": {"prior": each}} for each in (0.25, 0.5)]
    store = tmp_path / "store.sqlite"
    found = simulate(study, jobs=1, store=store).document
    for key in ("tests", "intervals"):
        for one in study[key]:
            ((name, options),) = one.items()
            alone = simulate({**study, key: [one]}, jobs=1, store=store).document
            mine, its = (
                [cell for cell in cells_of(each, options) if cell["name"] == name]
                for each in (found, alone)
            )
            assert mine == its and mine
    assert [cell["replications"] for cell in found["cells"] if cell["kind"] == "test"] == [20, 20]
    halves = [
        simulate(study, jobs=1, store=store, range_=pair).document for pair in ((1, 7), (8, 20))
    ]
    assert study_text(merge(halves)) == study_text(found)
    text = render_study(found, "markdown")
    assert "(continuity=none)" in text and "(continuity=printed)" in text
