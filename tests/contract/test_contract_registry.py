"""The registry: what each procedure declares, how it is found, how one is added."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from contract.examples import EXAMPLES
from cvinfer import inference
from cvinfer.inference import registry
from cvinfer.inference.records import ADAPTERS
from cvinfer.inference.result import studentised
from cvinfer.inference.nulls import student

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
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
def test_every_test_can_be_fed_from_records(name, declared):
    assert declared.data in ADAPTERS


def test_every_adapter_feeds_a_test():
    assert {declared.data for declared in inference.tests().values()} == set(ADAPTERS)


@pytest.mark.parametrize("name, declared", PROCEDURES.items(), ids=PROCEDURES)
def test_every_scheme_can_be_planned(name, declared):
    from cvinfer.partitions import make_plan, schemes

    for need in declared.needs:
        assert need.scheme in schemes()
        assert set(need.options) <= set(schemes()[need.scheme].defaults)
        assert set(need.fixed) <= set(need.options)
        plan = make_plan(need.scheme, 120, **need.options)
        assert need.accepts(plan.scheme, plan.options)
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
    assert {declared.cite for declared in PROCEDURES.values()} == set(known)
    for key, fields in known.items():
        assert fields.get("author") and fields.get("title"), key
        assert re.fullmatch(r"\d{4}", fields.get("year", "")) or fields.get("note"), key


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
    assert "did you mean kfold_t" in str(caught.value)
    with pytest.raises(inference.UnknownNameError, match="known are .*bcv_5x2_mcnemar"):
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
    del registry._TESTS["half_t"]


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

    plan = kfold(20, 4)
    losses = [np.ones(5)] * 4, [np.zeros(5)] * 4
    assert inference.compare_losses("half_t", plan, *losses).statistic == 0.5
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
        )(lambda d: d)
    assert inference.procedure(name) is before
