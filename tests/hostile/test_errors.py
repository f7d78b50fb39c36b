"""What a stranger can write never ends in an internal error, and nothing odd passes in silence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import r_parts
from cvinfer.errors import LearnerError
from cvinfer.engines._sklearn.estimators import known_codes

HAS_R = r_parts.why_not("engine: r") is None


def written(place: Path, **more: str) -> Path:
    lines = {
        "cvinfer": "1",
        "name": "x",
        "data": "{source: sklearn, dataset: iris}",
        "learners": "{a: {engine: builtin, learner: mean}, b: {engine: sklearn, learner: SVC}}",
        **more,
    }
    path = place / "spec.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return path


HEX = "0x" + "f" * 5000
SEARCH = "{engine: sklearn, learner: GridSearchCV, params: {estimator: SVC, param_grid: %s}}"
INTERNAL = {
    "hex": ({"seed": HEX}, "seed"),
    "hex alpha": ({"alpha": HEX}, "alpha"),
    "hex limit": ({"limits": "{seconds: %s}" % HEX}, "limits.seconds"),
    "binary": ({"seed": "0b" + "1" * 20000}, "seed"),
    "digits": ({"seed": "9" * 5000}, "seed"),
    "NUL in a directory": ({"output": '{directory: "a\\0b"}'}, "output.directory"),
    "NUL in an encoding": (
        {"data": '{source: csv, path: d.csv, target: y, encoding: "a\\0b"}'},
        "data.encoding",
    ),
    "NUL in a path": ({"data": '{source: csv, path: "a\\0b", target: y}'}, "data.path"),
    "punycode": (
        {"data": "{source: csv, path: d.csv, target: y, encoding: punycode}"},
        "data.encoding",
    ),
    "undefined": (
        {"data": "{source: csv, path: d.csv, target: y, encoding: undefined}"},
        "data.encoding",
    ),
    "idna": ({"data": "{source: arff, path: d.csv, encoding: idna}"}, "data.encoding"),
    "hex as an encoding": (
        {"data": "{source: predictions, path: d.csv, encoding: hex}"},
        "data.encoding",
    ),
    "home of nobody": (
        {"data": "{source: csv, path: ~nobody-of-this-name/d.csv, target: y}"},
        "data.path",
    ),
    "address": ({"data": '{source: openml, id: 1, server: "http://[::1"}'}, "data.server"),
    "port": ({"data": '{source: openml, id: 1, server: "http://x:99999999/"}'}, "data.server"),
    "grid": ({"learners": "{a: %s}" % (SEARCH % 5)}, "learners.a.params.param_grid"),
    "grid of numbers": ({"learners": "{a: %s}" % (SEARCH % "[5]")}, "learners.a.params.param_grid"),
    "grid of nothing": (
        {"learners": "{a: %s}" % (SEARCH % "{C: [1]}").replace("SVC", "null")},
        "learners.a.params.estimator",
    ),
    "grid of no estimator": (
        {"learners": "{a: %s}" % (SEARCH % "{C: [1]}").replace("SVC", "nobody")},
        "learners.a.params.estimator",
    ),
    "options": (
        {"learners": "{a: {engine: rweka, learner: J48, options: 1.0}}"},
        "learners.a.options",
    ),
    "grid of text": ({"learners": "{a: %s}" % (SEARCH % "abc")}, "learners.a.params.param_grid"),
}


@pytest.mark.parametrize("name", INTERNAL)
def test_faults_have_their_place(name, call, place):
    (place / "d.csv").write_text("x,y\n1,a\n2,b\n")
    more, path = INTERNAL[name]
    if "rweka" in str(more) and not HAS_R:
        pytest.skip("needs R")
    spec = written(place, **more)
    for command in ("validate", "run"):
        answer = call(command, spec)
        assert answer.code == 2, answer.text
        assert f"{spec.name}:" in answer.text and f" {path}:" in answer.text, answer.text
        assert len(answer.text) < 5000


def test_numbers_without_end_from_python():
    from cvinfer.spec import SpecError, load_spec

    spec = {
        "cvinfer": 1,
        "data": {"source": "sklearn", "dataset": "iris"},
        "learners": {"a": {"engine": "builtin", "learner": "mean"}},
        "seed": 10**5000,
    }
    with pytest.raises(SpecError, match="seed"):
        load_spec(spec)


@pytest.mark.skipif(not HAS_R, reason="needs R")
def test_a_huge_number_for_r_is_a_fault_of_its_file(call, place):
    other = written(place)
    other.rename(place / "fine.yaml")
    entry = "{a: {engine: r, learner: rpart, params: {cp: %s}}, b: {engine: r, learner: nnet}}"
    for number in ("0x" + "f" * 290, "9" * 400, "1" + "0" * 299):
        spec = written(place, learners=entry % number)
        answer = call("validate", spec, place / "fine.yaml")
        assert answer.code == 2
        assert "learners.b" in answer.text  # nnet needs a size
        told = "learners.a.params.cp: this is not a finite number"
        assert (told in answer.text) == (number[:2] != "10"), answer.text
        assert "fine.yaml: ok" in answer.text


RECORDS = [f"{i % 10},{i},{'pq'[i % 2]},p" for i in range(40)]


@pytest.mark.parametrize(
    "rows",
    [
        [f"{'9' * 5000},{i},{'pq'[i % 2]},p" for i in range(10)] + RECORDS,
        [f"{i % 2},{'9' * 5000 + str(i)},{'pq'[i % 2]},p" for i in range(10)],
        [f"a{'9' * 5000}{i % 2},b{'9' * 5000}{i},{'pq'[i % 2]},p" for i in range(10)],
    ],
)
def test_labels_of_very_many_digits(rows, call, place):
    (place / "p.csv").write_text("\n".join(["split,record,truth,a", *rows]) + "\n")
    spec = place / "spec.yaml"
    spec.write_text("cvinfer: 1\ndata: {source: predictions, path: p.csv}\ntests: [kfold_t]\n")
    assert call("validate", spec).code in (0, 2)


# --- results --------------------------------------------------------------------------------------


@pytest.fixture
def result(finished, place):
    """A change of a finished result, written to a file."""
    document = json.loads((finished / "result.json").read_text())

    def changed(change) -> Path:
        new = json.loads(json.dumps(document))
        change(new)
        path = place / "result.json"
        path.write_text(json.dumps(new))
        return path

    return changed


CHANGES = {
    "no partitions": lambda d: d["partitions"].clear(),
    "NaN": lambda d: d["spec"].update(alpha=float("nan")),
    "NaN in an inference": lambda d: d["comparisons"][0]["inference"].update(alpha=float("nan")),
    "infinity": lambda d: d["comparisons"][0]["inference"].update(p_value=float("inf")),
    "partition out of range": lambda d: d["comparisons"][0].update(partitions=[99]),
    "no data": lambda d: d["data"].clear(),
    "no spec": lambda d: d["spec"].clear(),
    "null": lambda d: d["comparisons"][0]["inference"].update(null={}),
    "a list of names": lambda d: d["comparisons"][0].update(a=["x"]),
    "no extra": lambda d: d["comparisons"][0]["inference"]["extra"].clear(),
    "huge": lambda d: d["comparisons"][0]["inference"].update(estimate=1e308, statistic=-1e308),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_results_that_do_not_fit_together(name, form, call, result):
    answer = call("table", result(CHANGES[name]), "--format", form)
    assert answer.code in (0, 2)
    if answer.code:
        assert "result.json" in answer.err and len(answer.err) < 1000


@pytest.mark.parametrize("name", CHANGES)
def test_nor_are_they_tested_again(name, call, result):
    answer = call("test", result(CHANGES[name]), "--tests", "blocked_3x2_t")
    assert answer.code in (0, 2)


def test_nor_are_they_run_again(call, result):
    path = result(lambda document: document.update(learners=[{"name": {}}, {"name": []}, None]))
    assert call("validate", path).code in (0, 2)


# --- accepted in silence --------------------------------------------------------------------------


@pytest.mark.parametrize("masked", [[True] * 3, [False, True, False]])
def test_masked_predictions_are_none(masked):
    raw = np.ma.masked_array([0, 1, 0], mask=masked)
    with pytest.raises(LearnerError, match="masked"):
        known_codes(raw, 3, ("a", "b"), "x")


def test_complex_predictions_are_none():
    with pytest.raises(LearnerError, match="complex"):
        known_codes(np.array([0, 1, 0], dtype=complex), 3, ("a", "b"), "x")
    with pytest.raises(LearnerError, match="complex"):
        known_codes(np.array([0, 1 + 5j, 0]), 3, ("a", "b"), "x")


def test_predictions_with_a_mask_that_masks_nothing_are_taken():
    raw = np.ma.masked_array([0, 1, 0], mask=[False] * 3)
    assert known_codes(raw, 3, ("a", "b"), "x").tolist() == [0, 1, 0]


def test_a_cell_without_an_end(call, place):
    head = "@relation r\n@attribute 'x y' numeric\n@attribute y {p,q}\n@data\n1,p\n"
    (place / "d.arff").write_text(head + "z" * 200_000 + "\n2,q\n")
    answer = call("validate", written(place, data="{source: arff, path: d.arff}"))
    assert answer.code == 2 and "line 6" in answer.text and len(answer.text) < 1000, answer.text


ARFF = "@relation r\n@attribute {name} numeric\n@attribute y {{p,q}}\n@data\n" + "1,p\n2,q\n" * 40


@pytest.mark.parametrize("name", ["'abc", '"abc', "abc'", "a'bc", "'a b", "'a\\'"])
def test_an_open_quote_of_an_attribute(name, call, place):
    (place / "d.arff").write_text(ARFF.format(name=name))
    spec = written(place, data="{source: arff, path: d.arff}")
    answer = call("validate", spec)
    assert answer.code == 2 and "line 2" in answer.text and "quote" in answer.text, answer.text


@pytest.mark.parametrize("name", ["abc", "'a b'", '"a b"', "'it\\'s'", '"it\'s"', "a-b", "'%'"])
def test_names_of_attributes_that_are_fine(name, call, place):
    (place / "d.arff").write_text(ARFF.format(name=name))
    assert call("validate", written(place, data="{source: arff, path: d.arff}")).code == 0


def predictions(place: Path, text: str) -> Path:
    (place / "p.csv").write_text(text)
    spec = place / "spec.yaml"
    spec.write_text("cvinfer: 1\ndata: {source: predictions, path: p.csv}\ntests: [kfold_t]\n")
    return spec


@pytest.mark.parametrize("name", ["", " ", '""'])
def test_a_learner_without_a_name(name, call, place):
    rows = [f"{i % 10},{i},{'pq'[i % 2]},p,q" for i in range(100)]
    spec = predictions(place, "\n".join([f"split,record,truth,a,{name}", *rows]) + "\n")
    answer = call("validate", spec)
    assert answer.code == 2 and "column 5 has no name" in answer.text, answer.text


def test_a_mistyped_label_of_a_split(call, place):
    rows = [f"{i % 10 + 1},{i},{'pq'[i % 2]},p,q" for i in range(100)]
    fine = predictions(place, "\n".join(["split,record,truth,a,b", *rows]) + "\n")
    assert call("validate", fine).code == 0
    rows[9] = rows[9].replace("10,", "1O,", 1)
    spec = predictions(place, "\n".join(["split,record,truth,a,b", *rows]) + "\n")
    answer = call("validate", spec)
    assert answer.code == 2
    assert "split 1O tests one record, the others 9 to 10" in answer.text, answer.text


def test_a_split_of_one_record_that_may_be_meant(place):
    from cvinfer.data import load

    rows = [f"{i % 10 + 1},{i},{'pq'[i % 2]},p,q" for i in range(100)]
    rows[9] = rows[9].replace("10,", "11,", 1)
    predictions(place, "\n".join(["split,record,truth,a,b", *rows]) + "\n")
    found = load({"source": "predictions", "path": "p.csv"}, place, 0)
    assert any("split 11 tests one record" in note for note in found.notes)
    alone = [f"{i},{i},{'pq'[i % 2]},p,q" for i in range(20)]
    predictions(place, "\n".join(["split,record,truth,a,b", *alone]) + "\n")
    found = load({"source": "predictions", "path": "p.csv"}, place, 0)
    assert not any("one record" in note for note in found.notes)
