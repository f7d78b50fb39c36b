"""Features that wait in a file while other data sets are at work."""

from __future__ import annotations

import io
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cvinfer import runner
from cvinfer.data import Column, Dataset, load
from cvinfer.data.parked import parked


def written(folder: Path, name: str, n: int) -> str:
    random = np.random.default_rng(n)
    rows = [
        f"{a:.3f},{'u' if b < 0.5 else 'v'},{'' if b > 0.9 else b:.4},{'x' if a + c > 1 else 'y'}"
        for a, b, c in random.random((n, 3)).tolist()
        if not b > 0.9
    ]
    (folder / name).write_text("a,b,c,class\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return name


@pytest.fixture
def both(tmp_path: Path) -> tuple[Dataset, Dataset]:
    spec = {"source": "csv", "path": written(tmp_path, "one.csv", 4000), "target": "class"}
    plain = load(spec, tmp_path, 1)
    assert isinstance(plain, Dataset)
    return plain, parked(plain)


def test_it_is_the_same_data_set(both: tuple[Dataset, Dataset]) -> None:
    plain, waiting = both
    assert waiting.sha256 == plain.sha256 and waiting.n == plain.n
    for one, other in zip(plain.features, waiting.features):
        assert type(other) is not Column  # otherwise nothing is tried here
        assert (one.name, one.kind, one.levels) == (other.name, other.kind, other.levels)
        assert one.values.dtype == other.values.dtype and not other.values.flags.writeable
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.missing, other.missing)
        some = np.array([5, 0, 5])
        np.testing.assert_array_equal(one.take(some).values, other.take(some).values)


def test_workers_are_given_plain_columns(both: tuple[Dataset, Dataset]) -> None:
    plain, waiting = both
    came = pickle.loads(pickle.dumps(waiting))
    for one, other in zip(plain.features, came.features):
        assert type(other) is Column and not other.values.flags.writeable
        np.testing.assert_array_equal(one.values, other.values)


def test_nothing_of_it_is_held(both: tuple[Dataset, Dataset]) -> None:
    _, waiting = both
    column = waiting.features[0]
    assert column.values is not column.values
    held = sum(each.nbytes for each in vars(column).values() if isinstance(each, np.ndarray))
    assert held == 0


def test_small_ones_and_full_disks(
    both: tuple[Dataset, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, _ = both
    few = Dataset("few", (plain.features[0].take(np.arange(100)),), *_rest(plain))
    assert parked(few) is few

    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    assert parked(plain) is plain


def _rest(of: Dataset) -> tuple[Any, ...]:
    return of.target, of.classes, of.target_name, of.sha256


def test_a_run_gives_the_same_as_each_alone(tmp_path: Path) -> None:
    names = [written(tmp_path, f"d{n}.csv", n) for n in (3900, 4100)]
    spec: dict[str, Any] = {
        "cvinfer": 1,
        "name": "both",
        "across": False,
        "correction": "none",
        "learners": {
            "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
            "bayes": {"engine": "sklearn", "learner": "GaussianNB"},
        },
        "tests": ["kfold_t"],
    }
    data = [{"source": "csv", "path": name, "target": "class"} for name in names]
    sets = runner.load({**spec, "data": data}, base=tmp_path).sets
    assert all(type(each) is not Column for one in sets for each in one.features)
    both = runner.run({**spec, "data": data}, base=tmp_path).document
    for at, one in enumerate(data):
        alone = runner.run({**spec, "data": one}, base=tmp_path).document
        assert alone["data"][0] == both["data"][at]
        assert alone["losses"] == [
            {**each, "partition": each["partition"] - at}
            for each in both["losses"]
            if each["data"] == alone["data"][0]["name"]
        ]
