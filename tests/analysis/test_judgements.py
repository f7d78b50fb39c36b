"""Corrected p-values and warnings."""

from __future__ import annotations

from typing import Any

import pytest
from tests.report.report_examples import LETTER, losses_of, made, one, troubled

from cvinfer.inference import caution, infer, tests
from cvinfer.partitions import make_partition
from cvinfer.analysis import judge
from cvinfer.analysis.words import number, p_text, title


def test_degenerate_results_are_never_rejections() -> None:
    ties = infer("kfold_t", [0.3, 0.3, 0.3]).as_dict()
    assert ties["p_value"] == 0
    assert judge.reject_corrected(ties, 0.0) is False
    assert judge.reject_corrected(infer("kfold_t", [0.3, 0.31, 0.3]).as_dict(), 0.0) is True
    assert judge.reject_corrected(None, None) is False


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


def test_tests_say_what_was_measured_of_them() -> None:
    document = made({"A": 0.4, "B": 0.1}, [("A", "B")], list(tests()), n=100)
    declared = {name for name, test in tests().items() if test.caution is not None}
    assert {
        "kfold_t",
        "cvci_z",
        "naive_kfold_mcnemar",
        "proportion_z",
        "calibrated_5x2_bcv_f",
    } <= declared
    for entry in document["comparisons"]:
        said = caution(entry["inference"])
        assert entry["caution"] == said
        assert (said in entry["warnings"]) == (said is not None)
        # The same for every pair, so told once and without a place.
        assert document["warnings"].count(f"{entry['test']}: {said}") == (said is not None)
    (kfold,) = [line for line in document["warnings"] if line.startswith("kfold_t: ")]
    assert "overlap" in kfold and "% of true hypotheses" in kfold


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
    partition = make_partition("holdout", 100, seed=0, n1=67)
    (a,), (b,) = losses_of(0.3, partition, 0), losses_of(0.1, partition, 1)
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
    assert p_text(p, 0.05) == text


@pytest.mark.parametrize(
    "p, alpha, text",
    [
        (0.0496, 0.05, "0.0496"),
        (0.04999996, 0.05, "0.04999996"),
        (0.05, 0.05, "0.050"),
        (0.0504, 0.05, "0.050"),
        (0.0104, 0.0102, "0.0104"),
    ],
)
def test_rounding_moves_no_p_to_the_other_side_of_alpha(p: float, alpha: float, text: str) -> None:
    assert p_text(p, alpha) == text


def test_numbers_and_names() -> None:
    assert number(-0.01234, "zero_one") == "\N{MINUS SIGN}1.23"
    assert number(-1e-9, "zero_one") == "0.00"
    assert number(0.1234567, "squared") == "0.1235"
    assert title("bcv_5x2_mcnemar") == "BCV 5×2 McNemar"
    assert title("some_new_test") == "some new test"


def test_one_comparison_is_its_own_correction() -> None:
    (entry,) = one()["comparisons"]
    assert entry["p_corrected"] == entry["inference"]["p_value"]
