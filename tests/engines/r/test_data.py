"""Data sets of R's packages arrive as R has them."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import pytest
from tests.engines.r.r_proof import Answer, finish, r_data, spec_of, start, study

from cvinfer.data import load
from cvinfer.data.dataset import Column, Dataset
from cvinfer.engines._r.client import ask
from cvinfer.errors import UserError

pytestmark = pytest.mark.usefixtures("r")

#: Package, data set and its classes: columns of every type, numbers and gaps, ordered factors,
#: logicals, a matrix, a data set in another one's file, one of another class besides data.frame.
SETS = (
    ("cvproof", "mixed", "class"),
    ("mlbench", "Soybean", "Class"),
    ("mlbench", "BreastCancer", "Class"),
    ("mlbench", "Zoo", "type"),
    ("datasets", "airquality", "Month"),
    ("datasets", "esoph", "agegp"),
    ("datasets", "CO2", "Treatment"),
    ("datasets", "beaver1", "activ"),
    ("cvproof", "counts", "class"),
)


RPART = {"engine": "r", "learner": "rpart"}
MAJORITY = {"engine": "builtin", "learner": "majority"}


class Told(NamedTuple):
    """A column as R prints it; None is NA."""

    kind: str
    levels: list[str]
    values: list[Optional[str]]


@pytest.fixture(scope="module")
def told(r: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Told]]:
    place = tmp_path_factory.mktemp("told")
    words = [word for package, dataset, _ in SETS for word in (package, dataset)]
    found: dict[str, dict[str, Told]] = defaultdict(dict)
    for line in finish(start("print_data.R", place, *words)).splitlines():
        dataset, name, kind, what, *rest = line.split("\t")
        if what == "levels":
            found[dataset][name] = Told(kind, rest, [])
        else:
            found[dataset][name].values.extend(None if each == "-" else each for each in rest)
    return found


def loaded(package: str, dataset: str, target: str) -> Dataset:
    found = load({**r_data(package, dataset, target), "missing": "keep"}, Path(), 0)
    assert isinstance(found, Dataset)
    return found


def texts(column: Column) -> list[Optional[str]]:
    return [None if code < 0 else column.levels[code] for code in column.values.tolist()]


@pytest.mark.parametrize("package, dataset, target", SETS)
def test_columns_are_those_that_r_prints(
    told: dict[str, dict[str, Told]], package: str, dataset: str, target: str
) -> None:
    found, expected = loaded(package, dataset, target), told[dataset]
    assert [column.name for column in found.features] == [n for n in expected if n != target]
    for column in found.features:
        kind, levels, values = expected[column.name]
        if kind in ("numeric", "integer"):
            assert column.kind == "numeric"
            numbers = [float("nan") if each is None else float(each) for each in values]
            assert np.array_equal(column.values, numbers, equal_nan=True)
            continue
        assert column.kind == "categorical"
        assert texts(column) == values
        assert column.detail == (kind if kind in ("logical", "ordered") else "")
        if kind == "logical":
            assert column.levels == ("FALSE", "TRUE")
        elif kind == "character":
            assert column.levels == tuple(sorted(set(values) - {None}))  # type: ignore[type-var]
        else:
            assert column.levels == tuple(levels)  # R's order, with those that never occur


@pytest.mark.parametrize("package, dataset, target", SETS)
def test_classes_are_sorted_and_r_keeps_its_own_order(
    told: dict[str, dict[str, Told]], package: str, dataset: str, target: str
) -> None:
    found, (kind, levels, values) = loaded(package, dataset, target), told[dataset][target]
    assert found.classes == tuple(sorted(set(values)))  # type: ignore[type-var]
    assert [found.classes[code] for code in found.target] == values
    if kind in ("factor", "ordered"):
        assert (found.class_levels or found.classes) == tuple(levels)


def test_every_type_is_in_the_data_set_made_for_it(told: dict[str, dict[str, Told]]) -> None:
    kinds = {each.kind for each in told["mixed"].values()}
    assert kinds == {"numeric", "integer", "logical", "factor", "ordered", "character"}
    for name, column in told["mixed"].items():
        assert ("class" in name) == (None not in column.values)


@pytest.mark.parametrize(
    "target, classes, order",
    [
        ("class", ("no", "perhaps", "yes"), ("yes", "perhaps", "no", "never")),
        ("logical_class", ("FALSE", "TRUE"), ()),
        ("number_class", ("10", "2.5", "9"), ("2.5", "9", "10")),
        ("whole_class", ("10", "2"), ("2", "10")),
        ("word_class", ("Z", "a", "b", "\u00e4"), ()),
        ("ordered_class", ("high", "low"), ("low", "high")),
    ],
)
def test_anything_can_be_the_class(
    target: str, classes: tuple[str, ...], order: tuple[str, ...]
) -> None:
    found = loaded("cvproof", "mixed", target)
    assert found.classes == classes
    # Numbers stand in the order of their values, as R's factor() would have them.
    assert found.class_levels == order


@pytest.mark.parametrize("column, count", [("Plant", 12), ("Type", 2), ("conc", 7)])
def test_columns_of_r_group_records(
    told: dict[str, dict[str, Told]], column: str, count: int
) -> None:
    spec = {"source": "r", "package": "datasets", "dataset": "CO2", "target": "Treatment"}
    found = load({**spec, "groups": column}, Path(), 1)
    assert isinstance(found, Dataset) and found.groups is not None
    assert column not in [each.name for each in found.features]
    pairs = set(zip(found.groups.tolist(), told["CO2"][column].values))
    assert len(pairs) == count == len(set(found.groups.tolist()))


def test_the_order_of_the_classes_reaches_the_learners(weka: Path, tmp_path: Path) -> None:
    # A tie goes to the first class in R's order, which is the last by name.
    rows = ["scheme,replication,fold,role,record"]
    for number, first in ((1, "train"), (2, "test")):
        rows += [
            f"repeated_holdout,{number},1,{role},{record}"
            for role in ("train", "test")
            for record in range(40)
            if (record < 20) == (role == first)
        ]
    (tmp_path / "halves.csv").write_text("\n".join(rows) + "\n")
    path = spec_of(
        tmp_path,
        r_data("cvproof", "tied", "class"),
        {
            "rpart": {"engine": "r", "learner": "rpart"},
            "J48": {"engine": "rweka", "learner": "J48"},
            "majority": {"engine": "builtin", "learner": "majority"},
        },
        tests=["repeated_holdout_t"],
        partition={"scheme": "file", "path": "halves.csv"},
    )
    found = study(path, jobs=1)
    (data,) = found.sets
    assert (data.classes, data.class_levels) == (("a", "z"), ("z", "a"))
    for learner, label in (("rpart", "z"), ("J48", "z"), ("majority", "a")):
        splits = found.of("tied", learner)
        assert len(splits) == 2
        for outcome in splits.values():
            assert set(outcome.labels) == {label}


def located(
    call: Callable[..., Answer], directory: Path, data: dict[str, Any]
) -> tuple[str, str, str]:
    """Path, message and source line of the one fault that `validate` finds."""
    path = spec_of(directory, data, {"A": RPART, "B": MAJORITY})
    answer = call("validate", path, "--json")
    (fault,) = answer.faults
    assert answer.code == 2 and fault["line"] > 0 and fault["column"] > 0
    rendered = call("run", path, "--output", directory / "out")
    assert rendered.code == 2 and f"spec.json:{fault['line']}:{fault['column']}: " in rendered.err
    return fault["path"], fault["message"], fault["source_line"].strip()


@pytest.mark.parametrize(
    "data, place, said",
    [
        (("mlbenhc", "Soybean", "Class"), "package", "R package mlbenhc is not installed"),
        (("mlbench", "Soybeen", "Class"), "dataset", "R package mlbench has no data set Soybeen"),
        (("mlbench", "Soybean", "class"), "target", "mlbench::Soybean has no column 'class'"),
        (("cvproof", "pile", "class"), "dataset", "cvproof::pile is an object of class list (2)"),
        (("datasets", "euro", "class"), "dataset", "datasets::euro is an object of class numeric"),
        (
            ("datasets", "Titanic", "Class"),
            "dataset",
            "datasets::Titanic is an object of class tab",
        ),
        (("cvproof", "days", "class"), "dataset", "neither numbers nor classes: day (Date)"),
        (("cvproof", "others", "class"), "dataset", "it keeps another, one_of_others"),
        (("cvproof", "endless", "class"), "dataset", "column 'x' holds an infinite number"),
        (("cvproof", "twice", "class"), "dataset", "more than one column called 'x'"),
        (("cvproof", "unlabelled", "class"), "missing_target", "'class' is missing in 1 of 4"),
        (("stats", "lm", "class"), "dataset", "R package stats has no data set lm"),
        (("mlbench", "", "Class"), "dataset", "empty"),
        (("", "Soybean", "Class"), "package", "empty"),
        (("../x", "Soybean", "Class"), "package", "'../x' is no name of an R package"),
        (("mlbench\n", "Soybean", "Class"), "package", "is no name of an R package"),
        (("mlbench/data", "Soybean", "Class"), "package", "is no name of an R package"),
        (("mlbench", "../data/Soybean", "Class"), "dataset", "has no data set ../data/Soybean"),
        (("mlbench", "Soybean.rda", "Class"), "dataset", "has no data set Soybean.rda"),
        (("mlbench", "a; quit()", "Class"), "dataset", "has no data set a; quit()"),
    ],
)
def test_what_is_not_there_is_a_fault_with_its_place(
    tmp_path: Path,
    call: Callable[..., Answer],
    data: tuple[str, str, str],
    place: str,
    said: str,
) -> None:
    path, message, line = located(call, tmp_path, r_data(*data, name="some"))
    assert path == f"data.{place}"
    assert said in message
    if place in ("package", "dataset", "target"):
        assert line.startswith(f'"{place}": ')


@pytest.mark.parametrize(
    "data, meant",
    [
        (("mlbench", "Soybeen", "Class"), "Soybean"),
        (("mlbench", "Soybean", "class"), "Class"),
    ],
)
def test_what_was_meant_is_told(
    tmp_path: Path, call: Callable[..., Answer], data: tuple[str, str, str], meant: str
) -> None:
    path = spec_of(tmp_path, r_data(*data), {"A": RPART, "B": MAJORITY})
    answer = call("validate", path)
    assert answer.code == 2 and re.search(f"did you mean '?{meant}'?\\?", answer.out)


def test_r_is_asked_in_a_process_of_its_own() -> None:
    loaded("mlbench", "Soybean", "Class")
    assert "rpy2" not in sys.modules
    mapped = Path("/proc/self/maps")
    if mapped.exists():
        assert "libR.so" not in mapped.read_text()


def test_an_unknown_question_is_no_end_of_the_conversation() -> None:
    with pytest.raises(UserError, match="nowhere is not installed"):
        ask("data", "nowhere", "x")
    assert json.dumps(ask("data", "cvproof", "counts")["names"]) == '["x", "class"]'


def test_a_missing_label_is_no_class() -> None:
    spec = {"source": "r", "package": "datasets", "dataset": "airquality", "target": "Ozone"}
    spec["missing"] = "impute"
    with pytest.raises(UserError, match="missing in 37 of 153 records.*missing_target: drop"):
        load(spec, Path(), 1)
    data = load({**spec, "missing_target": "drop"}, Path(), 1)
    assert isinstance(data, Dataset) and data.n == 116
    assert "37 of 153 records left out: they have no class label" in data.notes
