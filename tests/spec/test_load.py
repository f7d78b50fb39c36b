"""The reading of specs piece by piece: text, changes by --set, mappings, the schema."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cvinfer.inference import intervals, tests
from cvinfer.partitions import schemes
from cvinfer.schemas import schema
from cvinfer.spec import SpecError, as_json, check_file, headline, load_spec, read_spec, render
from cvinfer.names import close_match
from cvinfer.spec.faults import Fault, in_order, path_text
from cvinfer.spec.text import MAX_BYTES, Document, from_values, keep_as_written, parse

ROOT = Path(__file__).resolve().parents[2]

SPEC: dict[str, Any] = {
    "cvinfer": 1,
    "name": "small",
    "data": {"source": "sklearn", "dataset": "iris"},
    "learners": {
        "tree": {"engine": "sklearn", "learner": "DecisionTreeClassifier"},
        "C4.5": {"engine": "sklearn", "learner": "GaussianNB"},
    },
    "tests": ["kfold_t"],
}

TEXT = """\
cvinfer: 1
data: {source: sklearn, dataset: iris}
learners:
  tree: {engine: sklearn, learner: DecisionTreeClassifier}
  C4.5: {engine: sklearn, learner: GaussianNB}
tests: [kfold_t]
alpha: 0.05
"""


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT)
    return path


def changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SPEC), **changes}


def faults_of(source: Any, *overrides: str) -> list[Fault]:
    return read_spec(source, overrides).faults


def headlines(source: Any, *overrides: str) -> list[str]:
    return [headline(fault) for fault in faults_of(source, *overrides)]


# --- text -----------------------------------------------------------------------------------------


def value_of(text: str) -> Any:
    document = parse(text.encode(), "x")
    assert document.faults == []
    return document.value["v"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-3", 0.001),
        ("1.5e3", 1500.0),
        ("0.05", 0.05),
        ("12", 12),
        ("1_000", 1000),
        ("0x10", 16),
        ("010", "010"),
        ("1:30", "1:30"),
        ("2014-01-02", "2014-01-02"),
        ("'1e-3'", "1e-3"),
        ("yes", True),
        ("~", None),
        ("", None),
        ("=", "="),
    ],
)
def test_scalars_are_what_they_look_like(written: str, value: Any) -> None:
    got = value_of(f"v: {written}")
    assert got == value and type(got) is type(value)


def test_keys_are_text_as_written() -> None:
    document = parse(b"NO: 1\n01: 2\n1.50: 3\n~: 4\n", "x")
    assert list(document.value) == ["NO", "01", "1.50", "~"]


def test_places_of_keys_and_values() -> None:
    document = parse(b"a:\n  - {b: 1}\n  - c\n", "x")
    at = document.places
    assert (at["a",].key_line, at["a",].key_column) == (1, 1)
    assert (at["a", 0, "b"].line, at["a", 0, "b"].column) == (2, 9)
    assert (at["a", 0, "b"].key_line, at["a", 0, "b"].key_column) == (2, 6)
    assert (at["a", 1].line, at["a", 1].column) == (3, 5)


def test_alias_is_placed_where_it_stands() -> None:
    document = parse(b"a: &x [1]\nb: *x\n", "x")
    assert document.value == {"a": [1], "b": [1]}
    assert (document.places["b",].line, document.places["b",].column) == (2, 4)


def test_merge_keys_give_way_to_written_ones() -> None:
    document = parse(b"a: &x {p: 1, q: NO}\nb: {<<: *x, p: 2}\nc: {<<: [*x, {r: 3}]}\n", "x")
    assert document.faults == []
    assert document.value["b"] == {"p": 2, "q": False}
    assert document.value["c"] == {"p": 1, "q": False, "r": 3}
    assert document.written["b", "q"] == "NO"
    assert document.places["b", "q"].line == 1


def test_merge_of_something_else_is_refused() -> None:
    (fault,) = parse(b"a: {<<: 5}\n", "x").faults
    assert "merge" in fault.message


def test_merged_aliases_are_counted_too() -> None:
    lines = ["a: &a {" + ", ".join(f"k{i}: 1" for i in range(50)) + "}"]
    for name, before in zip("bcdef", "abcde"):
        inside = ", ".join(f"{name}{i}: {{<<: *{before}}}" for i in range(20))
        lines.append(f"{name}: &{name} {{{inside}}}")
    start = time.process_time()
    document = parse("\n".join(lines).encode(), "x")
    assert not document.readable and "expand" in document.faults[0].message
    assert time.process_time() - start < 10


def test_as_written_only_where_text_is_meant() -> None:
    document = parse(b"positive: NO\nlabels: [01, 1.50, yes, ~]\nalpha: NO\n", "x")
    keep_as_written(document, [("positive",), ("labels", "*")])
    assert document.value == {
        "positive": "NO",
        "labels": ["01", "1.50", "yes", None],
        "alpha": False,
    }


def test_text_that_is_too_large() -> None:
    document = parse(b"a: " + b"x" * MAX_BYTES, "x")
    assert not document.readable
    assert "bytes" in document.faults[0].message


def test_deep_and_wide_texts_end_quickly() -> None:
    start = time.process_time()
    for text in ("[" * 100_000, "{a: " * 50_000, "- " * 50_000, "a: &a [" + "*a, " * 1000 + "]"):
        document = parse(text.encode(), "x")
        assert not document.readable and document.faults
    assert time.process_time() - start < 10


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.binary(max_size=60), st.text(alphabet="a1:-[]{}&*!<>,'\" \t\n#|?%@", max_size=40))
)
def test_any_bytes_give_a_value_or_faults(data: Any) -> None:
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    document = parse(raw, "x")
    assert document.faults or document.readable
    for fault in document.faults:
        render(fault)


# --- faults ---------------------------------------------------------------------------------------


def test_path_text() -> None:
    assert path_text(("tests", 1)) == "tests[1]"
    assert path_text(("learners", "SVM", "params", "C")) == "learners.SVM.params.C"
    assert path_text(("learners", "C4.5")) == 'learners["C4.5"]'
    assert path_text(()) == "spec"


def test_caret_stays_below_its_character() -> None:
    long = "x: [" + "a, " * 200 + "b]"
    shown = render(Fault("f", 1, len(long) - 1, "x", "wrong", None, None, long)).split("\n")
    assert shown[1][shown[2].index("^")] == "b"
    tabbed = render(Fault("f", 1, 3, "x", "wrong", None, None, "\t\tz")).split("\n")
    assert tabbed[2] == "    \t\t^"


def test_control_characters_do_not_reach_the_terminal() -> None:
    fault = Fault("f", 1, 1, "x", "no \x1b[31m", None, None, "a\x1b[0m")
    assert "\x1b" not in render(fault)


def test_faults_come_in_order_and_once() -> None:
    first, second = Fault("f", 2, 1, "a", "x"), Fault("f", 10, 1, "b", "y")
    override = Fault("--set a=1", 0, 0, "a", "x")
    assert in_order([override, second, first, second]) == [first, second, override]


def test_faults_as_json(spec_file: Path) -> None:
    _, faults = check_file(spec_file, ["alpha=2"])
    (entry,) = json.loads(json.dumps(as_json(faults)))
    assert entry["path"] == "alpha" and entry["allowed"].startswith("a number between 0 and 1")
    assert set(entry) == set(Fault._fields)


def test_close_match_ignores_case() -> None:
    assert close_match("svm", ["CART", "SVM"]) == "SVM"
    assert close_match("zzz", ["CART", "SVM"]) is None


# --- files and mappings ---------------------------------------------------------------------------


def test_missing_file_and_directory(tmp_path: Path) -> None:
    assert "no such file" in headlines(tmp_path / "none.yaml")[0]
    assert "directory" in headlines(tmp_path)[0]
    assert headlines("a\0b.yaml")


def test_mapping_gives_the_same_spec_as_its_text(spec_file: Path) -> None:
    from_text = load_spec(spec_file)
    from_dict = load_spec({**SPEC, "name": "mine"})
    assert from_text.resolved() == from_dict.resolved()
    assert from_text.base == spec_file.parent and from_dict.base == Path.cwd()


def test_mapping_is_left_as_it_was() -> None:
    mine = changed(positive=1, data={"source": "sklearn", "dataset": "iris", "drop": []})
    before = copy.deepcopy(mine)
    read_spec(mine, ["alpha=0.01", "learners.tree.params.max_depth=3"])
    assert mine == before


def test_faults_of_a_mapping_have_paths_but_no_lines() -> None:
    (fault,) = faults_of(changed(alpha=2))
    assert (fault.line, fault.column, fault.path) == (0, 0, "alpha")
    assert headline(fault).startswith("spec: alpha: 2 is too large; allowed: ")


def test_mapping_with_python_values(tmp_path: Path) -> None:
    import numpy as np

    mine = changed(alpha=np.float64(0.1), seed=np.int64(3), tests=("kfold_t",))
    spec = load_spec(mine)
    assert spec.alpha == 0.1 and spec.seed == 3
    assert headlines(changed(name=object()))[0].startswith("spec: name: a value of the Python type")


def test_endless_mapping_is_refused() -> None:
    mine = changed()
    mine["data"]["again"] = mine
    assert "without end" in headlines(mine)[0]


def test_load_spec_raises_with_all_faults() -> None:
    with pytest.raises(SpecError) as caught:
        load_spec(changed(alpha=2, seed=-1, tests=["kfold"]))
    assert sorted(fault.path for fault in caught.value.faults) == ["alpha", "seed", "tests[0]"]
    assert caught.value.exit_code == 2
    assert "did you mean 'kfold_t'?" in str(caught.value)


def test_defaults() -> None:
    mine = changed()
    del mine["tests"], mine["name"]
    resolved = load_spec(mine).resolved()
    assert [next(iter(test)) for test in resolved["tests"]] == ["bcv_5x2_mcnemar"]
    assert (resolved["primary"], resolved["margin"]) == ("bcv_5x2_mcnemar", None)
    assert resolved["compare"] == [["tree", "C4.5"]]
    assert (resolved["partition"], resolved["intervals"]) == ("auto", [])
    assert (resolved["alpha"], resolved["correction"], resolved["seed"]) == (0.05, "holm", 0)
    assert resolved["output"] == {"directory": "results"}


def test_the_first_test_decides_unless_another_is_named() -> None:
    names = ["kfold_t", {"corrected_kfold_t": {"rho": 0.5}}]
    assert load_spec(changed(tests=names)).primary == "kfold_t"
    spec = load_spec(changed(tests=names, primary="corrected_kfold_t", margin=0.01))
    assert (spec.primary, spec.margin) == ("corrected_kfold_t", 0.01)
    assert load_spec(spec.resolved()).resolved() == spec.resolved()
    nothing = load_spec(changed(tests=[], intervals="recommended"))
    assert nothing.primary is None and load_spec(nothing.resolved()).primary is None


def test_all_means_every_registered_test() -> None:
    spec = load_spec(changed(tests="all", intervals="all"))
    assert {test.name for test in spec.tests} == set(tests())
    # What is recommended comes first, and so decides.
    assert spec.primary == spec.tests[0].name == "bcv_5x2_mcnemar"
    assert [interval.name for interval in spec.intervals] == list(intervals())


@pytest.mark.parametrize(
    "scheme, primary",
    [
        ("kfold", "corrected_kfold_t"),  # not naive_kfold_mcnemar, which hardly ever rejects
        ("repeated_holdout", "corrected_repeated_holdout_t"),
        ("holdout", "holdout_mcnemar"),
        ("random_mx2", "dietterich_5x2_t"),
        ("blocked_mx2", "bcv_5x2_mcnemar"),
    ],
)
def test_of_all_on_a_scheme_the_one_measured_best_decides(scheme: str, primary: str) -> None:
    spec = load_spec(changed(tests="all", partition=scheme))
    assert spec.primary == spec.tests[0].name == primary


def test_all_on_named_schemes_means_those_that_are_valid_there() -> None:
    spec = load_spec(changed(tests="all", partition={"scheme": "random_mx2", "m": 5}))
    assert {test.name for test in spec.tests} == {
        "dietterich_5x2_t",
        "combined_5x2_t",
        "combined_5x2_f",
    }


def test_the_data_is_read_once_and_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    import cvinfer.data

    calls = []
    load = cvinfer.data.load

    def counted(*args: Any) -> Any:
        calls.append(args)
        return load(*args)

    monkeypatch.setattr(cvinfer.data, "load", counted)
    spec, data, faults = read_spec(changed())
    assert faults == [] and spec is not None
    assert len(calls) == 1 and data[0].n == 150


def test_predictions_name_their_own_learners() -> None:
    spec = load_spec(ROOT / "specs" / "predictions.yaml")
    assert dict(spec.learners) == {} and spec.pairs == (("tree", "nearest neighbour"),)
    assert "learners" not in spec.resolved()


def test_code_of_other_packages_needs_leave() -> None:
    learner = {"engine": "sklearn", "learner": "sklearn.naive_bayes:GaussianNB"}
    mine = changed(learners={**SPEC["learners"], "mine": learner})
    assert ["--allow-code" in line for line in headlines(mine)] == [True]
    assert load_spec(mine, allow_code=True).learners["mine"].learner == learner["learner"]


def test_infinity_is_for_learners_only() -> None:
    learners = {**SPEC["learners"]}
    learners["far"] = {
        "engine": "sklearn",
        "learner": "KNeighborsClassifier",
        "params": {"p": float("inf")},
    }
    assert headlines(changed(learners=learners)) == []
    assert "finite" in headlines(changed(limits={"seconds": float("inf")}))[0]


# --- --set ----------------------------------------------------------------------------------------


def test_overrides_change_what_the_spec_says(spec_file: Path) -> None:
    spec = load_spec(
        spec_file,
        [
            "alpha=1e-2",
            "tests=[cvci_z, {corrected_kfold_t: {rho: 0.5}}]",
            "data.dataset=wine",
            "learners.tree.params.max_depth=3",
            "learners.C4.5.params.var_smoothing=1e-8",
            "limits.seconds=5",
            "tests[0]=kfold_t",
        ],
    )
    assert spec.alpha == 0.01 and spec.data[0]["dataset"] == "wine"
    assert [test.name for test in spec.tests] == ["kfold_t", "corrected_kfold_t"]
    assert dict(spec.learners["tree"].params) == {"max_depth": 3}
    assert dict(spec.learners["C4.5"].params) == {"var_smoothing": 1e-8}
    assert dict(spec.limits) == {"seconds": 5}


def test_override_of_a_label_counts_as_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(
        "x,y\n" + "".join(f"{i},{'NO' if i % 2 else '01'}\n" for i in range(40))
    )
    mine = changed(data={"source": "csv", "path": "d.csv", "target": "y"})
    for label in ("NO", "01"):
        assert load_spec(mine, [f"positive={label}"], base=tmp_path).positive == label


@pytest.mark.parametrize(
    ("override", "start"),
    [
        ("alpha=2", "--set alpha=2: alpha: 2 is too large; allowed: a number between 0 and 1"),
        ("alpha=", "--set alpha=: alpha: nothing is given"),
        ("aplha=0.1", "--set aplha=0.1: aplha: unknown key"),
        ("tests=[kfold", "--set tests=[kfold: tests: the bracket"),
        ("tests=[kfold]", "--set tests=[kfold]: tests[0]: there is no test 'kfold'"),
        ("alpha", "--set alpha: alpha: this is not of the form key=value"),
        ("=3", "--set =3: spec: this is not of the form key=value"),
        ("alpha.x=3", "--set alpha.x=3: alpha.x: 'x' leads nowhere"),
        ("tests[7]=kfold_t", "--set tests[7]=kfold_t: tests[7]: '7' leads nowhere"),
        ("data.path=x.csv", "--set data.path=x.csv: data.path: unknown key for the source sklearn"),
        (
            'learners."C4.5".params.x=1',
            '--set learners."C4.5".params.x=1: learners["C4.5"].params.x: GaussianNB has no',
        ),
    ],
)
def test_faults_of_overrides_say_so(spec_file: Path, override: str, start: str) -> None:
    (line,) = headlines(spec_file, override)
    assert line.startswith(start)


def test_override_mends_a_fault(spec_file: Path) -> None:
    spec_file.write_text(TEXT.replace("0.05", "5"))
    assert len(headlines(spec_file)) == 1
    assert headlines(spec_file, "alpha=0.05") == []


# --- schema ---------------------------------------------------------------------------------------


def parts(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every subschema with its path."""
    yield path, part
    for key in ("properties", "$defs"):
        for name, child in part.get(key, {}).items():
            yield from parts(child, f"{path}/{key}/{name}")
    for index, child in enumerate(part.get("anyOf", [])):
        yield from parts(child, f"{path}/anyOf/{index}")
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from parts(part[key], f"{path}/{key}")


def test_schema_is_a_schema_of_the_right_draft() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema("spec"))
    assert schema("spec")["$schema"].endswith("draft/2020-12/schema")


def test_every_part_of_the_schema_is_described() -> None:
    bare = [
        path
        for path, part in parts(schema("spec"))
        if "$ref" not in part and "description" not in part
    ]
    # A choice between two forms is described by the key that takes it.
    assert [path for path in bare if not path.endswith(("items", "$defs/scheme"))] == []


def test_names_in_the_schema_are_registered() -> None:
    known = {
        "test": set(tests()),
        "interval": set(intervals()),
        "scheme": {*schemes(), "file", "openml", "auto"},
    }
    for path, part in parts(schema("spec")):
        for kind, names in known.items():
            if part.get("title", "").endswith(f"name of a {kind}") and "examples" in part:
                assert set(part["examples"]) == names - (
                    {"auto"} if "auto" not in path and "auto" not in part["title"] else set()
                ), path


def test_every_option_of_every_source_is_in_the_schema() -> None:
    from cvinfer.data import sources

    described = schema("spec")["$defs"]["data_set"]["properties"]
    for source in sources().values():
        assert set(source.options) <= set(described), source.name


def test_every_option_of_every_scheme_is_in_the_schema() -> None:
    described = schema("spec")["$defs"]["scheme"]["anyOf"][1]["properties"]
    for scheme in schemes().values():
        assert set(scheme.defaults) - {"blocks"} <= set(described), scheme.name


@pytest.mark.parametrize("path", sorted((ROOT / "specs").glob("*.yaml")), ids=lambda p: p.stem)
def test_editors_accept_the_examples(path: Path) -> None:
    import yaml
    from jsonschema import Draft202012Validator

    value = yaml.safe_load(path.read_text("utf-8"))
    assert list(Draft202012Validator(schema("spec")).iter_errors(value)) == []


# --- nothing a user writes makes it fall over -----------------------------------------------------

ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 10**12),
        st.floats(),
        st.sampled_from(["", "all", "auto", "kfold", "kfold_t", "tree", "../x", "file", "csv"]),
        st.text(max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["source", "path", "scheme", "k", "m", "engine", "kfold_t", "each", "n"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
KEYS = sorted(schema("spec")["properties"])


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(KEYS), ODD, min_size=1, max_size=4))
def test_odd_values_give_faults_or_a_spec(changes: dict[str, Any]) -> None:
    spec, _, faults = read_spec(changed(**changes))
    assert (spec is None) == bool(faults)
    for fault in faults:
        assert fault.message and "\n" not in headline(fault)


INSIDE = [
    ("data", "dataset"),
    ("data", "sample"),
    ("data", "binarize"),
    ("data", "keep"),
    ("learners", "tree"),
    ("learners", "tree", "params"),
    ("learners", "tree", "steps"),
    ("learners", "tree", "engine"),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(INSIDE), ODD)
def test_odd_values_inside_give_faults_or_a_spec(path: tuple[str, ...], value: Any) -> None:
    mine = changed()
    place = mine
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    spec, _, faults = read_spec(mine)
    assert (spec is None) == bool(faults)


def test_import_is_light() -> None:
    code = (
        "import sys, cvinfer.spec; heavy = {'sklearn', 'pandas', 'scipy', 'jsonschema'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_document_without_places_still_gives_faults() -> None:
    document = Document("x", {})
    assert document.fault(("a", 1), "wrong").line == 0
    assert from_values({"a": [1]}).written == {("a", 0): "1"}
