"""`cvinfer validate`, `plan`, `show`, `init` and `splits`."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any, Callable

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "specs"
Call = Callable[..., Any]

FAULTY = """\
cvinfer: 1
data: {source: sklearn, dataset: irys}
learners:
  tree: {engine: sklearn, learner: DecisionTreeClassifier}
  LDA: {engine: sklearn, learner: LinearDiscriminantAnalysis}
tests: [kfold_tt]
"""

FOURTEEN = [
    "holdout_mcnemar",
    "naive_kfold_mcnemar",
    "bcv_5x2_mcnemar",
    "repeated_holdout_t",
    "kfold_t",
    "corrected_kfold_t",
    "corrected_repeated_holdout_t",
    "corrected_repeated_kfold_t",
    "dietterich_5x2_t",
    "combined_5x2_t",
    "blocked_3x2_t",
    "combined_5x2_f",
    "calibrated_5x2_bcv_f",
    "proportion_z",
]


# --- groups ---------------------------------------------------------------------------------------


def test_groups_in_every_command(call: Call) -> None:
    spec = SPECS / "groups.yaml"
    assert call("validate", spec) == (0, f"{spec}: ok\n", "")
    plan = call("plan", spec, "--json")
    rows = json.loads(plan.out)["data"][0]["learners"][0]["tests"]
    labels = [label for row in rows for label in row["partitions"]]
    assert labels == ["blocked 5×2, grouped", "blocked 3×2, grouped"]
    shown = yaml.safe_load(call("show", spec).out)
    assert shown["data"][0]["groups"] == "sleeper"
    assert call("splits", spec, "-o", "splits.csv").code == 0
    with open(SPECS / "data" / "mornings.csv", newline="") as stream:
        sleeper = [row["sleeper"] for row in csv.DictReader(stream)]
    sides: Any = {}
    with open("splits.csv", newline="") as stream:
        for row in csv.DictReader(stream):
            place = (row["scheme"], row["replication"], row["fold"], sleeper[int(row["record"])])
            sides.setdefault(place, set()).add(row["role"])
    assert len(sides) == 16 * 36 and all(len(side) == 1 for side in sides.values())
    listed = call("list", "schemes").out
    assert "Options: k=10, stratify=false, groups." in listed
    refused = call("validate", spec, "--set", "tests=[loo_matched_t]")
    assert refused.code == 2 and "cannot honour groups ('sleeper')" in refused.out


# --- validate -------------------------------------------------------------------------------------


def test_validate_says_ok(call: Call, small: Path) -> None:
    assert call("validate", small) == (0, f"{small}: ok\n", "")
    assert call("validate", small, "--json") == (0, "[]\n", "")


def test_validate_tells_all_faults_of_all_files(call: Call, small: Path) -> None:
    Path("faulty.yaml").write_text(FAULTY)
    code, out, err = call("validate", small, "faulty.yaml", "nowhere.yaml")
    assert code == 2
    lines = out.splitlines()
    assert lines[0] == f"{small}: ok"
    assert lines[1].startswith("faulty.yaml:2:34: data.dataset: dataset 'irys' is unknown; allowed")
    assert lines[1].endswith("; did you mean 'iris'?")
    assert lines[2].strip() == "data: {source: sklearn, dataset: irys}"
    assert lines[3].index("^") == lines[2].index("irys")
    assert lines[4].startswith("faulty.yaml:6:9: tests[0]: there is no test 'kfold_tt'")
    assert lines[-1] == "nowhere.yaml: spec: there is no such file"
    assert err == "3 faults found\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_validate_a_file_that_may_not_be_read(call: Call, small: Path) -> None:
    small.chmod(0)
    code, out, _ = call("validate", small)
    assert code == 2 and "cannot be read: Permission denied" in out


def test_validate_as_json(call: Call, place: Path) -> None:
    Path("faulty.yaml").write_text(FAULTY)
    code, out, err = call("validate", "faulty.yaml", "--json")
    assert (code, err) == (2, "")
    first, second = json.loads(out)
    assert (first["file"], first["line"], first["column"]) == ("faulty.yaml", 2, 34)
    assert first["suggestion"] == "iris" and second["path"] == "tests[0]"


def test_set_is_checked_like_the_spec(call: Call, small: Path) -> None:
    assert call("validate", small, "--set", "alpha=0.01").code == 0
    code, out, _ = call("validate", small, "--set", "aplha=0.01")
    assert code == 2 and "did you mean 'alpha'?" in out


# --- plan -----------------------------------------------------------------------------------------


def test_plan_counts_fits_that_are_shared(call: Call, small: Path) -> None:
    tests = f"tests=[{','.join(FOURTEEN)}]"
    code, out, _ = call("plan", small, "--set", tests, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["fits"] == {"naive": 2 * 218, "distinct": 2 * 150, "stored": 0}
    (data,) = found["data"]
    for learner in data["learners"]:
        assert learner["fits"] == {"naive": 218, "distinct": 150, "stored": 0}
        assert [test["name"] for test in learner["tests"]] == FOURTEEN
        assert sum(test["distinct"] for test in learner["tests"]) == 150
    without = [name for name in FOURTEEN if name != "corrected_repeated_kfold_t"]
    code, out, _ = call("plan", small, "--set", f"tests=[{','.join(without)}]", "--json")
    assert json.loads(out)["fits"]["distinct"] == 2 * 60
    assert not Path("results").exists(), "looking must not leave anything behind"


def test_plan_leaves_out_a_learner_that_nothing_compares(call: Call, place: Path) -> None:
    entries = "".join(f"  {name}: {{engine: builtin, learner: mean}}\n" for name in "ABC")
    (place / "three.yaml").write_text(
        "cvinfer: 1\ndata: {source: sklearn, dataset: iris}\nlearners:\n"
        f"{entries}compare: [A, B]\ntests: [blocked_3x2_t]\n"
    )
    code, out, _ = call("plan", place / "three.yaml", "--json")
    assert code == 0
    found = json.loads(out)
    (data,) = found["data"]
    # A and B are the same learner by two names, so B's fits are A's.
    assert [(each["learner"], each["fits"]["distinct"]) for each in data["learners"]] == [
        ("A", 6),
        ("B", 0),
    ]
    assert found["fits"] == {"naive": 12, "distinct": 6, "stored": 0}


def test_plan_knows_what_is_stored(call: Call, small: Path, finished: Path) -> None:
    store = finished.parent / "store.sqlite"
    code, out, _ = call("plan", small, "--store", store)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["naive", "distinct", "stored"] in lines
    assert ["majority,", "mean", "bcv_5x2_mcnemar", "10", "10", "10"] in lines
    assert ["blocked_3x2_t", "6", "0", "0"] in lines
    assert "20 of them stored already, 0 to do" in out
    code, out, _ = call("plan", small, "--store", store, "--set", "seed=6", "--json")
    assert json.loads(out)["fits"] == {"naive": 32, "distinct": 20, "stored": 0}


# --- show -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["csv", "arff", "sklearn", "synthetic", "predictions"])
def test_show_gives_a_spec_that_means_the_same(call: Call, name: str) -> None:
    from cvinfer.spec import load_spec

    code, out, _ = call("show", SPECS / f"{name}.yaml")
    assert code == 0
    shown = yaml.safe_load(out)
    assert shown == load_spec(SPECS / f"{name}.yaml").resolved()
    assert load_spec(shown, base=SPECS).resolved() == shown


def test_show_has_every_default_and_what_was_set(call: Call, small: Path) -> None:
    shown = yaml.safe_load(call("show", small, "--set", "alpha=0.01").out)
    assert (shown["alpha"], shown["correction"], shown["loss"]) == (0.01, "holm", "zero_one")


# --- init -----------------------------------------------------------------------------------------


def test_init_writes_a_spec_that_runs(call: Call, place: Path) -> None:
    code, out, _ = call("init")
    assert code == 0 and "written: spec.yaml" in out
    text = Path("spec.yaml").read_text()
    assert text.count("#") > 10
    assert call("validate", "spec.yaml").code == 0
    assert call("run", "spec.yaml", "--quiet").code == 0

    code, _, err = call("init")
    assert code == 2 and "--force" in err
    Path("spec.yaml").write_text("mine")
    assert call("init").code == 2
    assert Path("spec.yaml").read_text() == "mine"
    assert call("init", "--force").code == 0
    assert Path("spec.yaml").read_text() == text


def awkward_rows() -> list[list[str]]:
    rows = []
    for at in range(60):
        label = "01" if at % 3 else "NA"
        number = "" if at == 7 else str(at % 7 + (at % 3) / 2)
        rows.append([f"id-{at}", number, "red" if at % 2 else "blue", label])
    return rows


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_init_for_a_file_of_data(call: Call, place: Path, separator: str) -> None:
    directory = place / "my data: raw"
    directory.mkdir()
    header = ["key", "size, in mm" if separator != "," else "size", "#colour", "class: y"]
    text = "".join(separator.join(row) + "\n" for row in [header, *awkward_rows()])
    (directory / "a#b.csv").write_text(text)
    words = ["init", directory / "a#b.csv", "--target", "class: y", "-o", "specs/new.yaml"]
    code, out, err = call(*words)
    assert code == 0 and "written: specs/new.yaml" in out
    assert "left out" in err and "key" in err and "missing values" in err
    spec = yaml.safe_load(Path("specs/new.yaml").read_text())
    assert spec["data"]["path"] == "../my data: raw/a#b.csv"
    assert spec["data"]["drop"] == ["key"] and spec["data"]["missing"] == "impute"
    assert call("validate", "specs/new.yaml").code == 0
    if separator == ";":
        assert call("run", "specs/new.yaml", "--quiet").code == 0


def test_init_takes_texts_among_numbers_for_missing(call: Call, place: Path) -> None:
    rows = [f"{at * 0.37},{'n/a' if at == 9 else at * 1.7},{'ab'[at % 2]}" for at in range(40)]
    Path("measured.csv").write_text("\n".join(["x,z,y", *rows]) + "\n")
    code, _, err = call("init", "measured.csv", "--target", "y")
    assert code == 0 and "taken for missing values: 'n/a'" in err
    data = yaml.safe_load(Path("spec.yaml").read_text())["data"]
    assert (data["na"], data["missing"]) == (["n/a"], "impute")
    assert call("validate", "spec.yaml").code == 0


def excel(directory: Path) -> None:
    """As a German Excel writes it, with row numbers from elsewhere and two labels forgotten."""
    rows = []
    for at in range(60):
        label = "" if at in (3, 40) else ["weiblich", "männlich"][at % 2]
        size = f"{at * 0.37 + at % 2:.2f}".replace(".", ",")
        rows.append(f"{at + 1};{size};{at % 5};{'grün' if at % 3 else 'rot'};{label}")
    text = "\r\n".join([";Größe;Zahl;Farbe;Geschlecht", *rows, ""])
    (directory / "excel.csv").write_bytes(text.encode("latin-1"))


def test_init_for_a_file_of_excel_runs_without_an_edit(call: Call, place: Path) -> None:
    excel(place)
    code, _, err = call("init", "excel.csv", "--target", "Geschlecht")
    assert code == 0
    for words in ("not utf-8", "apart by ';'", "decimal commas", "no name", "2 of 60 records"):
        assert words in err
    text = Path("spec.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)["data"]
    assert (data["encoding"], data["separator"], data["decimal"]) == ("latin-1", ";", ",")
    assert (data["drop"], data["missing_target"]) == ([""], "drop")
    assert "# records without a class label" in text
    assert call("validate", "spec.yaml").code == 0
    code, out, _ = call("run", "spec.yaml", "--quiet", "--verbose")
    assert code == 0 and "2 of 60 records left out: they have no class label" in out
    result = json.loads(Path("results/excel/result.json").read_text())
    assert result["data"][0]["n"] == 58
    assert yaml.safe_load(call("show", "spec.yaml").out)["data"][0]["missing_target"] == "drop"


def test_init_does_as_it_is_told(call: Call, place: Path) -> None:
    excel(place)
    words = ["--encoding", "cp1252", "--separator", ";", "--decimal", ",", "--drop", "Zahl,Farbe"]
    learners = "GaussianNB,DecisionTreeClassifier,builtin:majority"
    code, _, err = call(
        *("init", "excel.csv", "--target", "Geschlecht", "--learners", learners, *words)
    )
    assert code == 0 and "utf-8" not in err and "decimal" not in err
    spec = yaml.safe_load(Path("spec.yaml").read_text(encoding="utf-8"))
    assert spec["data"]["drop"] == ["Zahl", "Farbe", ""]
    assert spec["data"]["encoding"] == "cp1252"
    assert list(spec["learners"]) == ["GaussianNB", "DecisionTreeClassifier", "majority"]
    assert spec["learners"]["majority"] == {"engine": "builtin", "learner": "majority"}
    assert call("validate", "spec.yaml").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--learners", "GausianNB,SVC"], "did you mean 'GaussianNB'?"),
        (["--learners", "SVC"], "at least two"),
        (["--learners", "wekaa:J48,SVC"], "no engine 'wekaa'"),
        (["--drop", "zz"], "no column 'zz'"),
        (["--drop", "y"], "drop holds the target"),
        (["--encoding", "klingon"], "no encoding 'klingon'"),
        (["--separator", ";;"], "must be one character"),
        (["--separator", ";"], "has one column"),
        (["--decimal", ","], "decimal and separator are both ','"),
        (["--decimal", ";"], "--decimal"),
    ],
    ids=str,
)
def test_init_refuses_wishes_by_name(call: Call, place: Path, words: list[str], said: str) -> None:
    Path("data.csv").write_text("x,y\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(40)))
    code, _, err = call("init", "data.csv", "--target", "y", *words)
    assert code == 2 and said in err and "Traceback" not in err
    assert not Path("spec.yaml").exists()


def test_what_was_read_is_kept_beside_the_store(
    call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    from cvinfer.data import kept
    from cvinfer.data.sources import csv as csv_source

    monkeypatch.setattr(kept, "SMALLEST", 10)
    really, reads = csv_source.read_utf8, []

    def counted(*words: Any) -> bytes:
        reads.append(words)
        return really(*words)

    monkeypatch.setattr(csv_source, "read_utf8", counted)
    Path("data.csv").write_text("x,y\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(40)))
    time.sleep(2 * kept.UNSURE)
    assert call("init", "data.csv", "--target", "y").code == 0
    assert len(list(Path("results/store.data").iterdir())) == 1
    count = len(reads)
    for words in (["validate"], ["plan"], ["show"], ["splits", "-o", "s.csv"], ["run", "--quiet"]):
        assert call(words[0], "spec.yaml", *words[1:]).code == 0
    assert len(reads) == count
    before = Path("results/data/result.json").read_bytes()
    assert call("run", "spec.yaml", "--quiet", "--no-cache").code == 0
    assert len(reads) == count + 1
    assert Path("results/data/result.json").read_bytes() == before
    # A place that is named has its own.
    assert call("run", "spec.yaml", "--quiet", "--output", "there/out").code == 0
    assert len(list(Path("there/store.data").iterdir())) == 1
    assert call("validate", "spec.yaml", "--set", "output={directory: else}").code == 0
    assert len(list(Path("else/store.data").iterdir())) == 1
    # Who doubts a result reads its data.
    count = len(reads)
    assert call("verify", "results/data/result.json", "--quiet").code == 0
    assert len(reads) > count


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["data.csv"], "--target is missing"),
        (["data.csv"], "its columns are x, y"),
        (["data.csv", "--target", "yy"], "yy"),
        (["none.csv", "--target", "y"], "none.csv cannot be read: No such file"),
        ([".", "--target", "y"], "Is a directory"),
        (["--target", "y"], "name the file as well"),
        (["one.csv", "--target", "y", "-o", "new/spec.yaml"], "at least two are needed"),
        (["data.csv", "--target", "y", "-o", "data.csv"], "data.csv is there already"),
        (["data.csv", "--target", "y", "-o", "data.csv/spec.yaml"], "data.csv/spec.yaml"),
    ],
)
def test_init_refuses_what_would_not_run(
    call: Call, place: Path, words: list[str], said: str
) -> None:
    rows = "".join(f"{at},{'ab'[at % 2]}\n" for at in range(40))
    Path("data.csv").write_text(f"x,y\n{rows}")
    Path("one.csv").write_text("x,y\n" + "1,a\n" * 40)
    code, _, err = call("init", *words)
    assert code == 2
    assert said in err
    assert not Path("spec.yaml").exists() and not Path("new").exists()
    assert Path("data.csv").read_text() == f"x,y\n{rows}"


def test_init_can_print(call: Call, place: Path) -> None:
    code, out, _ = call("init", "-o", "-")
    assert code == 0 and yaml.safe_load(out)["cvinfer"] == 1
    assert list(place.iterdir()) == []


def test_init_for_very_few_records(call: Call, place: Path) -> None:
    Path("few.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    assert call("init", "few.csv", "--target", "y").code == 0
    assert yaml.safe_load(Path("spec.yaml").read_text())["tests"] == ["blocked_3x2_t"]
    assert call("run", "spec.yaml", "--quiet", "--jobs", 1).code == 0


# --- splits ---------------------------------------------------------------------------------------


def test_splits_are_written_and_read_back(call: Call, small: Path, finished: Path) -> None:
    code, out, _ = call("splits", small, "-o", "splits.csv")
    assert code == 0 and out == "written: splits.csv\n"
    with open("splits.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["scheme", "replication", "fold", "role", "record"]
    # Ten splits of the blocked 5×2 and the six of the 3×2 inside, 60 records each.
    assert len(rows) == 1 + 16 * 60
    again = ["run", small, "--set", "partition={scheme: file, path: splits.csv}", "--quiet"]
    assert call(*again).code == 0
    first = json.loads((finished / "result.json").read_bytes())
    second = json.loads(Path("results/small/result.json").read_bytes())
    for one, other in zip(first["comparisons"], second["comparisons"]):
        assert one["inference"] == other["inference"]


def test_each_data_set_has_its_own_splits(call: Call) -> None:
    code, out, _ = call("splits", SPECS / "arff.yaml", "-o", "new/splits.csv.gz")
    assert code == 0
    names = ["new/splits-parcels.csv.gz", "new/splits-messages.csv.gz"]
    assert out.splitlines() == [f"written: {name}" for name in names]
    for name in names:
        with gzip.open(name, "rt") as file:
            assert next(file) == "scheme,replication,fold,role,record\n"
    assert call("splits", SPECS / "arff.yaml").code == 2
