"""The registry of sources, what it refuses unread, and the sources without files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from cvinfer.data import Dataset, faults, load, sources
from cvinfer.data.registry import source_of_file
from cvinfer.errors import UserError

Fault = Callable[..., UserError]


def test_every_file_of_the_folder_is_a_source() -> None:
    folder = Path(str(sys.modules["cvinfer.data.sources"].__file__)).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(sources()) == files | {"r"}, "R's data sets are read where R is known"
    assert files >= {"csv", "arff", "parquet", "sklearn", "openml", "synthetic", "predictions"}


def test_every_option_is_described() -> None:
    words = {"string", "integer", "number", "boolean", "array", "object"}
    for info in sources().values():
        assert info.description and "\n" not in info.description
        for key, (kind, required, description) in info.options.items():
            assert set(kind.split(" | ")) <= words and isinstance(required, bool)
            assert description, f"{info.name}.{key}"
        assert info.options["source"].required and set(info.choices) <= set(info.options)


@pytest.mark.parametrize(
    "spec, path, words",
    [
        ({}, (), "source is missing"),
        ({"source": "cvs"}, ("source",), "did you mean 'csv'?"),
        ({"source": 3}, ("source",), "no source 3"),
        ({"source": "csv", "target": "y"}, (), "needs 'path'"),
        ({"source": "csv", "path": "a", "traget": "y", "target": "y"}, ("traget",), "'target'"),
        ({"source": "csv", "path": "a", "target": 1}, ("target",), "write '1' in quotes"),
        ({"source": "csv", "path": "a", "target": True}, ("target",), "must be text"),
        ({"source": "csv", "path": None, "target": "y"}, ("path",), "must be text"),
        ({"source": "sklearn", "dataset": "iriss"}, ("dataset",), "did you mean 'iris'?"),
        ({"source": "openml", "id": "6"}, ("id",), "a whole number"),
        ({"source": "openml", "id": True}, ("id",), "a whole number"),
        ({"source": "sklearn", "dataset": "iris", "drop": "x"}, ("drop",), "a list"),
        ({"source": "sklearn", "dataset": "iris", "drop": ["x", 2]}, ("drop", 1), "'2' in quotes"),
        ({"source": "sklearn", "dataset": "iris", "missing": "omit"}, ("missing",), "drop"),
        ({"source": "sklearn", "dataset": "iris", "sample": {}}, ("sample",), "needs n"),
        ({"source": "sklearn", "dataset": "iris", "sample": {"n": 1}}, ("sample", "n"), "from 2"),
        ({"source": "sklearn", "dataset": "iris", "sample": 1}, ("sample",), "from 2"),
        (
            {"source": "sklearn", "dataset": "iris", "sample": {"n": 9, "replce": True}},
            ("sample", "replce"),
            "did you mean 'replace'?",
        ),
        (
            {"source": "sklearn", "dataset": "iris", "sample": {"n": 9, "replace": 1}},
            ("sample", "replace"),
            "true or false",
        ),
        ({"source": "sklearn", "dataset": "iris", "binarize": {}}, ("binarize",), "two classes"),
        (
            {"source": "sklearn", "dataset": "iris", "binarize": {"a": []}},
            ("binarize", "a"),
            "no label",
        ),
        ({"source": "predictions", "path": "p", "sample": 5}, ("sample",), "no option"),
        ({"source": "predictions", "path": "p", "scheme": "kfolds"}, ("scheme",), "'kfold'"),
        ({"source": "synthetic", "population": "exp"}, ("population",), "did you mean 'exp6'?"),
    ],
)
def test_faults_are_found_unread(
    tmp_path: Path, spec: dict[str, Any], path: tuple[object, ...], words: str
) -> None:
    (found,) = faults(spec)
    assert words in str(found) and found.path == path
    with pytest.raises(UserError) as caught:
        load(spec, tmp_path, 1)
    assert (str(caught.value), caught.value.path) == (str(found), path)


@pytest.mark.parametrize(
    "spec, fields",
    [
        (
            {"source": "cvs"},
            (
                "there is no source 'cvs'",
                "arff, csv, openml, parquet, predictions, r, scores, sklearn, synthetic",
                "csv",
                None,
            ),
        ),
        (
            {"source": "sklearn", "dataset": "Iriss"},
            ("dataset 'Iriss' is unknown", "breast_cancer, digits, iris, wine", "iris", None),
        ),
        (
            {"source": "sklearn", "dataset": "iris", "missing": "zz"},
            ("missing 'zz' is unknown", "'drop', 'impute', 'keep'", None, None),
        ),
        (
            {"source": "sklearn", "dataset": "wine", "keep": ["Hue "]},
            ("keep: there is no column 'Hue '", None, "hue", None),
        ),
        (
            {"source": "sklearn", "dataset": "iris", "binarize": "q"},
            (
                "binarize: there is no label 'q' and no range of labels of that form",
                None,
                None,
                "'setosa', 'versicolor', 'virginica'",
            ),
        ),
    ],
)
def test_a_refusal_has_its_parts_in_fields(
    tmp_path: Path, spec: dict[str, Any], fields: tuple[object, ...]
) -> None:
    with pytest.raises(UserError) as caught:
        load(spec, tmp_path, 1)
    found = caught.value
    assert (found.message, found.allowed, found.suggestion, found.there) == fields


@pytest.mark.parametrize(
    "name, source",
    [
        ("a.csv", "csv"),
        ("a.b.CSV.gz", "csv"),
        ("a.arff", "arff"),
        ("a.pq", "parquet"),
        ("a.parquet", "parquet"),
        ("a.txt", None),
        ("csv", None),
    ],
)
def test_a_file_goes_to_the_source_that_claims_its_ending(name: str, source: str | None) -> None:
    assert source_of_file(name) == source


def test_all_faults_at_once() -> None:
    found = faults({"source": "csv", "pth": "a", "target": 1, "sample": {"n": 0, "x": 1}})
    assert [fault.path for fault in found] == [
        ("pth",),
        ("target",),
        ("sample", "n"),
        ("sample", "x"),
        (),
    ]


@pytest.mark.parametrize(
    "name, n, features, classes",
    [
        ("iris", 150, 4, ("setosa", "versicolor", "virginica")),
        ("wine", 178, 13, ("class_0", "class_1", "class_2")),
        ("breast_cancer", 569, 30, ("benign", "malignant")),
        ("digits", 1797, 64, tuple("0123456789")),
    ],
)
def test_bundled_sets(
    tmp_path: Path, name: str, n: int, features: int, classes: tuple[str, ...]
) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    data = load({"source": "sklearn", "dataset": name}, tmp_path, 1)
    assert isinstance(data, Dataset)
    assert (data.name, data.n, len(data.features), data.classes) == (name, n, features, classes)
    bunch = getattr(datasets, f"load_{name}")()
    words = [str(bunch.target_names[code]) for code in bunch.target]
    assert [data.classes[code] for code in data.target] == words
    assert data.features[2].values.tolist() == bunch.data[:, 2].tolist()


def test_data_sets_travel_to_workers(tmp_path: Path) -> None:
    import pickle

    pytest.importorskip("sklearn")
    data = load({"source": "sklearn", "dataset": "iris", "name": "mine"}, tmp_path, 1)
    back = pickle.loads(pickle.dumps(data))
    assert isinstance(data, Dataset) and data.name == "mine"
    assert (back.sha256, back.source) == (data.sha256, data.source)
    with pytest.raises(ValueError, match="read-only"):
        data.target[0] = 1


def test_the_parquet_example_holds_the_records_of_the_csv() -> None:
    base = Path(__file__).resolve().parents[2] / "specs"
    # To be seen without pyarrow too: it is there, and whole.
    content = (base / "data" / "parcels.parquet").read_bytes()
    assert content[:4] == content[-4:] == b"PAR1" and len(content) < 10_000
    pytest.importorskip("pyarrow", reason="pyarrow, which reads parquet, is not installed")
    found, plain = (
        load({"source": kind, "path": f"data/parcels.{kind}", "target": "sent_by"}, base, 1)
        for kind in ("parquet", "csv")
    )
    assert isinstance(found, Dataset) and isinstance(plain, Dataset)
    assert found.sha256 == plain.sha256 and found.n == 160


def test_parquet_without_pyarrow_says_so(tmp_path: Path, fault: Fault) -> None:
    try:
        import pyarrow  # type: ignore[import]  # noqa: F401
    except ImportError:
        found = fault(source="parquet", path="p.parquet", target="y")
        assert "pyarrow" in str(found) and found.path == ("source",)
    else:
        pytest.skip("pyarrow is installed")


def test_parquet(tmp_path: Path, fault: Fault) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {
            "size": [1.5, None, 3.0],
            "count": [1, 2, 3],
            "colour": pyarrow.array(["red", "blue", None]).dictionary_encode(),
            "flag": [True, False, True],
            "class": [1, 2, 1],
        }
    )
    parquet.write_table(table, tmp_path / "p.parquet")
    spec = {"source": "parquet", "path": "p.parquet", "target": "class", "missing": "impute"}
    data = load(spec, tmp_path, 1)
    assert isinstance(data, Dataset) and data.classes == ("1", "2")
    kinds = {column.name: column.kind for column in data.features}
    assert kinds == {
        "size": "numeric",
        "count": "numeric",
        "colour": "categorical",
        "flag": "categorical",
    }
    assert data.features[2].values.tolist() == [0, 1, -1]
    assert data.features[3].levels == ("false", "true")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not at all")
    assert fault(**{**spec, "path": "bad.parquet"}).path == ("path",)


def test_a_missing_label_of_parquet_is_no_class(tmp_path: Path, fault: Fault) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for at, labels in enumerate((["a", None, "b", ""], [1, None, 2, None])):
        table = pyarrow.table({"x": [1.5, 2.5, 3.0, 4.0], "class": labels})
        parquet.write_table(table, tmp_path / f"{at}.parquet")
        spec = {"source": "parquet", "path": f"{at}.parquet", "target": "class"}
        refused = fault(**spec)
        assert refused.path == ("missing_target",) and "in 2 of 4 records" in str(refused)
        data = load({**spec, "missing_target": "drop"}, tmp_path, 1)
        assert isinstance(data, Dataset) and data.n == 2
        assert data.notes == ("2 of 4 records left out: they have no class label",)


def test_heavy_packages_wait() -> None:
    code = "import sys, cvinfer.data; cvinfer.data.sources(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"sklearn", "pandas", "scipy", "pyarrow", "arff"}
    assert heavy.isdisjoint(name.split(".")[0] for name in done.stdout.split())
