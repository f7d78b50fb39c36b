"""Who is better, the sentences and the warnings."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from report.report_examples import LETTER, breast_cancer, facts, made, one, small, troubled
from report.report_examples import MANIFEST, Learner, Spec, losses_of

from cvinfer.inference import compare_losses, infer, tests
from cvinfer.partitions import make_plan
from cvinfer.report import judge
from cvinfer.report.document import ComparisonRun, DataRun, build
from cvinfer.report.words import number, p_text, title


def document_of(test: str, d: Any, scheme: str, options: Any = None, **plan: Any) -> dict[str, Any]:
    """A document of one comparison with given mean losses: A errs by d, B never, per split."""
    made_plan = make_plan(scheme, 200, seed=1, **plan)
    wanted = np.asarray(d, dtype=float).ravel()
    a = [np.full(len(s.test), max(v, 0.0)) for s, v in zip(made_plan.splits, wanted)]
    b = [np.full(len(s.test), max(-v, 0.0)) for s, v in zip(made_plan.splits, wanted)]
    found = compare_losses(test, made_plan, a, b, **(options or {}))
    compared = ComparisonRun("A", "B", test, options or {}, (0,), found)
    run = DataRun(
        facts("toy", 200), (made_plan,), (scheme,), {("A", 0): a, ("B", 0): b}, (compared,)
    )
    spec = Spec("toy", {"A": Learner(), "B": Learner()}, "none")
    return build(spec, [run], MANIFEST)


def only(document: dict[str, Any]) -> dict[str, Any]:
    (entry,) = document["comparisons"]
    return dict(entry)


def test_the_learner_with_the_lower_loss_is_better() -> None:
    worse_a = only(document_of("kfold_t", [0.2, 0.22, 0.21, 0.19], "kfold", k=4))
    assert (worse_a["reject_corrected"], worse_a["better"]) == (True, "B")
    worse_b = only(document_of("kfold_t", [-0.2, -0.22, -0.21, -0.19], "kfold", k=4))
    assert (worse_b["reject_corrected"], worse_b["better"]) == (True, "A")
    nobody = only(document_of("kfold_t", [-0.2, 0.22, -0.21, 0.19], "kfold", k=4))
    assert (nobody["reject_corrected"], nobody["better"]) == (False, None)


def test_a_rejected_f_with_mean_zero_names_nobody() -> None:
    d = [[0.3, 0.3], [-0.3, -0.3], [0.25, 0.25], [-0.25, -0.25], [0.01, -0.01]]
    entry = only(document_of("combined_5x2_f", d, "random_mx2", m=5))
    assert entry["reject_corrected"]
    assert entry["inference"]["estimate"] == pytest.approx(0, abs=1e-15)
    entry["inference"]["estimate"] = 0.0
    assert judge.better("A", "B", entry["inference"], True) is None


def test_dietterich_against_its_mean_names_nobody() -> None:
    d = [[0.3, 0.29], [-0.3, -0.31], [-0.25, -0.25], [-0.25, -0.25], [-0.2, -0.2]]
    entry = only(document_of("dietterich_5x2_t", d, "random_mx2", m=5))
    assert entry["reject_corrected"] and entry["better"] is None
    assert "does not show which is better" in entry["sentence"]
    assert any("point to the same learner" in warning for warning in entry["warnings"])


def test_another_hypothesis_than_zero_names_nobody() -> None:
    d = [0.05, 0.06, 0.055, 0.045]
    entry = only(document_of("kfold_t", d, "kfold", {"mu0": 0.2}, k=4))
    assert entry["reject_corrected"] and entry["better"] is None
    assert "differs significantly from 20.00 percentage points" in entry["sentence"]
    above = only(document_of("kfold_t", [0.3, 0.31, 0.305, 0.295], "kfold", {"mu0": 0.2}, k=4))
    assert above["reject_corrected"] and above["better"] is None


def test_degenerate_results_are_never_rejections() -> None:
    ties = infer("kfold_t", [0.3, 0.3, 0.3]).as_dict()
    assert ties["p_value"] == 0
    assert judge.reject_corrected(ties, 0.0) is False
    assert judge.reject_corrected(infer("kfold_t", [0.3, 0.31, 0.3]).as_dict(), 0.0) is True
    assert judge.reject_corrected(None, None) is False


def test_sentences_say_who_by_how_much_and_how_sure() -> None:
    entry = small()["comparisons"][0]
    inference = entry["inference"]
    a, b = (100 * inference["extra"][key] for key in ("loss_a", "loss_b"))
    assert entry["sentence"] == (
        f"On letter, SVM is better than CART by {a - b:.2f} percentage points (error rates"
        f" {b:.2f}% and {a:.2f}%; bcv_5x2_mcnemar, p < 0.001, Holm-corrected p < 0.001,"
        " alpha 0.05)."
    )


def test_sentence_without_significance() -> None:
    entry = breast_cancer()["comparisons"][0]
    assert not entry["reject_corrected"]
    assert re.fullmatch(
        r"On breast cancer, tree and 1-NN do not differ significantly; tree is ahead by"
        r" \d\.\d\d percentage points \(error rates \d\.\d\d% and \d\.\d\d%; bcv_5x2_mcnemar,"
        r" p = 0\.\d{3}, Bonferroni-corrected p = \d\.\d{3}, alpha 0\.05\)\.",
        entry["sentence"],
    )


def test_sentence_for_significance_that_the_correction_takes_away() -> None:
    rates = {**LETTER, **{f"other {i}": 0.2 for i in range(12)}}
    pairs = [("1-NN", name) for name in rates if name != "1-NN"]
    document = made(rates, pairs, ["blocked_3x2_t"], correction="bonferroni", n=80)
    lost = [
        c for c in document["comparisons"] if c["inference"]["reject"] and not c["reject_corrected"]
    ]
    assert lost
    for entry in lost:
        assert "significant before the correction only" in entry["sentence"]
        assert entry["better"] is None and "do not differ significantly" in entry["sentence"]


def test_sentences_of_degenerate_and_failed_comparisons() -> None:
    found = {(c["a"], c["b"], c["test"]): c for c in troubled()["comparisons"]}
    equal, ties = found["CART", "twin", "kfold_t"], found["twin", "SVM", "kfold_t"]
    assert equal["sentence"].startswith("On letter, kfold_t cannot tell CART from twin")
    assert "nothing to test" in equal["sentence"]
    assert ties["inference"]["p_value"] == 0 and ties["p_corrected"] == 1
    assert not ties["reject_corrected"] and ties["better"] is None
    assert "ties" in ties["sentence"] and any("ties" in w for w in ties["warnings"])
    failed = found["SVM", "broken", "bcv_5x2_mcnemar"]
    assert failed["inference"] is None and failed["p_corrected"] is None
    assert failed["sentence"] == (
        f"On letter, bcv_5x2_mcnemar could not compare SVM with broken: {failed['failed']}."
    )


def test_a_tie_does_not_ease_the_correction_of_others() -> None:
    entries = [c for c in troubled()["comparisons"] if c["test"] == "kfold_t"]
    clean = next(c for c in entries if (c["a"], c["b"]) == ("CART", "SVM"))
    # Three comparisons have a result; the tie's p = 0 must not take the place of the smallest.
    assert clean["p_corrected"] == pytest.approx(3 * clean["inference"]["p_value"])


def test_tests_are_corrected_each_for_itself_over_pairs_and_data() -> None:
    tests_ = ["bcv_5x2_mcnemar", ("corrected_kfold_t", {"rho": 0.5}), ("corrected_kfold_t", {})]
    pairs = [("CART", "SVM"), ("1-NN", "SVM"), ("CART", "1-NN")]
    document = made(LETTER, pairs, tests_, ["letter", "iris"], "bonferroni", n=80)
    assert len(document["comparisons"]) == 18
    for entry in document["comparisons"]:
        expected = min(1.0, 6 * entry["inference"]["p_value"])
        assert entry["p_corrected"] == pytest.approx(expected)


def warned(document: dict[str, Any], word: str) -> set[str]:
    entries = document["comparisons"]
    return {c["test"] for c in entries if any(word in warning for warning in c["warnings"])}


def test_uncorrected_tests_are_named() -> None:
    document = made({"A": 0.4, "B": 0.1}, [("A", "B")], list(tests()), n=100)
    assert warned(document, "uncorrected test") == judge.UNCORRECTED
    assert {
        "repeated_holdout_t",
        "kfold_t",
        "wong_matched_t",
        "combined_5x2_t",
        "naive_kfold_mcnemar",
    } <= judge.UNCORRECTED
    lines = [line for line in document["warnings"] if line.startswith("kfold_t: uncorrected")]
    assert len(lines) == 1


def test_training_sets_that_do_not_overlap_are_not_warned_of() -> None:
    assert judge.ignores_overlap(infer("kfold_t", [0.1, 0.2]).as_dict()) is False
    assert judge.ignores_overlap(infer("kfold_t", [0.1, 0.2, 0.3]).as_dict()) is True
    plain = infer("corrected_kfold_t", [0.1, 0.2, 0.3], rho=0.0)
    assert judge.ignores_overlap(plain.as_dict()) is True
    assert judge.ignores_overlap(infer("corrected_kfold_t", [0.1, 0.2, 0.3]).as_dict()) is False


def test_large_sample_conditions() -> None:
    document = made({"A": 0.4, "B": 0.1}, [("A", "B")], ["wong_matched_t", "cvci_z"], n=60)
    assert warned(document, "large-sample") == {"wong_matched_t"}


def test_few_discordant_records() -> None:
    names = ["holdout_mcnemar", "bcv_5x2_mcnemar", "naive_kfold_mcnemar", "kfold_t"]
    few = made({"A": 0.3, "B": 0.1}, [("A", "B")], names, n=100)
    assert warned(few, "few discordant") == set(names[:3])
    (holdout,) = [c for c in few["comparisons"] if c["test"] == "holdout_mcnemar"]
    (text,) = [w for w in holdout["warnings"] if "few discordant" in w]
    assert "exact binomial p" in text
    plan = make_plan("holdout", 100, seed=0, n1=67)
    (a,), (b,) = losses_of(0.3, plan, 0), losses_of(0.1, plan, 1)
    assert f"n01 + n10 = {int((a != b).sum())}," in text
    many = made({"A": 0.5, "B": 0.1}, [("A", "B")], names[:2], n=900)
    assert warned(many, "few discordant") == set()


def test_intervals_outside_their_range() -> None:
    outside = infer("kfold_t_interval", [0.9, 1.0, 0.95, 1.0]).as_dict()
    assert outside["upper"] > 1
    assert "outside [0, 1]" in judge.interval_warnings(outside)[0]
    inside = infer("kfold_t_interval", [0.5, 0.52, 0.51, 0.5]).as_dict()
    assert judge.interval_warnings(inside) == []
    few = infer("error_dataset_z", 2, 100).as_dict()
    assert any("large-sample" in warning for warning in judge.interval_warnings(few))


def test_document_warnings_name_their_place() -> None:
    lines = troubled()["warnings"]
    assert (
        "kfold_t: 2 of 5 comparisons have no result, so the Holm correction counts 3 only" in lines
    )
    assert any(line.startswith("letter, twin against SVM, kfold_t: ties") for line in lines)
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize(
    "p, text",
    [(0.0, "< 0.001"), (0.000999, "< 0.001"), (0.001, "0.001"), (0.0494, "0.049"), (1.0, "1.000")],
)
def test_p_is_never_0_000(p: float, text: str) -> None:
    assert p_text(p) == text


def test_numbers_and_names() -> None:
    assert number(-0.01234, "zero_one") == "\N{MINUS SIGN}1.23"
    assert number(-1e-9, "zero_one") == "0.00"
    assert number(0.1234567, "squared") == "0.1235"
    assert title("bcv_5x2_mcnemar") == "BCV 5×2 McNemar"
    assert title("some_new_test") == "some new test"


def test_one_comparison_is_its_own_correction() -> None:
    entry = only(one())
    assert entry["p_corrected"] == entry["inference"]["p_value"]
