"""The registry: what each procedure declares, how it is found, how one is added."""

from __future__ import annotations

import ast
import importlib
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.contract.examples import EXAMPLES
from cvinfer import inference
from cvinfer.errors import Refusal
from cvinfer.inference import registry
from cvinfer.inference.records import ADAPTERS
from cvinfer.inference.result import studentised
from cvinfer.inference.nulls import student

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
PROCEDURES = {**inference.tests(), **inference.intervals()}
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.+)\},?\s*$", re.MULTILINE)


def entries() -> dict[str, dict[str, str]]:
    """The entries of references.bib by key, each with its fields."""
    found = {}
    for entry in re.split(r"^@", inference.bibliography(), flags=re.MULTILINE)[1:]:
        kind, key = re.match(r"(\w+)\{([^,\s]+),", entry).groups()
        found[key] = {"ENTRYTYPE": kind, **dict(FIELD.findall(entry))}
    return found


def test_names_are_those_of_the_contract():
    assert set(inference.tests()) >= {
        *("repeated_holdout_t", "kfold_t", "corrected_kfold_t", "corrected_2fold_t"),
        *("dietterich_5x2_t", "combined_5x2_t", "combined_5x2_f", "calibrated_5x2_bcv_f"),
        *("blocked_3x2_t", "corrected_repeated_holdout_t", "corrected_repeated_kfold_t"),
        *("proportion_z", "conservative_z", "cvci_z", "holdout_mcnemar", "naive_kfold_mcnemar"),
        *("bcv_5x2_mcnemar", "wong_matched_t", "wong_independent_z", "wong_welch_t"),
        *("loo_matched_t", "loo_independent_z"),
    }
    assert set(inference.intervals()) >= {
        *("f1_beta_prime", "precision_beta", "recall_beta", "kfold_t_interval"),
        *("five_by_two_t_interval", "blocked_3x2_t_interval", "error_kfold_t"),
        *("error_dataset_z", "error_loo_z"),
    }
    assert not set(inference.tests()) & set(inference.intervals())


@pytest.mark.parametrize("name, declared", PROCEDURES.items(), ids=PROCEDURES)
def test_every_procedure_says_what_it_is(name, declared):
    assert declared.name == name
    assert declared.kind == ("test" if name in inference.tests() else "interval")
    for text in (declared.formula, declared.null, declared.data, declared.scheme):
        assert text.strip()
    assert declared.use.endswith(".") and declared.use.count(". ") == 0
    assert declared.use[0].isupper()
    assert declared.needs


@pytest.mark.parametrize("name, declared", inference.tests().items(), ids=inference.tests())
def test_every_test_has_an_interval_if_it_says_so(name, declared):
    example = EXAMPLES[name]
    cases = [example.draw(np.random.default_rng(0)), *(case.data for case in example.degenerate)]
    for data in cases:
        result = inference.infer(name, *data)
        assert declared.has_interval == (result.interval() is not None)
        assert declared.has_interval == (result.interval(0.5) is not None)
    assert declared.interval_kind is None and declared.measure is None
    assert declared.has_interval or declared.interval_cite is None


def test_tests_without_an_interval():
    without = {name for name, declared in inference.tests().items() if not declared.has_interval}
    assert without == {"combined_5x2_f", "calibrated_5x2_bcv_f", "naive_kfold_mcnemar"}


@pytest.mark.parametrize("name, declared", inference.intervals().items())
def test_every_interval_says_its_kind_and_measure(name, declared):
    # A posterior's quantiles are a credible interval, a pivot's a confidence interval.
    assert declared.interval_kind == ("credible" if "beta" in declared.null else "confidence")
    result = inference.infer(name, *EXAMPLES[name].draw(np.random.default_rng(0)))
    assert result.kind == declared.interval_kind
    assert result.as_dict()["kind"] == declared.interval_kind
    assert declared.measure in registry.MEASURES and declared.has_interval
    first = name.split("_")[0]
    named = {"f1": "F1", "precision": "precision", "recall": "recall", "error": "error rate"}
    named.update(dict.fromkeys(("corrected", "conservative", "nested"), registry.ANY_MEASURE))
    assert declared.measure == named.get(first, "F1")


@pytest.mark.parametrize("wrong", [{"kind": "tolerance"}, {"measure": "luck"}])
def test_an_interval_of_an_unknown_kind_or_measure_is_refused(wrong):
    said = {"kind": "credible", "measure": "F1", **wrong}
    with pytest.raises(RuntimeError, match=f"'odd' is declared as .*{[*wrong.values()][0]}"):
        registry.interval(
            "odd",
            scheme=registry.needs("kfold"),
            data="scores",
            formula="-",
            null="-",
            cite="dietterich1998",
            use="-",
            **said,
        )
    assert "odd" not in inference.intervals()


def test_a_scheme_taken_when_asked_for():
    need = registry.needs("blocked_mx2", m=5, fixed=("m",), also=("random_mx2",))
    assert need.accepts("blocked_mx2", {"m": 5}) and need.accepts("random_mx2", {"m": 5})
    assert not need.accepts("random_mx2", {"m": 3}) and not need.accepts("kfold", {"m": 5})
    assert str(need) == "blocked_mx2(m=5)"
    declared = inference.procedure("bcv_5x2_mcnemar")
    assert declared.scheme == "blocked_mx2(m=5)"
    with_more = {name for name, p in PROCEDURES.items() if any(need.also for need in p.needs)}
    assert with_more == {"bcv_5x2_mcnemar"}


@pytest.mark.parametrize("scheme", ["blocked_mx2", "random_mx2"])
def test_a_comparison_carries_the_scheme_of_its_partition(scheme):
    from cvinfer.partitions import make_partition

    partition = make_partition(scheme, 40, m=5, seed=1)
    rng = np.random.default_rng(2)
    truth, guess = rng.integers(0, 2, 40), rng.integers(0, 2, 40)
    predictions = [guess[split.test] for split in partition.splits]
    right = [truth[split.test] for split in partition.splits]
    result = inference.compare("bcv_5x2_mcnemar", partition, truth, predictions, right)
    assert result.scheme == scheme and result.as_dict()["scheme"] == scheme
    halves = inference.contingency_tables(
        *(inference.zero_one_losses(truth, p, partition) for p in (predictions, right)), partition
    )
    direct = inference.bcv_5x2_mcnemar(halves)
    assert direct.scheme == "blocked_mx2" and direct.p_value == result.p_value
    losses = [np.ones(20)] * 10, [np.zeros(20)] * 10
    assert inference.compare_losses("bcv_5x2_mcnemar", partition, *losses).scheme == scheme


@pytest.mark.parametrize("name, declared", inference.tests().items(), ids=inference.tests())
def test_every_test_can_be_fed_from_records(name, declared):
    assert declared.data in ADAPTERS


def test_every_adapter_feeds_a_test():
    assert {declared.data for declared in inference.tests().values()} == set(ADAPTERS)


@pytest.mark.parametrize("name, declared", PROCEDURES.items(), ids=PROCEDURES)
def test_every_scheme_can_be_planned(name, declared):
    from cvinfer.partitions import make_partition, schemes

    for need in declared.needs:
        assert need.scheme in schemes()
        assert set(need.options) <= set(schemes()[need.scheme].defaults)
        assert set(need.fixed) <= set(need.options)
        partition = make_partition(need.scheme, 120, **need.options)
        assert need.accepts(partition.scheme, partition.options)
        assert need.scheme in str(need)


@pytest.mark.parametrize("name, declared", PROCEDURES.items(), ids=PROCEDURES)
def test_docstrings_give_formula_sign_and_source(name, declared):
    text = declared.function.__doc__
    assert text and text.strip()
    assert re.search(r"\([A-Z][^()]*\)|theorem|eq\.", text), "no source"
    if declared.kind == "test":
        assert re.search(r"^\s*(t|z|F|χ²) = \S", text, re.MULTILINE), "no formula"
        assert "worse" in text
    else:
        assert re.search(r"±|Beta\(|F1_", text), "no formula"
    assert declared.function.__name__ == name


@pytest.mark.parametrize("name, declared", PROCEDURES.items(), ids=PROCEDURES)
def test_every_citation_resolves(name, declared):
    assert declared.cite in inference.citation_keys()
    result = inference.infer(name, *EXAMPLES[name].draw(np.random.default_rng(0)))
    assert result.cite == declared.cite


def test_no_reference_is_unused_or_incomplete():
    known = entries()
    assert tuple(known) == inference.citation_keys()
    assert len(set(inference.citation_keys())) == len(inference.citation_keys())
    cited = {declared.cite for declared in PROCEDURES.values()}
    cited |= {p.interval_cite for p in PROCEDURES.values() if p.interval_cite}
    assert cited <= set(known)
    # What stands behind an option or a warning is named where that is explained.
    explained = "".join(
        path.read_text(encoding="utf-8")
        for folder, pattern in (("cvinfer", "**/*.py"), ("docs/decisions", "*.md"))
        for path in sorted((ROOT / folder).glob(pattern))
    )
    assert [key for key in known if key not in cited and key not in explained] == []
    for key, fields in known.items():
        assert fields.get("author") and fields.get("title"), key
        assert re.fullmatch(r"\d{4}", fields.get("year", "")), key


DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")
ARXIV = re.compile(r"\d{4}\.\d{5}")


@pytest.mark.parametrize("key, fields", entries().items(), ids=entries())
def test_every_reference_can_be_looked_up(key, fields):
    if "doi" in fields:
        assert DOI.fullmatch(fields["doi"])
    elif "eprint" in fields:
        assert ARXIV.fullmatch(fields["eprint"]) and fields["archiveprefix"] == "arXiv"
    else:
        # A numbered report of an institution has neither.
        assert fields["ENTRYTYPE"] == "techreport" and fields["institution"] and fields["number"]
        assert "without DOI or arXiv number" in fields["note"]


def test_the_headline_paper_is_the_one_on_arxiv():
    fields = entries()[inference.procedure("bcv_5x2_mcnemar").cite]
    assert fields["eprint"] == "2304.03990"
    surnames = [author.split(",")[0] for author in fields["author"].split(" and ")]
    assert surnames == ["Yang", "Wang", "Song", "Li"]


def golden_names(source: str) -> set[str]:
    """The names in `pytest.mark.golden("...")` marks of a test file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "golden":
                names |= {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
    return names


def test_every_procedure_has_a_golden_number():
    marked: set[str] = set()
    for path in sorted(GOLDEN.glob("*.py")):
        marked |= golden_names(path.read_text(encoding="utf-8"))
    assert set(PROCEDURES) - marked == set()
    assert [name for name in sorted(marked) if not hasattr(inference, name)] == []


def test_golden_marks_are_found_in_source():
    source = "@pytest.mark.golden('a', 'b')\ndef test_one():\n    golden = 'c'\n"
    assert golden_names(source) == {"a", "b"}


@pytest.mark.parametrize("name", PROCEDURES)
def test_infer_is_the_function(name):
    function = getattr(inference, name)
    assert function is inference.procedure(name).function
    example = EXAMPLES[name]
    for options in ({}, *example.variants):
        data = example.draw(np.random.default_rng(1), (5,))
        assert inference.infer(name, *data, **options).as_dict() == (
            function(*data, **options).as_dict()
        )
    assert name in dir(inference)


@pytest.mark.parametrize("ask", [inference.procedure, inference.infer])
def test_an_unknown_name(ask):
    with pytest.raises(inference.UnknownNameError) as caught:
        ask("kfold_tt")
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, ValueError)
    assert str(caught.value).startswith("there is no test or interval called 'kfold_tt'")
    assert "did you mean 'kfold_t'?" in str(caught.value)
    assert isinstance(caught.value, Refusal) and caught.value.suggestion == "kfold_t"
    with pytest.raises(inference.UnknownNameError, match="allowed: .*bcv_5x2_mcnemar"):
        ask("zzzzzzzz")
    with pytest.raises(AttributeError):
        inference.kfold_tt


def test_the_registry_cannot_be_edited_by_hand():
    for listed in (inference.tests(), inference.intervals()):
        with pytest.raises(TypeError):
            listed["mine"] = None
    with pytest.raises(AttributeError):
        inference.procedure("kfold_t").cite = "mine"


@pytest.fixture
def half_t():
    """A test registered for the length of one test function."""

    @registry.test(
        "half_t",
        scheme=registry.needs("kfold", k=4, fixed=("k",)),
        data="differences",
        formula="t = d̄ / 2",
        null="t(3)",
        cite="dietterich1998",
        use="Never outside the tests of the registry.",
    )
    def half_t(d, alpha=0.05):
        """t = half the mean difference. Positive: A is worse."""
        d = inference.checks.differences(d, ("4", 4))
        return studentised(
            d.mean(axis=-1),
            np.full(d.shape[:-1], 4.0),
            student(3),
            mu0=0.0,
            alpha=inference.checks.alpha_level(alpha),
            size=np.abs(d).max(axis=-1),
        )

    yield half_t
    registry._TESTS._forget("half_t")


def test_one_decorated_function_is_a_test(half_t):
    assert "half_t" in inference.tests()
    assert inference.half_t is half_t
    result = inference.infer("half_t", np.full((6, 4), 3.0))
    assert isinstance(result, inference.Inference)
    assert result.name == "half_t" and result.cite == "dietterich1998"
    assert result.scheme == "kfold"
    assert (result.statistic == 1.5).all() and result.p_value.shape == (6,)
    with pytest.raises(inference.ShapeError, match=r"half_t: .*needs the scheme kfold\(k=4\)"):
        half_t(np.zeros(5))
    from cvinfer.partitions import kfold

    partition = kfold(20, 4)
    losses = [np.ones(5)] * 4, [np.zeros(5)] * 4
    assert inference.compare_losses("half_t", partition, *losses).statistic == 0.5
    with pytest.raises(inference.InputError, match=r"half_t needs the scheme kfold\(k=4\)"):
        inference.compare_losses("half_t", kfold(20, 5), [np.ones(4)] * 5, [np.zeros(4)] * 5)


def test_a_throw_away_test_is_gone_again():
    assert "half_t" not in inference.tests()


@pytest.mark.parametrize("name", ["kfold_t", "f1_beta_prime"])
@pytest.mark.parametrize("decorator", [registry.test, registry.interval])
def test_a_name_can_be_given_once(decorator, name):
    before = inference.procedure(name)
    with pytest.raises(RuntimeError, match=f"two procedures are called '{name}'"):
        decorator(
            name,
            scheme=registry.needs("kfold"),
            data="differences",
            formula="-",
            null="-",
            cite="dietterich1998",
            use="-",
            **({} if decorator is registry.test else {"kind": "credible", "measure": "F1"}),
        )(lambda d: d)
    assert inference.procedure(name) is before


OUTSIDE = """
from cvinfer.inference.registry import interval, needs, test

said = dict(scheme=needs("kfold"), formula="-", null="-", cite="dietterich1998", use="Never.")


def register():
    @test("outside_t", data="differences", **said)
    def outside_t(d, alpha=0.05):
        return d


def register_twice():
    @interval("kfold_t", data="scores", kind="credible", measure="F1", **said)
    def kfold_t(scores, alpha=0.05):
        return scores
"""


@pytest.fixture
def outside(tmp_path, monkeypatch):
    (tmp_path / "outside_of_cvinfer.py").write_text(OUTSIDE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("outside_of_cvinfer")
    sys.modules.pop("outside_of_cvinfer")
    registry._TESTS._forget("outside_t")


def test_a_module_of_somebody_else_adds_a_test(outside):
    before = list(inference.tests())
    outside.register()
    assert list(inference.tests()) == [*before, "outside_t"]
    assert registry._TESTS.module("outside_t") == "outside_of_cvinfer"
    assert registry.origin("outside_t") is None
    with pytest.raises(RuntimeError, match="two procedures are called 'kfold_t'"):
        outside.register_twice()
    assert "kfold_t" not in inference.intervals()


IN_A_NEW_PROCESS = """
import cvinfer.registry as registry

registry._installed = lambda: [registry.Plugin("somebody", "outside_of_cvinfer")]
some = registry.Registry("thing")
some.discover()
from cvinfer import inference
from cvinfer.inference.registry import origin

assert [each.reason for each in registry.plugins()] == {reasons}, registry.plugins()
assert list(inference.tests()) == {tests}, list(inference.tests())
assert [name for name in inference.tests() if origin(name)] == {brought}
"""


@pytest.mark.parametrize("last, brought", [("register()", ["outside_t"]), ("1 / 0", [])])
def test_what_a_plug_in_is_first_to_import_is_not_its_own(tmp_path, last, brought):
    plugin = OUTSIDE + f"\n\n{last}\n"
    (tmp_path / "outside_of_cvinfer.py").write_text(plugin, encoding="utf-8")
    reasons = [None] if brought else ["ZeroDivisionError: division by zero"]
    names = [*inference.tests(), *brought]
    program = IN_A_NEW_PROCESS.format(reasons=reasons, tests=names, brought=brought)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)


@pytest.mark.parametrize("kind", [inference.InputError, inference.ShapeError])
def test_what_a_procedure_refuses_travels_between_processes(kind):
    told = kind("d must be finite", scheme="loo", procedure="kfold_t")
    assert isinstance(told, Refusal) and isinstance(told, ValueError)
    for error in (told, pickle.loads(pickle.dumps(told))):
        assert str(error) == "kfold_t: d must be finite; it needs the scheme loo"
        assert (error.message, error.procedure) == ("d must be finite", "kfold_t")
        assert error.fault == "d must be finite; it needs the scheme loo"


def test_an_unknown_name_travels_between_processes():
    with pytest.raises(inference.UnknownNameError) as caught:
        inference.procedure("kfold_tt")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.suggestion == "kfold_t"


def test_tests_that_ignore_overlap_say_so_and_have_a_caution():
    ignoring = {name for name, declared in inference.tests().items() if declared.ignores_overlap}
    assert ignoring == {
        *("repeated_holdout_t", "kfold_t", "dietterich_5x2_t", "combined_5x2_t", "combined_5x2_f"),
        *("calibrated_5x2_bcv_f", "cvci_z", "naive_kfold_mcnemar", "wong_matched_t"),
        *("wong_independent_z", "wong_welch_t", "loo_matched_t", "loo_independent_z"),
    }
    assert not any("corrected_" in name for name in ignoring)


def test_tests_on_discordant_records_alone():
    found = [name for name, declared in inference.tests().items() if declared.discordant]
    assert found == [name for name in inference.tests() if name.endswith("mcnemar")]


@pytest.mark.parametrize("name, declared", inference.intervals().items())
def test_an_interval_carries_what_it_declares(name, declared):
    result = inference.infer(name, *EXAMPLES[name].draw(np.random.default_rng(0)))
    assert (result.name, result.cite) == (name, declared.cite)
    assert result.scheme in [need.scheme for need in declared.needs]
    assert declared.function.__annotations__["return"] == "Interval"
